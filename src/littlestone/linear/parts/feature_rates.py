"""The rate of each feature in its own units: kept up as values and gradients come. The rules are in rates.py.

A state is that of rates.py. Most of a round is here, so that loops are few and have few branches: on sparse examples
most features are young, their units and rates change in nearly every round, and no processor can foretell which.
"""

from __future__ import annotations

import math
from typing import Any

from ...core.vectors import for_sparse, index, size, value
from ...engine.lanes import (
    entries,
    features,
    gather,
    higher,
    lanes,
    largest,
    lower,
    pick,
    roots,
    scatter,
    total,
)
from .units import FAR, TINY, cut_to_unit, fit

ROOM = 0.1  # a rate is computed again when the squares under it have grown by this share
ALPHA, PATH, STEPS, FIRST, FALLS = range(5)


def rate(state: Any, i: int, G: float, scale: float) -> tuple[float, float, float, float]:
    """The rate of a feature from its squared gradients, and 1/rate; how far 1/rate rises, and how far it falls.

    Both come from one division: roots and divisions are what takes time here.
    """
    full, root, before = scale * abs(state.units.q[i]), math.sqrt(G), state.a[i]
    t = 1.0 / (full * root)
    inverse = root * (root * t)
    rise = inverse - (1.0 / before if before > 0.0 else 0.0)
    return full * (full * t), inverse, max(rise, 0.0), max(-rise, 0.0)


def renew(state: Any, i: int, G: float, scale: float) -> None:
    """Give a feature its new rate, and write down what the bound pays for the change."""
    q, w, sums = abs(state.units.q[i]), state.w[i], state.sums
    a, inverse, rise, fall = rate(state, i, G, scale)
    state.a[i], state.G[i], state.room[i] = a, (1.0 + ROOM) * G, ROOM * G
    state.cross[i] += rise * abs(w) * q
    sums[PATH] += rise * w * w
    sums[FALLS] += fall * q * q
    sums[ALPHA] = max(sums[ALPHA], q * (q * inverse))


def refit(state: Any, x: Any) -> tuple[float, float]:
    """Take in values that do not fit their units: |x|^2 in the new units, and how much of the score moved with them.

    A weight shrinks as its unit grows. Where the second value shows that the first was too large, the squares that the
    first one left are cut as if it had been the second.
    """
    n, moved = 0.0, 0.0
    for k in range(size(x)):
        square, way = take_in(state, index(x, k), abs(value(x, k)))
        n, moved = n + square, moved + way
    return n, moved


def take_in(state: Any, i: int, v: float) -> tuple[float, float]:
    """Take in one value: its square in units, and how much of the score moved."""
    w, u, sums, moved = state.w, state.units, state.sums, 0.0
    q, top = u.q[i], u.most[i]
    z, large = v * q, max(v, top)
    if (z >= 0.0) & (z <= 1.0):
        return z * z, 0.0
    one = (z < 0.0) & (-q * top < 2.0) & (large <= FAR * min(v, top)) & (v >= TINY)
    if one | (z > 1.0) & (z <= FAR):  # `fit`, where nothing is strange: a unit grows, or does not
        unit = 1.0 / abs(q)
        new = large if one else max(min(v, top, 2.0 * unit), unit)
        ratio, old = unit / new, w[i]
        now = abs(q) * ratio
        u.q[i], u.most[i], w[i] = now, large, old * ratio
        steep = 1.0 / state.a[i] if state.a[i] > 0.0 else 0.0
        state.cross[i] += abs(old) * (1.0 - ratio) * steep * now
        sums[PATH] -= old * old * (1.0 - ratio * ratio) * steep
        z = min(v * now, 1.0)
        return z * z, 0.0
    if v > 0.0:
        moved = unusual(state, i, v)
    z = cut_to_unit(v, u.q[i]) * abs(u.q[i])
    return (z * z if u.most[i] > 0.0 else 0.0), moved


