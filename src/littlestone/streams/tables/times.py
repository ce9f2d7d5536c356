"""When each round was: the dates that stand beside the numbers of a table, for charts and for `run.to_frame`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.encode.named_rows import index_of
from littlestone.encode.stream import Stream

from .remarks import notes_on_times
from .written_dates import are_dates, read_dates

SMALL = (
    64 << 20
)  # bytes of a file up to which its dates are read: beyond, no page shows every round


def times_of(pieces: Iterable[Any]) -> Any:
    """Columns of pyarrow, of times or of text, as one array of seconds; None where a value is no time."""
    import pyarrow as pa

    found = []
    try:
        for piece in pieces:
            if piece.null_count:
                return None
            if pa.types.is_string(piece.type) or pa.types.is_large_string(piece.type):
                piece = written_times(piece)
            if pa.types.is_timestamp(piece.type) and piece.type.tz:
                piece = piece.cast(pa.timestamp("s", piece.type.tz), safe=False)
            seconds = piece.cast(pa.timestamp("s"), safe=False).cast(pa.int64())
            found += [
                np.frombuffer(c.buffers()[1], np.int64, len(c), 8 * c.offset)
                for c in seconds.chunks
                if len(c)
            ]
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    return np.concatenate(found).astype("datetime64[s]") if found else None


def written_times(piece: Any) -> Any:
    """Text as times: ISO 8601 by pyarrow, which is fast, and other ways to write dates one by one."""
    import pyarrow as pa

    try:
        return piece.cast(pa.timestamp("s"))
    except pa.ArrowInvalid:
        dates = read_dates(piece.to_pylist())
        return piece if dates is None else pa.chunked_array([pa.array(dates)])


def refuse_reordered(data: Any, outcomes: Any) -> None:
    """Refuse outcomes of pandas whose index is that of the data in another order: rows are paired by position."""
    mine, theirs = index_of(data), index_of(outcomes)
    if mine is None or theirs is None or mine.equals(theirs):
        return
    if (
        len(mine) == len(theirs)
        and mine.is_unique
        and mine.symmetric_difference(theirs, sort=False).empty
    ):
        t = next(i for i, (a, b) in enumerate(zip(mine, theirs, strict=True)) if a != b)
        raise BadInput(
            f"outcomes: they have the index of the data in another order (row {t + 1}: {theirs[t]!r:.40}, not "
            f"{mine[t]!r:.40}), and rows are paired by position: pass outcomes.loc[data.index], or outcomes.to_numpy()"
        )


def label_rows(stream: Stream, data: Any, outcomes: Any, frame: bool) -> Stream:
    """The stream of a `frame`, or of arrays with outcomes of pandas: the index of its rows, and their times."""
    if frame and outcomes is not None:
        refuse_reordered(data, outcomes)
    for given in (data, outcomes):
        index = index_of(given)
        if index is not None and len(index) == stream.rounds:
            stream.index, stream.times = index, as_times(index)
            break
    if stream.times is None and frame:
        stream.times = first_times(data)
    if stream.times is not None and isinstance(stream.batches, list):
        stream.notes += notes_on_times(stream.times, stream.batches[0].key)
    return stream


def first_times(data: Any) -> Any:
    """The first column of times in a frame; None where there is none, or a time is missing."""
    from .frames import eager

    frame = eager(data)
    for name, dtype in frame.schema.items():
        if type(dtype).__name__ in ("Datetime", "Date"):
            return as_times(frame.get_column(name).to_numpy())
        if type(dtype).__name__ == "String":
            column = frame.get_column(name)
            if (
                len(column)
                and are_dates([column[0]])
                and (times := written_column(column)) is not None
            ):
                return times
    return None


def written_column(column: Any) -> Any:
    """The times of a column of text; None where it holds something else too."""
    import pyarrow as pa

    made = column.to_arrow()
    return times_of([made if isinstance(made, pa.ChunkedArray) else pa.chunked_array([made])])


def as_times(values: Any) -> Any:
    """Seconds, where the values are dates; None where they are not, or one is missing."""
    kind = str(getattr(values, "dtype", ""))
    if not kind.startswith("datetime64"):
        return None
    if "," in kind:  # with a time zone: as clocks there showed it
        values = values.tz_localize(None)
    found = np.asarray(values).astype("datetime64[s]")
    return None if np.isnat(found).any() else found
