"""Learners that are broken on purpose: each is caught, by the check that is meant for it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any, NamedTuple

import numpy as np
import pytest

from littlestone.core.guarantee import Guarantee
from littlestone.core.learner import Learner
from littlestone.core.outcome import Outcome
from littlestone.core.parameters import Positive
from littlestone.core.registry import learners
from littlestone.core.stream import Array
from littlestone.core.vectors import Sparse, add, dot
from littlestone.games import Allocation, Labels, Losses, Shape
from littlestone.testing import Row, check_learner, checks


class State(NamedTuple):
    w: Array


class Line(Learner[State, Any, float, Outcome], abstract=True):
    """A perceptron that learns from every round: sound."""

    eta: Positive = 1.0
    examples = True
    labels = True

    def game(self, allocation: bool) -> Any:
        return Labels(1)

    def begin(self, shape: Shape) -> State:
        return State(np.zeros(shape.n))

    def decide(self, state: State, x: Any) -> float:
        return dot(state.w, x)

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        add(state.w, self.eta * f.h * f.y / (1.0 + abs(score)), x)
        return state


class WritesIntoItsExample(Line, abstract=True):
    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        if isinstance(x, np.ndarray):
            x[0] = 0.0
        add(state.w, f.y, x)
        return state


class DecidesAgain(Line, abstract=True):
    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        add(state.w, f.h * f.y / (1.0 + abs(self.decide(state, x))), x)
        return state


ROUNDS = [0.0]  # what HidesState knows, and does not say


class HidesState(Line, abstract=True):
    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        ROUNDS[0] += 1.0
        add(state.w, f.h * f.y / ROUNDS[0], x)
        return state


class DiffersOnSparse(Line, abstract=True):
    def decide(self, state: State, x: Any) -> float:
        if isinstance(x, Sparse) and len(x.index) > 2:
            return dot(state.w, x) + 1e-3
        return dot(state.w, x)


class RoundsWrongly(Line, abstract=True):
    """It is not what its row says."""

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        add(state.w, f.h * f.y * 1.0001 / (1.0 + abs(score)), x)
        return state


class MovesItsArrays(Line, abstract=True):
    """It says nothing of `fixed`, which then is true."""

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        add(state.w, f.h * f.y / (1.0 + abs(score)), x)
        return State(state.w.copy())


# w = 0, then (2, 0) of the first round, of score 0; the second one scores 2 and takes a third of itself away.
LINE = Row(
    x=[(2, 0), (1, 1)],
    y=[1, -1],
    predictions=[1, 1],
    decisions=[0, 2, 4 / 3],
    loss=1,
    state={"w": [5 / 3, -1 / 3]},
)


class Total(NamedTuple):
    L: Array


class Leader(Learner[Total, Array, Array, Losses], abstract=True):
    """All weight on the expert that has lost least, and a bound that is wrong."""

    guarantees = (
        Guarantee(
            "T-FTL-CHANGES", "leader", "loss <= 0", "none", lambda s: 0.0, uses=("T",), against="expert"
        ),
    )  # fmt: skip

    def game(self, allocation: bool) -> Any:
        return Allocation()

    def begin(self, shape: Shape) -> Total:
        return Total(np.zeros(shape.n))

    def decide(self, state: Total, x: Array) -> Array:
        p = np.zeros(len(state.L))
        p[np.argmin(state.L)] = 1.0
        return p

    def learn(self, state: Total, x: Array, p: Array, f: Losses) -> Total:
        for i in range(len(f.ell)):
            state.L[i] += f.ell[i]
        return state


LEADER = Row(
    y=[(1, 0), (0, 1), (1, 0)],
    decisions=[(1, 0), (0, 1), (1, 0), (0, 1)],
    loss=3,
    theorem="T-FTL-CHANGES",
)


pytestmark = pytest.mark.usefixtures("plain")


@pytest.fixture
def known(monkeypatch):
    """A function that puts a learner of this file into the registry while a test lasts."""

    def put(cls):
        monkeypatch.setattr(cls, "abstract", False)
        ROUNDS[0] = 0.0
        return cls()

    return put


def failed(learner: Any, row: Row) -> list[str]:
    """The names of the checks that a learner does not pass."""
    found = []
    for name, check in checks(learner, row):
        try:
            check()
        except Exception:
            found.append(name)
    return found


def test_a_sound_learner_passes_all(known):
    assert failed(known(Line), LINE) == []
    assert check_learner(known(Line), LINE) is None


@pytest.mark.parametrize(
    ("broken", "check", "words"),
    [
        (WritesIntoItsExample, "examples are left alone", "learn writes into its example"),
        (DecidesAgain, "decides once", "learn computes the decision again"),
        (HidesState, "all is in the state", "a copy decides otherwise"),
        (DiffersOnSparse, "sparse is dense (plain)", "decisions on sparse examples"),
        (RoundsWrongly, "its row (plain)", "decisions"),
        (MovesItsArrays, "its arrays stay", "fixed"),
    ],
)
def test_a_broken_learner_is_caught_by_the_check_meant_for_it(known, broken, check, words):
    learner = known(broken)
    with pytest.raises(AssertionError, match=words):
        dict(checks(learner, LINE))[check]()
    with pytest.raises(AssertionError, match=f"^{learner.key}: "):
        check_learner(learner, LINE)


@pytest.mark.parametrize("broken", [DecidesAgain, DiffersOnSparse, MovesItsArrays])
def test_other_checks_are_passed(known, broken):
    """Each of these is wrong in one way only, which no other check sees."""
    meant = {
        DecidesAgain: ["decides once"],
        DiffersOnSparse: ["sparse is dense (plain)"],
        MovesItsArrays: ["its arrays stay"],
    }
    assert failed(known(broken), LINE) == meant[broken]


def test_a_bound_that_is_broken_is_told(known):
    with pytest.raises(
        AssertionError, match=r"leader: its row \(plain\): the run breaks a theorem"
    ):
        check_learner(known(Leader), LEADER)


def test_a_row_that_is_wrong_is_told(known):
    learner = known(Line)
    wrong = {
        "decisions": [0, 2, 1],
        "predictions": [1, -1],
        "loss": 2.0,
        "state": {"w": [5 / 3, 1 / 3]},
        "theorem": "T-PERC",
    }
    for name, value in wrong.items():
        row = Row(**(vars(LINE) | {name: value}))
        assert failed(learner, row) == [
            "its theorem" if name == "theorem" else "its row (plain)"
        ], name


def test_the_learners_of_this_file_are_not_listed():
    assert not {"line", "decides-again", "hides-state"} & set(learners())


def test_it_needs_no_pytest():
    code = (
        "import sys, littlestone.testing as t; t.checks; assert 'pytest' not in sys.modules;"
        "assert 'hypothesis' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
