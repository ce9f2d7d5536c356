"""How rich a class of hypotheses is: VC dimension, growth function, Littlestone's dimension, each with its witness.

A class is a sign matrix, a hypothesis a row and a point a column, of -1 and 1 (or 0 and 1); `named_classes` makes those
of thresholds, intervals, rectangles and half-spaces on given points. The answers are whole numbers that carry their
witness, so that what they say can be checked without trusting the search. Vapnik & Chervonenkis (1971), Sauer (1972),
Littlestone (1988). Ledger: A-SHATTERED, A-GROWTH,
A-LITTLESTONE-DIM; T-SAUER, T-VC-SIZE, T-LITTLESTONE.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput
from ..experts.mistake_trees import MistakeTrees, bitmask, sign_matrix
from .shattered_set import shattered_columns

# a search for growth tries at most so many sets of points, in half a minute or so
LIMIT = 1_000_000


class VCDimension(int):
    """The size of the largest shattered set; `points` is such a set, `rows[b]` shows the pattern b on it.

    Bit i of b is the sign at points[i], 1 for +1.
    """

    points: tuple[int, ...]
    rows: tuple[int, ...]

    def __repr__(self) -> str:
        return f"<VC dimension {int(self)}: points {list(self.points)} are shattered>"


class Growth(int):
    """The most patterns that the class shows on m points; `points` are such points."""

    points: tuple[int, ...]

    def __repr__(self) -> str:
        return f"<growth {int(self)}: as many patterns on points {list(self.points)}>"


class LittlestoneDimension(int):
    """The depth of the deepest shattered mistake tree; `tree` is such a tree.

    A node is (point, tree for sign -1, tree for sign +1), a leaf the row that agrees with its path.
    """

    tree: Any

    def __repr__(self) -> str:
        first = f", its first question is point {self.tree[0]}" if self else ""
        return f"<Littlestone dimension {int(self)}: a mistake tree is shattered{first}>"


class Reduced(NamedTuple):
    """A class without repeated rows, and without columns that repeat, negate another or are constant.

    None of these changes a dimension.
    """

    S: NDArray[np.bool_]
    rows: list[int]  # where each row was
    masks: list[int]  # of each column that is left, the rows in which it is 1
    points: list[int]  # where each column was


def reduced(owner: str, H: Any) -> Reduced:
    S = sign_matrix(owner, H)
    _, first = np.unique(np.packbits(S, axis=1), axis=0, return_index=True)
    rows = np.sort(first)
    S = S[rows]
    every_row, found = (1 << len(S)) - 1, dict[int, int]()
    for j, column in enumerate(S.T):
        c = bitmask(column)
        if c not in (0, every_row):
            found.setdefault(min(c, every_row ^ c), j)
    points = list(found.values())
    return Reduced(S, rows.tolist(), [bitmask(S[:, j]) for j in points], points)


def vc_dimension(H: Any) -> VCDimension:
    """The VC dimension of a sign matrix: the size of the largest set of points on which all sign patterns occur.

    For k = 1, 2, … up to lg(rows) it looks for a shattered set of k points. Exact, and exponential in the answer d:
    about C(m, d+1) sets of m points in the worst case, of which most fall early, at O(rows / 64) for each pattern. A
    random 1024 x 32 matrix takes half a second.

    >>> d = vc_dimension([[-1, -1, -1], [1, -1, -1], [1, 1, -1], [1, 1, 1]])  # thresholds
    >>> d, d == 1
    (<VC dimension 1: points [0] are shattered>, True)
    >>> d.rows  # row 0 says -1 there, and row 1 says +1
    (0, 1)
    """
    cut = reduced("vc_dimension", H)
    n, best = len(cut.S), tuple[int, ...]()
    for k in range(1, min(n.bit_length() - 1, len(cut.masks)) + 1):
        found = shattered_columns(cut.S[:, cut.points], k)
        if found is None:
            break
        best = found
    points = tuple(cut.points[j] for j in best)
    codes = cut.S[:, list(points)] @ (1 << np.arange(len(points), dtype=np.int64))
    _, first = np.unique(codes, return_index=True)
    made = VCDimension(len(points))
    made.points, made.rows = points, tuple(cut.rows[i] for i in first)
    return made


def growth(H: Any, m: int) -> Growth:
    """The growth function of a sign matrix: the most different rows that m of its columns can have.

    Up to the VC dimension that is 2^m. Beyond, columns are chosen one by one; a choice that could not pass the best
    one so far, even if every column left doubled its patterns, ends; and so does the search at Sauer's bound.

    >>> H = [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [1, 1, 1]]
    >>> [int(growth(H, m)) for m in (1, 2, 3)]
    [2, 3, 4]
    >>> growth(H, 2)
    <growth 3: as many patterns on points [0, 1]>
    """
    d = vc_dimension(H)
    cut = reduced("growth", H)
    width = np.shape(H)[1]
    if isinstance(m, bool) or not isinstance(m, (int, np.integer)) or not 0 <= m <= width:
        raise BadInput(f"growth: m must be a whole number from 0 to the {width} points, not {m!r}")
    if m <= d:
        return filled(1 << int(m), d.points[:m], int(m), width)
    best, points = most_patterns(cut, min(int(m), len(cut.masks)), sauer(int(m), int(d)))
    return filled(best, tuple(cut.points[j] for j in points), int(m), width)


def most_patterns(cut: Any, depth: int, most: int) -> tuple[int, tuple[int, ...]]:
    """The most different rows that `depth` columns have, at most `most`, and the columns."""
    n = len(cut.S)
    ceiling = min(n, most)
    best_points: tuple[int, ...] = ()
    best, tried = 0, 0
    stack: list[tuple[list[int], tuple[int, ...]]] = [([(1 << n) - 1], ())]
    while stack and best < ceiling:
        parts, chosen = stack.pop()
        left = depth - len(chosen)
        if not left:
            if len(parts) > best:
                best, best_points = len(parts), chosen
            continue
        if len(parts) << left <= best:
            continue
        tried += 1
        if tried > LIMIT:
            raise BadInput(
                f"growth: it is {best} or more, and more than {LIMIT:,} sets of points were tried; give fewer "
                "points"
            )
        for j in range(len(cut.masks) - left, chosen[-1] if chosen else -1, -1):
            c = cut.masks[j]
            both = [q for p in parts for q in (p & ~c, p & c) if q]
            stack.append((both, (*chosen, j)))
    return best, best_points


def filled(patterns: int, points: tuple[int, ...], m: int, width: int) -> Growth:
    """The answer, filled up to m points: the points that are added show no new pattern."""
    rest = [j for j in range(width) if j not in points]
    made = Growth(patterns)
    made.points = tuple(sorted([*points, *rest[: m - len(points)]]))
    return made


def littlestone_dimension(H: Any) -> LittlestoneDimension:
    """Littlestone's dimension of a sign matrix: the mistakes that the best learner can be forced to make on it.

    The search remembers sets of hypotheses as bitmasks (experts/mistake_trees.py): at most m^d of them for m points and
    dimension d, far fewer where sizes already refute. The 5,051 intervals on 100 points take about a second.

    >>> d = littlestone_dimension([[-1, -1, -1], [1, -1, -1], [1, 1, -1], [1, 1, 1]])
    >>> d, int(d)  # four thresholds: two questions find one of them
    (<Littlestone dimension 2: a mistake tree is shattered, its first question is point 1>, 2)
    >>> d.tree  # point 1 first, then point 0 or point 2; leaves are rows
    (1, (0, 0, 1), (2, 2, 3))
    """
    cut = reduced("littlestone_dimension", H)
    trees = MistakeTrees(cut.S, "littlestone_dimension")
    every_row = (1 << len(cut.S)) - 1
    d = trees.dimension(every_row)

    def with_rows(node: Any) -> Any:
        if isinstance(node, tuple):
            return (node[0], with_rows(node[1]), with_rows(node[2]))
        return cut.rows[node]

    made = LittlestoneDimension(d)
    made.tree = with_rows(trees.tree(every_row, d))
    return made


def sauer(m: int, d: int) -> int:
    """Sauer's bound on the growth function of a class of VC dimension d: the sets of at most d of m points.

    >>> sauer(10, 2), sauer(3, 5)
    (56, 8)
    """
    return sum(math.comb(m, i) for i in range(min(d, m) + 1))


def cover_count(m: int, n: int) -> int:
    """Cover's count: the sign patterns of half-spaces through 0 on m points in general position in n dimensions.

    >>> cover_count(3, 2), cover_count(4, 3)
    (6, 14)
    """
    return 2 * sum(math.comb(m - 1, i) for i in range(n))
