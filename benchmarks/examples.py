"""Learners over examples in memory, and one at a time: against scikit-learn, River, and the memory itself."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from river import linear_model
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron, SGDClassifier

import littlestone as ls
from littlestone.core.stream import Batch
from littlestone.core.vectors import Rows
from littlestone.encode.stream import Stream
from littlestone.play.options import PlayOptions
from littlestone.play.play_stream import play_stream

from .clock import race
from .figure import Figure

QUIET = PlayOptions(certify=False, record="none")
D, NONZEROS, WIDTH = 100, 30, 1 << 18


def stream(x: Any, y: Any, width: int) -> Stream:
    names = () if isinstance(x, Rows) else tuple(map(str, range(width)))
    return Stream(
        [Batch(x, y, width=width)], names, rounds=len(y), whole=True, labels=(0, 1), features=True
    )


def measure(quick: bool) -> Iterator[Figure]:
    T, seconds = (50_000, 1.5) if quick else (200_000, 8.0)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(T, D))
    y = (X @ rng.normal(size=D) + rng.normal(size=T) > 0).astype(float)
    yield from dense(X, y, seconds)
    yield from sparse(rng, T, y, seconds)
    yield from one_at_a_time(X[:2000], y[:2000], seconds)


def dense(X: Any, y: Any, seconds: float) -> Iterator[Figure]:
    T, classes = len(y), np.array([0.0, 1.0])
    rounds = stream(X, y, D)
    out = np.zeros(T)

    def read() -> None:
        """Every number is read once and used once, as a matrix times a vector does."""
        np.matmul(X, np.ones(D), out=out)

    def peer(made: Any) -> Any:
        def fit() -> None:
            made().partial_fit(X, y, classes=classes)

        return fit

    entries = {
        "read": read,
        "perceptron": lambda: play_stream(
            ls.learner("perceptron"), rounds, QUIET, allocation=False
        ),
        "in units": lambda: play_stream(
            ls.learner("perceptron", normalise=True), rounds, QUIET, allocation=False
        ),
        "logistic": lambda: play_stream(
            ls.learner("ogd", loss="logistic", eta=0.01), rounds, QUIET, allocation=False
        ),
        "sk perceptron": peer(Perceptron),
        "sk logistic": peer(
            lambda: SGDClassifier(loss="log_loss", learning_rate="constant", eta0=0.01, alpha=0.0)
        ),
        "online-linear": lambda: play_stream(
            ls.learner("online-linear"), rounds, QUIET, allocation=False
        ),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        best = race(entries, seconds)
    name = f"dense, {D} features, {T:,} rows"
    raw, sk = best["perceptron"] / T, best["sk perceptron"] / T
    same = f"perceptron, {name}"
    yield Figure(same, raw, "s", "scikit-learn Perceptron.partial_fit", sk, 4.0, "faster")
    yield Figure(same, raw, "s", "reading the rows (X @ v)",
                 best["read"] / T, 1 / 0.6, "ratio", note="at most 1/0.6 times: 60% of the bandwidth")  # fmt: skip
    yield Figure(f"perceptron (normalise=True), {name}", best["in units"] / T, "s",
                 "scikit-learn Perceptron.partial_fit", sk, on="faster")  # fmt: skip
    yield Figure(f"logistic OGD, {name}", best["logistic"] / T, "s", "SGDClassifier.partial_fit",
                 best["sk logistic"] / T, 3.0, "faster")  # fmt: skip
    yield Figure(f"online-linear, {name}", best["online-linear"] / T, "s", "SGDClassifier.partial_fit",
                 best["sk logistic"] / T)  # fmt: skip


def sparse(rng: Any, T: int, y: Any, seconds: float) -> Iterator[Figure]:
    index = np.sort(rng.integers(0, WIDTH, size=(T, NONZEROS)), axis=1).astype(np.int32).reshape(-1)
    indptr = np.arange(T + 1, dtype=np.int64) * NONZEROS
    value = np.ones(T * NONZEROS)
    rounds = stream(Rows(indptr, index, value), y, WIDTH)
    X = csr_matrix((value, index, indptr.astype(np.int32)), shape=(T, WIDTH))
    classes = np.array([0.0, 1.0])
    entries = {
        "perceptron": lambda: play_stream(
            ls.learner("perceptron"), rounds, QUIET, allocation=False
        ),
        "logistic": lambda: play_stream(
            ls.learner("ogd", loss="logistic", eta=0.01), rounds, QUIET, allocation=False
        ),
        "sk perceptron": lambda: Perceptron().partial_fit(X, y, classes=classes),
        "sk logistic": lambda: SGDClassifier(
            loss="log_loss", learning_rate="constant", eta0=0.01, alpha=0.0
        ).partial_fit(X, y, classes=classes),
    }
    best = race(entries, seconds)
    name = f"sparse, {NONZEROS} nonzeros of 2^18, {T:,} rows"
    for ours, theirs in (("perceptron", "Perceptron"), ("logistic", "SGDClassifier")):
        title = "logistic OGD" if ours == "logistic" else ours
        yield Figure(f"{title}, {name}", best[ours] / T, "s", f"{theirs}.partial_fit on CSR",
                     best[f"sk {ours}"] / T, 3.0, "faster")  # fmt: skip


def one_at_a_time(X: Any, y: Any, seconds: float) -> Iterator[Figure]:
    """Predict, then learn, from Python, with everything checked."""
    rows, labels = list(X), y.astype(int).tolist()
    named = [dict(enumerate(row)) for row in X]
    few = 200
    sk = SGDClassifier(loss="log_loss").partial_fit(X[:2], [0, 1], classes=[0, 1])

    def ours(key: str, **parameters: Any) -> Any:
        learner = ls.learner(key, **parameters).start(D, labels=(0, 1))

        def go() -> None:
            for row, label in zip(rows, labels, strict=True):
                learner.predict(row)
                learner.update(row, label)

        return go

    def river(model: Any) -> Any:
        def go() -> None:
            for row, label in zip(named, labels, strict=True):
                model.predict_one(row)
                model.learn_one(row, label)

        return go

    def partial_fit() -> None:
        for t in range(few):
            sk.predict(X[t : t + 1])
            sk.partial_fit(X[t : t + 1], labels[t : t + 1])

    entries = {
        "perceptron": ours("perceptron"),
        "logistic": ours("logistic"),
        "online-linear": ours("online-linear"),
        "river perceptron": river(linear_model.Perceptron()),
        "river logistic": river(linear_model.LogisticRegression()),
        "partial_fit": partial_fit,
    }
    best = race(entries, seconds)
    T = len(rows)
    for key in ("perceptron", "logistic"):
        name = f"{key}, one predict + update, d = {D}"
        yield Figure(name, best[key] / T, "s", "River", best[f"river {key}"] / T, 4.0, "faster")
        yield Figure(
            name,
            best[key] / T,
            "s",
            "predict + partial_fit",
            best["partial_fit"] / few,
            50.0,
            "faster",
        )
    yield Figure(f"online-linear, one predict + update, d = {D}", best["online-linear"] / T, "s",
                 "River logistic regression", best["river logistic"] / T, 1.0, "faster")  # fmt: skip
