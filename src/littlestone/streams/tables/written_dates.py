"""Dates that are written as in 31.12.2024, 12/31/2024 or 31-12-24, with or without a time of day; months and quarters.

ISO 8601, 2024-12-31, is text in frames too. A month is 2024-12, 2024 Dec or 2024M12, a quarter 2024Q4; it is its first
day.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

WRITTEN = re.compile(
    r"\s*(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d\d)(?:[ T]+\d{1,2}:\d\d(?::\d\d)?)?\s*"
)
MONTHS, DAYS = 12, 31
ISO = re.compile(  # and the same with slashes or points
    r"\d{4}([-/.])\d\d\1\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)
NAMES = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
PERIOD = re.compile(
    r"((?:1[5-9]|20)\d\d)(?:[-/. Mm](0[1-9]|1[0-2])|[-/. ]?(?:Q([1-4])|("
    + "|".join(NAMES)
    + r")))",
    re.ASCII | re.IGNORECASE,
)


def are_dates(texts: Sequence[object]) -> bool:
    """Is every text a date, all of them with one mark, and with day and month in one order? Or a month, or a quarter?

    >>> (
    ...     are_dates(["1949-01", "1949-02"]),
    ...     are_dates(["1991 Jul"]),
    ...     are_dates(["1970Q1"]),
    ...     are_dates(["1949-13"]),
    ... )
    (True, True, True, False)
    >>> are_dates(["31.12.2024", "1.1.2025"]), are_dates(["12/31/2024", "1/1/2025 10:30"])
    (True, True)
    >>> are_dates(["3.11.12"]), are_dates(["31/12/2024", "12/31/2024"]), are_dates([])
    (False, False, False)
    """
    return bool(orders_of(texts)) or are_iso(texts) or are_periods(texts)


def are_iso(texts: Sequence[object]) -> bool:
    """Is every text a date, the year first, as ISO 8601 writes it or with slashes or points?"""
    return len(texts) > 0 and all(isinstance(t, str) and ISO.fullmatch(t) for t in texts)


def are_periods(texts: Sequence[object]) -> bool:
    """Is every text a month, or a quarter?"""
    return len(texts) > 0 and all(isinstance(t, str) and PERIOD.fullmatch(t) for t in texts)


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
    >>> (
    ...     read_dates(["1991 Jul", "1991 Aug"]),
    ...     read_dates(["1970Q4"]),
    ...     read_dates(["2010/01/31 10:30"]),
    ... )
    (['1991-07-01', '1991-08-01'], ['1970-10-01'], ['2010-01-31 10:30'])
    >>> read_dates(["01/02/2024"]) is None
    True
    """
    if are_periods(texts):
        return [first_day(text) for text in texts]
    if are_iso(texts):  # with an offset: as clocks there showed it
        return [re.sub("[/.]", "-", text[:10]) + text[10:19] for text in texts]
    orders = orders_of(texts)
    if len(orders) == 2 and "." in texts[0]:  # with points the day comes first
        orders = orders[:1]
    if len(orders) != 1:
        return None
    return [to_iso(text, orders[0] == "day first") for text in texts]


def first_day(period: str) -> str:
    """The first day of a month, or of a quarter."""
    found = PERIOD.fullmatch(period)
    assert found is not None
    year, month, quarter, name = found.groups()
    number = (
        3 * int(quarter) - 2 if quarter else NAMES.index(name.lower()) + 1 if name else int(month)
    )
    return f"{year}-{number:02}-01"


def to_iso(text: str, day_first: bool) -> str:
    """One date; a year of two digits is one of 2000 to 2068, or of 1969 to 1999, as in POSIX."""
    numbers = [int(part) for part in re.findall(r"\d+", text)]
    day, month = numbers[:2] if day_first else numbers[1::-1]
    year = numbers[2]
    if year < 100:
        year += 2000 if year < 69 else 1900
    hour, minute, second = [*numbers[3:], 0, 0, 0][:3]
    return f"{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"
