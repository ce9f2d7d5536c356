"""CSV in pieces of bounded memory, parsed by pyarrow; its head tells the types."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from littlestone.core.errors import BadFile, BadInput

from .check import place
from .columns import Choice, Column
from .csv_head import decimal_comma, header, last_record_end, read_head, record_end
from .frames import eager
from .kinds import columns_of
from .source import Source

BLOCK = 1 << 20  # bytes parsed at a time
MISSING = ("None", "none", "<NA>")  # besides pyarrow's own: '', NA, N/A, NaN, nan, null, NULL, ...


class CsvFile:
    """The columns of a CSV file, known from its head, and its rows as pyarrow tables."""

    rounds = None  # nobody knows before the end

    def __init__(self, source: Source) -> None:
        self.source = source
        with source.reading():
            head = read_head(source)
        if b"\x00" in head[: 1 << 16]:
            raise BadFile(f"{source.name} is not a CSV file: it holds binary data")
        begin = len(head) - len(head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n"))
        if begin == len(head):
            raise BadFile(f"{source.name} is empty")
        self.data = record_end(head, begin)  # where the rows begin
        self.separator, self.names = header(head[begin : self.data], source.name)
        self.spaced = self.separator.encode() + b" " in head[begin : self.data]
        complete = len(source.peek(len(head) + 1)) == len(head)
        rows = head[self.data : None if complete else last_record_end(head)]
        if not rows.strip():
            raise BadInput(f"no rows: {source.name} has a header and nothing else")
        # A quoted value may hold a line break. To allow for it is slower: only where quotes are.
        self.quoted = b'"' in rows
        self.comma = self.separator == ";" and decimal_comma(rows[: 1 << 16])
        self.block = max(BLOCK, 8 * record_end(rows, 0))
        self.types, self.columns = self._infer(rows, complete)

    def tables(self, choice: Choice, rows: int) -> Iterator[Any]:
        """The chosen columns, block by block (so not `rows` by `rows`)."""
        import pyarrow as pa
        import pyarrow.csv as pc

        chosen = [i for i in (*choice.experts, choice.outcome, choice.by) if i is not None]
        others = (*choice.classes, choice.by)
        types = {f"c{i}": self._type(i, number=i not in others) for i in chosen}
        convert = self._convert(column_types=types, include_columns=list(types))
        names = [self.names[i] for i in chosen]
        stream = self.source.stream(skip=self.data)
        reader = None
        try:
            with self.source.reading():
                reader = pc.open_csv(stream, self._read(), self._parse(), convert)
                for piece in reader:
                    table = pa.Table.from_batches([piece]).rename_columns(names)
                    yield _trimmed(table) if self.spaced else table
        except pa.ArrowInvalid as error:
            self._explain(str(error))
        finally:
            if reader is not None:
                reader.close()
            self.source.close()

    def _infer(self, rows: bytes, complete: bool) -> tuple[list[Any], list[Column]]:
        import pyarrow as pa
        import pyarrow.csv as pc

        read = self._read(block=len(rows) + 1)  # one block: what is inferred holds for all of it
        try:
            table = pc.read_csv(io.BytesIO(rows), read, self._parse(), self._convert())
        except pa.ArrowInvalid as error:
            self._explain(str(error))
        if not table.num_rows:
            raise BadInput(f"no rows: {self.source.name} has a header and nothing else")
        columns = columns_of(eager(table), self.names)
        if not complete:
            later = f"no value in the first {table.num_rows:,} rows; name it to keep it"
            columns = [c._replace(remark=later) if c.kind == "empty" else c for c in columns]
        return list(table.schema.types), columns

    def _type(self, i: int, *, number: bool) -> Any:
        """What a column is read as: a head of whole numbers, or of nothing, promises no more."""
        import pyarrow as pa

        inferred = self.types[i]
        if pa.types.is_boolean(inferred):
            return inferred
        if number:
            return pa.float64()
        plain = pa.types.is_integer(inferred) or pa.types.is_floating(inferred)
        return inferred if plain else pa.string()

    def _read(self, block: int | None = None) -> Any:
        import pyarrow.csv as pc

        names = [f"c{i}" for i in range(len(self.names))]  # theirs may be empty, or occur twice
        # One thread: as fast (measured), and then errors come with the number of the row.
        return pc.ReadOptions(use_threads=False, block_size=block or self.block, column_names=names)

    def _parse(self) -> Any:
        import pyarrow.csv as pc

        return pc.ParseOptions(delimiter=self.separator, newlines_in_values=self.quoted)

    def _convert(self, **options: Any) -> Any:
        import pyarrow.csv as pc

        usual = pc.ConvertOptions()
        return pc.ConvertOptions(
            null_values=_spaced([*usual.null_values, *MISSING]),
            true_values=_spaced(usual.true_values),
            false_values=_spaced(usual.false_values),
            strings_can_be_null=True,
            decimal_point="," if self.comma else ".",
            **options,
        )

    def _explain(self, error: str) -> NoReturn:
        """pyarrow's message in the user's terms: rows from 1, columns by name."""
        name = self.source.name
        bad = re.search(r"column #(\d+): Row #(\d+): .*invalid value '(.*)'", error, re.DOTALL)
        if bad:
            column, row, value = int(bad[1]), int(bad[2]), bad[3][:60]
            raise BadInput(
                f"{name}: {place(row - 1, self.names[column])}: {value!r} is not a number"
            )
        odd = re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+)", error)
        if odd:
            raise BadFile(
                f"{name}: row {odd[1]} has {odd[3]} columns, the header has {odd[2]}"
                " (a separator too many or too few, or a file that is cut off)"
            )
        if "UTF8" in error:
            raise BadFile(f"{name} is not UTF-8 text: {error}")
        raise BadFile(f"{name} cannot be read as CSV: {error}")


def _spaced(values: list[str]) -> list[str]:
    """In "1, NA, true" a space belongs to the separator; pyarrow knows that only of numbers."""
    return values + [f" {value}" for value in values]


def _trimmed(table: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    for i, field in enumerate(table.schema):
        if pa.types.is_string(field.type):
            table = table.set_column(i, field.name, pc.utf8_trim_whitespace(table.column(i)))
    return table
