"""The options of `play` for type checkers: those that its overloads have in common.

Python itself reads the signature of `play`; tests/docs/test_typing.py compares the two with the fields of a request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypedDict

OF_BANDITS = ("rewards", "available", "rounds", "workers")


class Options(TypedDict, total=False):
    """What `play` takes by name, besides `by` and `seeds`, which decide what it returns."""

    outcome: str | int | None
    experts: Any
    task: Literal["classification", "regression", "forecasting", "losses"] | None
    losses: bool | None
    labels: Any
    features: Any
    weights: Any
    bits: int | None
    interactions: Any
    text: Any
    ngram: int
    on_bad_line: str
    format: str | None
    encoding: str | None
    decimal: Literal[".", ","] | None
    tasks: Any
    rewards: bool
    available: Any
    rounds: int | None
    workers: int | None
    seed: int
    interval: tuple[float, float] | None
    delay: Any
    interleave: bool | None
    record: Literal["auto", "all", "none"]
    asleep: Literal["error", "last"]
    horizon: int | None
    shifts: int | None
    importance: Any
    passes: int
    resume: bool
    certify: bool
    costs: Mapping[tuple[Any, Any], float] | None
    threshold: float | Mapping[Any, float] | None
    engine: Literal["plain", "compiled"] | None
    progress: Callable[[int, float], None] | Literal[False] | None
    sink: Callable[[int, Any, Any], None] | None
