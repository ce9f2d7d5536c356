"""Codes of text in rows by name, one row at a time: what `Categories` are for a table, without an end to the values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


class TextCodes:
    """The values of each name, in the order in which they came.

    >>> codes = TextCodes({"age": 0, "city": 1, "city=Oslo": 2})
    >>> codes.of({"age": 3, "city": "Rome"}), codes.of({"city": "Oslo"}), codes.of({"city": None})
    ([('city', 2.0)], [('city', 1.0)], [('city', 0.0)])
    """

    def __init__(self, features: Iterable[Any]) -> None:
        """`features`: those that have a place, in the order of their places: a name of text, and "name=value"."""
        self.values: dict[str, dict[str, int]] = {}
        known = list(features)
        names = {name for name in known if isinstance(name, str)}
        for feature in known:
            parts = feature.split("=") if isinstance(feature, str) else []
            for k in range(1, len(parts)):
                name = "=".join(parts[:k])
                if name in names:
                    self.add(name, "=".join(parts[k:]))
                    break

    def add(self, name: str, value: str) -> None:
        own = self.values.setdefault(name, {})
        own.setdefault(value, len(own) + 1)

    def of(self, x: Mapping[Any, Any]) -> list[tuple[Any, float]]:
        """The code of every text of a row: 1, 2, …; one more for a value that is new, 0 where it is missing."""
        found = []
        for name, v in x.items():
            own = self.values.get(name, {})
            if isinstance(v, str):
                found.append((name, float(own.get(v, len(own) + 1))))
            elif v is None and own:
                found.append((name, 0.0))
        return found

    def remember(self, x: Mapping[Any, Any]) -> None:
        """Give new values their codes."""
        for name, v in x.items():
            if isinstance(v, str):
                self.add(name, v)
