"""What the learners of prediction sets share: a record of their misses, and what their theorems measure.

E is the number of misses less alpha times the number of rounds, over the rounds whose truth is known. A learner writes
down the largest E and the largest -E that it has met, so that a theorem is checked after every round, not only after
the last one.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from ..core.guarantee import Symbols
from ..core.parameters import Interval

Level = Annotated[float, Interval(0.0, 1.0, "()")]
Late = Annotated[int, Interval(0, 1_000_000, "[]", True)]

NOTED = ("over", "under", "highest", "lowest")


class MissRecord(NamedTuple):
    """How often the truth was missed so far, and the extremes of E and of the scores."""

    rounds: int  # rounds whose truth is known
    misses: int  # those whose truth was missed
    over: float  # the largest E so far, at least 0
    under: float  # the largest -E so far, at least 0
    top: float  # the largest score so far, at least 0
    bottom: float  # the smallest score so far, at most 0


def empty_record() -> MissRecord:
    """The record before the first round."""
    return MissRecord(0, 0, 0.0, 0.0, 0.0, 0.0)


def counted(b: MissRecord, alpha: float, missed: float, score: float) -> MissRecord:
    """The record after one more round, in which the truth was missed or not and had this score."""
    rounds, misses = b.rounds + 1, b.misses + int(missed)
    E = misses - alpha * rounds
    return MissRecord(
        rounds, misses, max(b.over, E), max(b.under, -E), max(b.top, score), min(b.bottom, score)
    )


def excess(b: MissRecord, alpha: float) -> float:
    """E, the misses less alpha times the rounds."""
    return b.misses - alpha * b.rounds


def noted(b: MissRecord, M: Any) -> None:
    """Write down what the theorems measure, in the order of `NOTED`."""
    M[0], M[1], M[2], M[3] = b.over, b.under, b.top, b.bottom


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
