"""How a table's names were hashed when a learner was trained, so that a row by name is hashed in the same way later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.csr import summed
from ..core.errors import BadInput
from ..core.rows import BIG
from ..core.vectors import Rows
from .example_rows import is_value, refuse_value
from .hashing import crossed, hashes
from .interactions import pairs
from .named_rows import in_order
from .words import features as word_features

if TYPE_CHECKING:
    from .stream import Stream


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
        names, values = [], []
        fields: list[tuple[str, bool, int]] = []  # names, text or not, places in `names`
        if self.interactions and not (self.columns or self.records):
            raise BadInput(
                f"{owner} was trained on VW text with interactions ({', '.join(self.interactions)}), which "
                "a dict does not have: give it a line of VW text"
            )
        if self.columns:
            x = self.as_columns(x)
        for name, v in x.items():
            if v is None:
                continue
            if not is_value(v):
                raise BadInput(f"feature {name!r} must be a number or text, not {v!r:.80}")
            text = isinstance(v, str)
            if text and name in self.words:
                parts = word_features(str(name), v, self.ngram)
                names += parts
                values += [1.0] * len(parts)
                continue
            fields.append((str(name), text, len(names)))
            names.append(f"{name}={v}" if text else str(name))
            values.append(1.0 if text else float(v))
        numbers = np.array(values, np.float64)
        if not (np.abs(numbers) <= BIG).all():
            refuse_value(names, numbers)
        place = hashes(names)
        if self.interactions:
            place, numbers = self.with_products(place, numbers, fields)
        there = numbers != 0.0  # a table leaves out zeros, too
        place, numbers = place[there], numbers[there]
        index = (place & np.uint32((1 << int(self.bits or 0)) - 1)).astype(np.int32)
        _, index, numbers = summed(Rows(np.array([0, len(index)]), index, numbers))
        return index, numbers

    def with_products(
        self, place: Any, numbers: Any, fields: list[tuple[str, bool, int]]
    ) -> tuple[Any, Any]:
        """Hashes and values, and behind them those of the products that the learner was trained on."""
        columns, text, at = zip(*fields, strict=True) if fields else ((), (), ())
        found = pairs(self.interactions, columns, text, strict=False)
        parts = [[at[i] for i in several] for several in found]
        more = [crossed([place[i : i + 1] for i in several])[0] for several in parts]
        products = [float(np.prod(numbers[several])) for several in parts]
        return (
            np.concatenate([place, np.array(more, np.uint32)]),
            np.concatenate([numbers, np.array(products, np.float64)]),
        )

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
