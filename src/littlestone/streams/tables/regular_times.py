"""Times that come at regular steps: how many rows a day, a week or a year has."""

from __future__ import annotations

from typing import Any

import numpy as np

DAY, WEEK, YEAR = 86_400, 7, 52  # seconds, days, weeks
MONTH = (28 * DAY, 31 * DAY)  # how far apart monthly rows are
QUARTER = (89 * DAY, 92 * DAY)
MOST = 10_000  # rows of a season that is found: with more, each of its places is met too seldom
LOOK = 60  # rows: so many are looked at for days without rows
FRIDAY = 4  # the last day of a week of five, which begins with day 0


def step_of(times: Any) -> int:
    """Seconds from a row to the next, in most rows; 0 where times do not go on."""
    steps = np.diff(times.astype("datetime64[s]").astype(np.int64))
    return max(0, int(np.median(steps))) if len(steps) else 0


def seasons_of(step: int) -> tuple[int, ...]:
    """How many rows the day and the week have (of hours), or the week (of days), or the year (of weeks and months).

    >>> (
    ...     seasons_of(3600),
    ...     seasons_of(DAY),
    ...     seasons_of(7 * DAY),
    ...     seasons_of(30 * DAY),
    ...     seasons_of(365 * DAY),
    ... )
    ((24, 168), (7,), (52,), (12,), ())
    """
    found: tuple[int, ...] = ()
    if MONTH[0] <= step <= MONTH[1]:
        found = (12,)
    elif 0 < step < DAY and DAY % step == 0:
        found = (DAY // step, WEEK * DAY // step)
    elif step == DAY:
        found = (WEEK,)
    elif step == WEEK * DAY:
        found = (YEAR,)
    return tuple(rows for rows in found if 2 <= rows <= MOST)


def shortest_season(times: Any) -> tuple[int, str]:
    """The rows of the shortest season of these times, and of what rows they are; 0 where none is known.

    >>> shortest_season(np.arange("2024-01", "2025-01", dtype="datetime64[M]"))
    (12, 'months')
    >>> shortest_season(np.arange("2024-01-01T00", "2024-01-03T00", dtype="datetime64[h]"))
    (24, 'hours')
    >>> shortest_season(np.array(["2024-01-05", "2024-01-08", "2024-01-09"], "datetime64[D]"))
    (0, '')
    """
    step = step_of(times)
    if QUARTER[0] <= step <= QUARTER[1]:
        return 4, "quarters"
    found = seasons_of(step)
    if not found:
        return 0, ""
    days = times.astype("datetime64[D]").astype(np.int64)[:LOOK]
    if step == DAY and len(days) > WEEK and ((days + 3) % WEEK <= FRIDAY).all():
        return FRIDAY + 1, "working days"
    if step < DAY:
        return found[0], {3600: "hours", 60: "minutes"}.get(step, f"{step // 60} minutes apart")
    return found[0], {YEAR: "weeks", WEEK: "days"}.get(found[0], "months")
