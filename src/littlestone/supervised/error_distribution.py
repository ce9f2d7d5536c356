"""How much the error of a model depends on which rows it was given: mean and tail over many training sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_X_y

from ..core.errors import BadInput
from ..core.intervals import confidence
from ..core.stream import Array
from .checked_rows import refuse_holes, whole

TRIES = 1000  # after so many draws that lack a class an error is raised


@dataclass
class ErrorDistribution:
    """Test errors of a model fitted to many random training sets; `errors` has a row a size."""

    sizes: tuple[int, ...]
    errors: Array  # (sizes, draws)
    name: str
    test: int  # rows of the test set

    def quantile(self, q: float) -> Array:
        """The share q of the draws has at most this error, for each size."""
        return np.quantile(self.errors, q, axis=1, method="inverted_cdf")

    def limit(self, q: float = 0.95, delta: float = 0.05) -> Array:
        """With probability 1 - delta, at least a share q of all training sets of a size has at most this error.

        The r-th smallest of N errors, for the least r with P(Bin(N, q) >= r) <= delta; exact for any distribution, and
        1 where N draws are too few. It is about the test rows of this split.
        """
        from scipy.stats import binom

        delta = confidence(delta)
        if not 0.0 < q < 1.0:
            raise BadInput(f"limit: q must be between 0 and 1, not {q!r}")
        N = self.errors.shape[1]
        r = int(binom.ppf(1.0 - delta, N, q)) + 1
        found: Array = (
            np.sort(self.errors, axis=1)[:, r - 1] if r <= N else np.ones(len(self.sizes))
        )
        return found

    def __str__(self) -> str:
        lines = [
            f"{self.name}: {self.errors.shape[1]:,} training sets a size, {self.test:,} test rows",
            f"  {'rows':>6} {'mean':>7} {'95%':>7} {'99%':>7} {'most':>7} {'limit':>7}",
        ]
        columns = [self.errors.mean(axis=1), self.quantile(0.95), self.quantile(0.99), self.errors.max(axis=1),
                   self.limit()]  # fmt: skip
        for k, size in enumerate(self.sizes):
            lines.append(f"  {size:6d} " + " ".join(f"{c[k]:7.3f}" for c in columns))
        return "\n".join(lines)

    def plot(self) -> Any:
        """The share of the training sets over the error, a line a size (matplotlib)."""
        from .pictures import panels

        picture, (axes,) = panels(1)
        share = np.arange(1, self.errors.shape[1] + 1) / self.errors.shape[1]
        for size, errors in zip(self.sizes, self.errors, strict=True):
            axes.step(np.sort(errors), share, where="post", label=f"{size} rows")
        axes.set_xlabel("test error")
        axes.set_ylabel("share of the training sets")
        axes.legend(fontsize=8)
        return picture


def error_distribution(
    model: Any,
    X: Any,
    y: Any,
    sizes: Sequence[int],
    *,
    draws: int = 1000,
    test: float = 0.5,
    seed: Any = 0,
) -> ErrorDistribution:
    """Fit a model to many random training sets of each size, and test all of them on the same rows.

    test   the share of the rows that is set aside first, for testing
    draws  training sets a size, drawn without replacement from the other rows; a draw that lacks a class is drawn again

    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(200, 2)), np.repeat([0, 1], 100)
    >>> X[100:] += 1.5
    >>> from sklearn.neighbors import NearestCentroid
    >>> print(error_distribution(NearestCentroid(), X, y, [50, 5], draws=200))
    NearestCentroid: 200 training sets a size, 100 test rows
        rows    mean     95%     99%    most   limit
          50   0.141   0.160   0.180   0.190   0.170
           5   0.223   0.380   0.760   0.790   0.530

    The mean moves little with the size, the tail a lot. Ledger: A-ERROR-DISTRIBUTION; A7.4.
    """
    refuse_holes(X, "error_distribution")
    try:
        X, y = check_X_y(X, y, dtype=np.float64)
    except ValueError as error:
        raise BadInput(f"error_distribution: {error}") from None
    draws = whole("error_distribution: draws", draws)
    if not 0.0 < test < 1.0:
        raise BadInput(f"error_distribution: test must be a share between 0 and 1, not {test!r}")
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(y))
    held, pool = np.split(order, [max(1, round(test * len(y)))])
    many = len(np.unique(y[pool]))
    for size in sizes:
        if not many <= whole("error_distribution: a size", size) <= len(pool):
            raise BadInput(
                f"error_distribution: a size must be from {many}, a row a class, to {len(pool)}, the rows that are "
                f"not held out, not {size}"
            )
    found = np.zeros((len(sizes), draws))
    for k, size in enumerate(sizes):
        for d in range(draws):
            rows = with_every_class(rng, pool, y, int(size), many)
            found[k, d] = np.mean(clone(model).fit(X[rows], y[rows]).predict(X[held]) != y[held])
    return ErrorDistribution(tuple(int(s) for s in sizes), found, type(model).__name__, len(held))


def with_every_class(rng: Any, pool: Any, y: Any, size: int, classes: int) -> Any:
    """Draw `size` rows of the pool, again until every class is among them."""
    for _ in range(TRIES):
        rows = rng.choice(pool, size, replace=False)
        if len(np.unique(y[rows])) == classes:
            return rows
    values, counts = np.unique(y[pool], return_counts=True)
    rare = values[counts.argmin()]
    raise BadInput(
        f"error_distribution: {TRIES:,} draws of {size} rows had no row of each class: class {rare} has {counts.min()} "
        f"of {len(pool)}. Take more rows, or leave the class out"
    )
