"""What a snapshot holds: a learner without its open decisions, whose tickets are in the log already.

So a snapshot takes as long with a hundred thousand open decisions as with none.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..core.errors import LittlestoneError
from ..live.store import from_bytes
from ..live.tickets import Ticket, Tickets
from .rounds import AnyLearner
from .store import Snapshot


def state_bytes(learner: AnyLearner) -> bytes:
    """The learner as bytes, as if no decision were open."""
    live = learner.live
    kept = live.tickets
    live.tickets = Tickets()
    live.tickets.mark = kept.mark
    try:
        found = learner.to_bytes()
    finally:
        kept.names_written = live.tickets.names_written
        live.tickets = kept
    return found


def keep_open(learner: AnyLearner, tickets: Iterable[bytes]) -> None:
    """Keep tickets of rounds that the learner has had already."""
    for raw in tickets:
        learner.live.tickets.keep(Ticket.from_bytes(raw))


def whole_snapshot(saved: Snapshot) -> AnyLearner | None:
    """The learner of a snapshot; None where it is damaged. Those of 0.14 hold their tickets."""
    try:
        found: AnyLearner = from_bytes(saved.body)
    except LittlestoneError:
        return None
    return found if saved.digest in (found.digest(), found.digest(tickets=True)) else None
