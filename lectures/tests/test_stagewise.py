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
    with pytest.raises(BadInput, match="loss must be one of exponential, logistic, square"):
        stagewise(X, y, "hinge")
    with pytest.raises(BadInput, match="row 1 is "):
        stagewise(X, y)


def test_stagewise_logistic_takes_the_steepest_stump_as_far_as_it_helps():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(30, 2))
    y = np.where(X.sum(axis=1) + rng.normal(size=30) > 0, 1.0, -1.0)
    found = stagewise(X, y, "logistic", 12)
    assert len(found.losses) == 12
    assert (np.diff(found.losses) < 0).all()
    F = np.zeros(30)
    for h, a, loss in zip(found.stumps, found.weights, found.losses, strict=True):
        g = y / (1 + np.exp(y * F))
        said = h.labels(X)
        assert said @ g == pytest.approx((theory.stumps(X) @ g).max(), rel=1e-9)
        F = F + a * said
        assert loss == pytest.approx(np.log1p(np.exp(-y * F)).sum(), rel=1e-12)
        for other in (a * 0.999, a * 1.001):  # along the stump it is the least
            assert np.log1p(np.exp(-y * (F + (other - a) * said))).sum() >= loss
    np.testing.assert_allclose(found.score(X), F)
    # in the end no stump helps: f is where logistic regression on stumps is
    assert stagewise(X, y, "logistic", 200).losses[-1] < found.losses[-1]
    with pytest.raises(BadInput, match="labels are -1 and 1 for the logistic loss; row 2 is 3"):
        stagewise(X[:2], [1.0, 3.0], "logistic")
    with pytest.raises(BadInput, match="makes no error, so its best weight is infinite"):
        stagewise([[0.0], [1.0]], [-1.0, 1.0], "logistic")
