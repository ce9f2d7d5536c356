"""Solve the dual of the SVM step by step: by pairs of variables, without a bias, and along a path of C."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from littlestone.core.errors import BadInput
from littlestone.core.stream import Array
from littlestone.kernels.functions.gram import gram
from littlestone.kernels.functions.names import kernel_named
from littlestone.supervised.checked_rows import check_rows, two_classes, whole


@dataclass
class DualSteps:
    """The dual coefficients, the bias, and the dual objective after each step."""

    alphas: Array
    offset: float
    objectives: Array  # Q = sum alpha - alpha' A alpha / 2; it never decreases
    pairs: list[tuple[int, int]]  # the working set of each step
    converged: bool


def dual_steps(K: Any, y: Any, C: float, tol: float = 1e-9, steps: int = 100_000) -> DualSteps:
    """Solve the soft-margin dual two variables at a time, the pair that violates the conditions most (A-SVM-PAIRS).

    max  sum_i a_i - 1/2 sum_ij a_i a_j y_i y_j K_ij,   0 <= a <= C,   sum_i y_i a_i = 0

    C = inf is the hard margin; where no plane separates the rows that has no solution: see HardMargin.

    The constraint ties the variables, so a working set needs a row that may move up and one that may move down: a
    single variable never moves, and two of one class at a = 0 do not either (E-SVM-STALL).

    >>> found = dual_steps([[1.0, -1.0], [-1.0, 1.0]], [-1, 1], C=10.0)
    >>> found.alphas.tolist(), found.offset, found.objectives.tolist()
    ([0.5, 0.5], 0.0, [0.0, 0.5])
    """
    K, s = kernel_and_signs(K, y, "dual_steps")
    if not C > 0.0:
        raise BadInput(f"dual_steps: C must be a number above 0, or inf, not {C!r}")
    a = np.zeros(len(s))
    G = -np.ones(len(s))  # the gradient of -Q
    values, pairs = [0.0], []
    done = False
    for _ in range(whole("dual_steps: steps", steps)):
        up, down = movable(a, s, C)
        score = -s * G
        i = int(np.argmax(np.where(up, score, -np.inf)))
        j = int(np.argmin(np.where(down, score, np.inf)))
        if not up.any() or not down.any() or score[i] - score[j] <= tol:
            done = True
            break
        curve = K[i, i] + K[j, j] - 2.0 * K[i, j]
        if curve <= 0.0 and np.isinf(C):
            raise BadInput(
                f"dual_steps: rows {i} and {j} are alike, with both labels: give a finite C"
            )
        step = move_pair(a, s, C, i, j, (score[i] - score[j]) / curve if curve > 0.0 else np.inf)
        G = G + s * step * (K[:, i] - K[:, j])
        values.append(float(a.sum() - 0.5 * (a * s) @ K @ (a * s)))
        pairs.append((i, j))
    score = -s * G
    up, down = movable(a, s, C)
    high, low = score[up].max(initial=-np.inf), score[down].min(initial=np.inf)
    b = float((high + low) / 2.0) + 0.0 if np.isfinite(high) and np.isfinite(low) else 0.0
    return DualSteps(a, b, np.array(values), pairs, done)


def movable(a: Array, s: Array, C: float) -> tuple[Any, Any]:
    """The rows whose s_i a_i may rise, and those whose may fall."""
    return ((s > 0) & (a < C)) | ((s < 0) & (a > 0)), ((s < 0) & (a < C)) | ((s > 0) & (a > 0))


def move_pair(a: Array, s: Array, C: float, i: int, j: int, step: float) -> float:
    """Move rows i and j by `step`, or as far as [0, C] allows, where they end exactly; how far that was."""
    room_i = C - a[i] if s[i] > 0 else a[i]
    room_j = a[j] if s[j] > 0 else C - a[j]
    step = min(step, room_i, room_j)
    a[i], a[j] = a[i] + s[i] * step, a[j] - s[j] * step
    if step == room_i:
        a[i] = C if s[i] > 0 else 0.0
    if step == room_j:
        a[j] = 0.0 if s[j] > 0 else C
    return step


class HardMargin(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The plane with the largest margin on both sides, with C = inf: no row may be inside it.

    kernel  a kernel of `littlestone.kernels`, or its name
    tol     how far a row may be from the conditions

    `fit` refuses rows that no plane separates; a linear programme finds that out before the dual is solved. After it:
    `dual_coef_` (with signs), `intercept_`, `support_`, `margin_` (1 / |w|), `classes_`.

    >>> model = HardMargin().fit([[0.0], [1.0], [3.0]], ["a", "a", "b"])
    >>> model.predict([[1.9], [2.1]]).tolist(), round(model.margin_, 9), model.support_.tolist()
    (['a', 'b'], 1.0, [1, 2])

    Ledger: A-SVM-PAIRS; A3.3.
    """

    def __init__(self, kernel: Any = "linear", tol: float = 1e-6, steps: int = 100_000) -> None:
        self.kernel = kernel
        self.tol = tol
        self.steps = steps

    def fit(self, X: Any, y: Any) -> HardMargin:
        kernel = kernel_named(self.kernel, "HardMargin")
        X, y = check_rows(self, X, y, first=True)
        self.classes_, s = two_classes(y, "HardMargin")
        K = gram(kernel, X)
        if not separable(K, s):
            raise BadInput(
                "HardMargin: no plane of this kernel separates the rows; take SVC with a finite C, or another kernel"
            )
        found = dual_steps(K, s, np.inf, self.tol, self.steps)
        if not found.converged:
            raise BadInput(
                f"HardMargin: {self.steps:,} steps are not enough: the margin is tiny; raise steps or tol"
            )
        self.X_fit_ = X
        self.dual_coef_ = found.alphas * s
        self.intercept_ = found.offset
        self.support_ = np.flatnonzero(found.alphas > 0.0)
        self.margin_ = 1.0 / float(np.sqrt(self.dual_coef_ @ K @ self.dual_coef_))
        return self

    def decision_function(self, X: Any) -> Array:
        """f(x) of each row: at least 1 in size on the rows that were fitted."""
        check_is_fitted(self)
        rows = check_rows(self, X)
        scores: Array = gram(kernel_named(self.kernel), rows, self.X_fit_) @ self.dual_coef_
        return scores + self.intercept_

    def predict(self, X: Any) -> Any:
        """The second class where f(x) >= 0."""
        return self.classes_[(self.decision_function(X) >= 0.0).astype(int)]


