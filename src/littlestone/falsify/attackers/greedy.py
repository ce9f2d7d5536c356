"""Adaptive adversaries: each round is the one that raises the learner's regret, or a potential of it, most.

    Phi(R) = ln(sum_i exp(c R_i)) / c,    R_i = loss - L_i

With c large that is the regret to the best expert, with c small their mean; look-ahead tries two rounds at a time.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterator
from typing import Any

import numpy as np

from ...core.errors import LittlestoneError
from ...core.losses import is_log_loss
from ...core.stream import Array
from ...engine.memory import copy
from ...games import make_scratch
from ...settings.fit import first_state
from ..attack import Case, Volley, one
from ..hunt import Hunt
from ..material import FAR, setting
from ..prepare import prepare_case

SHARP = (0.3, 1.0, 3.0, 30.0)
MANY = 24  # so many rounds are tried at each step


def attack(hunt: Hunt) -> Generator[Volley, Array, None]:
    """Build runs round by round, longer ones as time goes by."""
    target, rng = hunt.target, hunt.rng
    if target.learner.examples or target.guarantee.delayed:
        return
    longest, missed = 8, 0
    while missed < 50:
        kind = str(rng.choice(target.kinds))
        _, n = hunt.size()
        T = hunt.sizes[0] if hunt.sizes else int(rng.integers(2, longest + 1))
        longest = min(longest + 1, 40)
        given = setting(target, rng, kind, n, T)
        if given is None:
            missed += 1
            continue
        try:
            case = built(hunt, kind, T, n, given, float(rng.choice(SHARP)))
        except (LittlestoneError, ArithmeticError, ValueError):
            missed += 1
            continue
        ratios = yield one(case)
        if ratios[0] == 0.0 and longest > 30:
            return


def built(hunt: Hunt, kind: str, T: int, n: int, given: dict[str, Any], c: float) -> Case:
    """A case of T rounds: each is the offer with the largest potential after it, or after the best next round."""
    target, rng = hunt.target, hunt.rng
    changed, known = (
        target.learner.replace(**given["parameters"]),
        T if given["horizon_known"] else 0,
    )
    learner, game, shape = prepare_case(changed, kind == "losses", n, known, given["interval"])
    params, space, state = learner.params, make_scratch(shape), first_state(learner, shape)
    R, xs, ys = np.zeros(n), [], []
    E, F = np.zeros((1, n)), np.zeros((1, n))
    deep = 2 if n <= 3 and T <= 12 else 1

    def after(state: Any, R: Array, x: Any, y: Any) -> tuple[Any, Array]:
        state = copy(state)
        d = params.decide(state, x)
        a = game.act(params, d, x, 0.0, space)
        f = game.feedback(d, a, x, y, space)
        game.keep(f, a, x, y, E, F, 0)
        R = R + game.cost(d, a, y, f) - E[0]
        return params.learn(state, x, d, f), R

    def worth(state: Any, R: Array, depth: int) -> float:
        if depth == 0:
            top = R.max()
            return float(top + np.log(np.exp(c * (R - top)).sum()) / c)
        return max(worth(*after(state, R, *r), depth - 1) for r in offers(hunt, kind, n, given))

    for _ in range(T):
        every = list(offers(hunt, kind, n, given))
        scores = np.array([worth(*after(state, R, *r), deep - 1) for r in every])
        best = np.flatnonzero(scores >= scores.max() - 1e-12)
        x, y = every[int(rng.choice(best))]
        state, R = after(state, R, x, y)
        xs.append(x)
        ys.append(y)
    x = None if kind == "losses" else np.array(xs)
    return Case(np.array(ys), x, **given)


def offers(hunt: Hunt, kind: str, n: int, given: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Rounds to choose from: all rounds of 0 and 1 where these are few, else some of them."""
    rng = hunt.rng
    low, high = given["interval"] or (0.0, 1.0)
    ends = (low, high)
    loss = given["parameters"].get("loss", hunt.target.learner.parameters.get("loss", ""))
    if kind == "advice" and is_log_loss(loss):
        ends = (FAR, 1.0 - FAR)
    if n <= 4:
        rows = [np.array(r, float) for r in itertools.product(ends, repeat=n)]
    else:
        rows = [rng.choice(ends, n) for _ in range(MANY)]
    if len(rows) > MANY:
        rows = [rows[i] for i in rng.choice(len(rows), MANY, replace=False)]
    for row in rows:
        if kind == "losses":
            yield np.empty(0), row
        elif hunt.target.needs_truth:
            yield row, float(row[-1])
        else:
            for y in (low, high):
                yield row, float(y)
