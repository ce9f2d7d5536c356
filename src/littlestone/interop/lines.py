"""The weights and constants of a learner whose scores are <w, x> + b, a row for each score."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.game import SEVERAL
from ..core.learner import Learner
from ..linear import eg_plus_minus, logistic, p_norm_perceptron
from ..linear.parts import descent

AnyLearner = Learner[Any, Any, Any, Any]


def line(learner: AnyLearner, features: int) -> tuple[Any, Any] | None:
    """Weights (scores, features) and constants (scores); None where scores are not linear in the features.

    Learners that measure features in units of their own cut values that are larger than the second largest so far: of
    such values the scores are not these.
    """
    live: Any = learner.live
    found = weights(learner, live)
    if found is None:
        return None
    start = int(live.intercept)
    W = np.array(np.atleast_2d(found)[:, : start + features], float)
    b = getattr(live.state, "b", 0.0)  # a constant that is learned apart; AROW's `b` is an array
    own = b if isinstance(b, float) else 0.0
    constant = W[:, 0].copy() if start else np.full(len(W), own)
    return W[:, start:], constant


def weights(learner: AnyLearner, live: Any) -> Any:
    """A weight for each coordinate of the state, or a row of them for each class."""
    state = live.state
    if isinstance(state, logistic.State):
        state = state.own if len(state.own.w) else state.ball
    if isinstance(state, descent.State):  # a ball shrinks all weights at once
        return state.c * state.w
    if isinstance(state, p_norm_perceptron.State):
        v = state.theta / p_norm_perceptron.power_of_two(state.top or 1.0)
        unit = np.abs(state.units.q) if live.params.normalise else 1.0
        return np.sign(v) * np.abs(v) ** (live.params.p - 1.0) * unit
    if isinstance(state, eg_plus_minus.State):
        return both_signs(state, scaled=live.params.normalise)
    if live.game.traits().classes == SEVERAL:
        W = getattr(state, "W", None)
        return W.T if W is not None and W.ndim == 2 else None
    return learner.coefficients(state)


def both_signs(state: Any, scaled: bool) -> Any:
    """U (e^(eta q) - e^(-eta q)) / sum, by feature; a feature that never came has the weight 0."""
    z = np.minimum(1e300, np.abs(state.rate_now * state.q))
    w = np.sign(state.q) * (np.exp(z - state.top) - np.exp(-z - state.top))
    if scaled:
        met = state.m.typical > 0.0
        w = np.where(met, w / np.where(met, state.m.typical, 1.0), 0.0)
    return state.radius * w / state.Z if state.Z > 0.0 else np.zeros_like(w)
