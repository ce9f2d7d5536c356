"""Gradient steps with one rate for all features: as printed, at 1/sqrt(t), in a ball, or in units of the features.

For rates of any kind, also ones that rise, with w_t in a ball or not,

    sum_t g_t <w_t - u, x_t>  <=  sum_t (rise of 1/eta at t) |w_t - u|^2 / 2  +  sum_t eta_t g_t^2 |x_t|^2 / 2

for every u (in the ball). At a fixed rate the first sum is |u|^2 / (2 eta), and that is T-OGD. Otherwise both sums are
kept as they arise, with |w - u| <= |w| + |u|, together with what was cut, and that is T-OGD-ANY. At 1/sqrt(t) nothing
is cut: alpha is sqrt(t) at the last update, path the sum of its rises times |w|^2, cross that of its rises times |w|.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...core.guarantee import Symbols
from ...core.losses import Pinball
from ...core.outcome import Outcome
from ...core.stream import Array
from ...core.vectors import add, index, norm2, shift, size, value
from .implicit import PERCEPTRON, SQUARE, proximal, steepest
from .units import Units, cut_to_unit, fit, fits, second, unseen

SCORE = 4.0  # how far scores of two classes are expected to go, where no rate is set
ALPHA, PATH, STEPS, CROSS, STEEPEST, REFITTED = range(6)


class State(NamedTuple):
    w: Array  # the weights, over c
    c: float
    units: Units
    sums: Array  # what the bound is made of
    steep: float  # 1/eta of the last update, in units of the features
    S: float  # sum of squared gradients, in units of the second largest
    low: float  # that unit, ...
    most: float  # ... and the largest
    y_low: float  # the same of the outcomes, where they are numbers
    y_most: float
    length2: float  # |w|^2, in units of the features where they are used
    updates: int
    which: int
    tau: float
    t: int  # rounds so far


def begin_descent(n: int, loss: Any, which: int, units: bool) -> State:
    tau = loss.quantile if isinstance(loss, Pinball) else 0.5
    number = 0.0 if which >= SQUARE else 1.0
    return State(
        w=np.zeros(n),
        c=1.0,
        units=unseen(n if units else 0),
        sums=np.zeros(6),
        steep=0.0,
        S=0.0,
        low=0.0,
        most=0.0,
        y_low=number,
        y_most=0.0,
        length2=0.0,
        updates=0,
        which=which,
        tau=tau,
        t=0,
    )


def refit(state: Any, x: Any) -> tuple[float, float, float]:
    """Take in values that do not fit their units: |x|^2 in the new ones, how much of the score and of |w|^2 moved."""
    w, u, sums, n, moved, change = state.w, state.units, state.sums, 0.0, 0.0, 0.0
    for k in range(size(x)):
        v, i = abs(value(x, k)), index(x, k)
        if v > 0.0 and (u.q[i] < 0.0 or v * u.q[i] > 1.0):
            long, read_as = abs(w[i]) / abs(u.q[i]), min(v, 1.0 / abs(u.q[i]))
            ratio = fit(u, i, v)
            if 0.0 < ratio < 1.0:  # the unit grew, and the weight shrinks with it
                moved += abs(w[i]) * abs(read_as - ratio * cut_to_unit(v, u.q[i]))
                w[i] *= ratio
                sums[CROSS] += state.steep * long * (1.0 - ratio) * (1.0 + 2.0 * ratio)
                sums[REFITTED] = 1.0
            elif ratio > 1.0:  # the first value was too large
                change += long * long * (1.0 / (ratio * ratio) - 1.0)
                sums[REFITTED] = 1.0
        z = cut_to_unit(v, u.q[i]) * abs(u.q[i])
        n += z * z if u.most[i] > 0.0 else 0.0
    return n, moved, change


def pay(sums: Array, steep: float, before: float, length2: float) -> None:
    """What the bound pays when 1/eta changes."""
    rise = steep - before
    if rise > 0.0:
        sums[ALPHA] += rise
        sums[CROSS] += rise * math.sqrt(length2)
        sums[PATH] += rise * length2
        sums[STEEPEST] = max(sums[STEEPEST], steep)


def lose(sums: Array, lost: float, length: float) -> None:
    """What the bound pays for a part of a gradient that was left out."""
    sums[CROSS] += lost
    sums[PATH] += 2.0 * lost * length


def shift_in_units(state: State, t: float, x: Any, odd: bool) -> float:
    """The same in units; values are cut where one did not fit."""
    w, q = state.w, state.units.q
    change, lost = 0.0, 0.0
    for k in range(size(x)):
        i = index(x, k)
        v = cut_to_unit(value(x, k), q[i]) if odd else value(x, k)
        old = w[i]
        new = old + t * v * q[i] * q[i]
        w[i] = new
        change += v * (old + new)
        if odd:
            lost += abs(value(x, k) - v) * abs(q[i])
    if lost > 0.0:
        state.sums[CROSS] += state.steep * abs(t) * lost
    return t * change


def stepped(
    state: State,
    x: Any,
    p: float,
    f: Outcome,
    g: float,
    eta: float,
    radius: float,
    implicit: bool,
    units: bool,
) -> State:
    """One update, at a slope g that is not 0; a rate or radius of 0 is one that is not set."""
    if radius > 0.0:
        return in_ball(state, x, p, f, g, eta, radius, implicit)
    if eta > 0.0:
        return straight(state, x, p, f, g, eta, implicit)
    if units:
        return in_units(state, x, p, f, g, implicit)
    return falling(state, x, p, f, g, implicit)


def passed(state: State) -> State:
    """A round that nothing was learned from."""
    return State(
        w=state.w,
        c=state.c,
        units=state.units,
        sums=state.sums,
        steep=state.steep,
        S=state.S,
        low=state.low,
        most=state.most,
        y_low=state.y_low,
        y_most=state.y_most,
        length2=state.length2,
        updates=state.updates,
        which=state.which,
        tau=state.tau,
        t=state.t + 1,
    )


def falling(state: State, x: Any, p: float, f: Outcome, g: float, implicit: bool) -> State:
    """The printed rule at Zinkevich's rate, 1/sqrt(t) in round t."""
    sums, w = state.sums, state.w
    steep = math.sqrt(state.t + 1.0)
    pay(sums, steep, state.steep, state.length2)
    t = -f.h * g / steep
    if implicit:
        n = norm2(x)
        if n > 0.0:
            t = (proximal(state.which, state.tau, p, f.y, f.h * n / steep) - p) / n
    change, n = shift(w, t, x)
    sums[STEPS] += (f.h * g) * (f.h * g) * n / steep
    length2 = state.length2 + change
    if (state.updates + 1) % w.shape[0] == 0:  # sums of differences drift: count again
        length2 = norm2(w)
    return State(
        w=w,
        c=1.0,
        units=state.units,
        sums=sums,
        steep=steep,
        S=0.0,
        low=0.0,
        most=0.0,
        y_low=state.y_low,
        y_most=0.0,
        length2=max(length2, 0.0),
        updates=state.updates + 1,
        which=state.which,
        tau=state.tau,
        t=state.t + 1,
    )


