"""Dykstra's algorithm: the nearest point that several convex sets share."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..shared_methods import with_methods
from ..stream import Array

SLACK = 1e-9  # what rounding may add to a set, relative to its size
NEAR = 1e-12  # a sweep whose steps move no coordinate farther than this, relative to the point, is the last
BLUR = 1e-15  # nor farther than this, relative to where the point came from: what rounding moves anyway
FIRST = 100  # sweeps from where the point is, before it is approached in stages
STAGES = 27  # each four times as far out as the one before
EACH = 200  # sweeps in a stage
LAST = 4_000  # and at the end, where the point is again
FINAL = 2_000  # sweeps of `project_in_turn`, which only bring a point into all of the sets

PARTS = 6  # of an intersection; its scratch space has these rows:
EARLIER = PARTS  # the corrections (0 to 5), and what they were before
TARGET = 2 * PARTS  # the point that is to be projected
CENTRE = TARGET + 1  # where the stages start
ROWS = CENTRE + 2  # the last row is for a step's own use


# Rules that the sets share.


def dykstra_step(self: Any, z: Any, Y: Any, k: int) -> float:
    """One step of Dykstra's algorithm: project z with the correction Y[k] of this set; return how far z moved."""
    last, moved = Y.shape[0] - 1, 0.0
    for i in range(z.shape[0]):
        Y[last, i] = z[i]
        z[i] += Y[k, i]
        Y[k, i] = z[i]
    self.project(z, Y)
    for i in range(z.shape[0]):
        Y[k, i] -= z[i]
        moved = max(moved, abs(Y[last, i] - z[i]))
    return moved


def widest(z: Any) -> float:
    """The largest |z_i|."""
    top = 0.0
    for i in range(z.shape[0]):
        top = max(top, abs(z[i]))
    return top


def support_of_cut(z: Any, Y: Any, k: int) -> float:
    """<y_k, z - centre>, the largest on the k-th set where z is its projection and y_k the correction."""
    s = 0.0
    for i in range(z.shape[0]):
        s += Y[k, i] * (z[i] - Y[CENTRE, i])
    return s


def take_off_corrections(z: Any, Y: Any, share: float) -> None:
    """z = the point that is `share` of the way from the centre to the target, less the corrections."""
    for i in range(z.shape[0]):
        s = 0.0
        for k in range(PARTS):
            s += Y[k, i]
        z[i] = ((1.0 - share) * Y[CENTRE, i] + share * Y[TARGET, i]) - s


def leap(z: Any, Y: Any, reach: float) -> None:
    """Move the corrections on in the direction of the last sweep, `reach` times as far; keep the old ones."""
    for k in range(PARTS):
        for i in range(z.shape[0]):
            y = Y[k, i]
            Y[k, i] += reach * (y - Y[EARLIER + k, i])
            Y[EARLIER + k, i] = y


def copy_rows(Y: Any, to: int, start: int) -> None:
    """Copy the six rows of Y from `start` on to those from `to` on."""
    for k in range(PARTS):
        for i in range(Y.shape[1]):
            Y[to + k, i] = Y[start + k, i]


# Rules of an intersection. They are functions, not methods, so that they compile once and not wherever they are called.


def sweep(self: Any, z: Any, Y: Any, valued: bool) -> tuple[float, float]:
    """Make a step to each set; return the longest of them, and if `valued` the function that the steps lower."""
    moved, value = self.one.dykstra_step(z, Y, 0), 0.0
    value += support_of_cut(z, Y, 0) if valued else 0.0
    moved = max(moved, self.two.dykstra_step(z, Y, 1))
    value += support_of_cut(z, Y, 1) if valued else 0.0
    moved = max(moved, self.three.dykstra_step(z, Y, 2))
    value += support_of_cut(z, Y, 2) if valued else 0.0
    moved = max(moved, self.four.dykstra_step(z, Y, 3))
    value += support_of_cut(z, Y, 3) if valued else 0.0
    moved = max(moved, self.five.dykstra_step(z, Y, 4))
    value += support_of_cut(z, Y, 4) if valued else 0.0
    moved = max(moved, self.six.dykstra_step(z, Y, 5))
    value += support_of_cut(z, Y, 5) if valued else 0.0
    if valued:
        for i in range(z.shape[0]):
            value += 0.5 * (z[i] - Y[CENTRE, i]) * (z[i] - Y[CENTRE, i])
    return moved, value


def project_in_turn(self: Any, z: Any, Y: Any, sweeps: int) -> None:
    """Move z to a nearby point of the intersection, by projecting on one set after the other; corrections stay."""
    last = Y.shape[0] - 1
    for _ in range(sweeps):
        for i in range(z.shape[0]):
            Y[last, i] = z[i]
        self.one.project(z, Y)
        self.two.project(z, Y)
        self.three.project(z, Y)
        self.four.project(z, Y)
        self.five.project(z, Y)
        self.six.project(z, Y)
        moved = 0.0
        for i in range(z.shape[0]):
            moved = max(moved, abs(z[i] - Y[last, i]))
        if moved <= BLUR * widest(z):
            return


def begin_afar(self: Any, z: Any, Y: Any) -> None:
    """Set the centre, a point near the set from which the target is approached, and all corrections to 0."""
    for i in range(z.shape[0]):
        z[i] = Y[TARGET, i]
        for k in range(PARTS):
            Y[k, i] = 0.0
    project_in_turn(self, z, Y, 20)
    for i in range(z.shape[0]):
        Y[CENTRE, i] = z[i]


