"""The games: how a decision becomes an action, what it costs, and what the learner is shown.

A learner over experts decides a distribution over them. Mixing, voting, drawing, Vovk's substitution, the
gradient trick and sleeping experts are games, so no learner contains them. A game is a NamedTuple without
state; `scratch` is scratch space that the loop owns. Every game answers the same questions:

    act(learner, d, x, u, scratch)the prediction, label or draw that the decision d becomes
    known(y)                      does the round have an outcome?
    feedback(d, a, x, y, scratch) what the learner sees: Losses(ell, own), or the label
    cost(d, a, y, f)              what the round costs, in expectation where the game draws
    realised_cost(a, y)           what the action itself costs
    keep(f, a, x, y, E, F, t)     the experts' losses (E) and, where they differ, the regrets shown (F)
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from ..core.game import ADVICE, LOSSES, SEVERAL, Traits
from ..core.losses import Loss
from ..core.numeric import draw, inner
from ..core.shared_methods import with_methods
from ..core.stream import Array
from ..core.vectors import read
from .room import Room


class Losses(NamedTuple):
    """Full information: what each expert is charged, and what the learner is charged."""

    ell: Array
    own: float


# Methods that several games share.


class OneLoss(Protocol):
    """A game in which one loss charges the learner and the experts."""

    @property
    def loss(self) -> Loss: ...


def outcome_is_a_number(self: object, y: float) -> bool:
    return y == y


def average_advice(
    self: object, learner: object, d: Array, x: Array, u: float, scratch: object
) -> float:
    return inner(d, x)


def charge_each_expert(
    self: OneLoss, d: object, a: float, x: Array, y: float, scratch: Room
) -> Losses:
    for i in range(x.shape[0]):
        scratch.ell[i] = self.loss.at(x[i], y)
    return Losses(scratch.ell, self.loss.at(a, y))


def cost_shown(self: object, d: object, a: float, y: object, f: Losses) -> float:
    return f.own


def loss_of(self: OneLoss, a: float, y: float) -> float:
    return self.loss.at(a, y)


def cost_of_mistake(self: object, a: float, y: float) -> float:
    return 1.0 if a != y else 0.0


def keep_losses_shown(
    self: object, f: Losses, a: float, x: object, y: object, E: Array, F: Array, t: int
) -> None:
    for i in range(f.ell.shape[0]):
        E[t, i] = f.ell[i]


@with_methods(cost=cost_shown, keep=keep_losses_shown)
class Allocation(NamedTuple):
    """No advice: the world shows a loss for each expert, the learner pays the mean under its weights."""

    low: float = 0.0
    high: float = 1.0

    def traits(self) -> Traits:
        interval = (self.low, self.high)
        return Traits(LOSSES, "expert", draws=True, interval=interval, has_realised_cost=True)

    def act(self, learner: object, d: Array, x: object, u: float, scratch: object) -> float:
        # follow one expert; the expected cost is that of the weighted average
        return float(draw(d, u))

    def known(self, y: Array) -> bool:
        return True

    def feedback(self, d: Array, a: float, x: object, y: Array, scratch: object) -> Losses:
        return Losses(y, inner(d, y))

    def realised_cost(self, a: float, y: Array) -> float:
        loss: float = y[int(a)]
        return loss


@with_methods(
    act=average_advice,
    known=outcome_is_a_number,
    feedback=charge_each_expert,
    cost=cost_shown,
    realised_cost=loss_of,
    keep=keep_losses_shown,
)
class Advice(NamedTuple):
    """Predict the weighted average of the advice; charge each expert its own loss."""

    loss: Loss

    def traits(self) -> Traits:
        return Traits(ADVICE, "number", loss=self.loss, mixes=True, averages=True)


@with_methods(
    known=outcome_is_a_number,
    feedback=charge_each_expert,
    cost=cost_shown,
    realised_cost=loss_of,
    keep=keep_losses_shown,
)
class Substitution(NamedTuple):
    """Vovk's prediction for the square loss on [low, high], at the learner's rate (A-AA-SQ).

    With g(y) = -(1/eta) ln sum_i d_i exp(-eta (y - x_i)^2) it predicts
    (low + high)/2 + (g(low) - g(high)) / (2 (high - low)): no outcome in between makes that cost more than g.
    """

    loss: Loss

    def traits(self) -> Traits:
        return Traits(ADVICE, "number", loss=self.loss, mixes=True)

    def act(self, learner: Any, d: Array, x: Array, u: float, scratch: Room) -> float:
        low, high, eta = self.loss.low, self.loss.high, learner.eta
        g = 0.0
        for end in range(2):
            y = high if end else low
            m, s = np.inf, 0.0
            for i in range(x.shape[0]):
                if d[i] > 0.0:
                    m = min(m, (y - x[i]) ** 2)
            for i in range(x.shape[0]):
                s += d[i] * np.exp(-eta * ((y - x[i]) ** 2 - m)) if d[i] > 0.0 else 0.0
            g += (m - np.log(s) / eta) * (-1.0 if end else 1.0)
        return min(max(0.5 * (low + high) + 0.5 * g / (high - low), low), high)


@with_methods(act=average_advice, known=outcome_is_a_number, realised_cost=loss_of)
class Tangent(NamedTuple):
    """The gradient trick: charge the tangent of the loss at the prediction, to compete with mixtures too."""

    loss: Loss

    def traits(self) -> Traits:
        return Traits(ADVICE, "number", loss=self.loss, mixes=True, averages=True, tangents=True)

    def feedback(self, d: Array, a: float, x: Array, y: float, scratch: Room) -> Losses:
        g = self.loss.slope(a, y)
        for i in range(x.shape[0]):
            scratch.ell[i] = g * (
                x[i] - a
            )  # the tangent less its value at a, which changes no regret
        return Losses(scratch.ell, 0.0)

    def cost(self, d: Array, a: float, y: float, f: Losses) -> float:
        return self.loss.at(a, y)

    def keep(self, f: Losses, a: float, x: Array, y: float, E: Array, F: Array, t: int) -> None:
        for i in range(f.ell.shape[0]):
            E[t, i] = self.loss.at(x[i], y)
            F[t, i] = f.own - f.ell[i]


@with_methods(
    known=outcome_is_a_number,
    cost=cost_shown,
    realised_cost=cost_of_mistake,
    keep=keep_losses_shown,
)
class Vote(NamedTuple):
    """Predict the label with most weight; labels are coded 0, 1, …; a tie goes to the larger (1) or smaller (0)."""

    tie: int = 1

    def traits(self) -> Traits:
        return Traits(ADVICE, "label", classes=SEVERAL, counts_mistakes=True)

    def act(self, learner: Any, d: Array, x: Array, u: float, scratch: Room) -> float:
        for c in range(scratch.votes.shape[0]):
            scratch.votes[c] = 0.0
        for i in range(x.shape[0]):
            scratch.votes[int(x[i])] += d[i]
        best = 0
        for c in range(1, scratch.votes.shape[0]):
            # equal weights that were summed in another order differ in their last bits, and are still a tie
            lead = scratch.votes[c] - scratch.votes[best]
            slack = 1e-12 * (scratch.votes[c] + scratch.votes[best])
            if lead > slack or (self.tie == 1 and lead >= -slack and scratch.votes[c] > 0.0):
                best = c
        return float(best)

    def feedback(self, d: Array, a: float, x: Array, y: float, scratch: Room) -> Losses:
        for i in range(x.shape[0]):
            scratch.ell[i] = 1.0 if x[i] != y else 0.0
        return Losses(scratch.ell, 1.0 if a != y else 0.0)


@with_methods(
    known=outcome_is_a_number, cost=cost_shown, realised_cost=loss_of, keep=keep_losses_shown
)
class Draw(NamedTuple):
    """Follow one expert, drawn by weight; the expected cost has a closed form, and that is what counts."""

    loss: Loss

    def traits(self) -> Traits:
        return Traits(
            ADVICE, "number", draws=True, loss=self.loss, has_realised_cost=True, averages=True
        )

    def act(self, learner: Any, d: Array, x: Array, u: float, scratch: Room) -> float:
        followed: float = x[draw(d, u)]
        return followed

    def feedback(self, d: Array, a: float, x: Array, y: float, scratch: Room) -> Losses:
        for i in range(x.shape[0]):
            scratch.ell[i] = self.loss.at(x[i], y)
        own = 0.0
        for i in range(x.shape[0]):
            own += d[i] * scratch.ell[i] if d[i] > 0.0 else 0.0  # 0 times an infinite loss is 0
        return Losses(scratch.ell, own)


@with_methods(known=outcome_is_a_number)
class Sleeping(NamedTuple):
    """Any game with advice, where advice may be missing (NaN).

    A sleeping expert is taken to agree with the learner: the weights are those of the experts awake, made to sum
    to one (uniform where they have no mass), and the sleeper is charged the learner's own loss. Then every regret
    bound of the game underneath holds for the rounds in which the comparator was awake. When all sleep, the last
    prediction is repeated.
    """

    game: Any

    def traits(self) -> Traits:
        traits: Traits = self.game.traits()
        return traits

    def act(self, learner: Any, d: Array, x: Array, u: float, scratch: Room) -> float:
        awake = weigh_awake(d, x, scratch)
        a: float = self.game.act(learner, scratch.d, scratch.x, u, scratch)
        if awake > 0:
            return a
        last: float = read(scratch.last, 0, a)
        return last

    def feedback(self, d: Array, a: float, x: Array, y: float, scratch: Room) -> Losses:
        awake = weigh_awake(d, x, scratch)  # again: with late feedback other rounds came in between
        f = self.game.feedback(scratch.d, a, scratch.x, y, scratch)
        own = f.own if awake > 0 else self.game.realised_cost(a, y)
        for i in range(x.shape[0]):
            if x[i] != x[i]:
                scratch.ell[i] = own
        return Losses(scratch.ell, own)

    def cost(self, d: Array, a: float, y: float, f: Losses) -> float:
        cost: float = self.game.cost(d, a, y, f)
        return cost

    def realised_cost(self, a: float, y: float) -> float:
        loss: float = self.game.realised_cost(a, y)
        return loss

    def keep(self, f: Losses, a: float, x: Array, y: float, E: Array, F: Array, t: int) -> None:
        self.game.keep(f, a, x, y, E, F, t)
        for i in range(x.shape[0]):
            if x[i] != x[i]:
                E[t, i] = self.game.cost(
                    f.ell, a, y, f
                )  # no game with advice asks what was decided


def weigh_awake(d: Array, x: Array, scratch: Room) -> int:
    """Put the decision and the advice of the experts awake into `scratch`; return how many are awake."""
    n, awake, mass = x.shape[0], 0, 0.0
    for i in range(x.shape[0]):
        if x[i] == x[i]:
            awake += 1
            mass += d[i]
    for i in range(x.shape[0]):
        if x[i] == x[i]:
            scratch.x[i] = x[i]
            # when no expert sleeps nothing is scaled, so that a round costs the same in any chunk, bit for bit
            scratch.d[i] = d[i] if awake == n else d[i] / mass if mass > 0.0 else 1.0 / awake
        else:
            scratch.x[i] = 0.0
            scratch.d[i] = 0.0 if awake > 0 else 1.0 / n  # a game that acts needs some weight
    return awake
