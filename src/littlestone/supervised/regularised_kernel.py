"""Regularised learning with any of the usual losses in dual form, and a number that says how optimal it is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..core.errors import BadInput
from ..core.guarantee import Certificate, Guarantee, Symbols, Verdict, judge
from ..core.stream import Array
from ..kernels.functions.gram import gram
from ..kernels.functions.names import kernel_named, takes_strings
from .checked_rows import check_rows, two_classes
from .dual_losses import LOSSES, DualLoss, insensitive, own_loss

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

    loss     "square", "hinge", "squared hinge", "logistic", "exponential", "epsilon-insensitive" (with `epsilon`), or
             a convex loss of your own: (value, slope) or (value, slope, bend), functions of arrays y and f
    kernel   a kernel of `littlestone.kernels`, or its name
    alpha    lambda, above 0
    fit_intercept  add a number b to f that is not penalised
    labels   does a loss of your own take labels (as -1 and 1)? else numbers
    tol      how far the objective may be from its least value, relative to it: it ends when the dual proves that

    The minimiser is `f = sum_i alpha_i K(x_i, .)`; where V has a derivative, alpha_i = -V'(y_i, f(x_i)) / (2 lambda),
    with a minus sign that notes leave out (E-REPRESENTER). Smooth losses are solved by Newton's method; hinge and
    epsilon-insensitive one dual coordinate at a time, or with an intercept two, as then the alpha_i add up to 0.

    After `fit`: `dual_coef_`, `intercept_`, `objective_`, `dual_` (no f has an objective below it), `certificate`.

    >>> X, y = [[1, 1], [2, 3], [2, 1]], [3, 7, 3]
    >>> model = RegularisedKernel("square", "linear", alpha=1.0).fit(X, y)
    >>> (13 * model.dual_coef_).round(9).tolist()  # ridge: 7/13, 6/13, -4/13
    [7.0, 6.0, -4.0]
    >>> quartic = (lambda y, f: (y - f) ** 4, lambda y, f: 4 * (f - y) ** 3)
    >>> model = RegularisedKernel(quartic, "linear", alpha=0.01, fit_intercept=True).fit(X, y)
    >>> model.certificate.verdict, round(float(model.dual_coef_.sum()), 6) + 0.0
    ('kept', 0.0)

    O(m^3) a step for smooth losses. Ledger: A-REGULARISED, T-REPRESENTER; A2.22, A3.8, A3.15.
    """

    def __init__(
        self, loss: Any = "logistic", kernel: Any = "gaussian", alpha: float = 1.0, *, epsilon: float = 0.1,
        fit_intercept: bool = False, labels: bool = False, tol: float = 1e-6, steps: int = 10_000,
    ) -> None:  # fmt: skip
        self.loss = loss
        self.kernel = kernel
        self.alpha = alpha
        self.epsilon = epsilon
        self.fit_intercept = fit_intercept
        self.labels = labels
        self.tol = tol
        self.steps = steps

    def fit(self, X: Any, y: Any) -> RegularisedKernel:
        if isinstance(self.loss, str):
            self._named()  # refuses a name that is not one before the data are looked at
        kernel = kernel_named(self.kernel, "RegularisedKernel")
        for name, v in (("alpha", self.alpha), ("tol", self.tol)):
            if (
                not isinstance(v, (int, float, np.number))
                or isinstance(v, bool)
                or not 0.0 < v < np.inf
            ):
                raise BadInput(f"RegularisedKernel: {name} must be a number above 0, not {v!r}")
        X, y = self._rows(kernel, X, y)
        y = np.asarray(y, float)
        loss = (
            self._named()
            if isinstance(self.loss, str)
            else own_loss("RegularisedKernel", self.loss, self.labels, y)
        )
        K, lam, tol = gram(kernel, X), float(self.alpha), float(self.tol)
        p = Problem(loss, K, y, lam, float(self.epsilon), bool(self.fit_intercept))
        if loss.bend is not None:
            a, b = newton(p, tol, int(self.steps))
        else:
            a, b = (pairs if p.bias else coordinates)(p, tol, int(self.steps))
        values = [dual(p, 2.0 * lam * a)] if loss.conjugate is not None else []
        values += [dual_at(p, K @ a + b)] if loss.bend is not None else []
        self.dual_ = max(values)
        self.dual_coef_: Array = a
        self.intercept_ = b
        self.X_fit_ = X
        self.objective_ = primal(p, a, b)
        return self

    def _rows(self, kernel: Any, X: Any, y: Any) -> tuple[Any, Any]:
        """The rows as they are kept, and the outcomes: labels as -1 and 1."""
        labels = self._takes_labels()
        if takes_strings(kernel):
            X, y = list(X), np.asarray(y)
            if len(X) != len(y) or not len(X):
                raise BadInput(f"RegularisedKernel: X has {len(X)} strings and y {len(y)} entries")
        else:
            X, y = check_rows(self, X, y, first=True, y_numeric=not labels)
        if labels:
            self.classes_, y = two_classes(y, "RegularisedKernel")
        return X, y

    def _takes_labels(self) -> bool:
        return self._named().labels if isinstance(self.loss, str) else bool(self.labels)

    def _named(self) -> DualLoss:
        if self.loss == "epsilon-insensitive":
            if not 0.0 <= float(self.epsilon) < np.inf:
                raise BadInput(
                    f"RegularisedKernel: epsilon must be 0 or more, not {self.epsilon!r}"
                )
            return insensitive(float(self.epsilon))
        if self.loss not in LOSSES:
            raise BadInput(
                f"RegularisedKernel: loss must be one of {', '.join(NAMES)}, or functions of your own, "
                f"not {self.loss!r}"
            )
        return LOSSES[self.loss]

    def decision_function(self, X: Any) -> Array:
        """f(x) of each row, with the intercept."""
        check_is_fitted(self)
        kernel = kernel_named(self.kernel)
        rows = list(X) if takes_strings(kernel) else check_rows(self, X)
        found: Array = gram(kernel, rows, self.X_fit_) @ self.dual_coef_ + self.intercept_
        return found

    def predict(self, X: Any) -> Any:
        """f(x), or its label: the second class where f(x) >= 0."""
        check_is_fitted(self)
        f = self.decision_function(X)
        return self.classes_[(f >= 0.0).astype(int)] if self._takes_labels() else f

    def score(self, X: Any, y: Any) -> float:
        """The share of right labels, or for numbers the R² of the predictions."""
        from sklearn.metrics import accuracy_score, r2_score

        rule = accuracy_score if self._takes_labels() else r2_score
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


