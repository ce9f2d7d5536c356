"""Leave-one-out errors of linear smoothers without refitting: `ls.leave_one_out`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.validation import check_X_y

from ..core.errors import BadInput
from ..core.stream import Array
from .checked_rows import refuse_holes

ALONE = 1e-8  # 1 - h below this: the row alone decides a direction, and the formula would divide by rounding


@dataclass
class LeftOut:
    """What each row gets from a model that was fitted to all the others."""

    predictions: Array
    residuals: Array  # y less the predictions
    name: str
    refitted: int = 0  # so many rows made the formula 0/0: the model was fitted again without each

    @property
    def mse(self) -> float:
        """The mean of the squared residuals."""
        return float(np.mean(self.residuals**2))

    def __str__(self) -> str:
        how = (
            f", {self.refitted:,} of them by fitting again"
            if self.refitted
            else ", without fitting again"
        )
        rows = len(self.residuals)
        return (
            f"{self.name}: leave-one-out mean square error {self.mse:.6g} over {rows:,} rows{how}"
        )


def leave_one_out(model: Any, X: Any, y: Any) -> LeftOut:
    """The leave-one-out errors of least squares, ridge or kernel ridge, from one fit to all rows.

    model  scikit-learn's LinearRegression, Ridge or KernelRidge (fitted or not: only its parameters are used)

    The prediction of a linear smoother is H y. Without row i it errs there by `(y_i - (H y)_i) / (1 - H_ii)`; for
    kernel ridge that is `alpha_i / ((K + lambda)^-1)_ii`. Where H_ii = 1 the row alone decides its fit and the formula
    is 0/0: such rows are left out and fitted again.

    >>> from sklearn.linear_model import LinearRegression
    >>> found = leave_one_out(
    ...     LinearRegression(fit_intercept=False), [[1, 1], [2, 3], [2, 1]], [3, 7, 3]
    ... )
    >>> print(found)
    LinearRegression: leave-one-out mean square error 2.75 over 3 rows, without fitting again
    >>> found.residuals.round(9).tolist()
    [0.5, -2.0, -2.0]

    One fit instead of m. Ledger: A-LOO, T-LOO; A1.14, A2.4, A2.5, A2.21.
    """
    rules = {LinearRegression: least_squares, Ridge: ridge, KernelRidge: kernel_ridge}
    rule = rules.get(type(model))
    name = type(model).__name__
    if rule is None:
        known = ", ".join(c.__name__ for c in rules)
        more = (
            "; the steps before the last have seen the row that is left out"
            if hasattr(model, "steps")
            else ""
        )
        raise BadInput(
            f"leave_one_out: the model must be one of {known}, not {name}{more}: use sklearn's cross_val_predict"
        )
    if getattr(model, "positive", False):
        raise BadInput(
            f"leave_one_out: {name}(positive=True) is no linear function of y: use sklearn's cross_val_predict"
        )
    precomputed = getattr(model, "kernel", None) == "precomputed"
    refuse_holes(X, "leave_one_out")
    try:
        X, y = check_X_y(X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
    except ValueError as error:
        raise BadInput(f"leave_one_out: {error}") from None
    residuals, alone = rule(model, X, y)
    if (
        rule is ridge and penalty(model) == 0.0
    ):  # scikit-learn's Ridge(0) may fail; the limit is least squares
        model = LinearRegression(fit_intercept=model.fit_intercept)
    for i in np.flatnonzero(alone):
        rest = np.arange(len(y)) != i
        fitted = clone(model).fit(X[np.ix_(rest, rest)] if precomputed else X[rest], y[rest])
        residuals[i] = (
            y[i] - fitted.predict(X[i : i + 1][:, rest] if precomputed else X[i : i + 1])[0]
        )
    return LeftOut(y - residuals, residuals, name, int(alone.sum()))


def least_squares(model: Any, X: Array, y: Array) -> tuple[Array, Any]:
    """H projects onto the columns; directions that are 0 up to rounding do not count."""
    A = X - X.mean(axis=0) if model.fit_intercept else X
    U, s, _ = np.linalg.svd(A, full_matrices=False)
    U = U[:, s > len(y) * np.finfo(float).eps * max(s.max(initial=0.0), 1e-300)]
    return divided(U, np.ones(U.shape[1]), y, model.fit_intercept)


def ridge(model: Any, X: Array, y: Array) -> tuple[Array, Any]:
    """H shrinks each direction by s^2 / (s^2 + lambda); the intercept is not penalised."""
    lam = penalty(model)
    if lam == 0.0:
        return least_squares(model, X, y)
    A = X - X.mean(axis=0) if model.fit_intercept else X
    U, s, _ = np.linalg.svd(A, full_matrices=False)
    return divided(U, s**2 / (s**2 + lam), y, model.fit_intercept)


def divided(U: Array, shrunk: Array, y: Array, intercept: bool) -> tuple[Array, Any]:
    """(y - H y) / (1 - h) for H = U diag(shrunk) U', plus the mean where there is an intercept."""
    h = (U**2) @ shrunk
    fit = U @ (shrunk * (U.T @ y))
    if intercept:
        fit, h = fit + y.mean(), h + 1.0 / len(y)
    alone = 1.0 - h < ALONE
    return (y - fit) / np.where(alone, 1.0, 1.0 - h), alone


def kernel_ridge(model: Any, X: Array, y: Array) -> tuple[Array, Any]:
    """alpha_i / (K + lambda)^-1_ii."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    lam = penalty(model)
    K = X if model.kernel == "precomputed" else kernel_of(model, X)
    if K.shape != (len(y), len(y)):
        raise BadInput(
            f"leave_one_out: a precomputed kernel must be {len(y)} x {len(y)}, a row and a column a row of y"
        )
    try:
        factor = cho_factor(K + lam * np.eye(len(y)))
    except LinAlgError:
        raise BadInput(
            "leave_one_out: K + alpha I is not positive definite: choose alpha above 0, and a kernel that is one"
        ) from None
    G = cho_solve(factor, np.eye(len(y)))
    return (G @ y) / np.diag(G), np.zeros(len(y), bool)


def penalty(model: Any) -> float:
    lam = model.alpha
    if isinstance(lam, bool) or np.ndim(lam) != 0 or not 0.0 <= float(lam) < np.inf:
        raise BadInput(f"leave_one_out: alpha must be one number, 0 or more, not {lam!r}")
    return float(lam)


def kernel_of(model: Any, X: Array) -> Array:
    """The matrix that KernelRidge computes."""
    if callable(model.kernel):
        more = model.kernel_params or {}
    else:
        more = {"gamma": model.gamma, "degree": model.degree, "coef0": model.coef0}
    found: Array = pairwise_kernels(X, metric=model.kernel, filter_params=True, **more)
    return found
