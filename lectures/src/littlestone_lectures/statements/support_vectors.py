"""Support vector machines: geometry, duality, and rows that may be left out; lecture 3 on supervised learning."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from littlestone.falsify.statement import Statement

from .instances import Machine, machines


def planes(n: int) -> Iterator[tuple[Any, float, Any]]:
    rng = np.random.default_rng(n)
    for _ in range(20):
        yield rng.normal(size=n), float(rng.normal()), rng.normal(size=n)


def projected(i: tuple[Any, float, Any]) -> tuple[float, float]:
    """The distance from a point to its projection, and |w.x + b| / |w|; infinite if that is not on the plane."""
    w, b, x = i
    foot = x - w * (b + w @ x) / (w @ w)
    far = float(np.linalg.norm(x - foot)) if abs(w @ foot + b) < 1e-9 else np.inf
    return far, float(abs(w @ x + b) / np.linalg.norm(w))


def apart(m: int) -> Iterator[Machine]:
    """Rows that a line separates, and their hard margin."""
    from ..svm_by_hand import dual_steps

    for seed in range(12):
        rng = np.random.default_rng([m, seed])
        X = rng.normal(size=(m, 2))
        w = rng.normal(size=2)
        y = np.where(X @ w > np.median(X @ w), 1.0, -1.0)
        X += 0.6 * y[:, None] * w / np.linalg.norm(w)
        found = dual_steps(X @ X.T, y, 1e4, 1e-10)
        if (found.alphas < 1e4).all():
            yield Machine(X, y, 1e4, found.alphas, found.offset)


def widest(i: Machine) -> tuple[float, float]:
    """The largest margin over 2,000 directions, and 1 / |w|."""
    angle = np.linspace(0.0, 2.0 * np.pi, 2000, endpoint=False)
    f = i.X @ np.stack([np.cos(angle), np.sin(angle)])
    margins = (f[i.y > 0].min(axis=0) - f[i.y < 0].max(axis=0)) / 2.0
    return float(margins.max()), float(1.0 / np.linalg.norm(i.w))


def to_segment(p: Any, a: Any, b: Any) -> float:
    d = b - a
    t = np.clip((p - a) @ d / max(d @ d, 1e-300), 0.0, 1.0)
    return float(np.linalg.norm(p - a - t * d))


def hulls(i: Machine) -> tuple[float, float]:
    """The distance of the two convex hulls in the plane, by points and segments, and 2 / |w|."""
    P, N = i.X[i.y > 0], i.X[i.y < 0]
    far = [
        to_segment(p, a, b) for A, B in ((P, N), (N, P)) for p in A for a, b in combinations(B, 2)
    ]
    far += [float(np.linalg.norm(p - q)) for p in P for q in N]
    return min(far), float(2.0 / np.linalg.norm(i.w))


def values(i: Machine) -> tuple[float, float]:
    """|w|^2 / 2 + C slack = C (slack + |w|^2 / (2 C)), and the dual objective."""
    norm2 = float(i.w @ i.w)
    return i.C * (i.slack + norm2 / (2.0 * i.C)), float(i.alphas.sum() - norm2 / 2.0)


def shortened(i: Machine) -> tuple[float, float]:
    """sum_i alpha_i (1 - slack_i), and |w|^2."""
    return float(i.alphas @ (1.0 - np.maximum(1.0 - i.margins, 0.0))), float(i.w @ i.w)


def complementary(i: Machine) -> tuple[float, float]:
    """How much the three cases are violated: alpha > 0 where y f > 1, alpha < C where y f < 1; and 0."""
    over = np.minimum(i.alphas, np.maximum(i.margins - 1.0, 0.0))
    under = np.minimum(i.C - i.alphas, np.maximum(1.0 - i.margins, 0.0))
    return float(max(over.max(), under.max())), 0.0


def only_support(i: Machine) -> tuple[float, float]:
    """The dual value of the support vectors alone, and of all rows."""
    from ..svm_by_hand import dual_steps

    keep = i.alphas > 1e-9 * i.C
    if len(np.unique(i.y[keep])) < 2:
        return 0.0, 0.0
    alone = dual_steps(i.X[keep] @ i.X[keep].T, i.y[keep], i.C, 1e-11)
    return float(alone.objectives[-1]), float(i.alphas.sum() - i.w @ i.w / 2.0)


def without_a_row(i: Machine) -> tuple[float, float]:
    """The margin of all rows, and the least margin with one of them left out."""
    from ..svm_by_hand import dual_steps

    found = []
    for r in range(len(i.y)):
        rest = np.arange(len(i.y)) != r
        if len(np.unique(i.y[rest])) == 2:
            less = dual_steps(i.X[rest] @ i.X[rest].T, i.y[rest], i.C, 1e-10).alphas
            w = (less * i.y[rest]) @ i.X[rest]
            found.append(1.0 / np.linalg.norm(w))
    return float(1.0 / np.linalg.norm(i.w)), float(min(found))


def through_zero(i: Machine) -> tuple[float, float]:
    """Without a bias: sum c, and |w|^2."""
    from ..svm_by_hand import without_bias

    X = np.column_stack([i.X, np.ones(len(i.y))])
    c = without_bias(X @ X.T, i.y, tol=1e-12)
    w = (c * i.y) @ X
    return float(c.sum()), float(w @ w)


def falls(i: Machine) -> tuple[float, float]:
    """The largest fall of the dual objective from a step to the next; and 0."""
    from ..svm_by_hand import dual_steps

    return float(-np.diff(dual_steps(i.X @ i.X.T, i.y, i.C).objectives).min(initial=0.0)), 0.0


def scores(n: int) -> Iterator[float]:
    yield from np.linspace(-n, n, 81).tolist()


def surrogates(v: float) -> tuple[float, float]:
    """Is a margin an error? And the least of hinge, exponential and square loss."""
    return float(v <= 0.0), float(min(max(0.0, 1.0 - v), np.exp(-v), (1.0 - v) ** 2))


def programs(n: int) -> Iterator[tuple[Any, Any]]:
    """G and h of `min |z|^2 / 2, G z >= h`, feasible."""
    rng = np.random.default_rng(n)
    for _ in range(20):
        G = rng.normal(size=(n + 2, n))
        yield G, G @ rng.normal(size=n) - rng.random(n + 2)


def strong(i: tuple[Any, Any]) -> tuple[float, float]:
    """What the conditions of optimality leave, at the solution by nonnegative least squares; and 0."""
    from scipy.optimize import nnls

    from littlestone.supervised.kkt import kkt

    G, h = i
    u = nnls(np.vstack([G.T, h]), np.append(np.zeros(G.shape[1]), 1.0))[0]
    scale = 1.0 - h @ u  # Lawson & Hanson: z = G'u / scale
    found = kkt(G.T @ u / scale, G.T @ u / scale, -G, -h, u / scale)
    return max(found.worst, abs(found.gap)), 0.0


def drawn(i: Any) -> str:
    return f"{len(i.y)} rows, C = {i.C:g}"


SOLVED = "samples with solved SVMs, C = .1 and 1"
HARD = "rows that a line separates, hard margin"
STATEMENTS = (
    Statement("T-SVM-PLANE", "x is |w.x + b| / |w| from the plane, at x - w (w.x + b) / |w|^2", projected, planes,
              (1, 2, 5), equal=True, how="20 planes and points a size", show=lambda i: f"{len(i[0])} dimensions"),
    Statement("T-SVM-MARGIN", "no direction has a margin above 1 / |w|", widest, apart, (4, 8, 16), attained=True,
              how=HARD + ", 2,000 directions", show=drawn, short=2),
    Statement("T-SVM-MARGIN", "the hulls are 2 / |w| apart", hulls, apart, (4, 8, 16), equal=True, how=HARD, show=drawn,
              short=2),
    Statement("T-SVM-DUALITY", "|w|^2 / 2 + C slack is the dual objective", values, machines, (4, 8, 16), equal=True,
              how=SOLVED, show=drawn, short=2),
    Statement("T-SVM-DUALITY", "sum_i alpha_i (1 - slack_i) = |w|^2", shortened, machines, (4, 8, 16), equal=True,
              how=SOLVED, show=drawn, short=2),
    Statement("T-SVM-DUALITY", "without a bias, |w|^2 is the sum of the coefficients", through_zero, apart, (4, 8),
              equal=True, how=HARD + " through 0", show=drawn, short=1),
    Statement("T-SVM-CASES", "alpha = 0 where y f > 1, alpha = C where y f < 1", complementary, machines, (4, 8, 16),
              equal=True, how=SOLVED, show=drawn, short=2),
    Statement("T-SVM-REMOVAL", "the support vectors alone have the same optimum", only_support, machines, (4, 8, 16),
              equal=True, how=SOLVED, show=drawn, short=2),
    Statement("T-SVM-REMOVAL", "without a row the margin is no smaller", without_a_row, apart, (4, 8), attained=True,
              how=HARD, show=drawn, short=1),
    Statement("T-SVM-STEPS", "no step of the decomposition lowers the objective", falls, machines, (4, 8), how=SOLVED,
              show=drawn),
    Statement("T-SURROGATES", "an error costs at most hinge, exponential and square loss", surrogates, scores, (1, 4),
              attained=True, how="81 margins"),
    Statement("T-KKT", "at the optimum the conditions hold, and the duality gap is 0", strong, programs, (2, 4),
              equal=True, how="20 feasible programs a size", show=lambda i: f"{i[0].shape[1]} variables"),
)  # fmt: skip
