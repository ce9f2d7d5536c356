"""Leave-one-out without refitting: equal to brute force; and the worked examples of least squares and ridge."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Lasso, LinearRegression, Ridge
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.kernels import Gaussian, Polynomial, Spectrum, gram

W2 = np.array([[1.0, 1], [2, 3], [2, 1]]), np.array([3.0, 7, 3])
W3 = np.array([[1.0, 1, 2], [2, 4, 3]]), np.array([3.0, 7])


def refitted(model, X, y):
    return y - cross_val_predict(clone(model), X, y, cv=LeaveOneOut())


def left_out(K, y, lam):
    """What kernel ridge misses each row by, fitted to the others one by one."""
    missed = np.zeros(len(y))
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        alpha = np.linalg.solve(K[np.ix_(rest, rest)] + lam * np.eye(len(y) - 1), y[rest])
        missed[i] = y[i] - K[i, rest] @ alpha
    return missed


def test_w1_w2_w3_by_numpy():
    X, y = W2
    np.testing.assert_allclose(np.linalg.inv(X[:2]), [[3, -1], [-2, 1]])
    assert np.linalg.solve(X[:2], y[:2]) @ [4, 2] == pytest.approx(10)
    w, sse, _, _ = np.linalg.lstsq(X, y)
    np.testing.assert_allclose(w, [5 / 9, 2])
    assert sse[0] == pytest.approx(2 / 9)
    biased = LinearRegression().fit(X, y)
    np.testing.assert_allclose([*biased.coef_, biased.intercept_], [0, 2, 1], atol=1e-12)
    least = np.linalg.lstsq(*W3)[0]
    np.testing.assert_allclose(least, [0.5, 0.9, 0.8])
    assert least @ [-5, 1, 2] == pytest.approx(0)


def test_w2_left_out():
    found = ls.leave_one_out(LinearRegression(fit_intercept=False), *W2)
    np.testing.assert_allclose(found.residuals, [0.5, -2, -2], atol=1e-12)
    np.testing.assert_allclose(found.predictions, W2[1] - found.residuals)
    assert found.mse == pytest.approx(11 / 4)
    assert found.refitted == 0


def test_w5_w6_ridge():
    X, y = W2
    np.testing.assert_allclose(Ridge(1.0, fit_intercept=False).fit(X, y).coef_, [11 / 13, 21 / 13])
    dual = KernelRidge(alpha=1.0).fit(X, y).dual_coef_
    np.testing.assert_allclose(dual, [7 / 13, 6 / 13, -4 / 13])
    ours = ls.KernelRidgeLOO("linear", alphas=[1.0]).fit(X, y)
    np.testing.assert_allclose(ours.dual_coef_, dual, atol=1e-12)
    ours = ls.KernelRidgeLOO("linear", alphas=[1e-6]).fit(*W3)
    np.testing.assert_allclose(W3[0].T @ ours.dual_coef_, [0.5, 0.9, 0.8], atol=1e-6)
    x, y = np.arange(3.0)[:, None], np.array([10.0, 11, 12])
    penalised = Ridge(1.0, fit_intercept=False).fit(np.hstack([x, np.ones((3, 1))]), y)
    np.testing.assert_allclose(penalised.coef_, [41 / 15, 31 / 5])
    free = Ridge(1.0).fit(x, y)
    np.testing.assert_allclose([free.coef_[0], free.intercept_], [2 / 3, 31 / 3])


def test_w7_xor_map():
    X = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
    y = -X[:, 0] * X[:, 1]
    flat = LinearRegression().fit(X, y)
    np.testing.assert_allclose([*flat.coef_, flat.intercept_], 0, atol=1e-12)
    mapped = np.column_stack([X, X[:, 0] * X[:, 1]])
    np.testing.assert_allclose(np.linalg.lstsq(mapped, y)[0], [0, 0, -1], atol=1e-12)


@pytest.mark.parametrize(
    "model",
    [
        LinearRegression(),
        LinearRegression(fit_intercept=False),
        Ridge(0.5),
        Ridge(2.0, fit_intercept=False),
        KernelRidge(alpha=0.1, kernel="rbf", gamma=0.3),
        KernelRidge(alpha=1e-3, kernel="polynomial", degree=2, coef0=1),
        KernelRidge(alpha=0.2, kernel=Gaussian(0.4)),
    ],
    ids=str,
)
@pytest.mark.parametrize("shape", [(12, 3), (7, 6)])
def test_equal_to_brute_force(model, shape):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=shape), rng.normal(size=shape[0])
    found = ls.leave_one_out(model, X, y)
    np.testing.assert_allclose(found.residuals, refitted(model, X, y), atol=1e-7)
    assert found.refitted in (0, shape[0])


@pytest.mark.parametrize("shape", [(12, 3), (7, 6)])
def test_ridge_without_a_penalty_is_least_squares(shape):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=shape), rng.normal(size=shape[0])
    found, plain = ls.leave_one_out(Ridge(0.0), X, y), ls.leave_one_out(LinearRegression(), X, y)
    np.testing.assert_allclose(found.residuals, plain.residuals, atol=1e-9)


def test_rows_that_decide_alone_are_fitted_again():
    X = np.vstack([np.column_stack([np.arange(5.0), np.zeros(5)]), [[1.0, 1.0]]])
    y = np.array([0.0, 1, 2, 3, 5, 7])
    found = ls.leave_one_out(LinearRegression(), X, y)  # only the last row has a second feature
    assert found.refitted == 1
    np.testing.assert_allclose(found.residuals, refitted(LinearRegression(), X, y), atol=1e-10)
    assert str(found).endswith("over 6 rows, 1 of them by fitting again")
    X, y = np.random.default_rng(1).normal(size=(4, 6)), np.arange(4.0)  # fewer rows than columns
    np.testing.assert_allclose(
        ls.leave_one_out(LinearRegression(), X, y).residuals,
        refitted(LinearRegression(), X, y),
        atol=1e-9,
    )


def test_precomputed():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(9, 2)), rng.normal(size=9)
    K = gram("gaussian:0.5", X)
    a = ls.leave_one_out(KernelRidge(alpha=0.1, kernel="precomputed"), K, y)
    b = ls.KernelRidgeLOO("precomputed", alphas=[0.1]).fit(K, y)
    c = ls.KernelRidgeLOO("gaussian:0.5", alphas=[0.1]).fit(X, y)
    np.testing.assert_allclose(a.residuals, b.loo_residuals_, atol=1e-10)
    np.testing.assert_allclose(b.predict(K), c.predict(X), atol=1e-10)


@pytest.mark.parametrize("kernel", [Gaussian(0.02), Polynomial(2, 1.0)], ids=str)
def test_every_lambda_equals_brute_force(kernel):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:60] / X.std(axis=0), y[:60] - y[:60].mean()
    model = ls.KernelRidgeLOO(kernel).fit(X, y)
    assert len(model.alphas_) == 50
    K = kernel.gram(X)
    for i in range(0, 50, 7):
        brute = left_out(K, y, model.alphas_[i])
        assert model.loo_errors_[i] == pytest.approx(np.mean(brute**2), rel=1e-7)
    brute = left_out(K, y, model.alpha_)
    np.testing.assert_allclose(model.loo_residuals_, brute, atol=1e-7 * np.abs(y).max())
    np.testing.assert_allclose(
        model.dual_coef_, np.linalg.solve(K + model.alpha_ * np.eye(60), y), rtol=1e-7
    )
    assert model.loo_errors_.argmin() not in (0, 49)  # the grid is wide enough


def test_several_outputs_and_strings():
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(15, 2)), rng.normal(size=(15, 2))
    both = ls.KernelRidgeLOO(alphas=[0.3, 1.0]).fit(X, Y)
    each = [ls.KernelRidgeLOO(alphas=[0.3, 1.0]).fit(X, Y[:, k]).loo_errors_ for k in (0, 1)]
    np.testing.assert_allclose(both.loo_errors_, np.mean(each, axis=0))
    assert both.predict(X[:4]).shape == (4, 2)
    words = ["gatta", "cata", "tagata", "cat", "gat"]
    y = np.array([5.0, 4, 6, 3, 3])
    model = ls.KernelRidgeLOO(Spectrum(1), alphas=[0.1]).fit(words, y)
    K = gram("spectrum:1", words)
    np.testing.assert_allclose(model.predict(words), K @ np.linalg.solve(K + 0.1 * np.eye(5), y))


def test_the_largest_of_equal_lambdas():
    model = ls.KernelRidgeLOO("linear", alphas=[3.0, 1.0]).fit([[0.0], [0.0]], [1.0, 2.0])
    assert model.alpha_ == 3.0
    assert model.alphas_.tolist() == [1.0, 3.0]


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (Lasso(), "must be one of LinearRegression, Ridge, KernelRidge, not Lasso"),
        (make_pipeline(StandardScaler(), Ridge()), "have seen the row that is left out"),
        (LinearRegression(positive=True), "no linear function of y"),
        (Ridge(alpha=-1.0), "alpha must be one number, 0 or more, not -1.0"),
        (KernelRidge(alpha=0.0, kernel="linear"), "not positive definite"),
    ],
    ids=str,
)
def test_models_that_are_refused(model, says):
    with pytest.raises(BadInput, match=says):
        ls.leave_one_out(model, np.array([[1.0, 2], [2, 4], [3, 6]]), [1.0, 2, 3])


@pytest.mark.parametrize(
    ("parameters", "X", "says"),
    [
        ({"alphas": [0.0]}, [[1.0], [2.0]], "alphas must be numbers above 0"),
        ({"alphas": ["a"]}, [[1.0], [2.0]], "alphas must be numbers"),
        ({"kernel": "gauss"}, [[1.0], [2.0]], "kernel must be one of"),
        ({}, [[1.0], [np.inf]], "row 2, column 1 is infinity"),
        ({"kernel": "precomputed"}, [[1.0, 2.0], [0.0, 1.0]], r"must be symmetric; K\[0, 1\] = 2"),
        ({"kernel": "precomputed"}, [[1.0, 2.0], [2.0, 1.0]], "eigenvalue -1"),
        ({"kernel": "precomputed"}, [[1.0], [2.0]], "must be 2 x 2"),
    ],
)
def test_bad_input(parameters, X, says):
    with pytest.raises(BadInput, match=says):
        ls.KernelRidgeLOO(**parameters).fit(X, [1.0, 2.0])
    with pytest.raises(BadInput, match="minimum of 2 is required"):
        ls.leave_one_out(Ridge(), [[1.0]], [1.0])


def test_scikit_learns_own_checks():
    found = check_estimator(ls.KernelRidgeLOO(), on_fail=None, on_skip=None)
    assert not [c["check_name"] for c in found if c["status"] == "failed"]
    assert sum(c["status"] == "passed" for c in found) > 30


def test_the_picture():
    pytest.importorskip("matplotlib")
    model = ls.KernelRidgeLOO("linear").fit(*W2)
    (axes,) = model.plot().axes
    assert axes.get_xlabel() == "lambda"
    np.testing.assert_allclose(axes.lines[0].get_ydata(), model.loo_errors_)
