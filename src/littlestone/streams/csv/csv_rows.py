"""Rows of separated values, block by block, parsed by pyarrow; `csv_mend` looks into a bad block."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

import numpy as np

from littlestone.core.errors import BadFile

from ..bad_lines import BadLines
from ..source import Source
from ..tables.written_numbers import Style, as_numbers
from .csv_head import is_unclosed, last_record_end
from .csv_mend import blank_bad_lines, breaks

BLOCK = 1 << 22  # bytes parsed at a time
PART = 1 << 19  # bytes that one thread of pyarrow parses at a time
SAMPLE = 1 << 17  # bytes from which types are guessed before they are tried
LONGEST = 1 << 26  # bytes of a record: what is longer is no table
BOM = b"\xef\xbb\xbf"
# Besides pyarrow's own: '', NA, N/A, NaN, nan, null, NULL, ...
MISSING = ("None", "none", "<NA>", "?")
NONE_AS_WORD = "none"  # among words it is one of them: no disease, no garage


class Dialect(NamedTuple):
    """How the values of a row are written."""

    separator: str = ","
    comma: bool = False  # numbers are written 3,14
    spaced: bool = False  # a space belongs to the separator
    nulls: tuple[str, ...] | None = None  # how missing values are written; None: as usual in CSV


class CsvRows:
    """The rows behind a header; `names` are theirs, `c0`, `c1`, ... are ours."""

    def __init__(self, source: Source, names: list[str], dialect: Dialect, bad: BadLines) -> None:
        self.source, self.names, self.dialect, self.bad = source, names, dialect, bad
        self.rows = 0  # delivered so far
        self.weights: int | None = None  # a column whose numbers must not be negative
        self.allowed: dict[int, frozenset[str]] = {}  # all that may be in a column
        self.written: dict[int, Style] = {}  # columns whose numbers are not written as plain ones
        self.words: frozenset[int] = frozenset()  # columns of text in which "none" is a value
        self.clean = b""  # the last block that had bad lines, without them
        self.header = (
            b""  # the line with the names, which no row repeats; b"": there may be such a row
        )

    @functools.cached_property
    def missing(self) -> frozenset[str]:
        """How missing values are written."""
        import pyarrow.csv as pc

        return frozenset(self.dialect.nulls or [*pc.ConvertOptions().null_values, *MISSING])

    def blocks(self, stream: IO[bytes], line: int, size: int) -> Iterator[tuple[int, bytes]]:
        """The number of its first line, and whole records of about `size` bytes."""
        rest = b""
        while True:
            with self.source.reading():
                more = stream.read(size)
            if not more:
                break
            rest += more
            # A quoted value may hold a line break. To allow for it is slower: only where quotes are.
            end = last_record_end(rest) if b'"' in rest else _last_line_end(rest)
            if end:
                yield line, rest[:end]
                line += breaks(rest[:end])
                rest = rest[end:]
            elif len(rest) > LONGEST:
                raise BadFile(
                    f"{self.source.name}, line {line}: longer than {LONGEST >> 20} MB; "
                    "this is not a table with one row a line"
                )
        if rest:
            yield line, rest

    def table(self, block: bytes, line: int, types: dict[str, Any] | None = None) -> Any:
        """The block as a table of these types (None: all columns, as inferred)."""
        import pyarrow as pa

        try:
            table = self._infer(block) if types is None else self.parse(block, types)
        except pa.ArrowInvalid:
            self.clean = blank_bad_lines(self, block, line, types)
            table = self.parse(self.clean, types, sound=True)
        self.rows += table.num_rows
        return table

    def parse(
        self,
        block: bytes,
        types: dict[str, Any] | None,
        *,
        threads: bool = True,
        sound: bool = False,
    ) -> Any:
        """What pyarrow makes of a block, or pa.ArrowInvalid; `sound`: values have been looked at."""
        import pyarrow as pa
        import pyarrow.csv as pc

        if not (block[:256].strip(b"\r\n") or block.strip(b"\r\n")):
            return pa.table({name: pa.array([], kind) for name, kind in (types or {}).items()})
        if not sound:
            self.refuse_mistaken(block)
        read, parse = self._cut_as(block, types is None, threads)
        table = pc.read_csv(pa.BufferReader(block), read, parse, self.values_as(types))
        if self.words and types is not None:
            table = self._reread_words(table, block, read, parse, types)
        if self.dialect.spaced:
            table = _trim_text(table)
        if self.written and types is not None:
            table = self._read_written(table, types)
        if types and not sound and self._senseless(table):
            raise pa.ArrowInvalid("a value that makes no sense")
        return table

    def _cut_as(self, block: bytes, whole: bool, threads: bool) -> tuple[Any, Any]:
        """How pyarrow cuts a block into parts and these into values; `whole`: types are inferred from one part."""
        import pyarrow.csv as pc

        quoted = b'"' in block
        part = len(block) + 1 if whole or quoted else PART
        names = [f"c{i}" for i in range(len(self.names))]  # theirs may be empty, or occur twice
        threads = threads and len(block) > 2 * PART
        read = pc.ReadOptions(use_threads=threads, block_size=part, column_names=names)
        return read, pc.ParseOptions(delimiter=self.dialect.separator, newlines_in_values=quoted)

    def refuse_mistaken(self, block: bytes) -> None:
        """Refuse a block that pyarrow would read, and take for something else than it is."""
        import pyarrow as pa

        if self.header and self.header in block and self.repeats_header(block):
            raise pa.ArrowInvalid("the names of the columns again")
        if b'"' in block and is_unclosed(block, self.dialect.separator):  # pyarrow closes it
            raise pa.ArrowInvalid("a quoted value without an end")

    def values_as(self, types: dict[str, Any] | None, missing: frozenset[str] | None = None) -> Any:
        """How pyarrow reads values: which are missing, and as what the columns are read, if that is known."""
        import pyarrow as pa
        import pyarrow.csv as pc

        usual = pc.ConvertOptions()
        chosen: dict[str, Any] = {}
        if types is not None:
            kinds = {c: pa.string() if self._is_written(c, k) else k for c, k in types.items()}
            chosen = {"column_types": kinds, "include_columns": list(types)}
        return pc.ConvertOptions(
            null_values=_add_spaces(sorted(self.missing if missing is None else missing)),
            true_values=_add_spaces(usual.true_values),
            false_values=_add_spaces(usual.false_values),
            strings_can_be_null=True,
            decimal_point="," if self.dialect.comma else ".",
            **chosen,
        )

    def _reread_words(self, table: Any, block: bytes, read: Any, parse: Any, types: Any) -> Any:
        """The table, with its columns of words read once more: in these "none" is a value."""
        import pyarrow as pa
        import pyarrow.csv as pc

        words = {c: kind for c, kind in types.items() if int(c[1:]) in self.words}
        if not words:
            return table
        values = self.values_as(words, self.missing - {NONE_AS_WORD})
        again = pc.read_csv(pa.BufferReader(block), read, parse, values)
        for name in again.column_names:
            table = table.set_column(table.column_names.index(name), name, again.column(name))
        return table

    def repeats_header(self, block: bytes) -> bool:
        """Is a line of it the line with the names, as where files were put one behind the other?"""
        at = block.find(self.header) if self.header else -1
        while at >= 0:
            end = at + len(self.header)
            start = at - len(BOM) if block[:at].endswith(BOM) else at
            if block[start - 1 : start] in (b"\n", b"\r", b"") and block[end : end + 1] in (
                b"\n",
                b"\r",
                b"",
            ):
                return True
            at = block.find(self.header, end)
        return False

    def _is_written(self, name: str, kind: Any) -> bool:
        import pyarrow as pa

        return int(name[1:]) in self.written and pa.types.is_floating(kind)

    def _read_written(self, table: Any, types: dict[str, Any]) -> Any:
        """The table, its written numbers as floats."""
        import pyarrow as pa

        columns = list(table.columns)
        for i, (name, kind) in enumerate(types.items()):
            if self._is_written(name, kind):
                columns[i] = as_numbers(columns[i], self.written[int(name[1:])])
        return pa.table(columns, names=list(types))

    def _infer(self, block: bytes) -> Any:
        """All columns, of types that hold for the whole block.

        pyarrow infers from one block of its own, which one thread parses: so a small one first, and
        if the types found there hold for the rest, all threads have parsed that.
        """
        import pyarrow as pa

        end = 0 if b'"' in block or len(block) < 2 * PART else _last_line_end(block[:SAMPLE])
        if end:
            self.refuse_mistaken(block)
            with contextlib.suppress(pa.ArrowInvalid):
                found = self.parse(block[:end], None).schema
                if not any(pa.types.is_null(kind) for kind in found.types):
                    types = dict(zip(found.names, found.types, strict=True))
                    return self.parse(block, types, sound=True)
        return self.parse(block, None)

    def _senseless(self, table: Any) -> bool:
        """Does a line hold a number that is not allowed, or a value that was not declared?"""
        import pyarrow as pa
        import pyarrow.compute as pc

        for name, column in zip(table.column_names, table.columns, strict=True):
            i = int(name[1:])
            if pa.types.is_floating(column.type):
                if not self.bad.skip:
                    continue
                least, most = (v.as_py() or 0.0 for v in pc.min_max(column).values())
                if most == np.inf or least == -np.inf or (i == self.weights and least < 0):
                    return True
            elif i in self.allowed:
                found = column.unique().to_pylist()
                if any(v is not None and v not in self.allowed[i] for v in found):
                    return True
        return False


def _last_line_end(text: bytes) -> int:
    return max(text.rfind(b"\n"), text.rfind(b"\r") if b"\n" not in text else -1) + 1


def _add_spaces(values: list[str]) -> list[str]:
    """In "1, NA, true" a space belongs to the separator; pyarrow knows that only of numbers."""
    return values + [f" {value}" for value in values]


def _trim_text(table: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = [
        pc.utf8_trim_whitespace(column) if pa.types.is_string(column.type) else column
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names)
