"""The exact worst case of learners that only look at sums of losses: a dynamic program over sorted sums.

    value(L, left) = max over ell in {0, 1}^n of  p(L) . ell - rise of the minimum + value(L + ell, left - 1)

Experts are treated alike, and only differences of sums matter, so a position is the sorted sums less their smallest.
The weights of every position come from the learner's own rules; that they depend on sums alone is tried out first.
Ledger: ADV-EXH, X-HEDGE-EXACT.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.learner import Learner
from ..core.stream import Array
from ..engine import compile as engine
from ..engine.memory import copy, padded_copy
from ..games import Losses
from ..settings.fit import first_state, fit_learner
from .many_runs import compile_many, weights

MOST = 30_000_000  # a program of at most so many steps is quick
PLAIN = 20_000  # the same, where it is not compiled
ALIKE = 1e-9  # decisions that differ by less count as equal


class Worst(NamedTuple):
    """The largest regret that losses 0 and 1 can force, and losses (T x n) that force it."""

    regret: float
    losses: Array


def worst_case(learner: Learner[Any, Any, Any, Any], rounds: int, n: int) -> Worst | None:
    """The exact worst regret over all sequences of losses 0 and 1; None where the rules look at more than sums.

    >>> import littlestone as ls
    >>> found = worst_case(ls.Hedge(), 10, 3)
    >>> round(found.regret, 6)  # X-HEDGE-EXACT
    2.131224
    """
    learner, game, shape = fit_learner(learner, learner.game(True), n, rounds, (0.0, 1.0), None)
    first = padded_copy(first_state(learner, shape))
    if not sums_only(learner.params, first, n):
        return None
    L = positions(rounds, n)
    P = np.empty((len(L), n))
    Y = L[:, None, :].astype(float)
    nothing = np.empty(0)
    if engine.has_numba():
        loop = compile_many(weights, learner.params, game, first)
        loop(learner.params, first, copy(first), nothing, Y, P)
        solve = engine.jit(program)
    else:
        for b, y in enumerate(Y):
            P[b] = decided(learner.params, first, y)
        solve = program
    code = np.full((rounds + 2) ** (n - 1), -1, np.int64)
    code[codes(L, rounds)] = np.arange(len(L))
    V, move = np.zeros((rounds + 1, len(L))), np.zeros((rounds + 1, len(L)), np.int64)
    solve(L, P, code, rounds, V, move)
    return Worst(float(V[rounds, 0]), path(L, code, move, rounds, n))


def steps(rounds: int, n: int) -> float:
    """How many steps the program takes for that size."""
    count = 1.0
    for i in range(1, n):
        count = count * (rounds + i) / i
    return count * 2.0**n * rounds / n


def program(L: Any, P: Any, code: Any, T: int, V: Any, move: Any) -> None:
    """Fill V[left, position], the value with so many rounds left, and the move (one bit an expert) that attains it."""
    count, n = L.shape[0], L.shape[1]
    to = np.empty(n, np.int64)
    for left in range(1, T + 1):
        for b in range(count):
            if L[b, n - 1] > T - left:  # cannot be reached with so many rounds left
                continue
            best, chosen = -1.0, 0
            for m in range(2**n):
                cost = 0.0
                for i in range(n):
                    hit = (m >> i) & 1
                    cost += P[b, i] * hit
                    to[i] = L[b, i] + hit
                for i in range(1, n):  # entries are sorted, except for differences of one
                    j = i
                    while j > 0 and to[j - 1] > to[j]:
                        to[j - 1], to[j] = to[j], to[j - 1]
                        j -= 1
                at = 0
                for i in range(1, n):
                    at = at * (T + 2) + to[i] - to[0]
                v = cost - to[0] + V[left - 1, code[at]]
                if v > best:
                    best, chosen = v, m
            V[left, b], move[left, b] = best, chosen


def positions(T: int, n: int) -> Any:
    """Sorted sums of at most T, the smallest 0."""
    rows = np.zeros((1, 1), np.int64)
    for _ in range(n - 1):
        last = rows[:, -1]
        counts = T + 1 - last
        start = np.repeat(np.cumsum(counts) - counts, counts)
        more = np.repeat(last, counts) + np.arange(counts.sum()) - start
        rows = np.hstack([np.repeat(rows, counts, axis=0), more[:, None]])
    return np.ascontiguousarray(rows)


def codes(L: Any, T: int) -> Any:
    at = np.zeros(len(L), np.int64)
    for i in range(1, L.shape[1]):
        at = at * (T + 2) + L[:, i]
    return at


def path(L: Any, code: Any, move: Any, T: int, n: int) -> Array:
    """Losses that attain the value, a column an expert: positions are sorted, experts are not."""
    losses, sums = np.zeros((T, n)), np.zeros(n, np.int64)
    for t in range(T):
        order = np.argsort(sums, kind="stable")
        here = (sums[order] - sums.min())[None]
        m = int(move[T - t, code[codes(here, T)[0]]])
        charged = [order[i] for i in range(n) if (m >> i) & 1]
        losses[t, charged] = 1.0
        sums[charged] += 1
    return losses


def decided(params: Any, first: Any, losses: Any) -> Array:
    """The decision after some rounds, by the plain rules."""
    state, nothing = copy(first), np.empty(0)
    for ell in losses:
        d = params.decide(state, nothing)
        state = params.learn(state, nothing, d, Losses(np.array(ell, float), float(d @ ell)))
    return np.array(params.decide(state, nothing), float)


def sums_only(params: Any, first: Any, n: int) -> bool:
    """Do decisions depend only on the differences of the sums of losses, and not on which expert is which?"""
    rng = np.random.default_rng(0)
    for T in (1, 2, 3, 4, 5, 6, 8, 12):
        losses = rng.integers(0, 2, (T, n)) * rng.choice([1.0, 0.5], (T, n))
        order = rng.permutation(n)
        d = decided(params, first, losses)
        total = losses.sum(axis=0)
        same = [
            decided(params, first, total[None]),
            decided(params, first, (total - total.min())[None]),
        ]
        turned = decided(params, first, losses[:, order])
        if (
            any(np.abs(e - d).max() > ALIKE for e in same)
            or np.abs(turned - d[order]).max() > ALIKE
        ):
            return False
    return True


def sizes() -> tuple[tuple[int, int], ...]:
    """Rounds and experts, the quick ones first."""
    most = MOST if engine.has_numba() else PLAIN
    every = [(T, n) for n in range(2, 7) for T in (*range(1, 21), 25, 30, 40, 60, 100)]
    return tuple(sorted((s for s in every if steps(*s) <= most), key=lambda s: steps(*s)))
