"""The types of arguments, and the NamedTuples that they are made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numba import types


def arguments(sig: Any) -> tuple[Any, ...]:
    """The types of the arguments, of a signature or of a tuple of types."""
    return tuple(getattr(sig, "args", sig))


def records_in(kind: Any) -> Iterator[type]:
    """The NamedTuple classes that a type is made of."""
    if isinstance(kind, types.BaseTuple):
        found: Any = kind
        if hasattr(found, "instance_class"):
            yield found.instance_class
        for part in found:
            yield from records_in(part)
