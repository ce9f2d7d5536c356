"""Flatten records whose fields hold other fields, as in JSON: {"a": {"b": 1}} becomes {"a.b": 1}."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.errors import BadInput


def flatten_record(record: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Move the fields within a field to the top: those of "a" are "a.b", "a.c". Lists stay as they are.

    >>> flatten_record({"y": 1, "a": {"b": 2, "c": {"d": "x"}}})
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
    """Flatten many records; an error names the row, where `first` rows came before these."""
    flat = []
    for i, record in enumerate(records):
        try:
            flat.append(flatten_record(record))
        except BadInput as problem:
            raise BadInput(f"row {first + i + 1}: {problem}") from None
    return flat
