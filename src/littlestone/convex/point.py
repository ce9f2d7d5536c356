"""What every learner that plays a point of a convex set has in common: the set, the losses, the first point."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from ..core import convex_losses as families
from ..core.convex_losses import Family, Linear
from ..core.convex_sets.parse import fits, parse_set
from ..core.convex_sets.shapes import Ball, Set, room
from ..core.errors import BadInput
from ..core.guarantee import Assumption
from ..core.learner import Learner
from ..core.parameters import Rate
from ..core.stream import Array
from ..games import Convex, Game, Gradient, Shape

S = TypeVar("S", bound=NamedTuple)

BOUNDED_SET = Assumption(
    "the set is bounded", lambda s: None if math.isfinite(s.diameter) else "it is not"
)


class Point(Learner[S, Array, Array, Gradient], abstract=True):
    """Play a point theta of a convex set, pay a convex loss f(theta), see one of its subgradients there."""

    set: Set | str = Ball(1.0)
    family: Family | str = Linear()
    first: tuple[float, ...] | None = None  # theta^1; left out, the point of the set nearest to 0
    examples = True
    sparse = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "set", parse_set(self.set, self.key))
        object.__setattr__(self, "family", families.parse_family(self.family, self.key))

    @property
    def labels(self) -> bool:  # type: ignore[override]
        return families.two_classes(self.family)  # type: ignore[arg-type]

    def decide(self, state: S, x: Array) -> Array:
        return state.theta  # type: ignore[attr-defined, no-any-return]

    def game(self, allocation: bool) -> Game:
        return Convex(self.family, int(self.labels))


class Descent(Point[S], abstract=True):
    """Those that step against subgradients, at a rate that is given, or follows from how long they are."""

    eta: Rate = None
    lipschitz: Rate = None  # how long subgradients are at most; left out, as long as those seen
    smallest = 1e-250  # quotients of smaller numbers leave the range of floats

    def tuned(self, shape: Shape, game: Game) -> Any:
        """With the number of rounds and the length of subgradients known, the rate that the theorem asks for."""
        if self.eta is not None or self.lipschitz is None or not shape.T:
            return self
        eta = sizes(self, shape.n)[1] / (self.lipschitz * math.sqrt(shape.T))
        return self.replace(eta=eta) if eta > 0.0 else self


def origin(self: Point[Any], n: int) -> Array:
    """The first point, checked."""
    B: Any = self.set
    fits(B, n, self.key)
    theta = np.zeros(n)
    if self.first is not None:
        if len(self.first) != n:
            raise BadInput(
                f"{self.key}: first has {len(self.first)} coordinates, the data have {n}"
            )
        theta[:] = self.first
        if not B.contains(theta):
            raise BadInput(f"{self.key}: first = {list(self.first)!r:.80} is not in the set")
    B.project(theta, room(B, n))
    if not B.contains(theta, 1e-6):
        raise BadInput(f"{self.key}: no point is in all of the sets that are to be intersected")
    return theta


def sizes(self: Descent[Any], n: int) -> tuple[Array, float, float]:
    """The first point, how far the set reaches from it, and the set's diameter."""
    theta, B = origin(self, n), cast(Set, self.set)
    D, wide = float(B.reach_from(theta)), float(B.diameter(n))
    if self.eta is None and not math.isfinite(D):
        raise BadInput(
            f"{self.key}: an unbounded set has no rate of its own: set eta, or take a bounded set"
        )
    return theta, min(D, wide), wide


def write_sizes(state: Any, R: float, M: Array) -> None:
    """Write D, diameter, lip and price; R is the distance that the theorem multiplies the rises of 1/eta by."""
    p = state.pace
    M[0] = state.D
    M[1] = state.wide
    M[2] = state.lip
    M[3] = 0.5 * R * R * p.rise + 0.5 * p.spent + state.wide * p.cut


def fixed(s: Any) -> bool:
    return bool(s.eta > 0)


def anytime(s: Any) -> bool:
    return not fixed(s) and bool(s.lipschitz > 0)


def seen(s: Any) -> bool:
    return not fixed(s) and not anytime(s)
