"""A rule that cannot be compiled is refused in one line that names the learner, the rule, the file and the line."""

from typing import Any, NamedTuple

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput, BadRule
from littlestone.core.learner import Learner
from littlestone.core.outcome import Outcome
from littlestone.core.stream import Array
from littlestone.core.vectors import add, dot
from littlestone.engine.compile import has_numba
from littlestone.games import Game, Labels, Shape

pytestmark = pytest.mark.skipif(
    not has_numba(), reason="numba is not installed: nothing is compiled"
)


class State(NamedTuple):
    w: Array


class Misspelt(Learner[State, Any, float, Outcome], abstract=True):
    """A perceptron with a parameter that is called differently in its rule."""

    eta: float = 1.0
    examples = True
    labels = True

    def game(self, allocation: bool) -> Game:
        return Labels(1)

    def begin(self, shape: Shape) -> State:
        return State(np.zeros(shape.n))

    def decide(self, state: State, x: Any) -> float:
        return dot(state.w, x)

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        if f.y * score <= 0:
            add(state.w, self.etta * f.y, x)
        return state


class Unknown(Misspelt, abstract=True):
    """The same, with a field that its state does not have."""

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        add(state.weights, f.y, x)
        return state


X, y = np.eye(3), np.array([1, 0, 1])


def test_a_parameter_that_is_not_there():
    with pytest.raises(BadRule) as refused:
        ls.play(Misspelt(), X, y)
    said = str(refused.value)
    assert said.startswith("Misspelt.learn (test_rules_that_do_not_compile.py, line ")
    assert said.endswith(
        "): Misspelt has no attribute 'etta'; did you mean 'eta'?; LITTLESTONE_ENGINE=plain plays it without compiling"
    )
    with pytest.raises(BadRule, match="no attribute 'etta'; did you mean 'eta'"):
        Misspelt().update(X[0], 1)


def test_a_field_that_the_state_does_not_have():
    with pytest.raises(
        BadRule, match="State has no attribute 'weights'; there are w; LITTLE"
    ) as refused:
        ls.play(Unknown(), X, y)
    assert len(str(refused.value)) < 250


def test_plain_python_says_it_in_its_own_words(plain):
    with pytest.raises(AttributeError, match="etta"):
        ls.play(Misspelt(), X, y)


def test_a_learner_without_a_game_or_a_beginning_says_so():
    class Unfinished(ls.Learner):
        key = "unfinished"

    with pytest.raises(BadInput, match=r"Unfinished has no method game\(self, allocation\)"):
        ls.play(Unfinished(), [[0.0, 1.0]] * 3)

    class Beginning(ls.Learner):
        key = "beginning"

        def game(self, allocation):
            return ls.Hedge().game(allocation)

    with pytest.raises(BadInput, match=r"Beginning has no method begin\(self, shape\)"):
        ls.play(Beginning(), [[0.0, 1.0]] * 3)
