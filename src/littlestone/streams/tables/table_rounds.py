"""The tables of a file -> a Stream: whole if the file is small, table by table if it is not."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.core.stream import Batch
from littlestone.encode.stream import Stream

from ..bad_lines import BadLines
from ..options import ReadOptions
from ..source import Source
from .choice import Choice, Column
from .columns import choose
from .features import ExampleReader
from .forecasters import Scale
from .frames import Reader, eager
from .remarks import notes_on_times
from .times import times_of

WHOLE = 32 << 20  # bytes of float64: what is no larger is kept, so that every comparator can be had
WIDE = 256 << 20  # the same, of tables with columns of text
PIECE = 1 << 19  # numbers in a batch: 4 MB, so that what a batch costs in Python does not count


class TableFile(Protocol):
    """A file whose columns are known and whose rows can be read as pyarrow tables, once."""

    source: Source
    columns: list[Column]
    names: list[str]

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about the file as a whole."""

    @property
    def bad(self) -> BadLines | None:
        """The lines that were skipped; None where there are no lines."""

    @property
    def labels(self) -> Mapping[str, list[object]]:
        """The classes of the columns that declare them."""

    @property
    def rounds(self) -> int | None:
        """How many rows there are, where that is known before they are read."""

    def types(self, choice: Choice) -> dict[int, object]:
        """As what the chosen columns are read: rows read for two choices of equal types are the same."""

    def tables(self, choice: Choice, rows: int) -> Iterator[Any]:
        """The chosen columns, in tables of about `rows` rows."""


