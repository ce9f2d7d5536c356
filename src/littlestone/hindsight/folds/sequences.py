"""The best sequence of experts that shifts at most k times, for every k at once."""

from __future__ import annotations

import functools
import os
from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from littlestone.core.errors import BadInput, NotKept
from littlestone.core.stream import Array

Segment = tuple[int, int, int]  # start, stop, expert: rounds start, ..., stop - 1


class Sequences:
    """Fold losses into the least total of any sequence of experts with at most k shifts, k <= K.

        D[k, i] = 0,  M[k] = min_i D[k, i]      D: sequences that end in expert i
        each round:  D[k, i] = min(D[k, i], M[k - 1]) + ell[i]          stay, or shift to i

    O(n K) a round and O(n K) memory; `keep_path` adds O(K) memory a round. Losses may be +inf (log
    loss); a sequence avoids them as long as its shifts last. Totals are plain sums in the order of
    the rounds: equal bit for bit however the rounds were cut into chunks, and never increasing in
    k. Ties: staying before shifting, then the expert of lowest index.

    Two experts, right in turns (0, 0, 1, 1): no shift loses 2 rounds, one shift none.

    >>> fold = Sequences(n=2, K=2, keep_path=True)
    >>> _ = fold.add(np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]))
    >>> fold.values().tolist()
    [2.0, 0.0, 0.0]
    >>> fold.path(2)
    [(0, 2, 0), (2, 4, 1)]

    The comparator of Herbster and Warmuth (1998), Tracking the best expert; the recursion is
    Viterbi's.
    """

    def __init__(self, n: int, K: int, keep_path: bool = False) -> None:
        if n < 1 or K < 0:
            raise BadInput(f"sequences of experts need n >= 1 and K >= 0; got n={n}, K={K}")
        self.n, self.K, self.keep_path = n, K, keep_path
        self.rounds = 0
        self._engine = engine(os.environ.get("LITTLESTONE_ENGINE") == "plain")
        self._D = np.zeros((K + 1, n))
        self._M = np.zeros(K + 1)
        self._start = np.zeros((K + 1, n)) if keep_path else None
        self.links: list[Links] = []

    def add(self, ell: ArrayLike, marks: ArrayLike = ()) -> Array:
        """Fold in T x n losses; return `values()` as they stood after each of the marked rows.

        `marks` are ascending row numbers of this chunk, counted from 0.
        """
        rows = np.ascontiguousarray(ell, dtype=np.float64).view()
        if rows.ndim != 2 or rows.shape[1] != self.n:
            raise BadInput(f"losses must be T x {self.n}; got an array of shape {rows.shape}")
        if rows.size and not rows.min() > -np.inf:  # the minimum is NaN where one entry is
            raise BadInput("losses must be numbers or +inf: NaN or -inf found")
        rows.flags.writeable = False  # read-only like every array of a loop: one signature
        marked = np.asarray(marks, dtype=np.int64)
        if len(marked) and not (
            marked[0] >= 0 and marked[-1] < len(rows) and (np.diff(marked) >= 0).all()
        ):
            raise BadInput(f"marks must ascend within the {len(rows)} rows of the chunk: {marked}")
        seen = np.empty((len(marked), self.K + 1))
        if not len(rows):
            return seen
        if self._start is None:
            self._engine.advance(rows, self._D, self._M, marked, seen)
        else:
            shape = len(rows), self.K + 1
            link = Links(self.rounds, np.empty(shape, np.int32), np.empty(shape, np.int64))
            self._engine.trace(rows, self._D, self._M, self._start, *link, marked, seen)
            self.links.append(link)
        self.rounds += len(rows)
        return seen

    def values(self) -> Array:
        """The least total loss of a sequence with at most k shifts, for k = 0, ..., K."""
        return self._M.copy()

    def path(self, k: int) -> list[Segment]:
        """The segments of a best sequence with at most k shifts, each of which lowers the loss."""
        if self._start is None:
            raise NotKept("the path was not recorded; make it with Sequences(n, K, keep_path=True)")
        if not 0 <= k <= self.K:
            raise BadInput(f"the path is known for k = 0, ..., {self.K} shifts; got k={k}")
        while k > 0 and self._M[k - 1] == self._M[k]:
            k -= 1
        segments: list[Segment] = []
        stop = self.rounds
        firsts = [link.first for link in self.links]
        if stop and firsts[:1] != [0]:
            raise NotKept("the path of the first rounds was not saved with the others")
        while stop > 0:  # a segment that began at s > 0 was entered from the best of M[k - 1] then
            link = self.links[bisect_right(firsts, stop - 1) - 1]
            expert, start = (
                link.best[stop - 1 - link.first, k],
                link.since[stop - 1 - link.first, k],
            )
            segments.append((int(start), stop, int(expert)))
            stop, k = int(start), k - 1
        return segments[::-1]


class Links(NamedTuple):
    """For each round of a chunk and each k: where the best sequence stood, and since when."""

    first: int  # the number of the chunk's first round
    best: NDArray[np.int32]  # T x (K + 1): the expert that ends the best sequence so far
    since: NDArray[np.int64]  # T x (K + 1): the round in which its last segment began


class Engine(NamedTuple):
    """The two loops: for the values only, and with the links that `path` follows back."""

    advance: Callable[..., None]
    trace: Callable[..., None]


@functools.cache
def engine(plain: bool) -> Engine:
    """The compiled loops; those in Python where `plain` is true, or Numba is missing."""
    if not plain:
        try:
            from littlestone.hindsight.folds import compiled_folds as compiled_hindsight
        except ImportError:
            pass
        else:
            return Engine(compiled_hindsight.advance, compiled_hindsight.trace)
    return Engine(advance, trace)


def advance(ell: Array, D: Array, M: Array, marks: NDArray[np.int64], seen: Array) -> None:
    """Carry D and M through the rows of ell, in place; `seen` gets M after each marked row."""
    at = 0
    for t, row in enumerate(ell):
        step(row, D, M)
        while at < len(marks) and marks[at] == t:
            seen[at] = M
            at += 1


def step(row: Array, D: Array, M: Array) -> None:
    np.minimum(D[1:], M[:-1, None], out=D[1:])
    np.add(D, row, out=D)
    np.min(D, axis=1, out=M)


def trace(
    ell: Array,
    D: Array,
    M: Array,
    start: Array,
    first: int,
    best: NDArray[np.int32],
    since: NDArray[np.int64],
    marks: NDArray[np.int64],
    seen: Array,
) -> None:
    """As `advance`; start[k, i] is the round in which the sequence behind D[k, i] came to i."""
    levels, at = np.arange(len(M)), 0
    for t, row in enumerate(ell):
        start[1:][M[:-1, None] < D[1:]] = first + t
        step(row, D, M)
        best[t] = D.argmin(axis=1)
        since[t] = start[levels, best[t]]
        while at < len(marks) and marks[at] == t:
            seen[at] = M
            at += 1
