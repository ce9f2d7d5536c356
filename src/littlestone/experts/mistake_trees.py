"""Mistake trees of a finite class: the search behind Littlestone's dimension and the standard optimal algorithm.

A class is a sign matrix, a hypothesis a row and a point a column. A set of hypotheses is a bitmask: a whole number,
whose bit i says whether row i is in it. A mistake tree of depth d asks a point at each node; it is shattered by a
set of hypotheses if each of its 2^d paths agrees with one of them. Littlestone's dimension is the depth
of the deepest one. Littlestone (1988). Ledger: T-LITTLESTONE, A-LITTLESTONE-DIM.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput

LIMIT = 1_000_000  # sets of hypotheses that a search may remember: some hundred MB


def sign_matrix(owner: str, H: Any) -> NDArray[np.bool_]:
    """A matrix of -1 and 1, or 0 and 1, or of truth values; True is 1.

    >>> sign_matrix("here", [[-1, 1], [1, 1]]).tolist()
    [[False, True], [True, True]]
    """
    try:
        S = np.asarray(H, np.float64)
    except (TypeError, ValueError):
        raise BadInput(
            f"{owner}: a class is a matrix of -1 and 1 (or 0 and 1), a hypothesis a row, not {H!r:.60}"
        ) from None
    if S.ndim != 2 or not S.size:
        raise BadInput(
            f"{owner}: a class is a matrix, a hypothesis a row and a point a column; this has shape {S.shape}"
        )
    low = -1.0 if (S == -1.0).any() else 0.0
    bad = ~np.isin(S, (low, 1.0))
    if bad.any():
        i, j = (int(v) for v in np.argwhere(bad)[0])
        raise BadInput(
            f"{owner}: row {i + 1}, column {j + 1}: a sign is -1 or 1, or in the whole matrix 0 or 1, not {S[i, j]:g}"
        )
    made: NDArray[np.bool_] = S == 1.0
    return made


def bitmask(column: NDArray[np.bool_]) -> int:
    """The rows in which a column is True.

    >>> bitmask(np.array([True, False, True]))
    5
    """
    return int.from_bytes(np.packbits(column, bitorder="little").tobytes(), "little")


class MistakeTrees:
    """Which mistake trees the sets of hypotheses of one class shatter; what was found is remembered.

        dim(V) >= d + 1  just if some point x has  dim(V with h(x) = 0) >= d  and  dim(V with h(x) = 1) >= d

    A set of fewer than 2^d hypotheses shatters no tree of depth d, which is what ends most searches at once. At most
    m^d sets are met for m points and dimension d, and each is split at m points: O(n m^(d+1) / 64) in the worst case.
    No way is known to do it in polynomial time.

    >>> trees = MistakeTrees(np.array([[0, 0], [0, 1], [1, 1]], bool))  # thresholds on two points
    >>> trees.dimension(0b111), trees.dimension(0b011), trees.dimension(0)
    (1, 1, -1)
    """

    def __init__(self, S: NDArray[np.bool_], owner: str = "littlestone-dimension") -> None:
        self.owner = owner
        self.columns = [bitmask(column) for column in S.T]
        every_row = (1 << len(S)) - 1
        found: dict[int, int] = {}
        for j, c in enumerate(
            self.columns
        ):  # a column, or its opposite, splits no set in a new way
            if c not in (0, every_row):
                found.setdefault(min(c, every_row ^ c), j)
        self.asked = [(self.columns[j], j) for j in found.values()]
        # of a set: the depth of a tree that it shatters, with its first point; a depth that is not exceeded
        self.known: dict[int, tuple[int, int, int]] = {}

    def at_least(self, V: int, d: int) -> bool:
        """Does V shatter a tree of depth d?"""
        size = V.bit_count()
        if d <= 0:
            return size > 0
        if size < 1 << d:
            return False
        low, high, point = self.known.get(V) or self.met(V, size)
        if low >= d or high < d:
            return low >= d
        need, splits = 1 << (d - 1), []
        for c, j in self.asked:
            part = V & c
            a = part.bit_count()
            least = a if a + a < size else size - a
            if least >= need:
                splits.append((-least, j, part))
        splits.sort()  # even splits first: both sides have room for deep trees
        for _, j, part in splits:
            one, other = part, V ^ part
            # what one look at each side refutes is cheap, and comes before any search
            if one.bit_count() > other.bit_count():
                one, other = other, one
            if self.highest(one) < d - 1 or self.highest(other) < d - 1:
                continue
            if self.at_least(one, d - 1) and self.at_least(other, d - 1):
                self.remember(V, (d, max(high, d), j))
                return True
        self.remember(V, (low, d - 1, point))
        return False

    def highest(self, V: int) -> int:
        """A depth that V does not exceed, as far as is known."""
        return (self.known.get(V) or self.met(V, V.bit_count()))[1]

    def met(self, V: int, size: int) -> tuple[int, int, int]:
        """What one look at V shows: of the most even split, its smaller side bounds the depth, and 2 and 2 make 2."""
        most, point = 0, -1
        for c, j in self.asked:
            a = (V & c).bit_count()
            least = a if a + a < size else size - a
            if least > most:
                most, point = least, j
        found = (min(most, 2), most.bit_length(), point)
        self.remember(V, found)
        return found

    def remember(self, V: int, what: tuple[int, int, int]) -> None:
        if len(self.known) >= LIMIT and V not in self.known:
            raise BadInput(
                f"{self.owner}: the class is too rich for an exact answer: more than {LIMIT:,} sets of hypotheses were "
                "looked at; give fewer points or fewer hypotheses"
            )
        self.known[V] = what

    def dimension(self, V: int) -> int:
        """Littlestone's dimension of V, which holds no hypothesis twice; -1 of no hypothesis."""
        d = V.bit_count().bit_length() - 1
        while d > 0 and not self.at_least(V, d):
            d -= 1
        return d

    def tree(self, V: int, d: int) -> tuple[Any, ...] | int:
        """A tree of depth d that V shatters: (point, tree where it is 0, tree where it is 1); a leaf is a row."""
        if d == 0:
            return (V & -V).bit_length() - 1
        if not self.at_least(V, d):
            raise BadInput(f"{self.owner}: no mistake tree of depth {d} is shattered")
        j = self.known[V][2]
        c = self.columns[j]
        return (j, self.tree(V & ~c, d - 1), self.tree(V & c, d - 1))
