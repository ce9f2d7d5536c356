"""A mixture of two predictions of a number: a learner's own, and that of a gambler on the features (wagers.py).

    c = the first outcome;  [low, high] = [c, c]
    predict:  a_1 = own prediction, a_2 = c + w_0 + <w, x> of the gambler, both cut to [low, high];  B = high - low
              (low + high)/2 + (G(low) - G(high)) / 2B,  G(y) = -(B^2/2) ln sum_j p_j exp(-2 (a_j - y)^2 / B^2),
              p_j proportional to v_j exp(-2 L_j / B^2);  v_2 = 2^-12, v_1 = 1 - v_2
    learn:    y > high:  high = y + (y - low)/2;   y < low:  low = y - (high - y)/2;   nothing else in such a round
              otherwise  L_j += (a_j - y)^2, and the gambler is paid for the slope 2 (a_2 - y), which is at most 2 B

The first outcome that is not c is taken together with c: of the two the one nearer to 0 becomes c, and [low, high]
is what is within r of it, r the smaller of its size and the distance of the two. So one extreme outcome does little
harm where it is the first or the second.

What it loses, and why. Let B be that of the end, and u any linear predictor with an intercept u_0.

    loss  <=  loss of u  +  opening  +  (4/5 + 6 ln 2) B^2  +  price of u

- Opening: the first outcome, predicted as 0, costs its square. While low = high the prediction is c, so that outcomes
  equal to c cost nothing; the first other one costs its squared distance from c.
- Jumps, the later rounds with y outside [low, high]: the prediction is inside, so that a jump costs at most
  (y - low)^2, or (high - y)^2, which is 4/9 of the square of the new B. The new B is more than 3/2 of the old one.
  So all together cost at most 4/9 B^2 (1 + 4/9 + (4/9)^2 + ...) = 4/5 B^2. u loses at least 0 there.
- The mixture, in the other rounds: y, a_1 and a_2 are in [low, high]. On an interval of length B the square loss is
  mixable at 2/B^2, by the prediction above (Vovk 1990; Haussler, Kivinen & Warmuth 1998; T-AA-SQ). So a round costs
  at most F(L after it) - F(L before it), F(L) = -(B^2/2) ln sum_j v_j exp(-2 L_j / B^2). A larger B does not make F
  smaller, for -ln(sum_j v_j exp(-s L_j)) / s falls with s. So the sum over the rounds is at most F(L) at the end,
  which is at most L_j + (B^2/2) ln(1/v_j): for the gambler L_2 + 6 ln 2 B^2.
- The gambler: let f(s) be (s - y)^2 for s in [low, high], and its tangents at the ends outside. y is inside, so f is
  convex, f(s) >= (cut s - y)^2, f(s) <= (s - y)^2, and f'(s) = 2 (cut s - y), at most 2 B. So with s = c + w_0 + <w, x>
  (cut s - y)^2 - (u.x - y)^2  <=  f(s) - f(u.x)  <=  f'(s) (s - u.x)  =  f'(s) (<w - u, x> + w_0 - (u_0 - c)).
  The sum of that is at most `price` of wagers.py, for u with the intercept u_0 - c and with the hint 2 B. A coordinate
  begins in the first round in which it is not 0 and the gambler is paid, with 4 B^2 / (coordinates seen by then).

B is at most 3 times the difference D of the largest and the smallest outcome: one end of the first interval may be D
beyond all outcomes, the other end is not; and a jump goes beyond them by at most half of D and what the other end is
beyond them. To its own prediction, cut, the mixture loses at most (B^2/2) ln(1/v_1) < B^2 / 8,000 in all rounds that
are not jumps.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from ...core.numeric import decay_one
from ...core.scratch import Scratch
from ...core.stream import Array
from .wagers import LEAST, ODD, WHOLE, Wagers, beginners, broke, pay, wager

RARE = 2.0**-12  # the first weight of the gambler
ODDS = math.log(RARE / (1.0 - RARE))
BEYOND = 0.5  # of its new distance from the other end: how far an end of the interval goes beyond an outcome
PRICE = 1.0 / ((1.0 + BEYOND) ** 2 - 1.0) - 0.5 * math.log(RARE)  # of jumps and mixture, in B^2
ROOT = math.exp(0.5)
NOTHING = 1e-140  # the square of a smaller interval leaves the range of floats: there are no bets

# What the mixture knows: whether it has begun; the interval and c; by how much the own prediction has lost more than
# the gambler, over (B/2)^2; both for the last example; what the rounds before there was an interval have cost.
BEGUN, LOW, HIGH, CENTRE, LEAD, OWN, BETS, OPENING, ENTRIES = 0, 1, 2, 3, 4, 5, 6, 7, 8


class Outer(NamedTuple):
    wagers: Wagers
    book: Annotated[Array, Scratch(OWN, BETS)]


def unopened(n: int) -> Outer:
    """Before the first outcome, with n features."""
    return Outer(broke(1, n), np.zeros(ENTRIES))


def combine(outer: Outer, x: Any, own: float) -> float:
    """The prediction for an example for which the learner's own is given."""
    wagers, book = outer
    low, high = book[LOW], book[HIGH]
    half: float = 0.5 * (high - low)
    if book[BEGUN] == 0.0:
        return own
    own = min(max(own, low), high)
    if half <= NOTHING:
        return own
    wagers.purse[ODD] = 0.0
    bets: float = book[CENTRE] + wager(wagers, 0, x, 4.0 * half, smallest(half))
    bets = min(max(bets, low), high)
    book[OWN], book[BETS] = own, bets
    odds = ODDS + 0.5 * book[LEAD]
    d = (bets - own) / half
    m = 0.5 * (own - low + (bets - high)) / half  # their mean, seen from the middle of the interval
    if odds < 0.0:
        return own + half * toward(d, m, odds)
    return bets + half * toward(-d, m, -odds)


