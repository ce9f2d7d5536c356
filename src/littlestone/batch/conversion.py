"""What a conversion returns: a predictor, bounds on its risk, and its loss on held-out examples."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.intervals import hoeffding_half
from ..core.stream import Array

BEYOND = "risk beyond that of the best expert"


@dataclass(frozen=True)
class Bound:
    """A bound on the risk, or on the risk beyond that of the best in a class."""

    id: str  # in the ledger
    value: float
    what: str  # what it bounds
    delta: float | None  # it fails with at most this probability; None: it holds in expectation
    made_of: str = ""
    largest: float = math.inf  # no risk is larger than that

    def __str__(self) -> str:
        sure = (
            "in expectation" if self.delta is None else f"with probability {1.0 - self.delta:.6g}"
        )
        more = f"; {self.made_of}" if self.made_of else ""
        said = f"{self.what} at most {self.value:.4g}, {sure} ({self.id}{more})"
        if self.value < self.largest:
            return said
        return (
            f"{said}: it takes more rounds to say something, as no loss is above {self.largest:g}"
        )


@dataclass(frozen=True)
class HoldOut:
    """The mean loss on examples that had no part in learning, with its standard error."""

    mean: float
    error: float
    examples: int

    def __str__(self) -> str:
        if self.examples == 1:
            return f"hold-out {self.mean:.4g} on 1 example"
        return f"hold-out {self.mean:.4g} ± {self.error:.2g} on {self.examples:,} examples"


@dataclass
class Conversion:
    """A batch predictor: `predict` takes many examples (or rows of advice) and returns predictions."""

    title: str
    predict: Callable[[Any], Any]
    scores: Callable[[Any], Any]  # the numbers behind the predictions
    mean_loss: float  # of the learner, online
    bounds: list[Bound] = field(default_factory=list)
    holdout: HoldOut | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def bound(self) -> float:
        """The smallest bound on the risk itself; NaN where no theorem applies."""
        return min((b.value for b in self.bounds if b.what != BEYOND), default=math.nan)

    def __str__(self) -> str:
        lines: list[Any] = [f"mean loss online {self.mean_loss:.4g}", *self.bounds]
        lines += [*self.notes, self.holdout or "no hold-out: give test=(X, y)"]
        return "\n  ".join([self.title, *map(str, lines)])


def deviation(M: float, T: int, delta: float) -> float:
    """M sqrt(ln(1/delta) / (2 T)): how far the mean of T losses in [0, M] may be below their expectations.

    Each loss less its conditional expectation is a martingale difference whose conditional range has the
    length M, and Hoeffding and Azuma do the rest. (Lectures print twice as much, E-O2B-CONST.)

    >>> round(deviation(1.0, 200, 0.05), 4)
    0.0865
    """
    return hoeffding_half(M, T, delta)


def held_back(holdout: Any) -> float:
    """Check `holdout`, the part of a sample that is not learned from."""
    if not is_number(holdout) or not 0.0 <= holdout < 1.0:
        raise BadInput(
            f"holdout, a part of the sample, must be a number in [0, 1), not {holdout!r:.60}"
        )
    return float(holdout)


def mistake_bound(mistakes: Any) -> float | None:
    if mistakes is None:
        return None
    if not is_number(mistakes) or not 0.0 <= mistakes < math.inf:
        raise BadInput(
            f"mistakes, a bound on them, must be a number of 0 or more, not {mistakes!r:.60}"
        )
    return float(mistakes)


def seeded(seed: Any) -> np.random.Generator:
    """Draws that a seed determines; the same seeds as those of `play`."""
    if not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**63:
        raise BadInput(f"seed must be a whole number from 0 to 2^63 - 1, not {seed!r:.60}")
    return np.random.default_rng(int(seed))


def is_number(v: Any) -> bool:
    return isinstance(v, (int, float, np.number)) and not isinstance(v, (bool, np.complexfloating))


def held_out(losses: Array) -> HoldOut | None:
    """The mean of losses, with its standard error."""
    if not len(losses):
        return None
    error = float(losses.std(ddof=1) / math.sqrt(len(losses))) if len(losses) > 1 else math.inf
    return HoldOut(float(losses.mean()), error, len(losses))
