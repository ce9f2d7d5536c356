"""Support vector machines: is it optimal, the nearest points of two hulls, C by leave-one-out; lecture 3."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.core.stream import Array

from ..svm_by_hand import dual_steps, kernel_and_signs


class Violation(NamedTuple):
    """A row that breaks a condition, and by how much."""

    row: int
    condition: str
    by: float


class Optimality(NamedTuple):
    """What the conditions of optimality leave: violations, the duality gap, and the bias they were read with."""

    violations: tuple[Violation, ...]
    gap: float
    offset: float
    objective: float

    @property
    def optimal(self) -> bool:
        return not self.violations

    def __str__(self) -> str:
        head = f"{'optimal' if self.optimal else 'not optimal'}: dual value {self.objective:.6g}, gap {self.gap:.6g}"
        return "\n".join(
            [head, *(f"  row {v.row}: {v.condition}, by {v.by:.6g}" for v in self.violations)]
        )


def svm_kkt(
    K: Any, y: Any, alphas: Any, C: float = math.inf, *, tolerance: float = 1e-6
) -> Optimality:
    """Check dual coefficients of an SVM: alpha in [0, C], sum alpha y = 0, and each row's condition (T-SVM-CASES).

    The bias is the one with the least slack. `row` is -1 for the condition on the sum.

    >>> print(svm_kkt([[1.0, -1.0], [-1.0, 1.0]], [-1, 1], [0.5, 0.5]))
    optimal: dual value 0.5, gap 0
    """
    K, y = kernel_and_signs(K, y, "svm_kkt")
    a = np.asarray(alphas, float)
    if a.shape != y.shape or not np.isfinite(a).all():
        raise BadInput(f"svm_kkt: alphas are {len(y)} numbers, one a row, not of shape {a.shape}")
    if not C > 0:
        raise BadInput(f"svm_kkt: C must be more than 0, not {C:g}")
    g = K @ (a * y)
    norm2, scale = float((a * y) @ g), tolerance * (1.0 + float(np.abs(a).max()))
    b = offset_of_least_slack(g, y)
    margins = y * (g + b)
    slack = float(np.maximum(1.0 - margins, 0.0).sum())
    found = []
    if abs(a @ y) > scale:
        found.append(Violation(-1, "sum alpha y = 0", float(abs(a @ y))))
    for i, (v, margin) in enumerate(zip(a.tolist(), margins.tolist(), strict=True)):
        if v < -scale or v > C + scale:
            found.append(Violation(i, f"0 <= alpha <= {C:g}", max(-v, v - C)))
        if v < C - scale and margin < 1.0 - tolerance:
            found.append(Violation(i, "y f >= 1 where alpha < C", 1.0 - margin))
        if v > scale and margin > 1.0 + tolerance:
            found.append(Violation(i, "y f <= 1 where alpha > 0", margin - 1.0))
    value = float(a.sum()) - norm2 / 2.0
    if math.isinf(C):
        gap = norm2 / 2.0 - value if slack <= tolerance else math.inf
    else:
        gap = norm2 / 2.0 + C * slack - value
    return Optimality(tuple(found), 0.0 if abs(gap) < scale else gap, b, value)


def offset_of_least_slack(g: Array, y: Array) -> float:
    """The bias with the least sum of slacks; the middle, where an interval has it."""
    ends = np.sort(y - g)
    slack = np.array([np.maximum(1.0 - y * (g + b), 0.0).sum() for b in ends])
    least = ends[slack <= slack.min() + 1e-9]
    return float((least[0] + least[-1]) / 2.0)


class Hulls(NamedTuple):
    """The nearest points of the convex hulls of two classes, their weights, and their distance."""

    plus: Array
    minus: Array
    weights: Array
    distance: float


def nearest_hull_points(X: Any, y: Any) -> Hulls:
    """The nearest points of two convex hulls: 2 / |w| apart for the hard margin (T-SVM-MARGIN).

    >>> found = nearest_hull_points([[0.0, 0.0], [2.0, 1.0], [2.0, -1.0]], [-1, 1, 1])
    >>> found.plus.round(6).tolist(), round(found.distance, 6)
    ([2.0, 0.0], 2.0)
    """
    X = np.asarray(X, float)
    if X.ndim != 2 or not np.isfinite(X).all():
        raise BadInput("nearest_hull_points: X is a matrix of numbers, a row a point")
    K, signs = kernel_and_signs(X @ X.T, y, "nearest_hull_points")
    if not separable(X, signs):
        raise BadInput("nearest_hull_points: no line separates the classes, so their hulls meet")
    bound = 1e6 / max(float(np.abs(K).max()), 1e-300)
    a = dual_steps(K, signs, bound, 1e-9).alphas
    weights = a / a[signs > 0].sum()
    plus, minus = weights[signs > 0] @ X[signs > 0], weights[signs < 0] @ X[signs < 0]
    w, small = plus - minus, 1e-6 * float((plus - minus) @ (plus - minus))
    beyond = np.where(signs > 0, (X - plus) @ w, (minus - X) @ w)
    if (beyond < -small).any():
        raise BadInput(
            "nearest_hull_points: the classes are too close for double precision; scale X"
        )
    return Hulls(plus, minus, weights, float(np.linalg.norm(w)))


def separable(X: Array, y: Array) -> bool:
    """Does a plane separate the classes? A linear program: y (w.x + b) >= 1."""
    from scipy.optimize import linprog

    rows = -y[:, None] * np.column_stack([X, np.ones(len(X))])
    found = linprog(np.zeros(rows.shape[1]), rows, -np.ones(len(X)), bounds=(None, None))
    return bool(found.status == 0)


class ChosenC(NamedTuple):
    """Leave-one-out errors for each C, and the one with the fewest; the smallest of several."""

    C: float
    grid: tuple[float, ...]
    errors: tuple[int, ...]
    support: tuple[int, ...]

    def __str__(self) -> str:
        each = zip(self.grid, self.errors, self.support, strict=True)
        lines = [f"C = {c:g}: {e} leave-one-out errors, {s} support vectors" for c, e, s in each]
        return "\n".join([*lines, f"chosen: C = {self.C:g}"])


def choose_c(
    X: Any, y: Any, grid: Sequence[float] = (0.01, 0.1, 1.0, 10.0), *, kernel: str = "linear"
) -> ChosenC:
    """C by leave-one-out: a fit for each C and support vector, since other rows cannot be missed (T-SVM-LOO).

    >>> choose_c([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1], [0.1, 1.0]).errors
    (4, 0)
    """
    from sklearn.svm import SVC

    from littlestone.supervised.svm_report import svm_report

    if not len(grid):
        raise BadInput("choose_c: grid has no C")
    errors, support = [], []
    for c in grid:
        model = SVC(kernel=kernel, C=c, tol=1e-8).fit(X, y)
        found = svm_report(model, X, y, leave_out=True)
        errors.append(int(found.left_out or 0))
        support.append(int(found.support))
    return ChosenC(
        float(grid[int(np.argmin(errors))]), tuple(map(float, grid)), tuple(errors), tuple(support)
    )


class MarginBound(NamedTuple):
    """The margin at which the limit is least, the share of rows below it, and the limit of the error."""

    theta: float
    share: float
    limit: float
    delta: float
    rows: int

    def __str__(self) -> str:
        return (
            f"{self.share:.4f} of {self.rows:,} rows have a margin below {self.theta:.4g}: "
            f"error <= {min(1.0, self.limit):.4f} with probability {1 - self.delta:g}"
        )


def margin_bound(
    margins: Any, *, radius: float, norm: float, delta: float = 0.05, halvings: int = 20
) -> MarginBound:
    """The margin bound with its constants, for f(x) = w.x with |w| <= norm and |x| <= radius, fixed beforehand.

    With probability 1 - delta, for all w and every theta = radius norm / 2^j, j < halvings:

        error <= share of rows with y f(x) < theta
                 + 2 radius norm / (theta sqrt(m)) + sqrt(ln(halvings / delta) / (2 m))

    Koltchinskii and Panchenko 2002; Mohri, Rostamizadeh and Talwalkar 2018, theorem 5.8, for each theta at
    delta / halvings.

    margins  y f(x) of the training rows

    >>> print(margin_bound([1.0] * 10_000, radius=1.0, norm=1.0))
    0.0000 of 10,000 rows have a margin below 1: error <= 0.0373 with probability 0.95
    """
    v = np.asarray(margins, float)
    if v.ndim != 1 or not len(v) or not np.isfinite(v).all():
        raise BadInput("margin_bound: margins are numbers, one a row")
    if not (radius > 0 and norm > 0 and 0 < delta < 1 and halvings >= 1):
        raise BadInput(
            "margin_bound: radius and norm are more than 0, delta is between 0 and 1, halvings at least 1"
        )
    m = len(v)
    best = None
    for theta in radius * norm / 2.0 ** np.arange(halvings):
        share = float(np.mean(v < theta))
        rest = 2.0 * radius * norm / (theta * math.sqrt(m)) + math.sqrt(
            math.log(halvings / delta) / (2.0 * m)
        )
        if best is None or share + rest < best.limit:
            best = MarginBound(float(theta), share, share + rest, delta, m)
    assert best is not None
    return best
