"""The public call with its defaults, beside the peer's public call with its defaults: what a user gets.

Data are arrays or canonical CSR in memory. `certify=False` where the peer certifies nothing; what the default
certificate costs has rows of its own. CPU time, the least of many turns.
"""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numba
import numpy as np
from river import bandit
from scipy import sparse
from sklearn.linear_model import Perceptron, SGDClassifier

import littlestone as ls

from . import curves
from .clock import ROOT, environment, race
from .example_streams import codes
from .figure import Figure
from .peers import timed

FAST: dict[str, Any] = {"certify": False}
ARMS = 10


def measure(quick: bool) -> Iterator[Figure]:
    seconds = 2.0 if quick else 8.0
    yield from dense(20_000 if quick else 200_000, seconds)
    yield from csr(20_000 if quick else 200_000, seconds)
    yield from live_bandits(seconds)
    yield from certified(seconds)
    yield from curved(500 if quick else 5000)
    yield from first_calls(1 if quick else 2)


def peers() -> dict[str, tuple[str, Callable[[], Any]]]:
    sgd = "SGDClassifier(loss='log_loss').partial_fit", lambda: SGDClassifier(loss="log_loss")
    return {
        "perceptron": ("Perceptron().partial_fit", Perceptron),
        "logistic": sgd,
        "online-linear": sgd,
    }


def against(
    key: str, X: Any, y: Any, seconds: float, more: dict[str, Callable[[], Any]] | None = None
) -> dict[str, float]:
    """Seconds a row of ours and of scikit-learn's, and of what else takes turns with them."""
    make = peers()[key][1]
    ls.play(key, X[:50], y[:50], **FAST)  # compiles
    best = race(
        {
            "ours": partial(ls.play, key, X, y, **FAST),
            "peer": lambda: make().partial_fit(X, y, classes=[-1, 1]),
            **(more or {}),
        },
        seconds,
    )
    return {name: v / len(y) for name, v in best.items()}


def dense(rows: int, seconds: float) -> Iterator[Figure]:
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(rows, 100)), rng.normal(size=100)
    noise = 5.0 * rng.normal(size=rows)
    for word, margin in (("separable", X @ w), ("noisy", X @ w + noise)):
        y = np.where(margin > 0.0, 1, -1)
        for key, target in (
            ("perceptron", 8.0), ("logistic", 6.0), ("online-linear", 1.0),
        ):  # fmt: skip
            best = against(key, X, y, seconds / 2)
            name = f"{key}, {rows:,} x 100 dense, {word}: a row"
            yield Figure(name, best["ours"], "s", peers()[key][0], best["peer"], target, "faster")


def csr(rows: int, seconds: float) -> Iterator[Figure]:
    rng = np.random.default_rng(1)
    width = 1 << 18
    index = np.sort(rng.integers(0, width, (rows, 30)), axis=1).astype(np.int32)
    X = sparse.csr_matrix(
        (rng.normal(size=index.size), index.ravel(), np.arange(0, index.size + 1, 30)),
        shape=(rows, width),
    )
    X.sum_duplicates()
    y = np.where(X @ rng.normal(size=width) + 3.0 * rng.normal(size=rows) > 0.0, 1, -1)
    for key, target in (("perceptron", 3.0), ("logistic", 3.0), ("online-linear", 1.0)):
        numbers = {"perceptron": 1, "logistic": 3, "online-linear": 16}[key]  # of a feature
        best = against(key, X, y, seconds, {"memory": memory(X, numbers)})
        name = f"{key}, {rows:,} rows of CSR, 30 of 2^18, noisy: a row"
        yield Figure(name, best["ours"], "s", peers()[key][0], best["peer"], target, "faster")
        text = f"memory: to gather 30 of 2^18 x {numbers} numbers, and to add to them"
        yield Figure(name, best["ours"], "s", text, best["memory"], None, "ratio")


def memory(X: Any, numbers: int) -> Callable[[], Any]:
    """A bare loop: one score and one step a row, with so many numbers a feature side by side.

    Of a feature it reads and writes one number of each line of the cache, which has eight.
    """

    @numba.njit(fastmath={"reassoc", "contract", "nsz"}, error_model="numpy")  # type: ignore[untyped-decorator]
    def bare(W: Any, indptr: Any, index: Any, value: Any) -> float:
        total = 0.0
        for t in range(indptr.shape[0] - 1):
            score = 0.0
            for k in range(indptr[t], indptr[t + 1]):
                for j in range(0, numbers, 8):  # a constant: LLVM unrolls it
                    score += W[np.uint32(index[k]), j] * value[k]
            for k in range(indptr[t], indptr[t + 1]):
                for j in range(0, numbers, 8):
                    W[np.uint32(index[k]), j] += value[k]
            total += score
        return total

    W = np.zeros((X.shape[1], numbers))
    run = partial(bare, W, X.indptr, X.indices, X.data)
    run()  # compiles
    return run


def live_bandits(seconds: float) -> Iterator[Figure]:
    """One decision and one update at a time, from Python."""
    losses = np.random.default_rng(2).random((500, ARMS)).round().tolist()
    arms = list(range(ARMS))
    for key, name, options in (("exp3", "Exp3", {"gamma": 0.1}), ("ucb1", "UCB", {"delta": 1.0})):

        def ours(key: str = key) -> None:
            learner = ls.learner(key).start(ARMS)
            for row in losses:
                ticket = learner.ask()
                learner.tell(ticket, row[ticket.prediction])

        def theirs(name: str = name, options: Any = options) -> None:
            # a new policy each time: the weights of River's EXP3 overflow after some 10,000 rounds
            policy: Any = getattr(bandit, name)(seed=1, **options)
            for row in losses:
                arm = policy.pull(arms)
                policy.update(arm, 1.0 - row[arm])

        ours()
        best = race({"ours": ours, "peer": theirs}, seconds / 4)
        n = len(losses)
        yield Figure(
            f"{key}, {ARMS} arms, live: ask + tell", best["ours"] / n, "s", f"River {name}, pull + update",
            best["peer"] / n, 1.0, "faster",
        )  # fmt: skip