def straight(
    state: State, x: Any, p: float, f: Outcome, g: float, eta: float, implicit: bool
) -> State:
    """The printed rule."""
    n, sums = norm2(x), state.sums
    sums[ALPHA] = 1.0 / eta
    sums[STEPS] += eta * (f.h * g) * (f.h * g) * n
    t = -eta * f.h * g
    if implicit and n > 0.0:
        t = (proximal(state.which, state.tau, p, f.y, eta * f.h * n) - p) / n
    add(state.w, t, x)
    return State(
        w=state.w,
        c=1.0,
        units=state.units,
        sums=sums,
        steep=0.0,
        S=0.0,
        low=0.0,
        most=0.0,
        y_low=state.y_low,
        y_most=0.0,
        length2=0.0,
        updates=state.updates + 1,
        which=state.which,
        tau=state.tau,
        t=state.t + 1,
    )


def in_ball(
    state: State, x: Any, p: float, f: Outcome, g: float, eta: float, radius: float, implicit: bool
) -> State:
    """In a ball, at the rate that is set or sqrt(2) radius / sqrt(sum |gradient|^2)."""
    n, sums, h, S, low, most = norm2(x), state.sums, f.h, state.S, state.low, state.most
    if n == 0.0:
        return passed(state)
    w, c, length2 = state.w, state.c, state.length2
    if eta > 0.0:
        steep = 1.0 / eta
    else:
        long = h * abs(g) * math.sqrt(n)
        low, most = second(low, most, long)
        if long > abs(low):
            h *= abs(low) / long
            lose(sums, (f.h - h) * abs(g) * math.sqrt(n), math.sqrt(length2))
        S += (h * g) * (h * g) * n / (low * low)
        steep = abs(low) * math.sqrt(S) / (1.4142135623730951 * radius)
    pay(sums, steep, state.steep, length2)
    sums[STEPS] += (h * g) * (h * g) * n / steep
    t = -h * g / steep
    if implicit:
        t = (proximal(state.which, state.tau, p, f.y, h * n / steep) - p) / n
    length2 += c * c * shift(w, t / c, x)[0]
    if (state.updates + 1) % w.shape[0] == 0:  # sums of differences drift: count again
        length2 = c * c * norm2(w)
    length2 = max(length2, 0.0)
    if length2 > radius * radius:
        c *= radius / math.sqrt(length2)
        length2 = radius * radius
        if c < 1e-100:
            for i in range(w.shape[0]):
                w[i] *= c
            c = 1.0
    return State(
        w=w,
        c=c,
        units=state.units,
        sums=sums,
        steep=steep,
        S=S,
        low=low,
        most=most,
        y_low=state.y_low,
        y_most=state.y_most,
        length2=length2,
        updates=state.updates + 1,
        which=state.which,
        tau=state.tau,
        t=state.t + 1,
    )


