"""A mean of predictions of numbers, with weights by how likely they made the outcomes, that follows the best.

    predict:  sum_i v_i a_i
    learn:    noise  = the mean of (prediction - y)^2 over about the last 500 rounds
              v_i   *= exp(-(a_i - y)^2 / (4 noise)), as outcomes were normal with this noise, to the power 1/2
              v      = (1 - share) v / sum v + share / n,  share = 1/(t + 2)

So it tells predictions apart on the scale of its own errors, however small they are beside the range of the outcomes.
It is one more expert of the aggregating algorithm, whose weights are on the scale of the range, as its theorem needs.
Herbster & Warmuth (1998), the share; Grünwald (2012), the power.

>>> weights, a = init_gaussian_weights(2), np.array([1.0, 0.9])
>>> for t in range(300):
...     update_gaussian_weights(weights, a, 1.0 + 0.1 * (-1.0) ** t, 1.0, t)
>>> weights.v.round(2).tolist()  # the first is right in the mean
[0.99, 0.01]
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.numeric import decay_one
from ...core.stream import Array

NOISE_RATE = 0.002  # at which the noise forgets
POWER = 0.5
LARGEST = 100.0  # times the noise: no squared error counts for more in it, or one outlier would hide all later errors
FARTHEST = 40.0  # times the noise: no squared error counts for more beside the least one


class GaussianWeights(NamedTuple):
    v: Array
    noise: Array  # one number: the mean squared error


def init_gaussian_weights(n: int) -> GaussianWeights:
    """Before the first outcome, of n predictions."""
    return GaussianWeights(v=np.full(n, 1.0 / n), noise=np.zeros(1))


def weighted_mean(weights: GaussianWeights, a: Array) -> float:
    """The prediction, from as many of a as there are weights."""
    total = 0.0
    for i in range(weights.v.shape[0]):
        total += weights.v[i] * a[i]
    return total


def update_gaussian_weights(weights: GaussianWeights, a: Array, y: float, h: float, t: int) -> None:
    """Learn from the outcome of predictions a, of importance h, after t rounds."""
    v, noise, least, whole, share = weights.v, weights.noise, np.inf, 0.0, 1.0 / (t + 2.0)
    error = weighted_mean(weights, a) - y
    square = error * error if noise[0] <= 0.0 else min(error * error, LARGEST * noise[0])
    noise[0] += min(1.0, h * max(NOISE_RATE, 1.0 / (t + 1.0))) * (square - noise[0])
    scale = np.sqrt(noise[0])
    if scale <= 0.0:
        return
    for i in range(v.shape[0]):
        least = min(least, abs(a[i] - y))
    for i in range(v.shape[0]):
        e = abs(a[i] - y)
        farther = min(((e - least) / scale) * ((e + least) / scale), FARTHEST)
        v[i] *= decay_one(-0.5 * POWER * min(h, 1.0) * farther)
        whole += v[i]
    for i in range(v.shape[0]):
        v[i] = (1.0 - share) * v[i] / whole + share / v.shape[0]
