"""A stream of rounds: what `play` reads, wherever it came from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.stream import Batch
from .categories import NO_TEXT, Categories
from .lags import Lags


@dataclass
class Stream:
    """Batches, and what is known about them. `batches` may be a one-shot iterator or a list."""

    batches: Iterable[Batch]
    names: tuple[str, ...]  # of the experts (or features), in column order
    outcome: str = "outcome"  # the name of what is predicted
    rounds: int | None = None  # how many there will be, where that is known before reading
    whole: bool = False  # all rounds are in memory, in a list of one batch
    source: str = "arrays"
    notes: tuple[str, ...] = ()  # what was left out, and why; a reader adds to it as it reads
    # when outcomes are classes: code -> the user's label; a list grows while batches are read
    labels: Sequence[object] | None = None
    found: bool = (
        False  # the labels were found in the data: a class exists from its first occurrence
    )
    features: bool = False  # the columns are features of examples, not experts
    again: Callable[[], Iterable[Batch]] | None = (
        None  # reads them once more, where that can be done
    )
    bits: int | None = None  # names of features were hashed to 2^bits places; None: they were not
    # where names of columns were hashed: each column, and whether it holds text; what was crossed
    columns: tuple[tuple[str, bool], ...] = ()
    interactions: tuple[str, ...] = ()
    records: bool = False  # rows are records, whose fields come and go
    places: dict[Any, int] | None = None  # of indices with large gaps; None: an index is its place
    words: tuple[str, ...] = ()  # columns of text that were read as words
    ngram: int = 1  # and runs of so many words
    categories: Categories = NO_TEXT  # columns of text of few values, which are read as numbers
    why: str = ""  # outcomes were taken for classes, or for numbers: the reason
    index: Any = (
        None  # what the user's table calls its rows, one entry a round, where all are in memory
    )
    times: Any = None  # when each round was (datetime64[s]), where that is known
    first_times: Any = None  # the same of the first rounds of a long file
    world: Any = None  # what drew the losses, where that is known: `environments.arms.Arms`
    changes: tuple[str, ...] = ()  # experts that are gone, or new, since the learner was trained
    lags: Lags | None = None  # outcomes of earlier rounds that are features
    bare: bool = (
        False  # it is a table with nothing to learn from but the outcomes of earlier rounds
    )
    missing: str = ""  # what stands for numbers that are missing in a table: "mean", "zero", "refuse"; "": no table
