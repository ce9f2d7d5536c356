"""A refused example leaves everything as it was: labels, features, state."""

import re

import numpy as np
import pytest
import scipy.sparse

import littlestone as ls
from littlestone.core.errors import BadInput

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
    assert learner.live.labels == ["x", "y", "z"]


@pytest.mark.parametrize("value", [[1.0], [1.0, 2.0], (1.0,), np.ones(2), 1j, 10**400])
@pytest.mark.parametrize("more", [{}, {"b": None, "c": 2.0}])
def test_a_feature_is_one_number(value, more):
    with pytest.raises(ls.BadInput, match="feature 'a' must be a number or text, not"):
        ls.Perceptron().update({"a": value, **more}, "x")


def wrong_rows():
    """Sparse rows whose indices compiled code must never see."""
    below = scipy.sparse.csr_array(([1.0, 2.0], [1, 2], [0, 2]), shape=(1, 4))
    below.indices[0] = -2
    yield "below 0", below, "row 1 of the sparse matrix has an entry in column -2, and there are 4"
    beyond = scipy.sparse.csr_array(([1.0, 2.0], [1, 2], [0, 2]), shape=(1, 4))
    beyond.indices[1] = 9
    yield "beyond", beyond, "row 1 of the sparse matrix has an entry in column 9, and there are 4"
    wide = scipy.sparse.csr_array(([5.0], ([0], [2**31 + 5])), shape=(1, 2**32))
    yield "wide", wide, "4,294,967,296 columns; at most 2,147,483,647 can be used"


@pytest.mark.parametrize("engine", ["plain", "compiled"])
@pytest.mark.parametrize(
    ("name", "bad", "message"), list(wrong_rows()), ids=lambda v: v if isinstance(v, str) else ""
)
def test_sparse_rows_one_at_a_time_are_checked_as_matrices_are(
    name, bad, message, engine, monkeypatch
):
    if engine == "plain":
        monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    learner = ls.learner("perceptron").update(scipy.sparse.csr_array([[0.0, 1.0, 0.0, 0.0]]), 1)
    before = learner.state.w.tolist()
    for act in (
        lambda: learner.update(bad, 1),
        lambda: learner.predict(bad),
        lambda: learner.ask(bad),
        lambda: learner.frozen()(bad),
    ):
        with pytest.raises(BadInput, match=re.escape(message)):
            act()
    assert learner.state.w.tolist() == before


def test_the_rows_of_a_caller_stay_as_they_are():
    given = scipy.sparse.csr_array(
        (np.array([1.0, 2.0, 3.0]), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 4)
    )
    for part in (given.data, given.indices):
        part.flags.writeable = False
    learner = ls.learner("perceptron", normalise=False).update(given, 1)
    assert learner.state.w[:4].tolist() == [2.0, 0.0, 4.0, 0.0]
    assert learner.predict(given) == 1
    assert (given.indices.tolist(), given.data.tolist()) == ([2, 0, 2], [1.0, 2.0, 3.0])


@pytest.mark.parametrize("importance", ["a", None, [1.0, 2.0], -1.0, float("nan"), float("inf")])
def test_an_importance_is_a_number(importance):
    learner = ls.learner("perceptron").update([1.0, 2.0], 1)
    with pytest.raises(BadInput, match="importance must be a number of at least 0, not"):
        learner.update([1.0, 2.0], 1, importance)


def test_numbers_that_no_float_can_hold():
    learner = ls.learner("perceptron").update([1.0, 2.0], 1)
    for act in (lambda: learner.update([10**400, 0], 1), lambda: learner.predict([10**400, 0])):
        with pytest.raises(BadInput, match="a number is too large to compute with"):
            act()


def test_infinite_features_of_dicts_are_named():
    with pytest.raises(BadInput, match="row 2, field 'b': inf is too large"):
        ls.play("perceptron", [{"a": 1.0}, {"b": np.inf}], [1, -1])


def test_infinite_outcomes_are_called_outcomes():
    with pytest.raises(BadInput, match="row 2, column 'outcome': inf; outcomes must be finite"):
        ls.play("online-linear-regression", [[1, 2], [2, 1]], [1, np.inf])
