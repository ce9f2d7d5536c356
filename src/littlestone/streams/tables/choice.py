"""What readers of tables share: the columns of a table, and those that are chosen."""

from __future__ import annotations

from typing import NamedTuple

from .written_numbers import Style


class Column(NamedTuple):
    """A column of a table, as far as choosing needs to know it."""

    name: str
    kind: str  # number, boolean, text, empty, index, date, timestamp, ...
    remark: str = ""  # why it is not what it seems: "row 17 is 'abc'"
    slip: bool = False  # nearly all of this text is numbers
    written: Style | None = None  # how its numbers are written, where they are text
    where: str = ""  # the line of a file in which that shows: "line 18: '1,abc'"
    doubt: str = ""  # why its name may be no name: the header may be missing

    def __str__(self) -> str:
        return f"{self.name!r} ({self.kind}{': ' if self.remark else ''}{self.remark})"


class Choice(NamedTuple):
    """Positions of the columns to read."""

    experts: tuple[int, ...]  # or the features of examples
    outcome: int | None
    by: int | None
    classes: tuple[int, ...] = ()  # those of them that hold classes
    notes: tuple[str, ...] = ()
    weights: int | None = None
    text: tuple[int, ...] = ()  # features that are text
    time: int | None = None  # when each row was
    mended: tuple[int, ...] = ()  # columns of numbers with slips, whose lines are skipped
    written: tuple[tuple[int, Style], ...] = ()  # columns of text that are read as numbers

    @property
    def all(self) -> list[int]:
        found = (*self.experts, self.outcome, self.by, self.weights, self.time)
        return [i for i in found if i is not None]
