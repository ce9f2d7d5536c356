"""Frames -> examples: a matrix where every feature is a number, else sparse rows, text hashed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from littlestone.core.csr import summed
from littlestone.core.vectors import Rows

from ...core.hashing import Hashes, crossed, hashes
from .arrays import floats
from .frames import Reader, transposed
from .interactions import pairs
from .kinds import values_of
from .request import Choice, TableRequest
from .values import missing, plain

if TYPE_CHECKING:
    import narwhals as nw

    Frame = nw.DataFrame[Any]


class ExampleReader(Reader):
    """Turns frames into examples (x, y), with weights where a column has them.

    Numbers only (true and false are 1 and 0): x is a matrix. With a column of text: x is sparse,
    a number is the feature that its column's name is hashed to, and text is the feature
    "column=text", of value 1. A missing value is absent, which is the number 0, and is counted.
    """

    def __init__(
        self, names: Sequence[Any], choice: Choice, request: TableRequest, outcome: str = "outcome"
    ) -> None:
        super().__init__(names, choice, request.coding, outcome)
        self.examples = True
        self.bits = request.bits
        self.text = [i in choice.text for i in choice.experts]
        self.hashed = any(self.text)
        self.interactions = tuple(request.interactions)
        self.crossed = pairs(request.interactions, self.names, self.text)
        self.absent = np.zeros(len(self.names), dtype=np.int64)
        if self.hashed:
            self._own = hashes(self.names)
            self.features: tuple[str, ...] = ()
        else:
            products = (":".join(self.names[i] for i in places) for places in self.crossed)
            self.features = (*self.names, *products)

    @property
    def hashed_columns(self) -> tuple[tuple[tuple[str, bool], ...], tuple[str, ...]]:
        if not self.hashed:
            return (), ()
        return tuple(zip(self.names, self.text, strict=True)), self.interactions

    @property
    def notes(self) -> tuple[str, ...]:
        total, columns = int(self.absent.sum()), int((self.absent > 0).sum())
        if not total:
            return ()
        values = "1 missing value" if total == 1 else f"{total:,} missing values"
        where = f"1 column ({self.names[int(self.absent.argmax())]!r})"
        return (f"{values} in {where if columns == 1 else f'{columns} columns'}: taken as absent",)

    def inputs(self, frame: Frame, first: int) -> tuple[Any, int]:
        if self.hashed:
            return self._sparse(frame, first)
        columns = [self._numbers(frame, j, first) for j in range(len(self.names))]
        columns += [np.prod([columns[i] for i in places], axis=0) for places in self.crossed]
        return transposed(columns, frame.shape[0]), 0

    def _numbers(self, frame: Frame, j: int, first: int) -> NDArray[np.float64]:
        """A column without gaps."""
        values = floats(values_of(frame.get_column(self.experts[j])), [self.names[j]], first)
        gaps = np.isnan(values)
        if gaps.any():
            self.absent[j] += int(gaps.sum())
            return np.where(gaps, 0.0, values)
        return values

    def _sparse(self, frame: Frame, first: int) -> tuple[Rows, int]:
        """Every feature has one place a row: its hash, and its value, 0 where it is absent."""
        rows, n = frame.shape[0], len(self.names)
        place = np.empty((rows, n + len(self.crossed)), dtype=np.uint32)
        value = np.empty((rows, n + len(self.crossed)))
        for j in range(n):
            if self.text[j]:
                place[:, j], value[:, j] = self._words(frame, j)
            else:
                place[:, j], value[:, j] = self._own[j], self._numbers(frame, j, first)
        for k, parts in enumerate(self.crossed, n):
            place[:, k] = crossed([place[:, i] for i in parts])
            value[:, k] = np.prod(value[:, parts], axis=1)
        there = value != 0.0
        indptr = np.zeros(rows + 1, dtype=np.int64)
        np.cumsum(there.sum(axis=1), out=indptr[1:])
        index = (place & np.uint32((1 << self.bits) - 1)).astype(np.int32)[there]
        return summed(Rows(indptr, index, value[there])), 1 << self.bits

    def _words(self, frame: Frame, j: int) -> tuple[Hashes, NDArray[np.bool_]]:
        """The hash of "column=text" a row, and whether there is a text."""
        codes, distinct = encoded(frame.get_column(self.experts[j]))
        there = np.array([v is not None for v in distinct], dtype=bool)
        found = hashes([named(self.names[j], v) for v in distinct])
        present = there[codes]
        self.absent[j] += int(len(codes) - present.sum())
        return found[codes], present


def named(column: str, value: object) -> str | bytes:
    """The feature that a text is; whole numbers among text are written alike in every format.

    >>> named("colour", "red"), named("size", 3.0)
    ('colour=red', 'size=3')
    """
    if isinstance(value, str):
        return f"{column}={value}"
    if isinstance(value, bytes):
        return column.encode() + b"=" + value
    known = plain(value)
    return f"{column}={value if known is None else known}"


def encoded(column: nw.Series[Any]) -> tuple[NDArray[np.int64], list[Any]]:
    """Codes and what they stand for; text is encoded by pyarrow, anything else one by one."""
    import narwhals as nw

    if isinstance(column.dtype, nw.String):
        import pyarrow as pa

        array: Any = column.to_arrow()
        if isinstance(array, pa.ChunkedArray):
            array = pa.concat_arrays(array.chunks) if array.num_chunks != 1 else array.chunk(0)
        array = array.dictionary_encode(null_encoding="encode")
        codes = array.indices
        at = np.frombuffer(codes.buffers()[1], np.int32, len(codes), 4 * codes.offset)
        return at.astype(np.int64), array.dictionary.to_pylist()
    seen: dict[Any, int] = {}
    values = (None if missing(v) else v for v in column.to_list())
    found = np.fromiter((seen.setdefault(v, len(seen)) for v in values), dtype=np.int64)
    return found, list(seen)
