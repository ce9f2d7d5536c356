"""The unit of each feature, learned as examples come: its second largest value so far.

The largest value is what scale-invariant learners use, and one extreme example spoils it for ever. The second largest
has no such example in it, whenever it comes. No value more than doubles a unit, and one that is more than 64 units long
makes it grow by a tenth at most, so that a few extreme examples do little harm too; from the third in a row on it
doubles, since it may be the unit that was wrong. Of the first two values the larger is the unit, if it is not more than
64 times the other; no later value makes a unit smaller, so two extreme values at the beginning of a feature silence it
(perceptrons find out: unit_steps.py). An example is read as

    x_i / unit_i, cut to [-1, 1]

so that nothing in it is large, and multiplying a feature by a constant changes no prediction. When a unit grows,
a learner that keeps weights shrinks the weight of that feature by as much (Ross, Mineiro and Langford 2013).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...core.numeric import least, most
from ...core.stream import Array
from ...core.vectors import expect, for_sparse, index, norm2, size, value
from ...engine.lanes import entries, features, gather, higher, lanes, lower, pick, total

SHORTEST = 1e-280  # |x|^2 of an example that counts as 0: to divide by less would overflow
TINY = 1e-150  # smaller values count as 0: their squares are not normal numbers
LONG = 8.0  # units, that learners with a matrix let a value be
FAR = 64.0  # units: a value beyond is hardly believed
HUGE = 1e150  # squares of larger values may not be finite


class Units(NamedTuple):
    """One entry a feature."""

    q: Array  # 1/unit; below 0 where the next value has to be looked at: there are fewer than two, or the last was far
    most: Array  # the largest value


def unseen(n: int) -> Units:
    return Units(np.full(n, -1.0), np.zeros(n))


def fits(q: Any, x: Any) -> tuple[float, int]:
    """|x|^2 in units, and how many values do not fit: larger than their unit, or with a unit that is not sure yet."""
    n, odd = 0.0, 0
    for k in range(size(x)):
        z = min(abs(value(x, k)) * q[index(x, k)], 2.0)
        n += z * z
        odd += z * (z - 1.0) > 0.0  # z < 0 or z > 1, in one comparison
    return n, odd


def fit(u: Units, i: int, a: float) -> float:
    """Let the unit of feature i take in a value a > 0 that does not fit; the old unit over the new (0: there was none).

    Only the second value can make a unit smaller: the first may have been the extreme one.
    """
    if a < TINY:
        return 1.0
    q, most = u.q[i], u.most[i]
    if most == 0.0:
        u.most[i] = a
        u.q[i] = -1.0 / a
        return 0.0
    one = few(u, i)
    low, large = second(-most if one else 1.0 / abs(q), -most if q < 0.0 and not one else most, a)
    u.most[i] = abs(large)
    ratio = 1.0 / (abs(q) * low)
    same = low == most if one else ratio >= 1.0  # it is the unit itself, but for rounding
    q = abs(q) if same and not one else 1.0 / low
    u.q[i] = q if large > 0.0 else -q
    return 1.0 if same else ratio


def few(u: Any, i: int) -> bool:
    """Has feature i had fewer than two values? One that was far is many units long, and a single one is one unit."""
    return bool(u.q[i] < 0.0) and bool(-u.q[i] * u.most[i] < 2.0)


def cut_to_unit(v: float, q: float) -> float:
    """A value, cut to its unit; without a branch, since no processor can foretell which values are cut."""
    unit = 1.0 / abs(q)
    return min(max(v, -unit), unit)


def measured_sparse(w: Array, q: Array, x: Any, long: float) -> tuple[float, float, int]:
    """`score_in_units`, four values at a time, since in nearly every sparse example there are values that are cut."""
    zero = lanes(0.0, 0.0, 0.0, 0.0)
    p, n, misfits = zero, zero, zero
    for k in range(0, size(x), 4):
        for j in range(k, min(k + 4, size(x))):
            expect(w, x, j, 0)
        at, v = features(x, k), entries(x, k)
        weight, sign = gather((w, q), at[0], at[1], at[2], at[3])
        inverse, b = higher(sign, 0.0 - sign), higher(v, 0.0 - v)
        z = lower(b * inverse, 2.0 * long)
        n = n + z * z
        beyond = pick(long, z, 1.0, zero)
        misfits = misfits + pick(0.0, b, pick(sign, 0.0, 1.0, beyond), zero)
        if total(beyond) > 0.0:
            unit = long / inverse
            v = lower(higher(v, 0.0 - unit), unit)
        p = p + weight * v
    odd = int(total(misfits))
    return total(p), total(n) if odd == 0 else 0.0, odd


@for_sparse(measured_sparse)
def score_in_units(w: Array, q: Array, x: Any, long: float) -> tuple[float, float, int]:
    """<w, x> with x cut to so many units; |x|^2 in units if all values fit, else 0; and how many do not.

    Units are looked at only where there is a value to be cut.
    """
    p, n, odd = 0.0, 0.0, 0
    for k in range(size(x)):
        i, v = index(x, k), value(x, k)
        z = min(abs(v) * q[i], 2.0 * long)  # the square of a long one might be infinite
        p += w[i] * v
        n += z * z
        odd += z * (z - long) > 0.0  # z < 0 or z > long, in one comparison
    if odd > 0:
        p = 0.0
        for k in range(size(x)):
            i = index(x, k)
            p += w[i] * cut_to_unit(value(x, k), q[i] / long)
    return p, n if odd == 0 else 0.0, odd


def score_cut(w: Array, q: Array, x: Any, long: float = 1.0) -> float:
    """<w, x>, with x cut to its units, or so many of them."""
    return score_in_units(w, q, x, long)[0]


def length(v: Array) -> float:
    """|v|, also where squares would overflow."""
    top = max(most(v), -least(v)) if v.shape[0] > 0 else 0.0
    if top == 0.0 or top == np.inf:
        return top
    if TINY < top < HUGE:
        return math.sqrt(norm2(v))
    total = 0.0
    for i in range(v.shape[0]):
        total += (v[i] / top) * (v[i] / top)
    return top * math.sqrt(total)


def second(low: float, most: float, a: float) -> tuple[float, float]:
    """For a single number: its unit and largest value after a value a > 0.

    The unit is below 0 before there are two, the largest value where the last one was far, and not the first to be so.
    """
    if a < TINY:
        return low, most
    if most == 0.0:
        return -a, a
    top = abs(most)
    large = max(a, top)
    if low < 0.0:
        small = min(a, top)
        return large if large <= FAR * small else small, large
    if a <= low:
        return low, top
    if a <= FAR * low:
        return min(a, top, 2.0 * low), large
    # one that is far, for the first time, is no reason to be watchful
    return min(a, top, (2.0 if most < 0.0 else 1.1) * low), large if top <= FAR * low else -large
