"""Worked examples of lectures 1 and 4: W20 (bootstrap), W37 (answers to problems). W36 is with the neighbours."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import littlestone as ls


def distinct(m):
    """The expected share of different rows in a bootstrap sample of m: the formula of the notes."""
    return 1 - (1 - Fraction(1, m)) ** m


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5])
def test_w20_by_going_through_every_sample(m):
    every = [Fraction(len(set(s)), m) for s in product(range(m), repeat=m)]
    assert sum(every) / len(every) == distinct(m)


def test_w20_the_numbers():  # X-BOOTSTRAP
    assert [distinct(m) for m in (1, 2, 5)] == [1, Fraction(3, 4), Fraction(2101, 3125)]
    assert [round(float(distinct(m)), 3) for m in (5, 10, 100)] == [0.672, 0.651, 0.634]
    assert all(distinct(m) > distinct(m + 1) > 1 - np.exp(-1) for m in range(1, 60))


def test_w37_more_neighbours_do_not_overfit():  # X-ANSWERS, T1.16: the gap between test and training falls with k
    gaps = []
    at, truth = make_moons(1000, noise=0.35, random_state=1)
    for k in (1, 15):
        X, y = make_moons(200, noise=0.35, random_state=0)
        model = KNeighborsClassifier(k).fit(X, y)
        gaps.append(model.score(X, y) - model.score(at, truth))
    assert gaps[0] > 0.1 > 0.05 > gaps[1]


def test_w37_a_column_of_ones_is_the_offset():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    w = np.linalg.lstsq(np.column_stack([X, np.ones(20)]), y)[0]
    model = LinearRegression().fit(X, y)
    np.testing.assert_allclose(w, [*model.coef_, model.intercept_], atol=1e-12)


def test_w37_a_forest_without_feature_subsets_is_bagging():
    X, y = make_moons(120, noise=0.3, random_state=0)
    forest = RandomForestClassifier(5, max_features=None, random_state=0).fit(X, y)
    for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        counts = np.bincount(rows, minlength=len(y)).astype(float)
        alone = DecisionTreeClassifier(random_state=tree.random_state).fit(
            X, y, sample_weight=counts
        )
        assert (alone.predict(X) == tree.predict(X)).all()
    subsets = RandomForestClassifier(5, max_features=1, random_state=0).fit(X, y)
    assert any(
        (a.predict(X) != b.predict(X)).any()
        for a, b in zip(subsets.estimators_, forest.estimators_, strict=True)
    )


def test_w37_bagged_votes_are_unweighted_and_boosted_ones_weighted():
    X, y = make_moons(80, noise=0.3, random_state=0)
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    votes = ls.BaggingVote(stump, 7, random_state=0).fit(X, y).votes(X)
    assert (votes.sum(axis=1) == 7).all()
    boosted = ls.AdaBoost(7).fit(X, y)
    by_hand = sum(a * boosted.labels(t, X) for t, a in enumerate(boosted.alphas_))
    np.testing.assert_allclose(boosted.decision_function(X), by_hand)
    assert len(np.unique(boosted.alphas_.round(9))) > 1
