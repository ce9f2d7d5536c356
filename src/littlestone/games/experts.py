"""The games: how a decision becomes an action, what it costs, and what the learner is shown.

A learner over experts decides a distribution over them. Mixing, voting, drawing, Vovk's substitution, the
gradient trick and sleeping experts are games, so no learner contains them. A game is a NamedTuple without
state; `room` is scratch space that the loop owns. Every game answers the same questions:

    act(learner, d, x, u, room)   the prediction, label or draw that the decision d becomes
    known(y)                      does the round have an outcome?
    show(d, a, x, y, room)        what the learner sees: Losses(ell, own), or the label
    cost(d, a, y, f)              what the round costs, in expectation where the game draws
    paid(a, y)                    what the action itself costs
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


def answered(self: object, y: float) -> bool:
    return y == y


def mean(self: object, learner: object, d: Array, x: Array, u: float, room: object) -> float:
    return inner(d, x)


def each(self: OneLoss, d: object, a: float, x: Array, y: float, room: Room) -> Losses:
    for i in range(x.shape[0]):
        room.ell[i] = self.loss.at(x[i], y)
    return Losses(room.ell, self.loss.at(a, y))


def own(self: object, d: object, a: float, y: object, f: Losses) -> float:
    return f.own


def loss_of(self: OneLoss, a: float, y: float) -> float:
    return self.loss.at(a, y)


def wrong(self: object, a: float, y: float) -> float:
    return 1.0 if a != y else 0.0


def as_shown(
    self: object, f: Losses, a: float, x: object, y: object, E: Array, F: Array, t: int
) -> None:
    for i in range(f.ell.shape[0]):
        E[t, i] = f.ell[i]


@with_methods(cost=own, keep=as_shown)
class Allocation(NamedTuple):
    """No advice: the world shows a loss for each expert, the learner pays the mean under its weights."""

    low: float = 0.0
    high: float = 1.0

    def traits(self) -> Traits:
        interval = (self.low, self.high)
        return Traits(LOSSES, "expert", draws=True, interval=interval, paid=True)

    def act(self, learner: object, d: Array, x: object, u: float, room: object) -> float:
        # follow one expert; the expected cost is that of the weighted average
        return float(draw(d, u))

    def known(self, y: Array) -> bool:
        return True

    def show(self, d: Array, a: float, x: object, y: Array, room: object) -> Losses:
        return Losses(y, inner(d, y))

    def paid(self, a: float, y: Array) -> float:
        loss: float = y[int(a)]
        return loss


@with_methods(act=mean, known=answered, show=each, cost=own, paid=loss_of, keep=as_shown)
class Advice(NamedTuple):
    """Predict the weighted average of the advice; charge each expert its own loss."""

    loss: Loss

    def traits(self) -> Traits:
        return Traits(ADVICE, "number", loss=self.loss, mixes=True, averages=True)


@with_methods(known=answered, show=each, cost=own, paid=loss_of, keep=as_shown)
class Substitution(NamedTuple):
    """Vovk's prediction for the square loss on [low, high], at the learner's rate (A-AA-SQ).

    With g(y) = -(1/eta) ln sum_i d_i exp(-eta (y - x_i)^2) it predicts
    (low + high)/2 + (g(low) - g(high)) / (2 (high - low)): no outcome in between makes that cost more than g.
    """

    loss: Loss

    def traits(self) -> Traits:
        return Traits(ADVICE, "number", loss=self.loss, mixes=True)

    def act(self, learner: Any, d: Array, x: Array, u: float, room: Room) -> float:
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


@with_methods(act=mean, known=answered, paid=loss_of)
class Tangent(NamedTuple):
    """The gradient trick: charge the tangent of the loss at the prediction, to compete with mixtures too."""

    loss: Loss

    def traits(self) -> Traits:
        return Traits(ADVICE, "number", loss=self.loss, mixes=True, averages=True, tangents=True)

    def show(self, d: Array, a: float, x: Array, y: float, room: Room) -> Losses:
        g = self.loss.slope(a, y)
        for i in range(x.shape[0]):
            room.ell[i] = g * (x[i] - a)  # the tangent less its value at a, which changes no regret
        return Losses(room.ell, 0.0)

    def cost(self, d: Array, a: float, y: float, f: Losses) -> float:
        return self.loss.at(a, y)

    def keep(self, f: Losses, a: float, x: Array, y: float, E: Array, F: Array, t: int) -> None:
        for i in range(f.ell.shape[0]):
            E[t, i] = self.loss.at(x[i], y)
            F[t, i] = f.own - f.ell[i]


@with_methods(known=answered, cost=own, paid=wrong, keep=as_shown)
class Vote(NamedTuple):
    """Predict the label with most weight; labels are coded 0, 1, …; a tie goes to the larger (1) or smaller (0)."""

    tie: int = 1

    def traits(self) -> Traits:
        return Traits(ADVICE, "label", classes=SEVERAL, counts_mistakes=True)

    def act(self, learner: Any, d: Array, x: Array, u: float, room: Room) -> float:
        for c in range(room.votes.shape[0]):
            room.votes[c] = 0.0
        for i in range(x.shape[0]):
            room.votes[int(x[i])] += d[i]
        best = 0
        for c in range(1, room.votes.shape[0]):
            # equal weights that were summed in another order differ in their last bits, and are still a tie
            lead = room.votes[c] - room.votes[best]
            slack = 1e-12 * (room.votes[c] + room.votes[best])
            if lead > slack or (self.tie == 1 and lead >= -slack and room.votes[c] > 0.0):
                best = c
        return float(best)

    def show(self, d: Array, a: float, x: Array, y: float, room: Room) -> Losses:
        for i in range(x.shape[0]):
            room.ell[i] = 1.0 if x[i] != y else 0.0
        return Losses(room.ell, 1.0 if a != y else 0.0)


@with_methods(known=answered, cost=own, paid=loss_of, keep=as_shown)
class Draw(NamedTuple):
    """Follow one expert, drawn by weight; the expected cost has a closed form, and that is what counts."""

    loss: Loss

    def traits(self) -> Traits:
        return Traits(ADVICE, "number", draws=True, loss=self.loss, paid=True, averages=True)

    def act(self, learner: Any, d: Array, x: Array, u: float, room: Room) -> float:
        followed: float = x[draw(d, u)]
        return followed

    def show(self, d: Array, a: float, x: Array, y: float, room: Room) -> Losses:
        for i in range(x.shape[0]):
            room.ell[i] = self.loss.at(x[i], y)
        own = 0.0
        for i in range(x.shape[0]):
            own += d[i] * room.ell[i] if d[i] > 0.0 else 0.0  # 0 times an infinite loss is 0
        return Losses(room.ell, own)


@with_methods(known=answered)
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

    def act(self, learner: Any, d: Array, x: Array, u: float, room: Room) -> float:
        awake = rouse(d, x, room)
        a: float = self.game.act(learner, room.d, room.x, u, room)
        if awake > 0:
            return a
        last: float = read(room.last, 0, a)
        return last

    def show(self, d: Array, a: float, x: Array, y: float, room: Room) -> Losses:
        awake = rouse(d, x, room)  # again: with late feedback other rounds came in between
        f = self.game.show(room.d, a, room.x, y, room)
        own = f.own if awake > 0 else self.game.paid(a, y)
        for i in range(x.shape[0]):
            if x[i] != x[i]:
                room.ell[i] = own
        return Losses(room.ell, own)

    def cost(self, d: Array, a: float, y: float, f: Losses) -> float:
        cost: float = self.game.cost(d, a, y, f)
        return cost

    def paid(self, a: float, y: float) -> float:
        loss: float = self.game.paid(a, y)
        return loss

    def keep(self, f: Losses, a: float, x: Array, y: float, E: Array, F: Array, t: int) -> None:
        self.game.keep(f, a, x, y, E, F, t)
        for i in range(x.shape[0]):
            if x[i] != x[i]:
                E[t, i] = self.game.cost(
                    f.ell, a, y, f
                )  # no game with advice asks what was decided


def rouse(d: Array, x: Array, room: Room) -> int:
    """Put the decision and the advice of the experts awake into `room`; return how many are awake."""
    n, awake, mass = x.shape[0], 0, 0.0
    for i in range(x.shape[0]):
        if x[i] == x[i]:
            awake += 1
            mass += d[i]
    for i in range(x.shape[0]):
        if x[i] == x[i]:
            room.x[i] = x[i]
            # when no expert sleeps nothing is scaled, so that a round costs the same in any chunk, bit for bit
            room.d[i] = d[i] if awake == n else d[i] / mass if mass > 0.0 else 1.0 / awake
        else:
            room.x[i] = 0.0
            room.d[i] = 0.0 if awake > 0 else 1.0 / n  # a game that acts needs some weight
    return awake
