"""Nearest neighbours and means: condensing changes nothing, ties are seen, rows left out without refitting, tails."""

import importlib
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.spatial import Delaunay
from sklearn.datasets import make_moons
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestCentroid
from sklearn.utils.estimator_checks import check_estimator

import littlestone as ls
from littlestone import theory
from littlestone.core.errors import BadInput
from littlestone.kernels import gram
from littlestone.supervised.neighbours import can_tie, neighbour_ties

# Condensing (A1.7).


def one_at_a_time(X, y):
    """The removal loop of the notes: leave out a row whose neighbours agree with it, triangulate again, and so on."""
    rows = list(range(len(X)))
    while True:
        corners = Delaunay(X[rows]).simplices
        near = {r: set() for r in range(len(rows))}
        for simplex in corners:
            for a, b in product(simplex, repeat=2):
                near[a].add(b)
        go = [r for r in near if all(y[rows[q]] == y[rows[r]] for q in near[r])]
        if not go or len(rows) <= X.shape[1] + 2:
            return rows
        del rows[go[0]]


@pytest.mark.parametrize("seed", range(3))
def test_one_triangulation_keeps_what_the_loop_keeps(seed):
    X, y = make_moons(60, noise=0.2, random_state=seed)
    assert ls.condense(X, y).rows.tolist() == one_at_a_time(X, y)


@pytest.mark.parametrize("flatten", [1, 2, 3])
def test_a_condensed_set_says_the_same_everywhere(flatten):
    rng = np.random.default_rng(flatten)
    X = rng.normal(size=(300, 3))
    X[:, flatten:] = X[:, :1] * 2.0 + 1.0  # on a line, in a plane, in space
    y = np.where(X[:, 0] > 0.3, "high", "low")
    found = ls.condense(X, y)
    anywhere = rng.normal(size=(5000, 3)) * 3
    whole = KNeighborsClassifier(1).fit(X, y)
    assert (found.model().predict(anywhere) == whole.predict(anywhere)).all()
    assert len(found.rows) < 300
    if flatten == 1:
        assert len(found.rows) == 2


def test_condensing_with_copies_grids_and_one_label():
    grid = np.array([[a, b] for a in range(6) for b in range(6)], float)
    y = (grid[:, 0] > 2).astype(int)
    twice = ls.condense(np.vstack([grid, grid]), np.concatenate([y, y]))
    assert twice.of == 72
    assert (grid[twice.rows, 0] > 1).all()
    assert (grid[twice.rows, 0] < 4).all()
    assert len(ls.condense([[1.0, 2.0], [3.0, 4.0]], [1, 1]).rows) == 1
    assert len(ls.condense([[1.0, 2.0]] * 3, [1, 1, 1]).rows) == 1


def test_what_condense_refuses():
    with pytest.raises(BadInput, match="rows 1 and 3 are the same point, with the labels a and b"):
        ls.condense([[0.0], [1.0], [0.0]], ["a", "a", "b"])
    with pytest.raises(BadInput, match="span 8 dimensions"):
        ls.condense(np.random.default_rng(0).normal(size=(30, 8)), [0, 1] * 15)
    with pytest.raises(BadInput, match="row 2, column 1 is NaN"):
        ls.condense([[0.0], [np.nan]], [0, 1])


# Ties (A1.5, A1.6, W36).


def test_w36_votes_that_can_be_tied():  # X-TIES
    def by_enumeration(k, classes):
        votes = (v for v in product(range(k + 1), repeat=classes) if sum(v) == k)
        return any(sorted(v)[-1] == sorted(v)[-2] for v in votes)

    assert [k for k in range(1, 30) if not can_tie(k, 2)] == list(range(1, 30, 2))
    assert [k for k in range(1, 30) if not can_tie(k, 3)] == [1]
    assert all(can_tie(k, c) == by_enumeration(k, c) for k in range(1, 9) for c in (2, 3, 4))
    assert not can_tie(4, 1)


def test_ties_of_votes_and_of_distances():
    model = KNeighborsClassifier(2, algorithm="brute").fit(
        [[0.0], [1.0], [2.0], [3.0]], [1, 0, 0, 1]
    )
    found = neighbour_ties(model, [[0.4], [1.5], [1.0], [2.9]])
    assert found.votes.tolist() == [True, False, True, True]
    assert found.distances.tolist() == [False, False, True, False]
    assert not neighbour_ties(
        KNeighborsClassifier(4).fit([[0.0]] * 4, [0, 0, 0, 1]), [[0.0]]
    ).distances
    assert KNeighborsRegressor(2).fit([[0.0], [1.0], [5.0]], [1, 2, 9]).predict([[0.4]]) == 1.5
    with pytest.raises(BadInput, match="fit the KNeighborsClassifier first"):
        neighbour_ties(KNeighborsClassifier(), [[0.0]])
    with pytest.raises(BadInput, match="not NearestCentroid"):
        neighbour_ties(NearestCentroid(), [[0.0]])


