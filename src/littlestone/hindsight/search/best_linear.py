"""The best fixed linear predictor in hindsight, with a bound on how far it is from the best."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.core.stream import Array
from littlestone.hindsight.search.conjugates import Terms, terms
from littlestone.hindsight.search.design import Design
from littlestone.hindsight.search.newton import Search
from littlestone.hindsight.search.used_features import narrow_to_used

REACH = 1e4  # how far to look where there is no ball
SHARP, LITTLE = (
    1e-3,
    1e-6,
)  # of its loss, of the loss of 0: a gap within which the best is called so
BEST, FOUND = "best linear predictor", "a good linear predictor"
ORIGIN = " through the origin"  # predictors of numbers that have no constant say so


@dataclass(frozen=True)
class Best:
    """A linear predictor u and what it loses: loss - gap <= the least loss <= loss."""

    u: Array
    loss: float
    gap: float
    how: str
    little: float = 0.0  # a gap that is negligible, relative to the loss of always predicting 0
    origin: bool = False  # does it predict numbers without a constant?

    @property
    def name(self) -> str:
        """It is called the best where the gap proves that no other loses much less; else a good one."""
        found = BEST if self.gap <= max(SHARP * abs(self.loss), self.little) else FOUND
        return found + ORIGIN if self.origin else found

    @property
    def lower(self) -> float:
        """A lower bound: no predictor in the ball that was searched loses less."""
        return self.loss - self.gap


def was_searched(name: str) -> bool:
    """Is this the name of a predictor that was searched for (`Best.name`)?

    >>> was_searched("best linear predictor through the origin"), was_searched("always 0")
    (True, False)
    """
    return name.removesuffix(ORIGIN) in (BEST, FOUND)


def best_linear(
    X: Any,
    y: Any,
    loss: Any = "hinge",
    *,
    U: float | None = None,
    h: Any = None,
    intercept: bool = False,
    width: int = 0,
    tolerance: float = 1e-5,
    seconds: float = 10.0,
) -> Best:
    """The u with the least sum_t h_t loss(u . x_t, y_t), among those of norm at most U, or among all.

        u = 0
        repeat:  u = the minimiser in the ball of the second-order model of the loss at u
                 a_t = slope of the loss in round t
        until    gap = loss(u) + sum_t h_t loss*(a_t) + U |sum_t h_t a_t x_t|  <=  tolerance loss(u)

    The gap certifies itself: by Fenchel's inequality it is at least loss(u) - min, whatever a is.
    Without U the ball is a wide ellipsoid, which no scale of a feature matters to: its axes are
    10^4 (mean |y|) / (geometric mean of |x_i|), and the gap is to the best in there. (Minimisers may
    be at infinity, and no sum of floats is exactly 0.) It stops at `tolerance`, or after the work of
    so many nominal `seconds` (see Clock: the same on every machine), and says what was reached.

    X is a matrix or Rows (`width` features); y holds -1 and +1 for hinge, squared-hinge, logistic
    and perceptron loss, numbers for square, absolute and pinball loss. Rounds with y = NaN are left
    out. With `intercept` u has a coordinate more, its first, for a constant 1. Examples far beyond
    1e100 or below 1e-100 are scaled first, so that squares stay in the range of floats.

    Three examples on a line; the two at 1 disagree, so one of them must lose at least 1 - u, the
    other 1 + u, and u = 1 gets the third right with margin 1:

    >>> best = best_linear([[1.0], [1.0], [-1.0]], [1.0, -1.0, -1.0], "hinge")
    >>> best.u.round(6).tolist(), round(best.loss, 6), best.gap < 1e-4
    ([1.0], 2.0, True)
    >>> round(best_linear([[1.0], [1.0], [-1.0]], [1.0, -1.0, -1.0], "hinge", U=0.5).loss, 6)
    2.5

    Boyd and Vandenberghe, Convex Optimization (2004), 5.7; see Search for the method.
    """
    if U is not None and not U >= 0.0:
        raise BadInput(f"best_linear: U, the radius of the ball, must be 0 or more, not {U}")
    if (few := narrow_to_used(X, width)) is not None:
        best = best_linear(
            few.rows, y, loss, U=U, h=h, intercept=intercept, width=len(few.places), tolerance=tolerance,
            seconds=seconds,
        )  # fmt: skip
        return replace(best, u=few.whole(best.u))
    D, lost = prepare_examples(X, y, loss, h, intercept, width)
    zero = np.zeros(D.d)
    if U == 0.0 or D.T == 0 or D.d == 0:
        return Best(zero, lost.value(np.zeros(D.T)), 0.0, "nothing to choose")
    factor = unit(D)
    scaled = D if factor == 1.0 else D.times(1.0 / factor)
    reach = REACH * lost.size / scaled.typical() if U is None else np.full(D.d, U * factor)
    search = Search(scaled.scaled(reach), lost, deadline=D.clock.now + seconds)
    search.run(zero, tolerance)
    u = search.u * reach / factor
    final = lost.value(D.scores(u))
    where = "a wide ellipsoid" if U is None else f"the ball of radius {U:g}"
    gap, little = max(0.0, final - search.lower), LITTLE * lost.value(np.zeros(D.T))
    return Best(u, final, gap, f"Newton, {search.steps} steps, in {where}", little)


def prepare_examples(
    X: Any, y: Any, loss: Any, h: Any, intercept: bool, width: int
) -> tuple[Design, Terms]:
    """Examples and losses, checked; rounds without an outcome are left out."""
    D = Design(X, intercept, width)
    outcome = np.asarray(y, dtype=np.float64)
    weight = np.ones(D.T) if h is None else np.asarray(h, dtype=np.float64)
    for name, v in (("y", outcome), ("h", weight)):
        if v.shape != (D.T,):
            raise BadInput(f"{name} must have one number for each of {D.T} examples, not {v.shape}")
    if not (weight >= 0.0).all() or not np.isfinite(weight).all():
        t = int(np.argmin(np.isfinite(weight) & (weight >= 0.0)))
        raise BadInput(
            f"h, the importance of a round, must be 0 or more; round {t} has {weight[t]}"
        )
    known = ~np.isnan(outcome) & (weight > 0.0)
    if not known.all():
        D, outcome, weight = D.some(known), outcome[known], weight[known]
    return D, terms(loss, outcome, weight)


def unit(D: Design) -> float:
    """A power of two to divide by, where squares of the examples would leave the range of floats."""
    numbers = D.X.data if D.sparse else D.X
    top = max(float(numbers.max(initial=0.0)), -float(numbers.min(initial=0.0)))
    return 1.0 if top == 0.0 or 1e-100 < top < 1e100 else 2.0 ** np.frexp(top)[1]
