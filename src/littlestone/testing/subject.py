"""What a check is about: a learner, its worked row, and how its rounds are played."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..live import store
from .kinds import Examples, Kind, kind_of
from .row import Row


class Subject:
    """A learner, its worked row, and how its rounds are played."""

    def __init__(self, learner: Any, row: Row) -> None:
        if row.key and row.key != learner.key:
            raise AssertionError(f"the row is one of {row.key}, not of {learner.key}")
        self.learner, self.row = learner, row
        self.kind: Kind = kind_of(learner, row.x)

    def made(self) -> Any:
        """The learner, not begun."""
        return self.learner.replace()

    def rounds(self, T: int, seed: int = 0) -> tuple[Any, Any]:
        """T rounds that suit the learner."""
        n = self.row.width or self.kind.width
        if self.row.sample is not None:
            return self.row.sample(T, n, seed)
        return self.kind.drawn(np.random.default_rng(seed), T, n)

    def play(self, x: Any, y: Any, learner: Any = None, **options: Any) -> Any:
        return self.kind.play(self.made() if learner is None else learner, x, y, **options)

    def known(self, y: Any) -> dict[str, Any]:
        """What must be said of all rounds where only some of them are played: the classes."""
        found = self.kind.labels(y) if isinstance(self.kind, Examples) else None
        return {} if found is None else {"labels": found}

    def begun(self, x: Any, y: Any, rounds: int) -> Any:
        return self.kind.begun(self.made(), x, y, rounds)

    def decisions(self, run: Any) -> Any:
        return np.asarray(getattr(run, self.kind.decisions))


@contextlib.contextmanager
def using(engine: str) -> Iterator[None]:
    """Let learners that begin here run plain or compiled."""
    before = os.environ.pop("LITTLESTONE_ENGINE", None)
    if engine == "plain":
        os.environ["LITTLESTONE_ENGINE"] = "plain"
    try:
        yield
    finally:
        os.environ.pop("LITTLESTONE_ENGINE", None)
        if before is not None:
            os.environ["LITTLESTONE_ENGINE"] = before


def part(v: Any, rows: slice) -> Any:
    return None if v is None else v[rows]


def copied(learner: Any) -> Any:
    """The same learner, through the bytes of its file."""
    return store.from_bytes(store.to_bytes(learner))


def not_begun(learner: Any) -> bool:
    try:
        _ = learner.state
    except BadInput:
        return True
    return False
