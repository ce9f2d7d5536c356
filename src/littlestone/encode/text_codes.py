"""Codes of text in rows by name, one row at a time: what `Categories` are for a table, without an end to the values."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

from .categories import written


class TextCodes:
    """The values of each name that holds text, in the order in which they came.

    >>> codes = TextCodes({"age": 0, "city": 1, "city=Oslo": 2}, ["city"])
    >>> codes.of({"age": 3, "city": "Rome"}), codes.of({"city": "Oslo"}), codes.of({"city": None})
    ({'city': 2.0}, {'city': 1.0}, {'city': 0.0})
    """

    def __init__(self, features: Iterable[Any], names: Iterable[str] = ()) -> None:
        """`features`: those that have a place, in its order, "name=value" among them; `names`: those that hold text."""
        self.values: dict[Any, dict[str, int]] = {}
        self.read(features, names)

    def read(self, features: Iterable[Any], names: Iterable[str]) -> None:
        """Take the values of `names` from more features, in the order of their places."""
        for name in names:
            self.values.setdefault(name, {})
        for feature in map(str, features):
            for name, own in self.values.items():
                if feature.startswith(f"{name}="):
                    own.setdefault(feature.removeprefix(f"{name}="), len(own) + 1)

    def as_text(self, x: Mapping[Any, Any]) -> dict[Any, Any]:
        """The row, in which a name that holds text holds text again, or None where it is missing."""
        return {
            name: v if isinstance(v, str) or name not in self.values else None if v is None or v != v else written(v)
            for name, v in x.items()
        }  # fmt: skip

    def of(self, x: Mapping[Any, Any], numbers: Container[Any] = ()) -> dict[Any, float]:
        """The code of every text of a row: 1, 2, …; one more for a value that is new, 0 where it is missing.

        A name that is one of the `numbers`, and never held text, has no code: its number means something else.
        """
        found = {}
        for name, v in x.items():
            own = self.values.get(name)
            if isinstance(v, str) and (own is not None or name not in numbers):
                found[name] = float((own or {}).get(v, len(own or ()) + 1))
            elif v is None and own is not None:
                found[name] = 0.0
        return found

    def remember(self, x: Mapping[Any, Any], names: Iterable[Any]) -> list[Any]:
        """Give the new values of these names, which `of` has coded, their codes; return the names."""
        added = []
        for name in names:
            if x[name] is not None:
                own = self.values.setdefault(name, {})
                if x[name] not in own:
                    own[x[name]] = len(own) + 1
                    added.append(name)
        return added

    def forget(self, names: Iterable[Any]) -> None:
        """Take back the last value of these names: its row was refused."""
        for name in names:
            own = self.values[name]
            own.popitem()
            if not own:
                del self.values[name]