def descend(self: Any, z: Any, Y: Any, share: float, blur: float, sweeps: int, leaps: bool) -> bool:
    """Sweep, and leap between sweeps, from the corrections as they are; return whether the sweeps converged."""
    reach, value, leapt = 1.0, math.inf, leaps
    for _ in range(2 * (sweeps // 2) + 1):  # the last sweep judges a leap
        moved, now = sweep(self, z, Y, leaps)
        if leapt and not now < value:
            copy_rows(Y, 0, EARLIER)
            take_off_corrections(z, Y, share)
            reach, leapt = max(0.25 * reach, 1.0), False
            continue
        if moved <= NEAR * widest(z) + blur:
            return True
        if leapt:
            copy_rows(Y, EARLIER, 0)
            reach, leapt = min(2.0 * reach, 1e6), False
        elif leaps:
            leap(z, Y, reach)
            take_off_corrections(z, Y, share)
            value, leapt = now, True
    return False


def holds(self: Any, z: Any, slack: float = SLACK) -> bool:
    """Is z as near to its projection as rounding allows?"""
    p = np.array(z, dtype=np.float64)
    self.project(p, room(self, len(p)))
    return bool(np.abs(p - z).max(initial=0.0) <= slack * (1.0 + np.abs(p).max(initial=0.0)))


def room(B: Any, n: int) -> Array:
    """Scratch space for projecting onto B; its first rows will be the corrections of an intersection's parts."""
    return np.zeros((ROWS if isinstance(B, Intersection) else 0, n))


@with_methods(contains=holds)
class Everywhere(NamedTuple):
    """All points: nothing is projected."""

    radius: float = math.inf

    def project(self, z: Any, Y: Any) -> None:
        return

    def dykstra_step(self, z: Any, Y: Any, k: int) -> float:
        return 0.0

    def lowest(self, g: Any, z: Any) -> float:
        for i in range(g.shape[0]):
            if g[i] != 0.0:
                return -math.inf
        return 0.0

    def reach_from(self, z: Any) -> float:
        return math.inf

    def diameter(self, n: int) -> float:
        return math.inf


class Intersection(NamedTuple):
    """The points that up to six sets share.

        repeat:  each set in turn:  z, y = projection of z + y, z + y - that projection       y: its correction
        until    no step moves z by more than 1e-12 of its size

    Dykstra's algorithm: where one projection after the other only ends at some shared point, the corrections lead to
    the nearest one. It is descent, one y_k at a time, on the convex function

        |z - sum y_k|^2 / 2  +  sum_k  max over the k-th set of <y_k, .>

    so it may start at any corrections, and may leap wherever that lowers the function. Started at 0 it needs sweeps in
    proportion to the distance, or worse: corrections are as long as the point is far, and a sweep changes them by the
    size of the set. So a point that 100 sweeps do not bring home is approached in 27 stages along the line from some
    point near the set. A stage is four times as far out as the one before, and starts at four times its corrections,
    which are right for flat faces up to the size of the set. After every other sweep the corrections leap on in its
    direction, farther each time that this lowers the function; a leap that does not is taken back.

    The answer is in the last set exactly, and in the others up to about 1e-12 divided by the angle at which they meet.
    A point that is far off, by 10^6 sizes of the set, costs six digits of *which* point of the set is nearest (it has
    no more of them itself), not of being in the set: plain projections, one set after the other, end a search that
    was far, or did not end by itself after about 10,000 sweeps. What did not end is then a point of the set close to
    the nearest one: curved sets do that from afar, sets that barely touch from anywhere. Reach and diameter are those
    of the smallest part: an upper bound.

    >>> from littlestone.core.convex_sets import Ball, Box
    >>> z, B = np.array([2.0, 2.0]), Intersection(Ball(1.0), Box(0.0, 0.5))
    >>> B.project(z, room(B, 2))
    >>> z.round(9).tolist()
    [0.5, 0.5]

    Boyle and Dykstra (1986); Han (1988) and Gaffke and Mathar (1989) for the descent; Birgin and Raydan (2005) for
    when to stop.
    """

    one: Any
    two: Any
    three: Any = Everywhere()
    four: Any = Everywhere()
    five: Any = Everywhere()
    six: Any = Everywhere()

    def __repr__(self) -> str:
        return f"Intersection({', '.join(repr(B) for B in self if not isinstance(B, Everywhere))})"

    def project(self, z: Any, Y: Any) -> None:
        scale, ended = widest(z), False
        for i in range(z.shape[0]):
            for k in range(Y.shape[0]):
                Y[k, i] = 0.0
            Y[TARGET, i] = z[i]
        share, blur, sweeps = 1.0, 4e-16 * scale, FIRST
        for stage in range(STAGES + 2):  # at first from where the point is
            if stage == 1:
                begin_afar(self, z, Y)
            if stage > 0:
                share = 0.25 ** (STAGES + 1 - stage)
                blur = BLUR * (share * scale + widest(Y[CENTRE]))
                sweeps = EACH if stage <= STAGES else LAST
                for k in range(PARTS):
                    for i in range(z.shape[0]):
                        Y[k, i] *= 4.0
                take_off_corrections(z, Y, share)
            ended = descend(self, z, Y, share, blur, sweeps, stage > 0)
            if stage == 0 and ended:
                break
        if not ended or BLUR * scale > NEAR * widest(z):
            project_in_turn(self, z, Y, FINAL)

    def contains(self, z: Any, slack: float = SLACK) -> bool:
        return all(B.contains(z, slack) for B in self)

    def reach_from(self, z: Any) -> float:
        return min(float(B.reach_from(z)) for B in self)

    def diameter(self, n: int) -> float:
        return min(float(B.diameter(n)) for B in self)
