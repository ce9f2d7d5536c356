"""A few labels on a graph of neighbours; lecture 6 (X-DIGITS-GRAPH)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import littlestone as ls
from littlestone.core.errors import BadInput

from .experiment import Curve, Experiment, at_least


def handwritten() -> tuple[Any, Any]:
    """Threes and eights of scikit-learn's digits."""
    from sklearn.datasets import load_digits

    data = load_digits()
    keep = np.isin(data.target, [3, 8])
    return data.data[keep], (data.target[keep] == 8).astype(int)


def few_labels(
    X: Any = None,
    y: Any = None,
    *,
    models: Mapping[str, Any] | None = None,
    labels: Sequence[int] = (1, 2, 4, 8, 16),
    k: int = 3,
    draws: int = 20,
    seed: int = 0,
) -> Experiment:
    """Errors on the rows without a label, with so many labels of each class; by default handwritten 3 and 8.

    models  classifiers of `ls` that `fit` a graph and labels, -1 where there is none
    """
    at_least("draws", draws, 1)
    if (X is None) != (y is None):
        raise BadInput("X and y go together: rows and their true labels, 0 and 1")
    rows, truth = handwritten() if X is None else (np.asarray(X, float), np.asarray(y, int))
    g = ls.graph(rows, "knn", k=k)
    chosen = models or {
        "harmonic": ls.HarmonicClassifier(normalise=None),
        "class mass": ls.HarmonicClassifier(),
        "minimum cut": ls.MinCutClassifier(),
    }
    run = Experiment(f"error with a few labels, {draws} draws", "labels a class", "error", "x")
    means: dict[str, list[float]] = {name: [] for name in chosen}
    for each in labels:
        given = [some_labels(truth, each, seed + s) for s in range(draws)]
        for name, model in chosen.items():
            wrong = [(model.fit(g, few).transduction_ != truth)[few == -1].mean() for few in given]
            means[name].append(run.add(f"{each} a class, {name}", wrong))
    run.curves = [Curve(name, list(labels), values) for name, values in means.items()]
    return run


def some_labels(truth: Any, each: int, seed: int) -> Any:
    """So many labels of each class, drawn; -1 elsewhere."""
    rng = np.random.default_rng(seed)
    few = np.full(len(truth), -1)
    for c in np.unique(truth):
        places = np.flatnonzero(truth == c)
        if len(places) < each:
            raise BadInput(f"labels: {each} of class {c} asked for, and it has {len(places)} rows")
        few[rng.choice(places, each, replace=False)] = c
    return few
