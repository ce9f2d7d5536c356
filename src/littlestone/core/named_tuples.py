"""NamedTuples: states, games, losses and rounds are made of them. Python has no class of all NamedTuples to ask for."""

from __future__ import annotations

from typing import Any


def is_named_tuple(v: object) -> bool:
    """Is it a NamedTuple?

    >>> from typing import NamedTuple
    >>> class Point(NamedTuple):
    ...     x: float
    >>> is_named_tuple(Point(1.0)), is_named_tuple((1.0,))
    (True, False)
    """
    return isinstance(v, tuple) and hasattr(v, "_fields")


def is_named_tuple_class(v: object) -> bool:
    """Is it a class of NamedTuples?"""
    return isinstance(v, type) and issubclass(v, tuple) and hasattr(v, "_fields")


def field_names(v: Any) -> tuple[str, ...]:
    """The names of its fields; none where it is no NamedTuple."""
    return tuple(v._fields) if is_named_tuple(v) else ()


def field_or_none(v: Any, name: str) -> Any:
    """The field of this name; None where v has none, or is no NamedTuple."""
    named = isinstance(v, tuple) and hasattr(v, "_fields") and name in v._fields
    return v[v._fields.index(name)] if named else None
