"""Gradient steps with a rate for each feature, in its own units: what several learners share.

    unit_i = the second largest |x_i| so far; when it grows, w_i shrinks as much
    each round, at a slope g of the loss:  x_i is cut to its unit
        G_i += g^2 x_i^2 sum_j (x_j / unit_j)^2;  a_i = eta / (unit_i sqrt(G_i));  w_i -= tau a_i x_i

For rates of any kind, also ones that rise, and A_i = 1/a_i,

    sum_t g_t <w_t - u, x_t>  <=  sum_i sum_t (rise of A_i at t) (w_ti - u_i)^2 / 2  +  sum_t g_t^2 sum_i a_i x_i^2 / 2

because each step is one of gradient descent in the norm of its own round, and a fall of A_i only brings u nearer. The
sums on the right are kept as they arise, with (w - u)^2 <= (|w| + |u|)^2; so are the costs of what was cut, and of
weights that shrank with their units. That is T-NAG. Rates hardly change when G_i has become large: they are computed
again when it has grown by a tenth, since roots are slow.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...core.guarantee import Guarantee, Symbols
from ...core.losses import named
from ...core.outcome import Outcome
from ...core.stream import Array
from ...core.vectors import index, size, value
from ...games import Game, Margin, Regression
from .implicit import LOGISTIC, PERCEPTRON, SQUARE, SQUARED_HINGE, aware, classifies, kind, steepest
from .units import FAR, TINY, Units, cut, fit, fits, length, second, unseen

ROOM = 0.1  # a rate is computed again when the squares under it have grown by this share
ALPHA, PATH, STEPS, FIRST, FALLS = range(5)


class State(NamedTuple):
    w: Array
    units: Units
    a: Array  # the rate of each feature
    G: Array  # sum of squared gradients, up to which the rate holds
    room: Array  # how far they are from it
    cross: Array  # what the bound pays for each feature, times |u_i|
    sums: Array  # what else it is made of
    which: int  # the loss, as a number
    tau: float  # its quantile, where it has one
    low: float  # the unit of the outcomes, where they are numbers, ...
    most: float  # ... and the largest of them


def begun(n: int, loss: Any, which: int) -> State:
    zero, tau = np.zeros(n), getattr(loss, "quantile", 0.5)
    return State(
        zero, unseen(n), zero.copy(), zero.copy(), zero.copy(), zero.copy(), np.zeros(5), which, tau,
        1.0 if classifies(loss) else 0.0, 0.0,
    )  # fmt: skip


def unset(which: int) -> float:
    """The rate where none is set, in units: scores of two classes go further than one unit, numbers do not."""
    return 1.0 if which < SQUARE else 0.6


def usual(which: int, unit: float) -> float:
    """The slope that a feature is taken to have met once before it was seen."""
    if which == SQUARE:
        return 2.0 * unit
    return 2.0 if which == SQUARED_HINGE else 0.5 if which == LOGISTIC else 1.0


def rate(state: State, i: int, G: float, scale: float) -> tuple[float, float, float, float]:
    """The rate of a feature from its squared gradients, and 1/rate; how far 1/rate rises, and how far it falls.

    Both come from one division: roots and divisions are what takes time here.
    """
    full, root, before = scale * abs(state.units.q[i]), math.sqrt(G), state.a[i]
    t = 1.0 / (full * root)
    inverse = root * (root * t)
    rise = inverse - (1.0 / before if before > 0.0 else 0.0)
    return full * (full * t), inverse, max(rise, 0.0), max(-rise, 0.0)


def renew(state: State, i: int, G: float, scale: float) -> None:
    """Give a feature its new rate, and write down what the bound pays for the change."""
    q, w, sums = abs(state.units.q[i]), state.w[i], state.sums
    a, inverse, rise, fall = rate(state, i, G, scale)
    state.a[i], state.G[i], state.room[i] = a, (1.0 + ROOM) * G, ROOM * G
    state.cross[i] += rise * abs(w) * q
    sums[PATH] += rise * w * w
    sums[FALLS] += fall * q * q
    sums[ALPHA] = max(sums[ALPHA], q * (q * inverse))


def refit(state: State, x: Any) -> tuple[float, float]:
    """Take in values that do not fit their units: |x|^2 in the new units, and how much of the score moved with them.

    A weight shrinks as its unit grows. Where the second value shows that the first was too large, the squares that the
    first one left are cut as if it had been the second.
    """
    w, u, sums, moved, n = state.w, state.units, state.sums, 0.0, 0.0
    for k in range(size(x)):
        v, i = abs(value(x, k)), index(x, k)
        q, top = u.q[i], u.most[i]
        z, large = v * q, max(v, top)
        if (z >= 0.0) & (z <= 1.0):
            n += z * z
            continue
        one = (z < 0.0) & (-q * top < 2.0) & (large <= FAR * min(v, top)) & (v >= TINY)
        if one | (z > 1.0) & (z <= FAR):  # `fit`, where a unit grows, or does not, and nothing is strange
            unit = 1.0 / abs(q)
            new = large if one else max(min(v, top, 2.0 * unit), unit)
            ratio, old = unit / new, w[i]
            now = abs(q) * ratio
            u.q[i], u.most[i], w[i] = now, large, old * ratio
            steep = 1.0 / state.a[i] if state.a[i] > 0.0 else 0.0
            state.cross[i] += abs(old) * (1.0 - ratio) * steep * now
            sums[PATH] -= old * old * (1.0 - ratio * ratio) * steep
            z = min(v * now, 1.0)
            n += z * z
            continue
        if v > 0.0:
            moved += unusual(state, i, v)
        z = cut(v, u.q[i]) * abs(u.q[i])
        n += z * z if u.most[i] > 0.0 else 0.0
    return n, moved


def unusual(state: State, i: int, v: float) -> float:
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
        moved = abs(old * min(v, 1.0 / old_q) - w[i] * cut(v, u.q[i]))
        if state.a[i] > 0.0:
            state.cross[i] += lost / state.a[i] * abs(u.q[i])
            sums[PATH] += (w[i] * w[i] - old * old) / state.a[i]
    return moved


def prepare(
    state: State, x: Any, c: float, first: float, scale: float, tau: float
) -> tuple[float, float]:
    """Add the squares c |x|^2 x_i^2 to G_i; sum_i a_i x_i^2, and how much of the score moved (-1: all values fit).

    Where tau is not 0 and values did not fit, the step w_i += tau a_i x_i is taken on the way.
    """
    n, odd = fits(state.units.q, x)
    if odd > 0:
        n, moved = refit(state, x)
        return renewed(state, x, c * n, first * n, scale, tau), moved
    return squares(state, x, c * n, first * n, scale), -1.0


def renewed(state: State, x: Any, c: float, first: float, scale: float, tau: float) -> float:
    """Add the squares c x_i^2 to G_i, x cut to its units, renew all rates, since units have changed, and take a step.

    The sum of a_i x_i^2. It is `renew` and `move` of each feature, with sums that are written down at the end.
    """
    w, a, u, sums = state.w, state.a, state.units, state.sums
    m, path, falls, alpha = 0.0, 0.0, 0.0, sums[ALPHA]
    for k in range(size(x)):
        i = index(x, k)
        q = abs(u.q[i])
        v = cut(value(x, k), q)
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


def squares(state: State, x: Any, c: float, first: float, scale: float) -> float:
    """Add the squares c x_i^2 to G_i, and renew the rates that they make too large; sum_i a_i x_i^2."""
    a, room = state.a, state.room
    m, stale = 0.0, 0
    for k in range(size(x)):
        i, v = index(x, k), value(x, k)
        left = room[i] - c * v * v
        room[i] = left
        stale += left < 0.0
        m += a[i] * v * v
    if stale > 0:
        for k in range(size(x)):
            i = index(x, k)
            v, before = value(x, k), a[i]
            if room[i] < 0.0 and state.units.most[i] > 0.0:
                if state.G[i] == 0.0:
                    state.G[i] = first * v * v
                renew(state, i, state.G[i] - room[i], scale)
                m += (a[i] - before) * v * v
    return max(m, 0.0)


def move(state: State, x: Any, tau: float, moved: float) -> None:
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
        v = cut(value(x, k), q[i])
        state.cross[i] += abs(tau) * abs(value(x, k) - v) * abs(q[i])
        w[i] += tau * a[i] * v


def forgone(state: State, x: Any, lost: float, moved: float) -> None:
    """What the bound pays for a slope that was cut by `lost`."""
    state.sums[PATH] += 2.0 * lost * max(moved, 0.0)
    for k in range(size(x)):
        v, i = value(x, k), index(x, k)
        state.cross[i] += lost * abs(v) * abs(state.units.q[i])
        state.sums[PATH] += 2.0 * lost * abs(cut(v, state.units.q[i])) * abs(state.w[i])


def adapt(state: State, x: Any, p: float, f: Outcome, g: float, eta: float, awake: bool) -> State:
    """One round of a learner with a rate a feature: along the tangent, or (awake) along the loss itself.

    The first number that is an outcome only sets their unit: it may be the extreme one.
    """
    low, most, which, h = state.low, state.most, state.which, f.h
    if which >= SQUARE:
        low, most = second(low, most, abs(f.y))
    now = State(
        state.w, state.units, state.a, state.G, state.room, state.cross, state.sums, which, state.tau, low, most
    )  # fmt: skip
    if low <= 0.0:
        refit(now, x)
        forgone(now, x, h * abs(g), 0.0)
        return now
    cap, level = steepest(which, low), usual(which, low)
    if abs(g) > cap:
        h *= cap / abs(g)
    # h g g, with g as it is cut; where the loss is followed a long way, as it is when the way begins
    square = abs(g) * min(abs(g), cap)
    begins = h / f.h if awake and f.h > 1.0 else h
    tau = 0.0 if awake or h < f.h else -h * g  # known before the rates are, and not needed before the step
    m, moved = prepare(now, x, begins * square, level * level, eta * low, tau)
    if h < f.h:
        forgone(now, x, (f.h - h) * abs(g), moved)
    if m > 0.0:
        taken = tau != 0.0 and moved >= 0.0
        tau = follow(now, p, f.y, g, h, m) if awake else -h * g
        if begins < h:
            # slopes fall on the way: their squares sum to no more than the first one times them all
            m = further(now, x, abs(g * tau) - begins * square, eta * low)
            tau = follow(now, p, f.y, g, h, m)
        now.sums[STEPS] += h * g * (h * g) * m
        if taken:
            now.sums[PATH] += 2.0 * abs(tau) * moved
        else:
            move(now, x, tau, moved)
    return now


def follow(state: State, p: float, y: float, g: float, h: float, m: float) -> float:
    """How far to go along the loss; where it ends in a corner at which the slope does not, a step beyond it."""
    if state.which == PERCEPTRON:
        return -g * min(h, 1.0 + abs(p) / m)
    return (aware(state.which, state.tau, p, y, h * m) - p) / m


def further(state: State, x: Any, c: float, scale: float) -> float:
    """Add the squares c |x|^2 x_i^2 that are left of a long way; sum_i a_i x_i^2 then.

    An importance of 10^6 is as many rounds, and in most of them nothing is left to learn: with its whole square rates
    would fall a thousandfold, and stay there.
    """
    n, q = 0.0, state.units.q
    for k in range(size(x)):
        i = index(x, k)
        z = cut(value(x, k), q[i]) * abs(q[i])
        n += z * z if state.units.most[i] > 0.0 else 0.0
    return renewed(state, x, max(c, 0.0) * n, 0.0, scale, 0.0)


def look(state: State, x: Any) -> State:
    """A round without a slope: only its values are taken in."""
    if fits(state.units.q, x)[1] > 0:
        refit(state, x)
    return state


def written(state: State, M: Array) -> None:
    """alpha, path, steps, cross."""
    sums = state.sums
    M[0] = sums[ALPHA] + sums[FIRST] + sums[FALLS]
    M[1] = sums[PATH]
    M[2] = sums[STEPS]
    M[3] = length(state.cross)


def any_rates(s: Symbols) -> Any:
    """What gradient descent with any rates, one a feature, promises against u in units of the features."""
    long = np.sqrt(s.U2) * s.Rinf
    return (s.alpha * long**2 + s.path + s.steps) / 2 + s.cross * long


T_NAG = Guarantee(
    "T-NAG",
    "gradient descent with a rate for each feature",
    "regret <= (alpha R^2 |u|^2 + path + steps)/2 + cross R |u| for every u: R is the largest |x_i|, steps the sum of "
    "squared gradients times rates, alpha the largest 1/rate, path and cross what w did as rates fell and units grew",
    "Zinkevich 2003 and Duchi, Hazan and Singer 2011 for rates of any kind; the rates are those of Ross et al. 2013",
    any_rates,
    against="linear",
    uses=("U2", "Rinf", "alpha", "cross", "path", "steps"),
)


def scored(learner: Any, zero: int = 1) -> Game:
    """The game of a learner with a loss: two classes, or numbers."""
    loss = named(learner.loss, learner.key, True)
    kind(loss, learner.key)
    return Margin(loss, zero) if classifies(loss) else Regression(loss)
