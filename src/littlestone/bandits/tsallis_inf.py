"""Tsallis-INF: one rule for the best of both worlds, adversarial and stochastic."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from ..core.guarantee import AWAKE, Assumption, Guarantee, Symbols
from ..core.parameters import Choice
from ..core.scratch import Buffer
from ..core.stream import Array
from ..games import Offer, Pulled, Shape, available
from ..live.bandit_learner import BanditLearner
from .exp3 import excuse
from .importance_weighting import RARE, estimate


class State(NamedTuple):
    est: Array  # the estimated total loss of each arm
    v: Buffer  # the decision
    depth: float  # how far c should lie below the smallest estimate: where the next search begins
    t: int


def spread(est: Array, eta: float, x: Offer, v: Array, depth: float) -> None:
    """v_i = (2 / (eta (est_i - least est + depth)))^2 with the depth at which they sum to one.

    Halley's iteration: Newton's, with the second derivative, or without it where that would turn it round. The sum
    falls with the depth; at 2 / eta the best arm alone has 1, so a step that goes below that is cut off there.
    """
    lowest, there = np.inf, x.on.shape[0] == 0  # are all arms there?
    for i in range(v.shape[0]):
        if available(x, i):
            lowest = min(lowest, est[i])
    least = 2.0 / eta
    depth = max(depth, least)
    total = 1.0
    for _ in range(200):
        total, third, fourth = 0.0, 0.0, 0.0
        for i in range(v.shape[0]):
            above = est[i] - lowest + depth
            if not there and x.on[i] == 0.0:
                above = np.inf
            r = least / above
            square = r * r
            v[i] = square
            total += square
            third += square * r
            fourth += square * square
        over = total - 1.0
        if abs(over) <= 1e-13:
            break
        slope, bend = eta * third, 1.5 * eta * eta * fourth
        turn = 2.0 * slope * slope - over * bend
        step = 2.0 * over * slope / turn if turn > 0.0 else over / slope
        depth = max(least, depth + step)
    for i in range(v.shape[0]):
        v[i] /= total


def single(s: Symbols) -> str | None:
    best = int((s.gaps == 0.0).sum())
    return None if best == 1 else f"there are {best}"


def adversarial(s: Symbols) -> float:
    if s.estimator == "iw":
        return float(s.B * (4 * math.sqrt(s.n * s.T) + 1))
    return float(s.B * (2 * math.sqrt(s.n * s.T) + 8 * s.n * math.log(s.T) + 7))


def logarithmic(s: Symbols) -> float:
    gaps = s.gaps[s.gaps > 0.0] / s.B
    each = (4 * np.log(np.maximum(1.0, s.T * gaps**2 / 16)) + 44) / gaps
    return float(s.B * (each.sum() + math.log(s.T) + 13 * math.sqrt(s.n) + 1))


IID = Assumption("losses are drawn independently, from one round to the next alike",
                 lambda s: None if s.iid else s.iid_why, "declared")  # fmt: skip
SINGLE = Assumption("one arm is the best", single)
T_TSALLIS_INF = Guarantee(
    "T-TSALLIS-INF",
    "Tsallis-INF against any adversary",
    "E[loss] - min_i L_i <= B (4 sqrt(n T) + 1) with importance weighting, B (2 sqrt(n T) + 8 n ln T + 7) with "
    "reduced variance",
    "Zimmert and Seldin 2021, theorem 1 (reduced variance: its proof, with constants of our own)",
    adversarial,
    assumptions=(AWAKE,),
    mode="in expectation",
    uses=("T", "n", "B"),
)
T_TSALLIS_LOG = Guarantee(
    "T-TSALLIS-LOG",
    "Tsallis-INF where losses are drawn",
    "E[pseudo-regret] <= sum over the other arms of (4 ln(max(1, T gap^2 / 16)) + 44) / gap + ln T + 13 sqrt(n) + 1",
    "Zimmert and Seldin 2021, theorem 1 (its proof, with constants of our own)",
    logarithmic,
    measures="pseudo-regret",
    assumptions=(AWAKE, IID, SINGLE),
    mode="in expectation",
    when=lambda s: s.estimator == "iw",
    uses=("T", "n", "B", "gaps"),
)


class TsallisINF(BanditLearner[State]):
    """Follow the regularised leader with the square roots of the probabilities: best in both worlds.

        each round:  v_i = 4 / (eta_t (e_i - c))^2, with the c below all e_i that makes them sum to one
                     draw an arm from v, see its loss;  e_arm += loss / v_arm
                     ("rv": e_i += b_i, e_arm += (loss - b_arm) / v_arm, where b_i = 1/2 if v_i >= eta_t^2, else 0)

    O(n) a round and step of Halley's iteration, which starts where it ended before: two or three steps. No horizon and
    no parameter: eta_t is 2 / sqrt(t), or 4 / sqrt(t) with estimates of reduced variance (`estimator="rv"`).
    Probabilities fall like powers, not exponentials, so no arm is ever lost. Regret is within a constant of the best
    possible, whether the losses come from an adversary or are drawn.

    >>> learner = TsallisINF().start(2)
    >>> learner = learner.update(None, 0, 1.0)  # e = (2, 0), eta = sqrt(2), c = -1.54
    >>> learner.propensities().round(3).tolist()
    [0.159, 0.841]

    Zimmert and Seldin (2021). Ledger: A-TSALLIS-INF, A-IW; T-TSALLIS-INF, T-TSALLIS-LOG.
    """

    estimator: Annotated[str, Choice(("iw", "rv"))] = "iw"
    guarantees = (T_TSALLIS_INF, T_TSALLIS_LOG)

    def symbols(self) -> dict[str, str]:
        return {"estimator": self.estimator}

    def begin(self, shape: Shape) -> State:
        return State(np.zeros(shape.n), np.full(shape.n, 1.0 / shape.n), math.sqrt(shape.n), 0)

    def decide(self, state: State, x: Offer) -> Array:
        eta = (2.0 if self.estimator == 0 else 4.0) / math.sqrt(state.t + 1.0)  # type: ignore[comparison-overlap]
        spread(state.est, eta, x, state.v, state.depth)
        return state.v

    def learn(self, state: State, x: Offer, v: Array, f: Pulled) -> State:
        eta = (2.0 if self.estimator == 0 else 4.0) / math.sqrt(state.t + 1.0)  # type: ignore[comparison-overlap]
        highest, guess = RARE, 0.0
        for i in range(v.shape[0]):
            highest = max(highest, v[i])
            if self.estimator == 1 and available(x, i) and v[i] >= eta * eta:  # type: ignore[comparison-overlap]
                state.est[i] += 0.5
                if i == f.arm:
                    guess = 0.5
        state.est[f.arm] += estimate(f.loss - guess, f.p)
        excuse(state.est, x, f.loss)
        depth = 2.0 / (eta * math.sqrt(highest)) * math.sqrt((state.t + 2.0) / (state.t + 1.0))
        return State(state.est, state.v, depth, state.t + 1)
