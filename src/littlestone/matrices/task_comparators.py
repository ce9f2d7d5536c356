"""The hypotheses that the certificate of several tasks compares with, made of the rounds that were seen.

Each has its mistakes and its complexity, both computed: m sign functions with their norms in the space of the kernel,
and for each round which of them is in use. The theorem holds for every such choice, so it may be checked at these;
nothing here has to be optimal to be right.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.guarantee import Comparators
from ..core.stream import Array
from ..hindsight.search.kept_rounds import KeptRounds
from ..kernels.functions.gram import gram
from .path_tree import leaf_resistance

LIMIT = 1500  # different instances, and rounds, up to which a kernel among them is factorised
PENALTIES = (0.01, 1.0)  # of the ridge regressions whose signs are the functions
CHANGES = (3.0, 12.0)  # mistakes that a change of function must save
SWEEPS = 8

Ints = NDArray[np.int64]


class Rounds(NamedTuple):
    """The rounds that had an answer."""

    task: Ints
    at: Ints  # the number of the instance
    y: Array  # -1 or +1
    h: Array  # importance
    position: Ints  # in time


class Space(NamedTuple):
    """A kernel among the things that were seen, and what inverts it."""

    K: Array
    inverse: Array

    def norm2(self, f: Array) -> float:
        """|f|^2 of the function of the least norm that has these values; infinite where none has."""
        a = self.inverse @ f
        return float(f @ a) if np.abs(self.K @ a - f).max() <= 1e-6 else math.inf


def space_of(K: Array) -> Space:
    w, E = np.linalg.eigh((K + K.T) / 2.0)
    good = w > len(w) * np.finfo(float).eps * max(float(w[-1]), 0.0)
    return Space(K, (E[:, good] / w[good]) @ E[:, good].T)


def comparators(learner: Any, rounds: KeptRounds) -> Comparators:
    """The hypotheses that the rounds of one run are compared with."""
    known = rounds.known
    if not known.any():
        return Comparators("own", str, np.zeros(0), why="no round had an answer")
    X, signed = np.asarray(rounds.x, float)[known], np.asarray(rounds.signed)[known]
    Z, at = np.unique(X[:, 1:], axis=0, return_inverse=True)
    if max(len(Z), len(X)) > LIMIT:
        return Comparators("own", str, np.zeros(0), why=f"more than {LIMIT:,} rounds or instances")
    task = X[:, 0].astype(np.int64)
    N = int(rounds.states[0].N[-2])
    seen = Rounds(
        task, at.reshape(-1), signed, np.asarray(rounds.h)[known], places(task, N // learner.tasks)
    )
    functions = space_of(np.asarray(gram(learner.kernel, Z), float))
    R = 2.0 * float(leaf_resistance(N))
    _, heights = np.frexp(np.bitwise_xor.outer(seen.position, seen.position).astype(np.float64))
    times = space_of(R - heights)
    names, L, quasi = [], [], []
    for name, U, mode in hypotheses(seen, functions, learner.modes, learner.tasks):
        wrong = U[mode, seen.at] != seen.y
        names.append(name)
        L.append(float(seen.h[wrong].sum()) * rounds.passes)
        quasi.append(complexity_of(U, mode, learner, functions, times, R) / learner.modes)
    top = np.full(len(L), math.sqrt(learner.modes))
    return Comparators(
        "own", names.__getitem__, np.array(L), {"maxnorm": top, "quasi": np.array(quasi)}
    )


def places(task: Ints, room: int) -> Ints:
    """The position in time of each round: `room` positions a task, taken in order."""
    made = np.empty(len(task), np.int64)
    for i in np.unique(task):
        mine = task == i
        made[mine] = int(i) * room + np.arange(int(mine.sum()))
    return made


def complexity_of(
    U: Array, mode: Ints, learner: Any, functions: Space, times: Space, R: float
) -> float:
    """sum_j |h_j|^2 X^2 + m R sum_j |c_j|^2; functions fewer than m are made m by copies of the simplest."""
    used = np.unique(mode)
    norms = [functions.norm2(U[j]) for j in used]
    total = sum(norms) + (learner.modes - len(used)) * min(norms)
    cuts = sum(times.norm2((mode == j).astype(float)) for j in used)
    return float(total * learner.top + learner.modes * R * cuts)


def hypotheses(seen: Rounds, space: Space, m: int, tasks: int) -> Iterator[tuple[str, Array, Ints]]:
    """Sign functions, one a row of values at the instances, and the row that each round uses."""
    n, none = len(space.K), np.zeros(len(seen.y), np.int64)
    for v in (1.0, -1.0):
        yield f"{v:+.0f} for all", np.full((1, n), v), none
    for penalty in PENALTIES:
        yield f"one function, penalty {penalty:g}", fitted(seen, space, none, 1, penalty), none
        if m == 1:
            continue
        mode = grouped(seen, space, m, penalty)
        if tasks > 1:
            yield (
                f"a function for each group of tasks, penalty {penalty:g}",
                fitted(seen, space, mode, m, penalty),
                mode,
            )
        for change in CHANGES:
            turns = in_turns(seen, space, mode, m, penalty, change)
            k = sum(
                int(np.count_nonzero(np.diff(turns[seen.task == i]))) for i in np.unique(seen.task)
            )
            name = f"{len(np.unique(turns))} functions in turns, {k} switches, penalty {penalty:g}"
            yield name, fitted(seen, space, turns, m, penalty), turns


def fitted(seen: Rounds, space: Space, mode: Ints, m: int, penalty: float) -> Array:
    """The signs of a ridge regression for each mode, at all instances; +1 for a mode that no round uses."""
    n = len(space.K)
    made = np.ones((m, n))
    for j in range(m):
        mine = mode == j
        if mine.any():
            w = np.bincount(seen.at[mine], seen.h[mine], n)
            b = np.bincount(seen.at[mine], seen.h[mine] * seen.y[mine], n)
            a = np.linalg.solve(w[:, None] * space.K + penalty * np.eye(n), b)
            made[j] = np.where(space.K @ a >= 0.0, 1.0, -1.0)
    return made


def grouped(seen: Rounds, space: Space, m: int, penalty: float) -> Ints:
    """Tasks in m groups, each with a function: each task goes where it errs least, then the functions are fitted."""
    names, mode = np.unique(seen.task, return_inverse=True)
    group = np.arange(len(names)) % m
    for _ in range(SWEEPS):
        wrong = fitted(seen, space, group[mode], m, penalty)[:, seen.at] != seen.y
        cost = np.array([np.bincount(mode, seen.h * row, len(names)) for row in wrong])
        new = np.argmin(cost, axis=0)
        if (new == group).all():
            break
        group = new
    made: Ints = group[mode]
    return made


def in_turns(seen: Rounds, space: Space, mode: Ints, m: int, penalty: float, change: float) -> Ints:
    """A function for each round: the best way through each task where a change costs `change`, and fit again."""
    for sweep in range(SWEEPS):
        U = fitted(seen, space, mode, m, penalty)
        if sweep == 0 and len(np.unique(mode)) < m:  # nothing to turn to: what the others get wrong
            U[1:] = -U[0]
        cost = seen.h * (U[:, seen.at] != seen.y)
        new = mode.copy()
        for i in np.unique(seen.task):
            mine = np.flatnonzero(seen.task == i)
            new[mine] = cheapest_path(cost[:, mine], change)
        if (new == mode).all():
            break
        mode = new
    return mode


def cheapest_path(cost: Array, change: float) -> Ints:
    """The row for each column with the least total, where every change of the row costs `change` more.

    >>> cheapest_path(np.array([[0.0, 0, 1, 1, 1], [1.0, 1, 0, 0, 0]]), 1.5).tolist()
    [0, 0, 1, 1, 1]
    """
    m, T = cost.shape
    total, back = cost[:, 0].copy(), np.zeros((T, m), np.int64)
    for t in range(1, T):
        best = int(np.argmin(total))
        stays = total <= total[best] + change
        back[t] = np.where(stays, np.arange(m), best)
        total = np.where(stays, total, total[best] + change) + cost[:, t]
    made = np.empty(T, np.int64)
    made[-1] = int(np.argmin(total))
    for t in range(T - 1, 0, -1):
        made[t - 1] = back[t, made[t]]
    return made
