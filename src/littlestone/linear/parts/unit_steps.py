"""Steps of a perceptron in units of the features, and what its bound pays for them.

Let v be the weights in units, w_i unit_i. A step is w_i += y x_i / unit_i^2, that is, v += y z with z_i = x_i / unit_i
cut to [-1, 1]. Where a unit grows, its weight shrinks by the square, as if all values had been measured in the new
one: so unit_i v_i stays the sum of the y x_i, but for what was cut. Units are learned from the mistakes only, and
predictions need none.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...core.stream import Array
from ...core.vectors import for_sparse, index, size, value
from ...engine.lanes import entries, features, gather, higher, lanes, lower, pick, scatter, total
from .units import FAR, TINY, cut_to_unit, few, fit

# |v|^2 at most; what was cut, in largest values; how many steps were in other units than 1
SPREAD, CROSS, ODD, SUMS = range(4)
# So many values in a row that are far from the first two, beyond them or below, are believed, and not those.
BEYOND, BELOW = 3.0, -8.0
SURE = 100.0  # a value was near


class Scales(NamedTuple):
    """Units (see units.py), and how often in a row a value was far from one that is in doubt."""

    q: Array
    most: Array
    far: Array


def unseen(n: int) -> Scales:
    return Scales(np.full(n, -1.0), np.zeros(n), np.zeros(n))


def take_in_value(u: Any, i: int, b: float) -> tuple[float, float]:
    """Let a unit take in a value b > 0: by what that multiplies v_i, and what part of unit_i v_i it gives up.

    Scores are not cut, so a unit that is far too small makes its feature drown all others, and one that is far too
    large silences it for good. A unit that rests on two values is therefore in doubt until a value is near. If three in
    a row are far beyond it, or eight far below, it was the unit that was extreme: then it is their second largest
    value, or the last of the eight.
    """
    q, most = abs(u.q[i]), u.most[i]
    if few(u, i):
        ratio = fit(u, i, b)
        # of two values, the second may be far beyond the first
        u.far[i] = 1.0 if b * u.q[i] > FAR else 0.0
    else:
        u.far[i] = doubt(u.far[i], b * q) if b >= TINY else u.far[i]
        if u.far[i] == BEYOND or u.far[i] == BELOW:
            u.most[i] = max(b, most) if u.far[i] == BEYOND else b
            u.q[i] = 1.0 / min(b, most)
            u.far[i] = 0.0
            ratio = u.q[i] / q
        elif u.q[i] > 0.0 and b * q <= 1.0:
            return 1.0, 0.0
        else:
            ratio = fit(u, i, b)
    if ratio > 1.0:  # values that were far too large count as one new unit each
        return 1.0, 1.0 - 1.0 / ratio
    return (ratio if ratio > 0.0 else 1.0), 0.0


def doubt(far: float, z: float) -> float:
    """How many values in a row were far beyond the first two (below 0: far below them), after one of z units."""
    if far == SURE:
        return far
    if z > FAR:
        return max(far, 0.0) + 1.0
    return min(far, 0.0) - 1.0 if z * FAR < 1.0 else SURE


def write_sums(sums: Array, M: Array) -> None:
    """The sums, after the number of updates."""
    for j in range(SUMS):
        M[1 + j] = sums[j]


def lost(u: Any, i: int, b: float) -> float:
    """What is cut from a value b, in largest values: at most 1. Values too small to have a unit are lost."""
    if u.most[i] == 0.0:
        return 1.0
    return float((b - cut_to_unit(b, u.q[i])) / u.most[i])


def adapt(
    u: Any, w: Array, late: Array, t: float, sums: Array, x: Any, y: float, eta: float
) -> bool:
    """Before a step: let the units take in an example, the weights follow. Was there something to take in?

    Where t > 0, w - late/t is the mean of the weights of t rounds. It stays as it was, up to twice the longest weight
    in units; a value that is hardly believed shrinks it as the weight itself, which was then learned in a wrong unit.

    sums[SPREAD] grows by |z|^2, as in Novikoff's proof; if the units have changed, y <w, x> need not be below 0 any
    more, and what it is now is added twice. sums[CROSS] grows by the length of what was cut.
    """
    n, strange, odd = taken_in(u, x)
    if strange:
        refit(u, w, late, t, sums, x, y, eta)
    else:
        book(sums, n, 0.0, 0.0, False, odd)
    return strange


def taken_in(u: Any, x: Any) -> tuple[float, bool, bool]:
    """|z|^2, whether there is a value that units have to take in, and whether one is in another unit than 1."""
    n, strange, odd = 0.0, 0, 0
    for k in range(size(x)):
        i, b = index(x, k), abs(value(x, k))
        z = min(b * u.q[i], 2.0)  # the square of a long one might be infinite
        n += z * z
        # few comparisons: z < 0 or z > 1, and where b > 0, far is not SURE; where b > 0, q is not 1
        strange += (z * (z - 1.0) > 0.0) | ((u.far[i] - SURE) * b != 0.0)
        odd += z != b
    return n, strange > 0, odd > 0


def refit(
    u: Any, w: Array, late: Array, t: float, sums: Array, x: Any, y: float, eta: float
) -> None:
    """Value by value, where some are new to the units."""
    n, p, cross, moved, odd = 0.0, 0.0, 0.0, False, False
    top = longest(u, w, x) if t > 0.0 else 0.0
    for k in range(size(x)):
        one = take_in(u, w, late, t, top, eta, index(x, k), value(x, k))
        n, p, cross = n + one[0], p + one[1], cross + one[2]
        moved, odd = moved | one[3], odd | one[4]
    book(sums, n, y * p / eta, cross, moved, odd)


def take_in(
    u: Any, w: Array, late: Array, t: float, top: float, eta: float, i: int, v: float
) -> tuple[float, float, float, bool, bool]:
    """Take in a value: z^2, w_i z unit_i, the square of what is cut; did its unit move, is it another one than 1?"""
    b, q = abs(v), u.q[i]
    z = b * q
    sure = (z * FAR >= 1.0) & (b >= TINY)  # a value that is near; see `doubt`
    if (z >= 0.0) & (z <= 1.0) & (sure | (u.far[i] == SURE) | (b == 0.0)):  # it fits
        u.far[i] = SURE if sure else u.far[i]
        return z * z, w[i] * v, 0.0, False, (q != 1.0) & (b > 0.0)
    most = u.most[i]
    large = max(b, most)
    if (t == 0.0) & (z > 1.0) & (z <= FAR):  # `take_in_value` of a value that is not far
        unit = 1.0 / q
        new = max(min(b, most, 2.0 * unit), unit)
        ratio, gone = unit / new, max(b - new, 0.0) / large
        u.q[i], u.most[i], u.far[i] = q * ratio, large, SURE
        w[i] *= ratio * ratio
        along = w[i] * (new if v > 0.0 else -new)
        return 1.0, along, gone * gone, (ratio < 1.0) | (gone > 0.0), u.q[i] != 1.0
    near = (most == 0.0) | (large <= FAR * min(b, most))
    first = (q < 0.0) & (-q * most < 2.0) & near  # or second
    if (t == 0.0) & first & (b >= TINY):
        ratio = most / large if most > 0.0 else 1.0
        inverse = 1.0 / large
        u.q[i], u.most[i], u.far[i] = (inverse if most > 0.0 else -inverse), large, 0.0
        w[i] *= ratio * ratio
        z = b * inverse
        return z * z, w[i] * v, 0.0, ratio < 1.0, inverse != 1.0
    seen, before, cross, moved = most > 0.0, abs(q), 0.0, False
    shrink, part = take_in_value(u, i, b)
    q = abs(u.q[i])
    gone = lost(u, i, b)
    if seen and q != before:
        part *= abs(w[i]) / (before * eta)
        w[i] *= shrink * (q / before)
        if t > 0.0:
            late[i] *= shrink * (q / before)
            if b * before <= FAR:
                mean = (w[i] - late[i] / t) / (shrink * (q / before))
                late[i] = t * (w[i] - min(max(mean, -2.0 * top * q), 2.0 * top * q))
        cross += part * part
        moved = True
    if gone > 0.0:
        cross += gone * gone
        moved = True
    if u.most[i] == 0.0:
        return 0.0, 0.0, cross, moved, False
    z = cut_to_unit(v, u.q[i])
    along = w[i] * z
    z *= q
    return z * z, along, cross, moved, q != 1.0


def take_sparse_step(u: Any, w: Array, sums: Array, c: float, x: Any, y: float, eta: float) -> None:
    """`adapt` and `step` of a sparse example in one pass, four values at a time.

    Most features of sparse examples are young: nearly every example has values that are the first or the second of
    their feature, or exceed its unit, and no processor can foretell which. So all that can become of a value that is
    not far is computed, and what does is picked; values that are far are left to `take_in`.
    """
    m, known, weights = size(x), (w, u.q, u.most, u.far), (w,)
    n, p, cross, moved, odd = 0.0, 0.0, 0.0, False, False
    zero = lanes(0.0, 0.0, 0.0, 0.0)
    squares, along, cuts, others, ratios = zero, zero, zero, zero, zero + 1.0
    for k in range(0, m, 4):
        # beyond the end: the last feature, of which 0 is taken in, and which is written before its value is
        (i, j, r, s), v = features(x, k), entries(x, k)
        old, q, most, far = gather(known, i, j, r, s)
        b, inverse = higher(v, 0.0 - v), higher(q, 0.0 - q)
        length = b * inverse
        unsure = pick(q, 0.0, 1.0, pick(1.0, length, 1.0, pick(far, SURE, 1.0, zero)))
        if total(pick(0.0, b, unsure, zero)) == 0.0:  # all fit
            z = v * inverse
            squares = squares + z * z
            along = along + old * v
            others = others + pick(0.0, b, (inverse - 1.0) * (inverse - 1.0), zero)
            scatter(weights, i, j, r, s, (old + c * z * inverse,))
            continue
        top = pick(0.0, most, most, pick(0.0, b, b, 1.0))
        small, large = lower(b, top), higher(b, top)
        # 1 where the value is the first or the second of its feature
        early = pick(0.0, b, pick(q, 0.0, pick(inverse * most, 2.0, 1.0, zero), zero), zero)
        apart = pick(FAR * small, large, 1.0, zero)
        doubted = pick(length * FAR, 1.0, pick(far, SURE, 1.0, zero), zero)
        strange = pick(FAR, length, 1.0, pick(q, 0.0, 1.0, doubted))
        strange = pick(b, TINY, 1.0, pick(0.0, early, apart, strange))
        if total(pick(0.0, b, strange, zero)) > 0.0:
            for o in range(k, min(k + 4, m)):
                one = take_in(u, w, w, 0.0, 0.0, eta, index(x, o), value(x, o))
                n, p, cross = n + one[0], p + one[1], cross + one[2]
                moved, odd = moved | one[3], odd | one[4]
                step_along(u, w, c, index(x, o), value(x, o))
            continue
        unit, part = 1.0 / inverse, 1.0 / large
        longer = pick(1.0, length, higher(lower(small, 2.0 * unit), unit), unit)
        new = pick(0.0, early, large, longer)
        ratio = pick(0.0, early, top, unit) / new
        now = pick(0.0, early, part, inverse * ratio)
        gone = pick(1.0, length, higher(b - new, 0.0), zero) * part
        shrunk = old * (ratio * ratio)
        z = lower(higher(v * now, -1.0), 1.0)
        squares = squares + z * z
        along = along + shrunk * lower(higher(v, 0.0 - new), new)
        cuts = cuts + gone * gone
        others = others + pick(0.0, b, (now - 1.0) * (now - 1.0), zero)
        ratios = lower(ratios, ratio)
        sign = pick(0.0, early, pick(0.0, most, 1.0, -1.0), pick(q, 0.0, -1.0, 1.0))
        doubts = pick(0.0, early, 0.0, pick(length * FAR, 1.0, far, SURE))
        news = (shrunk + c * z * now, sign * now, pick(0.0, b, large, most), doubts)
        scatter(known, i, j, r, s, news)
    moved |= (total(cuts) > 0.0) | (total(pick(ratios, 1.0, 1.0, zero)) > 0.0)
    gain = y * (p + total(along)) / eta
    book(sums, n + total(squares), gain, cross + total(cuts), moved, odd | (total(others) > 0.0))


@for_sparse(take_sparse_step)
def take_step(u: Any, w: Array, sums: Array, c: float, x: Any, y: float, eta: float) -> None:
    """Let the units take in an example, and take the step w += c x in units."""
    strange = adapt(u, w, w, 0.0, sums, x, y, eta)
    step(u, w, c, x, strange)


def longest(u: Any, w: Array, x: Any) -> float:
    """The longest weight in units, of the features of an example."""
    top = 0.0
    for k in range(size(x)):
        i = index(x, k)
        top = max(top, abs(w[i] / u.q[i]))
    return top


def book(sums: Array, n: float, gain: float, cross: float, moved: bool, odd: bool) -> None:
    """Add a step up: |z|^2, what y <v, z> is now, and the square of what was cut."""
    sums[SPREAD] += n
    if moved:
        sums[SPREAD] += 2.0 * max(0.0, gain)
        sums[CROSS] += math.sqrt(cross)
    if moved or odd:
        sums[ODD] += 1.0


def step(u: Any, w: Array, c: float, x: Any, strange: bool) -> None:
    """w += c x in units."""
    for k in range(size(x)):
        i = index(x, k)
        if not strange:
            w[i] += c * (value(x, k) * u.q[i]) * u.q[i]
        else:
            step_along(u, w, c, i, value(x, k))


def step_along(u: Any, w: Array, c: float, i: int, v: float) -> None:
    """Step along one feature; no branch, since which values are cut, and which have no unit yet, cannot be foretold."""
    q = abs(u.q[i])
    w[i] += c * min(max(v * q, -1.0), 1.0) * q * (u.most[i] > 0.0)