def refit_sparse(state: Any, x: Any) -> tuple[float, float, bool]:
    """`refit` of a sparse example, four values at a time; and was there a value that did not fit its unit?

    All that can become of a value that is not far is computed, and what does is picked: which values are
    the first of their feature, or longer than its unit, cannot be foretold. Values that are far are left to `take_in`.
    """
    known, books = (state.w, state.units.q, state.units.most, state.a), (state.cross,)
    n, moved, odd, zero = 0.0, 0.0, False, lanes(0.0, 0.0, 0.0, 0.0)
    squares, path = zero, zero
    for k in range(0, size(x), 4):
        # beyond the end: the last feature, of which 0 is taken in, and which is written before its value is
        (i, j, r, s), v = features(x, k), entries(x, k)
        w, q, most, a = gather(known, i, j, r, s)
        v, inverse = higher(v, 0.0 - v), higher(q, 0.0 - q)
        z = v * inverse
        misfit = pick(0.0, v, pick(q, 0.0, 1.0, pick(1.0, z, 1.0, zero)), zero)
        if total(misfit) == 0.0:
            squares = squares + z * z
            continue
        odd = True
        top = pick(0.0, most, most, pick(0.0, v, v, 1.0))
        small, large = lower(v, top), higher(v, top)
        # 1 where the value is the first or the second of its feature, and near where it is the second
        young = pick(inverse * most, 2.0, pick(FAR * small, large, zero, 1.0), zero)
        early = pick(q, 0.0, pick(v, TINY, zero, young), zero)
        strange = pick(q, 0.0, 1.0 - early, pick(FAR, z, 1.0, zero))
        if total(pick(0.0, v, strange, zero)) > 0.0:
            for o in range(k, min(k + 4, size(x))):
                square, way = take_in(state, index(x, o), abs(value(x, o)))
                n, moved = n + square, moved + way
            continue
        # the new unit in old ones, at least 1; of a first value, for which there is no old one, in units of 1
        grown = higher(pick(0.0, early, large * inverse, lower(small * inverse, 2.0)), 1.0)
        ratio = 1.0 / pick(0.0, most, grown, large)
        now, shrink = inverse * ratio, pick(0.0, most, ratio, 1.0)
        steep = pick(0.0, a, 1.0 / pick(0.0, a, a, 1.0), zero)
        lost = higher(w, 0.0 - w) * (1.0 - shrink) * steep
        (cross,) = gather(books, i, j, r, s)
        path = path + w * w * (1.0 - shrink * shrink) * steep
        z = lower(v * now, 1.0)
        squares = squares + z * z
        sign = pick(0.0, early, pick(0.0, most, 1.0, -1.0), pick(q, 0.0, -1.0, 1.0))
        most = pick(0.0, v, large, most)
        scatter(known, i, j, r, s, (w * shrink, sign * now, most, a))
        scatter(books, i, j, r, s, (cross + lost * now,))
    state.sums[PATH] -= total(path)
    return n + total(squares), moved, odd


def unusual(state: Any, i: int, v: float) -> float:
    """Take in a value that is the first of its feature, or far from its unit: how much of the score moved with it."""
    w, u, sums = state.w, state.units, state.sums
    old_q, moved = abs(u.q[i]), 0.0
    ratio = fit(u, i, v)
    if ratio > 1.0:
        if state.a[i] > 0.0:
            sums[FIRST] = max(sums[FIRST], old_q * (old_q / state.a[i]))
            state.a[i] *= ratio * ratio
        state.G[i] /= ratio * ratio
        state.room[i] /= ratio * ratio
    elif 0.0 < ratio < 1.0:
        old = w[i]
        w[i] = ratio * old
        lost = abs(old - w[i])
        moved = abs(old * min(v, 1.0 / old_q) - w[i] * cut_to_unit(v, u.q[i]))
        if state.a[i] > 0.0:
            state.cross[i] += lost / state.a[i] * abs(u.q[i])
            sums[PATH] += (w[i] * w[i] - old * old) / state.a[i]
    return moved


