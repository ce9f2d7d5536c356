"""A model's probabilities, made less sure by as much as experience teaches, beside the frequencies of the classes.

    experts:  the frequencies (n_c + 1/2) / (n + K/2);  the model's p, floored, to the powers 1/4, 1/2 and 1
    predict:  sum_i w_i p_i
    learn:    w_i *= p_i(y) / p(y);  then a share 1/(t + 2) of all weight goes to all alike

Krichevsky & Trofimov (1981); Vovk (1990); Herbster & Warmuth (1998), sharing. Its log loss after T rounds is at most
that of each expert + ln 4 + ln T: the weight of expert i before round t is at least (1/4) times the product of
what it gave to the outcomes, over what the mixture gave them, times prod_{s < t - 1} (1 - 1/(s + 2)), which is 1/t.

>>> c, model = init_calibration(2), np.array([0.9, 0.1])
>>> for t in range(400):  # right half of the time: no better than the frequencies
...     mix_calibrations(c, model.copy(), True)
...     update_calibrations(c, t % 2, 1.0, t)
>>> bool(c.weights[FREQUENCIES] > 0.9)
True
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.numeric import decay, log_one
from ..core.scratch import Buffer
from ..core.stream import Array

FREQUENCIES, EXPERTS = 0, 4
KT = 0.5
MOST = 1e300  # that a count may be
FLOOR = 0.01  # the share of the model's probabilities that goes to all classes alike


class Calibration(NamedTuple):
    class_counts: Array  # of the classes
    weights: Array
    losses: Array  # the log loss of each expert
    chances: Buffer  # experts x classes


def init_calibration(K: int) -> Calibration:
    """Before the first outcome, of K classes."""
    return Calibration(
        class_counts=np.zeros(K),
        weights=np.full(EXPERTS, 1.0 / EXPERTS),
        losses=np.zeros(EXPERTS),
        chances=np.zeros((EXPERTS, K)),
    )


def mix_calibrations(calibration: Calibration, p: Array, fitted: bool) -> None:
    """Write the probabilities of the experts, and their mixture into p; without a model all say the frequencies."""
    counts, chances, K, whole = calibration.class_counts, calibration.chances, p.shape[0], 0.0
    for c in range(K):
        whole += counts[c] + KT
    for c in range(K):
        for i in range(EXPERTS):
            chances[i, c] = (counts[c] + KT) / whole
    if fitted:
        for i in range(1, EXPERTS):
            power, total = 2.0 ** (i + 1 - EXPERTS), 0.0
            for c in range(K):
                chances[i, c] = decay(power * log_one((1.0 - FLOOR) * p[c] + FLOOR / K))
                total += chances[i, c]
            for c in range(K):
                chances[i, c] /= total
    for c in range(K):
        p[c] = 0.0
        for i in range(EXPERTS):
            p[c] += calibration.weights[i] * chances[i, c]


def update_calibrations(calibration: Calibration, y: int, h: float, t: int) -> None:
    """Learn the outcome of the probabilities that were mixed last, after t others."""
    weights, chances, whole, best = calibration.weights, calibration.chances, 0.0, 0.0
    for i in range(EXPERTS):
        best = max(best, chances[i, y])
        calibration.losses[i] -= h * log_one(chances[i, y])
    for i in range(EXPERTS):
        # by what is at most 1: an importance of 1,000 overflows nothing
        weights[i] *= (chances[i, y] / best) ** h
        whole += weights[i]
    share = 1.0 / (t + 2.0)
    for i in range(EXPERTS):
        weights[i] = (1.0 - share) * weights[i] / whole + share / EXPERTS
    calibration.class_counts[y] = min(calibration.class_counts[y] + h, MOST)


def calibration_price(s: Any) -> Any:
    """The log loss of the mixture exceeds that of each expert by at most this."""
    return np.log(EXPERTS) + np.log(np.maximum(s.T, 1.0))