class TableRounds:
    """The rows of a table file. The first of them can be looked at before it is decided what they are.

    What has been read is kept: all rows of a small file, so that several streams can be made of it, and the first rows
    of a large one, with which its only stream begins.
    """

    def __init__(self, file: TableFile, keep: bool = True) -> None:
        """`keep`: more than one stream may be asked for."""
        self.file, self.keep = file, keep
        self.types: dict[int, object] | None = (
            None  # of the columns that were read; None: no row was
        )
        self.kept: deque[Any] = deque()
        self.rows = 0  # in the tables that were kept
        self.ended = False  # they are all there is
        self.why = ""  # the outcomes are classes, or numbers: the reason
        self.classes = 0  # how many there are, as far as was looked
        self.alone = False  # does the outcome stand alone, without features?
        self.scale: Scale | None = (
            None  # which columns may be forecasts, where outcomes are numbers
        )
        self._tables: Iterator[Any] = iter(())

    def serves(self, choice: Choice) -> bool:
        """Whether what has been read so far is what would be read for this choice."""
        if self.types is None:
            return True
        types = self.file.types(choice)
        if types == self.types:
            return True
        bad = self.file.bad
        # With fewer columns, fewer lines are bad: what was skipped for another column would be missing.
        return (
            self.ended
            and not (bad is not None and bad.count)
            and all(self.types.get(i) == kind for i, kind in types.items())
        )

    def hold_classes(self, request: ReadOptions) -> bool:
        """Do the outcomes look like classes?"""
        choice = choose(self.file.columns, request)
        self.read(choice, *extent(choice, request, self.file))
        reader = ExampleReader(self.file.names, choice, request)
        reader.learn_labels(eager(table) for table in self.kept)
        self.why, self.classes = reader.why, len(reader.labels or ())
        self.alone = not choice.experts
        if reader.labels is None:
            self.scale = reader.scale(eager(table) for table in self.kept)
        return reader.labels is not None

    def read(self, choice: Choice, limit: int, rows: int) -> None:
        """Read tables until there are more than `limit` rows; of anything else, only as little as labels need."""
        if self.types is None:
            self.types = self.file.types(choice)
            self._tables = self.file.tables(choice, rows)
        while not self.ended and not (self.kept and self.rows > limit):
            table = next(self._tables, None)
            if table is None:
                self.ended = True
            elif table.num_rows:
                self.kept.append(table)
                self.rows += table.num_rows
        if not self.rows:
            raise BadInput(f"no rows in {self.file.source.name}{describe_skipped(self.file.bad)}")

    def stream(self, request: ReadOptions, batch_rows: int | None) -> Stream:
        file, choice = self.file, choose(self.file.columns, request)
        if request.examples:
            reader: Reader = ExampleReader(file.names, choice, request)
        else:
            reader = Reader(file.names, choice, request)
        limit, rows = extent(choice, request, file, batch_rows)
        self.read(choice, limit, rows)
        if reader.hashed:
            reader.look_for_text(eager(table) for table in self.kept)
        reader.learn_labels(eager(table) for table in self.kept)
        stream = reader.stream([], file.rounds, file.source.name)
        wide = len(reader.features) if reader.categories.columns else 0
        if wide:  # text makes more numbers of a row than the table has columns
            rows = min(rows, max(1, PIECE // wide))
        if self.ended and self.rows <= limit and 8 * wide * self.rows <= WIDE:
            stream.rounds, stream.whole = self.rows, True
            rows = self.rows
        odd = reader.notes_on_columns(eager(table) for table in self.kept)
        if choice.time is not None:
            odd += self.tell_times(stream, choice, file.names[choice.time])
        before = (*odd, *choice.notes, *reader.notes_on_outcome, *file.notes)

        def notes() -> tuple[str, ...]:
            skipped = file.bad.notes if file.bad is not None and file.bad.count else ()
            return (*before, *reader.notes, *skipped)

        stream.notes = notes()
        names = [file.names[i] for i in choice.all]
        tables = regroup_tables(self._given_out(names), rows)
        batches = read_batches(weakref.ref(stream), reader, tables, bool(request.losses), notes)
        stream.batches = list(batches) if stream.whole else batches
        return stream

    def tell_times(self, stream: Stream, choice: Choice, column: str) -> tuple[str, ...]:
        """Tell the stream when its first rounds were; notes on what is odd about that."""
        times = times_of(table.column(column) for table in self.kept)
        stream.times, stream.first_times = (times if stream.whole else None), times
        return notes_on_times(times, self.keys(choice) if times is not None else None)

    def keys(self, choice: Choice) -> Any:
        """The keys of the rows that were kept; None where there is no column of keys."""
        if choice.by is None:
            return None
        name, found = self.file.names[choice.by], []
        for table in self.kept:
            found += table.column(name).to_pylist()
        return np.array([*found, None], dtype=object)[:-1]

    @property
    def reusable(self) -> bool:
        """Whether another stream can be made."""
        return self.keep and self.ended and bool(self.kept)

    def _given_out(self, names: list[str]) -> Iterator[Any]:
        """The chosen columns of what was kept, and then of the rest; what is not kept is let go of as it is read."""
        if self.reusable:
            yield from [table.select(names) for table in self.kept]
            return
        kept, rest = self.kept, self._tables
        while kept:
            yield kept.popleft().select(names)
        yield from rest


def extent(
    choice: Choice, request: ReadOptions, file: TableFile, batch_rows: int | None = None
) -> tuple[int, int]:
    """How many rows are read at once, where the file has no more; and how many are in a batch otherwise."""
    width = len(choice.experts) + (not request.losses)
    large = batch_rows or 8 * width * (file.rounds or 0) > WHOLE
    return 0 if large else WHOLE // (8 * width), batch_rows or max(1, PIECE // width)


def describe_skipped(bad: BadLines | None) -> str:
    return f" ({bad.notes[0]})" if bad is not None and bad.notes else ""


def regroup_tables(tables: Iterator[Any], rows: int) -> Iterator[Any]:
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


def read_batches(
    alive: weakref.ref[Stream],  # a stream that is no longer used must let go of its file
    reader: Reader,
    tables: Iterator[Any],
    losses: bool,
    notes: Callable[[], tuple[str, ...]],
) -> Iterator[Batch]:
    """The batches of the tables; what was noticed on the way goes into the stream's notes."""

    def update_notes() -> None:
        stream = alive()
        if stream is not None:
            stream.notes = notes()

    first = 0
    for table in tables:
        batch = reader.batch(eager(table), first, losses=losses)
        update_notes()
        yield batch
        first += table.num_rows
    update_notes()
