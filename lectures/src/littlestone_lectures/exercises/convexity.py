"""Is it convex? Two points between which the function rises above its chord; lecture 2 (A2.3 of the notes' ledger)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.core.stream import Array


class ConvexityCheck(NamedTuple):
    """Where f(share x + (1 - share) z) is most above share f(x) + (1 - share) f(z)."""

    x: Array
    z: Array
    share: float
    excess: float  # above 0: f is not convex

    @property
    def holds(self) -> bool:
        return self.excess <= 0.0

    def __str__(self) -> str:
        if self.holds:
            return "no refutation: on all segments that were tried it stays below its chord"
        x, z = ([float(f"{v:.6g}") for v in point] for point in (self.x, self.z))
        where = f"between {x} and {z}, at the share {self.share:.4g}"
        return f"not convex: {where}, it is {self.excess:.6g} above its chord"


def is_convex(
    f: Callable[..., float], low: Any = -3.0, high: Any = 3.0, *, tries: int = 2000, seed: int = 0
) -> ConvexityCheck:
    """Does a function stay below its chords on [low, high]? If not, the two points and the share that refute it most.

    f          a function of a number; or of a vector, where `low` and `high` are vectors
    tries      random segments, by Jensen's inequality: a function that is not convex may pass

    >>> print(is_convex(lambda x: x * x))
    no refutation: on all segments that were tried it stays below its chord
    >>> found = is_convex(lambda x: np.tanh(x) ** 2)
    >>> found.holds, found.excess > 0.1
    (False, True)
    """
    ends = np.atleast_1d(np.asarray(low, float)), np.atleast_1d(np.asarray(high, float))
    if ends[0].shape != ends[1].shape or ends[0].ndim != 1 or not (ends[0] < ends[1]).all():
        raise BadInput(
            f"is_convex: low={low!r} must be below high={high!r}, with equally many numbers"
        )
    if tries < 1:
        raise BadInput(f"tries must be 1 or more, not {tries!r}")
    one = np.ndim(low) == 0
    rng, worst = np.random.default_rng(seed), ConvexityCheck(ends[0], ends[1], 0.5, -np.inf)
    for _ in range(tries):
        x, z = rng.uniform(*ends), rng.uniform(*ends)
        share = float(rng.choice((0.5, rng.random())))
        at, fx, fz = (value(f, p, one) for p in (share * x + (1 - share) * z, x, z))
        rounding = 1e-12 * max(abs(at), abs(fx), abs(fz), 1.0)
        excess = at - share * fx - (1 - share) * fz
        if excess > worst.excess:
            worst = ConvexityCheck(x, z, share, excess if excess > rounding else min(excess, 0.0))
    return worst


def value(f: Callable[..., float], point: Sequence[float] | Array, one: bool) -> float:
    """f at a point; refuse a value that is not finite."""
    made = float(f(float(point[0]) if one else np.asarray(point)))
    if not np.isfinite(made):
        raise BadInput(f"is_convex: f is {made} at {np.asarray(point).tolist()}")
    return made