def in_units(state: State, x: Any, p: float, f: Outcome, g: float, implicit: bool) -> State:
    """Each feature in its own unit, at a rate that falls as gradients add up."""
    n, odd = fits(state.units.q, x)
    sums, h, moved, length2 = state.sums, f.h, 0.0, state.length2
    if odd > 0:
        n, moved, change = refit(state, x)
        length2 = max(length2 + change, 0.0)
    y_low, y_most = state.y_low, state.y_most
    if state.which > PERCEPTRON:
        y_low, y_most = second(y_low, y_most, abs(f.y))
    if (
        n == 0.0 or y_low <= 0.0
    ):  # the first outcome only sets their unit: it may be the extreme one
        leave(state, x, h * abs(g), moved, length2)
        own = state.steep, state.S, state.low, state.most
        return next_in_units(state, own, y_low, y_most, length2, state.updates)
    h *= min(1.0, steepest(state.which, y_low) / abs(g))
    long = h * abs(g) * n  # how far this gradient moves the score, at a rate of 1
    low, most = second(state.low, state.most, long)
    if long > abs(low):
        h *= abs(low) / long
    if h < f.h:
        leave(state, x, (f.h - h) * abs(g), moved, length2)
    S = state.S + (h * g) * (h * g) * n * n / (low * low)
    far = SCORE if state.which <= PERCEPTRON else y_low
    steep = abs(low) * math.sqrt(S) / far
    pay(sums, steep, state.steep, length2)
    sums[STEPS] += (h * g) * (h * g) * n / steep
    t = -h * g / steep
    if implicit:
        t = (proximal(state.which, state.tau, p, f.y, h * n / steep) - p) / n
    sums[PATH] += 2.0 * steep * abs(t) * moved
    own = steep, S, low, most
    now = next_in_units(state, own, y_low, y_most, length2, state.updates + 1)
    length2 = max(length2 + shift_in_units(now, t, x, odd > 0), 0.0)
    return next_in_units(state, own, y_low, y_most, length2, state.updates + 1)


def next_in_units(
    state: State,
    rate: tuple[float, float, float, float],
    y_low: float,
    y_most: float,
    length2: float,
    updates: int,
) -> State:
    """The state of the next round; `rate` is 1/eta, and what it is computed from: S, low and most."""
    return State(
        w=state.w,
        c=1.0,
        units=state.units,
        sums=state.sums,
        steep=rate[0],
        S=rate[1],
        low=rate[2],
        most=rate[3],
        y_low=y_low,
        y_most=y_most,
        length2=length2,
        updates=updates,
        which=state.which,
        tau=state.tau,
        t=state.t + 1,
    )


def leave(state: State, x: Any, lost: float, moved: float, length2: float) -> None:
    """What the bound pays for a slope that was cut, in units."""
    total, own, q = 0.0, 0.0, state.units.q
    for k in range(size(x)):
        v, i = value(x, k), index(x, k)
        total += abs(v) * abs(q[i])
        own += abs(cut_to_unit(v, q[i])) * abs(q[i])
    state.sums[CROSS] += lost * total
    state.sums[PATH] += 2.0 * lost * (own * math.sqrt(length2) + moved)


def promise(s: Symbols) -> Any:
    """The regret to u that gradient descent pays, for rates of any kind."""
    long = np.sqrt(s.U2) * (s.Rinf if s.in_units else 1.0)
    bound = (s.alpha * long**2 + s.path + s.steps) / 2 + s.cross * long
    return bound if math.isnan(s.radius) else np.where(s.radius**2 >= s.U2, bound, np.inf)
