"""The alarm of a live learner: every kind, late outcomes, files, refusals."""

import random

import pytest

import littlestone as ls
from littlestone.core.registry import learner as made

pytestmark = pytest.mark.usefixtures("plain")

KINDS = {  # a round of each kind: what is asked, and outcomes that cost nothing and everything
    "exp3": ((2,), {}, {}, None, 0.0, 1.0),
    "hedge": ((2,), {"allocation": True}, {}, None, [0.0, 0.0], [1.0, 1.0]),
    "tracker": ((2,), {"interval": (0, 1), "allocation": False}, {}, [0.0, 0.0], 0.0, 1.0),
    "online-linear": ((), {"sparse": True, "labels": ["a", "b"]}, {}, {"u": 1.0}, "a", "b"),
    "perceptron": ((1,), {"labels": [0, 1]}, {}, [1.0], 1, 0),
    "online-linear-regression": ((1,), {}, {"largest": 2.0}, [1.0], 0.0, 9.0),
    "cover": ((1,), {}, {}, [1.0], 1.0, 1e9),
}


def begun(key, **claim):
    positional, known, more, *rest = KINDS[key]
    learner = made(key).start(*positional, **known)
    alarm = learner.alarm(level=0.01, **more, **(claim or {"claimed": 0.2}))
    return learner, alarm, *rest


@pytest.mark.parametrize("key", KINDS)
def test_it_rings_when_rounds_cost_more_than_claimed(key):
    learner, alarm, x, good, bad = begun(key)
    r = random.Random(0)
    for _ in range(60):
        learner.tell(learner.ask(x), bad if r.random() < 0.1 and key != "cover" else good)
    assert alarm.rang is None
    assert alarm.tested == 60
    for _ in range(300):
        ticket = learner.ask(x)
        if key == "cover":
            bad = min(2.0 * abs(ticket.prediction[1]) + 1.0, 1e9)  # outside of what was said
        costly = r.random() < 0.5 or key in ("exp3", "hedge", "cover")
        learner.tell(ticket, bad if costly else good)
    assert alarm.rang is not None, alarm
    assert 60 <= alarm.rang < 300
    assert alarm.p_value < 0.01 < alarm.mean


@pytest.mark.parametrize("key", ["exp3", "hedge", "tracker", "perceptron", "online-linear"])
def test_update_and_ask_with_tell_are_the_same_to_it(key):
    first, one, x, good, bad = begun(key)
    second, other, *_ = begun(key)
    r = random.Random(1)
    for _ in range(30):
        y = bad if r.random() < 0.5 else good
        ticket = second.ask(x)
        if key == "exp3":
            first.update(arm=ticket.prediction, loss=y)
        elif x is None:
            first.update(y)
        else:
            first.update(x, y)
        second.tell(ticket, y)
    assert one.body() == other.body()
    assert one.tested == 30


def test_outcomes_count_in_the_order_of_their_rounds():
    learner, alarm, x, _, bad = begun("perceptron")
    tickets = [learner.ask(x) for _ in range(50)]
    for ticket in tickets[1:40]:
        learner.tell(ticket, bad)
    assert (alarm.tested, alarm.rang) == (0, None)  # the first round is still open
    learner.tell(tickets[0], None)
    assert alarm.tested == 39  # and one whose outcome will never be known
    assert alarm.rang == 1 + next(i for i in range(50) if rings_after(i + 1))


def rings_after(losses):
    """Does an alarm ring after so many losses of 1?"""
    learner, alarm, x, *_ = begun("perceptron")
    for _ in range(losses):
        learner.tell(learner.ask(x), 1 - learner.predict(x))
    return alarm.rang is not None


def test_a_reference_period_makes_the_claim():
    learner, alarm, x, *_ = begun("perceptron", reference=100)
    for _ in range(100):
        assert alarm.claim is None
        learner.tell(learner.ask(x), learner.predict(x))
    claim = alarm.claim
    assert 0.0 < claim < 0.3
    for _ in range(200):
        learner.tell(learner.ask(x), learner.predict(x))
    assert alarm.rang is None
    for _ in range(60):
        wrong = 1 - learner.predict(x)
        learner.tell(learner.ask(x), wrong)
    assert alarm.rang is not None
    assert alarm.claim == claim


@pytest.mark.parametrize("key", ["exp3", "perceptron", "tracker"])
def test_it_is_saved_with_the_learner(key, tmp_path):
    learner, alarm, x, good, bad = begun(key, reference=5)
    for i in range(12):
        learner.tell(learner.ask(x), bad if i % 3 else good)
    open_, behind = learner.ask(x), learner.ask(x)
    learner.tell(behind, bad)
    again = ls.load(learner.save(tmp_path / "file"))
    copy = learner.__copy__()
    for other in (again, copy):
        assert other.alarm().body() == alarm.body()
        other.tell(open_.id, bad)
    learner.tell(open_, bad)
    assert again.alarm().body() == copy.alarm().body() == alarm.body()
    assert alarm.next == 14
    assert again.digest() == learner.digest()


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"level": 0.0, "claimed": 0.1}, "level"),
        ({"level": float("nan"), "claimed": 0.1}, "level"),
        ({"level": 0.1}, "claimed"),
        ({"level": 0.1, "claimed": 0.1, "reference": 9}, "claimed"),
        ({"level": 0.1, "claimed": 1.0}, "claimed"),
        ({"level": 0.1, "reference": 0}, "reference"),
        ({"level": 0.1, "reference": 2.5}, "reference"),
        ({"level": 0.1, "claimed": 0.1, "largest": -1.0}, "largest"),
    ],
)
def test_refusals_name_the_field(given, field):
    learner = ls.Perceptron().start(1)
    with pytest.raises(ls.BadInput) as found:
        learner.alarm(**given)
    assert found.value.field == field
    with pytest.raises(ls.LittlestoneError, match="has no alarm"):
        learner.alarm()


def test_errors_need_a_largest_value_and_one_alarm_is_set():
    learner = made("online-linear-regression").start(1)
    with pytest.raises(ls.BadInput, match="say largest="):
        learner.alarm(level=0.1, claimed=0.5)
    learner.alarm(level=0.1, claimed=0.5, largest=3.0)
    with pytest.raises(ls.BadInput, match="has an alarm already"):
        learner.alarm(level=0.1, claimed=0.5, largest=3.0)
