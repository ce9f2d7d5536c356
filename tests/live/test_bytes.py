"""A learner and its tickets as bytes, for a database: from a snapshot and the tickets after it, the same learner."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadFile, BadInput
from littlestone.live.tickets import Ticket

pytestmark = pytest.mark.usefixtures("plain")


def test_a_learner_is_its_bytes(tmp_path):
    learner = ls.Perceptron().update([1.0, 2.0], 1)
    ticket = learner.ask([0.0, 1.0])
    raw = learner.to_bytes()
    assert learner.save(tmp_path / "p.ls").read_bytes() == raw
    again = ls.from_bytes(raw, ls.Perceptron)
    assert again.digest(tickets=True) == learner.digest(tickets=True)
    again.tell(ticket.id, 1)
    bare = ls.from_bytes(learner.to_bytes(tickets="none"))
    with pytest.raises(BadInput, match="tell it with the ticket itself"):
        bare.tell(ticket.id, 1)
    bare.tell(ticket, 1)
    assert bare.digest() == again.digest()
    assert ls.engine_id("plain").encode() in raw


def test_what_is_no_learner_is_refused():
    learner = ls.Hedge().start(2)
    with pytest.raises(BadFile, match="these bytes holds a Hedge, not a Tracker"):
        ls.from_bytes(learner.to_bytes(), ls.Tracker)
    with pytest.raises(BadFile, match="these bytes is not a Littlestone file"):
        ls.from_bytes(b"nothing")
    with pytest.raises(BadInput, match=r"takes bytes, not 'a\.ls'"):
        ls.from_bytes("a.ls")
    with pytest.raises(BadInput, match='"all" or "none", not \'some\'') as found:
        learner.to_bytes(tickets="some")
    assert found.value.field == "tickets"
    raw = bytearray(learner.to_bytes())
    raw[-3] ^= 1
    with pytest.raises(BadFile, match="checksum"):
        ls.from_bytes(bytes(raw))


@pytest.mark.parametrize(
    ("make", "x", "y"),
    [
        (lambda: ls.EXP3().start(["red", "green"]), [None] * 12, [0.5, 0.0, 1.0] * 4),
        (
            lambda: ls.LinUCB().start(3, features=["price", "hour"]),
            [{"price": t / 3, "hour": 1.0} for t in range(12)],
            [0.5, 0.25, 1.0] * 4,
        ),
        (lambda: ls.Hedge().start(3), [None] * 12, np.eye(3)[[0, 1, 1] * 4].tolist()),
        (
            lambda: ls.OGD(loss="square").update({"a": 1.0}, 1.0),
            [{f"n{t}": 1.0, "a": 2.0} for t in range(12)],
            [1.0, 2.0, -1.0] * 4,
        ),
        (
            lambda: ls.OnlineLinear().update({"a": 1.0}, "yes"),
            [{f"n{t // 2}": 1.0, "city": f"c{t}"} for t in range(12)],
            ["yes", "no", "maybe"] * 4,
        ),
    ],
)
def test_a_snapshot_and_the_tickets_after_it_are_the_learner(make, x, y):
    """Tickets as a log would hold them, in their order; the outcomes come in another order, some of them never."""
    learner = make()
    snapshot, log, issued = learner.to_bytes(), [], []
    for t in range(12):
        issued.append(learner.ask(x[t]))
        log.append(("ask", issued[t].to_bytes(), None))
        for told in (t, t - 2) if t % 3 == 2 else ():
            learner.tell(ls.from_bytes(issued[told].to_bytes(), Ticket), y[told])
            log.append(("tell", issued[told].id, y[told]))
    again = ls.from_bytes(snapshot)
    for what, item, outcome in log:
        if what == "ask":
            assert again.reopen(ls.from_bytes(item, Ticket))
            assert not again.reopen(ls.from_bytes(item, Ticket))
        else:
            again.tell(item, outcome)
    assert again.digest(tickets=True) == learner.digest(tickets=True)
    for one in (again, learner):
        one.tell(one.ask(x[3]), y[3])
    assert again.digest(tickets=True) == learner.digest(tickets=True)


def test_names_travel_in_the_ticket_with_which_they_came():
    learner = ls.OGD(loss="square").update({"a": 1.0}, 1.0)
    learner.to_bytes()
    assert learner.ask({"a": 2.0}).names is None
    ticket = learner.ask({"b": 1.0, "c": 1.0})
    assert ticket.names["features"] == ["b", "c"]
    assert ls.from_bytes(ticket.to_bytes(), Ticket).names == ticket.names
    assert learner.ask({"c": 1.0}).names is None


def test_a_ticket_of_another_learner_is_not_reopened():
    one, other = ls.EXP3().start(2), ls.UCB1().start(2)
    ticket = one.ask()
    with pytest.raises(BadInput, match="issued by another learner") as found:
        other.reopen(ticket)
    assert found.value.field == "ticket"


@pytest.mark.parametrize(
    ("make", "x"),
    [
        (lambda: ls.EXP3().start(10), None),
        (lambda: ls.LinUCB().start(4, features=5), np.ones(5)),
        (lambda: ls.Tracker().start(8, allocation=False), np.linspace(0, 1, 8)),
        (lambda: ls.OnlineLinear().start(10), np.ones(10)),
        (lambda: ls.ACI().start(1), np.ones(1)),
    ],
)
def test_a_ticket_takes_at_most_300_bytes(make, x):
    learner = make()
    assert len(learner.ask(x).to_bytes()) <= 300
    before = len(learner.to_bytes())
    for _ in range(50):
        learner.ask(x)
    assert (len(learner.to_bytes()) - before) / 50 <= 300


def test_tickets_of_sets_are_bytes_too():
    learner = ls.Intervals(ls.OnlineLinearRegression(), level=0.9)
    for t in range(5):
        learner.update([t / 5, 1.0], t / 5)
    snapshot = learner.to_bytes()
    ticket = learner.ask([0.5, 1.0])
    raw = ticket.to_bytes()
    learner.tell(ticket, 0.7)
    again = ls.from_bytes(snapshot, ls.Intervals)
    back = ls.from_bytes(raw, type(ticket))
    assert (back.id, back.prediction) == (ticket.id, ticket.prediction)
    assert again.reopen(back)
    again.tell(back.id, 0.7)
    assert again.predict([0.1, 1.0]) == learner.predict([0.1, 1.0])
    assert (again.coverage, again.rounds) == (learner.coverage, learner.rounds)
    with pytest.raises(BadInput, match="needs a ticket"):
        again.reopen("5")
