"""Learn beside a policy that acts: its arms and their probabilities in the ticket; and outcomes that count more."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.core.registry import learners
from littlestone.live.tickets import Ticket

BANDITS = sorted(key for key, cls in learners().items() if cls.bandit)


def begun(key):
    learner = ls.learner(key)
    if key == "exp4":
        return learner.start(2, features=4), np.array([[0.5, 0.5], [0.9, 0.1]])
    if learner.contexts:
        return learner.start(2, features=3), np.array([0.1, 0.2, 0.3])
    return learner.start(2), None


@pytest.mark.parametrize("key", BANDITS)
def test_a_ticket_of_an_arm_that_something_else_chose_is_an_update(key, plain):
    late, x = begun(key)
    prompt, _ = begun(key)
    for t in range(12):
        arm, loss, p = t % 2, (t % 3) / 2, 0.25 + 0.5 * (t % 2)
        ticket = late.ask(x, arm=arm, propensity=p)
        assert (ticket.prediction, ticket.decision[arm]) == (arm, p)
        late.tell(Ticket.from_bytes(ticket.to_bytes()), loss)
        prompt.update(x, arm, loss, propensity=p)
    assert late.digest() == prompt.digest()


def test_what_cannot_be_is_refused_and_no_ticket_is_open(plain):
    learner = ls.UCB1().start(["a", "b"])
    before = learner.digest(tickets=True)
    other = "b" if learner.predict() == "a" else "a"
    with pytest.raises(BadInput, match="had probability 0") as found:
        learner.ask(arm=other)
    assert (found.value.field, found.value.value) == ("arm", other)
    for bad in (
        {"arm": "c", "propensity": 0.5},
        {"arm": "a", "propensity": 0},
        {"propensity": 0.5},
    ):
        with pytest.raises(BadInput, match=r"arm|propensity"):
            learner.ask(**bad)
    assert learner.tickets == []
    assert learner.digest(tickets=True) == before
    assert learner.ask(arm=other, propensity=0.5).prediction == other


@pytest.mark.parametrize(
    "make",
    [lambda: ls.OGD(loss="square"), lambda: ls.Logistic(), lambda: ls.OnlineLinear()],
)
def test_an_outcome_told_later_has_its_importance(make, tmp_path, plain):
    late, prompt = make().update([1.0, 0.0], 1), make().update([1.0, 0.0], 1)
    late.save(tmp_path / "m.ls")
    late.log_tickets(tmp_path / "log")
    rows = [([0.5, 1.0], 0, 2.0), ([1.0, -1.0], 1, 0.0), ([0.2, 0.3], 0, 1.0)]
    for x, y, h in rows:
        late.tell(late.ask(x), y, importance=h)
        prompt.update(x, y, importance=h)
    assert np.allclose(late.predict([[1.0, 2.0]]), prompt.predict([[1.0, 2.0]]))
    again = ls.load(tmp_path / "m.ls")
    again.recover(tmp_path / "log")
    assert again.digest() == late.digest()
    ticket = late.ask([1.0, 1.0])
    for bad in (-1.0, "much", float("nan"), np.array([1.0, 2.0])):
        with pytest.raises(BadInput, match="importance must be a number of at least 0") as found:
            late.tell(ticket, 1, importance=bad)
        assert found.value.field == "importance"
    late.tell(ticket, 1)


def test_experts_all_count_the_same(plain):
    learner = ls.Tracker().start(2, allocation=False)
    ticket = learner.ask([0.0, 1.0])
    with pytest.raises(BadInput, match="learners over experts take none"):
        learner.tell(ticket, 1.0, importance=2.0)
    assert learner.tell(ticket, 1.0).tickets == []
