"""A file -> a Stream: whole if it is small, piece by piece if it is not."""

from __future__ import annotations

import os
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from littlestone.core.errors import BadInput, LittlestoneError
from littlestone.core.stream import Batch, Stream

from .bad_lines import BadLines
from .csv.arff_file import ArffFile
from .csv.csv_file import CsvFile
from .formats import format_of
from .source import Source
from .tables.coded_outcomes import settle
from .tables.coding import Coding
from .tables.columns import choose
from .tables.features import ExampleReader
from .tables.frames import Reader, eager
from .tables.labels import Labels
from .tables.parquet_file import ParquetFile
from .tables.request import Wanted
from .text.json_lines import JsonLines
from .text.record_files import Records

WHOLE = 32 << 20  # bytes of float64: what is no larger is kept, so that every comparator can be had
PIECE = 1 << 19  # numbers in a batch: 4 MB, so that what a batch costs in Python does not count

TableFile = CsvFile | ParquetFile | ArffFile | Records


def file_stream(
    path: str | os.PathLike[str],
    wanted: Wanted,
    batch_rows: int | None = None,
    examples: bool | None = False,
) -> Stream:
    """Read what was asked for; '-' is standard input.

    `examples`: None leaves it to the format: libsvm, VW, ARFF and JSON lines hold examples, CSV and
    Parquet advice.
    """
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise LittlestoneError("reading files needs pyarrow: pip install pyarrow") from None
    BadLines(str(path), wanted.on_bad_line)  # which refuses what is no policy
    source = Source(path)
    try:
        form = format_of(source, wanted.format)
        if examples is None:
            examples = form not in ("csv", "parquet") and not wanted.losses
        wanted = wanted._replace(examples=examples)
        if form in ("libsvm", "vw"):
            return _of_text(source, form, wanted, batch_rows)
        file = _opened(source, form, wanted.on_bad_line)
        if examples and isinstance(file, Records):
            return file.stream(_declared(file, wanted), WHOLE, batch_rows)
        return _of_table(file, wanted, batch_rows)
    except BaseException:
        source.close()
        raise


def _opened(source: Source, form: str, on_bad_line: str) -> TableFile:
    if form == "parquet":
        return ParquetFile(source)
    if form == "jsonl":
        return Records(JsonLines(source, on_bad_line))
    if form == "arff":
        arff = ArffFile(source, on_bad_line)
        return Records(arff, arff.columns, arff.labels) if arff.sparse else arff
    return CsvFile(source, on_bad_line)


def _declared(file: TableFile, wanted: Wanted) -> Wanted:
    """Where a file says which classes there are, nobody needs to look for them."""
    coding, known = wanted.coding, getattr(file, "labels", {})
    if coding is None or coding.labels is not None or coding.advice or not known:
        return wanted
    named = wanted.outcome or choose(file.columns, wanted)[1]
    name = file.names[named] if isinstance(named, int) else named
    if name not in known:
        return wanted
    labels = Labels(known[name], grow=coding.grow)
    return wanted._replace(coding=Coding(labels, False, coding.grow, coding.auto))


def _of_table(file: TableFile, wanted: Wanted, batch_rows: int | None) -> Stream:
    wanted = _declared(file, wanted)
    choice = choose(file.columns, wanted)
    if wanted.examples:
        reader: Reader = ExampleReader(file.names, choice, wanted)
    else:
        reader = Reader(file.names, choice, wanted.coding)
    hashed = getattr(reader, "hashed", False)
    source, notes = file.source.name, choice.notes
    width = len(choice.experts) + (not wanted.losses)
    rows = batch_rows or max(1, PIECE // width)
    tables = file.tables(choice, rows)
    stream = Stream([], reader.features, reader.outcome, file.rounds, source=source)
    stream.features, stream.bits = wanted.examples, wanted.bits if hashed else None
    # What is read before anything is decided: all of a small file, else as little as labels need.
    kept: deque[Any] = deque()
    limit = 0 if batch_rows or 8 * width * (file.rounds or 0) > WHOLE else WHOLE // (8 * width)
    total = 0
    for table in tables:
        if not table.num_rows:
            continue
        kept.append(table)
        total += table.num_rows
        if total > limit:
            break
    else:
        if total == 0:
            raise BadInput(f"no rows in {source}{_skipped(file)}")
        stream.rounds = rows = total
        stream.whole = True
    reader.learn_labels(eager(table) for table in kept)
    stream.labels = reader.labels
    notes = (*notes, *reader.told, *getattr(file, "notes", ()))

    def told() -> tuple[str, ...]:
        bad: BadLines | None = getattr(file, "bad", None)
        return (*notes, *reader.notes, *(bad.notes if bad is not None else ()))

    stream.notes = told()
    tables = _regrouped(_emptied(kept, tables), rows)
    batches = _batches(weakref.ref(stream), reader, tables, wanted.losses, told)
    stream.batches = list(batches) if stream.whole else batches
    return stream


def _of_text(source: Source, form: str, wanted: Wanted, batch_rows: int | None) -> Stream:
    """libsvm and VW: sparse examples, whose labels are numbers as they are written."""
    name = {"libsvm": "a libsvm file", "vw": "a Vowpal Wabbit file"}[form]
    if not wanted.examples:
        raise BadInput(
            f"{source.name} is {name}: it holds examples, not the advice of experts; "
            "play a learner over examples"
        )
    for option in ("outcome", "experts", "by", "weights"):
        if getattr(wanted, option) is not None:
            role = "features" if option == "experts" else option
            raise BadInput(f"{role}: {source.name} is {name}, which has no columns to name")
    if form == "libsvm":
        from .text.svmlight import svmlight_stream

        if wanted.interactions:
            raise BadInput(f"interactions: {source.name} is {name}, whose features have no names")
        fold = wanted.bits if wanted.fold else None
        stream = svmlight_stream(source, on_bad_line=wanted.on_bad_line, bits=fold)
    else:
        from .text.vw_text import vw_stream

        stream = vw_stream(
            source,
            bits=wanted.bits,
            interactions=wanted.interactions,
            on_bad_line=wanted.on_bad_line,
        )
    stream.bits = wanted.bits if form == "vw" or wanted.fold else None
    if stream.whole:
        limit, stream.whole = 1 << 62, False
    else:
        limit = -1
    return settle(stream, iter(stream.batches), wanted.coding, limit=limit, batch_rows=batch_rows)


def _skipped(file: TableFile) -> str:
    bad: BadLines | None = getattr(file, "bad", None)
    return f" ({bad.notes[0]})" if bad is not None and bad.notes else ""


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


def _batches(
    alive: weakref.ref[Stream],  # a stream that nobody reads must let go of its file at once
    reader: Reader,
    tables: Iterator[Any],
    losses: bool,
    told: Callable[[], tuple[str, ...]],
) -> Iterator[Batch]:
    first = 0
    for table in tables:
        batch = reader.batch(eager(table), first, losses=losses)
        _tell(alive, told)
        yield batch
        first += table.num_rows
    _tell(alive, told)


def _tell(alive: weakref.ref[Stream], told: Callable[[], tuple[str, ...]]) -> None:
    stream = alive()
    if stream is not None:
        stream.notes = told()
