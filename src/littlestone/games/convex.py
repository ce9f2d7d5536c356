"""Online convex optimisation as a game: the decision is a point, the world answers with a convex loss."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..core.game import EXAMPLES, Traits
from ..core.outcome import OneOutcome
from ..core.shared_methods import with_methods
from ..core.stream import Array
from .examples import keep_nothing
from .room import Room


class Gradient(NamedTuple):
    """What the learner is shown: a subgradient of the round's loss at its decision."""

    ell: Array  # the subgradient, times the importance of the round
    own: float  # what the decision cost, times the importance
    h: float  # the importance of the round


@with_methods(keep=keep_nothing)
class Convex(NamedTuple):
    """Decide theta, then pay f(theta), a loss of the family made of the round's x and y.

    Twice the importance is twice the loss. With two classes (`signed`) outcomes are coded 0 and 1, the family gets
    -1 and +1, and the action is the label; else it is the number that the family says stands for the decision.
    """

    family: Any
    signed: int = 0

    def traits(self) -> Traits:
        two = self.signed == 1
        return Traits(
            EXAMPLES, "label" if two else "number", classes=2 if two else 0, has_realised_cost=two,
            needs_outcome=not self.family.blind(),
        )  # fmt: skip

    def act(self, learner: object, d: Any, x: Any, u: float, scratch: object) -> float:
        s: float = self.family.predicted_number(d, x)
        if self.signed == 1:
            return 1.0 if s >= 0.0 else 0.0
        return s

    def known(self, y: OneOutcome) -> bool:
        return y.h > 0.0 and (y.y == y.y or bool(self.family.blind()))

    def feedback(self, d: Any, a: float, x: Any, y: OneOutcome, scratch: Room) -> Gradient:
        v = 2.0 * y.y - 1.0 if self.signed == 1 else y.y
        self.family.slope_into(d, x, v, scratch.ell)
        if y.h != 1.0:
            for i in range(scratch.ell.shape[0]):
                scratch.ell[i] *= y.h
        return Gradient(scratch.ell, y.h * self.family.at(d, x, v), y.h)

    def cost(self, d: object, a: float, y: OneOutcome, f: Gradient) -> float:
        return f.own

    def realised_cost(self, a: float, y: OneOutcome) -> float:
        """A mistake, where there are labels."""
        return float(y.h) if self.signed == 1 and a != y.y else 0.0
