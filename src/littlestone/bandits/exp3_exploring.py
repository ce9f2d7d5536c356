"""EXP3 as it was first published: with a share of the draws for exploring, and rewards."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple, Self

import numpy as np

from ..core.guarantee import AWAKE, Assumption, Guarantee, Symbols
from ..core.numeric import decay
from ..core.parameters import Interval, Rate
from ..core.scratch import Buffer
from ..core.stream import Array
from ..games import Game, Offer, Pulled, Shape, available
from ..live.bandit_learner import BanditLearner
from .exp3 import excuse

E1 = math.e - 1


class State(NamedTuple):
    gain: Array  # the estimated reward of each arm, since the last restart
    past: Array  # before it
    v: Buffer  # the decision
    gamma: float  # the share of draws for exploring
    most: float  # total reward that gamma was made for; 0 where it stays for ever


def explore(v: Array, gamma: float, x: Offer) -> None:
    """(1 - gamma) v + gamma / (arms that are there), in place."""
    there = 0
    for i in range(v.shape[0]):
        if available(x, i):
            there += 1
    for i in range(v.shape[0]):
        v[i] = (1.0 - gamma) * v[i] + gamma / there if available(x, i) else 0.0


def share_for(g: float, n: int) -> float:
    """The gamma that suits a best total reward of g."""
    return min(1.0, math.sqrt(n * math.log(max(n, 2)) / (E1 * g)))


def suits(s: Symbols) -> str | None:
    g = s.g if s.g > 0 else s.T
    right = share_for(g, s.n)
    if abs(s.gamma - right) > 1e-9 * right:
        return f"gamma is {s.gamma:g}, not {right:g}"
    return None if g * (1 + 1e-9) >= s.G else f"the best arm brought {s.G:g}, more than {g:g}"


T_EXP3_EXPLORING = Guarantee(
    "T-EXP3-EXPLORING",
    "EXP3 with exploration",
    "E[loss] - min_i L_i <= B ((e-1) gamma G + n ln n / gamma), G the total reward of the best arm, rewards on [0, 1]",
    "Auer, Cesa-Bianchi, Freund and Schapire 2002, theorem 3.1",
    lambda s: s.B * (E1 * s.gamma * s.G + s.n * math.log(s.n) / s.gamma),
    assumptions=(AWAKE,),
    mode="in expectation",
    when=lambda s: s.gamma > 0,
    uses=("G", "n", "B", "gamma"),
)
T_EXP3_TUNED = Guarantee(
    "T-EXP3-TUNED",
    "EXP3 with exploration, tuned",
    "E[loss] - min_i L_i <= B 2 sqrt(e-1) sqrt(g n ln n), for gamma = min(1, sqrt(n ln n / ((e-1) g)))",
    "Auer, Cesa-Bianchi, Freund and Schapire 2002, corollary 3.2",
    lambda s: s.B * 2 * math.sqrt(E1 * (s.g if s.g > 0 else s.T) * s.n * math.log(s.n)),
    assumptions=(AWAKE, Assumption("no arm brings more than g (T, where g is left out)", suits)),
    mode="in expectation",
    when=lambda s: s.gamma > 0,
    uses=("T", "g", "n", "B", "gamma"),
)
T_EXP3_1 = Guarantee(
    "T-EXP31",
    "EXP3.1",
    "E[loss] - min_i L_i <= B (8 sqrt(e-1) sqrt(G n ln n) + 8 (e-1) n + 2 n ln n), G the total reward of the best arm",
    "Auer, Cesa-Bianchi, Freund and Schapire 2002, theorem 4.1",
    lambda s: (
        s.B
        * (8 * math.sqrt(E1 * s.G * s.n * math.log(s.n)) + 8 * E1 * s.n + 2 * s.n * math.log(s.n))
    ),
    assumptions=(AWAKE,),
    mode="in expectation",
    when=lambda s: not s.gamma > 0,
    uses=("G", "n", "B"),
)


def grown(n: int, most: float, top: float) -> float:
    """The first total reward, of `most`, 4 `most`, …, that estimates up to `top` fit under."""
    for _ in range(500):  # up to the largest float
        if not top > most - n / share_for(most, n):
            break
        most *= 4.0
    return most


class EXP3Exploring(BanditLearner[State]):
    """Exponential weights on estimated rewards; a share gamma of the draws goes to any arm.

        each round:  v_i = (1 - gamma) exp(gamma g_i / n) / sum + gamma / n;  draw an arm from v
                     g_arm += reward / v_arm

    O(n) a round. No probability is below gamma / n, so no estimate exceeds n / gamma. Where gamma is left out it suits
    a best total reward of `g`, or of T. Where neither is known it is EXP3.1: it begins with a small g and starts again
    with four times as much when an estimate comes close to it. Rewards are 1 - loss on [0, 1].

    >>> learner = EXP3Exploring(gamma=0.5).start(2)
    >>> learner = learner.update(None, 0, reward=1.0)
    >>> learner.propensities().round(3).tolist()  # g = (2, 0): 1/4 + 1/2 exp(1/2) / (exp(1/2) + 1)
    [0.561, 0.439]

    Auer, Cesa-Bianchi, Freund and Schapire (2002). Ledger: A-EXP3-EXPLORING, A-IW; T-EXP3-EXPLORING, T-EXP3-TUNED,
    T-EXP31.
    """

    gamma: Annotated[float | None, Interval(0.0, 1.0, "(]")] = None
    g: Rate = None
    guarantees = (T_EXP3_EXPLORING, T_EXP3_TUNED, T_EXP3_1)

    def tuned(self, shape: Shape, game: Game) -> Self:
        if self.gamma is None and (self.g is not None or shape.T > 0):
            return self.replace(gamma=share_for(self.g or float(shape.T), shape.n))
        return self

    def begin(self, shape: Shape) -> State:
        n = shape.n
        most = 0.0 if self.gamma else grown(n, n * math.log(max(n, 2)) / E1, 0.0)
        gamma = self.gamma or share_for(most, n)
        return State(np.zeros(n), np.zeros(n), np.full(n, 1.0 / n), gamma, most)

    def decide(self, state: State, x: Offer) -> Array:
        n = state.v.shape[0]
        highest, total = -np.inf, 0.0
        for i in range(n):
            if available(x, i):
                highest = max(highest, state.gain[i])
        for i in range(n):
            there = available(x, i)
            state.v[i] = decay(state.gamma / n * (state.gain[i] - highest)) if there else 0.0
            total += state.v[i]
        for i in range(n):
            state.v[i] /= total
        explore(state.v, state.gamma, x)
        return state.v

    def learn(self, state: State, x: Offer, v: Array, f: Pulled) -> State:
        n, reward = v.shape[0], 1.0 - f.loss
        state.gain[f.arm] += reward / f.p
        excuse(state.gain, x, reward)
        gamma, most, top = state.gamma, state.most, 0.0
        for i in range(n):
            top = max(top, state.past[i] + state.gain[i])
        if most > 0.0 and top > most - n / gamma:
            most = grown(n, most, top)
            gamma = share_for(most, n)
            for i in range(n):
                state.past[i] += state.gain[i]
                state.gain[i] = 0.0
        return State(state.gain, state.past, state.v, gamma, most)
