"""Adversaries: they see the learner's weights, then choose the round.

An adversary is a function (p, t, past) -> losses in [0, 1], or -> (advice, outcome), which charges |advice - outcome|:
p are the weights that the learner is about to play in round t (counted from 0), `past` is what nature remembers.
`duel` plays one against a learner; the losses it returns can be replayed by `play` for a certificate.

Against a learner that predicts rather than allocates, nature answers the prediction: (prediction, advice, t) ->
outcome; `contest` plays that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.learner import Learner
from ..core.numeric import inner
from ..core.stream import Array
from ..games import Losses
from ..live.live import Live
from ..settings import InitialInfo, fit_setting
from ..settings.fit import first_state, fit_learner


class Past(NamedTuple):
    """What an adversary may look at beside the weights: the experts' total losses, and random numbers."""

    L: Array  # total loss of each expert so far
    rng: np.random.Generator


Round = Array | tuple[Array, float]
Adversary = Callable[[Array, int, Past], Round]
Answer = Callable[[float, Array, int], float]


def coin(p: Array, t: int, past: Past) -> Array:
    """Fair coins, whatever the learner does. Ledger: ADV-COIN."""
    return past.rng.integers(0, 2, len(p)).astype(float)


def heavy(p: Array, t: int, past: Past) -> Array:
    """Loss 1 to the heaviest expert only (the first of equals). Ledger: ADV-HEAVY."""
    ell = np.zeros(len(p))
    ell[np.argmax(p)] = 1.0
    return ell


def half(p: Array, t: int, past: Past) -> Array:
    """Loss 1 to the smallest set of heaviest experts that holds half of the weight. Ledger: ADV-HALF.

    >>> half(
    ...     np.array([0.2, 0.4, 0.3, 0.1]), 0, Past(np.zeros(4), np.random.default_rng(0))
    ... ).tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    order = np.argsort(-p, kind="stable")
    # sums of weights that ought to be exactly a half may miss it by their last bits
    held = int(np.searchsorted(np.cumsum(p[order]), 0.5 - 1e-12)) + 1
    ell = np.zeros(len(p))
    ell[order[:held]] = 1.0
    return ell


def constant(winner: int = 0) -> Adversary:
    """All experts but one always lose. Ledger: ADV-CONST."""

    def losses(p: Array, t: int, past: Past) -> Array:
        ell = np.ones(len(p))
        ell[winner] = 0.0
        return ell

    return losses


def flip(advice: Array | None = None) -> Adversary:
    """The label opposite to the learner's mean prediction. Ledger: ADV-FLIP.

    Without advice (T x n), experts are constant: even ones always say 0, odd ones always 1.
    """

    def round_(p: Array, t: int, past: Past) -> Round:
        x: Array = (np.arange(len(p)) % 2).astype(float) if advice is None else advice[t]
        return x, opposite(inner(p, x), x, t)

    return round_


def segments(switches: Sequence[int]) -> Adversary:
    """Fair bits as advice; labels follow an expert, the next one after each switch. Ledger: ADV-SEG."""

    def round_(p: Array, t: int, past: Past) -> Round:
        x = past.rng.integers(0, 2, len(p)).astype(float)
        return x, float(x[sum(t >= s for s in switches) % len(p)])

    return round_


def opposite(prediction: float, x: Array, t: int) -> float:
    """The label that the learner did not predict. Ledger: ADV-FLIP, T-DET-LB, T-CREGRET-LB, T-PERFECT-LB."""
    return 0.0 if prediction >= 0.5 else 1.0


def following(comparator: Sequence[int]) -> Answer:
    """Outcomes that agree with one expert after the other. Ledger: ADV-SEG."""
    return lambda prediction, x, t: float(x[comparator[t]])


def charged(round_: Round, n: int) -> Array:
    """The losses of a round, checked."""
    ell = np.abs(round_[0] - round_[1]) if isinstance(round_, tuple) else np.asarray(round_, float)
    if ell.shape != (n,) or not ((ell >= 0) & (ell <= 1)).all():
        raise BadInput(f"an adversary must charge {n} losses in [0, 1], not {ell}")
    return ell


def duel(
    learner: Learner[Any, Any, Any, Any],
    adversary: Adversary,
    rounds: int,
    n: int,
    seed: int = 0,
) -> tuple[Array, Array]:
    """Play the allocation game against an adversary: the weights and the losses, both T x n.

    >>> import littlestone as ls
    >>> p, ell = duel(ls.Hedge(eta=1.0), heavy, rounds=2, n=2)
    >>> p.round(4).tolist(), ell.tolist()
    ([[0.5, 0.5], [0.2689, 0.7311]], [[1.0, 0.0], [0.0, 1.0]])
    """
    learner, _, shape = fit_learner(learner, learner.game(True), n, rounds, (0.0, 1.0), None)
    params, state = learner.params, first_state(learner, shape)
    past = Past(np.zeros(n), np.random.default_rng(seed))
    weights, losses = np.empty((rounds, n)), np.empty((rounds, n))
    nothing = np.empty(0)
    for t in range(rounds):
        decision = params.decide(state, nothing)
        weights[t] = decision
        losses[t] = charged(adversary(weights[t].copy(), t, past), n)
        own = inner(weights[t], losses[t])
        state = params.learn(state, nothing, decision, Losses(losses[t].copy(), own))
        past.L[:] += losses[t]
    return weights, losses


def contest(
    learner: Learner[Any, Any, Any, Any], answer: Answer, advice: Array, seed: int = 0
) -> tuple[Array, Array]:
    """Play the game with advice in [0, 1] against outcomes that answer the predictions: both of length T."""
    labels = (0.0, 1.0) if learner.labels else None
    known = InitialInfo(n=advice.shape[1], rounds=len(advice), interval=(0.0, 1.0), labels=labels)
    setting = fit_setting(learner, known, losses=False)
    if setting.traits.draws:
        raise BadInput(f"{learner.key} draws its prediction, and nature may not see the draw: duel")
    live = Live(setting, seed=seed, engine="plain")
    predictions, outcomes = np.empty(len(advice)), np.empty(len(advice))
    for t, x in enumerate(advice):
        predictions[t] = live.predict(x)
        outcomes[t] = answer(predictions[t], x, t)
        live.update(x, outcomes[t])
    return predictions, outcomes
