"""The best sequence of experts in each of several tasks, with at most k shifts in all, for every k at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from littlestone.core.errors import BadInput, NotKept
from littlestone.core.stream import Array
from littlestone.hindsight.folds.sequences import Segment, Sequences


class TaskSequences:
    """Fold losses into the least total of one sequence of experts a task, with at most k shifts together, k <= K.

        M_i[k] = the best of task i with at most k shifts (`Sequences`)
        M[k]   = min of M_1[k_1] + M_2[k_2] + ... over k_1 + k_2 + ... <= k

    The first expert of a task is no shift, and neither is going from one task to another. O(n K) a round, and O(s K^2)
    whenever values are asked for. Tasks are whole numbers, and may turn up at any time.

    Task 0 is right with expert 0, task 1 first with 1 and then with 0:

    >>> fold = TaskSequences(n=2, K=1, keep_path=True)
    >>> _ = fold.add(np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]), tasks=[0, 1, 0, 1])
    >>> fold.values().tolist()
    [1.0, 0.0]
    >>> fold.path(1)
    [(0, 3, 0), (1, 2, 1), (3, 4, 0)]
    """

    def __init__(self, n: int, K: int, keep_path: bool = False) -> None:
        self.n, self.K, self.keep_path = n, K, keep_path
        self.rounds = 0
        self.each: dict[int, Sequences] = {}
        self._numbers: dict[int, list[Any]] = {}  # the rounds of each task, where paths are kept

    def add(self, ell: ArrayLike, marks: ArrayLike = (), tasks: ArrayLike = ()) -> Array:
        """Fold in T x n losses and the T tasks of these rounds; `values()` after each of the marked rows."""
        rows = np.asarray(ell, dtype=np.float64)
        task = np.asarray(tasks).astype(np.int64)
        if len(task) != len(rows):
            raise BadInput(f"tasks must name one for each of {len(rows)} rounds, not {len(task)}")
        marked = np.asarray(marks, dtype=np.int64)
        before = {i: fold.values() for i, fold in self.each.items()}
        seen: dict[int, Array] = {}
        for i in np.unique(task).tolist():
            mine = np.flatnonzero(task == i)
            if i not in self.each:
                self.each[i] = Sequences(self.n, self.K, self.keep_path)
                self._numbers[i] = []
                before[i] = self.each[i].values()
            last = np.searchsorted(mine, marked, side="right") - 1  # its last round up to each mark
            got = self.each[i].add(rows[mine], last[last >= 0])
            seen[i] = np.vstack([np.tile(before[i], (int((last < 0).sum()), 1)), got])
            if self.keep_path:
                self._numbers[i].append(mine + self.rounds)
        self.rounds += len(rows)
        found = np.zeros((len(marked), self.K + 1))
        for i in self.each:
            part = seen[i] if i in seen else np.tile(before[i], (len(marked), 1))
            found = together(found, part)[0]
        return found

    def values(self) -> Array:
        """The least total loss with at most k shifts, for k = 0, ..., K."""
        found = np.zeros((1, self.K + 1))
        for fold in self.each.values():
            found = together(found, fold.values()[None, :])[0]
        return np.asarray(found[0])

    def path(self, k: int) -> list[Segment]:
        """The best experts of the tasks: (first round, past the last round, expert), sorted over all tasks."""
        return sorted(
            (int(rounds[0]), int(rounds[-1]) + 1, expert) for rounds, expert in self.segments(k)
        )

    def assignment(self, k: int) -> Any:
        """The expert of every round, of a best choice with at most k shifts."""
        every = np.zeros(self.rounds, np.int64)
        for rounds, expert in self.segments(k):
            every[rounds] = expert
        return every

    def segments(self, k: int) -> list[tuple[Any, int]]:
        """The rounds and the expert of each segment of a best choice with at most k shifts."""
        if not self.keep_path:
            raise NotKept("the path was not recorded; make it with keep_path=True")
        if not 0 <= k <= self.K:
            raise BadInput(f"the path is known for k = 0, ..., {self.K} shifts; got k={k}")
        found, choices = np.zeros((1, self.K + 1)), []
        for fold in self.each.values():
            found, chosen = together(found, fold.values()[None, :])
            choices.append(chosen[0])
        segments: list[tuple[Any, int]] = []
        for (i, fold), chosen in zip(reversed(self.each.items()), reversed(choices), strict=True):
            spent = int(chosen[k])
            numbers = np.concatenate(self._numbers[i])
            segments += [(numbers[a:b], expert) for a, b, expert in fold.path(spent)]
            k -= spent
        return segments


def together(A: Array, B: Array) -> tuple[Array, Any]:
    """min over b of A[k - b] + B[b], row by row, and the smallest b that attains it."""
    K = A.shape[1]
    best, chosen = A + B[:, :1], np.zeros(A.shape, np.int64)
    for b in range(1, K):
        sums = A[:, : K - b] + B[:, b : b + 1]
        less = sums < best[:, b:]
        best[:, b:] = np.where(less, sums, best[:, b:])
        chosen[:, b:] = np.where(less, b, chosen[:, b:])
    return best, chosen
