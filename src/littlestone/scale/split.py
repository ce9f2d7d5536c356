"""Rows of a table, split by key: all rows of a key go to the same part, in their order."""

from __future__ import annotations

import itertools
import zlib
from typing import Any

import numpy as np

from ..core.errors import BadInput

FILE, ROW = "littlestone: file", "littlestone: row"  # columns that say where a row came from
BYTES = 32 << 20  # of data that a part has, about
MOST = 4096  # parts


def parts_for(size: int) -> int:
    """How many parts data of so many bytes are split into. It depends on the data alone, and so do the results."""
    return max(1, min(MOST, -(-size // BYTES)))


def split(table: Any, number: int, by: str, parts: int) -> list[Any]:
    """How many rows a table has, and its rows of each part; it is the table of this number.

    >>> import pyarrow as pa
    >>> count, *found = split(pa.table({"key": ["a", "d", "a"], "y": [1, 2, 3]}), 0, "key", 2)
    >>> count, sorted(one["y"].to_pylist() for one in found)
    (3, [[1, 3], [2]])
    """
    import pyarrow as pa

    if by not in table.column_names:
        raise BadInput(f"by: no column is called {by!r}; there are {', '.join(table.column_names)}")
    column = table.column(by)
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise BadInput(f"row {row + 1}, column {by!r}: the key is missing")
    rows = table.num_rows
    coded = column.combine_chunks().dictionary_encode()
    places = np.array([part_of(key, parts) for key in coded.dictionary.to_pylist()], np.int64)
    part = places[coded.indices.to_numpy()] if rows else places
    table = table.append_column(FILE, pa.array(np.full(rows, number, np.int32)))
    table = table.append_column(ROW, pa.array(np.arange(rows)))
    order = np.argsort(part, kind="stable")
    ends = np.searchsorted(part[order], np.arange(parts + 1))
    return [rows, *[table.take(order[a:b]) for a, b in itertools.pairwise(ends)]]


def part_of(key: Any, parts: int) -> int:
    """The part of a key, the same on every machine; 1 and 1.0 are one key."""
    if isinstance(key, float) and key.is_integer():
        key = int(key)
    return zlib.crc32(str(key).encode()) % parts
