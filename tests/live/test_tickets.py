"""Tickets on their own, fingerprints, digests, and what a file may name."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadFile, BadInput
from littlestone.live import store
from littlestone.live.tickets import Ticket

KINDS = {
    "losses": (lambda: ls.Hedge().start(3, rounds=20), None, [0.1, 0.9, 0.4]),
    "advice": (lambda: ls.FixedShare(loss="square"), [0.1, 0.5, 0.9], 0.3),
    "examples": (lambda: ls.Logistic(), [1.0, -2.0], "yes"),
    "names": (lambda: ls.OnlineLinear(), {"colour": "red", "size": 2.0}, "ripe"),
    "arms": (lambda: ls.EXP3().start(4, rounds=20), None, 0.25),
}


pytestmark = pytest.mark.usefixtures("plain")


@pytest.mark.parametrize("kind", KINDS)
def test_a_ticket_from_bytes_is_told_to_a_learner_that_did_not_keep_it(kind):
    make, x, y = KINDS[kind]
    learner = make()
    tickets = [learner.ask(x) for _ in range(3)]
    raw = [ticket.to_bytes() for ticket in tickets]
    bare = store.from_bytes(store.to_bytes(learner, tickets=False))
    assert bare.tickets == []
    for one in (raw[2], raw[0]):
        bare.tell(Ticket.from_bytes(one), y)
    learner.tell(tickets[2], y).tell(tickets[0], y)
    assert bare.digest() == learner.digest()
    with pytest.raises(BadInput, match="told before: each is told once"):
        bare.tell(Ticket.from_bytes(raw[2]), y)
    assert [t.round for t in learner.tickets] == [1]


def test_a_snapshot_without_tickets_is_as_small_as_one_that_never_issued_any():
    learner = ls.Logistic()
    learner.update(np.ones(50), 1)
    none = len(store.to_bytes(learner))
    for _ in range(100):
        learner.ask(np.ones(50))
    kept, bare = len(store.to_bytes(learner)), len(store.to_bytes(learner, tickets=False))
    assert kept > 10 * none
    assert bare < none + 100 * 32  # sixteen bytes a fingerprint, and its round


def test_a_ticket_that_was_altered_is_refused_and_stays_open():
    learner = ls.Logistic()
    learner.update([1.0, 2.0], "a").update([0.0, 1.0], "b")
    ticket = learner.ask([0.5, 0.5])
    before = learner.digest()
    forged = Ticket.from_bytes(ticket.to_bytes())
    forged.x[0] = 7.0
    with pytest.raises(BadInput, match="damaged: it does not hold what it did when it was issued"):
        learner.tell(forged, "a")
    assert learner.digest() == before
    learner.tell(ticket, "a")
    assert learner.digest() != before


def test_bytes_of_a_ticket_that_are_cut_off_or_of_a_learner_are_refused():
    learner = ls.Logistic()
    raw = learner.ask([1.0]).to_bytes()
    with pytest.raises(BadFile, match=r"cut off or damaged|checksum"):
        Ticket.from_bytes(raw[:-3])
    with pytest.raises(BadFile, match="these bytes hold a learner"):
        Ticket.from_bytes(store.to_bytes(learner))


@pytest.mark.parametrize("kind", KINDS)
def test_equal_states_have_equal_digests(kind):
    make, x, y = KINDS[kind]
    one, two = make(), make()
    for learner in (one, two):
        learner.tell(learner.ask(x), y)
    assert one.digest() == two.digest()
    assert store.from_bytes(store.to_bytes(one)).digest() == one.digest()
    two.tell(two.ask(x), y)
    assert one.digest() != two.digest()


def naming(learner, module):
    """A file, with a checksum that holds, whose state claims to be a class `main` of another module."""
    body = store.describe_learner(learner)
    body["live"]["state"] |= {"name": "main", "module": module}
    return store.seal_body(body)


@pytest.mark.parametrize(
    "module", ["littlestone.cli.main", "littlestone_lectures.campaign", "littlestone.nothing", "os"]
)
def test_a_file_may_not_name_modules_that_hold_no_states(module, monkeypatch):
    learner = ls.Perceptron()
    learner.update([1.0, 2.0], 1)
    imported = []
    real = store.importlib.import_module
    monkeypatch.setattr(
        store.importlib, "import_module", lambda name: imported.append(name) or real(name)
    )
    with pytest.raises(BadFile, match="it holds a 'main', which this learner does not have"):
        store.from_bytes(naming(learner, module))
    assert module not in imported
