"""Columns of text in frames: what their values are, and the numbers that rows have in their place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .categories import Categories, Column, fit_columns
from .text_codes import write_as_text
from .values import missing

if TYPE_CHECKING:
    import narwhals as nw

    Frame = nw.DataFrame[Any]

ENOUGH = 1 << 10  # values of a column: how many more there are makes no difference


def find_categories(
    frames: Iterable[Frame], names: Sequence[str], columns: Sequence[Any]
) -> Categories | None:
    """The values of the columns of text in these frames; None where they would make too many features.

    `columns`: what frames call each of them; None for one of numbers.
    """
    found: list[dict[str, None] | None] = [None if c is None else {} for c in columns]
    for frame in frames:
        for column, values in zip(columns, found, strict=True):
            if values is None or len(values) > ENOUGH:
                continue
            for v in frame.get_column(column).unique(maintain_order=True).to_list():
                if isinstance(v, bytes):
                    return None
                if not missing(v):
                    values[write_as_text(v)] = None
    return fit_columns(list(names), found)


def encode_column(
    codes: NDArray[np.int64], distinct: Sequence[Any], column: Column
) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    """The code of each row, and for each feature of the column whether a row has it.

    `distinct`: what the codes of the frame stand for.
    """
    located = [column.locate(v) for v in distinct]
    code = np.array([one.code for one in located], np.float64)[codes]
    place = np.array([one.place for one in located], np.int64)[codes]
    return code, [(place == k).astype(np.float64) for k in range(len(column.features))]
