"""The SVM report: W7, W12-W14, conditions of optimality, leave-one-out by support vectors."""

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.svm import SVC, SVR, LinearSVC

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.kernels import Polynomial, gram

X12 = np.array([[1.0, 1], [2, 2], [2, 0], [0, 0], [1, 0], [0, 1]])
Y12 = np.array([1, 1, 1, -1, -1, -1])


def hard(X, y, kernel="linear", C=1e6):
    return SVC(kernel=kernel, C=C, tol=1e-10).fit(X, y)


def test_w12_hard_margin():
    found = ls.svm_report(hard(X12, Y12), X12, Y12, leave_out=True)
    assert found.norm2 == pytest.approx(8)
    assert found.alphas.sum() == pytest.approx(8)  # T3.6
    assert found.offset == pytest.approx(-3)
    assert found.margin == pytest.approx(1 / np.sqrt(8))
    assert found.dual == pytest.approx(4)
    assert found.primal == pytest.approx(4)
    assert found.support in (3, 4)  # E22: the dual optima are a segment
    assert (found.left_out, found.refits) == (2, found.support)
    assert found.certificate.verdict == "kept"


@pytest.mark.parametrize(
    ("C", "w", "b"), [(2.5, (1.8, 1.6), -2.6), (2.9, (1.96, 1.92), -2.92), (3.0, (2, 2), -3)]
)
def test_w12_soft_margin(C, w, b):
    model = hard(X12, Y12, C=C)
    np.testing.assert_allclose(model.coef_[0], w, atol=1e-6)
    found = ls.svm_report(model, X12, Y12)
    assert found.offset == pytest.approx(b, abs=1e-6)
    assert found.norm2 == pytest.approx(np.dot(w, w), abs=1e-6)
    assert (found.alphas * (1 - found.slacks)).sum() == pytest.approx(found.norm2, abs=1e-6)
    assert found.gap == pytest.approx(0, abs=1e-6)
    assert found.certificate.verdict == "unknown"


def test_w13_no_free_support_vector():
    X, y = [[-1.0], [1.0]], [-1, 1]
    found = ls.svm_report(hard(X, y, C=0.1), X, y)
    np.testing.assert_allclose(found.alphas, 0.1)
    assert found.free.sum() == 0
    np.testing.assert_allclose(found.offsets, (-0.8, 0.8), atol=1e-9)  # E26
    assert "any in [-0.8, 0.8]" in str(found)
    found = ls.svm_report(hard(X, y, C=0.5), X, y)
    np.testing.assert_allclose(found.alphas, 0.5)


def test_w14_regression():
    X, y = [[0.0], [1.0]], np.array([0.0, 1.0])
    model = SVR(kernel="linear", C=1e3, epsilon=0.1, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.predict([[0.0], [0.5], [1.0]]), [0.1, 0.5, 0.9], atol=1e-8)
    found = ls.svm_report(model, X, y)
    np.testing.assert_allclose(found.alphas, [-0.8, 0.8], atol=1e-8)
    assert found.violations.max() < 1e-8
    assert found.gap == pytest.approx(0, abs=1e-8)
    with pytest.raises(BadInput, match="SVR has none"):
        ls.svm_report(model, X, y, leave_out=True)


def test_w7_xor_with_a_kernel():
    X = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
    y = -(X[:, 0] * X[:, 1]).astype(int)
    K = gram(Polynomial(2, 1.0), X)
    found = ls.svm_report(hard(K, y, "precomputed"), K, y)
    np.testing.assert_allclose(found.alphas, 1 / 8, atol=1e-9)
    assert found.norm2 == pytest.approx(0.5)
    assert found.margin == pytest.approx(np.sqrt(2))
    assert found.offset == pytest.approx(0, abs=1e-9)


def blobs(seed, m=16):
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.normal(size=(m // 2, 2)), rng.normal(size=(m // 2, 2)) + 1.2])
    return X, np.repeat([0, 1], m // 2)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
def test_leave_one_out_by_support_vectors(kernel, C):
    """T3.9: the same count as leaving every row out, from fits for the support vectors alone."""
    for seed in range(3):
        X, y = blobs(seed)
        model = SVC(kernel=kernel, C=C, gamma=0.5, tol=1e-5).fit(X, y)
        found = ls.svm_report(model, X, y, leave_out=True)
        scores = cross_val_predict(model, X, y, cv=LeaveOneOut(), method="decision_function")
        assert found.left_out == np.sum(np.where(y == 1, scores, -scores) <= 0)
        assert found.left_out <= found.support == found.refits
        assert found.certificate.verdict == "kept"
        assert found.violations.max() < 1.1e-5
        assert -1e-9 <= found.gap < 1e-3


def test_a_solver_that_stopped_early_is_seen():
    X, y = blobs(0, 40)
    with pytest.warns(UserWarning, match="terminated early"):
        model = SVC(C=100.0, gamma=3.0, max_iter=5).fit(X, y)
    found = ls.svm_report(model, X, y)
    assert found.violations.max() > 0.01
    assert found.gap > 0.1
    found.left_out = 0
    assert found.certificate.verdict == "vacuous"


def test_class_weights_are_costs():
    X, y = blobs(1)
    model = SVC(kernel="linear", C=0.5, class_weight={0: 1, 1: 4}, tol=1e-6).fit(X, y)
    found = ls.svm_report(model, X, y)
    assert set(found.C) == {0.5, 2.0}
    assert found.violations.max() < 1e-5
    assert found.gap == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize(
    ("model", "X", "y", "says"),
    [
        (LinearSVC(), X12, Y12, "takes a fitted SVC or SVR, not LinearSVC"),
        (SVC(), X12, Y12, "fit the SVC first"),
        (hard(X12, Y12), X12[:5], Y12[:5], "fitted to 6 rows, these are 5"),
        (hard(X12, Y12), X12, Y12 * 2, "y of row 1 is 2, which is none of"),
        (hard(X12, [0, 1, 2, 0, 1, 2], C=1.0), X12, Y12, "two classes, and the SVC has 3"),
        (hard(X12, Y12), X12 * np.nan, Y12, "row 1, column 1 is NaN"),
    ],
)
def test_bad_input(model, X, y, says):
    with pytest.raises(BadInput, match=says):
        ls.svm_report(model, X, y)
