"""Planted learners: what they do is fixed beforehand, so what they lose is known; they promise what they are given."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from littlestone.core import losses
from littlestone.core.guarantee import Guarantee
from littlestone.core.learner import Learner
from littlestone.core.outcome import Outcome
from littlestone.core.parameters import Interval
from littlestone.core.vectors import dot
from littlestone.games import (
    Advice,
    Allocation,
    Bandit,
    Labels,
    Losses,
    Offer,
    Pulled,
    Regression,
    Shape,
)
from littlestone.live.bandit_learner import BanditLearner

Number = Annotated[float, Interval(-math.inf, math.inf)]
Part = Annotated[float, Interval(0.0, 1.0)]
EXPERT = Guarantee(
    "T-PLANTED", "planted", "loss - L_i <= promise", "", lambda s: s.promise, late=True
)
SEQUENCE = Guarantee(
    "T-PLANTED-SHIFTS", "planted", "loss - L(k) <= promise + k each", "",
    lambda s: s.promise + s.k * s.each, against="sequence", late=True,
)  # fmt: skip
MISTAKES = Guarantee(
    "T-PLANTED-MISTAKES", "planted", "mistakes <= promise", "", lambda s: s.promise,
    against="none", measures="mistakes", late=True,
)  # fmt: skip
LOSS = Guarantee(
    "T-PLANTED-LOSS", "planted", "loss <= promise", "", lambda s: s.promise, against="none", late=True
)  # fmt: skip
LINEAR = Guarantee(
    "T-PLANTED-LINEAR", "planted", "loss - L(u) <= promise + each |u|^2", "",
    lambda s: s.promise + s.each * s.U2, against="linear", late=True,
)  # fmt: skip
MEAN = Guarantee(
    "T-PLANTED-MEAN", "planted", "E[regret] <= promise", "", lambda s: s.promise, mode="in expectation"
)  # fmt: skip
PSEUDO = Guarantee(
    "T-PLANTED-PSEUDO", "planted", "E[pseudo-regret] <= promise", "", lambda s: s.promise,
    measures="pseudo-regret", mode="in expectation",
)  # fmt: skip
PROBABLE = Guarantee(
    "T-PLANTED-PROBABLE", "planted", "regret <= promise", "", lambda s: s.promise,
    mode="with probability 1 - delta",
)  # fmt: skip


class Round(NamedTuple):
    t: int  # rounds that it learned from
    p: np.ndarray


class Planted(Learner[Round, Any, Any, Losses], abstract=True):
    """After t rounds: half of the weight on expert t, a quarter on each of the two after it, in turn."""

    promise: Number = 0.0
    each: Number = 0.0
    loss: Any = "absolute"
    guarantees = (EXPERT,)

    def game(self, allocation: bool) -> Any:
        return Allocation() if allocation else Advice(losses.parse_loss(self.loss))

    def begin(self, shape: Shape) -> Round:
        return Round(0, np.zeros(shape.n))

    def decide(self, state: Round, x: Any) -> Any:
        n = state.p.shape[0]
        for i in range(n):
            state.p[i] = 0.0
        state.p[state.t % n] += 0.5
        state.p[(state.t + 1) % n] += 0.25
        state.p[(state.t + 2) % n] += 0.25
        return state.p

    def learn(self, state: Round, x: Any, p: Any, f: Losses) -> Round:
        return Round(state.t + 1, state.p)


class PlantedShifts(Planted, abstract=True):
    """The same, with a promise for every number of shifts."""

    guarantees = (SEQUENCE,)


class Weights(NamedTuple):
    w: np.ndarray


class PlantedLabels(Learner[Weights, Any, float, Outcome], abstract=True):
    """Predicts the sign of the first feature less the second, whatever comes."""

    promise: Number = 0.0
    each: Number = 0.0
    examples = True
    guarantees = (MISTAKES,)

    def game(self, allocation: bool) -> Any:
        return Labels()

    def begin(self, shape: Shape) -> Weights:
        w = np.zeros(shape.n)
        w[0], w[1] = 1.0, -1.0
        return Weights(w)

    def decide(self, state: Weights, x: Any) -> float:
        return dot(state.w, x)

    def learn(self, state: Weights, x: Any, score: float, f: Outcome) -> Weights:
        return Weights(state.w)


class PlantedNumbers(PlantedLabels, abstract=True):
    """Predicts that difference itself."""

    loss: Any = "square"
    guarantees = (LOSS, LINEAR)

    def game(self, allocation: bool) -> Any:
        return Regression(losses.parse_loss(self.loss))


class First(NamedTuple):
    arm: int
    v: np.ndarray


class Stubborn(BanditLearner[First], abstract=True):
    """Pulls any arm, each as likely as another, and stays with it for ever."""

    promise: Number = 0.0
    delta: Part = 0.5
    guarantees = (MEAN,)

    def game(self, allocation: bool) -> Any:
        return Bandit()

    def begin(self, shape: Shape) -> First:
        return First(-1, np.zeros(shape.n))

    def decide(self, state: First, x: Offer) -> Any:
        n = state.v.shape[0]
        for i in range(n):
            state.v[i] = 1.0 / n if state.arm < 0 else 0.0
        if state.arm >= 0:
            state.v[state.arm] = 1.0
        return state.v

    def learn(self, state: First, x: Offer, v: Any, f: Pulled) -> First:
        return First(f.arm if state.arm < 0 else state.arm, state.v)


class StubbornPseudo(Stubborn, abstract=True):
    guarantees = (PSEUDO,)


class StubbornProbable(Stubborn, abstract=True):
    guarantees = (PROBABLE,)
