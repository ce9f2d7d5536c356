"""The game of a bandit: one arm is drawn from the decision, and only its loss is shown."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.game import Traits
from ..core.numeric import draw, inner
from ..core.shared_methods import with_methods


class Offer(NamedTuple):
    """What a round offers."""

    on: np.ndarray  # which arms are there, 1 or 0 each; no entries: all of them
    x: np.ndarray  # features, of the round or of each arm in turn; no entries: nothing is known


class Pulled(NamedTuple):
    """What the learner sees: the arm that was drawn, its loss on [0, 1], and with what probability it was drawn."""

    arm: int
    loss: float
    p: float


def available(x: Any, i: int) -> bool:
    """Can arm i be pulled in this round?"""
    return x.on.shape[0] == 0 or x.on[i] > 0.0  # type: ignore[no-any-return]


def seen(self: Any, y: Any) -> bool:
    return True


@with_methods(known=seen)
class Bandit(NamedTuple):
    """A loss for each arm, in [low, high], of which the learner pays and sees one."""

    low: float = 0.0
    high: float = 1.0

    def traits(self) -> Traits:
        return Traits(
            "arms", "arm", draws=True, interval=(self.low, self.high), paid=True, scratch=False
        )

    def act(self, learner: Any, d: Any, x: Any, u: float, room: Any) -> float:
        return float(draw(d, u))

    def show(self, d: Any, a: float, x: Any, y: Any, room: Any) -> Pulled:
        i = int(a)
        return Pulled(i, (y[i] - self.low) / (self.high - self.low), d[i])

    def cost(self, d: Any, a: float, y: Any, f: Any) -> float:
        return inner(d, y)  # in expectation over the draw

    def paid(self, a: float, y: Any) -> float:
        return y[int(a)]  # type: ignore[no-any-return]

    def keep(self, f: Any, a: float, x: Any, y: Any, E: Any, F: Any, t: int) -> None:
        for i in range(y.shape[0]):
            # an arm that is not there is taken to do as the learner does: regret is over the rounds it was there
            E[t, i] = y[i] if available(x, i) else y[int(a)]


def absent(on: Any) -> int:
    """Count the rounds in which an arm was missing."""
    return int((on.min(axis=1) < 1.0).sum()) if on.size else 0


def offers(T: int, available: Any = None, features: Any = None) -> Offer:
    """Offers of T rounds, as the loop wants them."""
    on = np.empty((T, 0)) if available is None else available
    return Offer(on, np.empty((T, 0)) if features is None else features)
