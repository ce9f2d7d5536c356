"""`learn_now` is `learn`, but for a learner that writes it."""

import numpy as np
import pytest

from littlestone.core.learner import Learner
from littlestone.core.outcome import Outcome
from littlestone.linear.online_kernel import OnlineKernel
from littlestone.linear.online_linear import OnlineLinear
from littlestone.linear.perceptron import Perceptron


class Anew(OnlineLinear, abstract=True):
    def learn(self, state, x, d, f):
        return state


def test_it_is_learn_where_it_is_not_written():
    assert Perceptron.Params.learn_now is Learner.learn_now  # which calls `learn`
    assert OnlineLinear.Params.learn_now is OnlineLinear.learn_now


def test_a_class_that_writes_learn_anew_does_not_inherit_it():
    assert Anew.Params.learn_now is Learner.learn_now


def test_called_by_hand_it_learns():
    x, f = np.array([1.0, 2.0]), Outcome(1.0, 1.0)
    learner = Perceptron()
    state = learner.begin(shape_of(learner))
    assert Learner.learn_now(learner.params, state, x, 0.0, f).updates == 1


def shape_of(learner):
    return learner.start(2, labels=(-1, 1), allocation=False).begun().setting.shape


@pytest.mark.parametrize("kind", [OnlineLinear, OnlineKernel])
def test_it_learns_what_learn_learns(kind):
    learner = kind()
    p, rng = learner.params, np.random.default_rng(0)
    shape = shape_of(learner)
    states = [learner.begin(shape), learner.begin(shape)]
    for _ in range(20):
        x, f = rng.normal(size=2), Outcome(float(rng.integers(2)), 1.0)
        d = [p.decide(s, x).copy() for s in states]
        assert d[0].tolist() == d[1].tolist()
        states = [p.learn(states[0], x, d[0], f), p.learn_now(states[1], x, d[1], f)]
