"""Live learners in production: probabilities, arms with names, decisions logged elsewhere, a log of tickets."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadFile, BadInput
from littlestone.testing.compare import same

BANDITS = ["exp3", "ucb1", "thompson", "epsilon-greedy"]


@pytest.fixture(autouse=True)
def _plain(plain):
    """Nothing here needs compiled code."""


def test_probabilities_of_classes():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    for key, labels in (("softmax", "abc"), ("online-linear", "abc"), ("logistic", "ab")):
        y = [labels[int(x.argmax()) % len(labels)] for x in X]
        learner = ls.learner(key)
        for x, label in zip(X, y, strict=True):
            learner.update(x, label)
        p = learner.predict_proba(X[0])
        assert set(p) == set(labels)
        kept = 0.0 if key == "logistic" else 1 / 61**2  # for a class not seen before
        assert sum(p.values()) == pytest.approx(1.0 - kept)
        assert max(p, key=p.get) == learner.predict(X[0])
        many = learner.predict_proba(X[:5])
        assert many.shape == (5, len(labels))
        assert many[0].tolist() == [p[label] for label in learner.classes]


def test_learners_without_probabilities_say_so():
    with pytest.raises(BadInput, match="the scores of perceptron are no probabilities"):
        ls.Perceptron().update([1.0], 1).predict_proba([1.0])
    with pytest.raises(BadInput, match="hedge predicts no classes"):
        ls.Hedge().start(2).predict_proba([1.0, 2.0])
    with pytest.raises(BadInput, match="has not seen a round yet"):
        ls.Softmax().predict_proba([1.0])


@pytest.mark.parametrize("key", BANDITS)
def test_arms_with_names(key, tmp_path):
    named = ls.learner(key).start(["red", "green", "blue"], rounds=50, seed=3)
    plain = ls.learner(key).start(3, rounds=50, seed=3)
    names = ("red", "green", "blue")
    for t in range(20):
        arm = named.predict()
        assert arm == names[plain.predict()]
        named.update(arm=arm, loss=(t % 3) / 2)
        plain.update(arm=names.index(arm), loss=(t % 3) / 2)
    assert same(named.state, plain.state)
    ticket = named.ask()
    assert ticket.prediction in names
    loaded = ls.load(named.save(tmp_path / "a.ls"))
    assert loaded.predict() in names
    with pytest.raises(BadInput, match="arm 'grey' is none of the arms: they are red, green, blue"):
        named.update(arm="grey", loss=0.0)
    with pytest.raises(BadInput, match="they have no names"):
        plain.update(arm="red", loss=0.0)
    for bad in (["a", "a"], ["a", 1], []):
        with pytest.raises(BadInput):
            ls.learner(key).start(bad)


def test_decisions_logged_elsewhere():
    learner = ls.EXP3(eta=0.1).start(3)
    learner.update(arm=0, propensity=0.2, loss=1.0)  # an estimate of 1/0.2 for arm 0
    expected = np.exp([-0.5, 0.0, 0.0])
    assert learner.propensities() == pytest.approx(expected / expected.sum())
    before = learner.digest()
    for bad in (0.0, -0.1, 1.5, np.nan, "a", 10**400):
        with pytest.raises(BadInput, match="propensity must be a probability"):
            learner.update(arm=0, propensity=bad, loss=1.0)
    assert learner.digest() == before


def test_an_arm_that_this_learner_would_never_pull():
    learner = ls.UCB1().start(2)
    other = 1 - learner.predict()
    with pytest.raises(BadInput, match="probability 0"):
        learner.update(arm=other, loss=0.5)
    learner.update(arm=other, propensity=0.5, loss=0.5)
    assert learner.live.t == 1


def test_tickets_are_found_by_id():
    learner = ls.EXP3().start(3, rounds=10)
    ticket, other = learner.ask(), learner.ask()
    assert ticket.id != other.id
    learner.tell(ticket.id, 0.5)
    assert [t.id for t in learner.tickets] == [other.id]
    for bad, words in (
        (ticket.id, "was told before"),
        (ticket.id[:-1] + "7", "was never issued"),
        ("12-0", "no id of a ticket"),
        ("", "no id of a ticket"),
    ):
        with pytest.raises(BadInput, match=words):
            learner.tell(bad, 0.5)


@pytest.mark.parametrize("key", [*BANDITS, "hedge", "perceptron"])
def test_a_log_of_tickets_survives_a_crash(key, tmp_path):
    bandit = key in BANDITS
    whole = ls.learner(key)
    if key != "perceptron":
        whole.start(3, rounds=20, seed=1)
    else:
        whole.update([1.0, 0.0, 0.5], 1)
    x = [[1.0, -0.5, 0.5]] if key == "perceptron" else []

    def outcome(t):
        return t % 2 / 2 if bandit else [0.5, 0.0, 1.0] if key == "hedge" else (-1) ** t

    saved, log = tmp_path / "a.ls", tmp_path / "tickets.log"
    whole.log_tickets(log)
    tickets = [whole.ask(*x) for _ in range(3)]
    whole.tell(tickets[0], outcome(0))
    whole.save(saved)
    tickets += [whole.ask(*x) for _ in range(3)]
    for t in (4, 2):
        whole.tell(tickets[t], outcome(t))
    # the process dies here, in the middle of a record
    with log.open("ab") as file:
        file.write(b"\x20\x00\x00\x00half")
    again = ls.load(saved)
    assert again.recover(log) == 5  # three were asked, and two told
    # some bandits keep their last decision in the state
    assert again.predict(*x) == pytest.approx(whole.predict(*x))
    assert again.digest() == whole.digest()
    assert [t.id for t in again.tickets] == [t.id for t in whole.tickets]
    assert again.recover(log) == 0
    again.log_tickets(log)  # goes on behind the last whole record
    again.tell(tickets[5].id, outcome(5))
    third = ls.load(saved)
    assert third.recover(log) == 6
    assert third.predict(*x) == pytest.approx(again.predict(*x))
    assert third.digest() == again.digest()


def test_a_log_is_shortened_once_the_learner_is_saved(tmp_path):
    saved, log = tmp_path / "a.ls", tmp_path / "tickets.log"
    learner = ls.EXP3().start(["red", "green"], rounds=1000)
    with pytest.raises(BadInput, match="no log of tickets is being written"):
        learner.shorten_log()
    learner.log_tickets(log)
    tickets = [learner.ask() for _ in range(50)]
    for ticket in tickets[:-1]:
        learner.tell(ticket, 0.5)
    learner.save(tmp_path / "without.ls", tickets=False)
    with pytest.raises(BadInput, match="save it first"):
        learner.shorten_log()
    learner.save(saved)
    long = log.stat().st_size
    assert learner.shorten_log() is learner
    assert log.stat().st_size < long / 20  # one ticket is still open
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.ls", "tickets.log", "without.ls"]
    later = learner.ask()
    learner.tell(tickets[-1], 1.0)
    with pytest.raises(BadInput, match="save it first"):
        learner.shorten_log()
    again = ls.load(saved)
    assert again.recover(log) == 2  # one was asked, and one told
    again.predict(), learner.predict()
    assert again.digest() == learner.digest()
    assert [ticket.id for ticket in again.tickets] == [later.id]


@pytest.mark.parametrize("key", ["ucb1", "linucb"])
def test_an_arm_that_would_not_be_chosen_needs_its_propensity(key):
    learner = ls.learner(key).start(3, features=2 if key == "linucb" else 0)
    x = [1.0, 0.5] if key == "linucb" else None
    other = (learner.predict(x) + 1) % 3
    with pytest.raises(BadInput, match="propensity="):
        learner.update(x, other, 0.5)
    learner.update(x, other, 0.5, propensity=0.3)
    named = ls.UCB1().start(["red", "green"]).update(arm="red", loss=1.0)
    with pytest.raises(BadInput, match="arm 'red' had probability 0"):
        named.update(arm="red", loss=1.0)


def test_a_log_that_is_none_or_of_another_learner(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"something else")
    learner = ls.EXP3().start(3, rounds=10)
    for call in (learner.log_tickets, learner.recover):
        with pytest.raises(BadFile, match="not a log of tickets"):
            call(path)
    path.unlink()
    assert learner.recover(path) == 0
    learner.log_tickets(path).ask()
    with pytest.raises(BadInput, match="written by another learner"):
        ls.UCB1().start(3).recover(path)
    raw = bytearray(path.read_bytes())
    raw[40] ^= 1
    learner.ask()
    path.write_bytes(bytes(raw) + path.read_bytes()[len(raw) :])
    with pytest.raises(BadFile, match="damaged"):
        ls.EXP3().start(3, rounds=10).recover(path)


@pytest.mark.parametrize(
    "key", ["perceptron", "online-linear", "softmax", "online-linear-regression"]
)
def test_verbs_in_turn_share_their_compiled_code(key, monkeypatch):
    """`ask`, `tell` and `predict` in turn: nothing is compiled or packed anew beyond the first rounds."""
    monkeypatch.delenv("LITTLESTONE_ENGINE", raising=False)
    from littlestone.engine.packed import shared

    rng, learner = np.random.default_rng(0), ls.learner(key)
    X = rng.standard_normal((400, 4))
    for t, x in enumerate(X):
        y = int(x[0] > 0)
        learner.tell(learner.ask(x), y)
        learner.predict(x)
        learner.update(x, y)
        if t == 20:
            kinds = len(shared)
    assert len(shared) == kinds
    assert len(learner.live.tickets) == 0
