"""Comparators of a run, by the name that a theorem gives them; `by_name` takes `KeptRounds` instead."""

from __future__ import annotations

from typing import Any

from ...core.guarantee import Family
from . import by_name
from .best_linear import Best
from .by_name import sizes as sizes
from .kept_rounds import KeptRounds


def of(kind: str, run: Any) -> Family:
    return by_name.comparators(kind, KeptRounds.of(run.transcript, run.codes))


def best(run: Any) -> Best | None:
    return by_name.best(KeptRounds.of(run.transcript, run.codes), lambda: run.family("linear"))
