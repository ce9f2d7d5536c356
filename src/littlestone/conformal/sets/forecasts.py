"""What a user gives as forecasts: arrays, checked; how far forecasters are apart, and their mean."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.errors import BadInput
from ...core.rows import BIG
from ...core.stream import Array
from ...engine.checks import array, refuse
from ...run.run import Run


def both_arrays(forecasts: Any, outcomes: Any) -> tuple[Array, Array]:
    """T x n forecasts and T outcomes."""
    if isinstance(forecasts, Run):
        if outcomes is None:
            data = forecasts.transcript.data
            if data is None:
                raise BadInput("the run did not keep its rounds: pass the outcomes as well")
            outcomes = data.y
        forecasts = forecasts.predictions
    if outcomes is None:
        raise BadInput("outcomes are missing: the truth of each round, NaN where it is not known")
    y = array(outcomes, "outcomes", 1)
    x = columns_of(forecasts)
    if len(x) != len(y):
        raise BadInput(f"there are {len(x):,} rows of forecasts and {len(y):,} outcomes")
    return x, y


def columns_of(forecasts: Any) -> Array:
    """Forecasts as T x n numbers."""
    x = np.ascontiguousarray(np.asarray(forecasts))
    found: Array = array(x[:, None] if x.ndim == 1 else x, "forecasts", 2)
    return found


def refuse_rounds(x: Array, y: Array | None, pair: bool, first: int = 0) -> None:
    """Refuse numbers that are too large, and quantile forecasts that cross; `first` is the number of the first row."""
    if y is not None:
        refuse(y, -BIG, BIG, first, (), "outcome", True)
    refuse(x, -BIG, BIG, first, (), "forecast", True)
    if not pair:
        return
    crossed = x[:, 0] > x[:, 1]
    if crossed.any():
        r = int(np.argmax(crossed))
        raise BadInput(
            f"row {first + r + 1}: the lower quantile forecast, {x[r, 0]:g}, is above the upper one, {x[r, 1]:g}"
        )


def are_paired(columns: int, score: str) -> bool:
    """Are the columns a pair of quantile forecasts?"""
    if score not in ("forecast", "cqr"):
        raise BadInput(f"score must be one of 'forecast', 'cqr', not {score!r}")
    if score == "forecast":
        return False
    if columns != 2:
        raise BadInput(
            f"score='cqr' needs two columns, the lower and the upper quantile forecast, not {columns}"
        )
    return True


def with_forecast(x: Array, pair: bool) -> Any:
    """In which rounds there is a forecast."""
    return ~(np.isnan(x).any(axis=1) if pair else np.isnan(x).all(axis=1))


def mean_forecast(x: Array) -> Array:
    """The mean of the forecasters that say something."""
    count = np.maximum((~np.isnan(x)).sum(axis=1), 1)
    return np.where(np.isnan(x), 0.0, x).sum(axis=1) / count  # type: ignore[no-any-return]


def spread_of_forecasts(x: Array) -> Array:
    """How far the forecasters are apart in each round: their standard deviation; 0 where there is one alone."""
    if x.shape[1] == 1:
        return np.zeros(len(x))
    if not np.isnan(x).any():
        found: Array = x.std(axis=1)
        return found
    there = ~np.isnan(x)
    count = np.maximum(there.sum(axis=1), 1)
    mean = np.where(there, x, 0.0).sum(axis=1) / count
    off = np.where(there, x - mean[:, None], 0.0)
    return np.sqrt((off * off).sum(axis=1) / count)  # type: ignore[no-any-return]


def full(values: Any, there: Any) -> Array:
    """One value a round, NaN where there was no forecast."""
    found = np.full(len(there), np.nan)
    found[there] = values
    return found
