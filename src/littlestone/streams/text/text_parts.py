"""Rows read from text, as arrays: a part of a file at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from littlestone.core.stream import Array, Batch
from littlestone.core.vectors import Rows
from littlestone.engine.compile import has_numba

from .text_lines import Row

TABLE = 1 << 13  # places to begin with: 8 kB stay in the first cache


class BadRow(Exception):
    """The number of a row in its part, and what is wrong with it."""


@dataclass
class Part:
    """Consecutive rows; while they are being read, the arrays are larger than need be."""

    y: Array
    h: Array
    ptr: NDArray[np.int64]
    index: NDArray[np.int32]
    value: Array
    letters: NDArray[np.uint8]  # this and the next two are empty unless they were requested
    spans: NDArray[np.int32]  # where tags begin and end in the text
    tags: list[str] = field(default_factory=list)
    width: int = 0
    unsorted: bool = False  # may an index occur twice in a row?

    @classmethod
    def empty(cls, rows: int, entries: int, *, letters: bool, tags: bool) -> Part:
        return cls(
            np.empty(rows),
            np.ones(rows),
            np.zeros(rows + 1, np.int64),
            np.empty(entries, np.int32),
            np.empty(entries),
            np.empty(entries if letters else 0, np.uint8),
            np.zeros((rows if tags else 0, 2), np.int32),
        )

    def put(self, r: int, k: int, row: Row) -> int:
        """Put a row that Python parsed at its place; return the place of the next entry."""
        end = k + len(row.index)
        self.y[r], self.h[r], self.ptr[r + 1] = row.y, row.h, end
        self.index[k:end], self.value[k:end] = row.index, row.value
        if len(self.letters):
            self.letters[k:end] = np.frombuffer(row.letters, np.uint8)
        self.width = max(self.width, 1 + max(row.index, default=-1))
        return end

    def cut(self, rows: int, entries: int) -> None:
        """Cut the arrays to the rows and entries that were read."""
        self.y, self.h, self.ptr = self.y[:rows], self.h[:rows], self.ptr[: rows + 1]
        self.index, self.value = self.index[:entries], self.value[:entries]
        self.letters, self.spans = self.letters[:entries], self.spans[:rows]

    @cached_property
    def weighted(self) -> bool:
        """Is there an importance other than 1? It is asked when all rows are there."""
        return bool((self.h != 1.0).any())

    def batch(self, first: int) -> Batch:
        h = self.h if self.weighted else None
        return Batch(Rows(self.ptr, self.index, self.value), self.y, first, h=h, width=self.width)


def together(parts: Sequence[Part]) -> Part:
    """All rows in one part."""
    if len(parts) == 1:
        return parts[0]
    whole = Part.empty(
        sum(len(part.y) for part in parts),
        sum(len(part.value) for part in parts),
        letters=False,
        tags=False,
    )
    r, k = 0, 0
    for part in parts:
        a, b = r + len(part.y), k + len(part.value)
        whole.y[r:a], whole.h[r:a], whole.ptr[r + 1 : a + 1] = part.y, part.h, part.ptr[1:] + k
        whole.index[k:b], whole.value[k:b] = part.index, part.value
        whole.tags += part.tags
        whole.width = max(whole.width, part.width)
        r, k = a, b
    return whole


class Sums:
    """Lets each index occur once a row: the values of one that occurs more often are added up, in their order."""

    def __init__(self) -> None:
        self.table = np.full(TABLE, -1, np.int32)
        self.base = 0  # what the table holds for the first entry; see `compiled_rows.add_up`

    def add_up(self, part: Part) -> None:
        bad = self._compiled(part) if has_numba() else _plain(part)
        if bad >= 0:
            raise BadRow(bad, "the values of a feature that occurs more than once are too large")
        part.cut(len(part.y), int(part.ptr[-1]))

    def _compiled(self, part: Part) -> int:
        from ..compiled.compiled_rows import add_up

        longest = int(np.diff(part.ptr).max(initial=0))
        size = len(self.table)
        while size < 4 * longest:
            size *= 2
        if size > len(self.table) or self.base + len(part.index) >= 1 << 31:
            self.table, self.base = np.full(size, -1, np.int32), 0
        bad = add_up(part.ptr, part.index, part.value, self.table, self.base)
        self.base += len(part.index)
        return int(bad)


def _plain(part: Part) -> int:
    k = 0
    begin = int(part.ptr[0])
    for row in range(len(part.y)):
        end = int(part.ptr[row + 1])
        sums: dict[int, float] = {}
        index, value = part.index[begin:end].tolist(), part.value[begin:end].tolist()
        for j, v in zip(index, value, strict=True):
            sums[j] = sums[j] + v if j in sums else v
            if sums[j] - sums[j] != 0.0:
                return row
        m = k + len(sums)
        part.index[k:m], part.value[k:m] = list(sums), list(sums.values())
        part.ptr[row + 1] = k = m
        begin = end
    return -1
