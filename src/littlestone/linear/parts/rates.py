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

from typing import Any, NamedTuple

import numpy as np

from ...core.guarantee import Guarantee, Symbols
from ...core.losses import Pinball, parse_loss
from ...core.outcome import Outcome
from ...core.scratch import Buffer
from ...core.stream import Array
from ...core.vectors import for_sparse, index, size, value
from ...games import Game, Margin, Regression
from .feature_rates import (
    ALPHA,
    FALLS,
    FIRST,
    PATH,
    STEPS,
    move,
    refit,
    refit_sparse,
    renewed,
    squares,
)
from .implicit import LOGISTIC, PERCEPTRON, SQUARE, SQUARED_HINGE, aware, classifies, kind, steepest
from .units import Units, cut_to_unit, fits, length, score_in_units, second, unseen

ODD, LENGTH = 0, 1  # of `last`


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
    last: Buffer  # of the last example that was scored: how many values do not fit their units; else |x|^2 in units


def begin_rates(n: int, loss: Any, which: int) -> State:
    # each made as zeros, and not a copy: memory that was never written costs nothing
    w, a, G, room, cross = (np.zeros(n) for _ in range(5))
    tau = loss.quantile if isinstance(loss, Pinball) else 0.5
    return State(
        w=w,
        units=unseen(n),
        a=a,
        G=G,
        room=room,
        cross=cross,
        sums=np.zeros(5),
        which=which,
        tau=tau,
        low=1.0 if classifies(loss) else 0.0,
        most=0.0,
        last=np.zeros(2),
    )


def unset(which: int) -> float:
    """The rate where none is set, in units: scores of two classes go further than one unit, numbers do not."""
    return 1.0 if which < SQUARE else 0.6


def usual(which: int, unit: float) -> float:
    """The slope that a feature is taken to have met once before it was seen."""
    if which == SQUARE:
        return 2.0 * unit
    return 2.0 if which == SQUARED_HINGE else 0.5 if which == LOGISTIC else 1.0


def score(state: State, x: Any) -> float:
    """<w, x> with x cut to its units; what else is seen on the way is for the step that follows."""
    p, state.last[LENGTH], state.last[ODD] = score_in_units(state.w, state.units.q, x, 1.0)
    return p


def prepare(
    state: State, x: Any, c: float, first: float, scale: float, tau: float
) -> tuple[float, float]:
    """Add the squares c |x|^2 x_i^2 to G_i; sum_i a_i x_i^2, and how much of the score moved (-1: all values fit).

    x was scored last. The step w_i += tau a_i x_i is taken on the way; tau is 0 where it is not known yet.
    """
    if state.last[ODD] > 0.0:
        n, moved, _ = taken_in(state, x)
        return renewed(state, x, c * n, first * n, scale, tau), moved
    n = state.last[LENGTH]
    return squares(state, x, c * n, first * n, scale, tau), -1.0


@for_sparse(refit_sparse)
def taken_in(state: State, x: Any) -> tuple[float, float, bool]:
    """Let the units take in an example: |x|^2 in units, how much of the score moved, and did a value not fit?"""
    n, odd = fits(state.units.q, x)
    if odd == 0:
        return n, 0.0, False
    n, moved = refit(state, x)
    return n, moved, True


def forgone(state: State, x: Any, lost: float, moved: float) -> None:
    """What the bound pays for a slope that was cut by `lost`."""
    state.sums[PATH] += 2.0 * lost * max(moved, 0.0)
    for k in range(size(x)):
        v, i = value(x, k), index(x, k)
        state.cross[i] += lost * abs(v) * abs(state.units.q[i])
        state.sums[PATH] += 2.0 * lost * abs(cut_to_unit(v, state.units.q[i])) * abs(state.w[i])


def adapt(state: State, x: Any, p: float, f: Outcome, g: float, eta: float, awake: bool) -> State:
    """One round of a learner with a rate a feature: along the tangent, or (awake) along the loss itself.

    x is the example that was scored last. The first number that is an outcome only sets their unit: it may be the
    extreme one.
    """
    low, most, which, h = state.low, state.most, state.which, f.h
    if which >= SQUARE:
        low, most = second(low, most, abs(f.y))
    now = State(
        w=state.w,
        units=state.units,
        a=state.a,
        G=state.G,
        room=state.room,
        cross=state.cross,
        sums=state.sums,
        which=which,
        tau=state.tau,
        low=low,
        most=most,
        last=state.last,
    )
    if low <= 0.0:
        taken_in(now, x)
        forgone(now, x, h * abs(g), 0.0)
        return now
    cap, level = steepest(which, low), usual(which, low)
    if abs(g) > cap:
        h *= cap / abs(g)
    # h g g, with g as it is cut; where the loss is followed a long way, as it is when the way begins
    square = abs(g) * min(abs(g), cap)
    begins = h / f.h if awake and f.h > 1.0 else h
    # a step that is known before the rates are is taken as these are renewed
    known = not awake and h == f.h
    tau = -h * g if known else 0.0
    m, moved = prepare(now, x, begins * square, level * level, eta * low, tau)
    if h < f.h:
        forgone(now, x, (f.h - h) * abs(g), moved)
    if m > 0.0:
        tau = follow(now, p, f.y, g, h, m) if awake else -h * g
        if begins < h:
            # slopes fall on the way: their squares sum to no more than the first one times them all
            m = further(now, x, abs(g * tau) - begins * square, eta * low)
            tau = follow(now, p, f.y, g, h, m)
        now.sums[STEPS] += h * g * (h * g) * m
        if known:
            now.sums[PATH] += 2.0 * abs(tau) * max(moved, 0.0)
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
        z = cut_to_unit(value(x, k), q[i]) * abs(q[i])
        n += z * z if state.units.most[i] > 0.0 else 0.0
    return renewed(state, x, max(c, 0.0) * n, 0.0, scale, 0.0)


def look(state: State, x: Any) -> State:
    """A round without a slope: only its values are taken in."""
    taken_in(state, x)
    return state


def write_rates(state: State, M: Array) -> None:
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
    loss = parse_loss(learner.loss, learner.key, True)
    kind(loss, learner.key)
    return Margin(loss, zero) if classifies(loss) else Regression(loss)
