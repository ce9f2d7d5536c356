"""Four Bayesian linear models that differ in how fast they discount the past, as experts of a mixture.

    precision = prior + evidence
    predict with the score <mean, z>, whose variance is sum z^2 / precision
    mean += g z / precision;   evidence = forgetting (evidence + curvature z^2);   forgetting = 1, .999, .99, .9

Each has a diagonal Gaussian posterior of its weights. Forgetting discounts the evidence of earlier rounds, and never
the prior; it remembers all rounds, or about 1,000, 100 or 10 of them. For probabilities updates are implicit: the
gradient g is taken at the new weights, so that the new mean is the mode of the posterior under the Gaussian before it,
and the curvature is Laplace's at that mode. A score counts as score / sqrt(1 + pi variance / 8), moderated.

Raftery, Karny & Ettler (2010), dynamic model averaging; MacKay (1992), moderated outputs; Spiegelhalter & Lauritzen
(1990), sequential updating with a diagonal Laplace approximation; Kulis & Bartlett (2010), implicit updates; Herbster &
Warmuth (1998), the fixed share.

One feature with z = 2, prior precision 1, a gradient of 1/2 and a curvature of 1/4: the mean becomes 1/2 * 2 / 1 = 1,
the evidence forgetting * 2^2 / 4.

>>> from .feature_scaling import init_scaler
>>> scaler, x, posterior, gain = (
...     init_scaler(1),
...     np.zeros(1),
...     init_posterior(1),
...     np.zeros((1, MODELS)),
... )
>>> outputs, scaler.last_row[Z, 0] = np.zeros((CURVATURE + 1, MODELS)), 2.0
>>> score_mean_and_variance(posterior, gain, scaler, x, 1.0, outputs)
>>> outputs[SCORE_VARIANCE].tolist()  # 1 of the intercept, 2^2 of the feature
[5.0, 5.0, 5.0, 5.0]
>>> outputs[GRADIENT], outputs[CURVATURE] = 0.5, 0.25
>>> update_posterior(posterior, gain, scaler, x, 1.0, outputs)
>>> posterior[1].tolist()
[1.0, 1.0, 1.0, 1.0, 1.0, 0.999, 0.99, 0.9]
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.numeric import decay_one
from ...core.stream import Array
from ...core.vectors import expect, size
from ...engine.lanes import decays, four, higher, lanes, lower, pick, put, total
from .feature_scaling import (
    NONZERO_COUNT,
    RESET_COUNT,
    Scaler,
    Z,
    count_entries,
    feature_of_entry,
    nothing_dropped,
)

FORGETTING = (1.0, 0.999, 0.99, 0.9)  # what a round leaves of the evidence, one factor a model
MODELS = len(FORGETTING)
# Columns of a posterior, a row for each weight: the means of the four models, then their evidence. Eight numbers are
# one line of the cache, and the four models are computed side by side (`four`).
MEAN, EVIDENCE, POSTERIOR_COLUMNS = 0, MODELS, 2 * MODELS
STACK = MODELS  # among the experts, the stack of the models comes after them
MODELS_AND_STACK = MODELS + 1
MAX_VARIANCE = 1e100  # a larger variance counts as this where its square is computed
MODERATION = math.pi / 8.0  # MacKay (1992)

# Rows of `experts`, a column for each and one for their mixture: weights of the inputs of the stack; weights of the
# experts in the mixture; their log losses so far; the likelihood that each gave to the last outcome; for numbers the
# variance of the noise, and the number of rounds that it stands for; the first weights in the mixture. Rows rather than
# fields: four experts are loaded and stored at once, which takes a row of an array, and the models of several scales
# are one array.
(
    STACK_WEIGHTS, MIX_WEIGHTS, CUMULATIVE_LOSS, LIKELIHOOD, NOISE_VARIANCE, NOISE_COUNT, MIX_PRIOR, EXPERT_ROWS,
) = range(8)  # fmt: skip
COIN_PRIOR = 1.0 / 256.0  # the first weight of coin betting, where it is a sixth expert
# Rows of `outputs` of the last row, for each model: mean and variance of the score; signed minus gradient and curvature
# of the loss at the new weights. Rows for the same reason.
SCORE_MEAN, SCORE_VARIANCE, GRADIENT, CURVATURE = 0, 1, 2, 3


def init_experts(m: int = MODELS_AND_STACK) -> Array:
    """First weights of m experts: the models, their stack, and perhaps coin betting, of which less is expected.

    >>> init_experts()[[STACK_WEIGHTS, MIX_WEIGHTS]].round(2).tolist()
    [[0.25, 0.25, 0.25, 0.25, 0.0, 0.0], [0.2, 0.2, 0.2, 0.2, 0.2, 0.0]]
    """
    experts = np.zeros((EXPERT_ROWS, m + 1))
    experts[STACK_WEIGHTS, :MODELS], experts[MIX_PRIOR, :m] = 1.0 / MODELS, 1.0 / MODELS_AND_STACK
    if m > MODELS_AND_STACK:
        experts[MIX_PRIOR, :MODELS_AND_STACK] = (1.0 - COIN_PRIOR) / MODELS_AND_STACK
        experts[MIX_PRIOR, MODELS_AND_STACK] = COIN_PRIOR
    experts[MIX_WEIGHTS] = experts[MIX_PRIOR]
    return experts


def init_posterior(n: int) -> Array:
    """The posterior of an intercept, in row 0, and n weights, before the first round: mean 0, no evidence."""
    return np.zeros((n + 1, POSTERIOR_COLUMNS))


def score_mean_and_variance(
    posterior: Array, gain: Array, scaler: Scaler, x: Any, prior_precision: float, outputs: Array
) -> None:
    """The mean of the score of each model and its variance; `gain`, z / precision, is kept for the update."""
    mean, variance = (
        four(posterior, 0, MEAN),
        1.0 / (prior_precision + four(posterior, 0, EVIDENCE)),
    )
    z = scaler.last_row[Z]
    if nothing_dropped(scaler, x):
        # a loop of its own, since to ask for each feature takes a tenth of the time
        for k in range(size(x)):
            mean, variance = add_feature_to_score(
                posterior, gain, k + 1, k, z[k], prior_precision, mean, variance
            )
    else:
        for k in range(count_entries(scaler, x)):
            expect(posterior, x, k, 1)
            i = feature_of_entry(scaler, x, k) + 1
            mean, variance = add_feature_to_score(
                posterior, gain, i, k, z[k], prior_precision, mean, variance
            )
    put(outputs, SCORE_MEAN, 0, mean)
    put(outputs, SCORE_VARIANCE, 0, variance)


def add_feature_to_score(
    posterior: Array,
    gain: Array,
    i: int,
    k: int,
    z: float,
    prior_precision: float,
    mean: Any,
    variance: Any,
) -> tuple[Any, Any]:
    """Means and variances of the scores with one feature more, whose weight is in row i."""
    v = z / (prior_precision + four(posterior, i, EVIDENCE))
    put(gain, k, 0, v)
    return mean + z * four(posterior, i, MEAN), variance + z * v


def update_posterior(
    posterior: Array, gain: Array, scaler: Scaler, x: Any, prior_precision: float, outputs: Array
) -> None:
    """Means move by the gain times the gradient; the evidence grows by the curvature, and is discounted."""
    gradient, curvature = four(outputs, GRADIENT, 0), four(outputs, CURVATURE, 0)
    z, evidence = scaler.last_row[Z], four(posterior, 0, EVIDENCE)
    put(posterior, 0, MEAN, four(posterior, 0, MEAN) + gradient / (prior_precision + evidence))
    put(posterior, 0, EVIDENCE, lanes(*FORGETTING) * (evidence + curvature))
    if nothing_dropped(scaler, x):
        for k in range(size(x)):
            update_weight(posterior, gain, k + 1, k, z[k], gradient, curvature)
    else:
        for k in range(count_entries(scaler, x)):
            i = feature_of_entry(scaler, x, k) + 1
            update_weight(posterior, gain, i, k, z[k], gradient, curvature)


def update_weight(
    posterior: Array, gain: Array, i: int, k: int, z: float, gradient: Any, curvature: Any
) -> None:
    """The update of one weight, in row i."""
    put(posterior, i, MEAN, four(posterior, i, MEAN) + gradient * four(gain, k, 0))
    evidence = four(posterior, i, EVIDENCE) + curvature * (z * z)
    put(posterior, i, EVIDENCE, lanes(*FORGETTING) * evidence)


def reset_weights(posterior: Array, scaler: Scaler, x: Any) -> None:
    """Weights of features that turn sparse with this row begin again, since their scale does."""
    if scaler.cache[RESET_COUNT] > 0.0:
        reset_some_weights(posterior, scaler, x)


def reset_some_weights(posterior: Array, scaler: Scaler, x: Any) -> None:
    """`reset_weights`, where there are such features."""
    for k in range(count_entries(scaler, x)):
        i = feature_of_entry(scaler, x, k)
        if scaler.stats[i, NONZERO_COUNT] > 0.0 > scaler.new_stats[k, NONZERO_COUNT]:
            for j in range(POSTERIOR_COLUMNS):
                posterior[i + 1, j] = 0.0


def implicit_gradient(margin: Any, variance: Any) -> Any:
    """The g of an implicit update of the log loss, g = 1 / (1 + exp(margin + variance g)), for each model; nearly.

    Two steps of Halley's method for the margin after the update, u = margin + variance g, from where g = 1/2 - u/4
    would put it, if that is in [margin, margin + variance]; then a Taylor step for g at the last u. Where the variance
    exceeds 1, a g that would carry the margin beyond u is cut. The error of g is 1e-11 at variance 10, 3e-6 at 100
    and 2e-4 at 1,000; with importance 1 the variance stays below that.

    >>> g = implicit_gradient(np.zeros(4), np.full(4, 2.0))[0]
    >>> bool(abs(g - 1 / (1 + math.exp(2 * g))) < 1e-12)
    True
    """
    u = (margin + 0.5 * variance) / (1.0 + 0.25 * variance)
    u = higher(margin, lower(margin + variance, u))
    g, d, bounded = u, u, lower(variance, MAX_VARIANCE)
    for _ in range(2):
        # f = u - margin - variance g with g = 1 / (1 + exp(u)), its slope and its bend, times c, c^2 and c^3: a
        # division is slow, and all wait for it
        e = decays(lower(u, 0.0 - u))
        c, n = 1.0 + e, pick(0.0, u, e, 1.0)
        f = (u - margin) * c - bounded * n
        slope, bend = c * c + bounded * e, bounded * e * (c - 2.0 * n)
        d = c * f * slope / (slope * slope + 0.5 * f * bend)
        g, u = n / c, u - d
    g = g + d * (g * (1.0 - g)) * (1.0 + 0.5 * d * (1.0 - 2.0 * g))  # at the new u, by Taylor
    return pick(1.0, variance, lower(g, (u - margin) / variance), g)


def sigmoids(score: Any) -> Any:
    """1 / (1 + exp(-score)), of four scores."""
    e = decays(lower(score, 0.0 - score))
    q = 1.0 / (1.0 + e)
    return pick(score, 0.0, e * q, q)


def sigmoid(score: float) -> float:
    """1 / (1 + exp(-score))."""
    e = decay_one(-abs(score))
    q = 1.0 / (1.0 + e)
    return q if score >= 0.0 else e * q


def fixed_share(experts: Array, t: int) -> None:
    """Weights of the mixture after round t (from 0): Bayes' rule, then 1/(t + 2) goes back to the first weights.

    >>> experts = init_experts()
    >>> experts[LIKELIHOOD, :5] = 1.0, 0.0, 0.0, 0.0, 0.0
    >>> fixed_share(experts, 0)  # half of it is shared
    >>> experts[MIX_WEIGHTS, :5].round(2).tolist()
    [0.6, 0.1, 0.1, 0.1, 0.1]
    """
    m, share = experts.shape[1] - 1, 1.0 / (t + 2.0)
    weighted = four(experts, MIX_WEIGHTS, 0) * four(experts, LIKELIHOOD, 0)
    whole = total(weighted)
    for j in range(MODELS, m):
        experts[MIX_WEIGHTS, j] *= experts[LIKELIHOOD, j]
        whole += experts[MIX_WEIGHTS, j]
    kept = (1.0 - share) / whole
    put(experts, MIX_WEIGHTS, 0, kept * weighted + share * four(experts, MIX_PRIOR, 0))
    for j in range(MODELS, m):
        experts[MIX_WEIGHTS, j] = kept * experts[MIX_WEIGHTS, j] + share * experts[MIX_PRIOR, j]


def regret_to_best_expert(experts: Array) -> float:
    """The loss of the mixture less that of the best expert; an expert of a smaller first weight may be better."""
    m, best = experts.shape[1] - 1, experts[CUMULATIVE_LOSS, 0]
    for j in range(1, m):
        advantage = np.log(experts[MIX_PRIOR, 0] / experts[MIX_PRIOR, j])
        best = min(best, experts[CUMULATIVE_LOSS, j] + advantage)
    return experts[CUMULATIVE_LOSS, m] - best  # type: ignore[no-any-return]
