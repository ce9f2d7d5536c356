"""Classes of hypotheses as sign matrices: consistent ones, shattered trees, Rademacher complexity; lecture 7."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.theory.shattering import littlestone_dimension

EXACT = 20  # points of which all sign vectors are tried


def signs(H: Any, labels: Any = None) -> tuple[Any, Any]:
    """A matrix of signs -1 and 1 and labels for its columns; 0 is read as -1."""
    matrix = np.atleast_2d(np.asarray(H))
    if matrix.size == 0 or not np.isin(matrix, (-1, 0, 1)).all():
        raise BadInput("H: a hypothesis a row, a point a column, entries -1 and 1 (or 0 and 1)")
    if labels is None:
        return np.where(matrix > 0, 1, -1), None
    y = np.asarray(labels)
    if y.shape != (matrix.shape[1],) or not np.isin(y, (-1, 0, 1)).all():
        raise BadInput(f"labels: one a point, {matrix.shape[1]} in all, each -1 or 1 (or 0 or 1)")
    return np.where(matrix > 0, 1, -1), np.where(y > 0, 1, -1)


class Consistent(NamedTuple):
    """A hypothesis that agrees with all labels; or points whose labels no hypothesis has, none of them superfluous."""

    row: int | None
    refuting: tuple[int, ...]

    def __str__(self) -> str:
        if self.row is not None:
            return f"hypothesis {self.row} agrees with every label"
        return f"no hypothesis agrees with the labels of points {list(self.refuting)}"


def consistent_hypothesis(H: Any, labels: Sequence[int]) -> Consistent:
    """Find a hypothesis that makes no error, or points that show that there is none.

    >>> print(consistent_hypothesis([[-1, -1], [1, 1]], [1, 1]))
    hypothesis 1 agrees with every label
    >>> print(consistent_hypothesis([[-1, -1, 1], [1, 1, 1]], [1, -1, 1]))
    no hypothesis agrees with the labels of points [0, 1]
    """
    matrix, y = signs(H, labels)
    right = matrix == y
    whole = np.flatnonzero(right.all(axis=1))
    if len(whole):
        return Consistent(int(whole[0]), ())
    points = list(range(len(y)))
    for point in range(len(y)):
        rest = [p for p in points if p != point]
        if not right[:, rest].all(axis=1).any():
            points = rest
    return Consistent(None, tuple(points))


class ShatteredTree(NamedTuple):
    """A mistake tree as deep as Littlestone's dimension, each of whose paths some hypothesis agrees with."""

    dimension: int
    tree: Any

    def __str__(self) -> str:
        return "\n".join([f"Littlestone dimension {self.dimension}", *lines(self.tree, 1)])


def shattered_tree(H: Any) -> ShatteredTree:
    """The deepest mistake tree: an adversary who walks down it forces a mistake at each question.

    >>> print(shattered_tree([[-1], [1]]))
    Littlestone dimension 1
      point 0?
        if -1: hypothesis 0
        if +1: hypothesis 1
    """
    found = littlestone_dimension(signs(H)[0])
    return ShatteredTree(int(found), found.tree)


def lines(tree: Any, depth: int) -> list[str]:
    """A tree as indented lines."""
    if not isinstance(tree, tuple):
        return [f"{'  ' * depth}hypothesis {tree}"]
    point, minus, plus = tree
    found = [f"{'  ' * depth}point {point}?"]
    for sign, branch in (("-1", minus), ("+1", plus)):
        below = lines(branch, depth + 2)
        found += [f"{'  ' * (depth + 1)}if {sign}: {below[0].strip()}", *below[1:]]
    return found


class Rademacher(NamedTuple):
    """The empirical Rademacher complexity of a finite class, Massart's bound, and what errors it allows for."""

    complexity: float
    massart: float
    excess: float
    delta: float
    rows: int

    def __str__(self) -> str:
        return (
            f"complexity {self.complexity:.4f} on {self.rows} points, at most {self.massart:.4f} (Massart)\n"
            f"error <= share of errors + {self.excess:.4f} for every hypothesis, with probability {1 - self.delta:g}"
        )


