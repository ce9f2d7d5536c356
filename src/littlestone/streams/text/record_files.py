"""A file of records (JSON lines, sparse ARFF) -> a Stream of examples, or tables for advice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any, Protocol

from littlestone.core.errors import BadInput, on_one_line
from littlestone.core.stream import Batch
from littlestone.encode.stream import Stream

from ...encode.text_codes import write_as_text
from ...encode.values import missing
from ..bad_lines import BadLines, shorten_line
from ..options import ReadOptions
from ..source import Source
from ..tables.choice import Choice, Column
from ..tables.coded_outcomes import UncodedRounds
from ..tables.frames import eager
from ..tables.kinds import columns_of
from ..tables.record_fields import (
    NESTED,
    Record,
    choose_fields,
    dates_among,
    fields_of,
    form_table,
    is_nested,
    is_value,
    object_of,
    table_of,
)  # fmt: skip
from ..tables.records import RecordReader
from .json_lines import Block


class RecordFile(Protocol):
    """What JSON lines and sparse ARFF have in common."""

    source: Source
    bad: BadLines

    def blocks(self) -> Iterator[Block]: ...


class Records:
    """A file of records whose first block has been looked at."""

    rounds = None
    notes: tuple[str, ...] = ()

    def __init__(
        self,
        file: RecordFile,
        columns: Sequence[Column] | None = None,
        labels: Mapping[str, list[object]] | None = None,
    ) -> None:
        """`columns` and `labels`: all fields and their classes, where the file declares them."""
        self.source, self.bad, self.labels = file.source, file.bad, labels or {}
        blocks = file.blocks()
        head = next(blocks, None)
        if head is None:
            skipped = f" ({self.bad.notes[0]})" if self.bad.notes else ""
            raise BadInput(f"no rows in {self.source.name}{skipped}")
        self.blocks, self.head = chain([head], blocks), head
        self.fields = fields_of(head.records) if columns is None else list(columns)
        self.columns = [_locate(c, head) for c in self.fields]
        self.names = [c.name for c in self.columns]

    def examples(self, request: ReadOptions, limit: int) -> UncodedRounds:
        """Sparse examples; no more than `limit` bytes of them are kept."""
        sparse = replace(request, bare=False)  # names are hashed, and lags stand beside columns
        request, notes = choose_fields(self.columns, sparse, nested=True)
        unused = [c.name for c in self.columns if c.kind in NESTED]
        unused += dates_among(self.columns, request)
        reader = RecordReader(request, unused=unused, nested=True)
        if not self.labels:  # ARFF declares what its attributes are
            reader.look_for_words(self.head.records)

        def batches() -> Iterator[Batch]:
            first = 0
            for block in self.blocks:
                batch = self._read(block, reader, first)
                if batch is not None:
                    yield batch
                    first += len(batch.y)

        stream = Stream([], (), reader.outcome, source=self.source.name, notes=notes, features=True)
        stream.bits, stream.records = request.places, True
        stream.interactions = tuple(request.products)
        stream.words, stream.ngram = reader.words, request.ngram
        return UncodedRounds(
            stream, batches(), limit=limit, notes=lambda: (*reader.notes, *self.bad.notes)
        )

    @property
    def form_table(self) -> bool:
        """Are the first records rows of a table?"""
        return not self.labels and form_table(self.head.records, self.fields)

    def read_as_table(self, request: ReadOptions) -> ReadOptions:
        """Let the columns be what they would be in a CSV file; the request, with the outcome's field named."""
        request, self.notes = choose_fields(self.fields, request)
        dates = dates_among(self.fields, request)
        there = [c for c in self.fields if c.name not in dates]
        self.columns = columns_of(
            eager(table_of(self.head.records, there)), decimal=request.decimal
        )
        self.names = [c.name for c in self.columns]
        return request

    def types(self, choice: Choice) -> dict[int, object]:
        return {i: _type(self.columns[i], i == choice.by) for i in choice.all}

    def tables(self, choice: Choice, rows: int) -> Iterator[Any]:
        """The chosen fields as tables, for readers of columns."""
        import pyarrow as pa

        columns = [self.columns[i] for i in choice.all]
        types = {c.name: _type(c, i == choice.by) for c, i in zip(columns, choice.all, strict=True)}

        def fault(record: Record) -> str | None:
            for name, kind in types.items():
                value = record.get(name)
                if (why := object_of(record, name)) is not None:
                    return why
                if not missing(value) and not _fits(value, kind):
                    return f"field {name!r}: {value!r:.60} is not {_SAID[kind]}"
            return None

        kinds = {"number": pa.float64(), "boolean": pa.bool_(), "text": pa.string(), "key": None}
        for block in self.blocks:
            block = sound(block, fault, self.bad)
            yield pa.table(
                {
                    name: _array([r.get(name) for r in block.records], kinds[kind], name)
                    for name, kind in types.items()
                }
            )

    def _read(self, block: Block, reader: RecordReader, first: int) -> Batch | None:
        try:
            return reader.batch(block.records, first)
        except BadInput:
            block = sound(block, reader.fault, self.bad)  # which names the line
        return reader.batch(block.records, first) if block.records else None


def sound(block: Block, fault: Callable[[Record], str | None], bad: BadLines) -> Block:
    """The block without the records that something is wrong with, each of which is reported."""
    faults = {i: why for i, record in enumerate(block.records) if (why := fault(record))}
    if not faults:
        return block
    lines = block.lines()
    for i, why in faults.items():
        bad.found(lines[i], block.line(lines[i]).strip(), why, BadInput)
    good = [i for i in range(len(lines)) if i not in faults]
    return block._replace(
        records=[block.records[i] for i in good], numbers=[lines[i] for i in good]
    )


def _locate(column: Column, head: Block) -> Column:
    """A column that is nested, and the line in which that shows first."""
    if column.kind not in (*NESTED, "objects"):
        return column
    nested = (i for i, record in enumerate(head.records) if is_nested(record.get(column.name)))
    for i in islice(nested, 1):
        line = head.lines()[i]
        return column._replace(where=f"line {line}: {shorten_line(head.line(line).strip())}")
    return column


_SAID = {"number": "a number", "boolean": "true or false", "text": "text", "key": "a key"}


def _array(values: list[Any], kind: Any, name: str) -> Any:
    """A column of pyarrow's, which takes whole numbers of up to 64 bits alone, and keys of one type."""
    import pyarrow as pa

    if kind == pa.float64():
        values = [float(v) if isinstance(v, int) else v for v in values]
    elif kind == pa.string():
        values = [v if v is None or isinstance(v, str) else write_as_text(v) for v in values]
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, OverflowError) as problem:
        raise BadInput(
            f"field {name!r}: its values do not go together in a column: {on_one_line(problem)}"
        ) from None


def _type(column: Column, key: bool) -> str:
    if key:
        return "key"
    if column.written is not None:  # numbers that are text in the file
        return "text"
    return column.kind if column.kind in ("boolean", "text") else "number"


def _fits(value: object, kind: str) -> bool:
    if kind == "text":
        return is_value(value)
    if kind == "boolean":
        return isinstance(value, bool)
    if kind == "key":
        return is_value(value)
    return isinstance(value, int | float) and abs(value) < 1e308
