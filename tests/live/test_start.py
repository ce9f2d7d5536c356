"""What is declared before the first round: names, sparse examples, the interval, the seed, the mark of tickets."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput

pytestmark = pytest.mark.usefixtures("plain")
NAN = float("nan")


@pytest.mark.parametrize(
    "how", [{"names": ["a", "b"]}, {"n": ["a", "b"]}, {"n": 2, "names": ("a", "b")}]
)
def test_experts_have_their_names_from_the_first_round_on(how):
    learner = ls.Tracker().start(allocation=False, **how)
    other = ls.Tracker().start(2, allocation=False)
    learner.update({"b": 1.0, "a": 0.0}, 1.0)
    other.update([0.0, 1.0], 1.0)
    assert learner.predict({"a": 0.5}) == other.predict([0.5, NAN])
    ticket = learner.ask({"b": 0.25})
    assert ticket.prediction == 0.25
    learner.tell(ticket, 0.0)
    other.tell(other.ask([NAN, 0.25]), 0.0)
    assert np.array_equal(learner.weights, other.weights)
    with pytest.raises(BadInput, match="expert 'c' is not one of those it was trained on: a, b"):
        learner.predict({"c": 1.0})


def test_losses_by_name_must_all_be_there():
    learner = ls.Hedge(eta=1.0).start(names=["a", "b"], interval=(0, 2))
    learner.update({"b": 2.0, "a": 0.0})
    assert learner.weights[0] > 0.8
    with pytest.raises(BadInput, match="expert 'b' is missing"):
        learner.update({"a": 0.0})


def test_features_have_their_names_from_the_first_round_on():
    learner = ls.Perceptron().start(names=["x", "y"]).update({"y": 1.0, "x": -1.0}, "up")
    assert learner.predict({"x": -1.0, "y": 2.0}) == "up"
    assert set(learner.named_weights()) == {"x", "y"}


def test_sparse_examples_are_declared():
    learner, other = ls.Perceptron().start(sparse=True), ls.Perceptron()
    for one in (learner, other):
        one.update({"a": 1.0}, 1).update({"b": 2.0, "a": 1.0}, -1)
    assert learner.digest() == other.digest()


@pytest.mark.parametrize(
    "make",
    [
        lambda **more: ls.Hedge().start(2, **more),
        lambda **more: ls.Perceptron().start(2, **more),
        lambda **more: ls.EXP3().start(2, **more),
        lambda **more: ls.EXP3().start(names=["a", "b"], **more),
    ],
)
def test_tickets_carry_the_mark_that_was_declared(make):
    x = [0.5, 0.5] if make is not None and make().examples else None
    learner = make(mark=255, seed=3)
    assert learner.ask(x).id == "ff-0"
    again = ls.from_bytes(learner.to_bytes())
    assert again.ask(x).id == "ff-1"
    assert make(mark=255, seed=3).ask(x).to_bytes() == make(mark=255, seed=3).ask(x).to_bytes()


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda: ls.Hedge().start(), "n"),
        (lambda: ls.Hedge().start(3, names=["a", "b"]), "n"),
        (lambda: ls.Hedge().start(names=["a", "a"]), "names"),
        (lambda: ls.Hedge().start(names=["a", 1]), "names"),
        (lambda: ls.Hedge().start(names="ab"), "names"),
        (lambda: ls.Hedge().start(2, sparse=True), "sparse"),
        (lambda: ls.Perceptron().start(names=["a"], sparse=True), "sparse"),
        (lambda: ls.Hedge().start(2, mark=-1), "mark"),
        (lambda: ls.EXP3().start(3, names=["a", "b"]), "n"),
        (lambda: ls.EXP3().start(["a", "b"], mark="x"), "mark"),
    ],
)
def test_what_cannot_be_declared_is_refused(call, field):
    with pytest.raises(BadInput) as found:
        call()
    assert found.value.field == field
