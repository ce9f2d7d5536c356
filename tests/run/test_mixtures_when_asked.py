"""Where all rounds stay in memory, mixtures of the experts are folded when they are asked for, and are the same."""

import numpy as np
import pytest

import littlestone as ls

rng = np.random.default_rng(3)
X, y = rng.random((300, 3)), rng.random(300)


def test_mixtures_wait_until_they_are_asked_for():
    run = ls.play("tracker", X, y, engine="plain")
    folds = run.transcript.folds
    assert folds.waits
    assert folds.mixture is None
    assert folds.uniform is None
    assert run.mixture is not None
    assert not folds.waits
    assert folds.mixture.rounds == 300


def test_they_are_those_of_rounds_that_stream_by():
    whole = ls.play("tracker", X, y, engine="plain")
    pieces = ls.play("tracker", iter([(X[:100], y[:100]), (X[100:], y[100:])]), engine="plain")
    assert not pieces.transcript.folds.waits
    assert whole.mixture[1] == pieces.mixture[1]
    assert whole.mixture[0].tolist() == pieces.mixture[0].tolist()
    assert whole.uniform_loss == pytest.approx(pieces.uniform_loss, rel=1e-12)
    assert [v.verdict for v in whole.certificate] == [v.verdict for v in pieces.certificate]


def test_runs_by_key_have_them():
    keys = ["a", "b"] * 150
    runs = ls.play("tracker", X, y, by=keys, engine="plain")
    alone = ls.play("tracker", X[::2], y[::2], engine="plain")
    assert runs["a"].mixture[1] == alone.mixture[1]
    assert runs["a"].uniform_loss == pytest.approx(alone.uniform_loss, rel=1e-12)
