"""A scaler that learns as examples come: centre and spread of each feature, by averages of winsorised values.

    e = clip(x - centre, -10 spread, 10 spread);   n = n / 2 if x was clipped;   n = n + 1
    centre += 3 / (n + 2) e;                       spread += 3 / (n + 2) (|e| - spread)
    z = clip((x - centre) / spread, -10, 10), with the new centre and spread; 0 where all values were alike

The rate 3 / (n + 2) weighs value i by about i^2: polynomial-decay averaging, Shamir & Zhang (2013) with eta = 2. The
spread is a mean absolute deviation, each deviation from the centre of its time. Clipping: Huber (1964), winsorising.

A dense feature is centred. A sparse feature is not, z = x / spread: a sparse row says nothing of the features that it
leaves out. A dense row says that they are 0. But where most features of dense rows are 0 in more than three rounds of
four, these are sparse too, and their zeros are dropped as if the rows were sparse. Centred they are learned worse: the
spread of a feature that is 1 in one round of 30 is a fifteenth, so that its 1 is clipped at OUTLIER, and counts for a
hundred of the features that are not rare.

Of two values the first is the centre, and the spread is their distance.

>>> scaler = init_scaler(1)
>>> for t, v in enumerate([5.0, 8.0]):
...     standardise(scaler, np.array([v]), t)
...     commit_scaler(scaler, np.array([v]))
>>> scaler.stats[0].tolist()  # centre, spread, samples, rounds that were not 0
[5.0, 3.0, 2.0, 2.0]
>>> float(scaler.last_row[Z, 0])  # (8 - 5) / 3: the scaler knows a row before it standardises it
1.0
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.scratch import Buffer
from ...core.stream import Array
from ...core.vectors import dense, expect, index, size, value
from ...engine.lanes import (
    four,
    higher,
    lanes,
    lower,
    pick,
    positive,
    put,
    put_block,
    rows_of,
    total,
    values,
)

OUTLIER = 10.0  # spreads from the centre at which values are winsorised
EXTREME = 1e4  # times the other of the first two values
SPARSE_RATIO = 4.0  # a feature is sparse if fewer than one value in so many rounds is not 0
MIN_SPARSE_WIDTH = (
    16  # features: a first row of so many, under a quarter of them not 0, begins a sparse table
)
SPARSE_GRACE = 8.0  # values other than 0 granted to a feature, so that a few zeros at the beginning mean nothing

# Columns of `stats`, for each feature: its location; mean absolute deviation; effective number of values; in how many
# rounds it was not 0 (in sparse rows: present; -1: a sparse feature). Columns rather than fields: the four numbers of a
# feature lie side by side, and four features are loaded and transposed at once (`rows_of`).
CENTRE, SPREAD, SAMPLES, NONZERO_COUNT, SCALER_COLUMNS = 0, 1, 2, 3, 4
# Rows of `last_row`: features, values as given, and standardised. Where zeros of a dense row are dropped, features and
# standardised values (and `new_stats`) are those of the other entries, side by side: see `feature_of_entry`.
INDEX, RAW, Z, LAST_ROWS = 0, 1, 2, 3
# Entries of `cache`: round and size of the last row, how many of its features turned sparse, and whether all of them
# are dense: 1, or else minus the number of zeros that were dropped.
ROUND, SIZE, RESET_COUNT, ALL_DENSE = 0, 1, 2, 3
NO_LIMIT = 1e300  # in place of 10 spreads, where the spread is 0


class Scaler(NamedTuple):
    """Statistics of the features, and the last row as they standardise it."""

    stats: Array  # features x SCALER_COLUMNS: a sparse row reads a few of them, each in one piece
    new_stats: Buffer  # the same with the last row in it, in its order
    last_row: Buffer  # LAST_ROWS x features, in the order of the last row
    cache: Buffer


def init_scaler(n: int) -> Scaler:
    """A scaler of n features before the first row."""
    return Scaler(
        stats=np.zeros((n, SCALER_COLUMNS)),
        new_stats=np.zeros((n, SCALER_COLUMNS)),
        last_row=np.zeros((LAST_ROWS, n)),
        cache=np.array([-1.0, 0.0, 0.0, 0.0]),
    )


def observe_value(
    v: float, centred: bool, centre: float, spread: float, samples: float
) -> tuple[float, float, float]:
    """Centre, spread and effective number of samples of a feature, with one value more.

    An outlier moves the centre as far as a value at OUTLIER spreads, and halves the number of samples: if more follow,
    they count for more. Of two different values the first is the centre, however often it came before the second, and
    their distance is the spread. But either may be an outlier: where one is EXTREME times the other, the other is the
    centre, and the spread at most its size, since one that is too small grows tenfold in a few rounds, and one that is
    too large shrinks slowly. All else is the same whatever is added to all values.

    >>> observe_value(5.0, True, 0.0, 0.0, 0.0)
    (5.0, 0.0, 1.0)
    >>> observe_value(9.0, True, 5.0, 0.0, 1.0), observe_value(1009.0, True, 1005.0, 0.0, 1.0)
    ((5.0, 4.0, 2.0), (1005.0, 4.0, 2.0))
    >>> observe_value(1e12, True, 5.0, 0.0, 1.0)
    (5.0, 5.0, 2.0)
    >>> observe_value(8.0, True, 5.0, 5.0, 2.0)  # at the rate 3/5
    (6.8, 3.8, 3.0)
    """
    if samples == 0.0:
        return (v, 0.0, 1.0) if centred else (0.0, abs(v), 1.0)
    distance = v - centre
    if distance == 0.0 and spread == 0.0:
        return centre, spread, samples
    if samples == 1.0:
        return observe_second(v, centred, centre, spread)
    if abs(distance) == spread and not centred:  # nothing moves
        return 0.0, spread, samples + 1.0
    if abs(distance) > OUTLIER * spread > 0.0:
        samples *= 0.5
        distance = outlier_distance(distance, spread)
    samples += 1.0
    rate = 3.0 / (samples + 2.0)
    return (
        centre + rate * distance if centred else 0.0,
        spread + rate * (abs(distance) - spread),
        samples,
    )


def observe_second(
    v: float, centred: bool, centre: float, spread: float
) -> tuple[float, float, float]:
    """`observe_value`, where all values so far were alike."""
    if not centred:
        return 0.0, spread if v == 0.0 else min(spread, abs(v)), 2.0
    if is_extreme(v, centre):
        near = v if abs(v) < abs(centre) else centre
        return near, min(abs(v - centre), abs(near)), 2.0
    return centre, abs(v - centre), 2.0


def outlier_distance(distance: float, spread: float) -> float:
    """The distance that an outlier counts as: OUTLIER spreads, on its side."""
    return OUTLIER * spread if distance > 0.0 else -OUTLIER * spread


def is_extreme(v: float, w: float) -> bool:
    """Is one of two numbers so much larger than the other that it may be an outlier?"""
    near, far = min(abs(v), abs(w)), max(abs(v), abs(w))
    return 0.0 < EXTREME * near < far


def is_cached(scaler: Scaler, x: Any, t: int) -> bool:
    """Is this the row that was standardised last, in the same round?"""
    places, read = scaler.last_row[INDEX], scaler.last_row[RAW]
    if scaler.cache[ROUND] != t or scaler.cache[SIZE] != size(x):
        return False
    if dense(x) and size(x) >= 4:
        difference = lanes(0.0, 0.0, 0.0, 0.0)
        for j in range(0, size(x), 4):
            k = min(j, size(x) - 4)
            off = values(x, k) - four(scaler.last_row, RAW, k)
            difference = higher(difference, higher(off, 0.0 - off))
        return total(difference) == 0.0
    same = 0
    for k in range(size(x)):
        same += (dense(x) or places[k] == index(x, k)) & (read[k] == value(x, k))
    return same == size(x)


def standardise(scaler: Scaler, x: Any, t: int) -> None:
    """Standardise the row of round t, by a scaler that knows it already."""
    cache = scaler.cache
    if size(x) >= 4 and may_be_all_dense(scaler, x, t) and standardise_by_four(scaler, x, t):
        cache[RESET_COUNT], cache[ALL_DENSE] = 0.0, 1.0
    else:
        standardise_any(scaler, x, t)
    cache[ROUND], cache[SIZE] = t, size(x)


def may_be_all_dense(scaler: Scaler, x: Any, t: int) -> bool:
    """Are four features of the row, spread over it, dense? Then all of them may be.

    This must not depend on the last row: a prediction in between would change the last bits of what is learned.
    """
    for j in range(4):
        count = scaler.stats[index(x, j * (size(x) - 1) // 3), NONZERO_COUNT]
        if count <= 0.0 if dense(x) else count != t:
            return False
    return True


def standardise_any(scaler: Scaler, x: Any, t: int) -> None:
    """Standardise any row: features may be new, sparse, or turn sparse."""
    new_stats, last_row, again, always = scaler.new_stats, scaler.last_row, 0, 0
    m, sparse = size(x), False
    if dense(x):
        m, sparse = drop_sparse_zeros(scaler, x, t)
    fetch_stats(scaler, x, m)
    for k in range(m):
        i = int(last_row[INDEX, k]) if dense(x) else k
        v, count, z = value(x, i), new_stats[k, NONZERO_COUNT], 0.0
        is_dense = count == t
        if dense(x) and (is_dense or count > 0.0):
            count += 1.0 if v != 0.0 or t == 0 else 0.0
            is_dense = not sparse or sparseness(count, t) <= 0.0
        if count > 0.0 and not is_dense:
            # it missed a round, or was 0 too often: it turns sparse, and begins again without a centre
            centre, spread, samples = 0.0, abs(v), 0.0 if v == 0.0 else 1.0
            again += 1
        else:
            centre, spread, samples = observe_value(
                v, is_dense, new_stats[k, CENTRE], new_stats[k, SPREAD], new_stats[k, SAMPLES]
            )
            z = to_spreads(v - centre, spread)
        always += is_dense
        put(
            new_stats,
            k,
            0,
            lanes(centre, spread, samples, next_nonzero_count(count, is_dense, dense(x), t)),
        )
        last_row[Z, k] = z
        if not dense(x):
            last_row[INDEX, k], last_row[RAW, k] = index(x, k), v
    scaler.cache[RESET_COUNT] = again
    scaler.cache[ALL_DENSE] = 1.0 if always == size(x) else 1.0 * (m - size(x))


def fetch_stats(scaler: Scaler, x: Any, m: int) -> None:
    """Copy the statistics of m features, all at once, so that one does not wait for the memory of another."""
    for k in range(m):
        expect(scaler.stats, x, k, 0)
        i = int(scaler.last_row[INDEX, k]) if dense(x) else index(x, k)
        put(scaler.new_stats, k, 0, four(scaler.stats, i, 0))


def drop_sparse_zeros(scaler: Scaler, x: Any, t: int) -> tuple[int, bool]:
    """List the entries of a dense row without the zeros of sparse features.

    Returns how many entries there are, and whether the table is mostly zeros so far.
    """
    stats, last_row, m, rare, some = scaler.stats, scaler.last_row, 0, 0, 0
    for k in range(size(x)):
        nonzero = value(x, k) != 0.0
        some += nonzero
        rare += (stats[k, NONZERO_COUNT] <= 0.0) | (
            sparseness(stats[k, NONZERO_COUNT] + nonzero, t) > 0.0
        )
    sparse = 2 * rare > size(x)
    if t == 0:
        sparse = size(x) >= MIN_SPARSE_WIDTH and SPARSE_RATIO * some < size(x)
    new = 0.0 if t > 0 or sparse else -1.0  # is a feature that was always 0 sparse?
    for k in range(size(x)):
        last_row[INDEX, m], last_row[RAW, k] = k, value(x, k)
        m += (value(x, k) != 0.0) | (stats[k, NONZERO_COUNT] > new)
    return m, sparse


def sparseness(count: Any, t: int) -> Any:
    """Positive where a feature of dense rows was 0 in so many rounds up to t that it is sparse."""
    return (t + 1.0) - SPARSE_RATIO * (count + SPARSE_GRACE)


def next_nonzero_count(count: float, is_dense: bool, dense_row: bool, t: int) -> float:
    """NONZERO_COUNT of a feature, this round among them."""
    if not is_dense:
        return -1.0
    return count if dense_row else t + 1.0


def count_dropped_zeros(scaler: Scaler) -> float:
    """How many zeros of sparse features were dropped from the last row, which was dense?"""
    return -min(scaler.cache[ALL_DENSE], 0.0)  # type: ignore[no-any-return]


def nothing_dropped(scaler: Scaler, x: Any) -> bool:
    """Was the last row dense, and no zero of it dropped?"""
    return dense(x) and scaler.cache[ALL_DENSE] >= 0.0


def count_entries(scaler: Scaler, x: Any) -> int:
    """How many entries of the last row count?"""
    return size(x) - int(count_dropped_zeros(scaler)) if dense(x) else size(x)


def feature_of_entry(scaler: Scaler, x: Any, k: int) -> int:
    """The feature of the k-th of these entries."""
    if dense(x) and scaler.cache[ALL_DENSE] < 0.0:
        return int(scaler.last_row[INDEX, k])
    return index(x, k)


def standardise_by_four(scaler: Scaler, x: Any, t: int) -> bool:
    """Standardise a row of dense features, four at a time; False where one is sparse, or new.

    The formulas of `observe_value` and `to_spreads`, without a branch.
    """
    stats, new_stats, last_row, odd = (
        scaler.stats,
        scaler.new_stats,
        scaler.last_row,
        lanes(0.0, 0.0, 0.0, 0.0),
    )
    rare = odd
    for j in range(0, size(x), 4):
        k = min(j, size(x) - 4)  # the last four may overlap with those before
        v = values(x, k)
        centre, spread, samples, count = rows_of(stats, x, k, 0)
        distance, missed = v - centre, count - t
        magnitude = higher(distance, 0.0 - distance)
        usual = lower(OUTLIER * spread - magnitude, samples - 1.5)
        if dense(x):
            new = count + pick(0.0, higher(v, 0.0 - v), 1.0, 0.0)
            usual = lower(usual, lower(count - 0.5, 0.0 - sparseness(count, t)))
        else:
            new = 0.0 * samples + (t + 1.0)
            usual = lower(usual, 0.5 - missed * missed)
        if positive(usual):  # no outlier among the four
            z = distance * samples / (spread * samples + 3.0 * magnitude)
            samples, more, less = samples + 1.0, distance, magnitude - spread
            n_plus_2 = samples + 2.0
        else:
            moves = magnitude + spread  # 0 where all values so far were alike
            top = pick(0.0, spread, OUTLIER * spread, NO_LIMIT)
            if dense(x):
                missed = pick(count, 1.0, 1.0, 0.0)
                rare = rare + pick(0.0, sparseness(new, t), 1.0, 0.0)
            odd = odd + (pick(samples, 2.0, moves, 0.0) + missed * missed)
            samples = pick(0.0, moves, pick(top, magnitude, 0.5 * samples, samples) + 1.0, samples)
            more, less = lower(higher(distance, 0.0 - top), top), lower(magnitude, top) - spread
            n_plus_2 = samples + 2.0
            # distance and spread times n + 2, so that one division does not wait for the other
            wide = spread * n_plus_2 + 3.0 * less
            top = OUTLIER * wide
            z = lower(higher(distance * n_plus_2 - 3.0 * more, 0.0 - top), top) / pick(
                0.0, wide, wide, 1.0
            )
        rate = 3.0 / n_plus_2
        centre, spread, count = centre + rate * more, spread + rate * less, new
        put_block(new_stats, k, centre, spread, samples, count)
        put(last_row, RAW, k, v)
        put(last_row, Z, k, z)
    if not dense(x):  # else they are those of the round before
        for k in range(size(x)):
            last_row[INDEX, k] = index(x, k)
    return total(odd) == 0.0 and 2.0 * total(rare) <= size(x)


def to_spreads(v: float, spread: float) -> float:
    """A distance in spreads, OUTLIER at most. Features that are 0 or 1 are frequent, and divisions slow."""
    if abs(v) == spread:
        return 1.0 if v > 0.0 else 0.0 if v == 0.0 else -1.0
    return min(max(v, -OUTLIER * spread), OUTLIER * spread) / spread if spread > 0.0 else 0.0


def commit_scaler(scaler: Scaler, x: Any) -> None:
    """Let the scaler keep the row that was standardised last."""
    stats, new_stats = scaler.stats, scaler.new_stats
    if nothing_dropped(scaler, x):
        for k in range(size(x)):
            put(stats, k, 0, four(new_stats, k, 0))
    else:
        for k in range(count_entries(scaler, x)):
            put(stats, feature_of_entry(scaler, x, k), 0, four(new_stats, k, 0))


def sparse_features(scaler: Scaler) -> Array:
    """1 for each sparse feature, else 0."""
    return (scaler.stats[:, NONZERO_COUNT] < 0.0).astype(float)
