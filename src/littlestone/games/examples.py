"""The games of examples: a learner decides a score (or several), the game makes a label or a number of it.

The world answers with an Outcome: classes are coded 0, 1, …, the learner of two classes is shown -1 or +1. What a
round costs is multiplied by its importance; a round of importance 0 is predicted and not learned from.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from ..core.game import EXAMPLES, ONE, PER_CLASS, SEVERAL, Game, Traits
from ..core.losses import Logistic, Loss, has_interval
from ..core.numeric import decay_one, log_one
from ..core.outcome import OneOutcome, Outcome
from ..core.shared_methods import with_methods
from ..core.stream import Array
from ..core.vectors import value


class TwoLabels(Protocol):
    """A game whose action is the sign of a score."""

    @property
    def zero(self) -> int: ...


def outcome_is_known(self: object, y: OneOutcome) -> bool:
    return y.y == y.y and y.h > 0.0


def show_signed_label(
    self: object, d: object, a: float, x: object, y: OneOutcome, scratch: object
) -> Outcome:
    return Outcome(2.0 * y.y - 1.0, y.h)


def show_outcome(
    self: object, d: object, a: float, x: object, y: Outcome, scratch: object
) -> Outcome:
    return y


def sign_of_score(
    self: TwoLabels, learner: object, d: float, x: object, u: float, scratch: object
) -> float:
    # no branch: a processor cannot predict labels; a score that is not finite gives NaN, which is refused
    return 1.0 * (d > 0.0) + self.zero * (d == 0.0) + 0.0 * d


def cost_of_mistake(self: object, a: float, y: OneOutcome) -> float:
    return y.h * (a != y.y)


def keep_nothing(
    self: object, f: object, a: object, x: object, y: object, E: Array, F: Array, t: int
) -> None:
    """Keep nothing: there are no experts."""


@with_methods(
    act=sign_of_score,
    known=outcome_is_known,
    feedback=show_signed_label,
    realised_cost=cost_of_mistake,
    keep=keep_nothing,
)
class Labels(NamedTuple):
    """Two classes; the sign of the score is the label, and a mistake costs 1."""

    zero: int = 1  # the label of a score of 0

    def traits(self) -> Traits:
        return Traits(
            EXAMPLES, "label", classes=2, decision=ONE, counts_mistakes=True, scratch=False, zero=self.zero
        )  # fmt: skip

    def cost(self, d: float, a: float, y: OneOutcome, f: OneOutcome) -> float:
        return y.h * (a != y.y)


@with_methods(
    act=sign_of_score,
    known=outcome_is_known,
    feedback=show_signed_label,
    realised_cost=cost_of_mistake,
    keep=keep_nothing,
)
class Margin(NamedTuple):
    """Two classes; the score itself costs: hinge, logistic, … Mistakes are counted beside it."""

    loss: Loss
    zero: int = 1

    def traits(self) -> Traits:
        scores = "logistic" if isinstance(self.loss, Logistic) else ""
        return Traits(
            EXAMPLES, "label", classes=2, decision=ONE, loss=self.loss, has_realised_cost=True, scores=scores,
            scratch=False, zero=self.zero,
        )  # fmt: skip

    def cost(self, d: float, a: float, y: OneOutcome, f: OneOutcome) -> float:
        return y.h * self.loss.at(d, f.y)


@with_methods(known=outcome_is_known, feedback=show_outcome, keep=keep_nothing)
class Regression(NamedTuple):
    """A number: the score is the prediction."""

    loss: Loss

    def traits(self) -> Traits:
        return Traits(EXAMPLES, "number", decision=ONE, loss=self.loss, scratch=False)

    def act(self, learner: object, d: float, x: object, u: float, scratch: object) -> float:
        return d

    def cost(self, d: float, a: float, y: OneOutcome, f: OneOutcome) -> float:
        return y.h * self.loss.at(d, y.y)

    def realised_cost(self, a: float, y: OneOutcome) -> float:
        return y.h * self.loss.at(a, y.y)


@with_methods(known=outcome_is_known, keep=keep_nothing)
class RegressionFrom(NamedTuple):
    """A number: one feature of the example, and the score is how far from it the outcome will be (an offset).

    The learner is shown outcomes less that feature, and its theorem is about these.
    """

    loss: Loss
    place: int = 0  # of the feature, the constant of an intercept counted

    def traits(self) -> Traits:
        return Traits(
            EXAMPLES, "number", decision=ONE, loss=self.loss, scratch=False, offset=self.place
        )

    def act(self, learner: object, d: float, x: object, u: float, scratch: object) -> float:
        return d + value(x, self.place)

    def feedback(
        self, d: object, a: float, x: object, y: OneOutcome, scratch: object
    ) -> OneOutcome:
        return Outcome(y.y - value(x, self.place), y.h)

    def cost(self, d: float, a: float, y: OneOutcome, f: OneOutcome) -> float:
        return y.h * self.loss.at(d, f.y)

    def realised_cost(self, a: float, y: OneOutcome) -> float:
        return y.h * self.loss.at(a, y.y)


def with_offset(game: Game, place: int) -> Game:
    """The game, with predictions that start from the feature in this place; as it is where that has no meaning.

    It has none for labels, and for a loss on an interval: outcomes less a feature lie in another one.
    """
    if not isinstance(game, Regression) or has_interval(game.loss):
        return game
    return RegressionFrom(game.loss, place)


@with_methods(
    known=outcome_is_known, feedback=show_outcome, realised_cost=cost_of_mistake, keep=keep_nothing
)
class Classes(NamedTuple):
    """Several classes; the largest score is the label, the first of equals.

    With `probabilities` a round costs minus the logarithm of exp(s_y) / sum_c exp(s_c), else a mistake costs 1.
    """

    probabilities: bool = False

    def traits(self) -> Traits:
        return Traits(
            EXAMPLES, "label", classes=SEVERAL, decision=PER_CLASS, counts_mistakes=not self.probabilities,
            has_realised_cost=self.probabilities, scores="softmax" if self.probabilities else "", scratch=False,
        )  # fmt: skip

    def act(self, learner: object, d: Array, x: object, u: float, scratch: object) -> float:
        best = 0
        strange: float = 0.0 * d[0]  # NaN where a score is not finite
        for c in range(1, d.shape[0]):
            strange += 0.0 * d[c]
            if d[c] > d[best]:
                best = c
        return best + strange

    def cost(self, d: Array, a: float, y: OneOutcome, f: OneOutcome) -> float:
        if not self.probabilities:
            return float(y.h) if a != y.y else 0.0
        top, total = d[int(a)], 0.0
        for c in range(d.shape[0]):
            total += decay_one(d[c] - top)
        surprise: float = log_one(total) + top - d[int(y.y)]
        return y.h * surprise


@with_methods(
    known=outcome_is_known,
    feedback=show_signed_label,
    realised_cost=cost_of_mistake,
    keep=keep_nothing,
)
class Coin(NamedTuple):
    """Two classes, drawn: the label is the sign of score - U, U uniform on (-1, 1).

    So the probability of a mistake is (1 - y score)/2, cut to [0, 1], and that is what a round costs (A-KOGD-RAND).
    """

    zero: int = 1

    def traits(self) -> Traits:
        return Traits(
            EXAMPLES, "label", draws=True, classes=2, decision=ONE, counts_mistakes=True, has_realised_cost=True,
            scratch=False, zero=self.zero,
        )  # fmt: skip

    def act(self, learner: object, d: float, x: object, u: float, scratch: object) -> float:
        return (1.0 if d > 2.0 * u - 1.0 else 0.0) + 0.0 * d

    def cost(self, d: float, a: float, y: OneOutcome, f: OneOutcome) -> float:
        return y.h * min(max(0.5 * (1.0 - f.y * d), 0.0), 1.0)
