"""An iterator of examples, in batches or one by one -> a Stream that holds one batch at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from littlestone.core.csr import is_sparse
from littlestone.core.errors import BadInput
from littlestone.core.stream import Batch
from littlestone.core.vectors import Rows
from littlestone.encode.nested_fields import flat_records
from littlestone.encode.stream import Stream

from ..options import ReadOptions
from .arrays import raw
from .coded_outcomes import UncodedRounds
from .examples import raw_batch
from .record_fields import choose_fields, dates_among, fields_of
from .records import RecordReader

EXPECTED = (
    "(examples, outcomes) with an array, a sparse matrix, a dict or a list of dicts, "
    "a dict with its outcome in it, a frame or a Batch"
)


def example_pieces(item: object, others: Iterator[object], request: ReadOptions) -> Stream:
    """The first item decides of what form the others are.

    >>> events = iter([({"colour": "red"}, "yes"), ({"colour": "blue", "size": 3}, "no")])
    >>> growing = ReadOptions(labels="grow", examples=True)
    >>> stream = example_pieces(next(events), events, growing)
    >>> [batch.y for batch in stream.batches], stream.labels
    ([array([0.]), array([1.])], ['yes', 'no'])
    """
    made = _Records(item, request) if _of_records(item) else _Arrays(item, request)

    def batches() -> Iterator[Batch]:
        row = 0
        for one in chain([item], others):
            batch = made.batch(one, row)
            yield batch
            row = batch.first + len(batch.y)

    stream = Stream(
        [], made.names, made.outcome, source="batches", notes=made.notes_on_fields, features=True
    )
    if isinstance(made, _Records):
        stream.bits, stream.records = request.places, True
        stream.interactions = tuple(request.products)
        stream.words, stream.ngram = made.reader.words, request.ngram
    uncoded = UncodedRounds(stream, batches(), limit=-1, notes=lambda: made.notes)
    return uncoded.make_stream(made.request.coding)


def _of_records(item: Any) -> bool:
    x = item[0] if isinstance(item, tuple) and item else item
    return isinstance(x, Mapping) or (
        isinstance(x, list | tuple) and len(x) > 0 and isinstance(x[0], Mapping)
    )


class _Records:
    """Dicts: alone, with the outcome among their fields, or with their outcomes beside them."""

    names: tuple[str, ...] = ()

    def __init__(self, item: Any, request: ReadOptions) -> None:
        records, outcomes, _ = self._parts(item, 0)
        self.apart = outcomes is not None
        if self.apart and request.outcome is not None:
            raise BadInput("outcome: the outcomes were given apart; leave outcome= out")
        fields = fields_of(records) or fields_of([{"no feature": 0.0}])
        self.request, self.notes_on_fields = choose_fields(
            fields, replace(request, apart=self.apart, bare=False)
        )
        self.reader = RecordReader(self.request, unused=dates_among(fields, self.request))
        if request.words is None:
            self.reader.look_for_words(records)
        self.outcome = self.reader.outcome

    @property
    def notes(self) -> tuple[str, ...]:
        return self.reader.notes

    def batch(self, item: Any, row: int) -> Batch:
        records, outcomes, by = self._parts(item, row)
        if (outcomes is not None) != self.apart:
            raise BadInput(f"from row {row + 1} on: the batches are not of one form")
        if outcomes is not None and len(outcomes) != len(records):
            raise BadInput(
                f"from row {row + 1} on: {len(outcomes)} outcomes for {len(records)} examples"
            )
        return self.reader.batch(records, row, outcomes=outcomes, by=by)

    def _parts(self, item: Any, row: int) -> tuple[list[Any], Any, Any]:
        x, y, by = (*item, None)[:3] if isinstance(item, tuple) else (item, None, None)
        if not _of_records(item) or (isinstance(item, tuple) and len(item) not in (2, 3)):
            raise BadInput(f"from row {row + 1} on: an item is {EXPECTED}")
        if isinstance(x, Mapping):
            x, y, by = [x], None if not isinstance(item, tuple) else [y], by and [by]
        outcomes = None
        if y is not None:
            outcomes = np.empty(len(y), dtype=object)
            outcomes[:] = list(y)
        x = flat_records(x, row)
        return x, outcomes, None if by is None else np.array(by, dtype=object)


class _Arrays:
    """Matrices, dense or sparse, and single rows."""

    notes_on_fields: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __init__(self, item: Any, request: ReadOptions) -> None:
        if (
            request.outcome is not None
            or request.by_column is not None
            or request.weights_column is not None
        ):
            raise BadInput("outcome, by, weights: arrays have no columns; pass tuples, or Batches")
        self.request, self.outcome = request, "outcome"
        first, self.names = self._read(item, 0)
        self.form = (isinstance(first.x, Rows), first.key is None)

    def batch(self, item: Any, row: int) -> Batch:
        batch, names = self._read(item, row)
        if (isinstance(batch.x, Rows), batch.key is None) != self.form:
            raise BadInput(f"from row {row + 1} on: the batches are not of one form")
        if len(names) != len(self.names):
            there = f"there were {len(self.names)} before"
            raise BadInput(f"from row {row + 1} on: {len(names)} features; {there}")
        return batch

    def _read(self, item: Any, row: int) -> tuple[Batch, tuple[str, ...]]:
        x: Any
        y: Any
        by: Any = None
        weights = None
        if isinstance(item, Batch):
            x, y, row, by, weights = item.x, item.y, item.first or row, item.key, item.h
            if isinstance(x, Rows):
                from scipy.sparse import csr_array

                width = max(item.width, int(np.max(x.index, initial=-1)) + 1)
                x = csr_array((x.value, x.index, x.indptr), shape=(len(y), width))
        elif isinstance(item, tuple) and len(item) in (2, 3):
            x, y, by = (*item, None)[:3]
        else:
            what = f"a tuple of {len(item)}" if isinstance(item, tuple) else type(item).__name__
            raise BadInput(f"from row {row + 1} on: an item is {EXPECTED}, not {what}")
        if not is_sparse(x):
            x = raw(x, "examples")
            if x.ndim == 1 and np.ndim(y) == 0:  # one round
                x, y, by = x[np.newaxis], [y], None if by is None else [by]
        return raw_batch(x, y, self.request, by=by, weights=weights, first=row)
