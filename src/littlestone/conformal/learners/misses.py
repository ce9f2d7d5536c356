"""What the learners of prediction sets share: a record of their misses, and what their theorems measure.

E is the number of misses less alpha times the number of rounds, over the rounds whose truth is known. A theorem that
holds after every round has another bound after each. So a learner keeps the round after which E, and the one after
which -E, was farthest beyond the bound of that round, or came closest to it, and the symbols as they were then:
`over.T` is T where `over` was worst (`core.guarantee.at_worst`). This takes the same time in every round.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from ...core.guarantee import Symbols
from ...core.parameters import Interval
from ...core.stream import Array

Level = Annotated[float, Interval(0.0, 1.0, "()")]
Late = Annotated[int, Interval(0, 1_000_000, "[]", True)]

NOTED = ("over", "under", "highest", "lowest")
OVER, UNDER = 0, 1  # rows of `worst`: where E was worst, and where -E was
FAR, E_THEN, THEN, COLUMNS = (
    0,
    1,
    2,
    7,
)  # its columns: how far beyond, E or -E, T, more symbols of then


def noted_then(*names: str) -> tuple[str, ...]:
    """What a learner notes of the worst rounds, beside T: these symbols as they were then, each side in turn."""
    return tuple(f"{side}.{name}" for side in ("over", "under") for name in ("T", *names))


EVERY_ROUND = (*NOTED, *noted_then("highest", "lowest"))  # for theorems that hold after every round


class MissRecord(NamedTuple):
    """How often the truth was missed so far, the extremes of E and of the scores, and the worst rounds."""

    rounds: int  # rounds whose truth is known
    misses: int  # those whose truth was missed
    over: float  # the largest E so far, at least 0
    under: float  # the largest -E so far, at least 0
    top: float  # the largest score so far, at least 0
    bottom: float  # the smallest score so far, at most 0
    worst: Array  # the worst rounds, a row for each side


def no_worst() -> Array:
    """Before the first round there is no worst one."""
    made = np.zeros((2, COLUMNS))
    made[:, FAR] = -math.inf
    return made


def empty_record() -> MissRecord:
    """The record before the first round."""
    return MissRecord(0, 0, 0.0, 0.0, 0.0, 0.0, no_worst())


def count_miss(b: MissRecord, alpha: float, missed: float, score: float) -> MissRecord:
    """The record after one more round, in which the truth was missed or not and had this score."""
    rounds, misses = b.rounds + 1, b.misses + int(missed)
    E = misses - alpha * rounds
    return MissRecord(
        rounds, misses, max(b.over, E), max(b.under, -E), max(b.top, score), min(b.bottom, score), b.worst
    )  # fmt: skip


def excess(b: MissRecord, alpha: float) -> float:
    """E, the misses less alpha times the rounds."""
    return b.misses - alpha * b.rounds


def is_worse(worst: Array, side: int, far: float, E: float, T: int) -> bool:
    """Is round T the worst of this side so far? Then it is kept; the other symbols are for the caller to write.

    `far` orders the rounds: it is larger the farther E (or -E) is beyond the bound of its round, whatever the delay.
    """
    if not far > worst[side, FAR]:
        return False
    worst[side, FAR] = far
    worst[side, E_THEN] = E
    worst[side, THEN] = T
    return True


def track_worst_round(b: MissRecord, alpha: float, over: float, under: float) -> MissRecord:
    """The record, after it was looked whether this round was the worst: `over` and `under` say how far it went."""
    E = excess(b, alpha)
    for side in range(2):
        far, off = (over, E) if side == OVER else (under, -E)
        if is_worse(b.worst, side, far, off, b.rounds):
            b.worst[side, THEN + 1] = b.top
            b.worst[side, THEN + 2] = b.bottom
    return b


def noted_every_round(b: MissRecord, M: Any) -> None:
    """Write down what the theorems measure, in the order of `EVERY_ROUND`."""
    M[2], M[3] = b.top, b.bottom
    note_worst(b.worst, M, 4, 3)


def note_worst(worst: Array, M: Any, first: int, k: int) -> None:
    """Write E of the worst rounds into M, and from `first` on k symbols of each, in the order of `noted_then`."""
    for side in range(2):
        M[side] = worst[side, E_THEN]
        for i in range(k):
            M[first + side * k + i] = worst[side, THEN + i]


def both(d: Any, q: float) -> Any:
    """One threshold for both sides."""
    d[0] = q
    d[1] = q
    return d


def waited(s: Symbols) -> float:
    """How many rounds were waited for at most when another was decided: d of the theorems, 0 without delay."""
    return float(vars(s).get("crowd", 0))


def width(s: Symbols, first: float = 0.0) -> float:
    """B of the theorems: scores, and the first threshold, lie in an interval of this width, which holds 0."""
    return float(max(s.highest, first) - min(s.lowest, first))
