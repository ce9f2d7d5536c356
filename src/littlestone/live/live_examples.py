"""Shim while the rooms above move over; to be removed."""

from __future__ import annotations

from typing import Any

from ..settings.examples import coder as coder
from ..settings.examples import matrix as matrix
from .begin import begin
from .live import Live


class _Kind(type):
    def __instancecheck__(cls, live: Any) -> bool:
        return isinstance(live, Live) and live.traits.given == "examples"


class LiveExamples(Live, metaclass=_Kind):
    pass


def start_examples(learner: Any, n: int, **more: Any) -> Live:
    return begin(learner, n, **more)


def fit_examples(learner: Any, n: int, rounds: int, labels: Any, sparse: bool) -> Any:
    from ..settings import Examples, Known

    s = Examples.fitted(learner, Known(n=n, rounds=rounds, labels=labels, sparse=sparse))
    return s.learner, s.game, s.shape
