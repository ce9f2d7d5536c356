"""Dates that are written as in 31.12.2024, 12/31/2024 or 31-12-24, with or without a time of day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

WRITTEN = re.compile(
    r"\s*(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d\d)(?:[ T]+\d{1,2}:\d\d(?::\d\d)?)?\s*"
)
MONTHS, DAYS = 12, 31


def are_dates(texts: Sequence[object]) -> bool:
    """Is every text a date, all of them with one mark, and with day and month in one order?

    >>> are_dates(["31.12.2024", "1.1.2025"]), are_dates(["12/31/2024", "1/1/2025 10:30"])
    (True, True)
    >>> are_dates(["3.11.12"]), are_dates(["31/12/2024", "12/31/2024"]), are_dates([])
    (False, False, False)
    """
    return bool(orders_of(texts))


def orders_of(texts: Sequence[object]) -> list[str]:
    """The orders in which these texts are dates: "day first", "month first", both, or none."""
    marks, largest = set(), [0, 0]
    for text in texts:
        found = WRITTEN.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            return []
        first, second = int(found[1]), int(found[3])
        version = len(found[4]) == 2 and len(found[1] + found[3]) < 4  # 3.11.12 is none
        if version or not (first and second):
            return []
        marks.add(found[2])
        largest = [max(largest[0], first), max(largest[1], second)]
    if len(marks) != 1:
        return []
    fits = {"day first": largest, "month first": largest[::-1]}
    return [order for order, (day, month) in fits.items() if day <= DAYS and month <= MONTHS]


def read_dates(texts: Sequence[Any]) -> list[str] | None:
    """The same dates as ISO 8601 writes them; None where they are none, or day and month cannot be told apart.

    >>> read_dates(["31.12.2024 9:05", "1.1.2025"])
    ['2024-12-31 09:05:00', '2025-01-01 00:00:00']
    >>> read_dates(["01/02/2024"]) is None
    True
    """
    orders = orders_of(texts)
    if len(orders) == 2 and "." in texts[0]:  # with points the day comes first
        orders = orders[:1]
    if len(orders) != 1:
        return None
    return [to_iso(text, orders[0] == "day first") for text in texts]


def to_iso(text: str, day_first: bool) -> str:
    """One date; a year of two digits is one of 2000 to 2068, or of 1969 to 1999, as in POSIX."""
    numbers = [int(part) for part in re.findall(r"\d+", text)]
    day, month = numbers[:2] if day_first else numbers[1::-1]
    year = numbers[2]
    if year < 100:
        year += 2000 if year < 69 else 1900
    hour, minute, second = [*numbers[3:], 0, 0, 0][:3]
    return f"{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"
