"""Dykstra's algorithm: the nearest point that several convex sets share."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .answers import answers
from .stream import Array

SLACK = 1e-9  # what rounding may add to a set, relative to its size
SWEEPS = 10_000
NEAR = 1e-12  # a sweep whose steps move no coordinate farther than this, relative to the point, is the last


# Rules that the sets share.


def dykstra_step(self: Any, z: Any, Y: Any, k: int) -> float:
    """One step of Dykstra's algorithm: with its correction, Y[k], the point is projected; how far did it move?"""
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


def holds(self: Any, z: Any, slack: float = SLACK) -> bool:
    """Is z as near to its projection as rounding allows?"""
    p = np.array(z, dtype=np.float64)
    self.project(p, room(self, len(p)))
    return bool(np.abs(p - z).max(initial=0.0) <= slack * (1.0 + np.abs(p).max(initial=0.0)))


def room(B: Any, n: int) -> Array:
    """Scratch space for projecting onto B: a correction for each part of an intersection, and the last point."""
    return np.zeros((len(B) + 1 if isinstance(B, Intersection) else 0, n))


@answers(contains=holds)
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
        until    no step moves z by more than 1e-12 of its size (at most 10,000 sweeps)

    Dykstra's algorithm: where one projection after the other only ends at some shared point, the corrections lead to
    the nearest one. The answer is in the last set exactly, and in the others up to about 1e-12 divided by the angle
    at which they meet; a point that is far off, by 10^6 sizes of the set, costs six digits of it. Reach and diameter
    are those of the smallest part: an upper bound.

    >>> from littlestone.core.sets import Ball, Box
    >>> z, B = np.array([2.0, 2.0]), Intersection(Ball(1.0), Box(0.0, 0.5))
    >>> B.project(z, room(B, 2))
    >>> z.round(9).tolist()
    [0.5, 0.5]

    Boyle and Dykstra (1986); Birgin and Raydan (2005) for when to stop.
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
        scale = 0.0
        for i in range(z.shape[0]):
            for k in range(Y.shape[0]):
                Y[k, i] = 0.0
            scale = max(scale, abs(z[i]))
        for _ in range(SWEEPS):
            moved, now = self.one.dykstra_step(z, Y, 0), 0.0
            moved = max(moved, self.two.dykstra_step(z, Y, 1))
            moved = max(moved, self.three.dykstra_step(z, Y, 2))
            moved = max(moved, self.four.dykstra_step(z, Y, 3))
            moved = max(moved, self.five.dykstra_step(z, Y, 4))
            moved = max(moved, self.six.dykstra_step(z, Y, 5))
            for i in range(z.shape[0]):
                now = max(now, abs(z[i]))
            if moved <= NEAR * now + 4e-16 * scale:
                return

    def contains(self, z: Any, slack: float = SLACK) -> bool:
        return all(B.contains(z, slack) for B in self)

    def reach_from(self, z: Any) -> float:
        return min(float(B.reach_from(z)) for B in self)

    def diameter(self, n: int) -> float:
        return min(float(B.diameter(n)) for B in self)
