"""Read ARFF: dense rows as tables, by the reader of CSV; sparse rows as records."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

from littlestone.core.errors import BadInput

from ..bad_lines import BadLines
from ..encodings import OTHERS
from ..line_blocks import line_blocks
from ..source import Source
from ..tables.choice import Choice, Column
from ..text.json_lines import Block
from .arff_head import Attribute, attributes, split_row
from .csv_rows import CsvRows, Dialect

ODD = re.compile(rb"[%'\"\\]")  # bytes that make a block one for the slow path
ENTRY = re.compile(r"\s*(\d+)\s+(.*)", re.DOTALL)


class SparseRow(dict[str, Any]):
    """A record in which a number that is not written is 0 when it is looked up."""

    __slots__ = ("zeros",)

    def __init__(self, record: dict[str, Any], zeros: frozenset[str]) -> None:
        super().__init__(record)
        self.zeros = zeros

    def get(self, key: str, default: Any = None) -> Any:
        return super().get(key, 0.0 if key in self.zeros else default)


class ArffFile:
    """The attributes of an ARFF file, and its rows.

    A nominal attribute is text, unless its values are 0 and 1; '?' is missing. In a sparse row what
    is not written is 0, and the first value of a nominal attribute, as ARFF has it.
    """

    rounds = None
    notes: tuple[str, ...] = ()

    def __init__(self, source: Source, on_bad_line: str = "error") -> None:
        self.source = source
        self.bad = BadLines(source.name, on_bad_line)
        stream = source.stream()
        self.attributes, line = attributes(source, stream)
        self.names = [a.name for a in self.attributes]
        self.columns: list[Column] = [a.column for a in self.attributes]
        self._blocks = line_blocks(source, stream, line + 1)
        head = next(self._blocks, None)
        rows = (row for row in (head[1] if head else b"").split(b"\n") if _is_row(row))
        row = next(rows, None)
        while row is None and head is not None:  # a block of comments
            head = next(self._blocks, None)
            row = next((r for r in (head[1] if head else b"").split(b"\n") if _is_row(r)), None)
        if row is None or head is None:
            raise BadInput(f"no rows: {source.name} has a head and nothing else")
        self.sparse = row.lstrip().startswith(b"{")
        self._blocks = chain([head], self._blocks)

    @property
    def labels(self) -> dict[str, list[object]]:
        """The classes of the attributes for which they are declared."""
        return {a.name: a.labels for a in self.attributes if a.labels is not None}

    def types(self, choice: Choice) -> dict[int, object]:
        return {i: (self._number(i, choice), i == choice.weights) for i in choice.all}

    def tables(self, choice: Choice, rows: int) -> Iterator[Any]:
        """The chosen columns of dense rows, block by block."""
        import pyarrow as pa

        dialect = Dialect(nulls=("?", ""))
        reader = CsvRows(self.source, self.names, dialect, self.bad)
        reader.weights = choice.weights
        for i in choice.all:
            if self.attributes[i].kind == "nominal":
                reader.allowed[i] = frozenset(self.attributes[i].values)
        types = {
            f"c{i}": pa.float64() if self._number(i, choice) else pa.string() for i in choice.all
        }
        names = [self.names[i] for i in choice.all]
        try:
            for line, text in self._blocks:
                yield reader.table(_as_csv(text, len(self.names)), line, types).rename_columns(
                    names
                )
        finally:
            self.source.close()

    def blocks(self) -> Iterator[Block]:
        """The records of sparse rows, block by block."""
        usual = {
            a.name: a.values[0] for a in self.attributes if a.kind == "nominal" and not a.numbers
        }
        zeros = frozenset(a.name for a in self.attributes if a.numbers)
        try:
            for line, text in self._blocks:
                records: list[dict[str, Any]] = []
                numbers: list[int] = []
                for number, raw in enumerate(text.split(b"\n"), line):
                    if not _is_row(raw):
                        continue
                    found = self._record(raw)
                    if isinstance(found, str):
                        self.bad.found(number, raw.strip(), found)
                        self.bad.cut = self.bad.cut or "no end" in found
                    else:
                        records.append(SparseRow({**usual, **found}, zeros))
                        numbers.append(number)
                if records:
                    yield Block(records, line, text, numbers)
        finally:
            self.source.close()

    def _number(self, i: int, choice: Choice) -> bool:
        attribute = self.attributes[i]
        labels = attribute.labels if i in choice.classes else None
        return attribute.numbers or (labels is not None and not isinstance(labels[0], str))

    def _record(self, raw: bytes) -> dict[str, Any] | str:
        """A sparse row, or what is wrong with it."""
        try:
            text = raw.decode().strip()
        except UnicodeDecodeError:
            return f"not UTF-8 text; {OTHERS}"
        if not text.startswith("{"):
            return "a dense row among sparse ones"
        if not text.endswith("}"):
            return "the row has no end (a file that is cut off?)"
        record: dict[str, Any] = {}
        inside = text[1:-1].strip()
        for part in re.findall(r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,'"])+""", inside):
            entry = ENTRY.fullmatch(part)
            if entry is None or not (values := split_row(entry[2].strip())) or len(values) != 1:
                return f"{part.strip()!r} is not an index and a value"
            if int(entry[1]) >= len(self.attributes):
                return f"there is no attribute {entry[1]}; the last is {len(self.attributes) - 1}"
            attribute = self.attributes[int(entry[1])]
            if attribute.name in record:
                return f"attribute {entry[1]} ({attribute.name!r}) occurs twice"
            try:
                record[attribute.name] = _value_of(values[0], attribute)
            except ValueError as problem:
                return str(problem)
        return record


def _value_of(value: str | None, attribute: Attribute) -> str | float | None:
    """A written value of an attribute; ValueError says what is wrong with it."""
    if value is None:
        return None
    if attribute.kind == "nominal" and value not in attribute.values:
        raise ValueError(f"{value!r} is not declared for {attribute.name!r}")
    if not attribute.numbers:
        return value
    try:
        return float(value.replace("_", "x"))
    except ValueError:
        raise ValueError(f"{value!r} is not a number, for {attribute.name!r}") from None


def _is_row(raw: bytes) -> bool:
    return bool(raw.strip()) and not raw.lstrip().startswith(b"%")


def _as_csv(text: bytes, columns: int) -> bytes:
    r"""Rows as CSV has them, line for line; a comment becomes a blank line.

    >>> _as_csv(b"1, 'a, \\'b\\'' ,?\n% so much for that\n2 , c,\t3\n", 3)
    b'1,"a, \'b\'",?\n\n2,c,3\n'
    """
    if not ODD.search(text):
        if b" " in text or b"\t" in text:
            text = re.sub(rb"[ \t]*,[ \t]*", b",", text)
            text = re.sub(rb"(?m)^[ \t]+|[ \t]+(?=\r?$)", b"", text)
        return text
    lines = []
    for raw in text.split(b"\n"):
        if not _is_row(raw):
            lines.append("")
            continue
        line = raw.decode(errors="surrogateescape").strip()
        values = split_row(line)
        if values is None:  # a quote without end: to be found as a wrong number of columns
            values = [line] if columns > 1 else [line, "a quote without end"]
        out = io.StringIO()
        csv.writer(out, lineterminator="").writerow(["?" if v is None else v for v in values])
        lines.append(out.getvalue().replace("\n", " "))
    return "\n".join(lines).encode(errors="surrogateescape")
