"""Comparators of a run, by the name that a theorem gives them. To be replaced by `by_name`, which takes `Rounds`."""

from __future__ import annotations

from typing import Any

from ...core.guarantee import Family
from . import by_name
from .best_linear import Best
from .by_name import sizes as sizes
from .rounds import Rounds


def of(kind: str, run: Any) -> Family:
    return by_name.comparators(kind, Rounds.of(run.transcript, run.codes))


def best(run: Any) -> Best | None:
    return by_name.best(Rounds.of(run.transcript, run.codes), lambda: run.family("linear"))
