"""What the policy of a log could look at: numbers for learners, and the values by name for functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Array
from ..encode.named_rows import columns_of, values_of
from ..streams.open import open_stream
from ..streams.options import ReadOptions
from .log_columns import in_roles, join_batches, matrix, open_log


class Contexts(NamedTuple):
    """T contexts."""

    numbers: Array  # T x d, as learners take them; text became 0 and 1
    names: tuple[str, ...] = ()  # of the d numbers; (): they have none, or are made of text
    values: Mapping[str, Any] = {}  # what was given, a column of T values by its name

    def where(self, rows: Any) -> Contexts:
        """The contexts of some of the rows."""
        values = {name: np.asarray(v)[rows] for name, v in self.values.items()}
        return Contexts(self.numbers[rows], self.names, values)

    def row(self, t: int) -> Any:
        """What a function is given: a dict of the values by name, or the numbers where they have no names."""
        if not self.values:
            return self.numbers[t]
        return {name: plain(v[t]) for name, v in self.values.items()}

    def features(self, t: int, learner_names: Sequence[str] | None) -> Any:
        """What a learner is given: numbers by name, unless it was trained on features without names."""
        if not self.names or learner_names == ():
            return self.numbers[t]
        return dict(zip(self.names, self.numbers[t].tolist(), strict=True))


def plain(v: Any) -> Any:
    return v.item() if isinstance(v, np.generic) else v


def as_table(data: Any) -> Any:
    """A list of dicts, or a dict of columns, as a frame; anything else as it is."""
    rows = isinstance(data, (list, tuple)) and data and all(isinstance(r, Mapping) for r in data)
    if not rows and not isinstance(data, Mapping):
        return data
    import pyarrow as pa

    try:
        if not rows:
            return pa.table(dict(data))
        names = list(dict.fromkeys(name for row in data for name in row))
        return pa.table({str(name): [row.get(name) for row in data] for name in names})
    except (pa.ArrowException, TypeError, ValueError) as problem:
        raise BadInput(f"these rows make no table: {problem}") from None


def given_contexts(contexts: Any, T: int) -> Contexts:
    """T x d numbers, or a frame or a list of dicts, whose text becomes 0 and 1."""
    table = as_table(contexts)
    if columns_of(table) is None:
        return Contexts(matrix(contexts, T))
    rows = len(table[columns_of(table)[0]]) if columns_of(table) else 0  # type: ignore[index]
    if rows != T:
        raise BadInput(f"context: {rows:,} rows for {T:,} rows of the log")
    return read_contexts(table, None, ())


def read_contexts(data: Any, outcome: str | None, wanted: Sequence[str]) -> Contexts:
    """The columns of a frame or a file that are `wanted`, names or globs; all of them where there is no outcome."""
    columns = columns_of(data)
    if outcome is None:
        outcomes, how = np.zeros(len(data[(columns or [""])[0]])), ReadOptions()
    else:
        outcomes, how = None, ReadOptions(outcome=outcome, features=list(wanted))
    with in_roles():
        stream = open_stream(data, outcomes, replace(how, checked=False, examples=True))
        batches = list(stream.batches)
    x = join_batches([b.x for b in batches])
    numbers = matrix(x, len(x))
    if stream.names and not stream.columns:
        return Contexts(numbers, stream.names, dict(zip(stream.names, numbers.T, strict=True)))
    # rows of JSON lines need not have the same columns: those that were wanted by name are known
    named = dict(stream.columns) or {name: True for name in wanted if not set(name) & set("*?[!")}
    return Contexts(
        numbers, (), {name: one_column(data, name, text, outcome) for name, text in named.items()}
    )


def one_column(data: Any, name: str, text: bool, outcome: str | None) -> Any:
    """What a column of a frame or a file holds: text as it is written, or numbers."""
    if columns_of(data) is not None:
        return np.array(values_of(data[name]), dtype=object)
    if not text:
        return open_log(data, experts=[name], losses=True)[0][:, 0]
    return open_log(data, experts=[outcome], losses=True, by=name)[1]
