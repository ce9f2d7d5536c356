"""The outcome of a round, and its importance."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol


class Outcome(NamedTuple):
    """The answer of a round and its importance; for many rounds, arrays of them.

    y is -1.0 or +1.0 with two classes, the class 0.0, 1.0, … with several, a number in regression; NaN where there
    is no answer. h is the importance of the round: twice the importance is twice the loss.
    """

    y: Any
    h: Any


class OneOutcome(Protocol):
    """The `Outcome` of one round, as a game gets it."""

    @property
    def y(self) -> float: ...
    @property
    def h(self) -> float: ...
