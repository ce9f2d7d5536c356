"""The door: a request is checked when it is made, before any data are read, and never changes."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.play.request import Request, make_request
from littlestone.play.rounds import open_rounds, play_rounds


def never_read():
    raise AssertionError("the data were read")
    yield


@pytest.mark.parametrize(
    ("key", "asked", "message"),
    [
        ("hedge", {"record": "some"}, "record must be one of auto, all, none, not 'some'"),
        ("hedge", {"asleep": "no"}, "asleep must be one of error, last, not 'no'"),
        ("hedge", {"seed": -1}, "seed must be a whole number"),
        ("hedge", {"engine": "fast"}, "engine must be one of plain, compiled, not 'fast'"),
        ("hedge", {"seeds": 3}, "seeds=3: the states of these learners"),
        (
            "hedge",
            {"passes": 2},
            "passes=2: it is for learners over examples, and hedge is none of them",
        ),
        (
            "hedge",
            {"importance": [1.0]},
            "importance=[1.0]: it is for learners over examples, and hedge",
        ),
        ("hedge", {"tasks": [0]}, "tasks: hedge knows of no tasks"),
        ("perceptron", {"passes": 0}, "passes must be a whole number, 1 or more, not 0"),
        ("exp3", {"seeds": 0}, "seeds must be a whole number, 1 or more, not 0"),
        ("exp3", {"outcome": "y"}, "exp3 is a bandit: it needs losses"),
        ("exp3", {"seeds": 2, "delay": 3}, "seeds and delay do not go together"),
    ],
)
def test_what_no_data_can_mend_is_refused_before_they_are_read(key, asked, message):
    with pytest.raises(BadInput) as problem:
        ls.play(key, never_read(), **asked)
    assert message in str(problem.value)


@pytest.mark.parametrize(
    ("key", "name"), [("hedge", "speed"), ("hedge", "rewards"), ("exp3", "optional")]
)
def test_a_keyword_that_play_does_not_know_is_a_type_error(key, name):
    with pytest.raises(TypeError, match=rf"play\(\) got an unexpected keyword argument '{name}'"):
        ls.play(key, [[0.0, 1.0]], **{name: True})


def test_a_request_never_changes():
    request = Request(ls.learner("hedge"), [[0.0, 1.0]])
    with pytest.raises(FrozenInstanceError):
        request.learner = None  # type: ignore[misc]


def test_what_the_data_decide_is_filled_in():
    X, y = np.array([[1.0, 2.0], [3.0, 4.5]]), np.array([0.5, 1.25])
    asked = Request(ls.learner("online-linear"), X, y)
    request, stream = open_rounds(asked)
    assert asked.read.losses is None
    assert not request.read.losses
    assert request.learner.key != "online-linear"  # outcomes are numbers
    assert play_rounds(request, stream).loss == ls.play("online-linear", X, y).loss
    request, _ = open_rounds(Request(ls.learner("hedge"), X))
    assert request.read.losses is True
    request, _ = open_rounds(make_request("exp3", X, None, {"rewards": True}))
    assert request.play.interval == (0.0, 4.5)


def test_one_door_for_every_kind_of_game():
    losses = [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    for key, data, outcomes in (
        ("hedge", losses, None),
        ("fixed-share", losses, [0.0, 1.0, 0.0]),
        ("perceptron", losses, [1, -1, 1]),
        ("exp3", losses, None),
    ):
        request, stream = open_rounds(Request(ls.learner(key), data, outcomes))
        assert play_rounds(request, stream).loss == ls.play(key, data, outcomes).loss
