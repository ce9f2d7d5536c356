"""Stacking: from the scores of the models to logits and probabilities of all experts, and to their weights.

    a_j = clip(score_j / sqrt(1 + pi variance_j / 8), 15)                the logits of the four models
    a   = clip(sum_j w_j a_j + w_last (last label), 15)                  the logit of their stack
    w  += 0.02 (y - sigmoid(a)) inputs                                   by gradient descent, or
    w  += (y - p) C inputs / (1 + p (1 - p) inputs' C inputs)            by Newton's method, C the covariance of w

Stacked generalisation: Wolpert (1992). Logistic mixing by gradient descent: Mattern (2012). The Newton step is that of
an extended Kalman filter whose weights do a random walk. It is taken for two classes where features are sparse, and
there the stack has three inputs more: a constant, the score of coin betting, and a shrunken score. A mixture of all
experts by their likelihoods: Vovk (1990).

Of two classes the first has the score 0, and the logit of the other is a log odds. With more each class has a score,
and probabilities are a softmax.

>>> outputs = np.zeros((2, OUTPUT_ROWS, MODELS_AND_STACK))
>>> outputs[1, LOGIT] = np.log(3.0)  # odds of 3 to 1
>>> set_probabilities(outputs)
>>> outputs[:, PROBABILITY, 0].round(4).tolist()
[0.25, 0.75]
>>> from .discounted_bayes import init_experts
>>> experts = init_experts()
>>> stack_sgd_step(
...     experts, outputs, 1, 0, 1.0
... )  # 1/4 + 0.02 (1 - 3/4) ln 3; and of the last label, which was class 0
>>> experts[STACK_WEIGHTS, [0, LAST_LABEL]].round(5).tolist()
[0.25549, -0.005]
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...core.numeric import decay, log_one
from ...core.scratch import Scratch
from ...core.stream import Array
from ...engine.lanes import four, lanes, logs, put, total
from .discounted_bayes import (
    CUMULATIVE_LOSS,
    EVIDENCE,
    LIKELIHOOD,
    MODELS,
    MODELS_AND_STACK,
    SCORE_MEAN,
    STACK,
    STACK_WEIGHTS,
    fixed_share,
    sigmoid,
    sigmoids,
)
from .feature_scaling import Scaler, Z, count_entries, feature_of_entry

STACK_RATE = 0.02
# Inputs of the stack after the logits of the models: the last label, a constant, the score of coin betting (with
# weights that stay 0 unless it learns by Newton's method), and the shrunken score, whose weight is elsewhere.
LAST_LABEL, BIAS, COIN_INPUT, STACK_INPUTS = MODELS, MODELS + 1, MODELS + 2, MODELS + 4
# Rows behind the covariance: covariance times inputs; the shrunken score of the last row and its weight in the stack.
GAIN_ROW, SHRUNKEN_ROW, SHRUNKEN_SCORE, SHRUNKEN_WEIGHT = STACK_INPUTS, STACK_INPUTS + 1, 0, 1
StackCovariance = Annotated[Array, Scratch(np.s_[SHRUNKEN_ROW:, : SHRUNKEN_SCORE + 1])]
SHRINKAGE = 4.0  # squared ratio of a weight to its deviation at which half of it counts
STACK_PRIOR_VARIANCE = 0.3  # of a weight of the stack; 0.1 and 1 do about as well
STACK_PROCESS_NOISE = 1e-5  # what the variance of such a weight grows by in a round, up to that
COIN, EXPERTS = MODELS_AND_STACK, MODELS_AND_STACK + 1  # coin betting comes after models and stack
MAX_LOGIT = 15.0  # models and stack claim no probability beyond 1 - 3e-7
MIN_PROBABILITY = 1e-15  # of coin betting, whose score is not clipped

# More rows of `outputs` of the last row, for each class and expert: margins of the models, positive where they are
# right; logits; probabilities. Rows rather than fields: four experts are loaded and stored at once.
MARGIN, LOGIT, PROBABILITY, OUTPUT_ROWS = 4, 5, 6, 7


def first_scored_class(K: int) -> int:
    """Of two classes one has weights, and the other the score 0."""
    return 1 if K <= 2 else 0


def set_probabilities(outputs: Array) -> None:
    """Probabilities from logits, for each expert."""
    K = outputs.shape[0]
    if K == 2:
        p, last = sigmoids(four(outputs[1], LOGIT, 0)), sigmoid(outputs[1, LOGIT, STACK])
        put(outputs[1], PROBABILITY, 0, p)
        put(outputs[0], PROBABILITY, 0, 1.0 - p)
        outputs[0, PROBABILITY, STACK], outputs[1, PROBABILITY, STACK] = 1.0 - last, last
        if outputs.shape[2] > COIN:
            last = sigmoid(outputs[1, LOGIT, COIN])
            outputs[0, PROBABILITY, COIN] = max(1.0 - last, MIN_PROBABILITY)
            outputs[1, PROBABILITY, COIN] = max(last, MIN_PROBABILITY)
    else:
        set_softmax(outputs)


def set_softmax(outputs: Array) -> None:
    """`set_probabilities`, for classes that all have scores."""
    for j in range(outputs.shape[2]):
        top, whole = log_sum_exp_parts(outputs, LOGIT, j)
        for c in range(outputs.shape[0]):
            p = decay(outputs[c, LOGIT, j] - top) / whole
            outputs[c, PROBABILITY, j] = max(p, MIN_PROBABILITY)


def log_sum_exp_parts(outputs: Array, row: int, j: int) -> tuple[float, float]:
    """The largest score of an expert, and the sum of exp(score - largest) over the classes."""
    top, whole = outputs[0, row, j], 0.0
    for c in range(1, outputs.shape[0]):
        top = max(top, outputs[c, row, j])
    for c in range(outputs.shape[0]):
        whole += decay(outputs[c, row, j] - top)
    return top, whole


def last_label_feature(c: int, last_label: int, K: int) -> float:
    """The last label as a feature of a class: 1, -1 or 0.

    >>> [last_label_feature(1, last_label, 2) for last_label in (1, 0, -1)]
    [1.0, -1.0, 0.0]
    """
    if last_label == c:
        return 1.0
    return -1.0 if K == 2 and last_label == 0 else 0.0


def clip_logit(score: float) -> float:
    """A score, of at most MAX_LOGIT."""
    return min(max(score, -MAX_LOGIT), MAX_LOGIT)


def update_mixture(experts: Array, outputs: Array, y: int, h: float, t: int) -> None:
    """Losses, likelihoods and weights of the experts, by the probabilities that they gave to the label."""
    p, m = outputs[y, PROBABILITY], outputs.shape[2]
    # the first four experts, and the last four, which overlap
    head, tail = four(outputs[y], PROBABILITY, 0), four(outputs[y], PROBABILITY, m - 4)
    head_loss = four(experts, CUMULATIVE_LOSS, 0) - h * logs(head)
    tail_loss = four(experts, CUMULATIVE_LOSS, m - 4) - h * logs(tail)
    put(experts, CUMULATIVE_LOSS, 0, head_loss)
    put(experts, CUMULATIVE_LOSS, m - 4, tail_loss)
    put(experts, LIKELIHOOD, 0, head)
    for j in range(MODELS, m):
        experts[LIKELIHOOD, j] = p[j]
    if h != 1.0:
        temper_likelihoods(experts, p, h)
    fixed_share(experts, t)


def temper_likelihoods(experts: Array, p: Array, h: float) -> None:
    """Likelihoods of a round of importance h: the powers h of the probabilities p."""
    best, m = 0.0, len(p)
    for j in range(m):
        best = max(best, p[j])
    for j in range(m):  # so that no power leaves the range of floats
        experts[LIKELIHOOD, j] = (p[j] / best) ** h


def init_stack_cov() -> Array:
    """The covariance of the weights of the stack before the first round, and the rows behind it."""
    stack_cov = np.zeros((STACK_INPUTS + 2, 2 * MODELS))
    for j in range(STACK_INPUTS):
        stack_cov[j, j] = STACK_PRIOR_VARIANCE
    return stack_cov


def stack_sgd_step(experts: Array, outputs: Array, y: int, last_label: int, h: float) -> None:
    """The stack learns by a gradient step of its log loss."""
    K, rate = outputs.shape[0], min(STACK_RATE * h, 1.0)
    for c in range(first_scored_class(K), K):
        slope = rate * ((1.0 if c == y else 0.0) - outputs[c, PROBABILITY, STACK])
        for j in range(MODELS):
            experts[STACK_WEIGHTS, j] += slope * outputs[c, LOGIT, j]
        experts[STACK_WEIGHTS, LAST_LABEL] += slope * last_label_feature(c, last_label, K)


def shrunken_score(posterior: Array, scaler: Scaler, x: Any, prior_precision: float) -> float:
    """The score of the model that forgets nothing, with its weights shrunken towards 0.

    Each weight counts by t / (t + 4), t its square over its variance: as far as it is sure not to be 0. Where a few
    features count and hundreds do not, most of the error is in the hundreds. In the spirit of James & Stein (1961).
    """
    s, z, n = posterior[0, 0], scaler.last_row[Z], count_entries(scaler, x)
    four_sums = lanes(0.0, 0.0, 0.0, 0.0)
    for k in range(0, n - 3, 4):  # four divisions at a time
        e, f = feature_of_entry(scaler, x, k) + 1, feature_of_entry(scaler, x, k + 1) + 1
        g, h = feature_of_entry(scaler, x, k + 2) + 1, feature_of_entry(scaler, x, k + 3) + 1
        w = lanes(posterior[e, 0], posterior[f, 0], posterior[g, 0], posterior[h, 0])
        evidence = lanes(
            posterior[e, EVIDENCE],
            posterior[f, EVIDENCE],
            posterior[g, EVIDENCE],
            posterior[h, EVIDENCE],
        )
        t = w * w * (prior_precision + evidence)
        four_sums = four_sums + four(scaler.last_row, Z, k) * w * (t / (t + SHRINKAGE))
    for k in range(n - n % 4, n):
        i = feature_of_entry(scaler, x, k) + 1
        t = posterior[i, 0] * posterior[i, 0] * (prior_precision + posterior[i, EVIDENCE])
        s += z[k] * posterior[i, 0] * (t / (t + SHRINKAGE))
    return s + total(four_sums)  # type: ignore[no-any-return]


def stack_newton_step(
    experts: Array, stack_cov: Array, outputs: Array, y: int, last_label: int, h: float
) -> None:
    """The stack of two classes learns by Newton's method: a Gaussian posterior of its weights, with all covariances.

    The logits of the models are nearly alike, and on sparse rows of which few are of one class all of them are too
    small: by its gradient the stack needs thousands of rounds to find the factor.
    """
    own, coin = outputs[1], 0.0
    if outputs.shape[2] > COIN:
        coin = clip_logit(own[LOGIT, COIN])
    logits = four(own, LOGIT, 0)
    others = lanes(
        last_label_feature(1, last_label, 2), 1.0, coin, stack_cov[SHRUNKEN_ROW, SHRUNKEN_SCORE]
    )
    for j in range(STACK_INPUTS):
        stack_cov[GAIN_ROW, j] = total(
            four(stack_cov, j, 0) * logits + four(stack_cov, j, MODELS) * others
        )
    gain, rest = four(stack_cov, GAIN_ROW, 0), four(stack_cov, GAIN_ROW, MODELS)
    curvature = h * own[PROBABILITY, STACK] * (1.0 - own[PROBABILITY, STACK])
    part = 1.0 / (1.0 + curvature * max(total(gain * logits + rest * others), 0.0))
    slope = h * part * ((1.0 if y == 1 else 0.0) - own[PROBABILITY, STACK])
    for j in range(STACK_INPUTS):
        q = stack_cov[GAIN_ROW, j]
        if j == STACK_INPUTS - 1:
            stack_cov[SHRUNKEN_ROW, SHRUNKEN_WEIGHT] += slope * q
        elif j < experts.shape[1]:  # without coin betting there is no weight for it
            experts[STACK_WEIGHTS, j] += slope * q
        put(stack_cov, j, 0, four(stack_cov, j, 0) - curvature * part * q * gain)
        put(stack_cov, j, MODELS, four(stack_cov, j, MODELS) - curvature * part * q * rest)
        stack_cov[j, j] += STACK_PROCESS_NOISE if stack_cov[j, j] < STACK_PRIOR_VARIANCE else 0.0


def set_margins(outputs: Array, y: int) -> None:
    """The margin of each class against the others together, for each model: positive where it is right."""
    K = outputs.shape[0]
    if K == 2:
        put(outputs[1], MARGIN, 0, (1.0 if y == 1 else -1.0) * four(outputs[1], SCORE_MEAN, 0))
    else:
        set_softmax_margins(outputs, y)


def set_softmax_margins(outputs: Array, y: int) -> None:
    """`set_margins`, for classes that all have scores: the score less ln sum exp of the others."""
    K = outputs.shape[0]
    for j in range(MODELS):
        top, whole = log_sum_exp_parts(outputs, SCORE_MEAN, j)
        for c in range(first_scored_class(K), K):
            ahead = outputs[c, SCORE_MEAN, j]
            ahead -= top + log_one(max(whole - decay(ahead - top), 1e-12 * whole))
            outputs[c, MARGIN, j] = ahead if c == y else -ahead