class Problem(NamedTuple):
    """What is minimised: sum_i V(y_i, f_i + b) + lambda a' K a with f = K a; b = 0 without a bias."""

    loss: DualLoss
    K: Array
    y: Array
    lam: float
    epsilon: float
    bias: bool


def primal(p: Problem, a: Array, b: float = 0.0) -> float:
    f = p.K @ a
    return float(p.loss.value(p.y, f + b).sum() + p.lam * a @ f)


def dual(p: Problem, u: Array) -> float:
    """The dual value at u, moved into its range where it is outside; with a bias, where the u add up to 0."""
    assert p.loss.conjugate is not None
    u = p.y * np.clip(p.y * u, *p.loss.box) if p.loss.labels else np.clip(u, *p.loss.box)
    if p.bias:
        u = u * balance(u)
    return float(p.loss.conjugate(u, p.y).sum() - u @ p.K @ u / (4.0 * p.lam))


def dual_at(p: Problem, f: Array) -> float:
    """The dual value at the u that belong to the scores f.

    There the conjugate is V + u f. A c in [0, 1] that makes the u add up to 0 leaves at least c (V + u f), since
    conjugates are concave, and that of 0 is not below 0.
    """
    u = -p.loss.slope(p.y, f)
    if p.loss.conjugate is not None:
        return dual(p, u)
    c = balance(u) if p.bias else np.ones(len(u))
    each = p.loss.value(p.y, f) + u * f
    return float((c * each).sum() - (c * u) @ p.K @ (c * u) / (4.0 * p.lam))


def balance(u: Array) -> Array:
    """Factors in [0, 1] with which the u add up to 0: those of the sign that weighs more are made smaller."""
    up, down = float(u[u > 0].sum()), float(-u[u < 0].sum())
    return np.where(u > 0, min(1.0, down / up) if up > 0 else 1.0,
                    min(1.0, up / down) if down > 0 else 1.0)  # fmt: skip


