"""Digests hash the bits that decide what a learner will do: no names, no scratch, tickets where that is asked for."""

import contextlib
from typing import NamedTuple

import numpy as np
import pytest
from scipy.sparse import csr_array
from support.rows import ALL, OURS, made, row

import littlestone as ls
from littlestone.core.learner import Learner
from littlestone.core.scratch import Buffer, Scratch, kept_leaves, scratch_arrays, scratch_of
from littlestone.core.vectors import add, dot
from littlestone.games import Classes, Shape
from littlestone.live import store
from littlestone.live.digest import bit_digest
from littlestone.settings.fit import first_state
from littlestone.testing.subject import Subject

pytestmark = pytest.mark.usefixtures("plain")


class Weights(NamedTuple):
    w: np.ndarray
    t: int
    s: Buffer


class Vector(NamedTuple):
    normal: np.ndarray
    rounds: int
    scores: Buffer


class Early(Learner, abstract=True):
    """A perceptron whose state is a Weights."""

    eta: float = 1.0
    examples = True
    labels = True
    key = "renamed-perceptron"

    def game(self, allocation):
        return Classes(False)

    def begin(self, shape: Shape):
        return Weights(np.zeros(shape.n), 0, np.zeros(2))

    def decide(self, state, x):
        state[2][1] = dot(state[0], x)
        return state[2]

    def learn(self, state, x, s, f):
        y = 2.0 * f.y - 1.0
        if y * s[1] <= 0.0:
            add(state[0], self.eta * y, x)
        return type(state)(state[0], state[1] + 1, state[2])


class Later(Early, abstract=True):
    """The same with other names."""

    def begin(self, shape: Shape):
        return Vector(np.zeros(shape.n), 0, np.zeros(2))


@contextlib.contextmanager
def renamed(*classes):
    """Classes that have other names, and say that they are of another module."""
    names = [(cls.__name__, cls.__module__) for cls in classes]
    try:
        for cls in classes:
            cls.__name__, cls.__module__ = "Another", "elsewhere"
        yield
    finally:
        for cls, (name, module) in zip(classes, names, strict=True):
            cls.__name__, cls.__module__ = name, module


def test_other_names_of_classes_and_fields_give_the_same_digest():
    learners = [cls().start(3, labels=("a", "b")) for cls in (Early, Later)]
    for learner in learners:
        learner.update([1.0, 2.0, 0.0], "b").update([0.5, 0.0, 1.0], "a")
    assert type(learners[0].state) is not type(learners[1].state)
    assert learners[0].digest() == learners[1].digest()
    before = learners[0].digest()
    with renamed(Weights, Early, Early.Params):
        assert learners[0].digest() == before
    assert Weights.__name__ == "Weights"


@pytest.mark.parametrize("key", ["hedge", "logistic", "ucb1", "online-linear", "cover"])
def test_a_class_of_the_package_that_is_renamed_keeps_its_digest(key):
    s = Subject(made(key), row(key))
    x, y = s.rounds(6)
    learner = s.begun(x, y, 6)
    for t in range(6):
        s.kind.learn(learner, x, y, t)
    before, state = learner.digest(), type(learner.state)
    with renamed(state, OURS[key], type(learner.live.game)):
        assert learner.digest() == before
    s.kind.learn(learner, x, y, 0)
    assert learner.digest() != before


def test_values_types_shapes_and_order_count():
    values = [
        0.0, -0.0, 0, False, None, "", "0", b"0", (), (0,), ((0,),), [0, 0], np.zeros(2), np.zeros((2, 1)),
        np.zeros(2, np.float32), np.zeros(2, int), (np.zeros(2), np.ones(2)), (np.ones(2), np.zeros(2)), {"a": 0},
    ]  # fmt: skip
    assert len({bit_digest(v) for v in values}) == len(values)
    assert bit_digest(np.float64(1.5)) == bit_digest(1.5)
    assert bit_digest("ab", "c") != bit_digest("a", "bc")
    with pytest.raises(TypeError, match="a set has no digest"):
        bit_digest({1})


