"""Forecasts and truths in a file or a frame: one column is the truth, the others are forecasters."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np

from ...core import registry
from ...core.errors import BadInput
from ...core.stream import Array
from ...play.request import Request, column_name
from ...play.rounds import open_rounds
from ...streams.files import OpenFile
from ...streams.options import ReadOptions
from ...streams.tables.frames import is_frame


class ForecastTable(NamedTuple):
    """The rounds of a table."""

    x: Array
    y: Array
    names: tuple[str, ...]  # of the columns of the forecasts
    keys: Any  # of each round, where a column holds them
    times: Any  # of each round, where a column holds dates
    source: str


def is_path(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike))


def read_table(data: Any, outcome: Any, experts: Any, by: Any) -> ForecastTable:
    """The rounds of a file or frame, read as `littlestone intervals` reads them."""
    if not (is_path(data) or is_frame(data)):
        raise BadInput(
            f"outcome={outcome!r} names a column of a file or a frame; with arrays the truths are outcomes="
        )
    if outcome is None:
        raise BadInput(f"which column of {data} is the truth? Name it with outcome=")
    if by is not None and not isinstance(by, str):
        raise BadInput("by: with a file or a frame and outcome= it is the name of a column")
    file = OpenFile(data, keep=False) if is_path(data) else None
    if file is not None:
        file.dates = True
    read = ReadOptions(outcome=column_name(outcome), experts=experts, by=by, task="forecasting")
    request = Request(registry.learner("tracker"), data if file is None else file, read=read)
    try:
        stream = open_rounds(request)[1]
        batches = list(stream.batches)
    finally:
        if file is not None:
            file.close()
    if not batches:
        raise BadInput("there are no rows")
    y = np.concatenate([batch.y for batch in batches])
    keys = None if by is None else np.concatenate([np.asarray(batch.key) for batch in batches])
    times = stream.times if stream.times is not None and len(stream.times) == len(y) else None
    x = np.concatenate([np.asarray(batch.x) for batch in batches])
    return ForecastTable(x, y, tuple(stream.names), keys, times, stream.source)
