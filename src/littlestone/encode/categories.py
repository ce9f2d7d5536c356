"""A table with columns of text as numbers: ordinal codes, one-hot features and, for many values, hashed ones.

A column of text with few values is two things at once. Curves need one number a row: the code of its value, 1, 2, … in
the order in which the values came, 0 where it is missing. Lines need a feature a value, which is 1 where a row has it.
So the columns of the table come first, with codes in place of text, and the features of the values follow.

A value that comes later is learned too: each column of text has a few places more, and a value that is not known is
hashed to one of them. A column of many values has hashed places alone, and no code, in which there would be no order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from ..core.errors import BadInput
from .hashing import hashes
from .running_means import find_gaps
from .text_codes import TextValues, write_as_text
from .values import missing

FEW = 64  # values of a column of text that has a code
NARROW = 128  # columns and values in all; a table with more of them is no narrow one
SPARE = 8  # places of a column of few values for those that come later
HASHED = 128  # places that columns of many values share
LEAST = 16  # and that each of them needs
WIDEST = 400  # features in all


class Located(NamedTuple):
    """What a value of text is: its code for curves, and its place among the features of its column, -1 for none."""

    code: int
    place: int


NO_VALUES = TextValues()


class Column(NamedTuple):
    """A column of a table: its name, its known values and how many places all others are hashed to.

    >>> city = text_column("city", ("Rome", "Oslo"), 4)
    >>> city.locate("Oslo"), city.locate(None), city.locate("Bern").code
    (Located(code=2, place=1), Located(code=0, place=-1), 3)
    >>> city.features
    ('city=Rome', 'city=Oslo', 'city=other 1', 'city=other 2', 'city=other 3', 'city=other 4')
    """

    name: str
    values: TextValues | None = None  # None: it holds numbers
    hashed: int = 0

    @property
    def is_text(self) -> bool:
        return self.values is not None

    @property
    def has_code(self) -> bool:
        """Is it one number, for curves: that of the table, or the code of its value?"""
        return self.values is None or len(self.values) > 0

    @property
    def features(self) -> tuple[str, ...]:
        """The one-hot features of its values, known ones first."""
        known = [f"{self.name}={value}" for value in self.values or ()]
        return (*known, *(f"{self.name}=other {k + 1}" for k in range(self.hashed)))

    def locate(self, value: object) -> Located:
        """The code and the place of a value of text; 0 and -1 where it is missing."""
        values = self.values or NO_VALUES
        code = values.code(value)
        if code <= len(values):
            return Located(code, code - 1)
        place = hashed_place(f"{self.name}={write_as_text(value)}", self.hashed)
        return Located(code, len(values) + place if self.hashed else -1)


def text_column(name: str, values: Iterable[str], hashed: int = 0) -> Column:
    """A column of text with these values.

    >>> text_column("city", ["Rome"]).locate("Rome")
    Located(code=1, place=0)
    """
    return Column(name, TextValues.of(values), hashed)


@lru_cache(1 << 14)
def hashed_place(feature: str, places: int) -> int:
    """One of so many places, by the hash of a feature's name."""
    return int(hashes([feature])[0]) % max(1, places)


@dataclass(frozen=True)
class Categories:
    """The columns of a table.

    >>> table = Categories((Column("age"), text_column("city", ("Rome", "Oslo"))))
    >>> table.features
    ('age', 'city', 'city=Rome', 'city=Oslo')
    >>> table.row({"age": 30, "city": "Oslo"})
    [30, 2, 0, 1]
    >>> table.row({"age": 30, "city": "Bern"}), table.row({"age": 30, "city": None})
    ([30, 3, 0, 0], [30, 0, 0, 0])
    """

    columns: tuple[Column, ...] = ()

    @classmethod
    def saved(cls, columns: Any) -> Categories:
        """What a file holds (`to_save`)."""
        return cls(
            tuple(
                Column(str(name), None if values is None else TextValues.of(values), int(hashed))
                for name, values, hashed in columns
            )
        )

    def to_save(self) -> list[Any]:
        return [
            [c.name, None if c.values is None else list(c.values), c.hashed] for c in self.columns
        ]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns of the table."""
        return tuple(c.name for c in self.columns)

    @property
    def coded(self) -> int:
        """How many columns are one number each, which curves look at: the first of the features."""
        return sum(c.has_code for c in self.columns)

    @property
    def features(self) -> tuple[str, ...]:
        """What an example holds: the columns that are one number each, and the values of those of text."""
        first = [c.name for c in self.columns if c.has_code]
        return (*first, *(feature for c in self.columns for feature in c.features))

    @property
    def spans(self) -> list[tuple[str, list[int]]]:
        """Each column, and the places of its features.

        >>> Categories((Column("age"), text_column("city", ("Rome", "Oslo")))).spans
        [('age', [0]), ('city', [1, 2, 3])]
        """
        found, code, after = [], 0, self.coded
        for c in self.columns:
            own = [code] if c.has_code else []
            size = len(c.features)
            found.append((c.name, [*own, *range(after, after + size)]))
            code, after = code + len(own), after + size
        return found

    def find_gaps(self, x: Mapping[Any, Any]) -> list[bool] | None:
        """Which of the first features, one number each, a row by name lacks; None where it lacks none.

        What is missing in a column of text has a code, 0, and is no gap.

        >>> Categories((text_column("city", ("Rome",)), Column("age"))).find_gaps(
        ...     {"city": None, "age": None}
        ... )
        [False, True]
        """
        found = find_gaps([x[c.name] for c in self.columns if c.values is None])
        if found is None:
            return None
        gaps = iter(found.gaps)
        return [c.values is None and next(gaps) for c in self.columns if c.has_code]

    def row(self, x: Mapping[Any, Any]) -> list[Any]:
        """The numbers of a row by name, which has all columns; 0 where a number is missing."""
        first: list[Any] = []
        rest: list[int] = []
        for column in self.columns:
            v = x[column.name]
            if column.values is None:
                if isinstance(v, str):
                    raise BadInput(
                        f"column {column.name!r} must be a number, as in training, not {v!r:.60}"
                    )
                first.append(0.0 if missing(v) else v)
                continue
            found = column.locate(v)
            if column.has_code:
                first.append(found.code)
            own = [0] * (len(column.values) + column.hashed)
            if found.place >= 0:
                own[found.place] = 1
            rest += own
        return first + rest


NO_TEXT = Categories()


def fit_columns(names: list[str], values: list[dict[str, None] | None]) -> Categories | None:
    """The columns of a table, given the values of those of text; None where they would make too many features.

    >>> fit_columns(["age", "city"], [None, {"Rome": None}]).columns[1]
    Column(name='city', values={'Rome': 1}, hashed=8)
    """
    few = [v is not None and 0 < len(v) <= FEW for v in values]
    sizes = [len(v) if v is not None and own else 0 for v, own in zip(values, few, strict=True)]
    while len(names) + sum(sizes) > NARROW and any(sizes):
        largest = sizes.index(max(sizes))  # the column with the most values is one of many
        sizes[largest], few[largest] = 0, False
    many = sum(v is not None for v in values) - sum(few)
    if len(names) > NARROW or many * LEAST > HASHED:
        return None
    share = 1 << ((HASHED // max(1, many)).bit_length() - 1)

    def make_column(name: str, found: Mapping[str, None] | None, own: bool) -> Column:
        if found is None:
            return Column(name)
        return text_column(name, found if own else (), SPARE if own else share)

    made = Categories(tuple(map(make_column, names, values, few)))
    return made if len(made.features) <= WIDEST else None
