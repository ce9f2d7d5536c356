"""The log of tickets holds the names that came with them: what is recovered is the learner that was lost."""

import os

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadFile, BadInput
from littlestone.testing.compare import same

pytestmark = pytest.mark.usefixtures("plain")


def rows(T, seed=0):
    """New names come all along; "city" holds text, of which some values are new."""
    rng = np.random.default_rng(seed)
    found = [{f"n{i}": float(rng.normal()) for i in rng.integers(t, t + 5, 3)} for t in range(T)]
    for t, row in enumerate(found):
        row["city"] = f"city {rng.integers(1 + t // 3)}"
    return found


def started(learner, folder, first):
    """A learner that has learned from one row, was saved, and writes a log since."""
    learner.update(*first)
    path = learner.save(folder / "m.ls")
    learner.log_tickets(folder / "log")
    return path


@pytest.mark.parametrize(
    "make",
    [
        lambda: ls.OGD(loss="square"),
        lambda: ls.OnlineLinearRegression(),
        lambda: ls.Logistic(),
        lambda: ls.OnlineLinear(),
        lambda: ls.learner("online-kernel"),
    ],
)
def test_what_was_learned_by_name_comes_back(make, tmp_path):
    lost, X = make(), rows(24)
    y = (
        [float(t % 3) for t in range(24)]
        if lost.key in ("ogd", "online-linear-regression")
        else None
    )
    y = y or ["a", "b"] * 12
    path = started(lost, tmp_path, (X[0], y[0]))
    tickets = [lost.ask(x) for x in X[1:12]]
    for t in (0, 4, 2, 9):
        lost.tell(tickets[t], y[1 + t])
    lost.update(X[12], y[12])  # no ticket, no log: it is lost, and its names are not
    again = ls.load(path)
    assert again.recover(tmp_path / "log") == 15
    for learner in (lost, again):
        assert [ticket.round for ticket in learner.tickets] == [2, 4, 6, 7, 8, 9, 11]
    places = lost.live.setting.features
    ticket = lost.ask(X[13])
    assert ticket.x.index.max() < len(places)
    again.recover(tmp_path / "log")
    assert again.live.setting.features == places
    assert list(again.live.setting.features) == list(places)
    assert again.live.t == lost.live.t


def test_scores_of_lost_names_are_those_of_the_learner_that_was_lost(tmp_path):
    lost = ls.OGD(loss="square")
    path = started(lost, tmp_path, ({"a": 1.0}, 1.0))
    for name in ("b", "c"):
        lost.tell(lost.ask({name: 1.0}), 1.0)
    again = ls.load(path)
    again.recover(tmp_path / "log")
    for one in (again, lost):
        one.update({"d": 1.0}, 1.0)
    assert again.named_weights() == lost.named_weights()
    assert [again.predict({name: 1.0}) for name in "abcd"] == [
        lost.predict({name: 1.0}) for name in "abcd"
    ]


def test_indices_with_large_gaps_come_back(tmp_path):
    from littlestone.core.vectors import Sparse

    def row(*index):
        return Sparse(np.array(index, np.int32), np.ones(len(index)))

    lost = ls.Perceptron()
    path = started(lost, tmp_path, (row(1, 3), 1))
    for index in ((5, 60_000_000), (61_000_000,), (2, 60_000_000)):
        lost.tell(lost.ask(row(*index)), -1)
    assert lost.live.setting.compact
    again = ls.load(path)
    again.recover(tmp_path / "log")
    for one in (lost, again):
        one.update(row(7, 61_000_000), 1)
    assert again.live.setting.features == lost.live.setting.features
    assert same(again.state, lost.state)


def test_columns_of_contexts_come_back(tmp_path):
    """Saved before its first round, when it did not know yet what the features are called."""
    lost = ls.LinUCB().start(2, features=2)
    path = lost.save(tmp_path / "m.ls")
    lost.log_tickets(tmp_path / "log")
    lost.tell(lost.ask({"age": 0.5, "size": 0.25}), 1.0)
    again = ls.load(path)
    again.recover(tmp_path / "log")
    for one in (lost, again):
        one.tell(one.ask({"size": 0.5, "age": 0.0}), 0.0)
    assert same(again.state, lost.state)
    fresh = ls.load(path)  # it is still to hear of names
    assert fresh.predict({"age": 0.5, "size": 0.25}) in (0, 1)


def test_a_log_that_goes_on_from_a_later_learner_is_refused(tmp_path):
    lost = ls.OGD(loss="square")
    early = started(lost, tmp_path, ({"a": 1.0}, 1.0))
    early = early.rename(tmp_path / "early.ls")
    lost.update({"b": 1.0}, 1.0)
    lost.save(tmp_path / "m.ls")
    lost.ask({"c": 1.0})
    with pytest.raises(BadInput, match="recover needs the learner as it was saved last"):
        ls.load(early).recover(tmp_path / "log")
    assert ls.load(tmp_path / "m.ls").recover(tmp_path / "log") == 1


@pytest.mark.parametrize("name", [("a", 1), 7, 2.5])
def test_names_need_not_be_text(name, tmp_path):
    learner = ls.OGD(loss="square")
    path = started(learner, tmp_path, ({name: 1.0}, 1.0))
    again = ls.load(path)
    assert again.predict({name: 1.0}) == learner.predict({name: 1.0})
    learner.tell(learner.ask({name: 1.0, (1, 2): 1.0}), 1.0)
    again.recover(tmp_path / "log")
    assert again.live.setting.features == learner.live.setting.features


def test_a_ticket_that_cannot_be_written_leaves_no_trace(tmp_path, monkeypatch):
    learner = ls.OGD(loss="square")
    started(learner, tmp_path, ({"a": 1.0}, 1.0))
    size = (tmp_path / "log").stat().st_size

    def full(_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(BadFile, match="No space left"):
            learner.ask({"b": 1.0})
    assert (learner.tickets, learner.live.t) == ([], 1)
    assert list(learner.live.setting.features) == ["a"]
    assert (tmp_path / "log").stat().st_size == size
    ticket = learner.ask({"c": 1.0})
    with pytest.raises(BadInput, match="cannot be written into the log"):
        learner.tell(ticket, {1.0})
    assert [t.round for t in learner.tickets] == [1]
    learner.tell(ticket, 1.0)
    again = ls.load(tmp_path / "m.ls")
    assert again.recover(tmp_path / "log") == 2
    assert again.named_weights() == learner.named_weights()