def separable(K: Array, s: Array) -> bool:
    """Is there a function of the kernel, with a number added, whose signs are the labels?

    >>> separable(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1.0, -1.0]))
    True
    >>> separable(np.ones((2, 2)), np.array([1.0, -1.0]))
    False
    """
    from scipy.optimize import linprog

    m = len(s)
    # the largest t <= 1 with y (K c + b) >= t, |c| and |b| bounded: above 0 just where a plane separates
    A = np.column_stack([-s[:, None] * K / max(float(np.abs(K).max()), 1e-300), -s, np.ones(m)])
    cost = np.r_[np.zeros(m + 1), -1.0]
    found = linprog(cost, A, np.zeros(m), bounds=[(-1e6, 1e6)] * (m + 1) + [(0.0, 1.0)])
    return bool(found.status == 0 and found.x is not None and float(found.x[-1]) > 1e-7)


def without_bias(
    K: Any, y: Any, C: float = np.inf, tol: float = 1e-9, sweeps: int = 20_000
) -> Array:
    """The dual of the SVM without a bias, one variable at a time: no equality ties them. At C = inf, |w|^2 = sum a.

    >>> without_bias([[1.0, 0.0], [0.0, 4.0]], [1, -1]).tolist()
    [1.0, 0.25]
    """
    K, s = kernel_and_signs(K, y, "without_bias")
    if not C > 0.0:
        raise BadInput(f"without_bias: C must be a number above 0, not {C!r}")
    if (np.diag(K) <= 0.0).any():
        i = int(np.argmax(np.diag(K) <= 0.0))
        raise BadInput(
            f"without_bias: K[{i}, {i}] is {K[i, i]:g}: no vector separates a point at 0"
        )
    a = np.zeros(len(s))
    f = np.zeros(len(s))
    for _ in range(whole("without_bias: sweeps", sweeps)):
        moved = 0.0
        for i in range(len(s)):
            new = min(max(a[i] + (1.0 - s[i] * f[i]) / K[i, i], 0.0), C)
            step = new - a[i]
            if step != 0.0:
                f += s[i] * step * K[:, i]
                a[i] = new
                moved = max(moved, abs(step) * K[i, i])
        if moved <= tol:
            return a
    raise BadInput(
        "without_bias: it does not converge: no plane through 0 separates the points; give a finite C"
    )


@dataclass
class PathOfC:
    """The SVM for each C: margins and slack never grow with C (T-SVM-PATH), training errors may."""

    C: Array
    margins: Array  # 1 / |w|
    slacks: Array  # the sum
    errors: Any  # rows with y f(x) <= 0
    support: Any
    alphas: Array  # a row a C: piecewise linear in C (E-SVM-PATH)


def path_of_c(K: Any, y: Any, C: Any, tol: float = 1e-9) -> PathOfC:
    """Solve the soft-margin dual for each C.

    >>> found = path_of_c([[1.0, -1.0], [-1.0, 1.0]], [-1, 1], [0.1, 0.25, 0.5, 10.0])
    >>> found.margins.tolist(), found.slacks.round(9).tolist()
    ([5.0, 2.0, 1.0, 1.0], [1.6, 1.0, 0.0, 0.0])
    """
    K, s = kernel_and_signs(K, y, "path_of_c")
    values = np.sort(np.atleast_1d(np.asarray(C, float)))
    rows = []
    for c in values:
        found = dual_steps(K, s, float(c), tol)
        if not found.converged:
            raise BadInput(
                f"path_of_c: C = {c:g} takes too many steps; give a smaller C, or a larger tol"
            )
        f = K @ (found.alphas * s) + found.offset
        norm = np.sqrt(max(float((found.alphas * s) @ (f - found.offset)), 0.0))
        margin = s * f
        slack = float(np.maximum(1.0 - margin, 0.0).sum())
        rows.append(
            (1.0 / norm if norm > 0.0 else np.inf, slack, int((margin <= 0).sum()), found.alphas)
        )
    alphas = np.array([r[3] for r in rows])
    return PathOfC(
        values, np.array([r[0] for r in rows]), np.array([r[1] for r in rows]), np.array([r[2] for r in rows]),
        (alphas > 0.0).sum(axis=1), alphas,
    )  # fmt: skip


def kernel_and_signs(K: Any, y: Any, owner: str) -> tuple[Array, Array]:
    """A symmetric matrix and labels -1, 1, of the same length, both labels there."""
    K, s = np.asarray(K, float), np.asarray(y, float)
    if K.ndim != 2 or K.shape != (len(s), len(s)) or not np.allclose(K, K.T):
        raise BadInput(
            f"{owner}: K must be a symmetric matrix with a row a label, not of shape {K.shape}"
        )
    if not np.isin(s, (-1.0, 1.0)).all() or len(np.unique(s)) < 2:
        raise BadInput(f"{owner}: y must hold labels -1 and 1, both of them, not {y!r:.60}")
    return K, s
