"""Tracking a few experts that come back: mixing in the past posteriors."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from ..core import losses
from ..core.errors import BadInput
from ..core.guarantee import BOUNDED, Guarantee, Symbols
from ..core.numeric import xlog
from ..core.stream import Array
from ..games import Game, Losses, Shape
from .fixed_share import (
    MIXES,
    TINY,
    Tracking,
    fair_rate,
    hoeffding,
    limit,
    posterior,
    sharing,
    unset,
)


def nats(s: Symbols) -> Any:
    """What it pays, times eta, for a sequence of m experts with at most k shifts.

    Let v_t be the posterior of round t, v_0 = p_1 uniform. Staying with expert j costs ln(v_tj / p_(t+1)j) <=
    ln(1/(1-alpha)). A shift after round t to expert j, whose last segment ended in round q < t (q = 0: it is new),
    finds p_(t+1)j >= (alpha/t) v_qj: of the cost ln(v_ti / p_(t+1)j) the part ln(t/alpha) <= ln((T-1)/alpha) is paid
    for the shift, and ln v_ti, at the end of i's segment, meets -ln v_ti at the start of i's next one. What is left
    is ln(1/v_0j) = ln n for each of the m experts.
    """
    k = np.minimum(s.k, s.T - 1)
    moves = np.maximum(sharing(s, k) + xlog(k, s.T - 1), sharing(s, 0 * k))
    return np.minimum(s.m, s.n) * np.log(s.n) + moves


STATEMENT = (
    "C = m ln n + k ln(1/alpha) + (T-1-k) ln(1/(1-alpha)) + k ln(T-1); "
    "at alpha_t = 1/(t+1) it is m ln n + ln T + 2 k ln(T-1)"
)
T_MPP = Guarantee(
    "T-MPP",
    "mixing past posteriors",
    f"loss - L <= C / eta for every sequence of m experts with k shifts, {STATEMENT}",
    "Bousquet & Warmuth 2003, fixed share to the uniform past",
    lambda s: nats(s) / s.eta,
    against="sequence",
    assumptions=(MIXES,),
    when=lambda s: limit(s) > 0,
    uses=("T", "n", "k", "m", "eta", "alpha"),
)
T_MPP_ALLOC = Guarantee(
    "T-MPP-ALLOC",
    "mixing past posteriors over losses in a range",
    f"loss - L <= C / eta + eta B^2 T / 8 for every sequence of m experts with k shifts, {STATEMENT}",
    "Bousquet & Warmuth 2003, with Hoeffding's lemma",
    lambda s: nats(s) / s.eta + s.eta * s.B**2 * s.T / 8,
    against="sequence",
    assumptions=(BOUNDED,),
    when=hoeffding,
    uses=("T", "n", "k", "m", "B", "eta", "alpha"),
)


class State(NamedTuple):
    p: Array  # the weights
    S: Array  # the sum of the posteriors before the last one, the uniform one first
    t: int  # rounds so far
    alpha: float  # the share rate; -1 where it is 1/(t+1)


class MixingPastPosteriors(Tracking):
    """Follow the best sequence of experts, cheaply where a few of them keep coming back.

        p = v_0 = 1/n
        each round t:  predict p . x;  v_t = p_i exp(-eta loss(x_i, y)), normalised;
                       p = (1-alpha) v_t + alpha (v_0 + ... + v_(t-1)) / t

    O(n) a round: only the sum of the past posteriors is kept. A shift to an expert that did well before costs ln T,
    where fixed share pays ln n as well. Left unset, alpha is 1/(t+1) after round t, and eta is set as by fixed
    share; where that takes the number of rounds, it has to be known.

    >>> learner = MixingPastPosteriors(loss="log", alpha=0.1)
    >>> learner.update([0.9, 0.1], 1.0).weights.round(4).tolist()
    [0.86, 0.14]

    Bousquet & Warmuth (2003). Ledger: section 5, named there.
    """

    guarantees = (T_MPP, T_MPP_ALLOC)

    def tuned(self, shape: Shape, game: Game) -> Self:
        if self.eta is not None:
            return self
        eta = self.mixing(game)
        if not eta > 0 and not shape.T:
            what = (
                "losses alone"
                if game.traits().kind.losses_alone
                else f"the {losses.name(losses.parse_loss(self.loss))} loss"
            )
            raise BadInput(
                f"{self.key}: for {what} set eta, or say the number of rounds: play(..., horizon=T), start(n, rounds=T)"
            )
        return self.replace(
            eta=eta if eta > 0 else fair_rate(shape.n, unset(self.alpha), shape.T) / shape.span
        )

    def begin(self, shape: Shape) -> State:
        p = np.full(shape.n, 1.0 / shape.n)
        return State(p, p.copy(), 0, unset(self.alpha))

    def decide(self, state: State, x: Array) -> Array:
        return state.p

    def learn(self, state: State, x: Array, p: Array, f: Losses) -> State:
        t = state.t + 1
        posterior(state.p, self.eta, f.ell)  # type: ignore[arg-type]
        alpha = state.alpha if state.alpha >= 0.0 else 1.0 / (t + 1.0)
        part = alpha / t
        for i in range(state.p.shape[0]):
            v = state.p[i]
            state.p[i] = max((1.0 - alpha) * v + part * state.S[i], TINY)
            state.S[i] += v
        return State(state.p, state.S, t, state.alpha)
