"""Nearest neighbours with ever more rows; lecture 1 (X-CONSISTENCY)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .experiment import Curve, Experiment, at_least

Chance = Callable[[Any], Any]


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
