"""A learner as it was after one of its events, read from the log, off the writer."""

from __future__ import annotations

from .log_lines import last_event, learner_row
from .problems import Problem
from .service import Entry, Service
from .store import Store

MOST_REPLAYED = 100_000  # events


def entry_at(service: Service, reader: Store, name: str, at: int) -> Entry:
    """The learner after event `at`: from a snapshot before it, or from its first event."""
    row = learner_row(reader, name)
    last = last_event(reader, row.id)
    if not 1 <= at <= last:
        raise Problem(
            422, "no such event", f"{name!r} has events 1 to {last}, not {at}", field="at", value=at
        )
    before = [s.seq for s in reader.snapshots(row.id) if s.seq <= at]
    if at - max(before, default=0) > MOST_REPLAYED:
        raise Problem(
            413, "too far back", f"more than {MOST_REPLAYED:,} events would be replayed: fork it at {at}",
            field="at", value=at,
        )  # fmt: skip
    reader.engines.update(service.store.engines)  # a reader writes nothing down
    return Service(reader, service.limits).load(row, until=at)
