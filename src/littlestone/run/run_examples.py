"""Shim while the rooms above move over; to be removed."""

from __future__ import annotations

from typing import Any

from .run import Run


class _Kind(type):
    def __instancecheck__(cls, run: Any) -> bool:
        return isinstance(run, Run) and run.traits.given == cls.given  # type: ignore[attr-defined]


class ExampleRun(Run, metaclass=_Kind):
    given = "examples"


class BanditRun(Run, metaclass=_Kind):
    given = "arms"
