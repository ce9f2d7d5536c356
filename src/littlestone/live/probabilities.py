"""Probabilities of classes, for learners whose decisions can be read as probabilities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.game import ONE, SEVERAL


def probabilities(live: Any, x: Any) -> dict[Any, float]:
    """The probability of each class that is known, for one example.

    Where the user did not declare the classes, `LabelEncoder.unseen` is kept for one that has not occurred.
    """
    traits, key = live.traits, live.learner.key
    if not traits.kind.has_examples or not traits.classes:
        raise BadInput(f"{key} predicts no classes: it has no probabilities of them")
    vector = traits.action == "distribution" and traits.width != ONE
    if not (traits.scores or traits.draws or vector):
        raise BadInput(
            f"the scores of {key} are no probabilities; those of logistic, softmax and online-linear are"
        )
    found = live.decide(x)
    if traits.classes == SEVERAL:
        known = list(live.labels)
        if vector:
            return {y: float(p) for y, p in zip(known, live.out.actions[0], strict=False)}
        e = np.exp(found - np.max(found))
        e *= (1.0 - live.coder.unseen(live.t)) / e.sum()
        return {y: float(p) for y, p in zip(known, e, strict=False)}
    low, high = live.coder.label(0.0), live.coder.label(1.0)
    if low is None:
        return {}
    coin, logistic = 0.5 * (1.0 + found), 0.5 * (1.0 + math.tanh(0.5 * found))
    one = min(max(coin, 0.0), 1.0) if traits.draws else logistic
    return {low: 1.0} if low == high else {low: 1.0 - one, high: one}
