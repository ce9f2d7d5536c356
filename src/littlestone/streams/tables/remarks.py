"""What is odd about a table and no error: a feature that is the outcome, time that does not go on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.core.stream import Array

LEAST = 20  # rows: fewer may agree by chance
SAME = 1e-12  # how far a correlation may be from 1
LEAST_MARK = 99  # a number of nines only, from here on, may mark what is missing
FAR = 3.0  # and is so many times as far from the other values as they are from each other


def notes_on_copies(
    outcome: str, y: NDArray[Any], columns: Mapping[str, NDArray[Any]], role: str
) -> tuple[str, ...]:
    """A line for each column that is a copy of the outcome in these first rows; `role`: features, or experts.

    >>> y = np.arange(30.0) % 7
    >>> print(notes_on_copies("y", y, {"z": 100.0 * y, "a": y * y}, "features")[0])
    'z' is the outcome 'y' on another scale in the first 30 rows: who has it need not predict; \
leave it out with features=['!z']
    """
    found = []
    for name, column in columns.items():
        what = describe_copy(y, column)
        if what:
            found.append(
                f"{name!r} is {what.format(f'the outcome {outcome!r}')} in the first {len(y):,} rows: who has it need "
                f"not predict; leave it out with {role}=['!{name}']"
            )
    return tuple(found)


def notes_on_marks(columns: Mapping[str, NDArray[Any]], role: str) -> tuple[str, ...]:
    """A line for each column where a number such as -999, far from all others, seems to say that a value is missing.

    >>> print(notes_on_marks({"a": np.array([1.0, 2.5, -999.0, 2.0, -999.0])}, "features")[0][:61])
    'a' has -999 in 2 of the first 5 rows, far from its other val
    """
    found = []
    for name, column in columns.items():
        if column.dtype.kind not in "fi" or not len(column):
            continue
        for mark in (np.nanmin(column), np.nanmax(column)) if np.isfinite(column).any() else ():
            times = int((column == mark).sum())
            if set(f"{abs(mark):g}") != {"9"} or abs(mark) < LEAST_MARK or times < 2:
                continue
            others = column[np.isfinite(column) & (column != mark)]
            if len(others) and np.abs(others - mark).min() > FAR * np.ptp(others):
                found.append(
                    f"{name!r} has {mark:g} in {times:,} of the first {len(column):,} rows, far from its other values: "
                    f"if it marks what is missing, leave these fields empty, or the column out with {role}=['!{name}']"
                )
    return tuple(found)


def describe_copy(y: NDArray[Any], column: NDArray[Any]) -> str:
    """How a column repeats the outcome, in words with a place for its name; "" if it does not."""
    if len(y) < LEAST:
        return ""
    a, b = numbers(y), numbers(column)
    if a is None or b is None:
        if len(set(map(str, y.tolist()))) < 2:
            return ""
        return "a copy of {}" if all(map(str.__eq__, map(str, y), map(str, column))) else ""
    known = np.isfinite(a) & np.isfinite(b)
    a, b = a[known], b[known]
    if len(a) < LEAST or np.ptp(a) == 0.0 or np.ptp(b) == 0.0:
        return ""
    if np.array_equal(a, b):
        return "a copy of {}"
    with np.errstate(all="ignore"):
        a, b = a / np.abs(a).max(), b / np.abs(b).max()
        correlation = abs(float(np.corrcoef(a, b)[0, 1]))
    few = len(np.unique(a)) < 3  # of two values each is the other's scale
    return "{} on another scale" if not few and correlation > 1.0 - SAME else ""


def numbers(values: NDArray[Any]) -> Array | None:
    """The values as numbers, what is missing as NaN; None where one is no number."""
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    try:
        return np.array([np.nan if v is None else v for v in values.tolist()], dtype=np.float64)
    except (TypeError, ValueError):
        return None


def notes_on_times(times: Any, key: Any = None) -> tuple[str, ...]:
    """A line where time goes backwards, and one where a time stamp comes twice; with keys, within a key.

    >>> when = np.array(["2020-01-02", "2020-01-03", "2020-01-01", "2020-01-01"], "datetime64[s]")
    >>> for note in notes_on_times(when):
    ...     print(note[:64])
    time goes backwards: row 3 (2020-01-01T00:00:00) is before row 2
    row 4 has the time stamp of the row before (2020-01-01T00:00:00)
    """
    if times is None or len(times) < 2:
        return ()
    order = np.arange(len(times))
    same_key = np.ones(len(times) - 1, dtype=bool)
    if key is not None:
        code = {k: i for i, k in enumerate(dict.fromkeys(key.tolist()))}
        codes = np.fromiter(map(code.__getitem__, key.tolist()), np.int64, len(key))
        order = np.argsort(codes, kind="stable")
        same_key = np.diff(codes[order]) == 0
    steps = np.diff(times[order].astype(np.int64))
    found, within = [], "" if key is None else " of its key"
    back, twice = (np.flatnonzero(odd & same_key) for odd in (steps < 0, steps == 0))
    if len(back):
        i, j = order[back[0]], order[back[0] + 1]
        more = f", and so do {len(back) - 1:,} more" if len(back) > 1 else ""
        found.append(
            f"time goes backwards: row {j + 1} ({times[j]}) is before row {i + 1} ({times[i]}){more}; rows are played "
            "in their order"
        )
    if len(twice):
        j = order[twice[0] + 1]
        more = f", and so have {len(twice) - 1:,} more" if len(twice) > 1 else ""
        found.append(f"row {j + 1} has the time stamp of the row before{within} ({times[j]}){more}")
    return tuple(found)
