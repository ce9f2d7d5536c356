"""Methods that several NamedTuples share: a NamedTuple cannot inherit them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

C = TypeVar("C", bound=type)


def with_methods(**methods: Callable[..., Any]) -> Callable[[C], C]:
    """A decorator that gives a NamedTuple these functions as methods, each under the name of its argument."""

    def give(cls: C) -> C:
        for name, method in methods.items():
            setattr(cls, name, method)
        return cls

    return give
