"""Records, dicts whose fields come and go, -> sparse examples, every feature hashed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.core.csr import summed
from littlestone.core.errors import BadInput
from littlestone.core.stream import Array, Batch
from littlestone.core.vectors import Rows
from littlestone.encode.words import are_words, features, note

from ...encode.hashing import crossed, hashes
from ...encode.interactions import pairs
from ...encode.values import missing
from ..options import ReadOptions
from .arrays import floats, keys
from .check import check, check_weights
from .record_fields import Record, is_nested, is_value, number_of, object_of, wants

LOOK = 4096  # records that decide whether text is sentences
PLAN = 4096  # sets of fields whose interactions are remembered


class RecordReader:
    """Turns records into examples: a field with a number is a feature that its name is hashed to,
    text is the feature "field=text", of value 1. What is null is absent, and is counted.

    `unused`: fields that are left out. `nested`: so is a list or an object, and it is noted; else it is refused.
    """

    def __init__(
        self,
        request: ReadOptions,
        named: str = "outcome",
        *,
        unused: Sequence[str] = (),
        nested: bool = False,
    ) -> None:
        self.request = request
        self.outcome = request.outcome or named
        self.absent = 0
        self.nested = nested
        self.wordy = frozenset(request.words or ())  # fields that are read as words
        self.notes_on_text: tuple[str, ...] = ()
        self._left: dict[str, int] = {}  # in how many records a field was nested
        roles = (request.outcome, request.by_column, request.weights_column)
        self._uses: dict[str, bool] = {
            name: False for name in (*roles, *unused) if name is not None
        }
        self._plans: dict[tuple[str, ...], list[tuple[int, ...]]] = {}

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(sorted(self.wordy))

    def look_for_words(self, records: Sequence[Record]) -> None:
        """Unless the caller said which fields are words: those of sentences are, in these first records."""
        texts: dict[str, list[str]] = {}
        for record in records[:LOOK]:
            for field, value in record.items():
                if type(value) is str and self._used(field):
                    texts.setdefault(field, []).append(value)
        for name in self.request.words or ():
            if name not in texts:
                raise BadInput(
                    f"text: no column of text is called {name!r}; those of text: {list(texts) or 'none'}"
                )
        if self.request.words is not None:
            return
        parts = pairs(self.request.products, list(texts), [True] * len(texts), strict=False)
        taken = {list(texts)[i] for places in parts for i in places}
        taken |= {part for spec in self.request.products for part in spec.split(":")}
        words = {field for field, found in texts.items() if are_words(found) and field not in taken}
        self.wordy = frozenset(words)
        said = (note(field, found, field in words) for field, found in texts.items())
        self.notes_on_text = tuple(one for one in said if one)

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self.notes_on_text, *self._notes_on_values)

    @property
    def _notes_on_values(self) -> tuple[str, ...]:
        left = [f"{name!r} (nested, in {n:,} row{'s' * (n > 1)})" for name, n in self._left.items()]
        notes = (f"left out: {', '.join(left[:20])}",) if left else ()
        if not self.absent:
            return notes
        values = "value" if self.absent == 1 else "values"
        return (*notes, f"{self.absent:,} missing {values}: taken as absent")

    def batch(
        self,
        records: Sequence[Record],
        first: int = 0,
        *,
        outcomes: NDArray[Any] | None = None,
        by: NDArray[np.object_] | None = None,
        weights: Array | None = None,
    ) -> Batch:
        """A batch whose outcomes are as they were written; `coded_outcomes` codes them.

        `outcomes`, `by` and `weights`: where they are not fields of the records.
        """
        absent, left = self.absent, dict(self._left)
        try:
            x = self._rows(records, first)
            self._check(x, records, first)
            self._check_roles(records, first)
            if (name := self.request.by_column) is not None:
                by = keys([record.get(name) for record in records], len(records), first, name)
            if (name := self.request.weights_column) is not None:
                weights = floats(_objects([record.get(name) for record in records]), [name], first)
                check_weights(weights, name, first)
            y = _objects([r.get(self.outcome) for r in records]) if outcomes is None else outcomes
            if self.request.coding is None:
                y = floats(y, [self.outcome], first)
        except BadInput:
            self.absent, self._left = absent, left
            raise
        return Batch(x, y, first, by, weights, 1 << self.request.places)

    def _check(self, x: Rows, records: Sequence[Record], first: int) -> None:
        """Refuse numbers that are too large, by the names of their fields."""
        try:
            check(Batch(x, np.empty(0), first), (), examples=True)
        except BadInput:
            for t, record in enumerate(records):
                if (what := self.fault(record)) is not None:
                    raise BadInput(f"row {first + t + 1}, {what}") from None
            raise

    def _check_roles(self, records: Sequence[Record], first: int) -> None:
        """Refuse an outcome, a key or a weight that is nested."""
        roles = (self.request.outcome, self.request.by_column, self.request.weights_column)
        for name in (name for name in roles if name is not None):
            for t, record in enumerate(records):
                if (why := object_of(record, name)) is not None:
                    raise BadInput(f"row {first + t + 1}, {why}")
                if is_nested(value := record.get(name)):
                    what = f"{value!r:.60} is neither a number nor text"
                    raise BadInput(f"row {first + t + 1}, field {name!r}: {what}")

    def fault(self, record: Record) -> str | None:
        """What is wrong with a record, if something is."""
        for field, value in record.items():
            if missing(value) or not (self._used(field) or field == self.request.outcome):
                continue
            if self.nested and is_nested(value) and field != self.request.outcome:
                continue
            if not is_value(value):
                return f"field {field!r}: {value!r:.60} is neither a number nor text"
            if not isinstance(value, str) and not math.isfinite(number_of(value)):
                return f"field {field!r}: {value!r:.60} is too large"
        roles = (self.request.outcome, self.request.by_column, self.request.weights_column)
        for name in (name for name in roles if name is not None):
            if (why := object_of(record, name)) is not None:
                return why
        y, weight = record.get(self.outcome), self.request.weights_column
        if self.request.coding is None and isinstance(y, str):
            return f"field {self.outcome!r}: {y!r:.60} is not a number; labels=True reads classes"
        if weight is not None:
            h = record.get(weight)
            if (
                missing(h)
                or isinstance(h, str)
                or not is_value(h)
                or not 0 <= number_of(h) < math.inf
            ):
                return f"field {weight!r}: {h!r:.60} is no weight, which is finite, 0 or more"
        if self.request.by_column is not None:
            key = record.get(self.request.by_column)
            if missing(key):
                return f"field {self.request.by_column!r}: the key is missing"
            if is_nested(key):
                return f"field {self.request.by_column!r}: {key!r:.60} is neither a number nor text"
        return None

    def _used(self, field: str) -> bool:
        """Whether a field is a feature; globs are matched once a name."""
        use = self._uses.get(field)
        if use is None:
            use = self._uses[field] = wants(self.request.columns, field)
        return use

    def _rows(self, records: Sequence[Record], first: int) -> Rows:
        ids: dict[str, int] = {}  # of the features of this batch
        at: list[int] = []
        values: list[float] = []
        ends = np.zeros(len(records) + 1, dtype=np.int64)
        tuples: dict[int, list[tuple[int, ...]]] = {}  # by size: places in `at` to be multiplied
        owners: dict[int, list[int]] = {}
        uses, used, interactions = self._uses, self._used, self.request.products
        wordy, ngram, crossing = self.wordy, self.request.ngram, bool(interactions)
        for t, record in enumerate(records):
            there: list[tuple[str, bool]] = []
            for field, value in record.items():
                if not (uses[field] if field in uses else used(field)):
                    continue
                kind = type(value)
                if kind is float or kind is int or kind is bool:
                    name, number = field, value
                elif kind is str:
                    if field in wordy:
                        for name in features(field, value, ngram):
                            at.append(ids.setdefault(name, len(ids)))
                            values.append(1.0)
                            there += [
                                ("", True)
                            ] * crossing  # a place that is no part of any product
                        continue
                    name, number = f"{field}={value}", 1.0
                elif missing(value):
                    self.absent += 1
                    continue
                elif is_value(value):
                    word = isinstance(value, str)
                    name, number = (f"{field}={value}", 1.0) if word else (field, number_of(value))
                elif self.nested and is_nested(value):
                    self._left[field] = self._left.get(field, 0) + 1
                    continue
                else:
                    what = f"{value!r:.60} is neither a number nor text"
                    raise BadInput(f"row {first + t + 1}, field {field!r}: {what}")
                if number != number:
                    self.absent += 1
                elif number != 0:
                    if interactions:
                        there.append((field, kind is str))
                    at.append(ids.setdefault(name, len(ids)))
                    values.append(number)
            ends[t + 1] = len(at)
            for places in self._plan(there) if interactions else ():
                base = int(ends[t])
                tuples.setdefault(len(places), []).append(tuple(base + i for i in places))
                owners.setdefault(len(places), []).append(t)
        try:
            value = np.array(values, dtype=np.float64)
        except OverflowError:
            raise BadInput(f"from row {first + 1} on: a whole number is too large") from None
        place = hashes(list(ids))[np.array(at, dtype=np.int64)]
        if tuples:
            ends, place, value = _with_products(ends, place, value, tuples, owners)
        index = (place & np.uint32((1 << self.request.places) - 1)).astype(np.int32)
        return summed(Rows(ends, index, value))

    def _plan(self, there: list[tuple[str, bool]]) -> list[tuple[int, ...]]:
        """The interactions of a record with these fields."""
        fields = tuple(f"{field}={word}" for field, word in there)
        plan = self._plans.get(fields)
        if plan is None:
            if len(self._plans) >= PLAN:
                self._plans.clear()
            names, text = [f for f, _ in there], [word for _, word in there]
            plan = pairs(self.request.products, names, text, strict=False)
            self._plans[fields] = plan
        return plan


def _with_products(
    ends: NDArray[np.int64],
    place: NDArray[np.uint32],
    value: Array,
    tuples: dict[int, list[tuple[int, ...]]],
    owners: dict[int, list[int]],
) -> tuple[NDArray[np.int64], NDArray[np.uint32], Array]:
    """The features, and behind them in every row the products of some."""
    rows = len(ends) - 1
    row = [np.repeat(np.arange(rows), np.diff(ends))]
    places, values = [place], [value]
    for size in sorted(tuples):
        parts = np.array(tuples[size], dtype=np.int64)
        places.append(crossed([place[parts[:, i]] for i in range(size)]))
        values.append(np.prod(value[parts], axis=1))
        row.append(np.array(owners[size], dtype=np.int64))
    owner = np.concatenate(row)
    order = np.argsort(owner, kind="stable")
    counts = np.bincount(owner, minlength=rows)
    ends = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)])
    return ends, np.concatenate(places)[order], np.concatenate(values)[order]


def _objects(values: list[Any]) -> NDArray[Any]:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out
