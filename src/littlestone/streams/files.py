"""A CSV or Parquet file -> a Stream: whole if it is small, piece by piece if it is not."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from typing import Any

from littlestone.core.errors import BadInput, LittlestoneError
from littlestone.core.stream import Batch, Stream

from .columns import Wanted, choose
from .csv_file import CsvFile
from .frames import Reader, eager
from .parquet_file import ParquetFile
from .source import PARQUET, Source

WHOLE = 32 << 20  # bytes of float64: what is no larger is kept, so that every comparator can be had
PIECE = 1 << 19  # numbers in a batch: 4 MB, so that what a batch costs in Python does not count


def file_stream(
    path: str | os.PathLike[str], wanted: Wanted, batch_rows: int | None = None
) -> Stream:
    """Read what was asked for; '-' is standard input. The format is seen from the content."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise LittlestoneError("reading files needs pyarrow: pip install pyarrow") from None
    source = Source(path)
    try:
        parquet = source.magic.startswith(PARQUET) or _claims_parquet(source)
        file = ParquetFile(source) if parquet else CsvFile(source)
        choice = choose(file.columns, wanted)
        reader = Reader(file.names, choice, wanted.coding)
    except BaseException:
        source.close()
        raise
    width = len(choice.experts) + (not wanted.losses)
    rows = batch_rows or max(1, PIECE // width)
    tables = file.tables(choice, rows)
    stream = Stream([], reader.names, reader.outcome, file.rounds, False, source.name, choice.notes)
    # What is read before anything is decided: all of a small file, else as little as labels need.
    kept: deque[Any] = deque()
    limit = 0 if batch_rows or 8 * width * (file.rounds or 0) > WHOLE else WHOLE // (8 * width)
    total = 0
    for table in tables:
        kept.append(table)
        total += table.num_rows
        if total > limit:
            break
    else:
        if total == 0:
            raise BadInput(f"no rows in {source.name}")
        stream.rounds = total
        stream.whole = batch_rows is None
        rows = batch_rows or total
    reader.learn_labels(eager(table) for table in kept)
    stream.labels = reader.labels
    batches = _batches(reader, _regrouped(_emptied(kept, tables), rows), wanted.losses)
    stream.batches = list(batches) if stream.whole else batches
    return stream


def _claims_parquet(source: Source) -> bool:
    return source.path is not None and source.path.suffix in (".parquet", ".pq")


def _emptied(kept: deque[Any], tables: Iterator[Any]) -> Iterator[Any]:
    """What was kept, let go of as it is read, and then the rest."""
    while kept:
        yield kept.popleft()
    yield from tables


def _regrouped(tables: Iterator[Any], rows: int) -> Iterator[Any]:
    """Tables of exactly `rows` rows (the last may have fewer), without copying."""
    import pyarrow as pa

    waiting: list[Any] = []
    count = 0
    for table in tables:
        waiting.append(table)
        count += table.num_rows
        if count < rows:
            continue
        joined = pa.concat_tables(waiting)
        for start in range(0, count - rows + 1, rows):
            yield joined.slice(start, rows)
        waiting = [joined.slice(count - count % rows)]
        count %= rows
    if count:
        yield pa.concat_tables(waiting)


def _batches(reader: Reader, tables: Iterator[Any], losses: bool) -> Iterator[Batch]:
    first = 0
    for table in tables:
        yield reader.batch(eager(table), first, losses=losses)
        first += table.num_rows
