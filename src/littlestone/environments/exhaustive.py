"""The whole game tree: how much regret an adversary with losses 0 and 1 can force, exactly. Ledger: ADV-EXH."""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numpy as np

from ..core.learner import Learner
from ..core.numeric import inner
from ..core.stream import Array
from ..engine.memory import copy
from ..games import Losses
from ..settings.fit import first_state, fit_learner


def worst_case(learner: Learner[Any, Any, Any, Any], rounds: int, n: int) -> tuple[float, Array]:
    """The largest regret that 0/1 losses can force upon any learner, and losses (T x n) that force it.

        value(state, L, t) = max over ell in {0, 1}^n of  p . ell + value(learn(state, ell), L + ell, t + 1)
        value(state, L, T) = - min_i L_i

    2^(n T) rounds are played, so n T <= 14 or so.

    >>> import littlestone as ls
    >>> regret, losses = worst_case(ls.Hedge(), rounds=4, n=2)
    >>> round(regret, 6)
    1.0
    """
    learner, _, shape = fit_learner(learner, learner.game(True), n, rounds, (0.0, 1.0), None)
    params, nothing = learner.params, np.empty(0)
    choices = [np.array(c) for c in itertools.product((0.0, 1.0), repeat=n)]

    def value(state: Any, L: Array, t: int) -> tuple[float, tuple[Array, ...]]:
        if t == rounds:
            return -float(L.min()), ()
        best: tuple[float, tuple[Array, ...]] = (-math.inf, ())
        for ell in choices:
            mine = copy(state)
            p = params.decide(mine, nothing)
            own = inner(p, ell)
            rest, path = value(
                params.learn(mine, nothing, p, Losses(ell.copy(), own)), L + ell, t + 1
            )
            if own + rest > best[0]:
                best = own + rest, (ell, *path)
        return best

    regret, path = value(first_state(learner, shape), np.zeros(n), 0)
    return regret, np.array(path).reshape(rounds, n)


def worst_hedge(rounds: int, n: int, eta: float) -> tuple[float, Array]:
    """`worst_case` for Hedge, remembered by sorted cumulative losses: T = 30 is quick.

    Hedge treats experts alike, and only differences of losses matter to it; so a position is the sorted losses less
    their smallest, and of experts with equal losses it only matters how many are charged.

    >>> round(worst_hedge(10, 3, math.sqrt(8 * math.log(3) / 10))[0], 6)  # X-HEDGE-EXACT
    2.131224
    """
    Position = tuple[int, ...]

    @functools.cache
    def moves(L: Position) -> tuple[tuple[float, int, Position, tuple[int, ...]], ...]:
        """For each choice: the cost to Hedge, the rise of the minimum, the next position, and the experts charged."""
        w = [math.exp(-eta * x) for x in L]
        total = math.fsum(w)
        groups = [tuple(g) for _, g in itertools.groupby(range(n), key=lambda i: L[i])]
        found = []
        for counts in itertools.product(*[range(len(g) + 1) for g in groups]):
            charged = tuple(i for g, c in zip(groups, counts, strict=True) for i in g[:c])
            after = sorted(x + (i in charged) for i, x in enumerate(L))
            cost = math.fsum(w[i] for i in charged) / total
            found.append((cost, after[0], tuple(x - after[0] for x in after), charged))
        return tuple(found)

    @functools.cache
    def value(L: Position, left: int) -> float:
        if left == 0:
            return 0.0
        return max(cost - up + value(to, left - 1) for cost, up, to, _ in moves(L))

    losses, L = np.zeros((rounds, n)), np.zeros(n)
    for t in range(rounds):  # a best path, in terms of the experts as they are numbered
        order = np.argsort(L, kind="stable")
        here = tuple(int(x) for x in L[order] - L.min())
        *_, charged = max(moves(here), key=lambda m: m[0] - m[1] + value(m[2], rounds - t - 1))
        losses[t, order[list(charged)]] = 1.0
        L += losses[t]
    return value((0,) * n, rounds), losses
