"""Seasons of forecasts: what the user gives, or what the times of the rounds suggest."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.errors import BadInput
from ...core.stream import Array
from ...streams.tables.regular_times import MONTH, seasons_of, step_of


def parse_seasons(season: Any) -> tuple[float, ...]:
    """The seasons that a user asks for: a number of rounds, or several.

    >>> parse_seasons(24), parse_seasons([24, 168]), parse_seasons(0)
    ((24.0,), (24.0, 168.0), ())
    """
    if season is None or isinstance(season, (str, bytes)):
        raise wrong(season)
    try:
        parts = [float(s) for s in np.atleast_1d(np.asarray(season, dtype=float))]
    except (TypeError, ValueError):
        raise wrong(season) from None
    if parts == [0.0]:
        return ()
    for s in parts:
        if not 2 <= s <= 1e6 or s != int(s):
            raise wrong(season)
    return tuple(sorted(set(parts)))


def wrong(season: Any) -> BadInput:
    return BadInput(
        f"season must be a number of rounds, 2 or more (or several of them; 0 for none), not {season!r}"
    )


def stamps(times: Any, rounds: int) -> Any:
    """Times as datetime64[s]; refused where one is missing or there are too many."""
    try:
        found = np.asarray(times).astype("datetime64[s]")
    except (TypeError, ValueError):
        raise BadInput("times must be dates, one a round") from None
    if found.shape != (rounds,):
        raise BadInput(f"there are {len(np.atleast_1d(found)):,} times and {rounds:,} outcomes")
    if np.isnat(found).any():
        raise BadInput(f"row {int(np.argmax(np.isnat(found))) + 1}: the time is missing")
    return found


class Clock(NamedTuple):
    """Which number a round has in its seasons: by its time, or counted."""

    step: int = 0  # seconds from a round to the next; 0: rounds are counted
    last: float = -1.0  # the number of the last round

    def read(self, times: Any, rounds: int) -> Array:
        """The numbers of the next rounds."""
        if times is None or not self.step:
            return self.last + np.arange(1, rounds + 1, dtype=np.float64)
        if MONTH[0] <= self.step <= MONTH[1]:
            return times.astype("datetime64[M]").astype(np.int64).astype(float)  # type: ignore[no-any-return]
        s = times.astype("datetime64[s]").astype(np.int64)
        return np.floor_divide(s, self.step).astype(float)  # type: ignore[no-any-return]

    def after(self, ticks: Array) -> Clock:
        return self if not len(ticks) else self._replace(last=float(ticks[-1]))


COUNTED = Clock()


def of_times(times: Any) -> tuple[tuple[float, ...], Clock]:
    """The seasons that regular times have (the day and the week, the week, the year), and a clock that reads them.

    >>> hours = np.arange("2024-01-01T00", "2024-01-03T00", dtype="datetime64[h]")
    >>> season, clock = of_times(hours)
    >>> season, clock.read(hours[:2], 2).tolist()
    ((24.0, 168.0), [473352.0, 473353.0])
    """
    step = step_of(times)
    if not step:
        return (), COUNTED
    return tuple(map(float, seasons_of(step))), Clock(step)
