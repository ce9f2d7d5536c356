"""The least value of a linear function on a convex set, and a bound from below where that is not known exactly."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from littlestone.core.convex_sets.shapes import Halfspace, Intersection, Set, room
from littlestone.core.stream import Array
from littlestone.engine.compile import engine, ready

PROXIMAL = (
    1.0,
    3.0,
    10.0,
    30.0,
    100.0,
    300.0,
)  # lengths of steps; on polyhedra few reach the corner


def low(B: Set, g: Array, theta: Array) -> tuple[float, Array, float]:
    """The least <g, q> over B that was found, the q where it is (theta, if nothing is lower), and a lower bound.

    The two values agree wherever the set has a closed form. On an intersection of B_1, B_2, … every way to write
    -g = y_1 + y_2 + … gives  <g, q> = - sum_k <y_k, q> >= - sum_k max over B_k of <y_k, .>  for q in all of them;
    the corrections with which Dykstra's algorithm projects q - s g, divided by s, are such parts for large s, or for
    any s where q is a minimiser.
    """
    if not isinstance(B, Intersection):
        q = theta.copy()
        value = float(B.lowest(g, q))
        return value, q if math.isfinite(value) else theta, value
    long, D, Y = float(np.linalg.norm(g)), B.diameter(len(g)), room(B, len(g))
    found, at, floor = float(g @ theta), theta, 0.0 if long == 0.0 else -math.inf
    if long == 0.0 or not math.isfinite(D):
        return found, at, floor
    q, sets = theta, list(B)
    for far in PROXIMAL:
        s = far * D / long
        q = nearest(B, q - s * g, Y)
        if float(g @ q) < found:
            found, at = float(g @ q), q
        floor = max(floor, dual(sets, g, Y / s))
        if found - floor <= 1e-10 * long * D:
            break
    return found, at, floor


def nearest(B: Set, z: Array, Y: Array | None = None) -> Array:
    """The point of B nearest to z; on intersections by the compiled rule, where there is one."""
    z, Y = z.copy(), room(B, len(z)) if Y is None else Y
    if isinstance(B, Intersection):
        ready(back, B, B, engine())(B, B, z, Y)
    else:
        B.project(z, Y)
    return z


def back(self: Any, game: Any, state: Any, Y: Any) -> Any:
    """A projection in the form of a loop, which is how rules are compiled and kept on disk."""
    self.project(state, Y)
    return state


def dual(sets: list[Set], g: Array, parts: Array) -> float:
    """- sum_k max over B_k of <y_k, .>, where what the parts y_k leave of -g is added to the best bounded set."""
    y = [parts[k].copy() for k in range(len(sets))]
    for k, B in enumerate(sets):
        if isinstance(
            B, Halfspace
        ):  # a linear function is bounded on a halfspace only along its normal
            y[k] = max(0.0, float(y[k] @ B.a)) / float(B.a @ B.a) * B.a
    rest = -g - sum(y)
    best = -math.inf
    for j, B in enumerate(sets):
        if math.isfinite(B.diameter(len(g))):
            each = [y[k] + rest if k == j else y[k] for k in range(len(sets))]
            best = max(best, sum(least(A, -v) for A, v in zip(sets, each, strict=True)))
    return best


def least(B: Any, g: Array) -> float:
    """The least <g, q> over a set with a closed form."""
    q = np.zeros(len(g))
    return float(B.lowest(g, q))
