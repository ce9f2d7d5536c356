"""Examples whose only feature is a place that has a name (a vertex of a graph): names become numbers here.

In lists and arrays text is a name, and a number is the number of a place. In rows of a table (a dict, a frame, a file)
every entry is a name, 7 as well as "ann": there the column holds what the user calls the places.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def one_number(vocabulary: Any, x: Any, table: bool = False) -> Any:
    """An example whose name of a place became its number; an x without a name as it is."""
    if vocabulary is None:
        return x
    if isinstance(x, str):
        return [float(vocabulary.number(x))]
    if isinstance(x, (list, tuple, np.ndarray)) and len(x) == 1:
        (name,) = x
        if table or isinstance(name, str):
            return [float(vocabulary.number(name))]
    return x


def every_number(vocabulary: Any, rows: Any, table: bool = False) -> Any:
    """Many examples, a row each, whose names of places became numbers; rows without names as they are."""
    if vocabulary is None or not isinstance(rows, (list, tuple, np.ndarray)) or not len(rows):
        return rows
    names = [row[0] if is_row(row) else row for row in rows]
    if not table and not any(isinstance(name, str) for name in names):
        return rows
    if not all(not is_row(row) or len(row) == 1 for row in rows):
        return rows
    if not table:  # a number among names is the number of a place
        return np.array(
            [
                [float(vocabulary.numbers([name], r)[0] if isinstance(name, str) else name)]
                for r, name in enumerate(names)
            ]
        )
    return vocabulary.numbers(names)[:, None].astype(np.float64)


def is_row(row: Any) -> bool:
    return isinstance(row, (Sequence, np.ndarray)) and not isinstance(row, str)
