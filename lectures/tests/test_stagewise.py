"""Forward stagewise fitting: with the exponential loss it is AdaBoost."""

import numpy as np
import pytest
from littlestone_lectures.stagewise import stagewise

import littlestone as ls
from littlestone import theory
from littlestone.core.errors import BadInput


def test_stagewise_exponential_is_adaboost():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 3))
    y = np.where(X.sum(axis=1) + rng.normal(size=40) > 0, 1.0, -1.0)
    model = ls.AdaBoost(25).fit(X, y)
    found = stagewise(X, y, "exponential", 25)
    assert found.stumps == model.hypotheses_
    np.testing.assert_allclose(found.weights, model.alphas_, rtol=1e-9)
    np.testing.assert_allclose(found.losses / 40, model.rounds_.bounds, rtol=1e-9)


def test_stagewise_square_takes_the_best_step():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(12, 2)), rng.normal(size=12)
    found = stagewise(X, y, "square", 4)
    F = np.zeros(12)
    for h, a, loss in zip(found.stumps, found.weights, found.losses, strict=True):
        r = y - F
        H = theory.stumps(X).astype(float)
        assert loss == pytest.approx((r @ r - (H @ r) ** 2 / 12).min(), abs=1e-12)
        F = F + a * h.labels(X)
    np.testing.assert_allclose(found.score(X), F)
    with pytest.raises(BadInput, match="loss must be one of exponential, square"):
        stagewise(X, y, "hinge")
    with pytest.raises(BadInput, match="row 1 is "):
        stagewise(X, y)
