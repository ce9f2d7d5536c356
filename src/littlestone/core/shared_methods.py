"""Answers that games share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

C = TypeVar("C", bound=type)


def answers(**rules: Callable[..., Any]) -> Callable[[C], C]:
    """Give a game the answers it shares with others (a NamedTuple cannot inherit them)."""

    def give(game: C) -> C:
        for name, rule in rules.items():
            setattr(game, name, rule)
        return game

    return give
