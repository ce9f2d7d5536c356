"""Regularised learning with any of the usual losses in dual form, and a number that says how optimal it is."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..core.errors import BadInput
from ..core.guarantee import Certificate, Guarantee, Symbols, Verdict, judge
from ..core.stream import Array
from ..kernels.functions.gram import gram
from ..kernels.functions.names import kernel_named, takes_strings
from .checked_rows import checked, two_classes
from .dual_losses import LOSSES, DualLoss, insensitive

NAMES = (*LOSSES, "epsilon-insensitive")
OPTIMAL = Guarantee(
    "T-REPRESENTER", "the representer theorem, solved",
    "sum_i V(y_i, f(x_i)) + lambda |f|^2, lambda > 0, has its least value at some f = sum_i alpha_i K(x_i, .); the "
    "value found is at most the dual value plus tol",
    "Kimeldorf & Wahba 1970; Schölkopf, Herbrich & Smola 2001; lectures on supervised learning, 2",
    lambda s: s.optimum, against="none", measures="objective", uses=("objective", "optimum"),
)  # fmt: skip


class RegularisedKernel(BaseEstimator):  # type: ignore[misc]
    """Minimise `sum_i V(y_i, f(x_i)) + lambda |f|^2` over the functions of a kernel.

    loss     "square", "hinge", "squared hinge", "logistic", "exponential", or "epsilon-insensitive" (with `epsilon`)
    kernel   a kernel of `littlestone.kernels`, or its name
    alpha    lambda, above 0; no intercept
    tol      how far the objective may be from its least value, relative to it: it ends when the dual proves that

    The minimiser is `f = sum_i alpha_i K(x_i, .)`; where V has a derivative, alpha_i = -V'(y_i, f(x_i)) / (2 lambda),
    with a minus sign that notes leave out (E-REPRESENTER). Smooth losses are solved by Newton's method, others one
    dual coordinate at a time.

    After `fit`: `dual_coef_`, `objective_`, `dual_` (no f has an objective below it), `certificate`.

    >>> X, y = [[1, 1], [2, 3], [2, 1]], [3, 7, 3]
    >>> model = RegularisedKernel("square", "linear", alpha=1.0).fit(X, y)
    >>> (13 * model.dual_coef_).round(9).tolist()  # ridge: 7/13, 6/13, -4/13
    [7.0, 6.0, -4.0]

    O(m^3) a step for smooth losses. Ledger: A-REGULARISED, T-REPRESENTER; A2.22, A3.8, A3.15.
    """

    def __init__(
        self, loss: str = "logistic", kernel: Any = "gaussian", alpha: float = 1.0, *, epsilon: float = 0.1,
        tol: float = 1e-6, steps: int = 10_000,
    ) -> None:  # fmt: skip
        self.loss = loss
        self.kernel = kernel
        self.alpha = alpha
        self.epsilon = epsilon
        self.tol = tol
        self.steps = steps

    def fit(self, X: Any, y: Any) -> RegularisedKernel:
        loss, kernel = self._loss(), kernel_named(self.kernel, "RegularisedKernel")
        for name, v in (("alpha", self.alpha), ("tol", self.tol)):
            if (
                not isinstance(v, (int, float, np.number))
                or isinstance(v, bool)
                or not 0.0 < v < np.inf
            ):
                raise BadInput(f"RegularisedKernel: {name} must be a number above 0, not {v!r}")
        if takes_strings(kernel):
            X, y = list(X), np.asarray(y)
            if len(X) != len(y) or not len(X):
                raise BadInput(f"RegularisedKernel: X has {len(X)} strings and y {len(y)} entries")
        else:
            X, y = checked(self, X, y, first=True, y_numeric=not loss.labels)
        if loss.labels:
            self.classes_, y = two_classes(y, "RegularisedKernel")
        K = gram(kernel, X)
        y, lam = np.asarray(y, float), float(self.alpha)
        if loss.bend is not None:
            a = newton(loss, K, y, lam, float(self.tol), int(self.steps))
        else:
            a = coordinates(loss, K, y, lam, float(self.tol), int(self.steps), float(self.epsilon))
        self.dual_coef_: Array = a
        self.X_fit_ = X
        self.objective_ = primal(loss, K, y, lam, a)
        self.dual_ = dual(loss, K, y, lam, a)
        return self

    def _loss(self) -> DualLoss:
        if self.loss == "epsilon-insensitive":
            if not 0.0 <= float(self.epsilon) < np.inf:
                raise BadInput(
                    f"RegularisedKernel: epsilon must be 0 or more, not {self.epsilon!r}"
                )
            return insensitive(float(self.epsilon))
        if self.loss not in LOSSES:
            raise BadInput(
                f"RegularisedKernel: loss must be one of {', '.join(NAMES)}, not {self.loss!r}"
            )
        return LOSSES[self.loss]

    def decision_function(self, X: Any) -> Array:
        """f(x) of each row."""
        check_is_fitted(self)
        kernel = kernel_named(self.kernel)
        rows = list(X) if takes_strings(kernel) else checked(self, X)
        found: Array = gram(kernel, rows, self.X_fit_) @ self.dual_coef_
        return found

    def predict(self, X: Any) -> Any:
        """f(x), or its label: the second class where f(x) >= 0."""
        check_is_fitted(self)
        f = self.decision_function(X)
        return self.classes_[(f >= 0.0).astype(int)] if self._loss().labels else f

    def score(self, X: Any, y: Any) -> float:
        """The share of right labels, or for numbers the R² of the predictions."""
        from sklearn.metrics import accuracy_score, r2_score

        rule = accuracy_score if self._loss().labels else r2_score
        return float(rule(y, self.predict(X)))

    @property
    def gap(self) -> float:
        """The objective is at most this far above the least."""
        check_is_fitted(self)
        return self.objective_ - self.dual_

    @property
    def certificate(self) -> Certificate:
        """kept: the dual proves that the objective is the least, up to tol; unknown: it did not get there."""
        check_is_fitted(self)
        room = float(self.tol) * max(abs(self.dual_), 1e-300)
        if self.gap > room:
            why = (
                f"it stopped after {self.steps:,} steps, {self.gap:.3g} above what the dual proves"
            )
            return Certificate([Verdict(OPTIMAL, "unknown", why)])
        s = Symbols(objective=self.objective_, optimum=self.dual_ + room)
        return Certificate([judge(OPTIMAL, None, [s], self.objective_)])


def primal(loss: DualLoss, K: Array, y: Array, lam: float, a: Array) -> float:
    f = K @ a
    return float(loss.value(y, f).sum() + lam * a @ f)


def dual(loss: DualLoss, K: Array, y: Array, lam: float, a: Array) -> float:
    """The dual value at the u = 2 lambda a, moved into its range where it is outside."""
    u = 2.0 * lam * a
    u = y * np.clip(y * u, *loss.box) if loss.labels else np.clip(u, *loss.box)
    return float(loss.conjugate(u, y).sum() - u @ K @ u / (4.0 * lam))


def newton(loss: DualLoss, K: Array, y: Array, lam: float, tol: float, steps: int) -> Array:
    """Solve V'(K a) + 2 lambda a = 0; a step is halved until the objective falls."""
    assert loss.bend is not None
    a = np.zeros(len(y))
    value = primal(loss, K, y, lam, a)
    for _ in range(steps):
        low = dual(loss, K, y, lam, -loss.slope(y, K @ a) / (2.0 * lam))
        if value - low <= 0.1 * tol * abs(low):
            break
        f = K @ a
        g = loss.slope(y, f) + 2.0 * lam * a
        step = np.linalg.solve(loss.bend(y, f)[:, None] * K + 2.0 * lam * np.eye(len(y)), g)
        size = 1.0
        while size > 1e-12:
            new = a - size * step
            found = primal(loss, K, y, lam, new)
            if found <= value:
                break
            size /= 2.0
        if size <= 1e-12:
            break
        moved = value - found
        a, value = new, found
        if moved <= 1e-15 * abs(value):
            break
    polished: Array = -loss.slope(y, K @ a) / (
        2.0 * lam
    )  # the point is stationary, and inside the range of the dual
    return polished if primal(loss, K, y, lam, polished) <= value * (1.0 + tol / 10.0) else a


