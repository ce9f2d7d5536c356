"""Columns of text with few values: what the values are, and the numbers that rows have in their place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .categories import FEW, NARROW, Categories, code, written
from .values import missing

if TYPE_CHECKING:
    import narwhals as nw

    Frame = nw.DataFrame[Any]


def values_of_columns(
    frames: Iterable[Frame], names: Sequence[str], columns: Sequence[Any], rows: int
) -> Categories | None:
    """The values of the columns of text in the first rows; None where they are too many.

    `columns`: what frames call each of them; None for one of numbers.
    """
    found: list[dict[str, None]] = [{} for _ in columns]
    for frame in frames:
        for column, values in zip(columns, found, strict=True):
            if column is None:
                continue
            for v in frame.get_column(column).head(rows).unique(maintain_order=True).to_list():
                if isinstance(v, bytes):
                    return None
                if not missing(v):
                    values[written(v)] = None
        rows -= frame.shape[0]
        if rows <= 0:
            break
    if any(len(values) > FEW for values in found):
        return None
    if len(columns) + sum(map(len, found)) > NARROW:
        return None
    pairs = zip(names, columns, found, strict=True)
    return Categories(tuple((n, None if c is None else tuple(values)) for n, c, values in pairs))


def columns_of_values(
    codes: NDArray[np.int64], distinct: Sequence[Any], values: tuple[str, ...]
) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    """The code of each row, and for each value a column that is 1 where a row has it.

    `distinct`: what the codes of the frame stand for.
    """
    known = np.array([code(values, None if missing(v) else v) for v in distinct], np.float64)
    own = known[codes]
    return own, [(own == k).astype(np.float64) for k in range(1, len(values) + 1)]
