"""A clock that counts work instead of time, so that a search ends at the same point on every machine."""

from __future__ import annotations

SECOND = 1e9  # units of work
CALL = 2e4  # units that a call costs, however small it is


class Clock:
    """Nominal seconds: what the work would take on a core that does 10^9 units of it in one.

    A search that is limited to some seconds ends after the work of so many nominal seconds, on every machine, however
    busy it is: its result depends on the data alone.

    >>> clock = Clock()
    >>> clock.spend(1e9 - 2e4)
    >>> clock.now
    1.0
    """

    def __init__(self) -> None:
        self.now = 0.0

    def spend(self, units: float) -> None:
        self.now += (units + CALL) / SECOND