def rademacher(H: Any, delta: float = 0.05) -> Rademacher:
    """E max_h (1/m) sum s_i h(x_i) over fair signs s, exactly, and the bound that it gives.

    With probability 1 - delta every h has an error of at most its share of errors + complexity
    + 3 sqrt(ln(2/delta) / (2 m)) (Bartlett and Mendelson 2002; Mohri, Rostamizadeh and Talwalkar 2018, theorem 3.5);
    the complexity is at most sqrt(2 ln |H| / m) (Massart 2000).

    >>> rademacher([[1, 1], [-1, -1]]).complexity  # 1 for equal signs, 0 for others
    0.5
    """
    if not 0.0 < delta < 1.0:
        raise BadInput(f"delta {delta:g}: it must be between 0 and 1")
    matrix = np.unique(signs(H)[0], axis=0)
    m = matrix.shape[1]
    if m > EXACT:
        raise BadInput(
            f"H has {m} points: the exact complexity tries all 2^m signs, for at most {EXACT}"
        )
    total = 0.0
    for first in product((-1, 1), repeat=max(0, m - 12)):
        rest = np.array(list(product((-1, 1), repeat=min(m, 12))))
        s = np.column_stack([np.tile(np.array(first, int), (len(rest), 1)), rest])
        total += float((s @ matrix.T).max(axis=1).sum())
    complexity = total / (2.0**m * m)
    massart = math.sqrt(2.0 * math.log(len(matrix)) / m)
    return Rademacher(complexity, massart, complexity + spread(m, delta), delta, m)


def spread(m: int, delta: float) -> float:
    return 3.0 * math.sqrt(math.log(2.0 / delta) / (2.0 * m))


class StructuralRisk(NamedTuple):
    """The class and the hypothesis with the least limit, and the limits of all classes."""

    chosen: int
    row: int
    errors: tuple[float, ...]
    limits: tuple[float, ...]

    def __str__(self) -> str:
        each = zip(self.errors, self.limits, strict=True)
        lines = [
            f"class {k}: share of errors {e:.4f}, limit {v:.4f}" for k, (e, v) in enumerate(each)
        ]
        return "\n".join([*lines, f"chosen: hypothesis {self.row} of class {self.chosen}"])


def structural_risk(
    classes: Sequence[Any], labels: Sequence[int], delta: float = 0.05
) -> StructuralRisk:
    """Structural risk minimisation: the class whose best hypothesis has the least limit of its error.

    classes  sign matrices, the simplest class first: a row a hypothesis that was fixed before the sample was drawn

    Class k = 0, 1, … gets delta / ((k + 1) (k + 2)), so that with probability 1 - delta all limits hold at once:
    the least share of errors + sqrt(ln(|H| (k + 1) (k + 2) / delta) / (2 m)) (T-UC-FINITE, one side; Vapnik 1998).

    >>> H = [[-1] * (16 - k) + [1] * k for k in range(17)]  # thresholds
    >>> found = structural_risk([[[1] * 16], H], [-1] * 8 + [1] * 8)
    >>> found.chosen, found.row, found.errors
    (1, 8, (0.5, 0.0))
    """
    if not 0.0 < delta < 1.0:
        raise BadInput(f"delta {delta:g}: it must be between 0 and 1")
    if not len(classes):
        raise BadInput("classes: at least one, the simplest first")
    errors, limits, best = [], [], []
    for k, H in enumerate(classes):
        matrix, y = signs(H, labels)
        wrong = (matrix != y).mean(axis=1)
        best.append(int(np.argmin(wrong)))
        errors.append(float(wrong[best[-1]]))
        share = math.log(len(matrix) * (k + 1) * (k + 2) / delta) / (2.0 * len(y))
        limits.append(errors[-1] + math.sqrt(share))
    chosen = int(np.argmin(limits))
    return StructuralRisk(chosen, best[chosen], tuple(errors), tuple(limits))


def vc_of_stumps(d: int) -> int:
    """The VC dimension of decision stumps over d features: the largest v with C(v, v // 2) <= 2 d (T-STUMP-VC).

    >>> [vc_of_stumps(d) for d in (1, 2, 3, 5, 10, 18, 35)]
    [2, 3, 4, 5, 6, 7, 8]
    """
    if d < 1:
        raise BadInput(f"d must be a number of features, 1 or more, not {d!r}")
    v = 2
    while math.comb(v + 1, (v + 1) // 2) <= 2 * d:
        v += 1
    return v
