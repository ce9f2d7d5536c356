"""The dual of the SVM, step by step: T3.11, T3.12, T3.15, T3.16."""

import numpy as np
import pytest
from littlestone_lectures.svm_by_hand import HardMargin, dual_steps, path_of_c, without_bias
from sklearn.svm import SVC, LinearSVC

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.kernels import gram


def blobs(seed, m=16):
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.normal(size=(m // 2, 2)), rng.normal(size=(m // 2, 2)) + 1.2])
    return X, np.repeat([0, 1], m // 2)


@pytest.mark.parametrize("seed", range(3))
def test_pair_by_pair_is_scikit_learns_solution(seed):
    """T3.15: the objective never decreases, and ends where libsvm ends."""
    X, y = blobs(seed)
    K, s = gram("gaussian:0.5", X), 2 * y - 1
    found = dual_steps(K, s, C=2.0)
    assert found.converged
    assert (np.diff(found.objectives) >= -1e-12).all()
    report = ls.svm_report(SVC(kernel="precomputed", C=2.0, tol=1e-9).fit(K, y), K, y)
    assert found.objectives[-1] == pytest.approx(report.dual, abs=1e-8)
    np.testing.assert_allclose(found.alphas, report.alphas, atol=1e-6)
    assert found.offset == pytest.approx(report.offset, abs=1e-6)
    # E27: from a = 0 every pair takes a row of each class
    assert s[found.pairs[0][0]] != s[found.pairs[0][1]]


def test_without_a_bias():
    """T3.16: |w|^2 = sum of the coefficients at the hard margin."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    X = X[np.abs(X @ [1.0, -2.0, 0.5]) > 0.5][:20]
    y = np.where(X @ [1.0, -2.0, 0.5] > 0, 1, -1)
    a = without_bias(X @ X.T, y)
    w = X.T @ (a * y)
    assert (y * (X @ w)).min() == pytest.approx(1, abs=1e-6)
    assert w @ w == pytest.approx(a.sum(), rel=1e-6)
    soft = without_bias(X @ X.T, y, C=0.1)
    theirs = LinearSVC(C=0.1, loss="hinge", fit_intercept=False, tol=1e-10, max_iter=200_000).fit(
        X, y
    )
    np.testing.assert_allclose(X.T @ (soft * y), theirs.coef_[0], atol=1e-6)
    with pytest.raises(BadInput, match="no plane through 0 separates"):
        without_bias([[1.0, 1.0], [1.0, 1.0]], [1, -1], sweeps=200)


def test_margin_and_slack_along_c():
    """T3.11 and T3.12: both fall with C, errors need not, and alpha is piecewise linear."""
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal(size=(12, 2)), rng.normal(size=(12, 2)) + 1])
    s = np.repeat([-1, 1], 12)
    path = path_of_c(X @ X.T, s, [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 100])
    assert (np.diff(path.margins) <= 1e-7).all()
    assert (np.diff(path.slacks) <= 1e-6).all()
    assert path.errors.tolist() == [6, 6, 5, 5, 4, 5, 5, 5]  # E24: not monotone
    fine = path_of_c(X @ X.T + 0.05 * np.eye(24), s, np.linspace(0.5, 0.6, 21), tol=1e-10)
    bends = np.abs(np.diff(fine.alphas, 2, axis=0)).max(axis=1) > 1e-6
    assert 0.05 < bends.mean() < 0.6  # linear, but for the bends


def test_regularised_kernel_solves_the_dual_without_a_bias():
    X, y = blobs(4, 30)
    y = 2 * y - 1
    hinge = ls.RegularisedKernel("hinge", "gaussian:0.5", 0.25, tol=1e-9).fit(X, y)
    by_hand = without_bias(gram("gaussian:0.5", X), y, C=2.0)
    np.testing.assert_allclose(hinge.dual_coef_ * y, by_hand, atol=1e-4)


def test_bad_input():
    with pytest.raises(BadInput, match="C must be a number above 0"):
        dual_steps(np.eye(2), [1, -1], C=0)
    with pytest.raises(BadInput, match="both of them"):
        path_of_c(np.eye(2), [1, 1], [1.0])


@pytest.mark.parametrize("seed", range(3))
def test_the_hard_margin_is_that_of_a_huge_c(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 2))
    X = X[np.abs(X[:, 0] + X[:, 1]) > 0.3]
    y = np.where(X[:, 0] + X[:, 1] > 0, "up", "down")
    model, theirs = HardMargin(tol=1e-8).fit(X, y), SVC(kernel="linear", C=1e8, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(X), theirs.decision_function(X), rtol=1e-4, atol=1e-4
    )
    assert model.margin_ == pytest.approx(1 / np.linalg.norm(theirs.coef_), rel=1e-5)
    assert (model.predict(X) == y).all()
    s = np.where(y == "up", 1, -1)
    assert (s * model.decision_function(X)).min() > 1 - 1e-6
    at = rng.normal(size=(20, 2))
    assert (model.predict(at) == theirs.predict(at)).all()


def test_what_no_plane_separates_is_refused():
    corners, xor = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    with pytest.raises(BadInput, match="no plane of this kernel separates the rows; take SVC"):
        HardMargin().fit(corners, xor)
    assert HardMargin("gaussian:0.5").fit(corners, xor).predict(corners).tolist() == xor
    with pytest.raises(BadInput, match="no plane"):
        HardMargin("gaussian:0.5").fit([[1.0], [1.0], [2.0]], [0, 1, 1])
    with pytest.raises(BadInput, match="2 steps are not enough"):
        HardMargin("gaussian:0.5", steps=2).fit(
            np.random.default_rng(0).normal(size=(9, 2)), [0, 1, 0] * 3
        )
