"""What readers of tables share: the request for a table, its columns, and the columns chosen."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...encode.categories import Categories
from ...encode.hashing import PLACES
from .coding import Coding
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


class Trained(NamedTuple):
    """What was trained on the columns that are named: they are read by these names alone, as they were then."""

    learner: str
    text: tuple[str, ...] = ()  # features that were text; the others were numbers


class TableRequest(NamedTuple):
    """How the caller wants a table to be read."""

    outcome: str | None = None
    experts: tuple[str, ...] | None = None  # None: all the others
    by: str | None = None
    losses: bool = False  # the allocation game: the chosen columns are losses, nothing is predicted
    coding: Coding | None = None  # outcomes are classes, and so may be the advice
    apart: bool = False  # the outcomes do not come from this table
    examples: bool = False  # the columns are features of examples, text among them
    weights: str | None = None  # the column of importance weights
    bits: int = PLACES  # text is hashed to 2^bits features
    interactions: tuple[str, ...] = ()
    on_bad_line: str = "error"
    format: str | None = None  # of a file; None: seen from its name or content
    encoding: str | None = None  # of a text file; None: UTF-8
    decimal: str | None = None  # the mark before the fraction; None: seen from the numbers
    optional: bool = False  # a table without the outcome is read as well: to be predicted
    words: tuple[str, ...] | None = (
        None  # columns of text that are read as words; None: those that look like it
    )
    ngram: int = 1  # runs of so many words are features too
    fold: bool = False  # `bits` was given: indices of libsvm are hashed to 2^bits places, too

    vocabulary: Any = None  # numbers of the places that the only feature names: vertices of a graph

    times: bool = False  # are dates read that stand beside the numbers?

    # Text of few values is read as numbers, as it was in training, or (without columns) as the first rows have it;
    # None: all text is hashed
    categories: Categories | None = None

    trained: Trained | None = None  # on the columns named in `experts`

    @property
    def role(self) -> str:
        return "features" if self.examples else "experts"


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
