"""Sparse rows of which few are of one class: made streams of many kinds, with 300 features and 3% of the rows positive.

    python -m benchmarks.sparse_streams [WORD]…      errors, as a Markdown table; only streams that contain a WORD
    python -m benchmarks.sparse_streams ours         Littlestone's columns alone

Each stream has 50,000 rows, about 30 values to a row that are not 0, a score that is linear unless said otherwise, and
noise on the score; those whose score is highest are positive. The kinds were in view when online-linear was given its
sum of a row and its stack by Newton's method, with other seeds than here. Behind them come the real ones of
example_streams.py. `dense` is online-linear on the same rows as a dense table.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from . import peers
from .curves import ours, time_of
from .example_streams import Stream, adult, reuters

ROWS, FEATURES, SHARE = 50_000, 300, 0.03
OTHERS = {k: peers.wabbit(["--loss_function", "logistic", *v]) for k, v in peers.FLAVOURS.items()}


def popularity(power: float, length: float = 30.0) -> Any:
    """Chances that a feature is there: the k-th of them as k^-power, at most 0.9, so many to a row."""
    p = np.arange(1, FEATURES + 1.0) ** -power
    low, high = 0.0, 1e6
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if np.minimum(middle * p, 0.9).sum() < length else (low, middle)
    return np.minimum(low * p, 0.9)


def labels(r: Any, score: Any, noise: float) -> Any:
    """The rows with the highest scores are positive, once logistic noise of so many deviations is added."""
    s = score + noise * np.std(score) * r.logistic(size=len(score)) / 1.8
    return np.where(s > np.quantile(s, 1 - SHARE), 1, -1)


def weights(r: Any, some: int = FEATURES) -> Any:
    """Normal weights for some of the features."""
    w = np.zeros(FEATURES)
    w[r.permutation(FEATURES)[:some]] = r.normal(size=some)
    return w


def made(
    seed: int,
    *,
    p: Any = 0.1,
    values: Callable[[Any, int], Any] | None = None,
    some: int = FEATURES,
    noise: float = 0.2,
    change: Callable[[Any, Any, Any], Any] | None = None,
    flip: float = 0.0,
) -> Callable[[], Stream]:
    """Rows whose features are there with chance p, ones unless `values` draws them; `change` gives another score."""

    def load() -> Stream:
        r = np.random.default_rng(seed)
        X = sparse.csr_matrix((r.random((ROWS, FEATURES)) < p).astype(float))
        if values is not None:
            X.data = values(r, X.nnz)
        score = X @ weights(r, some) if change is None else change(r, X, weights(r, some))
        return X, labels(r, score, noise) * np.where(r.random(ROWS) < flip, -1, 1)

    return load


def turning(r: Any, X: Any, w: Any) -> Any:
    """The weights turn by half a circle."""
    angle = np.pi * np.arange(ROWS) / ROWS
    return np.cos(angle) * (X @ w) + np.sin(angle) * (X @ weights(r))


def changing(r: Any, X: Any, w: Any) -> Any:
    """Two times there are other weights."""
    scores = X @ np.column_stack([w, weights(r), weights(r)])
    return scores[np.arange(ROWS), np.arange(ROWS) * 3 // ROWS]


def pairs(r: Any, X: Any, w: Any) -> Any:
    """Forty products of two features count as well."""
    score = X @ w
    for i, j in r.integers(FEATURES, size=(40, 2)):
        score = score + 3 * r.normal() * X[:, [i]].multiply(X[:, [j]]).toarray()[:, 0]
    return score


def streams() -> dict[str, Callable[[], Stream]]:
    def counts(r: Any, n: int) -> Any:
        return 1.0 + r.poisson(0.5, n)

    def whole(a1a: Stream, test: Stream) -> Stream:
        X, y = sparse.vstack([a1a[0], test[0]]).tocsr(), np.concatenate([a1a[1], test[1]])
        order = np.random.default_rng(0).permutation(len(y))
        return X[order], y[order]

    return {
        "0 or 1": made(101, noise=0.3),
        "0 or 1, no noise": made(102, noise=0.0),
        "0 or 1, 1% flipped": made(103, noise=0.1, flip=0.01),
        "uniform values": made(104, values=lambda r, n: r.random(n)),
        "normal values": made(105, values=lambda r, n: r.normal(size=n)),
        "counts": made(106, p=popularity(0.5), values=counts, noise=0.3),
        "Zipf, 0 or 1": made(107, p=popularity(1.0), noise=0.3),
        "Zipf, counts": made(108, p=popularity(1.0), values=counts, noise=0.3),
        "Zipf, 8 to a row": made(109, p=popularity(1.0, 8), values=lambda r, n: r.gamma(1.0, size=n)),
        "20 features count": made(110, values=lambda r, n: r.random(n), some=20),
        "20 count, normal values": made(111, values=lambda r, n: r.normal(size=n), some=20, noise=0.3),
        "15 count, Zipf": made(112, p=popularity(0.7), some=15, noise=0.3),
        "positive weights": made(
            113, values=lambda r, n: r.exponential(size=n), change=lambda r, X, w: X @ (w * w)
        ),
        "heavy tails": made(114, values=lambda r, n: np.exp(1.2 * r.normal(size=n))),
        "heavy tails, log score": made(
            115,
            values=lambda r, n: np.ceil(r.pareto(1.5, n) + 1e-9),
            change=lambda r, X, w: X.log1p() @ w,
            noise=0.3,
        ),
        "pairs count": made(116, change=pairs, noise=0.1),
        "turning weights": made(117, change=turning),
        "changing weights": made(118, change=changing),
        "a1a and a1a.t, mixed": lambda: whole(adult("a1a"), adult("a1a.t")),
        "a1a": lambda: adult("a1a"),
        "rcv1": reuters,
    }  # fmt: skip


def row(name: str, X: Any, y: Any, alone: bool) -> str:
    """One line of the table: the share of errors, in percent; behind ours microseconds a row."""
    found, took = {}, {}
    tables = {"sparse": X, "dense": X.toarray()} if X.shape[1] <= FEATURES else {"sparse": X}
    for form, table in tables.items():
        play = ours("online-linear")
        play(table[:50], y[:50])  # compiles
        p, seconds = peers.timed(play, table, y)
        found[form], took[form] = 100 * float(np.mean(p != y)), 1e6 * seconds / len(y)
    for who, peer in {} if alone else OTHERS.items():
        found[who] = 100 * float(np.mean(np.where(peer(X, y) > 0, 1, -1) != y))
    best, cells = min(found.values()), []
    for who in ("sparse", "dense", *(() if alone else OTHERS)):
        cell = "-" if who not in found else f"{found[who]:.2f}"
        cell = f"**{cell}**" if found.get(who) == best else cell
        cells.append(f"{cell} ({time_of(took[who])})" if who in took else cell)
    return f"| {name} | {len(y):,} | {' | '.join(cells)} |"


def main(words: list[str]) -> None:
    alone = "ours" in words
    words = [word for word in words if word != "ours"]
    heads = ["Littlestone", "dense", *([] if alone else OTHERS)]
    print(f"| stream | rounds | {' | '.join(heads)} |\n| --- " + "| ---: " * (len(heads) + 1) + "|")
    for name, load in streams().items():
        if words and not any(word in name for word in words):
            continue
        try:
            X, y = load()
        except FileNotFoundError as problem:
            print(f"{name}: left out: {problem}", file=sys.stderr)
            continue
        print(row(name, X, y, alone), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
