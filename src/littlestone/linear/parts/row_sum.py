"""The sum of a row as one more feature, where features are sparse.

    s = the sum of z over the sparse features of the row, standardised as a feature is, by a scaler of its own
    its weight learns as other weights do, with 10 times their prior precision

Sparse features are not centred, and mostly of one sign: together they say how much there is in a row, and the intercept
says nearly the same. A diagonal posterior, which moves one weight at a time, learns such a direction slowly; the weight
of the sum moves all of them at once. The model stays linear. Where no feature is sparse the sum is 0.

Two rows, whose sparse features add up to 1 and to 2: of the first two sums the first is the centre, 1, and the spread
is 1; with four features a row the least scale is sqrt(4) / 2 = 1 as well.

>>> from .feature_scaling import init_scaler, standardise, commit_scaler
>>> from ...core.vectors import Sparse
>>> row_sum, scaler = init_row_sum(1), init_scaler(3)
>>> for t, index in enumerate([[0], [1, 2]], 1):
...     x = Sparse(np.array(index), np.ones(len(index)))
...     standardise(scaler, x, t)
...     standardise_sum(row_sum, scaler, x, 4.0)
...     commit_scaler(scaler, x)
...     commit_sum(row_sum)
>>> row_sum.stats[[CENTRE, SPREAD, STANDARDISED_SUM]].tolist()
[1.0, 1.0, 1.0]
"""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from ...core.scratch import Scratch
from ...core.stream import Array
from ...engine.lanes import four, lanes, put
from .discounted_bayes import (
    CURVATURE,
    EVIDENCE,
    FORGETTING,
    GRADIENT,
    MEAN,
    MODELS,
    POSTERIOR_COLUMNS,
    SCORE_MEAN,
    SCORE_VARIANCE,
)
from .feature_scaling import (
    ALL_DENSE,
    NONZERO_COUNT,
    Scaler,
    Z,
    count_entries,
    observe_value,
    to_spreads,
)

# Entries of `stats`: centre, spread and samples of the sum, as in feature_scaling.py; from WITH_LAST_ROW on the same
# with the last row in them; the scale, and the sum of that row in it.
CENTRE, SPREAD, SAMPLES, WITH_LAST_ROW, SCALE_USED, STANDARDISED_SUM, SUM_ENTRIES = 0, 1, 2, 3, 6, 7, 8  # fmt: skip
# The scale is the spread, but at least so many roots of the number of features in a row. Where the sum hardly varies it
# has nothing to say that the intercept does not, and its last digits would be blown up.
MIN_SCALE = 0.5
SUM_PRIOR_FACTOR = 10.0  # times the prior precision of other weights: it begins slowly


class RowSum(NamedTuple):
    """The posterior of the weight of the sum, and the scaler of the sum."""

    posterior: Array  # classes x 1 x POSTERIOR_COLUMNS; no classes: it is not used
    stats: Annotated[Array, Scratch(np.s_[WITH_LAST_ROW:])]


def init_row_sum(classes: int) -> RowSum:
    """Before the first row."""
    return RowSum(posterior=np.zeros((classes, 1, POSTERIOR_COLUMNS)), stats=np.zeros(SUM_ENTRIES))


def is_active(row_sum: RowSum) -> bool:
    """Has a sparse feature been met?"""
    return row_sum.posterior.shape[0] > 0 and row_sum.stats[SAMPLES] > 0.0  # type: ignore[no-any-return]


def standardise_sum(row_sum: RowSum, scaler: Scaler, x: Any, mean_row_length: float) -> None:
    """Standardise the sum of the row that was standardised last; rows have `mean_row_length` entries on average."""
    stats = row_sum.stats
    stats[STANDARDISED_SUM] = 0.0
    for k in range(WITH_LAST_ROW):
        stats[WITH_LAST_ROW + k] = stats[k]
    if scaler.cache[ALL_DENSE] <= 0.0 or stats[SAMPLES] > 0.0:
        standardise_some(stats, scaler, x, mean_row_length)


def standardise_some(stats: Array, scaler: Scaler, x: Any, mean_row_length: float) -> None:
    """`standardise_sum`, where features may be sparse."""
    s, some = 0.0, 0
    if scaler.cache[ALL_DENSE] <= 0.0:
        for k in range(count_entries(scaler, x)):
            is_sparse = scaler.new_stats[k, NONZERO_COUNT] < 0.0
            s += scaler.last_row[Z, k] if is_sparse else 0.0
            some += is_sparse
    if some > 0 or stats[SAMPLES] > 0.0:
        stats[WITH_LAST_ROW], stats[WITH_LAST_ROW + 1], stats[WITH_LAST_ROW + 2] = observe_value(
            s, some >= 0, stats[CENTRE], stats[SPREAD], stats[SAMPLES]
        )
        stats[SCALE_USED] = max(stats[WITH_LAST_ROW + 1], MIN_SCALE * math.sqrt(mean_row_length))
        stats[STANDARDISED_SUM] = to_spreads(s - stats[WITH_LAST_ROW], stats[SCALE_USED])


def add_sum_to_score(row_sum: RowSum, c: int, prior_precision: float, outputs: Array) -> None:
    """Add its part to the scores of the models, and to their variances."""
    z, posterior = row_sum.stats[STANDARDISED_SUM], row_sum.posterior[c]
    if z != 0.0:
        put(outputs, SCORE_MEAN, 0, four(outputs, SCORE_MEAN, 0) + z * four(posterior, 0, MEAN))
        precision = SUM_PRIOR_FACTOR * prior_precision + four(posterior, 0, EVIDENCE)
        put(outputs, SCORE_VARIANCE, 0, four(outputs, SCORE_VARIANCE, 0) + z * z / precision)


def sum_score(row_sum: RowSum, c: int) -> float:
    """Its part of the score of the model that forgets nothing."""
    return row_sum.stats[STANDARDISED_SUM] * row_sum.posterior[c, 0, 0]  # type: ignore[no-any-return]


def update_sum(row_sum: RowSum, c: int, prior_precision: float, outputs: Array) -> None:
    """Its weight learns as those of the features do."""
    z, posterior = row_sum.stats[STANDARDISED_SUM], row_sum.posterior[c]
    if z != 0.0:
        evidence = four(posterior, 0, EVIDENCE)
        step = z * four(outputs, GRADIENT, 0) / (SUM_PRIOR_FACTOR * prior_precision + evidence)
        put(posterior, 0, MEAN, four(posterior, 0, MEAN) + step)
        evidence = evidence + z * z * four(outputs, CURVATURE, 0)
        put(posterior, 0, EVIDENCE, lanes(*FORGETTING) * evidence)


def commit_sum(row_sum: RowSum) -> None:
    """Let its scaler keep the last row."""
    for k in range(WITH_LAST_ROW):
        row_sum.stats[k] = row_sum.stats[WITH_LAST_ROW + k]


def weight_per_feature(row_sum: RowSum, q: Array, mean_row_length: float) -> Array:
    """What it adds to the weight of each sparse feature, standardised, for each class.

    q has the weights of the models.
    """
    found: Array = row_sum.posterior[:, 0, :MODELS] @ q
    if not is_active(row_sum):
        return 0.0 * found
    return found / max(float(row_sum.stats[SPREAD]), MIN_SCALE * math.sqrt(mean_row_length))
