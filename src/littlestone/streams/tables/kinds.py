"""What the columns of a frame hold: numbers, labels, dates, an index that was written out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from littlestone.core.stream import Array

from ...encode.values import is_number, missing
from .arrays import NUMERIC
from .choice import Column
from .written_dates import are_dates
from .written_numbers import LOOK, SLIPS, Style, mixed_units, style_of

if TYPE_CHECKING:
    import narwhals as nw

# What readers call a column without a name: mostly an index that was written out with the data.
UNNAMED = ("", "Unnamed: 0")
# An identifier has so many rows at least, and so many different values a row.
ROWS, DIFFERENT = 10, 0.95
IDENTIFIER = re.compile(
    r"(?i:(?:^|[\W_])(?:id|key|uuid|guid|index|nr|no|number|row|rownum|zip|zipcode|postcode|phone|sku|isbn|ean|ssn)$)"
    r"|(?<=[a-z])(?:ID|Id|Key|Nr|No|Number)$",
    re.ASCII,
)
TIME = re.compile(r"time|date|year|month|week|day|hour|minute|second|step|^t$", re.IGNORECASE)
PANDAS_INDEX = "__index_level_0__"  # and what pandas calls it in a Parquet file


def columns_of(
    frame: nw.DataFrame[Any], names: Sequence[str] | None = None, decimal: str | None = None
) -> list[Column]:
    """The kind of every column, looking at values only where the type does not tell.

    A column that is empty throughout has no kind; a first column without a name that counts
    0, 1, 2, ... is an index. `names`: what the columns are really called; `decimal`: the mark before
    the fraction, where the caller said it.
    """
    shown = frame.columns if names is None else names
    return [
        _column(frame.get_column(c), i, str(shown[i]), decimal) for i, c in enumerate(frame.columns)
    ]


def values_of(column: nw.Series[Any]) -> NDArray[Any]:
    """Numbers as NumPy has them (missing: NaN), all else as Python objects."""
    import narwhals as nw

    if isinstance(column.dtype, nw.Decimal):
        column = column.cast(nw.Float64)
    if column.dtype.is_numeric() or isinstance(column.dtype, nw.Boolean):
        if column.implementation.is_pyarrow() and column.dtype.is_numeric():
            return _of_arrow(column.to_native())
        values: NDArray[Any] = column.to_numpy()
        if values.dtype.kind in NUMERIC:
            return values
    out = np.empty(len(column), dtype=object)
    out[:] = column.to_list()  # to_numpy of a dictionary with nulls repeats the value before
    return out


def _of_arrow(chunks: Any) -> Array:
    """A column of pyarrow's, without a copy where that can be.

    pyarrow's own to_numpy (and pa.scalar) imports pandas wherever it is installed, for nothing:
    0.4 s and 40 MB.
    """
    import pyarrow as pa

    chunks = chunks.cast(pa.float64(), safe=False)
    if chunks.null_count:
        nan = pa.Array.from_buffers(pa.float64(), 1, [None, pa.py_buffer(np.array([np.nan]))])
        chunks = chunks.fill_null(nan[0])
    pieces = [
        np.frombuffer(c.buffers()[1], np.float64, len(c), 8 * c.offset)
        for c in chunks.chunks
        if len(c)
    ]
    return pieces[0] if len(pieces) == 1 else np.concatenate([np.empty(0), *pieces])


def _column(column: nw.Series[Any], i: int, name: str, decimal: str | None = None) -> Column:
    kind = _kind(column)
    if kind in ("number", "text") and len(column) and missing(column[0]) and _empty(column):
        return Column(name, "empty")
    if kind == "text":
        return _column_of_text(column, i, name, decimal)
    found = Column(name, kind)
    return judge_whole(column, i, found) if kind == "number" else found


def _column_of_text(
    column: nw.Series[Any], i: int, name: str, decimal: str | None = None
) -> Column:
    """A column of text: dates and numbers as people write them, names of rows, or text."""
    import narwhals as nw

    remark, slip = "", False
    style: Style | None = None
    if isinstance(column.dtype, nw.String | nw.Object):
        values = [(row, v) for row, v in enumerate(column.to_list()) if not missing(v)]
        if are_dates([v for _, v in values]):
            return Column(name, "date")
        remark, slip, style = _odd(values, decimal)
    if style is not None:
        return judge_whole(column, i, Column(name, "number", remark, slip, style))
    named = i == 0 and name in UNNAMED and len(column) > 1 and column.n_unique() == len(column)
    return Column(name, "index" if named else "text", remark, slip)


def judge_whole(column: nw.Series[Any], i: int, found: Column) -> Column:
    """Column i of numbers, where its first rows show that it only names rows: an index, or an identifier."""
    name = found.name
    if name == PANDAS_INDEX or (i == 0 and name in UNNAMED and counts(column)):
        return found._replace(kind="index")
    if names_rows(column, i, name):
        return found._replace(kind="identifier", remark="whole numbers, nearly all different")
    return found


def _kind(column: nw.Series[Any]) -> str:
    import narwhals as nw

    dtype = column.dtype
    if dtype.is_numeric():
        return "number"
    plain: list[tuple[Any, str]] = [
        (nw.Boolean, "boolean"),
        (nw.String, "text"),
        (nw.Categorical, "text"),
        (nw.Enum, "text"),
        (nw.Binary, "text"),
        (nw.Datetime, "timestamp"),
    ]
    for known, kind in plain:
        if isinstance(dtype, known):
            return kind
    if isinstance(dtype, nw.Unknown) and column.null_count() == len(column):
        return "empty"
    if not isinstance(dtype, nw.Object):
        return str(dtype).split("(", maxsplit=1)[0].lower()
    # pandas keeps anything in a column of objects, numbers with None among them too
    kinds = {_kind_of_value(v) for v in column.to_list() if not missing(v)}
    if not kinds:
        return "empty"
    if kinds <= {"number", "text"}:
        return "text" if "text" in kinds else "number"
    return kinds.pop() if len(kinds) == 1 else "objects"


def _kind_of_value(value: object) -> str:
    if isinstance(value, bool | np.bool_):
        return "boolean"
    if is_number(value):
        return "number"
    return "text" if isinstance(value, str) else type(value).__name__


def _empty(column: nw.Series[Any]) -> bool:
    if column.null_count() == len(column):
        return True
    values = values_of(column)  # polars tells NaN from null; neither is a value
    return values.dtype.kind == "f" and bool(np.isnan(values).all())


def counts(column: nw.Series[Any]) -> bool:
    """0, 1, 2, ... or 17, 18, 19, ...: whole numbers, each one more than the one before."""
    if not column.dtype.is_integer() or column.null_count() or len(column) < 2:
        return False
    return bool((np.diff(values_of(column)) == 1).all())


def names_rows(column: nw.Series[Any], i: int, name: str) -> bool:
    """Is it an identifier: whole numbers, nearly all different, that are called so, or that number the rows?

    Other numbers may be nearly all different, too: only a name, or a first column 1, 2, 3, …, tells.
    """
    if not column.dtype.is_integer() or len(column) < ROWS:
        return False
    called = IDENTIFIER.search(name) is not None
    numbered = i == 0 and TIME.search(name) is None and column[0] in (0, 1) and counts(column)
    if not called and not numbered:
        return False
    return bool(column.n_unique() >= DIFFERENT * len(column))


def _odd(
    values: list[tuple[int, Any]], decimal: str | None = None
) -> tuple[str, bool, Style | None]:
    """In text that is mostly numbers, the first value that is none, and whether it is a slip: nearly all are numbers.

    `values`: those that are there, by row. Where all are numbers, as 1,000.50 or € 3, the style in which they are
    written.
    """
    if all(isinstance(v, str) for _, v in values):
        found = _odd_text(values, decimal)
        if found is not None:
            return found
    if sum(_is_number(v) for _, v in values[:LOOK]) * 2 <= len(values[:LOOK]):
        return "", False, None
    odd = [(i, v) for i, v in values if not _is_number(v)]
    if not odd:
        return "", False, None
    return f"row {odd[0][0] + 1} is {odd[0][1]!r}", len(odd) <= SLIPS * len(values), None


def _odd_text(
    values: list[tuple[int, str]], decimal: str | None
) -> tuple[str, bool, Style | None] | None:
    """The same of values that are all text, by row; None where they are not written in one style of numbers."""
    texts = [v for _, v in values]
    style, first = style_of(texts, decimal)
    if style is None:
        mixed = mixed_units(texts)
        if mixed is None:
            return None
        row = values[mixed][0] + 1
        return f"row {row} is {texts[mixed]!r}, and others have no such sign", True, None
    doubt = None if decimal else style.doubt(texts)
    if doubt is not None:
        at, ways = values[doubt[0]], doubt[1]
        said = f"row {at[0] + 1} is {at[1]!r}, which may be {ways}"
        return f"{said} (say which: decimal='.' or decimal=',')", True, None
    if first is None:
        return "", False, style
    return f"row {values[first][0] + 1} is {values[first][1]!r}", True, None


def _is_number(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return True
