"""Linear predictors of several classes in hindsight, whatever units the features come in."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

import littlestone as ls
from littlestone.hindsight.search.several_classes import (
    measure_scores,
    minimisers,
    minimisers_in_any_unit,
)
from littlestone.report import rivals

SIZES = np.array([1e-3, 1.0, 300.0, 5.0])
CENTRES = np.array([0.0, 13.0, 750.0, 100.0])


def three_classes(T: int = 150, seed: int = 0):
    """Three classes that lines tell apart but for a few rows; features of sizes near 1, and with units."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((T, 4))
    y = np.argmax(Z @ rng.standard_normal((4, 3)) + 0.1 * rng.standard_normal((T, 3)), axis=1)
    return Z, Z * SIZES + CENTRES, y


def least_loss(X, y, found) -> float:
    return min(measure_scores(X, y, np.ones(len(y)), U)[1] for U in found.values())


def with_constant(X):
    return np.hstack([np.ones((len(X), 1)), X])


def test_units_and_offsets_of_features_cost_the_search_nothing():
    Z, X, y = three_classes()
    h = np.ones(len(y))
    even = least_loss(with_constant(Z), y, minimisers(with_constant(Z), y, h, 3))
    found = minimisers_in_any_unit(with_constant(X), y, h, 3, intercept=True)
    assert least_loss(with_constant(X), y, found) <= even
    assert even < 0.2 * least_loss(with_constant(X), y, minimisers(with_constant(X), y, h, 3))


@pytest.mark.parametrize("intercept", [False, True])
def test_of_sparse_features_too(intercept):
    Z, _, y = three_classes()
    rng = np.random.default_rng(1)
    X = np.where(rng.random(Z.shape) < 0.5, Z * SIZES, 0.0)
    X = with_constant(X) if intercept else X
    h = np.ones(len(y))
    alone = least_loss(X, y, minimisers(X, y, h, 3))
    found = minimisers_in_any_unit(csr_array(X), y, h, 3, intercept)
    assert least_loss(X, y, found) < 0.8 * alone


def test_features_alike_are_searched_once():
    Z, _, y = three_classes()
    h = np.ones(len(y))
    found = minimisers_in_any_unit(with_constant(Z), y, h, 3, intercept=True)
    assert list(found) == list(minimisers(with_constant(Z), y, h, 3))


def test_a_column_that_never_changes_divides_by_nothing():
    _, X, y = three_classes()
    X[:, 2] = 1e6
    found = minimisers_in_any_unit(with_constant(X), y, np.ones(len(y)), 3, intercept=True)
    assert all(np.isfinite(U).all() for U in found.values())


def test_a_run_is_compared_with_a_predictor_that_fits_whatever_the_units():
    _, X, y = three_classes()
    run = ls.play("online-linear", X, y, labels=(0, 1, 2), engine="plain")
    rival = rivals.find_rival(run)
    assert rival.loss < run.loss  # it was found in hindsight, and lines tell these classes apart
    wrong = (with_constant(X) @ rival.u.T).argmax(axis=1) != y
    assert wrong.mean() < 0.1
