"""How a table's names were hashed when a learner was trained, so that a row by name is hashed in the same way later."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.csr import sum_duplicates
from ..core.errors import BadInput
from ..core.rows import BIG
from ..core.vectors import Rows
from .example_rows import is_value, refuse_value
from .hashing import hashes
from .interactions import Products, pairs
from .named_rows import in_order
from .words import features as word_features

if TYPE_CHECKING:
    from .stream import Stream

MOST_PLANS = 4096  # sets of names whose products are remembered
Cell = tuple[str, str | float]  # a name, and the text or the number in its place
TakeValue = Callable[[int, str, Any], str | float]  # of a row, a name and the value in its place
NUMBERS = frozenset({float, int, bool})
Part = tuple[str, bool]  # a name, and whether it is text: what products may be made of


@dataclass(frozen=True)
class HashedNames:
    """The columns of the table, what they held, and to how many places their names were hashed."""

    bits: int | None = None  # 2^bits places; None: nothing was hashed
    columns: tuple[tuple[str, bool], ...] = ()  # each column, and whether it held text
    words: tuple[str, ...] = ()  # those of text that were read as words
    ngram: int = 1  # and runs of so many words
    interactions: tuple[str, ...] = ()  # products of features
    records: bool = False  # rows were records, whose fields come and go

    @classmethod
    def saved(
        cls, bits: int | None, columns: Any = (), words: Any = (), ngram: int = 1, interactions: Any = (),
        records: bool = False,
    ) -> HashedNames:  # fmt: skip
        """What a file holds (`to_save`)."""
        pairs = tuple((str(name), bool(text)) for name, text in columns)
        return cls(bits, pairs, tuple(words), ngram, tuple(interactions), records)

    def to_save(self) -> dict[str, Any]:
        """Lists and numbers for a file; what is empty is left out."""
        found: dict[str, Any] = {"bits": self.bits}
        if self.columns:
            found["columns"] = [list(column) for column in self.columns]
        if self.interactions:
            found["interactions"] = list(self.interactions)
        if self.records:
            found["records"] = True
        return found | ({"words": list(self.words), "ngram": self.ngram} if self.words else {})

    def as_in(self, stream: Stream) -> HashedNames:
        """The names as a stream hashes them; what it does not say stays."""
        made = replace(
            self,
            bits=stream.bits or self.bits,
            columns=stream.columns or self.columns,
            interactions=stream.interactions or self.interactions,
            records=stream.records or self.records,
        )
        return replace(made, words=stream.words, ngram=stream.ngram) if stream.words else made

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [name for name, _ in self.columns]

    def features(self, x: Mapping[Any, Any], owner: str) -> tuple[Any, Any]:
        """Places and values of the features of a row by name, hashed as they were in training; `owner` was trained."""
        if self.interactions and not (self.columns or self.records):
            raise BadInput(
                f"{owner} was trained on VW text with interactions ({', '.join(self.interactions)}), which "
                "a dict does not have: give it a line of VW text"
            )
        cells = cells_of(self.as_columns(x) if self.columns else x)
        used = {name: True for name, _ in cells}
        row = self.encode([cells], used, lambda t, name, value: value)
        return row.index, row.value

    def encode(
        self, rows: Iterable[Iterable[Cell]], used: Mapping[str, bool], take: TakeValue
    ) -> Rows:
        """Rows by name as sparse ones: a number is a feature of its name, text the feature "name=text" of value 1.

        A number that is 0 is left out. A name of `words` has a feature for each word; products come last. `used`: which
        names are features; `take` says what NaN and values of unusual types are: text or a number, 0 to leave it out.
        """
        ids: dict[str, int] = {}  # of the features of these rows
        at: list[int] = []
        values: list[float] = []
        ends = [0]
        products = Products()
        words, ngram = frozenset(self.words), self.ngram
        crosses = bool(self.interactions)
        for t, row in enumerate(rows):
            parts: list[Part] = []
            places: list[int] = []
            for name, value in row:
                if not used[name]:
                    continue
                kind = type(value)
                if kind is not str and (kind not in NUMBERS or value != value):
                    value = take(t, name, value)
                if isinstance(value, str):
                    if name in words:
                        every = word_features(name, value, ngram)
                        at += [ids.setdefault(word, len(ids)) for word in every]
                        values += [1.0] * len(every)
                        continue
                    feature, number = f"{name}={value}", 1.0
                elif value:
                    feature, number = name, value
                else:
                    continue
                if crosses:
                    parts.append((name, feature is not name))
                    places.append(len(at))
                at.append(ids.setdefault(feature, len(ids)))
                values.append(number)
            if crosses:
                products.add_row(len(ends) - 1, self.find_products(parts), places)
            ends.append(len(at))
        place = hashes(list(ids))[np.array(at, np.int64)]
        indptr, place, numbers = products.put_behind(
            np.array(ends), place, np.array(values, np.float64)
        )
        index = (place & np.uint32((1 << int(self.bits or 0)) - 1)).astype(np.int32)
        return sum_duplicates(Rows(indptr, index, numbers))

    def find_products(self, parts: Sequence[Part]) -> list[tuple[int, ...]]:
        """The positions among these parts of those to multiply; remembered, as most rows have the same names."""
        key = tuple(parts)
        found = self._products.get(key)
        if found is None:
            if len(self._products) >= MOST_PLANS:
                self._products.clear()
            names, text = [name for name, _ in parts], [is_text for _, is_text in parts]
            found = self._products[key] = pairs(self.interactions, names, text, strict=False)
        return found

    @cached_property
    def _products(self) -> dict[tuple[Part, ...], list[tuple[int, ...]]]:
        return {}

    def as_columns(self, x: Mapping[Any, Any]) -> dict[str, Any]:
        """A row of the table of the training: text where the column held text, None where it is missing."""
        kinds = dict(self.columns)
        in_order(x, list(kinds), "column")
        made = {}
        for name, v in x.items():
            missing = v is None or v != v
            if not kinds[name] and isinstance(v, str):
                raise BadInput(f"column {name!r} must be a number, as in training, not {v!r:.60}")
            made[name] = None if missing else str(v) if kinds[name] else v
        return made


def cells_of(x: Mapping[Any, Any]) -> list[Cell]:
    """The text and the numbers of a row by name; None is left out."""
    for name, v in x.items():
        if v is not None and not is_value(v):
            raise BadInput(f"feature {name!r} must be a number or text, not {v!r:.80}")
    there = [(str(name), v) for name, v in x.items() if v is not None]
    cells: list[Cell] = [(name, v if isinstance(v, str) else float(v)) for name, v in there]
    numbers = [(name, v) for name, v in cells if not isinstance(v, str)]
    if not all(abs(v) <= BIG for _, v in numbers):
        refuse_value([name for name, _ in numbers], np.array([v for _, v in numbers]))
    return cells
