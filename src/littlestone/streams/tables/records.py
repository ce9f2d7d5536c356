"""Records, dicts whose fields come and go, -> sparse examples, every feature hashed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.core.errors import BadInput
from littlestone.core.stream import Array, Batch
from littlestone.core.vectors import Rows
from littlestone.encode.words import are_words, note

from ...encode.hashed_names import HashedNames
from ...encode.interactions import pairs
from ...encode.values import missing
from ..options import ReadOptions
from .arrays import floats, keys
from .check import check, check_weights
from .record_fields import Record, is_nested, is_value, number_of, object_of, wants

LOOK = 4096  # records that decide whether text is sentences


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
        self.names = (
            HashedNames(  # how the names of fields are hashed; its `words` are read as words
                request.places,
                (),
                tuple(request.words or ()),
                request.ngram,
                tuple(request.products),
                True,
            )
        )
        self.notes_on_text: tuple[str, ...] = ()
        self._left: dict[str, int] = {}  # in how many records a field was nested
        roles = (request.outcome, request.by_column, request.weights_column)
        self.roles = tuple(name for name in roles if name is not None)
        self._uses = FieldUses((*self.roles, *unused), request.columns)

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(sorted(self.names.words))

    def look_for_words(self, records: Sequence[Record]) -> None:
        """Unless the caller said which fields are words: those of sentences are, in these first records."""
        texts: dict[str, list[str]] = {}
        for record in records[:LOOK]:
            for field, value in record.items():
                if type(value) is str and self._uses[field]:
                    texts.setdefault(field, []).append(value)
        for name in self.request.words or ():
            if name not in texts:
                raise BadInput(
                    f"text: no column of text is called {name!r}; those of text: {list(texts) or 'none'}"
                )
        if self.request.words is None:
            words = self._sentences(texts)
            self.names = replace(self.names, words=tuple(sorted(words)))
            found = (note(field, every, field in words) for field, every in texts.items())
            self.notes_on_text = tuple(one for one in found if one)

    def _sentences(self, texts: Mapping[str, list[str]]) -> set[str]:
        """The fields whose texts are sentences; not those that products are made of."""
        parts = pairs(self.request.products, list(texts), [True] * len(texts), strict=False)
        multiplied = {list(texts)[i] for places in parts for i in places}
        multiplied |= {part for spec in self.request.products for part in spec.split(":")}
        return {f for f, found in texts.items() if are_words(found) and f not in multiplied}

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
        for name in self.roles:
            for t, record in enumerate(records):
                if (why := object_of(record, name)) is not None:
                    raise BadInput(f"row {first + t + 1}, {why}")
                if is_nested(value := record.get(name)):
                    what = f"{value!r:.60} is neither a number nor text"
                    raise BadInput(f"row {first + t + 1}, field {name!r}: {what}")

    def fault(self, record: Record) -> str | None:
        """What is wrong with a record, if something is."""
        return (
            self._fault_of_feature(record)
            or self._fault_of_role(record)
            or self._fault_of_outcome(record)
            or self._fault_of_weight(record)
            or self._fault_of_key(record)
        )

    def _fault_of_feature(self, record: Record) -> str | None:
        for field, value in record.items():
            is_outcome = field == self.request.outcome
            if missing(value) or not (self._uses[field] or is_outcome):
                continue
            if self.nested and is_nested(value) and not is_outcome:
                continue
            if not is_value(value):
                return f"field {field!r}: {value!r:.60} is neither a number nor text"
            if not isinstance(value, str) and not math.isfinite(number_of(value)):
                return f"field {field!r}: {value!r:.60} is too large"
        return None

    def _fault_of_role(self, record: Record) -> str | None:
        found = (object_of(record, name) for name in self.roles)
        return next((why for why in found if why is not None), None)

    def _fault_of_outcome(self, record: Record) -> str | None:
        y = record.get(self.outcome)
        if self.request.coding is not None or not isinstance(y, str):
            return None
        return f"field {self.outcome!r}: {y!r:.60} is not a number; labels=True reads classes"

    def _fault_of_weight(self, record: Record) -> str | None:
        if (name := self.request.weights_column) is None:
            return None
        h = record.get(name)
        number = is_value(h) and not isinstance(h, str) and not missing(h)
        if number and 0 <= number_of(h) < math.inf:
            return None
        return f"field {name!r}: {h!r:.60} is no weight, which is finite, 0 or more"

    def _fault_of_key(self, record: Record) -> str | None:
        if (name := self.request.by_column) is None:
            return None
        key = record.get(name)
        if missing(key):
            return f"field {name!r}: the key is missing; fill it in, or leave such rows out"
        return (
            f"field {name!r}: {key!r:.60} is neither a number nor text" if is_nested(key) else None
        )

    def _usual(self, first: int, row: int, field: str, value: Any) -> str | float:
        """The text or the number that a value is; 0 where it is missing or nested, which is counted."""
        if missing(value):
            if self.request.missing == "refuse":
                where = f"row {first + row + 1}, field {field!r}"
                raise BadInput(
                    f"{where}: the value is missing, and missing='refuse' leaves none out"
                )
            self.absent += 1
            return 0.0
        if is_value(value):
            return str(value) if isinstance(value, str) else number_of(value)
        if self.nested and is_nested(value):
            self._left[field] = self._left.get(field, 0) + 1
            return 0.0
        what = f"{value!r:.60} is neither a number nor text"
        raise BadInput(f"row {first + row + 1}, field {field!r}: {what}")

    def _rows(self, records: Sequence[Record], first: int) -> Rows:
        cells = (record.items() for record in records)
        try:
            return self.names.encode(cells, self._uses, partial(self._usual, first))
        except OverflowError:
            raise BadInput(f"from row {first + 1} on: a whole number is too large") from None


class FieldUses(dict[str, bool]):
    """Whether a field is a feature; globs are matched once a name."""

    def __init__(self, unused: Iterable[str], patterns: tuple[str, ...] | None) -> None:
        super().__init__(dict.fromkeys(unused, False))
        self.patterns = patterns

    def __missing__(self, field: str) -> bool:
        self[field] = wants(self.patterns, field)
        return self[field]


def _objects(values: list[Any]) -> NDArray[Any]:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out
