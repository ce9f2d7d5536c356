"""Convex sets: where a decision may live, and how a point is brought back into it.

A set is a NamedTuple with methods that run plain and compiled. With a point z, which they change in place, and a
vector g:

    project(z, Y)     the nearest point of the set; Y is room for an Intersection (see `room`), others ignore it
    lowest(g, z)      the least <g, q> over the set; z, a point of the set, becomes one where that is attained,
                      and keeps what does not matter

and, for Python:

    reach_from(z)     the largest distance from z to a point of the set
    diameter(n)       the largest distance between two of its points, in n dimensions
    contains(z)       is z in the set, up to rounding?

Distances are Euclidean. An unbounded set has infinite reach and diameter.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..numeric import least, most
from ..shared_methods import with_methods
from ..stream import Array
from ..vectors import dot
from .dykstra import Everywhere, Intersection, dykstra_step, holds, room

__all__ = [
    "KINDS", "Ball", "Box", "Everywhere", "Halfspace", "Intersection", "Set", "Shifted", "Simplex",
    "length", "room",
]  # fmt: skip


def length(v: Any) -> float:
    """|v|, however large or small its entries are."""
    top = max(most(v), -least(v))
    if 1e-140 < top < 1e140:
        return math.sqrt(dot(v, v))
    if top == 0.0 or top == math.inf:
        return top
    s = 0.0
    for i in range(v.shape[0]):
        s += (v[i] / top) * (v[i] / top)
    return top * math.sqrt(s)


def size1(v: Any) -> float:
    """The sum of |v_i|."""
    s = 0.0
    for i in range(v.shape[0]):
        s += abs(v[i])
    return s


def shrink(z: Any, total: float, both: bool) -> None:
    """z_i -> max(z_i - tau, 0), where tau makes them sum to `total`; `both`: the same to |z_i|, signs kept.

        tau = max z - total                                    below the right one, or equal
        repeat:  tau = (sum of z_i over z_i > tau  -  total) / number of them       until it stays

    Newton's method on a convex function that is linear between the entries, so it ends at the very root; each step
    at least quarters (excess x slope), so about 26 + lg n passes of O(n) suffice at double precision, and three to
    five are usual. Everything is measured from the largest entry, so that a huge z loses no digits of the answer.
    Michelot (1986); Condat, Fast projection onto the simplex (2016).
    """
    n, top = z.shape[0], -math.inf
    for i in range(n):
        top = max(top, abs(z[i]) if both else z[i])
    tau = -total
    for _ in range(200):
        s, k = 0.0, 0
        for i in range(n):
            v = (abs(z[i]) if both else z[i]) - top
            if v > tau:
                s += v
                k += 1
        new = (s - total) / max(k, 1)
        if not new > tau:
            break
        tau = new
    for i in range(n):
        v = max(((abs(z[i]) if both else z[i]) - top) - tau, 0.0)
        z[i] = -v if both and z[i] < 0.0 else v


@with_methods(dykstra_step=dykstra_step, contains=holds)
class Ball(NamedTuple):
    """|z| <= radius in the norm 1, 2 or infinity, around 0 (Shifted moves it).

    >>> z = np.array([3.0, 1.0])
    >>> Ball(2.0, norm=1).project(z, room(Ball(), 2))
    >>> z.tolist()
    [2.0, 0.0]
    """

    radius: float = 1.0
    norm: float = 2.0

    def project(self, z: Any, Y: Any) -> None:
        if self.norm == 2.0:
            far = length(z)
            if far > self.radius:
                for i in range(z.shape[0]):
                    z[i] *= self.radius / far
        elif self.norm == 1.0:
            if size1(z) > self.radius:
                shrink(z, self.radius, True)
        else:
            for i in range(z.shape[0]):
                z[i] = min(max(z[i], -self.radius), self.radius)

    def lowest(self, g: Any, z: Any) -> float:
        n, r = g.shape[0], self.radius
        if self.norm == 2.0:
            far = length(g)
            if far > 0.0:
                for i in range(n):
                    z[i] = -r * (g[i] / far)
            return -r * far
        if self.norm == 1.0:
            best = 0
            for i in range(n):
                if abs(g[i]) > abs(g[best]):
                    best = i
            if g[best] != 0.0:
                for i in range(n):
                    z[i] = 0.0
                z[best] = -r if g[best] > 0.0 else r
            return -r * abs(g[best])  # type: ignore[no-any-return]
        for i in range(n):
            if g[i] != 0.0:
                z[i] = -r if g[i] > 0.0 else r
        return -r * size1(g)

    def reach_from(self, z: Any) -> float:
        if self.norm == 2.0:
            return length(z) + self.radius
        v = np.abs(z)
        if self.norm == 1.0:  # a corner, on the other side of the largest entry
            v[np.argmax(v)] += self.radius
            return length(v)
        return length(v + self.radius)

    def diameter(self, n: int) -> float:
        return 2.0 * self.radius * (math.sqrt(n) if self.norm == math.inf else 1.0)


@with_methods(dykstra_step=dykstra_step, contains=holds)
class Box(NamedTuple):
    """low <= z_i <= high for every coordinate i."""

    low: float = -1.0
    high: float = 1.0

    def project(self, z: Any, Y: Any) -> None:
        for i in range(z.shape[0]):
            z[i] = min(max(z[i], self.low), self.high)

    def lowest(self, g: Any, z: Any) -> float:
        s = 0.0
        for i in range(g.shape[0]):
            if g[i] != 0.0:
                z[i] = self.low if g[i] > 0.0 else self.high
                s += g[i] * z[i]
        return s

    def reach_from(self, z: Any) -> float:
        return length(np.maximum(np.abs(z - self.low), np.abs(self.high - z)))

    def diameter(self, n: int) -> float:
        return (self.high - self.low) * math.sqrt(n)


@with_methods(dykstra_step=dykstra_step, contains=holds)
class Simplex(NamedTuple):
    """z_i >= 0 with sum `total`.

    >>> z = np.array([0.9, 0.6, -3.0])
    >>> Simplex().project(z, room(Simplex(), 3))
    >>> z.round(12).tolist()
    [0.65, 0.35, 0.0]
    """

    total: float = 1.0

    def project(self, z: Any, Y: Any) -> None:
        shrink(z, self.total, False)

    def lowest(self, g: Any, z: Any) -> float:
        best = 0
        for i in range(g.shape[0]):
            if g[i] < g[best]:
                best = i
        for i in range(g.shape[0]):
            z[i] = 0.0
        z[best] = self.total
        return self.total * g[best]  # type: ignore[no-any-return]

    def reach_from(self, z: Any) -> float:
        v = np.array(z, dtype=np.float64)  # the corner of its smallest entry is the farthest
        v[np.argmin(v)] -= self.total
        return length(v)

    def diameter(self, n: int) -> float:
        return self.total * math.sqrt(2.0) if n > 1 else 0.0


@with_methods(dykstra_step=dykstra_step, contains=holds)
class Halfspace(NamedTuple):
    """<a, z> <= b. A learner that is given one scales a to length 1, and b with it."""

    a: Array
    b: float

    def project(self, z: Any, Y: Any) -> None:
        past = dot(self.a, z) - self.b
        if past > 0.0:
            past /= dot(self.a, self.a)
            for i in range(z.shape[0]):
                z[i] -= past * self.a[i]

    def lowest(self, g: Any, z: Any) -> float:
        """Minus infinity, unless g points against a."""
        a2 = dot(self.a, self.a)
        c, off, most = dot(self.a, g) / a2, 0.0, 0.0
        for i in range(g.shape[0]):
            off = max(off, abs(g[i] - c * self.a[i]))
            most = max(most, abs(g[i]))
        if most == 0.0:
            return 0.0
        if c > 0.0 or off > 1e-12 * most:
            return -math.inf
        up = (self.b - dot(self.a, z)) / a2
        for i in range(g.shape[0]):
            z[i] += up * self.a[i]
        return c * self.b

    def reach_from(self, z: Any) -> float:
        return math.inf

    def diameter(self, n: int) -> float:
        return math.inf


@with_methods(dykstra_step=dykstra_step, contains=holds)
class Shifted(NamedTuple):
    """Another set, moved: its 0 is now at `by`."""

    body: Any
    by: Array

    def project(self, z: Any, Y: Any) -> None:
        for i in range(z.shape[0]):
            z[i] -= self.by[i]
        self.body.project(z, Y)
        for i in range(z.shape[0]):
            z[i] += self.by[i]

    def lowest(self, g: Any, z: Any) -> float:
        for i in range(z.shape[0]):
            z[i] -= self.by[i]
        value = self.body.lowest(g, z) + dot(g, self.by)
        for i in range(z.shape[0]):
            z[i] += self.by[i]
        return value  # type: ignore[no-any-return]

    def reach_from(self, z: Any) -> float:
        return float(self.body.reach_from(z - self.by))

    def diameter(self, n: int) -> float:
        return float(self.body.diameter(n))


Set = Everywhere | Ball | Box | Simplex | Halfspace | Shifted | Intersection
KINDS = (Everywhere, Ball, Box, Simplex, Halfspace, Shifted, Intersection)
