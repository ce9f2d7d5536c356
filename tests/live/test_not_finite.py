"""A decision that is not finite is an error that names the learner and the round: in play, late, live."""

from typing import Any, NamedTuple

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import LittlestoneError, NotFinite
from littlestone.core.learner import Learner
from littlestone.core.losses import Square
from littlestone.games import Classes, Labels, Regression


class State(NamedTuple):
    w: Any
    t: int


class Failing(Learner[State, Any, Any, Any], abstract=True):
    """Decides NaN from the third round that it learns from on; abstract, so that no other test meets it."""

    examples = True

    def begin(self, shape):
        return State(np.zeros(max(1, shape.classes)), 0)

    def learn(self, state, x, d, f):
        return State(state.w, state.t + 1)


class FailingNumber(Failing, abstract=True):
    def decide(self, state, x):
        return 0.5 if state.t < 2 else np.nan

    def game(self, allocation):
        return Regression(Square())


class FailingLabel(Failing, abstract=True):
    labels = True

    def decide(self, state, x):
        return 0.5 if state.t < 2 else np.nan

    def game(self, allocation):
        return Labels(1)


class FailingClass(Failing, abstract=True):
    labels = True

    def decide(self, state, x):
        if state.t >= 2:
            state.w[0] = np.nan
        return state.w

    def game(self, allocation):
        return Classes(False)


LEARNERS = [FailingNumber, FailingLabel, FailingClass]
X, Y = np.ones((6, 2)), np.array([1, 0, 1, 0, 1, 0])


@pytest.mark.parametrize("engine", ["plain", "compiled"])
@pytest.mark.parametrize("record", ["auto", "none"])
@pytest.mark.parametrize("cls", LEARNERS)
def test_play(cls, record, engine):
    with pytest.raises(NotFinite, match=f"{cls().key}: the decision of round 3 is nan"):
        ls.play(cls(), X, Y, record=record, engine=engine)


@pytest.mark.parametrize("cls", LEARNERS)
def test_late(cls, plain):
    for interleave, number in ((False, 4), (True, 5)):
        with pytest.raises(NotFinite, match=f"the decision of round {number} is nan"):
            ls.play(cls(), X, Y, delay=1, interleave=interleave)


@pytest.mark.parametrize("cls", LEARNERS)
def test_live(cls, plain):
    learner = cls()
    for x, y in zip(X[:2], Y.tolist(), strict=False):
        learner.predict(x)
        learner.update(x, y)
    for call in (learner.predict, learner.ask, learner.frozen()):
        with pytest.raises(NotFinite, match=f"{cls().key}: the decision of round 3 is nan"):
            call(X[2])
    assert issubclass(NotFinite, LittlestoneError)


def test_a_bad_example_is_named_before_the_decision():
    learner = ls.OnlineLinearRegression().update([1.0, 2.0], 1.0)
    with pytest.raises(ls.BadInput, match="feature is nan"):
        learner.predict([1.0, np.nan])


def test_experts(plain):
    class Spoiled(ls.Hedge, abstract=True):
        def decide(self, state, x):
            return state.p * np.nan if state.t > 2 else state.p

    advice = np.random.default_rng(0).random((10, 2))
    with pytest.raises(NotFinite, match="spoiled: the decision of round"):
        ls.play(Spoiled(), advice)