def test_the_error_with_infinitely_many_rows():
    p = [Fraction(9, 10), Fraction(1, 10)]
    assert theory.neighbour_error(p) == Fraction(9, 50)  # .18, where the best rule errs .1
    assert float(theory.neighbour_error(p, 3)) == pytest.approx(0.1224)
    third = [Fraction(1, 3)] * 3
    assert (
        theory.neighbour_error(third) == theory.neighbour_bound(Fraction(2, 3), 3) == Fraction(2, 3)
    )
    rng = np.random.default_rng(0)
    draws = rng.random(size=(200_000, 4)) < 0.8
    votes = draws[:, :3].sum(axis=1) >= 2
    assert float(theory.neighbour_error([0.8, 0.2], 3)) == pytest.approx(
        np.mean(votes != draws[:, 3]), abs=4e-3
    )
    for wrong in ([0.5, 0.6], [], [-0.5, 1.5]):
        with pytest.raises(BadInput, match="chances that add up to 1"):
            theory.neighbour_error(wrong)


# The nearest mean (A7.3).


@pytest.mark.parametrize("classes", [2, 3])
def test_the_nearest_mean_is_the_nearest_centroid(classes):
    rng = np.random.default_rng(classes)
    y = rng.integers(classes, size=80)
    X = rng.normal(size=(80, 4)) + y[:, None]
    ours, theirs = ls.NearestMean().fit(X, y), NearestCentroid().fit(X, y)
    at = rng.normal(size=(500, 4)) * 2
    assert (ours.predict(at) == theirs.predict(at)).all()
    far = np.linalg.norm(at[:, None] - theirs.centroids_[None], axis=2)
    np.testing.assert_allclose(ours.distances(at), far, atol=1e-9)


def test_the_kernel_form_of_the_notes_and_rows_left_out():
    X, y = make_moons(60, noise=0.2, random_state=0)
    model = ls.NearestMean("gaussian:2").fit(X, y)
    K, at = gram("gaussian:2", X, X), gram("gaussian:2", X[:7] + 0.3, X)
    plus, minus = y == 1, y == 0
    f = at[:, plus].mean(axis=1) - at[:, minus].mean(axis=1)
    f -= (K[np.ix_(plus, plus)].mean() - K[np.ix_(minus, minus)].mean()) / 2
    np.testing.assert_allclose(model.decision_function(X[:7] + 0.3), f)
    for i in range(60):
        rest = np.arange(60) != i
        alone = ls.NearestMean("gaussian:2").fit(X[rest], y[rest])
        assert alone.predict(X[i : i + 1])[0] == model.loo_predictions_[i]
    lonely = ls.NearestMean().fit([[0.0], [1.0], [5.0]], ["a", "a", "b"])
    assert lonely.loo_predictions_.tolist() == ["a", "a", "a"]


def test_the_nearest_mean_of_strings_and_what_it_refuses():
    model = ls.NearestMean("spectrum:2").fit(["gatta", "gatto", "cane", "canino"], [0, 0, 1, 1])
    assert model.predict(["gattone", "canone"]).tolist() == [0, 1]
    with pytest.raises(BadInput, match="1 class"):
        ls.NearestMean().fit([[0.0], [1.0]], [1, 1])
    with pytest.raises(BadInput, match="row 1, column 2 is infinity"):
        ls.NearestMean().fit([[0.0, np.inf], [1.0, 0.0]], [0, 1])
    with pytest.raises(BadInput, match="3 strings and y 2"):
        ls.NearestMean("spectrum:2").fit(["a", "b", "c"], [0, 1])


def test_scikit_learn_checks_the_nearest_mean():
    found = check_estimator(ls.NearestMean(), on_fail=None, on_skip=None)
    assert [r["check_name"] for r in found if r["status"] == "failed"] == []


# Error distributions (A7.4).


def test_an_error_distribution_and_its_exact_limit():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 2)), np.repeat([0, 1], 60)
    X[60:] += 1.5
    found = ls.error_distribution(NearestCentroid(), X, y, [40, 4], draws=60, seed=1)
    assert found.errors.shape == (2, 60)
    assert found.errors[1].max() > found.errors[0].max()
    assert found.errors[1].mean() > found.errors[0].mean()
    again = ls.error_distribution(NearestCentroid(), X, y, [40, 4], draws=60, seed=1)
    assert (again.errors == found.errors).all()
    # 59 draws are the fewest whose largest is above 95% of all with 95% confidence
    assert found.limit(0.95, 0.05).tolist() == found.errors.max(axis=1).tolist()
    found.errors = found.errors[:, :58]
    assert found.limit(0.95, 0.05).tolist() == [1.0, 1.0]
    with pytest.raises(BadInput, match="from 2, a row a class, to 60"):
        ls.error_distribution(NearestCentroid(), X, y, [61])
    with pytest.raises(BadInput, match="test must be a share"):
        ls.error_distribution(NearestCentroid(), X, y, [10], test=1.0)


def test_a_class_too_rare_to_be_drawn_is_named(monkeypatch):
    module = importlib.import_module("littlestone.supervised.error_distribution")
    monkeypatch.setattr(module, "TRIES", 1)  # by text, the name is that of the function
    X, y = np.arange(120.0)[:, None], np.repeat([0, 1], 60)
    y[np.random.default_rng(1).permutation(120)[-1]] = 2
    with pytest.raises(BadInput, match="of 3 rows had no row of each class: class 2 has 1 of 60"):
        ls.error_distribution(ls.NearestMean(), X, y, [3], draws=200, seed=1)
