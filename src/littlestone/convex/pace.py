"""How long steps may be when the length of subgradients was not declared: from those seen, and never for ever."""

from __future__ import annotations

import math
from typing import NamedTuple

TINY, GREAT = 1e-280, 1e280  # below the one a subgradient counts as 0, above the other as the other


class Pace(NamedTuple):
    """The scale of the subgradients, the rate that follows from it, and what the theorem charges for both."""

    steps: int  # rounds with a subgradient other than 0
    before: float  # the largest size in the last window; windows end after 1, 2, 4, 8, … steps
    lately: float  # the largest size in this window
    until: int  # the step that ends it
    kept: float  # the size that the subgradient of this step was cut to
    w: float  # 1/eta, for the next step
    rise: float  # the sum of all rises of w
    spent: float  # the sum of kept^2 / w
    cut: float  # the sum of size - kept


def fresh() -> Pace:
    return Pace(0, 0.0, 0.0, 1, 0.0, 0.0, 0.0, 0.0, 0.0)


def paced(p: Pace, size: float, c: float, ahead: bool) -> Pace:
    """The pace after a subgradient of this size (not 0), where the rate 1/w comes from w = c b sqrt(steps).

        b = the largest size in this window of steps and the last one
        a subgradient longer than 2b is cut to 2b; b grows with what was kept
        w = c b sqrt(steps)

    `ahead` is for rules that choose w before they see the subgradient (those that add subgradients up): they use the
    w of the step before, and the first subgradient, which nothing is known about yet, only sets the scale.

    So one subgradient of any size at most doubles w, and what was too large is forgotten after twice as many steps:
    no round stops the learning of those that follow. For a regulariser that is at most R on the set, and steps whose
    w-strongly convex problem costs kappa size^2 / w, rates that may also rise give, with Z the largest difference
    between two points of the set along a unit of size,

        regret <= R (sum of the rises of w) + kappa (sum of kept^2 / w) + Z (sum of size - kept).

    Without a fall or a cut that is 2 sqrt(2 kappa R) b sqrt(steps) for c = sqrt(2 kappa / R). In general the rises
    sum to at most 4.42 c L sqrt(steps), with L the largest size.
    """
    b, steps = max(p.before, p.lately), p.steps + 1
    seen = min(size, 2.0 * b, GREAT) if b > 0.0 else min(size, GREAT)
    kept = 0.0 if ahead and b == 0.0 else seen
    before, lately, until = p.before, max(p.lately, seen), p.until
    top = max(before, lately)
    used = p.w if ahead and b > 0.0 else c * top * math.sqrt(steps)
    w = c * top * math.sqrt(steps + 1.0) if ahead else used
    rise = p.rise + max(0.0, used - p.w) + max(0.0, w - used)
    if steps == until:
        before, lately, until = lately, 0.0, 2 * until
    return Pace(
        steps, before, lately, until, kept, w, rise,
        p.spent + kept * (kept / used), p.cut + (size - kept),
    )  # fmt: skip


def summed(p: Pace, size: float, given: float, c: float) -> tuple[Pace, float, float]:
    """For rules that add subgradients up: the next pace, the share of this subgradient that is added, and the rate.

    `given` is the rate where it is known (eta is set, or follows from `lipschitz`), 0 where the subgradients seen set
    it; c is that of `paced`, 0 where the set is one point and there is nothing to learn.
    """
    if given > 0.0 or c == 0.0:
        return p, 1.0 if size <= GREAT else GREAT / size, given
    share = 0.0
    if size > TINY:
        p = paced(p, size, c, True)
        share = p.kept / size
    return p, share, 1.0 / max(p.w, TINY)
