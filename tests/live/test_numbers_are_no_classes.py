"""A classifier that `play` exchanges where outcomes are numbers refuses them one round at a time."""

import numpy as np
import pytest

import littlestone as ls


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")


@pytest.mark.parametrize("make", [ls.OnlineLinear, ls.OnlineKernel])
@pytest.mark.parametrize("y", [3.7, -0.5, np.float64(2.25), np.float32(2.5)])
def test_a_fraction_is_refused_with_the_learner_to_take(make, y):
    learner = make().start(2)
    learner.update([1.0, 2.0], 3.0)  # a whole number may be a class
    with pytest.raises(ls.BadInput, match=r"is a number, and online-.* tells classes apart") as e:
        learner.update([1.0, 2.0], y)
    other = type(make().for_numbers()).__name__
    assert f"{other}() predicts numbers" in str(e.value)
    assert learner.live.labels == [3.0]
    assert learner.live.t == 1
    learner.update([1.0, 2.0], float("nan"))  # a round without an answer


def test_the_learner_that_is_named_predicts_what_play_does():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    y = x @ [2.0, -1.0] + 5.0
    run = ls.play(ls.OnlineLinear(), x, y)
    live = ls.OnlineLinearRegression().start(2)
    said = []
    for row, outcome in zip(x, y, strict=True):
        said.append(live.predict(row))
        live.update(row, outcome)
    np.testing.assert_array_equal(run.predictions, said)


def test_fractions_that_are_declared_are_classes():
    learner = ls.OnlineLinear().start(2, labels=(0.5, 1.5))
    assert learner.update([1.0, 2.0], 0.5).predict([1.0, 2.0]) == 0.5
    play = ls.play("online-linear", [[1.0], [2.0]] * 20, [0.5, 1.5] * 20)
    assert play.classifies
    play.learner.update([1.0], 1.5)  # as play had it
    ls.Perceptron().update([1.0, 2.0], 0.5)  # which play never exchanges
