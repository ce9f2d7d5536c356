"""The forest for numbers: nodes have scales of their own, and rows are predicted by the tree as it is."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.trees.mondrian_forest_regression import SQUARES, SUM
from littlestone.trees.mondrian_trees import WEIGHT

FOREST = ls.MondrianForestRegression(trees=5)


def mean_errors(X, y):
    run = ls.play(FOREST, X, y, engine="plain", certify=False)
    return np.abs(np.array(run.predictions, float) - y), run.learner.state


def test_leaves_that_are_nearly_exact_are_preferred():
    """Four fields of one number each: with the forest's scale in every node the error was 1.92."""
    r = np.random.default_rng(0)
    X = r.random((200, 2))
    y = 10.0 * (X[:, 0] >= 0.5) + 10.0 * (X[:, 1] < 0.5) + 0.1 * r.normal(size=200)
    assert mean_errors(X, y)[0][100:].mean() < 1.6


def test_a_row_beyond_all_others_is_predicted_by_the_nearest_leaf():
    """A clock among the features puts each row outside all boxes: as if it were split off the error was 2.40."""
    r = np.random.default_rng(0)
    t = np.arange(200.0)
    X, y = np.c_[t, r.normal(size=200)], 10.0 * (t // 40) + 0.1 * r.normal(size=200)
    assert mean_errors(X, y)[0][20:].mean() < 2.1


def test_squares_are_those_around_the_mean():
    r = np.random.default_rng(1)
    X, y = np.zeros((30, 1)), r.normal(size=30)  # one leaf
    state = mean_errors(X, y)[1]
    sums = state.sums[0]
    assert (sums[SUM], state.trees.node[0, WEIGHT]) == pytest.approx((y.sum(), 30))
    assert sums[SQUARES] == pytest.approx(((y - y.mean()) ** 2).sum())