def renewed_sparse(state: Any, x: Any, c: float, first: float, scale: float, tau: float) -> float:
    """`renewed`, four values at a time."""
    known = (state.w, state.units.q, state.units.most, state.a)
    books, sums = (state.G, state.room, state.cross), state.sums
    zero, length = lanes(0.0, 0.0, 0.0, 0.0), abs(tau)
    m, path, falls, alpha = zero, zero, zero, zero
    for k in range(0, size(x), 4):
        (i, j, r, s), v = features(x, k), entries(x, k)
        w, sign, most, a = gather(known, i, j, r, s)
        G, room, cross = gather(books, i, j, r, s)
        q = higher(sign, 0.0 - sign)
        unit = 1.0 / q
        z = lower(higher(v, 0.0 - unit), unit)
        off, square = v - z, z * z
        room = room - c * square
        # 0 where there is nothing to renew: no value, or none that has a unit
        on = pick(0.0, higher(z, 0.0 - z), pick(0.0, most, 1.0, zero), zero)
        sum_ = pick(0.0, on, pick(0.0, G, G, first * square) - room, 1.0)
        full, root = scale * q, roots(sum_)
        t = 1.0 / (full * root)
        steep, rate = root * (root * t), full * (full * t)
        rise = steep - pick(0.0, a, 1.0 / pick(0.0, a, a, 1.0), zero)
        up = pick(0.0, on, higher(rise, 0.0), zero)
        paid = up * higher(w, 0.0 - w) * q + length * higher(off, 0.0 - off) * q
        path = path + up * w * w
        falls = falls + pick(0.0, on, higher(0.0 - rise, 0.0), zero) * q * q
        alpha = higher(alpha, pick(0.0, on, q * (q * steep), zero))
        m = m + pick(0.0, on, rate * square, zero)
        new = pick(0.0, on, w + tau * rate * z, w)
        scatter(known, i, j, r, s, (new, sign, most, pick(0.0, on, rate, a)))
        G, room = pick(0.0, on, (1.0 + ROOM) * sum_, G), pick(0.0, on, ROOM * sum_, room)
        scatter(books, i, j, r, s, (G, room, cross + pick(0.0, on, paid, zero)))
    sums[PATH] += total(path)
    sums[FALLS] += total(falls)
    sums[ALPHA] = max(sums[ALPHA], largest(alpha))
    return total(m)


@for_sparse(renewed_sparse)
def renewed(state: Any, x: Any, c: float, first: float, scale: float, tau: float) -> float:
    """Add the squares c x_i^2 to G_i, x cut to its units, renew all rates, since units have changed, and take a step.

    The sum of a_i x_i^2. It is `renew` and `move` of each feature, with sums that are written down at the end.
    """
    w, a, u, sums = state.w, state.a, state.units, state.sums
    m, path, falls, alpha = 0.0, 0.0, 0.0, sums[ALPHA]
    for k in range(size(x)):
        i = index(x, k)
        q = abs(u.q[i])
        v = cut_to_unit(value(x, k), q)
        left = state.room[i] - c * v * v
        state.room[i] = left
        if (v != 0.0) & (u.most[i] > 0.0):
            G = (first * v * v if state.G[i] == 0.0 else state.G[i]) - left
            new, inverse, rise, fall = rate(state, i, G, scale)
            a[i], state.G[i], state.room[i] = new, (1.0 + ROOM) * G, ROOM * G
            old = w[i]
            state.cross[i] += rise * abs(old) * q + abs(tau) * abs(value(x, k) - v) * q
            w[i] = old + tau * new * v
            path += rise * old * old
            falls += fall * q * q
            alpha = max(alpha, q * (q * inverse))
            m += new * v * v
    sums[PATH] += path
    sums[FALLS] += falls
    sums[ALPHA] = alpha
    return m


def squares(state: Any, x: Any, c: float, first: float, scale: float, tau: float) -> float:
    """Add the squares c x_i^2 to G_i, renew the rates that they make too large, and take a step; sum_i a_i x_i^2.

    The step is taken with the rates as they were, and taken again where one is renewed.
    """
    w, a, room = state.w, state.a, state.room
    m, stale = 0.0, 0
    for k in range(size(x)):
        i, v = index(x, k), value(x, k)
        left, along = room[i] - c * v * v, a[i] * v
        room[i] = left
        stale += left < 0.0
        m += along * v
        w[i] += tau * along
    if stale > 0:
        for k in range(size(x)):
            i = index(x, k)
            v, before = value(x, k), a[i]
            if room[i] < 0.0 and state.units.most[i] > 0.0:
                if state.G[i] == 0.0:
                    state.G[i] = first * v * v
                w[i] -= tau * (before * v)
                renew(state, i, state.G[i] - room[i], scale)
                w[i] += tau * (a[i] * v)
                m += (a[i] - before) * v * v
    return max(m, 0.0)


def move(state: Any, x: Any, tau: float, moved: float) -> None:
    """w_i += tau a_i x_i."""
    w, a, q, sums = state.w, state.a, state.units.q, state.sums
    if moved < 0.0:
        for k in range(size(x)):
            i = index(x, k)
            w[i] += tau * a[i] * value(x, k)
        return
    sums[PATH] += 2.0 * abs(tau) * moved
    for k in range(size(x)):
        i = index(x, k)
        v = cut_to_unit(value(x, k), q[i])
        state.cross[i] += abs(tau) * abs(value(x, k) - v) * abs(q[i])
        w[i] += tau * a[i] * v
