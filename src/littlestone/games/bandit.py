"""The game of a bandit: one arm is drawn from the decision, and only its loss is shown."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.game import ARMS, Traits
from ..core.numeric import draw, inner
from ..core.shared_methods import with_methods
from ..core.stream import Array


class Offer(NamedTuple):
    """What a round offers."""

    on: Array  # which arms are there, 1 or 0 each; no entries: all of them
    x: Array  # features, of the round or of each arm in turn; no entries: nothing is known


class Pulled(NamedTuple):
    """What the learner sees: the arm that was drawn, its loss on [0, 1], and with what probability it was drawn."""

    arm: int
    loss: float
    p: float


def available(x: Offer, i: int) -> bool:
    """Can arm i be pulled in this round?"""
    there: bool = x.on.shape[0] == 0 or x.on[i] > 0.0
    return there


def always_known(self: object, y: object) -> bool:
    return True


@with_methods(known=always_known)
class Bandit(NamedTuple):
    """A loss for each arm, in [low, high], of which the learner pays and sees one."""

    low: float = 0.0
    high: float = 1.0

    def traits(self) -> Traits:
        return Traits(
            ARMS,
            "arm",
            draws=True,
            interval=(self.low, self.high),
            has_realised_cost=True,
            scratch=False,
        )

    def act(self, learner: object, d: Array, x: Offer, u: float, scratch: object) -> float:
        return float(draw(d, u))

    def feedback(self, d: Array, a: float, x: Offer, y: Array, scratch: object) -> Pulled:
        i = int(a)
        return Pulled(i, (y[i] - self.low) / (self.high - self.low), d[i])

    def cost(self, d: Array, a: float, y: Array, f: Pulled) -> float:
        return inner(d, y)  # in expectation over the draw

    def realised_cost(self, a: float, y: Array) -> float:
        loss: float = y[int(a)]
        return loss

    def keep(self, f: Pulled, a: float, x: Offer, y: Array, E: Array, F: Array, t: int) -> None:
        for i in range(y.shape[0]):
            # an arm that is not there is taken to do as the learner does: regret is over the rounds it was there
            E[t, i] = y[i] if available(x, i) else y[int(a)]


def count_absences(on: Array) -> int:
    """Count the rounds in which an arm was missing."""
    return int((on.min(axis=1) < 1.0).sum()) if on.size else 0


def offers(T: int, available: Array | None = None, features: Array | None = None) -> Offer:
    """Offers of T rounds, as the loop wants them."""
    on = np.empty((T, 0)) if available is None else available
    return Offer(on, np.empty((T, 0)) if features is None else features)
