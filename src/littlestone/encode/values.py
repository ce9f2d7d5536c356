"""Single values as users write them: what is missing, and when two of them are the same."""

from __future__ import annotations

import numbers
import sys
from collections.abc import Sequence
from typing import Any, cast

import numpy as np


def missing(value: object) -> bool:
    """None, NaN, pandas' NA and NaT.

    >>> [missing(v) for v in (None, float("nan"), 0, "", "NaN")]
    [True, True, False, False, False]
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return (isinstance(value, float | np.floating) or is_decimal(value)) and bool(value != value)


def is_number(value: object) -> bool:
    """A real number of Python, of NumPy or of `decimal`."""
    return isinstance(value, numbers.Real) or is_decimal(value)


def is_decimal(value: object) -> bool:
    """Is it a decimal.Decimal? While that module is not imported (1 ms) there is none."""
    return "decimal" in sys.modules and isinstance(value, sys.modules["decimal"].Decimal)


def as_label(label: object) -> object:
    """Make a Python value of a label, whole numbers as int: 1, 1.0 and np.int8(1) are one label. None: no label."""
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, bool | str | int):
        return label
    if is_number(label):
        number = float(cast(Any, label))
        return int(number) if number.is_integer() else number
    return None


def list_some(labels: Sequence[object], most: int = 12) -> str:
    """
    >>> list_some(["cat", "dog"])
    "'cat', 'dog'"
    """
    shown = ", ".join(repr(label) for label in labels[:most])
    return shown if len(labels) <= most else f"{shown} and {len(labels) - most} more"


def name_cell(row: int, column: str) -> str:
    """Where something is, for a person: rows are counted from 1.

    >>> name_cell(16, "DNN 1")
    "row 17, column 'DNN 1'"
    """
    return f"row {row + 1:d}, column {column!r}"
