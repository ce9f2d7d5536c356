"""Lags: the outcomes of earlier rows as features of this one, in a memory as long as the largest lag.

The outcome of the nearest lag is a feature as it is, and predictions start from it. Of the others the feature is how
far they are from it. On 26 series that was better than lags as they are, and a prediction that starts from 0: see
`python -m benchmarks.lags`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput
from ..core.stream import Array

MOST = 100_000  # rows that a lag may go back: as many outcomes are kept, of each key


@dataclass
class Lags:
    """The lags of a stream, and the outcomes that they still need.

    An outcome that is missing counts as the last one that is known. Where there is no row so far back, the first
    outcome stands for it. Before the first outcome all features are 0, and the row has no weight: nothing is known.

    >>> lags = Lags((1, 3), "sales")
    >>> lags.names
    ('sales 1 before', 'change from 3 to 1 before')
    >>> lags.take(np.array([5.0, 7.0, np.nan, 8.0]))[0].tolist()
    [[0.0, 0.0], [5.0, 0.0], [7.0, 2.0], [7.0, 2.0]]
    >>> lags.next().tolist()
    [8.0, 1.0]
    """

    rows: tuple[int, ...]  # how many rows each goes back, from the nearest
    outcome: str = "outcome"  # what the outcome is called
    place: int = 0  # where the features stand in an example
    recent: Array = field(default_factory=lambda: np.empty(0))  # outcomes, the last one at the end

    @property
    def names(self) -> tuple[str, ...]:
        """What the features are called."""
        near, *others = self.rows
        return (
            f"{self.outcome} {near} before",
            *(f"change from {k} to {near} before" for k in others),
        )

    @property
    def known(self) -> bool:
        """Is there an earlier outcome?"""
        return len(self.recent) >= self.rows[0]

    def afresh(self) -> Self:
        """The same lags, before the first row."""
        return replace(self, recent=np.empty(0))

    def copied(self) -> Self:
        return replace(self, recent=self.recent.copy())

    def take(self, y: Array) -> tuple[Array, NDArray[np.bool_]]:
        """The features of rows with these outcomes, which are remembered; and which rows have an earlier outcome."""
        before = self.join(y)
        at = np.arange(len(before) - len(y), len(before))  # where each row is among them
        unknown = int(np.isnan(before).sum())  # those before the first outcome
        before, at = before[unknown:], at - unknown
        found = np.zeros((len(y), len(self.rows)))
        there = at >= self.rows[0]
        for j, back in enumerate(self.rows):
            found[there, j] = before[np.maximum(at[there] - back, 0)]
        found[:, 1:] = found[:, :1] - found[:, 1:]
        self.recent = before[-self.rows[-1] :].copy()
        return found, there

    def next(self) -> Array:
        """The features of the row that comes next."""
        found: Array = self.copied().take(np.full(1, np.nan))[0][0]
        return found

    def remember(self, y: Array) -> None:
        """Take note of outcomes, in their order."""
        before = self.join(y)
        self.recent = before[~np.isnan(before)][-self.rows[-1] :].copy()

    def join(self, y: Array) -> Array:
        """Outcomes behind those that are remembered; one that is missing is as the one before, NaN where none is."""
        every = np.concatenate([self.recent, y])
        missing = np.isnan(every)
        if not missing.any():
            return every
        last = np.maximum.accumulate(np.where(missing, 0, np.arange(len(every))))
        return every[last]

    def without(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The names of the other features."""
        return (*names[: self.place], *names[self.place + len(self.rows) :])

    def insert(self, x: Array, columns: Array) -> Array:
        """Examples, one or many, with the features in their place."""
        return np.insert(x, [self.place] * len(self.rows), columns, axis=-1)

    def outcomes(self, x: Array) -> Array:
        """The outcomes of the earlier rows, a column for each lag, of examples that have the features."""
        found = x[:, self.place : self.place + len(self.rows)].copy()
        found[:, 1:] = found[:, :1] - found[:, 1:]
        return found

    def to_save(self) -> list[Any]:
        """What a file holds of them."""
        return [list(self.rows), self.outcome, self.place, self.recent.tolist()]

    @classmethod
    def saved(cls, rows: Sequence[int], outcome: str, place: int, recent: Sequence[float]) -> Self:
        """What `to_save` wrote."""
        return cls(tuple(rows), outcome, int(place), np.array(recent, float))


def checked_lags(given: object) -> tuple[int, ...]:
    """Lags as a user gives them, from the nearest: a whole number, several, or text such as "1,2,12".

    >>> checked_lags([12, 1, 2]), checked_lags("1, 12"), checked_lags(3)
    ((1, 2, 12), (1, 12), (3,))
    >>> checked_lags([0, 1])
    Traceback (most recent call last):
        ...
    littlestone.core.errors.BadInput: lags: 0 is none: a lag is a whole number of rows back, from 1 to 100,000
    """
    found = sorted(set(each_lag(given)))
    if not found:
        raise BadInput("lags: there are none; give some, such as 1,2,12, or leave it out")
    return tuple(found)


def each_lag(given: object) -> Iterator[int]:
    """Each lag that a user gave, as a whole number."""
    parts: Any = (
        given.split(",")
        if isinstance(given, str)
        else np.atleast_1d(np.asarray(given, object)).tolist()
    )
    for part in parts:
        try:
            lag = float(part)
        except (TypeError, ValueError):
            lag = np.nan
        if isinstance(part, bool) or not (1 <= lag <= MOST and lag == int(lag)):
            shown = part.strip() if isinstance(part, str) else part
            raise BadInput(
                f"lags: {shown!r:.40} is none: a lag is a whole number of rows back, from 1 to {MOST:,}"
            )
        yield int(lag)


def list_lags(rows: tuple[int, ...]) -> str:
    """
    >>> list_lags((1, 2, 12)), list_lags((4,))
    ('1, 2 and 12 rows before', '4 rows before')
    """
    words = [str(k) for k in rows]
    said = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
    return f"{said} row{'s' * (rows != (1,))} before"
