"""Support vectors bound the error, and bootstrap samples have 63% of the rows; lectures 3 and 4 (X-SUPPORT)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .experiment import Curve, Experiment, at_least

Sample = Callable[[Any, int], tuple[Any, Any]]


def with_margin(rng: Any, m: int) -> tuple[Any, Any]:
    """Normal rows of five features with |x_1| > .1, and the sign of x_1; both labels are there."""
    while True:
        X = rng.normal(size=(4 * m + 20, 5))
        X = X[np.abs(X[:, 0]) > 0.1][:m]
        y = np.where(X[:, 0] > 0, 1, -1)
        if len(X) == m and len(np.unique(y)) == 2:
            return X, y


def support_vector_errors(
    sample: Sample = with_margin,
    *,
    sizes: Sequence[int] = (10, 20, 40),
    draws: int = 400,
    kernel: str = "linear",
    C: float = 1e8,
    test: int = 2000,
    seed: int = 0,
) -> Experiment:
    """E[error after m - 1 rows] <= E[support vectors of m rows] / m, whatever is drawn (T-SVM-LOO).

    sample  a function of a generator and a number of rows that draws them, with both labels

    >>> run = support_vector_errors(sizes=(10,), draws=20)
    >>> run.value("m = 10, error after 9 rows") <= run.value("m = 10, support vectors / m")
    True
    """
    from sklearn.svm import SVC

    at_least("draws", draws, 1)
    at_least("the smallest size", min(sizes), 3)
    rng = np.random.default_rng(seed)
    run = Experiment(f"support vectors bound the expected error, {draws} draws", "m", "share")
    errors, shares = [], []
    for m in sizes:
        at, truth = sample(rng, test)
        wrong, vectors = [], []
        for _ in range(draws):
            vectors.append(SVC(kernel=kernel, C=C).fit(*sample(rng, m)).n_support_.sum() / m)
            wrong.append(1.0 - SVC(kernel=kernel, C=C).fit(*sample(rng, m - 1)).score(at, truth))
        errors.append(run.add(f"m = {m}, error after {m - 1} rows", wrong))
        shares.append(run.add(f"m = {m}, support vectors / m", vectors))
    run.curves = [Curve("error after m - 1 rows", list(sizes), errors),
                  Curve("support vectors / m", list(sizes), shares)]  # fmt: skip
    return run


def bootstrap_share(
    *, sizes: Sequence[int] = (1, 2, 5, 20, 100, 1000), draws: int = 2000, seed: int = 0
) -> Experiment:
    """The share of m rows that a bootstrap sample has: 1 - (1 - 1/m)^m on average, in the end 63% (T-BOOTSTRAP).

    >>> round(bootstrap_share(sizes=(2,), draws=10).value("m = 2, exactly"), 4)
    0.75
    """
    at_least("draws", draws, 1)
    rng, run = (
        np.random.default_rng(seed),
        Experiment("rows in a bootstrap sample", "m", "share", "x"),
    )
    exact, drawn = [], []
    for m in sizes:
        at_least("a size", m, 1)
        shares = [len(np.unique(rng.integers(0, m, m))) / m for _ in range(draws)]
        drawn.append(run.add(f"m = {m}, {draws} samples", shares))
        exact.append(run.add(f"m = {m}, exactly", 1.0 - (1.0 - 1.0 / m) ** m))
    run.curves = [Curve("drawn", list(sizes), drawn), Curve("exactly", list(sizes), exact)]
    return run
