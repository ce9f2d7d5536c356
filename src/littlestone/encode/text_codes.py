"""The values of text and their codes 1, 2, …, in the columns of a table and in rows whose names come and go."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any, Self

from .values import missing


class TextValues(dict[str, int]):
    """The values of a column of text and their codes, in the order in which they came.

    >>> city = TextValues.of(["Rome", "Oslo"])
    >>> city, city.code("Oslo"), city.code("Bern"), city.code(None)
    ({'Rome': 1, 'Oslo': 2}, 2, 3, 0)
    """

    @classmethod
    def of(cls, values: Iterable[object]) -> Self:
        return cls({str(value): code for code, value in enumerate(values, 1)})

    def code(self, value: object) -> int:
        """The code of a value; one more than there are if it is new, 0 if it is missing."""
        return 0 if missing(value) else self.get(write_as_text(value), len(self) + 1)

    def add(self, value: str) -> bool:
        """Give a value the next code; was it new?"""
        before = len(self)
        self.setdefault(value, before + 1)
        return len(self) > before


class TextCodes:
    """The values of each name that holds text, of rows by name.

    >>> codes = TextCodes({"age": 0, "city": 1, "city=Oslo": 2}, ["city"])
    >>> codes.of({"age": 3, "city": "Rome"}), codes.of({"city": "Oslo"}), codes.of({"city": None})
    ({'city': 2.0}, {'city': 1.0}, {'city': 0.0})
    """

    def __init__(self, features: Iterable[Any], names: Iterable[str] = ()) -> None:
        """`features`: those that have a place, in its order, "name=value" among them; `names`: those that hold text."""
        self.values: dict[Any, TextValues] = {}
        self.read(features, names)

    def read(self, features: Iterable[Any], names: Iterable[str]) -> None:
        """Take the values of `names` from more features, in the order of their places."""
        for name in names:
            self.values.setdefault(name, TextValues())
        for feature in map(str, features):
            for name, own in self.values.items():
                if feature.startswith(f"{name}="):
                    own.add(feature.removeprefix(f"{name}="))

    def as_text(self, x: Mapping[Any, Any]) -> dict[Any, Any]:
        """The row, in which a name that holds text holds text again, or None where it is missing."""
        return {
            name: v
            if isinstance(v, str) or name not in self.values
            else None if v is None or v != v else write_as_text(v)
            for name, v in x.items()
        }  # fmt: skip

    def of(self, x: Mapping[Any, Any], numbers: Container[Any] = ()) -> dict[Any, float]:
        """The code of every text of a row.

        A name that is one of the `numbers`, and never held text, has no code: its number means something else.
        """
        found = {}
        for name, v in x.items():
            own = self.values.get(name)
            if own is not None and (v is None or isinstance(v, str)):
                found[name] = float(own.code(v))
            elif isinstance(v, str) and name not in numbers:
                found[name] = 1.0  # the first value of a new name
        return found

    def remember(self, x: Mapping[Any, Any], names: Iterable[Any]) -> list[Any]:
        """Give the new values of these names, which `of` has coded, their codes; return the names."""
        there = [name for name in names if x[name] is not None]
        return [name for name in there if self.values.setdefault(name, TextValues()).add(x[name])]

    def forget(self, names: Iterable[Any]) -> None:
        """Take back the last value of these names: its row was refused."""
        for name in names:
            own = self.values[name]
            own.popitem()
            if not own:
                del self.values[name]


def write_as_text(value: Any) -> str:
    """A value as text; whole numbers are written the same way in every format.

    >>> write_as_text("red"), write_as_text(3.0), write_as_text(True)
    ('red', '3', 'True')
    """
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
