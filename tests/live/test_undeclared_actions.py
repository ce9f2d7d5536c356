"""An action that a game did not declare is refused, whoever asks for it: a run, keys, many rows, one round."""

from typing import Any, NamedTuple

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadAction
from littlestone.core.game import EXAMPLES, ONE, Traits
from littlestone.core.learner import Learner
from littlestone.core.outcome import Outcome


class WithThirdAction(NamedTuple):
    """Two labels, and from the fourth round on what stands for neither: 2, or -1 where a label should be 0."""

    other: float = 2.0

    def traits(self) -> Traits:
        return Traits(EXAMPLES, "label", classes=2, decision=ONE, scratch=False)

    def act(self, learner, d, x, u, scratch):
        return self.other if d >= 3.0 else 1.0

    def known(self, y):
        return y.y == y.y

    def feedback(self, d, a, x, y, scratch):
        return Outcome(y.y, y.h)

    def cost(self, d, a, y, f):
        return 1.0 * (a != y.y)

    def realised_cost(self, a, y):
        return 1.0 * (a != y.y)

    def keep(self, f, a, x, y, E, F, t):
        """There are no experts."""


class State(NamedTuple):
    t: float


class CountsRounds(Learner[State, Any, float, Outcome], abstract=True):
    """Decides the number of rounds so far; abstract, so that no other test meets it."""

    examples = True
    labels = True
    other: float = 2.0

    def game(self, allocation):
        return WithThirdAction(self.other)

    def begin(self, shape):
        return State(0.0)

    def decide(self, state, x):
        return state.t

    def learn(self, state, x, d, f):
        return State(state.t + 1.0)


X, Y = np.ones((6, 2)), np.array(["up", "down"] * 3)
SAYS = "counts-rounds: the action of round 4 is {}; its game declares 0 and 1 "


@pytest.mark.parametrize("engine", ["plain", "compiled"])
@pytest.mark.parametrize("other", [2.0, -1.0, 0.5])
def test_play(other, engine):
    learner = CountsRounds(other=other)
    with pytest.raises(BadAction, match=f"row 4: {SAYS.format(f'{other:g}')}"):
        ls.play(learner, X, Y, engine=engine, record="none", certify=False)
    with pytest.raises(
        BadAction, match=f"row 5: counts-rounds: the action of round 5 is {other:g}; "
    ):
        ls.play(learner, X, Y, engine=engine, delay=1, interleave=False)  # a round later


def test_keys():
    keys = ["a"] * 3 + ["b"] * 4
    data, outcomes = np.ones((7, 2)), np.array(["up"] * 7)
    for certify in (False, True):
        with pytest.raises(BadAction, match="row 7: counts-rounds: the action of round 4 is 2"):
            ls.play(
                CountsRounds(), data, outcomes, by=keys, labels=["down", "up"], engine="plain", certify=certify
            )  # fmt: skip


@pytest.mark.parametrize("engine", ["plain", "compiled"])
def test_one_round_at_a_time(engine, monkeypatch):
    if engine == "plain":
        monkeypatch.setenv("LITTLESTONE_ENGINE", engine)
    learner = CountsRounds().start(2, labels=["down", "up"])
    for y in Y[:3]:
        assert learner.predict([1.0, 1.0]) == "up"
        learner.update([1.0, 1.0], y)
    before = learner.digest()
    for act in (learner.predict, learner.ask):
        with pytest.raises(BadAction, match=SAYS.format(2)):
            act([1.0, 1.0])
    with pytest.raises(ls.BadInput, match=f"row 1: {SAYS.format(2)}"):
        learner.predict(np.ones((2, 2)))
    assert learner.digest() == before


def test_actions_of_experts_and_arms_are_counted():
    for key, count in (
        ("exp3", 3),
        ("hedge", 3),
        ("perceptron", 2),
        ("online-linear-regression", None),
    ):
        learner = ls.learner(key).start(3, labels=["a", "b"]) if key == "perceptron" else None
        learner = learner or ls.learner(key).start(3)
        setting = learner.live.setting
        assert setting.action_count == count
        assert setting.find_undeclared(np.array([[0.0], [1.0]])) is None
        found = setting.find_undeclared(np.array([[1.0], [3.0], [np.nan], [0.5]]))
        assert found is None if count is None else found.tolist() == [False, True, True, True]
