"""A bandit's run as it happens: the losses of all arms are in the books, the learner sees one of them a round."""

from __future__ import annotations

from typing import Any

from ..core.stream import Batch
from ..engine.loops import Out
from ..games import absent, offers
from ..live.bandit_learner import contextual
from ..live.live import Live
from ..live.live_bandit import LiveBandit
from .session import Session


class BanditSession(Session):
    """As over experts, but for the draw, which decides what is learned."""

    def alive(self, learner: Any, game: Any, shape: Any, **more: Any) -> Live:
        self.shape = contextual(learner, shape, self.features)
        return LiveBandit(learner, game, self.shape, features=self.features, **more)

    def nothing(self, rounds: int) -> Any:
        return offers(rounds)

    def begin(self, batch: Batch) -> None:
        self.features = 0 if batch.x is None else batch.x.x.shape[1]
        # best sequences take longer than all else: only where a theorem speaks of them
        if self.shifts is None and not any(g.against == "sequence" for g in self.asked.guarantees):
            self.shifts = 0
        super().begin(batch)
        self.drawn = True
        self.slept = 0

    def write(self, x: Any, y: Any, out: Out, kept: Any, marks: Any) -> None:
        super().write(x, y, out, kept, marks)
        self.slept += absent(x.on)
