"""The best choice of an expert in every round, with at most k switches within the tasks, and at most m experts."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from littlestone.core.errors import BadInput
from littlestone.core.stream import Array
from littlestone.hindsight.folds.task_sequences import TaskSequences

WORK = 2e8  # steps (round, expert, switches) that a search may take


@dataclass(frozen=True)
class BestModes:
    """A choice with at most k switches and m experts; no other loses less than `lower`."""

    choice: NDArray[np.int64]  # T: the expert of each round
    loss: float
    lower: float
    switches: int  # of this choice
    modes: tuple[int, ...]  # its experts

    @property
    def exact(self) -> bool:
        """Is it known to be the best?"""
        return self.loss <= self.lower


@dataclass(order=True)
class Node:
    """Choices whose experts are among `allowed`, those in `kept` among them; none loses less than `lower`."""

    lower: float
    number: int
    allowed: tuple[int, ...] = field(compare=False)
    kept: frozenset[int] = field(compare=False)
    used: tuple[int, ...] = field(compare=False)  # experts of the best among them, most used first


def switches(choice: ArrayLike, tasks: ArrayLike | None = None) -> int:
    """How often the expert of a task differs from that of the task's round before (E-KDEF).

    >>> switches([0, 1, 0, 1], tasks=[0, 1, 0, 1]), switches([0, 1, 0, 1])
    (0, 3)
    """
    every = np.asarray(choice)
    task = np.zeros(len(every), np.int64) if tasks is None else np.asarray(tasks)
    return sum(int((np.diff(every[task == i]) != 0).sum()) for i in np.unique(task))


def best_modes(
    losses: ArrayLike, k: int, m: int, tasks: ArrayLike | None = None, work: float = WORK
) -> BestModes:
    """The choice of experts with the least loss: at most k switches, at most m experts over all tasks.

        a node: experts that are allowed, some of which are kept
        its lower bound: the best choice of the experts allowed, with k switches and no limit m (`TaskSequences`)
        take the node with the least lower bound;  if its choice has at most m experts, it is the best of all
        else take an expert of that choice which is not yet kept:  keep it, or forbid it (m are kept: forbid all others)

    Branch and bound; every node also gives a choice, that of the m experts it uses most, improved by exchanging one
    of them at a time. It ends after `work` steps: what is found then is an upper bound, and the least bound of the
    nodes left a lower one. Rounds of a task are those with its number in `tasks`.

    Experts 0, 1, 2 are right in turns; with two of them, one round is lost:

    >>> found = best_modes([[0, 1, 1], [0, 1, 1], [1, 0, 1], [1, 1, 0], [1, 1, 0]], k=2, m=2)
    >>> found.loss, found.lower, found.switches, found.modes
    (1.0, 1.0, 1, (0, 2))
    """
    ell = np.ascontiguousarray(losses, dtype=np.float64)
    if ell.ndim != 2 or not ell.size:
        raise BadInput(f"losses must be T x n; got an array of shape {ell.shape}")
    T, n = ell.shape
    task = np.zeros(T, np.int64) if tasks is None else np.asarray(tasks).astype(np.int64)
    if k < 0 or m < 1:
        raise BadInput(f"a choice of experts needs k >= 0 and m >= 1; got k={k}, m={m}")
    k, m = min(k, T - 1), min(m, n)
    search = Search(ell, task, k, m, work)
    search.run()
    return search.result()


class Search:
    """Branch and bound over sets of experts."""

    def __init__(self, ell: Array, task: Any, k: int, m: int, work: float) -> None:
        self.ell, self.task, self.k, self.m, self.left = ell, task, k, m, work
        self.loss, self.choice = np.inf, np.zeros(len(ell), np.int64)
        self.tried: dict[tuple[int, ...], float] = {}
        self.heap: list[Node] = []
        self.lower, self.made = -np.inf, 0

    def relaxed(self, some: tuple[int, ...]) -> tuple[float, Any]:
        """The best choice of these experts with k switches."""
        self.left -= len(self.ell) * len(some) * (self.k + 1.0)
        fold = TaskSequences(len(some), self.k, keep_path=True)
        fold.add(np.ascontiguousarray(self.ell[:, some]), tasks=self.task)
        return float(fold.values()[self.k]), np.asarray(some)[fold.assignment(self.k)]

    def node(self, allowed: tuple[int, ...], kept: frozenset[int], above: float) -> None:
        """Bound a node, and take the choice that comes with it."""
        lower, choice = self.relaxed(allowed)
        each, often = np.unique(choice, return_counts=True)
        used = tuple(each[np.argsort(-often, kind="stable")].tolist())
        if len(used) <= self.m and lower < self.loss:
            self.loss, self.choice = lower, choice
        self.made += 1
        heapq.heappush(self.heap, Node(max(lower, above), self.made, allowed, kept, used))

    def attempt(self, some: set[int]) -> float:
        """Find the best choice among these experts; keep it if it is the best so far, and return its loss."""
        key = tuple(sorted(some))
        if key not in self.tried:
            self.tried[key], choice = self.relaxed(key)
            if self.tried[key] < self.loss:
                self.loss, self.choice = self.tried[key], choice
        return self.tried[key]

    def improve(self, node: Node) -> None:
        """The experts that a node uses most, then exchanged one at a time for others while that helps."""
        mine = set(node.used[: self.m])
        best = self.attempt(mine)
        # experts are tried first that would save most if switches were free
        while self.left > 0:
            now = self.ell[:, sorted(mine)].min(axis=1)
            saved = np.maximum(now[:, None] - self.ell, 0.0).sum(axis=0)
            others = [i for i in np.argsort(-saved, kind="stable")[:8].tolist() if i not in mine]
            trials = [(mine - {a}) | {b} for b in others for a in sorted(mine)]
            better = next((s for s in trials if self.left > 0 and self.attempt(s) < best), None)
            if better is None:
                return
            mine, best = better, self.attempt(better)

    def run(self) -> None:
        self.node(tuple(range(self.ell.shape[1])), frozenset(), -np.inf)
        while self.heap:
            node = heapq.heappop(self.heap)
            self.lower = max(self.lower, node.lower)
            if node.lower >= self.loss or len(node.used) <= self.m:
                return
            if self.left <= 0:
                break
            if self.made == 1:
                self.improve(node)
                if self.left <= 0:
                    break
            new = next(i for i in node.used if i not in node.kept)
            kept = node.kept | {new}
            allowed = tuple(sorted(kept)) if len(kept) == self.m else node.allowed
            self.node(allowed, kept, node.lower)
            rest = tuple(i for i in node.allowed if i != new)
            if rest:
                self.node(rest, node.kept, node.lower)
        if not np.isfinite(self.loss):  # cut off before anything was tried
            self.attempt(set(node.used[: self.m]))

    def result(self) -> BestModes:
        modes = tuple(np.unique(self.choice).tolist())
        count = switches(self.choice, self.task)
        return BestModes(self.choice, self.loss, min(self.lower, self.loss), count, modes)
