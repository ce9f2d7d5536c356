"""Records whose fields hold other fields, as JSON has them: made flat, by dotted names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .errors import BadInput


def flattened(record: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The fields within a field beside the others: those of "a" are "a.b", "a.c". Lists stay as they are.

    >>> flattened({"y": 1, "a": {"b": 2, "c": {"d": "x"}}})
    {'y': 1, 'a.b': 2, 'a.c.d': 'x'}
    """
    if not any(isinstance(value, Mapping) for value in record.values()):
        return record
    flat: dict[Any, Any] = {}
    left = list(reversed(list(record.items())))  # a list, not recursion: objects may be deep
    while left:
        name, value = left.pop()
        if isinstance(value, Mapping):
            left += [(f"{name}.{inner}", v) for inner, v in reversed(list(value.items()))]
        elif name in flat:
            raise BadInput(f"field {name!r} is there twice, as one name and as a field of another")
        else:
            flat[name] = value
    return flat


def flat_records(records: Sequence[Mapping[Any, Any]], first: int) -> list[Mapping[Any, Any]]:
    """Many records made flat; a refusal names the row, of which `first` were before."""
    flat = []
    for i, record in enumerate(records):
        try:
            flat.append(flattened(record))
        except BadInput as problem:
            raise BadInput(f"row {first + i + 1}: {problem}") from None
    return flat
