"""A block of CSV that pyarrow refuses: which lines are bad, and the block without them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.core.errors import BadFile, BadInput, on_one_line

from ...encode.values import name_cell
from ..encodings import OTHERS
from .csv_head import is_unclosed, last_record_end, record_end

if TYPE_CHECKING:
    from .csv_rows import CsvRows

PIECE = 1 << 15  # bytes looked at line by line, if pyarrow refuses them too


def blank_bad_lines(rows: CsvRows, block: bytes, line: int, types: dict[str, Any] | None) -> bytes:
    """The block with every bad line made blank; the first one stops it, unless such are skipped."""
    import pyarrow as pa

    numbers = {int(c[1:]) for c, kind in (types or {}).items() if pa.types.is_floating(kind)}
    done: list[bytes] = []
    row, start = rows.rows, 0
    while start < len(block):
        piece = block[start : start + PIECE]
        if start + PIECE < len(block):
            piece = piece[: last_record_end(piece)] or block[start : record_end(block, start)]
        start += len(piece)
        try:
            row += rows.parse(piece, types, threads=False).num_rows
            done.append(piece)
        except pa.ArrowInvalid:
            good: list[bytes] = []
            for number, record in records(piece, line):
                filled = bool(record.strip(b"\r\n"))
                row += filled
                fault = _fault(rows, record, row, numbers) if filled else None
                if fault is not None:
                    _note_bad_line(rows, number, record, fault, at_end=start >= len(block))
                good.append(b"\n" * breaks(record) if fault is not None else record)
            done += _convertible(rows, good, line, row, types)
        line += breaks(piece)
    return b"".join(done)


def breaks(text: bytes) -> int:
    """How many lines end in it."""
    return text.count(b"\n") or text.count(b"\r")


def _convertible(
    rows: CsvRows, records: list[bytes], line: int, row: int, types: dict[str, Any] | None
) -> list[bytes]:
    """Find lines that pyarrow refuses for reasons of its own: one line at a time, from its message."""
    import pyarrow as pa

    filled = [i for i, record in enumerate(records) if record.strip(b"\r\n")]
    row -= len(filled)
    while True:
        try:
            rows.parse(b"".join(records), types, threads=False, sound=True)
        except pa.ArrowInvalid as error:
            bad = re.search(r"Row #(\d+): ", str(error))
            if bad is None or int(bad[1]) > len(filled):
                why = f"from line {line} on it cannot be read as CSV: {on_one_line(error)}"
                raise BadFile(f"{rows.source.name}: {why}") from None
            i = filled.pop(int(bad[1]) - 1)
            number = line + sum(map(breaks, records[:i]))
            _note_bad_line(
                rows, number, records[i], _translate_error(rows, str(error), row + int(bad[1]))
            )
            records[i] = b"\n" * breaks(records[i])
        else:
            return records


def _note_bad_line(
    rows: CsvRows, line: int, record: bytes, fault: Exception, at_end: bool = False
) -> None:
    rows.bad.found(line, record, str(fault), type(fault))
    if at_end and not record.endswith((b"\n", b"\r")):
        rows.bad.cut = True


def _fault(rows: CsvRows, record: bytes, row: int, numbers: set[int]) -> Exception | None:
    """What is wrong with a record that is not blank."""
    names = rows.names
    if rows.repeats_header(record):
        return BadFile(
            f"row {row} repeats the names of the columns (files put one behind the other?)"
        )
    if is_unclosed(record, rows.dialect.separator):
        return BadFile(
            f"row {row} has a quoted value without an end (a quote too many or too few, or a file "
            "that is cut off)"
        )
    try:
        fields = _split(record.decode(), rows.dialect.separator)
    except UnicodeDecodeError:
        return BadFile(f"row {row} is not UTF-8 text; {OTHERS}")
    except csv.Error as error:
        return BadFile(f"row {row} cannot be read as CSV ({error})")
    if len(fields) != len(names):
        columns = "column" if len(fields) == 1 else "columns"
        return BadFile(
            f"row {row} has {len(fields)} {columns}, the header has {len(names)} "
            "(a separator too many or too few, or a file that is cut off)"
        )
    return _wrong_value(rows, fields, row, numbers)


def _split(text: str, separator: str) -> list[str]:
    """The values of a record."""
    if '"' not in text:
        return text.rstrip("\r\n").split(separator)
    return next(csv.reader(io.StringIO(text, newline=""), delimiter=separator), [])


def _wrong_value(rows: CsvRows, fields: list[str], row: int, numbers: set[int]) -> BadInput | None:
    """What is wrong with the first value that makes no sense."""
    names = rows.names
    for i, allowed in rows.allowed.items():
        if fields[i] not in allowed and fields[i] not in rows.missing:
            where = name_cell(row - 1, names[i])
            return BadInput(f"{where}: {fields[i]!r:.60} is not one of the declared values")
    for i in sorted(numbers):
        value = fields[i].strip()
        number = _number(rows, i, value)
        if number is None:
            return BadInput(f"{name_cell(row - 1, names[i])}: {value!r:.60} is not a number")
        if rows.bad.skip and (np.isinf(number) or (i == rows.weights and number < 0)):
            return BadInput(f"{name_cell(row - 1, names[i])}: {value} makes no sense here")
    return None


def _number(rows: CsvRows, i: int, value: str) -> float | None:
    if value in rows.missing:
        return float("nan")
    if i in rows.written:
        return rows.written[i].number(value)
    try:
        return float((value.replace(",", ".") if rows.dialect.comma else value).replace("_", "x"))
    except ValueError:
        return None


def _translate_error(rows: CsvRows, error: str, row: int) -> Exception:
    """pyarrow's message in the user's terms: rows from 1, columns by name."""
    bad = re.search(r"column #(\d+): .*invalid value '(.*)'", error, re.DOTALL)
    if bad:
        where = name_cell(row - 1, rows.names[int(bad[1])])
        return BadInput(f"{where}: {bad[2][:60]!r} is not a number")
    return BadFile(f"row {row} cannot be read as CSV ({error[:200]})")


def records(text: bytes, line: int) -> Iterator[tuple[int, bytes]]:
    """Every record, blank ones too, with the number of its first line."""
    start, quoted = 0, b'"' in text
    newline = b"\n" if b"\n" in text else b"\r"
    while start < len(text):
        end = record_end(text, start) if quoted else text.find(newline, start) + 1 or len(text)
        record = text[start:end]
        yield line, record
        line += breaks(record)
        start = end
