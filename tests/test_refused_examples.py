"""A refused example leaves everything as it was: labels, features, state."""

import numpy as np
import pytest

import littlestone as ls

INF = float("inf")


@pytest.mark.parametrize("engine", ["plain", "compiled"])
@pytest.mark.parametrize("bad", [{"a": INF}, {"a": [1.0]}, {"a": 1e200}])
def test_the_label_of_a_refused_example_is_not_learned(bad, engine, monkeypatch):
    """Two classes have room for one more label, which a misspelt one must not take."""
    monkeypatch.setenv("LITTLESTONE_ENGINE", engine)
    learner = ls.Perceptron().update({"a": 1.0}, "x")
    with pytest.raises(ls.BadInput, match="'a'"):
        learner.update(bad, "typo")
    learner = learner.update({"a": -1.0}, "y")
    assert [learner.predict({"a": v}) for v in (1.0, -1.0)] == ["x", "y"]


def test_dense_examples_too():
    learner = ls.Perceptron().update([1.0, 0.0], "x")
    for bad in ([INF, 0.0], [1.0], "text", [[1.0, 2.0]]):
        with pytest.raises(ls.BadInput):
            learner.update(bad, np.str_("typo"))
    assert learner.update([-1.0, 0.0], "y").predict([-1.0, 0.0]) == "y"


@pytest.mark.parametrize("make", [ls.MulticlassPerceptron, ls.Softmax])
def test_of_several_classes_too(make):
    learner = make().update({"a": 1.0}, "x").update({"a": -1.0}, "y")
    shapes = [np.shape(v) for v in learner.state]
    with pytest.raises(ls.BadInput):
        learner.update({"a": INF}, "typo")
    assert [np.shape(v) for v in learner.state] == shapes
    assert learner.predict({"a": 1.0}) in {"x", "y"}
    for _ in range(5):
        learner = learner.update({"b": 1.0}, "z")
    assert learner.predict({"b": 1.0}) == "z"
    assert learner._live.labels == ["x", "y", "z"]


@pytest.mark.parametrize("value", [[1.0], [1.0, 2.0], (1.0,), {"b": 1.0}, np.ones(2), 1j, 10**400])
@pytest.mark.parametrize("more", [{}, {"b": None, "c": 2.0}])
def test_a_feature_is_one_number(value, more):
    with pytest.raises(ls.BadInput, match="feature 'a' must be a number or text, not"):
        ls.Perceptron().update({"a": value, **more}, "x")
