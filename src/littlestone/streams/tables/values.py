"""Single values as users write them: what is missing, and when two of them are the same."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from decimal import Decimal

import numpy as np


def missing(value: object) -> bool:
    """None, NaN, pandas' NA and NaT.

    >>> [missing(v) for v in (None, float("nan"), 0, "", "NaN")]
    [True, True, False, False, False]
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating | Decimal) and bool(value != value)


def as_label(label: object) -> object:
    """Make a Python value of a label, whole numbers as int: 1, 1.0 and np.int8(1) are one label. None: no label."""
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, bool | str | int):
        return label
    if isinstance(label, numbers.Real | Decimal):
        number = float(label)
        return int(number) if number.is_integer() else number
    return None


def listed(labels: Sequence[object], most: int = 12) -> str:
    """
    >>> listed(["cat", "dog"])
    "'cat', 'dog'"
    """
    shown = ", ".join(repr(label) for label in labels[:most])
    return shown if len(labels) <= most else f"{shown} and {len(labels) - most} more"
