"""A table with columns of text that have few values, as numbers.

A column of text is two things at once. Curves need one number a row: the code of its value, 1, 2, … in the order in
which the values came, 0 where it is missing. Lines need a feature a value, which is 1 where a row has it. So the
columns of the table come first, with codes in place of text, and the features of the values follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..core.errors import BadInput

FEW = 64  # values of a column of text
NARROW = 128  # features in all; a table with more of them is no narrow one


@dataclass(frozen=True)
class Categories:
    """The columns of a table, and the values of those that hold text.

    >>> table = Categories((("age", None), ("city", ("Rome", "Oslo"))))
    >>> table.features
    ('age', 'city', 'city=Rome', 'city=Oslo')
    >>> table.row({"age": 30, "city": "Oslo"})
    [30, 2, 0, 1]
    >>> table.row({"age": 30, "city": "Bern"}), table.row({"age": 30, "city": None})
    ([30, 3, 0, 0], [30, 0, 0, 0])
    """

    columns: tuple[tuple[str, tuple[str, ...] | None], ...] = ()  # None: it holds numbers

    @classmethod
    def saved(cls, columns: Any) -> Categories:
        """What a file holds (`to_save`)."""
        return cls(tuple((str(n), None if v is None else tuple(map(str, v))) for n, v in columns))

    def to_save(self) -> list[Any]:
        return [[name, None if values is None else list(values)] for name, values in self.columns]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table."""
        return tuple(name for name, _ in self.columns)

    @property
    def features(self) -> tuple[str, ...]:
        """What an example holds: the columns, and the values of those of text."""
        more = [f"{name}={value}" for name, values in self.columns for value in values or ()]
        return (*self.names, *more)

    def row(self, x: Mapping[Any, Any]) -> list[Any]:
        """The numbers of a row by name, which has all columns."""
        first, rest = [], []
        for name, values in self.columns:
            v = x[name]
            if values is None:
                if isinstance(v, str):
                    raise BadInput(
                        f"column {name!r} must be a number, as in training, not {v!r:.60}"
                    )
                first.append(0.0 if v is None or v != v else v)
                continue
            at = code(values, v)
            first.append(at)
            rest += [int(at == k) for k in range(1, len(values) + 1)]
        return first + rest


NO_TEXT = Categories()


def code(values: tuple[str, ...], value: Any) -> int:
    """The code of a value of text: 0 where it is missing; all that the training did not have are one more."""
    if value is None or value != value:
        return 0
    word = written(value)
    return values.index(word) + 1 if word in values else len(values) + 1


def written(value: Any) -> str:
    """A value as text; whole numbers are written the same way in every format.

    >>> written("red"), written(3.0), written(True)
    ('red', '3', 'True')
    """
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
