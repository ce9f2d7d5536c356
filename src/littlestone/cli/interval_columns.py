"""The columns of a file of intervals: what --predictions and `predict` write."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..conformal.sets.chain import Piece
from ..core.stream import Batch
from . import write
from .command_options import CommandOptions


def columns(said: list[tuple[Any, Piece]], batch: Batch, options: CommandOptions) -> dict[str, Any]:
    """The rounds of a batch, with their outcomes; `said` has which rows a piece is about."""
    made: dict[str, Any] = {"round": np.arange(len(batch.y)) + batch.first + 1}
    if batch.key is not None:
        made["key" if options.by_column in (None, *write.OWN) else str(options.by_column)] = list(
            batch.key
        )
    return {**made, **limits(said, len(batch.y)), "outcome": batch.y}


def limits(said: list[tuple[Any, Piece]], rows: int) -> dict[str, Any]:
    """Forecast, and the lower and upper limit of each level; NaN where there was no forecast."""
    made: dict[str, Any] = {}
    for own, piece in said:
        put_column(made, "forecast", own, piece.forecast, rows)
        for level in piece.lower:
            tail = "" if len(piece.lower) == 1 else f" {level:g}"
            put_column(made, f"lower{tail}", own, piece.lower[level], rows)
            put_column(made, f"upper{tail}", own, piece.upper[level], rows)
    return made


def put_column(made: dict[str, Any], name: str, own: Any, values: Any, rows: int) -> None:
    made.setdefault(name, np.full(rows, np.nan))[own] = values