def smallest(half: float) -> float:
    """A value counts as 0 whose weight would leave the range of floats."""
    return LEAST * max(1.0, WHOLE * half * half)


def toward(d: float, m: float, odds: float) -> float:
    """How far the mixture of a and b is from a: d = b - a, m = (a + b)/2, and b weighs exp(odds) <= 1 times as much.

    On [-1, 1], where it is ln((1 + v e^d) / (1 + v e^-d)) / 2 with v = exp(odds + (a^2 - b^2)/2), written so that it is
    exact for the smallest d.
    """
    v = ROOT * decay_one(min(odds - d * m - 0.5, 0.0))
    s = math.sinh(d)
    return math.atanh(v * s / (1.0 + v * math.sqrt(1.0 + s * s)))


def take_in(outer: Outer, x: Any, y: float, h: float) -> None:
    """Learn from the outcome of the last example."""
    wagers, book = outer
    if book[BEGUN] == 0.0:
        book[BEGUN], book[CENTRE], book[OPENING] = 1.0, y, y * y
        book[LOW], book[HIGH] = y, y
    low, high = book[LOW], book[HIGH]
    half = 0.5 * (high - low)
    if low == high and y != low:
        open_interval(book, y)
    elif y < low or y > high:
        if y > high:
            book[HIGH] = y + BEYOND * (y - low)
        else:
            book[LOW] = y - BEYOND * (high - y)
        book[LEAD] *= (2.0 * half / (book[HIGH] - book[LOW])) ** 2
    elif half > NOTHING:
        a, g = (y - book[OWN]) / half, (y - book[BETS]) / half
        book[LEAD] += h * (a * a - g * g)
        first = beginners(wagers) * half * half
        slope = 2.0 * min(h, 1.0) * (y - book[BETS])
        pay(wagers, 0, x, slope, first, 4.0 * half, smallest(half))


def open_interval(book: Array, y: float) -> None:
    """The first interval, from two outcomes: the one nearer to 0 is believed, as in `observe_value`."""
    apart = abs(y - book[CENTRE])
    book[OPENING] += apart * apart
    if abs(y) < abs(book[CENTRE]):
        book[CENTRE] = y
    size = abs(book[CENTRE])
    r = apart if size == 0.0 else min(apart, size)
    book[LOW], book[HIGH] = book[CENTRE] - r, book[CENTRE] + r