def certified(seconds: float) -> Iterator[Figure]:
    """What the default certificate costs, beside the numbers' exponentials and beside the same run without it."""
    rng = np.random.default_rng(3)
    for n, target in ((8, 20.0), (64, 8.0), (1000, 8.0)):
        T = (1 << 20) // n
        losses = rng.random((T, n))
        out = np.empty_like(losses)
        ls.play("hedge", losses[:50])
        best = race(
            {
                "with": partial(ls.play, "hedge", losses),
                "without": partial(ls.play, "hedge", losses, **FAST),
                "exp": partial(np.exp, losses, out=out),
            },
            seconds / 2,
        )
        name = f"hedge, n = {n}, certified: a round"
        yield Figure(
            name, best["with"] / T, "s", f"np.exp of {n}", best["exp"] / T, target, "ratio"
        )
        if n <= 64:
            yield Figure(
                name, best["with"] / T, "s", "the same, certify=False", best["without"] / T, 1.5, "ratio"
            )  # fmt: skip
    X = rng.normal(size=(20_000, 20))
    y = np.where(X @ rng.normal(size=20) + 2.0 * rng.normal(size=20_000) > 0.0, 1, -1)
    for key in ("perceptron", "logistic", "online-linear"):
        ls.play(key, X[:50], y[:50])
        both = {"with": partial(ls.play, key, X, y), "without": partial(ls.play, key, X, y, **FAST)}
        best = race(both, seconds / 4)
        yield Figure(
            f"{key}, 20,000 x 20, certified", best["with"], "s", "the same, certify=False", best["without"],
            1.5, "ratio",
        )  # fmt: skip
        run = ls.play(key, X, y)
        began = time.process_time()
        verdict = run.certificate.verdict  # its comparators are searched for now
        yield Figure(
            f"{key}, 20,000 x 20, the certificate read", time.process_time() - began, "s", "", math.nan, note=verdict
        )  # fmt: skip


def curved(rows: int) -> Iterator[Figure]:
    """The default for dense narrow tables beside River's forest and neighbours: time, and errors of one pass."""
    for stream in ("RandomTree", "RBF drift"):
        X, y = curves.streams()[stream]()
        X, y = np.ascontiguousarray(X[:rows], float), y[:rows]
        if len(np.unique(y)) > 2:
            y = codes((X, y))[1]
        players, found = curves.players(X, y), {}
        players["online-kernel"](X[:50], y[:50])  # compiles
        for who, turns in (("online-kernel", 9), ("River ARF", 1), ("River k-NN", 1)):
            # River takes seconds, ours some ten milliseconds: the least of a few
            made = [timed(players[who], X, y) for _ in range(turns)]
            spent = min(seconds for _, seconds in made)
            found[who] = spent / len(y), float(np.mean(made[0][0] != y))
        (ours, wrong), *others = found.values()
        name = f"online-kernel, {stream}, {len(y):,} x {X.shape[1]}"
        for who, target, (spent, _) in zip(("ARF", "k-NN"), (200.0, 100.0), others, strict=True):
            yield Figure(f"{name}: a row", ours, "s", f"River {who}", spent, target, "faster")
        least = min(errors for _, errors in others)
        yield Figure(
            f"{name}: errors a row", wrong, "errors", "the better of the two", least, least + 0.01
        )


TEXTBOOK = """
import numpy as np, time
from math import exp
began = time.process_time()
import numba
@numba.njit
def hedge(L, eta):
    T, n = L.shape
    w, p, total = np.ones(n), np.empty(n), 0.0
    for t in range(T):
        s = 0.0
        for i in range(n):
            s += w[i]
        for i in range(n):
            p[i] = w[i] / s
            total += p[i] * L[t, i]
        for i in range(n):
            w[i] *= exp(-eta * L[t, i])
    return total
hedge(np.random.default_rng(0).random((100, 8)), 0.1)
print(time.process_time() - began)
"""
FIRST = """
import sys, time
import numpy as np
rng = np.random.default_rng(0)
X, y = rng.random((100, 8)), rng.random(100)
key = sys.argv[1]
began = time.process_time()
import littlestone as ls
if key == "hedge":
    ls.play(key, X)
elif key == "tracker":
    ls.play(key, X, y)
else:
    ls.play(key, X, np.where(y > 0.5, 1, -1))
print(time.process_time() - began)
"""


def first_calls(turns: int) -> Iterator[Figure]:
    """The first call ever, with an empty cache, certificate and all: mostly Numba's time."""
    best = dict.fromkeys(("textbook", "hedge", "tracker", "online-linear"), float("inf"))
    for _ in range(turns):
        for key in best:
            with tempfile.TemporaryDirectory(prefix="littlestone-bench-") as folder:
                words = [TEXTBOOK] if key == "textbook" else [FIRST, key]
                done = subprocess.run(
                    [sys.executable, "-c", *words],
                    cwd=ROOT,
                    env=environment(NUMBA_CACHE_DIR=folder),
                    capture_output=True,
                    text=True,
                    encoding="utf-8",
                    check=True,
                )
            best[key] = min(best[key], float(done.stdout))
    for key, target in (("hedge", 4.0), ("tracker", 8.0), ("online-linear", 10.0)):
        yield Figure(
            f"{key}: the first call ever, empty cache", best[key], "s", "Numba, the textbook loop of Hedge",
            best["textbook"], target, "ratio",
        )  # fmt: skip