def newton(p: Problem, tol: float, steps: int) -> tuple[Array, float]:
    """Solve V'(K a + b) + 2 lambda a = 0 and sum V' = 0; a step is halved until the objective falls."""
    assert p.loss.bend is not None
    m, K, y, lam = len(p.y), p.K, p.y, p.lam
    a, b = np.zeros(m), 0.0
    value = primal(p, a, b)
    for _ in range(steps):
        f = K @ a + b
        low = dual_at(p, f)
        if value - low <= 0.1 * tol * abs(low):
            break
        slope, bend = p.loss.slope(y, f), p.loss.bend(y, f)
        system = bend[:, None] * K + 2.0 * lam * np.eye(m)
        g = slope + 2.0 * lam * a
        if p.bias:
            corner = max(float(bend.sum()), 1e-9)
            system = np.block([[system, bend[:, None]], [bend[None, :] @ K, np.array([[corner]])]])
            g = np.append(g, slope.sum())
        step = np.linalg.solve(system, g)
        more = float(step[m]) if p.bias else 0.0
        size = 1.0
        while size > 1e-12:
            new, other = a - size * step[:m], b - size * more
            found = primal(p, new, other)
            if found <= value:
                break
            size /= 2.0
        if size <= 1e-12:
            break
        moved = value - found
        a, b, value = new, other, found
        if moved <= 1e-15 * abs(value):
            break
    # the point is stationary, and inside the range of the dual
    polished: Array = -p.loss.slope(y, K @ a + b) / (2.0 * lam)
    return (polished, b) if primal(p, polished, b) <= value * (1.0 + tol / 10.0) else (a, b)


def coordinates(p: Problem, tol: float, sweeps: int) -> tuple[Array, float]:
    """Raise the dual one coordinate at a time, exactly: hinge and epsilon-insensitive are clipped parabolas."""
    K, y, lam, epsilon = p.K, p.y, p.lam, p.epsilon
    u, f = np.zeros(len(y)), np.zeros(len(y))
    for sweep in range(sweeps):
        for i in range(len(y)):
            k = K[i, i] / (2.0 * lam)
            if k <= 0.0:
                new = y[i] if p.loss.labels else 0.0 if abs(y[i]) <= epsilon else np.sign(y[i])
            elif p.loss.labels:
                new = y[i] * min(max(y[i] * u[i] + (1.0 - y[i] * f[i]) / k, 0.0), 1.0)
            else:
                v = u[i] + (y[i] - f[i]) / k
                new = min(max(np.sign(v) * max(abs(v) - epsilon / k, 0.0), -1.0), 1.0)
            if new != u[i]:
                f += (new - u[i]) / (2.0 * lam) * K[:, i]
                u[i] = new
        if sweep % 8 == 7:
            low = dual(p, u)
            if primal(p, u / (2.0 * lam)) - low <= 0.5 * tol * abs(low):
                break
    return u / (2.0 * lam), 0.0


def pairs(p: Problem, tol: float, sweeps: int) -> tuple[Array, float]:
    """Raise the dual two coordinates at a time, one up and one down: those that gain most, up to the next corner.

    Between corners the dual is a parabola; a corner is an end of the range, or 0 for the epsilon-insensitive loss.
    """
    K, y, m = p.K, p.y, len(p.y)
    low = np.minimum(y, 0.0) if p.loss.labels else np.full(m, -1.0)
    high = np.maximum(y, 0.0) if p.loss.labels else np.ones(m)
    epsilon = 0.0 if p.loss.labels else p.epsilon
    u, f, b = np.zeros(m), np.zeros(m), 0.0
    for step in range(sweeps * max(1, m)):
        up = np.where(u < high, y - np.where(u >= 0.0, epsilon, -epsilon) - f, -np.inf)
        down = np.where(u > low, y - np.where(u > 0.0, epsilon, -epsilon) - f, np.inf)
        i, j = int(np.argmax(up)), int(np.argmin(down))
        b, gain = 0.5 * (up[i] + down[j]), up[i] - down[j]
        if gain <= 1e-15 * (1.0 + abs(b)):
            break
        if step % m == 0:
            least = dual(p, u)
            if primal(p, u / (2.0 * p.lam), b) - least <= 0.5 * tol * abs(least):
                break
        bend = (K[i, i] + K[j, j] - 2.0 * K[i, j]) / (2.0 * p.lam)
        ends = [high[i] - u[i], u[j] - low[j]]
        ends += [-u[i]] if u[i] < 0.0 < epsilon else []
        ends += [u[j]] if u[j] > 0.0 and epsilon > 0.0 else []
        t = min([*ends, gain / bend]) if bend > 0.0 else min(ends)
        u[i], u[j] = u[i] + t, u[j] - t
        f += t / (2.0 * p.lam) * (K[:, i] - K[:, j])
    return u / (2.0 * p.lam), float(b)
