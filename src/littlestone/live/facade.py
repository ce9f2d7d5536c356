"""What `core.learner.Learner` asks of this package: to begin, with a size or with a round, and to be written."""

from __future__ import annotations

from . import store
from .begin import begin as begin
from .begin import begin_with as begin_with
from .store import save as save


def to_bytes(learner: store.AnyLearner, tickets: bool | str) -> bytes:
    """What a file of the learner would hold. Later tickets hold the names that came after it."""
    made, live = store.to_bytes(learner, store.holds_tickets(tickets)), learner.live
    if live is not None:
        live.tickets.names_written = live.setting.names_met
    return made
