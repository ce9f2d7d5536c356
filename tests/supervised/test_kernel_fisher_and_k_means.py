"""Fisher's discriminant and k-means in the space of a kernel, against scikit-learn's and explicit formulas."""

from itertools import product

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_circles
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.utils.estimator_checks import check_estimator

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.kernels import polynomial_features

rng = np.random.default_rng(0)
Y = np.repeat([0, 1], 20)
X = rng.normal(size=(40, 3)) @ np.diag([3.0, 1.0, 0.3]) + Y[:, None]


def test_fisher_by_the_formula_and_by_scikit_learn():
    lam = 0.7
    model = ls.KernelFisher("linear", lam).fit(X, Y)
    means = np.array([X[c == Y].mean(axis=0) for c in (0, 1)])
    centred = X - means[Y]
    w = np.linalg.solve(centred.T @ centred + lam * np.eye(3), means[1] - means[0])
    f = X @ w - (means @ w).mean()
    np.testing.assert_allclose(model.decision_function(X), f, atol=1e-9)
    assert model.ratio_ == pytest.approx(float(w @ (means[1] - means[0])))
    for v in rng.normal(size=(200, 3)):  # nothing is larger than the maximum
        assert (v @ (means[1] - means[0])) ** 2 <= model.ratio_ * (
            ((centred @ v) ** 2).sum() + lam * v @ v
        ) * (1 + 1e-9)
    theirs = LinearDiscriminantAnalysis(solver="lsqr", priors=[0.5, 0.5]).fit(X, Y)
    ours = ls.KernelFisher("linear", 1e-9).fit(X, Y)
    at = rng.normal(size=(300, 3)) * 3
    assert (ours.predict(at) == theirs.predict(at)).mean() > 0.995


def test_fisher_in_the_space_of_a_kernel():
    X, y = make_circles(80, noise=0.05, factor=0.5, random_state=0)
    model = ls.KernelFisher("polynomial:2", 0.1).fit(X, y)
    explicit = ls.KernelFisher("linear", 0.1).fit(polynomial_features(X, 2), y)
    np.testing.assert_allclose(
        model.decision_function(X), explicit.decision_function(polynomial_features(X, 2)), atol=1e-8
    )
    assert model.score(X, y) == 1.0
    words = ls.KernelFisher("spectrum:2").fit(
        ["gatta", "gatto", "cane", "canino"], ["a", "a", "b", "b"]
    )
    assert words.predict(["gattone"]).tolist() == ["a"]


def test_scikit_learn_checks_both():
    for model in (ls.KernelFisher(), ls.KernelKMeans(restarts=2)):
        found = check_estimator(model, on_fail=None, on_skip=None)
        assert [r["check_name"] for r in found if r["status"] == "failed"] == []


def test_k_means_with_the_linear_kernel_is_lloyds():
    points = np.vstack([rng.normal(size=(15, 2)) + c for c in ([0, 0], [6, 0], [0, 6])])
    ours = ls.KernelKMeans(3, "linear").fit(points)
    theirs = KMeans(3, n_init=10, random_state=0).fit(points)
    assert ours.objective_ == pytest.approx(theirs.inertia_)
    assert len(set(zip(ours.labels_.tolist(), theirs.labels_.tolist(), strict=True))) == 3
    assert (np.diff(ours.trace_) <= 1e-9).all()


@pytest.mark.parametrize("kernel", ["linear", "gaussian:0.5", "polynomial:2"])
def test_no_clustering_is_below_the_bound(kernel):
    points = rng.normal(size=(7, 2))
    model = ls.KernelKMeans(2, kernel).fit(points)
    from littlestone.kernels import gram

    K = gram(kernel, points)
    best = np.inf
    for labels in product((0, 1), repeat=7):
        total = np.trace(K)
        for c in set(labels):
            rows = np.flatnonzero(np.array(labels) == c)
            total -= K[np.ix_(rows, rows)].sum() / len(rows)
        best = min(best, total)
    assert model.bound_ <= best + 1e-9
    assert best <= model.objective_ + 1e-9
    assert model.objective_ == pytest.approx(best)  # ten beginnings find the best of seven points


def test_k_means_separates_rings():
    points, y = make_circles(100, noise=0.03, factor=0.3, random_state=0)
    found = ls.KernelKMeans(2, "gaussian:8").fit(points).labels_
    assert len({*zip(found.tolist(), y.tolist(), strict=True)}) <= 3
    words = ls.KernelKMeans(2, "spectrum:2").fit(["gatta", "gatto", "gattino", "cane", "canino"])
    assert words.labels_[:3].tolist() == [words.labels_[0]] * 3
    assert words.labels_[3] != words.labels_[0]


def test_bad_input():
    with pytest.raises(BadInput, match="penalty must be a number above 0"):
        ls.KernelFisher(penalty=0.0).fit(X, Y)
    with pytest.raises(BadInput, match="y has 3 classes"):
        ls.KernelFisher().fit(X[:3], [0, 1, 2])
    with pytest.raises(BadInput, match="5 clusters of 3 rows"):
        ls.KernelKMeans(5).fit(X[:3])
    with pytest.raises(BadInput, match="restarts must be a whole number"):
        ls.KernelKMeans(2, restarts=0).fit(X)
