"""CSV in pieces of bounded memory; its head tells the columns and their types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, ClassVar

from littlestone.core.errors import BadFile, BadInput

from ..bad_lines import BadLines, shorten_line
from ..source import Source
from ..tables.choice import Choice, Column
from ..tables.columns import names_of
from ..tables.frames import eager
from ..tables.kinds import columns_of
from ..tables.written_numbers import as_numbers, style_of
from . import csv_rows
from .csv_head import (
    decimal_comma,
    header,
    last_record_end,
    perhaps_a_row,
    preamble,
    read_head,
    record_end,
    title,
)
from .csv_mend import breaks, records
from .csv_rows import BOM, CsvRows, Dialect

NONE = re.compile(rb"(?:^|[,;\t|\"])\s*none\s*(?:[,;\t|\"]|$)", re.MULTILINE)
ZERO_FIRST = re.compile(rb"(?:^|[,;\t|\"\s])0\d")
PADDED = re.compile(r"\s*0\d")  # a number that begins with a zero
PLAIN = re.compile(r"-?[1-9]\d*|0")  # a whole number that is written in one way only
MOST = 100_000  # columns: of 200,000, pyarrow's buffers alone took 4 GB


class CsvFile:
    """The columns of a CSV file, known from its head, and its rows as pyarrow tables."""

    rounds = None  # not known before the end
    labels: ClassVar[dict[str, list[object]]] = {}  # no classes are declared
    _text: bytes  # the rows of the head, until they are played
    _inferred: Any  # and their table

    def __init__(
        self, source: Source, on_bad_line: str = "error", decimal: str | None = None
    ) -> None:
        """`decimal`: the mark before the fraction of numbers, where the caller said it."""
        self.source, self.decimal = source, decimal
        with source.reading():
            head = read_head(source)
        if (at := head.find(b"\x00", 0, 1 << 16)) >= 0:
            line = head.count(b"\n", 0, at) + 1
            raise BadFile(
                f"{source.name} is not a CSV file: it holds binary data (line {line}: a NUL byte); "
                "if it is UTF-16 text without a mark, encoding='utf-16-le' reads it"
            )
        begin = len(head) - len(head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n"))
        declared, begin = preamble(head, begin)
        above, begin = begin, title(head, begin, declared)
        if begin == len(head) or head[begin:].isspace():
            raise BadFile(f"{source.name} is empty: it has blank lines and nothing else")
        data = record_end(head, begin)  # where the rows begin
        separator, self.names = header(head[begin:data], source.name, declared)
        if len(self.names) > MOST:
            raise BadFile(
                f"{source.name} has {len(self.names):,} columns, and a table has {MOST:,} at most; write such examples "
                "as libsvm: the label, and index:value of what is not 0"
            )
        self.notes: tuple[str, ...] = ()
        if begin > above:
            self.notes = (
                f"above the names of the columns is a title: {shorten_line(head[above:begin])}",
            )
        if perhaps_a_row(self.names):
            there = f"the first line is read as names of columns: {names_of(self.names)}"
            self.notes += (f"{there}; if it is a row, put a line with names above it",)
        with source.reading():
            self.complete = len(source.peek(len(head) + 1)) == len(head)
        self.read = len(head) if self.complete else last_record_end(head)
        rows = head[data : self.read]
        if not rows or rows.isspace():
            raise BadInput(f"no rows: {source.name} has a header and nothing else")
        dialect = Dialect(
            separator,
            comma=separator == ";" and decimal_comma(rows[: 1 << 16]),
            spaced=separator.encode() + b" " in head[begin:data],
        )
        self.block = max(csv_rows.BLOCK, 8 * record_end(rows, 0))
        self.bad = BadLines(source.name, on_bad_line)
        self.rows = CsvRows(source, self.names, dialect, self.bad)
        if len(self.names) > 1 and not perhaps_a_row(self.names):
            self.rows.header = head[begin:data].strip(b"\r\n").removeprefix(BOM)
        breaks = head[:data].count(b"\n") or head[:data].count(b"\r")
        self.line = breaks + 1 if head[:data].endswith((b"\n", b"\r")) else breaks + 2
        self._infer(rows)

    def types(self, choice: Choice) -> dict[int, object]:
        each = self._types_of(choice)
        return {i: (kind, i == choice.weights) for i, kind in each.items()}

    def tables(self, choice: Choice, rows: int) -> Iterator[Any]:
        """The chosen columns, block by block (so not `rows` by `rows`)."""
        types = {f"c{i}": kind for i, kind in self._types_of(choice).items()}
        self.rows.weights = choice.weights
        names = [self.names[i] for i in choice.all]
        try:
            text, inferred, line = self._text, self._inferred, self.line
            self._text = b""  # its memory is needed
            del self._inferred
            table = _cast(inferred, types, f"c{choice.time}")
            if table is None or self.bad.skip:
                self.rows.rows = 0
                table = self.rows.table(text, line, types)
            yield table.rename_columns(names)
            if self.complete:
                return
            line += text.count(b"\n") or text.count(b"\r")
            del text, inferred, table
            stream = self.source.stream(skip=self.read)
            for number, block in self.rows.blocks(stream, line, self.block):
                yield self.rows.table(block, number, types).rename_columns(names)
        finally:
            self.source.close()

    def whole(self) -> Any:
        """All rows as one table, each column of the type that its values look like."""
        import pyarrow as pa

        try:
            if self.complete:
                return self._inferred.rename_columns(self.names)
            kinds = [later_type(kind) for kind in self._types]
            types = {f"c{i}": kind for i, kind in enumerate(kinds)}
            blocks = self.rows.blocks(
                self.source.stream(skip=self.read), self.line + breaks(self._text), self.block
            )
            found = [self.rows.table(self._text, self.line, types)]
            found += [self.rows.table(block, line, types) for line, block in blocks]
            return pa.concat_tables(found).rename_columns(self.names)
        finally:
            self.source.close()

    def _infer(self, rows: bytes) -> None:
        """Types and kinds from the head, which is kept: it is the first block."""
        import pyarrow as pa

        self._text = rows
        self._keys: dict[int, bool] = {}  # are keys of a column text?
        try:
            table = self.rows.table(rows, self.line)
        except pa.ArrowInvalid as error:
            raise BadFile(f"{self.source.name} cannot be read as CSV: {error}") from None
        if self.bad.count:  # do not report those lines again
            self._text = self.rows.clean
        if not table.num_rows:
            raise BadInput(f"no rows: {self.source.name} has a header and nothing else")
        if ZERO_FIRST.search(self._text) is not None:
            table = self._with_leading_zeros(table)
        if any(map(pa.types.is_string, table.schema.types)):
            table = self._with_written_numbers(table)
            if NONE.search(self._text) is not None:
                table = self._with_none_as_word(table)
        self._inferred, self._types = table, table.schema.types
        columns = columns_of(eager(table), self.names, self.decimal)
        if not self.complete:
            later = f"no value in the first {table.num_rows:,} rows; name it to keep it"
            columns = [c._replace(remark=later) if c.kind == "empty" else c for c in columns]
        columns = [self._located(c) if c.slip else c for c in columns]
        if perhaps_a_row(self.names):
            doubt = (
                "the first line may be a row: put a line with names above it, or rename one of them"
            )
            columns = [c._replace(doubt=doubt) for c in columns]
        self.columns: list[Column] = columns

    def _with_leading_zeros(self, table: Any) -> Any:
        """The table, where whole numbers with leading zeros are text: 00942 is a name, and not 942."""
        import pyarrow as pa

        whole = [n for n in table.column_names if pa.types.is_integer(table.column(n).type)]
        if not whole:
            return table
        written = self.rows.parse(self._text, {name: pa.string() for name in whole})
        if written.num_rows != table.num_rows:
            return table
        for name in whole:
            texts = written.column(name)
            padded = next((v for v in texts.unique().to_pylist() if PADDED.match(v or "")), None)
            if padded is not None:
                i = table.column_names.index(name)
                table = table.set_column(i, name, texts)
                self.notes += (
                    f"{self.names[i]!r} is read as text: {padded.strip()!r} begins with a zero, as a name does",
                )
        return table

    def _with_none_as_word(self, table: Any) -> Any:
        """The table, where `none` in columns of text is a value, as in none, mild, severe; else it is missing."""
        import pyarrow as pa

        text = [
            i for i, column in enumerate(table.columns)
            if pa.types.is_string(column.type) and style_of([v for v in column.to_pylist() if v], None)[0] is None
        ]  # fmt: skip
        self.rows.words = frozenset(text)
        written = self.rows.parse(self._text, {f"c{i}": pa.string() for i in text})
        if not text or written.num_rows != table.num_rows:
            return table
        for i in text:
            table = table.set_column(i, f"c{i}", written.column(f"c{i}"))
        return table

    def _as_written(self, i: int) -> bool:
        """Are keys in this column text, as they are written? They are unless all are plain whole numbers.

        Once the head has been played nobody can tell: then a column of numbers does not serve as one of keys.
        """
        import pyarrow as pa

        if i not in self._keys and not self._text:
            return True
        if i not in self._keys:
            name = f"c{i}"
            texts = self.rows.parse(self._text, {name: pa.string()}).column(name)
            self._keys[i] = not all(
                PLAIN.fullmatch(v) for v in texts.unique().to_pylist() if v is not None
            )
        return self._keys[i]

    def _with_written_numbers(self, table: Any) -> Any:
        """The table, where columns of numbers such as 1,000.50 or € 3 or 5% are numbers."""
        import pyarrow as pa

        columns = list(table.columns)
        for i, column in enumerate(columns):
            if not pa.types.is_string(column.type):
                continue
            values = [v for v in column.to_pylist() if v is not None]
            style, odd = style_of(values, self.decimal)
            if style is None or (self.decimal is None and style.doubt(values)):
                continue
            self.rows.written[i] = style
            if odd is None:
                columns[i] = as_numbers(column, style)
                self.notes += (style.said(self.names[i], values),)
        return pa.table(columns, names=table.column_names)

    def _located(self, column: Column) -> Column:
        """A column of numbers with a slip, and the line of the first."""
        row = int(column.remark.split(maxsplit=2)[1])
        rows = (r for r in records(self._text, self.line) if r[1].strip(b"\r\n"))
        for line, text in islice(rows, row - 1, row):
            column = column._replace(where=f"line {line}: {shorten_line(text)}")
        return column

    def _types_of(self, choice: Choice) -> dict[int, Any]:
        """The types that columns are read as; one that is whole or empty in the head may hold fractions later."""
        import pyarrow as pa

        text, classes = frozenset(choice.text), frozenset(choice.classes) - frozenset(choice.mended)

        def kind(i: int) -> Any:
            inferred = self._types[i]
            if i == choice.time:  # as text, which any line has: an odd date is no bad line
                return pa.string()
            if pa.types.is_boolean(inferred):
                return inferred
            is_number = pa.types.is_integer(inferred) or pa.types.is_floating(inferred)
            if i == choice.by:
                plain = is_number and not self._as_written(i)
                return inferred if plain else pa.string()
            return pa.string() if i in text or (i in classes and not is_number) else pa.float64()

        return {i: kind(i) for i in choice.all}


def later_type(inferred: Any) -> Any:
    """The type of a column whose first rows look like `inferred`: later ones may hold fractions, or odd dates."""
    import pyarrow as pa

    if pa.types.is_boolean(inferred):
        return inferred
    is_number = pa.types.is_integer(inferred) or pa.types.is_floating(inferred)
    return pa.float64() if is_number else pa.string()


def _cast(table: Any, types: dict[str, Any], time: str) -> Any:
    """The table with columns of these types; None if it must be parsed again, as dates read as text.

    The column `time` is made text again as it is: it need not be what the file has.
    """
    import pyarrow as pa

    found = []
    for name, needed in types.items():
        column = table.column(name)
        kind = column.type
        is_number = (
            pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind)
        )
        if name != time and kind != needed and not (is_number and pa.types.is_floating(needed)):
            return None
        found.append(column if kind == needed else column.cast(needed, safe=False))
    return pa.table(found, names=list(types))
