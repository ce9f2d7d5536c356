"""Rows of a table, split by key: all rows of a key go to the same part, in their order."""

from __future__ import annotations

import itertools
import zlib
from typing import Any

import numpy as np

from ..core.errors import BadInput

FILE, ROW = "littlestone: file", "littlestone: row"  # columns that say where a row came from
# a part has about so many bytes of data: each piece of a file is a task, at 1.5 ms
BYTES = 256 << 20
MOST = 4096  # there are at most so many parts
GOLDEN = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio, made odd


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
        raise BadInput(
            f"row {row + 1}, column {by!r}: the key is missing; fill it in, or leave such rows out"
        )
    rows = table.num_rows
    coded = column.combine_chunks().dictionary_encode()
    places = parts_of(coded.dictionary, parts)
    part = places[coded.indices.to_numpy()] if rows else places
    table = table.append_column(FILE, pa.array(np.full(rows, number, np.int32)))
    table = table.append_column(ROW, pa.array(np.arange(rows)))
    table = table.unify_dictionaries().combine_chunks()
    # numbers of 16 bits are sorted by counting: 10 ns a row, where comparing takes 100
    order = np.argsort(part.astype(np.int16) if parts < 1 << 15 else part, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(part, minlength=parts))])
    return [rows, *[table.take(order[a:b]) for a, b in itertools.pairwise(ends)]]


def parts_of(keys: Any, parts: int) -> Any:
    """The part of each key, the same on every machine; 1 and 1.0 are one key.

    >>> import pyarrow as pa
    >>> parts_of(pa.array([1, 2, 3]), 10).tolist(), parts_of(pa.array([1.0, 2.5]), 10).tolist()
    ([4, 1, 6], [4, 3])
    """
    import pyarrow as pa

    if pa.types.is_integer(keys.type):
        return mix_numbers(keys.to_numpy(zero_copy_only=False).astype(np.int64)) % parts
    found = []
    for key in keys.to_pylist():
        if isinstance(key, float) and key.is_integer() and abs(key) < 2.0**63:
            found.append(int(mix_numbers(np.array([int(key)]))[0]) % parts)
        else:
            found.append(zlib.crc32(str(key).encode()) % parts)
    return np.array(found, np.int64)


def mix_numbers(numbers: Any) -> Any:
    """Whole numbers from 0 to 2^31 - 1 in which neighbours lie far apart: the high bits of a product."""
    return ((numbers.astype(np.uint64) * np.uint64(GOLDEN)) >> np.uint64(33)).astype(np.int64)
