"""Nearest neighbours with ever more rows, and no free lunch for a classifier; lecture 1 (X-CONSISTENCY, X-NFL)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from littlestone.core.errors import BadInput

from .experiment import Curve, Experiment, at_least
from .fits import fresh

Chance = Callable[[Any], Any]
EXACT = 200_000  # fits of an exact enumeration


def first_coordinate(X: Any) -> Any:
    """P(y = 1 | x) = x_1: the best rule errs on a quarter."""
    return X[:, 0]


def knn_consistency(
    chance: Chance = first_coordinate,
    *,
    sizes: Sequence[int] = (100, 1000, 10_000),
    dimensions: Sequence[int] = (1,),
    draws: int = 20,
    test: int = 2000,
    seed: int = 0,
) -> Experiment:
    """Errors of 1, 3 and sqrt(m) neighbours on m rows, uniform in a cube; `chance` has P(y = 1) of each row.

    >>> run = knn_consistency(lambda X: np.full(len(X), 1.0), sizes=(50,), draws=2)
    >>> run.value("50 rows, 1 neighbour")
    0.0
    """
    from sklearn.neighbors import KNeighborsClassifier

    at_least("draws", draws, 1)
    rng = np.random.default_rng(seed)
    run = Experiment(f"nearest neighbours, {draws} draws, {test} test rows", "rows", "error", "x")
    for d in dimensions:
        more = f", {d} dimensions" if d > 1 else ""
        means: dict[str, list[float]] = {}
        for m in sizes:
            ks = {
                "1 neighbour": 1,
                "3 neighbours": 3,
                "sqrt(m) neighbours": int(np.ceil(np.sqrt(m))) | 1,
            }
            errors: dict[str, list[float]] = {name: [] for name in ks}
            for _ in range(draws):
                X, at = rng.random((m, d)), rng.random((test, d))
                y, truth = rng.random(m) < chance(X), rng.random(test) < chance(at)
                for name, k in ks.items():
                    model = KNeighborsClassifier(min(k, m)).fit(X, y)
                    errors[name].append(float(np.mean(model.predict(at) != truth)))
            for name, values in errors.items():
                means.setdefault(name, []).append(run.add(f"{m} rows, {name}{more}", values))
        run.curves += [Curve(name + more, list(sizes), values) for name, values in means.items()]
    return run


class Lunch(NamedTuple):
    """The labels of 2m points on which a classifier errs most, and what it errs on average over all labels."""

    labels: tuple[int, ...]
    worst: float
    average: float
    bound: float
    exact: bool

    def __str__(self) -> str:
        how = "over all labels and samples" if self.exact else "among those that were tried"
        return (
            f"labels {self.labels}: expected error {self.worst:.4f}, the largest {how}\n"
            f"average over labels {self.average:.4f}, at least {self.bound:.4f} for every learner"
        )


def no_free_lunch_for(model: Any, m: int = 2, *, tries: int = 200, seed: int = 0) -> Lunch:
    """The labels of 2m points on a line on which a classifier errs most after m draws (T-NFL).

    By enumeration where 4^m labels and (2m)^m samples allow it; else the worst of `tries` random labels, each with
    200 random samples: then `average` is an estimate.

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> no_free_lunch_for(KNeighborsClassifier(1), m=1).average
    0.25
    """
    at_least("m", m, 1)
    points, n = np.arange(2.0 * m)[:, None], 2 * m
    exact = 4.0**m * float(n) ** m <= EXACT
    rng = np.random.default_rng(seed)
    if exact:
        every = [tuple(v) for v in product((0, 1), repeat=n)]
        samples = [tuple(v) for v in product(range(n), repeat=m)]
    else:
        at_least("tries", tries, 1)
        every = [tuple(int(v) for v in rng.integers(0, 2, n)) for _ in range(tries)]
        samples = [tuple(int(v) for v in rng.integers(0, n, m)) for _ in range(200)]
    known: dict[tuple[tuple[int, int], ...], Any] = {}
    errors = []
    for labels in every:
        total = 0.0
        for sample in samples:
            seen = tuple((i, labels[i]) for i in sample)
            if seen not in known:
                known[seen] = answers(model, points, seen)
            total += float(np.mean(known[seen] != labels))
        errors.append(total / len(samples))
    worst = int(np.argmax(errors))
    return Lunch(every[worst], errors[worst], float(np.mean(errors)), 0.5 * (1 - 1 / n) ** m, exact)


def answers(model: Any, points: Any, seen: tuple[tuple[int, int], ...]) -> Any:
    """What the model says of all points after a sample; of one class only, that class."""
    rows, y = [i for i, _ in seen], [c for _, c in seen]
    if len(set(y)) == 1:
        return np.full(len(points), y[0])
    try:
        return np.asarray(fresh(model).fit(points[rows], y).predict(points))
    except ValueError as problem:
        raise BadInput(f"{model} cannot be fitted to {len(y)} rows: {problem}") from None