def coordinates(
    loss: DualLoss, K: Array, y: Array, lam: float, tol: float, sweeps: int, epsilon: float
) -> Array:
    """Raise the dual one coordinate at a time, exactly: hinge and epsilon-insensitive are clipped parabolas."""
    u, f = np.zeros(len(y)), np.zeros(len(y))
    for sweep in range(sweeps):
        for i in range(len(y)):
            k = K[i, i] / (2.0 * lam)
            if k <= 0.0:
                new = y[i] if loss.labels else 0.0 if abs(y[i]) <= epsilon else np.sign(y[i])
            elif loss.labels:
                new = y[i] * min(max(y[i] * u[i] + (1.0 - y[i] * f[i]) / k, 0.0), 1.0)
            else:
                v = u[i] + (y[i] - f[i]) / k
                new = min(max(np.sign(v) * max(abs(v) - epsilon / k, 0.0), -1.0), 1.0)
            if new != u[i]:
                f += (new - u[i]) / (2.0 * lam) * K[:, i]
                u[i] = new
        if sweep % 8 == 7:
            a = u / (2.0 * lam)
            if primal(loss, K, y, lam, a) - dual(loss, K, y, lam, a) <= 0.5 * tol * abs(
                dual(loss, K, y, lam, a)
            ):
                break
    return u / (2.0 * lam)