def test_marks_are_found_and_parts_are_left_out():
    class Inner(NamedTuple):
        low: np.ndarray
        high: np.ndarray

    class Marked(NamedTuple):
        w: np.ndarray
        v: Buffer

    assert scratch_of(Inner) == {}
    assert list(scratch_of(Marked)) == ["v"]
    state = Marked(np.zeros(2), np.ones(3))
    assert [v.tolist() for v in kept_leaves(state)] == [[0.0, 0.0]]
    assert next(scratch_arrays(state)) is state.v
    assert Scratch(1).parts == (1,)


@pytest.mark.parametrize("key", ALL)
def test_scratch_is_named_by_fields_and_rows_that_there_are(key):
    """A mark that names a row or a field that is not there would hide nothing."""
    s = Subject(made(key), row(key))
    x, y = s.rounds(6)
    live = s.begun(x, y, 6).live
    state = first_state(live.learner, live.shape)
    assert all(isinstance(v, np.ndarray) for v in scratch_arrays(state))
    for record in records(state):
        for name, mark in scratch_of(type(record)).items():
            named = [part for part in mark.parts if isinstance(part, str)]
            assert set(named) <= set(getattr(getattr(record, name), "_fields", ()))


def records(v):
    if hasattr(v, "_fields"):
        yield v
        for part in v:
            yield from records(part)


@pytest.mark.parametrize("dense", [True, False], ids=["dense", "sparse"])
@pytest.mark.parametrize("key", ["online-linear", "online-linear-regression", "online-kernel"])
def test_a_prediction_in_between_changes_no_bit_of_what_is_learned(key, dense):
    """Of examples in which some features come and go: the last example decided which formula was used for the next."""
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(2, 40, 12))
    X[:, 7:] = 0.0
    X[np.arange(40), 7 + np.arange(40) % 5] = 1.0
    Z[::2, 5:] = 0.0
    y = np.where(X[:, 0] > 0.0, 1.0, -1.0).tolist()
    shown = (lambda v: v) if dense else (lambda v: csr_array(v[None]))
    quiet, asked = ls.learner(key), ls.learner(key)
    for t in range(40):
        if t > 0:
            before = asked.digest()
            asked.predict(shown(Z[t]))
            assert asked.digest() == before
        quiet.update(shown(X[t]), y[t])
        asked.update(shown(X[t]), y[t])
        assert asked.digest() == quiet.digest(), t


def test_tickets_count_where_that_is_asked_for():
    learner = ls.Logistic()
    learner.update([1.0, 2.0], "a").update([0.0, 1.0], "b")
    for_ever = learner.digest(tickets=True)
    ticket = learner.ask([0.5, 0.5])
    other = store.from_bytes(store.to_bytes(learner, tickets=False))
    assert other.digest() == learner.digest()
    assert other.digest(tickets=True) != learner.digest(tickets=True)  # it keeps a fingerprint
    assert store.from_bytes(store.to_bytes(learner)).digest(tickets=True) == learner.digest(True)
    before = learner.digest(), learner.digest(tickets=True)
    learner.tell(ticket, None)
    assert learner.digest() == before[0]
    assert learner.digest(tickets=True) not in (before[1], for_ever)


@pytest.mark.parametrize("key", ["tsallis-inf", "linucb", "thompson", "exp4"])
def test_a_log_that_is_replayed_gives_the_learner_that_was_lost(key, tmp_path):
    s = Subject(made(key), row(key))
    x, y = s.rounds(12)
    learner = s.begun(x, y, 12)
    learner.save(tmp_path / "m.ls")
    learner.log_tickets(tmp_path / "log")
    tickets = [s.kind.ask(learner, x, t) for t in range(3)]
    for t in range(3, 12):
        s.kind.tell(learner, tickets[t - 3], y, t - 3)
        tickets.append(s.kind.ask(learner, x, t))
    again = ls.load(tmp_path / "m.ls")
    again.recover(tmp_path / "log")
    assert again.digest(tickets=True) == learner.digest(tickets=True)
