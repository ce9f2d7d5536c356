"""Snapshots: a learner without its open decisions, which come back from the log."""

import pytest

from littlestone.serve.requests import Outcome, Question, Spec
from littlestone.serve.service import Limits, Service
from littlestone.serve.snapshots import state_bytes
from littlestone.serve.store import Snapshot

pytestmark = pytest.mark.usefixtures("plain")


def played(store, decisions):
    service = Service(store, Limits(snapshot_every=1 << 40))
    service.make("a", Spec("exp3", n=2, interval=(0.0, 1.0)))
    for i in range(decisions):
        service.decide("a", str(i), Question())
    store.commit(service.take_batch()[0])
    return service


def test_open_decisions_make_no_snapshot_larger(new_log):
    store = new_log()
    service = played(store, 400)
    entry = service.entry("a")
    assert entry.open == 400
    assert len(state_bytes(entry.learner)) < len(entry.learner.to_bytes()) / 20
    for i in range(0, 400, 2):
        service.tell("a", str(i), Outcome(reward=1.0))
    store.commit(service.take_batch()[0])
    service.snapshot(entry)
    assert (entry.open, len(entry.learner.live.tickets)) == (200, 200)
    for i in range(1, 120, 2):  # open when the snapshot is made, and told behind it
        service.tell("a", str(i), Outcome(reward=0.0))
    service.decide("a", "later", Question())
    store.commit(service.take_batch()[0])
    again = Service(store)
    found = again.entry("a")
    assert (found.open, again.replayed) == (141, 61)
    assert found.learner.digest(tickets=True) == entry.learner.digest(tickets=True)
    store.close()


def test_snapshots_that_hold_their_tickets_are_read(new_log):
    """As version 0.14 wrote them."""
    store = new_log()
    service = played(store, 5)
    learner = service.entry("a").learner
    digest = learner.digest(tickets=True)
    row = store.learner("a")
    before = Snapshot(
        row.id, 5, learner.to_bytes(), digest, b"{}", store.engine(learner.live.engine)
    )
    service.batch.snapshots.append(before)
    store.commit(service.take_batch()[0])
    again = Service(store)
    assert again.entry("a").learner.digest(tickets=True) == digest
    assert again.replayed == 0
    store.close()
