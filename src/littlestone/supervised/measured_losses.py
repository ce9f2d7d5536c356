"""The losses of a model on test rows, and the limits of its expected loss that follow from them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.intervals import Interval, at_most, bernstein_half, binomial, hoeffding_half
from .claim import Limits
from .grounds import order_grounds
from .group_limits import both_limits, hoeffding_limit, units_of, upper_limit
from .row_groups import RowGroups


class Measured(NamedTuple):
    """The loss of each row, and which rows count as errors in the checks of order."""

    losses: Any
    wrong: Any
    low: float
    high: float
    labels: bool
    notes: list[str]


def limits_of(found: Measured, rows: RowGroups, delta: float) -> Limits:
    """The limits of the expected loss, and what speaks against them in the order of the errors."""
    why = "; ".join(str(g) for g in order_grounds(found.wrong, rows) if not g.holds)
    low, length, m = found.low, found.high - found.low, len(found.losses)
    k = int(found.wrong.sum()) if found.labels else None
    if not rows.plain:
        units = units_of((found.losses - low) / length, rows.group, rows.weights)
        mean, upper, wide, *both = (
            low + length * v
            for v in (units.mean, upper_limit(units, delta), hoeffding_limit(units, delta), *both_limits(units, delta))
        )  # fmt: skip
        return Limits(m, k, mean, Interval(*both), upper, wide, why)
    mean = float(found.losses.mean())
    wide = min(found.high, mean + hoeffding_half(length, m, delta))
    if k is not None:
        return Limits(m, k, mean, binomial(mean, m, delta), at_most(k, m, delta), wide, why)
    half = within(found.losses, length, delta / 2.0)
    limits = Interval(mean - half, mean + half).within(low, found.high)
    upper = min(found.high, mean + within(found.losses, length, delta))
    return Limits(m, k, mean, limits, upper, wide, why)


def within(losses: Any, length: float, delta: float) -> float:
    """How far a mean may be below its expectation: the smaller of two distances, each at half of delta."""
    variance = float(losses.var(ddof=1)) if len(losses) > 1 else np.inf
    m = len(losses)
    return min(hoeffding_half(length, m, delta / 2), bernstein_half(variance, m, length, delta / 2))


def limits_by(found: Measured, rows: RowGroups, delta: float) -> dict[Any, Limits]:
    """The limits of each part of the rows; all hold together with probability 1 - delta."""
    made: dict[Any, Limits] = {}
    for i, part in enumerate(rows.parts):
        at = rows.part == i
        if rows.weights is not None and not rows.weights[at].any():
            raise BadInput(f"by: no row of {part!r} has a weight above 0; leave these rows out")
        here = found._replace(losses=found.losses[at], wrong=found.wrong[at])
        made[part] = limits_of(here, rows.at(at), delta / len(rows.parts))
    return made
