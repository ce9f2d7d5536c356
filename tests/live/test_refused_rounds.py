"""Nothing that is refused leaves a trace, the first round included."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.core.vectors import Sparse
from littlestone.testing.compare import same

pytestmark = pytest.mark.usefixtures("plain")
NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize("key", ["online-linear", "online-kernel", "perceptron", "softmax", "ogd"])
def test_a_refused_first_example_does_not_begin_the_learner(key):
    learner = ls.learner(key)
    for call in (
        lambda: learner.update([NAN, 1.0], 1),
        lambda: learner.predict([INF, 1.0]),
        lambda: learner.ask([NAN, 1.0]),
        lambda: learner.update([1.0, 1.0], [1, 2]),
        lambda: learner.update({"a": INF}, 1),
        lambda: learner.update([1.0, 1.0], 1, importance=-1.0),
    ):
        with pytest.raises(BadInput):
            call()
        assert learner.live is None
    learner.update({"a": 1.0}, 1)  # by name, as nothing was learned of lists
    assert learner.live.t == 1


@pytest.mark.parametrize("key", ["tracker", "hedge", "weighted-majority"])
def test_refused_first_advice_does_not_begin_the_learner(key):
    learner = ls.learner(key)
    for x, y in (([INF, 0.0], 0), ([0, 1], INF), ([0, 1], "much"), ([[0, 1]], 1)):
        with pytest.raises(BadInput):
            learner.update(x, y)
        assert learner.live is None
    assert learner.update([0, 1, 1], 1).live.shape.n == 3


def test_features_that_a_refused_row_brought_are_forgotten():
    """Its numbers are looked at after its names got their places."""
    learner, other = ls.learner("winnow2"), ls.learner("winnow2")
    good = {"a": 1.0, "b": 1.0}
    for one in (learner, other):
        one.update(good, 1)
    many = {f"n{i}": 1.0 for i in range(40)}
    with pytest.raises(BadInput, match="features that are 0 or 1"):
        learner.update({**many, "half": 0.5}, 1)
    assert list(learner.live.setting.features) == ["a", "b"]
    assert same(learner.state, other.state)
    for one in (learner, other):
        one.update({"c": 1.0, **good}, -1)
    assert learner.live.setting.more() == other.live.setting.more()
    assert same(learner.state, other.state)


def test_a_refused_index_with_a_large_gap_leaves_the_table_as_it_was(monkeypatch):
    learner, other = ls.Perceptron(), ls.Perceptron()

    def row(*index):
        return Sparse(np.array(index, np.int32), np.ones(len(index)))

    for one in (learner, other):
        one.update(row(1, 3), 1)
    with monkeypatch.context() as patch:
        patch.setattr(
            "littlestone.settings.one_example.refuse_size", lambda *_: 1 / 0
        )  # whatever goes wrong
        with pytest.raises(ZeroDivisionError):
            learner.update(row(*range(70), 60_000_000), 1)
    assert learner.live.setting.more() == other.live.setting.more()
    for one in (learner, other):
        one.update(row(2, 61_000_000), -1)
    assert learner.live.setting.more() == other.live.setting.more()
    assert same(learner.state, other.state)


def test_a_class_that_came_with_a_refused_row_is_forgotten():
    learner = ls.Softmax()
    learner.update([1.0, 2.0], "a")
    ticket = learner.ask([1.0, 2.0])
    for call in (
        lambda: learner.update([NAN, 1.0], "b"),
        lambda: learner.update([1.0], "b"),
        lambda: learner.tell(ticket, [1, 2]),
    ):
        with pytest.raises(BadInput):
            call()
        assert learner.classes == ["a"]
        assert learner.live.shape.classes == 1
    learner.tell(ticket, "b")
    assert learner.classes == ["a", "b"]


def test_columns_of_a_refused_context_are_forgotten():
    learner = ls.LinUCB().start(2, features=2)
    for call in (
        lambda: learner.update({"a": 0.5, "b": 0.5}, 0, 7.0),
        lambda: learner.update([0.5, 0.5], 0, 7.0),
        lambda: learner.update({"a": 0.5, "b": 0.5}, 0, 0.5, propensity=2.0),
    ):
        with pytest.raises(BadInput):
            call()
        assert learner.live.setting.columns is None
    learner.update({"c": 0.5, "d": 0.5}, 0, 0.5)
    assert learner.live.setting.columns == ("c", "d")


def test_river_models_forget_what_they_refused():
    from littlestone.interop.river import OnlineLinearClassifier

    model, other = OnlineLinearClassifier(), OnlineLinearClassifier()
    with pytest.raises(BadInput):
        model.learn_one({"a": "x", "b": INF, "c": "y"}, True)
    frame = pd.DataFrame({"a": [1.0, 2.0, INF], "b": [0.5, 1.0, 2.0]})
    with pytest.raises(BadInput):
        model.learn_many(frame, [True, False, True])
    assert model._live is None
    for one in (model, other):
        one.learn_many(frame[:2], [True, False])
    with pytest.raises(BadInput):
        model.learn_many(frame[1:], [True, False])
    assert same(model._live.state, other._live.state)


# Copies.


class Pulled(ls.Perceptron):
    """A learner that is defined elsewhere."""


def test_learners_are_pickled_with_all_that_they_have():
    learner = Pulled(eta=0.5)
    assert pickle.loads(pickle.dumps(learner)).parameters == learner.parameters
    learner.update({"a": 1.0}, 1)
    ticket = learner.ask({"b": 1.0})
    again = pickle.loads(pickle.dumps(learner))
    assert type(again) is Pulled
    for one in (learner, again):
        one.tell(ticket, -1)
    assert same(again.state, learner.state)
    assert again.live.setting.features == learner.live.setting.features


def test_what_a_copy_learns_the_other_does_not():
    learner = ls.Hedge().start(3)
    other = copy.copy(learner)
    other.update([0.0, 1.0, 1.0])
    assert learner.live.t == 0
    assert learner.predict().tolist() == [1 / 3] * 3
    fresh = copy.copy(ls.Hedge(eta=0.25))
    assert (fresh.live, fresh.eta) == (None, 0.25)
