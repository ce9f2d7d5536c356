"""The whole game tree of small games, for learners over experts; equal positions are looked at once. Ledger: ADV-EXH.

    value(state, L) = max over rounds of  cost + value(state after, L after),   at the end  - a min_i L_i

a is 1 for regret; for a bound on mistakes it is what one more mistake of the best expert adds to the bound. Positions
are taken to be alike when states and losses are the same up to the order of the experts; for a learner that looks at
their order the rounds found may not be the worst.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Generator, Iterator
from typing import Any

import numpy as np

from ...core.errors import LittlestoneError, NotRealizable
from ...core.guarantee import Symbols
from ...core.learner import measure_symbols
from ...core.losses import is_log_loss
from ...core.stream import Array
from ...engine.memory import copy
from ...games import make_scratch
from ...settings.fit import first_state
from ..attack import Case, Volley, one
from ..hunt import Hunt
from ..material import FAR, setting
from ..prepare import prepare_case

NODES = 1500  # a game with more positions is given up
GRAIN = 1e-9  # states that differ by less count as equal


class TooLarge(Exception):
    """The game has more positions than NODES."""


def attack(hunt: Hunt) -> Generator[Volley, Array, None]:
    """Solve games of one round, of two, …, until they are too large; then again with another setting."""
    target = hunt.target
    g = target.guarantee
    known = g.against in ("expert", "none") and g.measures in ("regret", "mistakes", "shown regret")
    if target.learner.examples or g.delayed or not known:
        return
    for _ in range(20):
        for kind in target.kinds:
            for n in (2, 3, 4):
                for T in range(1, 13):
                    if hunt.sizes is not None and hunt.sizes != (T, n):
                        continue
                    given = setting(target, hunt.rng, kind, n, T)
                    if given is None:
                        continue
                    try:
                        case = Game(hunt, kind, T, n, given).worst()
                    except (TooLarge, LittlestoneError, ArithmeticError, ValueError):
                        break
                    yield one(case)


class Game:
    """One game: a learner, a number of rounds, and the rounds that nature may choose from."""

    def __init__(self, hunt: Hunt, kind: str, T: int, n: int, given: dict[str, Any]) -> None:
        target = hunt.target
        changed = target.learner.replace(**given["parameters"])
        known = T if given["horizon_known"] else 0
        learner, game, shape = prepare_case(changed, kind == "losses", n, known, given["interval"])
        self.params, self.game, self.scratch = learner.params, game, make_scratch(shape)
        self.first = first_state(learner, shape)
        self.kind, self.T, self.n, self.given = kind, T, n, given
        self.offers = list(rounds(target.needs_truth, kind, n, given))
        self.alike = (
            all(v.shape == (n,) for v in leaves(self.first) if isinstance(v, np.ndarray))
            and "prior" not in given["parameters"]
        )
        self.seen: dict[Any, float] = {}
        self.truth = target.needs_truth
        self.price = 1.0
        if target.guarantee.measures == "mistakes" and not self.truth:
            base = vars(measure_symbols(learner, game, shape)) | {"T": T}
            low, high = (
                float(np.max(target.guarantee.bound(Symbols(**base, L=np.full(n, v)))))
                for v in (0.0, 1.0)
            )
            self.price = high - low
        self.E, self.F = np.zeros((1, n)), np.zeros((1, n))

    def worst(self) -> Case:
        """The rounds of a best path."""
        self.value(copy(self.first), np.zeros(self.n), 0)
        state, L, chosen = copy(self.first), np.zeros(self.n), []
        for t in range(self.T):
            best, at = -math.inf, 0
            for i, (x, y) in enumerate(self.offers):
                cost, there, lost = self.after(state, L, x, y)
                if cost > -math.inf:
                    v = cost + self.value(there, lost, t + 1)
                    best, at = (v, i) if v > best + 1e-12 else (best, at)
            x, y = self.offers[at]
            _, state, L = self.after(state, L, x, y)
            chosen.append((x, y))
        x = None if self.kind == "losses" else np.array([x for x, _ in chosen])
        return Case(np.array([y for _, y in chosen]), x, **self.given)

    def value(self, state: Any, L: Array, t: int) -> float:
        if t == self.T:
            low = float(L.min())
            return -math.inf if self.truth and low > 0 else -self.price * low
        start = L if self.truth else L - L.min()
        key = self.position(state, L, t)
        if key not in self.seen:
            if len(self.seen) > NODES:
                raise TooLarge
            best = -math.inf
            for x, y in self.offers:
                cost, there, lost = self.after(state, start, x, y)
                if cost > -math.inf and (not self.truth or lost.min() == 0.0):
                    best = max(best, cost + self.value(there, lost, t + 1))
            self.seen[key] = best
        # only differences of losses matter: the value from L is that from L - min L, less what min L costs
        return self.seen[key] - (0.0 if self.truth else self.price * float(L.min()))

    def after(self, state: Any, L: Array, x: Any, y: Any) -> tuple[float, Any, Array]:
        state = copy(state)
        d = self.params.decide(state, x)
        a = self.game.act(self.params, d, x, 0.0, self.scratch)
        f = self.game.feedback(d, a, x, y, self.scratch)
        self.game.keep(f, a, x, y, self.E, self.F, 0)
        cost, lost = float(self.game.cost(d, a, y, f)), L + self.E[0]
        try:
            return cost, self.params.learn(state, x, d, f), lost
        except NotRealizable:  # one expert must be right: this round may not be played
            return -math.inf, state, lost

    def position(self, state: Any, L: Array, t: int) -> Any:
        """A key for a state and losses; where experts are alike it does not depend on their order."""
        every = [np.asarray(v, float) for v in leaves(state)]
        columns = [L if self.truth else L - L.min(), *(v for v in every if v.shape == (self.n,))]
        table = np.round(np.array(columns) / GRAIN) + 0.0
        if self.alike:
            table = table[:, np.lexsort(table)]
        rest = [np.round(v / GRAIN).tobytes() for v in every if v.shape != (self.n,)]
        return t, table.tobytes(), *rest


def leaves(v: Any) -> Iterator[Any]:
    if isinstance(v, tuple):
        for part in v:
            yield from leaves(part)
    else:
        yield v


def rounds(truth: bool, kind: str, n: int, given: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Every round of extreme values."""
    low, high = given["interval"] or (0.0, 1.0)
    ends = (low, high)
    if kind == "advice" and is_log_loss(given["parameters"].get("loss")):
        ends = (FAR, 1.0 - FAR)
    for row in itertools.product(ends, repeat=n):
        if kind == "losses":
            yield np.empty(0), np.array(row, float)
            continue
        for y in (low,) if truth and kind != "labels" else (low, high):
            yield np.array(row, float), float(y)
