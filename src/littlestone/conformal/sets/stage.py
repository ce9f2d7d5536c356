"""One learner that goes over pieces of rounds, and can be put into a file between two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.errors import BadInput
from ...core.stream import Array, Batch
from ...encode.stream import Stream
from ...live import store
from ...live.late_rounds import HELD
from ...play.copies import settle_late
from ...play.options import PlayOptions
from ...play.plan import Plan
from ...play.session import Session
from ...play.transcribe import make_transcript
from ...run.run import Run

if TYPE_CHECKING:
    from ...core.learner import Learner

    AnyLearner = Learner[Any, Any, Any, Any]


class Stage:
    """A session whose pieces are answered with what was predicted in them.

    A stage that goes on from a file has a learner that has begun, and the rounds whose truth has not come yet.
    """

    def __init__(
        self, learner: AnyLearner, names: tuple[str, ...], delay: int, waiting: Any = None, *,
        expected: int | None = None, **options: Any,
    ) -> None:  # fmt: skip
        """`expected`: rounds, where that is known; `options`: others of `PlayOptions`."""
        self.learner, self.names, self.delay, self.waiting = learner, names, delay, waiting
        self.stream = Stream([], names)
        self.said: list[Any] = []
        how = PlayOptions(sink=self.sink, resume=learner.live is not None, **options)
        self.plan = Plan(how, expected=expected, delay=delay, interleave=takes_turns(learner))
        self.session = Session(learner, self.plan, self.stream)

    def sink(self, t: int, predictions: Any, losses: Any) -> None:
        self.said.append(predictions)

    def feed(self, x: Array, y: Array, first: int) -> Any:
        """Play some rounds; what was predicted in them."""
        batch = Batch(np.ascontiguousarray(x), np.ascontiguousarray(y), first)
        if not self.session.copies:
            self.begin(batch)
        self.said = []
        self.session.feed(batch)
        return np.concatenate(self.said)

    def begin(self, batch: Batch) -> None:
        self.session.begin(batch)
        if self.waiting is not None:
            self.session.wait_for(*self.waiting)

    @property
    def begun(self) -> bool:
        return bool(self.session.copies) or self.learner.live is not None

    def body(self) -> dict[str, Any]:
        """What a file holds of it: the learner as it is now, and the rounds whose truth has not come."""
        learner, waiting = self.learner, self.waiting
        if self.session.copies:
            if len(self.session.copies) > 1:
                raise BadInput(
                    f"{learner.key} has {self.delay + 1} copies that take turns, and a file keeps one: no theorem "
                    "about late truths is known for a single one"
                )
            learner = learner.replace().attach(self.session.copies[0].live.copied())
            learner.begun().late_rounds = None  # they are kept here
            waiting = self.session.past.waiting() if self.delay else None
        packed = None if waiting is None else [store.pack(v) for v in waiting]
        return {"learner": store.to_bytes(learner), "waiting": packed}

    @classmethod
    def revive(
        cls, body: dict[str, Any], names: tuple[str, ...], delay: int, **options: Any
    ) -> Stage:
        waiting = body["waiting"]
        if waiting is not None:
            waiting = [store.unpack(v, HELD) for v in waiting]
        return cls(store.from_bytes(body["learner"]), names, delay, waiting, **options)

    def caught_up(self) -> AnyLearner:
        """A copy of the learner that has learned from all truths given so far; this stage stays as it is."""
        made = Stage.revive(self.body(), self.names, self.delay)
        if made.waiting is not None and len(made.waiting[1]):
            X, Y = made.waiting[:2]
            made.begin(Batch(X, Y, 0))
            settle_late(made.session)
            return made.learner.replace().attach(made.session.copies[0].live)
        return made.learner

    def finish(self) -> Run:
        """The run, with what its theorems say."""
        return Run(make_transcript(self.session, None), self.stream)


def takes_turns(learner: AnyLearner) -> bool:
    """With late truths: are there copies that take turns, as no theorem is about a single one?"""
    return learner.live is None and not any(g.late for g in learner.guarantees)
