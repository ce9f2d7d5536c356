"""Any loss in dual form: against scikit-learn, against a general optimiser, and its own dual."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.kernels import BlendedSpectrum, Gaussian, gram
from littlestone.supervised.dual_losses import LOSSES, insensitive

ALL = [*LOSSES, "epsilon-insensitive"]


def sample(labels, m=24):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m, 2))
    s = X[:, 0] - X[:, 1] ** 2 + 0.5 * rng.normal(size=m)
    return X, np.where(s > -0.5, 1, -1) if labels else s


@pytest.mark.parametrize("loss", ALL)
@pytest.mark.parametrize("lam", [0.02, 1.0])
def test_the_dual_proves_that_it_is_optimal(loss, lam):
    one = insensitive(0.1) if loss == "epsilon-insensitive" else LOSSES[loss]
    X, y = sample(one.labels)
    model = ls.RegularisedKernel(loss, Gaussian(0.5), lam).fit(X, y)
    assert model.certificate.verdict == "kept"
    assert -1e-9 <= model.gap <= 1e-6 * model.objective_
    if one.bend is not None:  # E11: minus
        f = model.decision_function(X)
        np.testing.assert_allclose(
            model.dual_coef_, -one.slope(y, f) / (2 * lam), rtol=1e-3, atol=1e-4
        )
    K = gram(Gaussian(0.5), X)
    rng = np.random.default_rng(1)
    for _ in range(20):  # no other function is better
        a = model.dual_coef_ + 0.1 * rng.normal(size=len(y))
        assert one.value(y, K @ a).sum() + lam * a @ K @ a >= model.dual_ - 1e-9


@pytest.mark.parametrize("loss", ["logistic", "squared hinge", "exponential"])
def test_a_general_optimiser_finds_nothing_better(loss):
    X, y = sample(True)
    one, K = LOSSES[loss], gram("gaussian:0.5", X)
    model = ls.RegularisedKernel(loss, "gaussian:0.5", 0.3).fit(X, y)
    found = minimize(
        lambda a: one.value(y, K @ a).sum() + 0.3 * a @ K @ a, np.zeros(len(y)), method="BFGS"
    )
    assert model.objective_ <= found.fun * (1 + 1e-9)
    assert model.dual_ <= found.fun


def test_scikit_learn_solves_the_same_problems():
    X, y = sample(False)
    ridge = ls.RegularisedKernel("square", "gaussian:0.5", 0.3, tol=1e-9).fit(X, y)
    theirs = KernelRidge(alpha=0.3, kernel="rbf", gamma=0.5).fit(X, y)
    np.testing.assert_allclose(ridge.predict(X), theirs.predict(X), atol=1e-7)
    X, y = sample(True)
    w = X.T @ ls.RegularisedKernel("logistic", "linear", 0.5, tol=1e-12).fit(X, y).dual_coef_
    other = LogisticRegression(C=1.0, fit_intercept=False, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(w, other.coef_[0], atol=1e-5)
    w = X.T @ ls.RegularisedKernel("squared hinge", "linear", 0.5, tol=1e-12).fit(X, y).dual_coef_
    other = LinearSVC(C=1.0, fit_intercept=False, tol=1e-10, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(w, other.coef_[0], atol=1e-5)


def test_labels_as_they_are_written():
    X, y = sample(True)
    words = np.where(y > 0, "yes", "no")
    model = ls.RegularisedKernel("hinge", "gaussian", 0.05).fit(X, words)
    assert set(model.predict(X)) == {"yes", "no"}
    assert np.mean(model.predict(X) == words) > 0.8


def test_too_few_steps_are_unknown():
    X, y = sample(True)
    model = ls.RegularisedKernel("hinge", "gaussian:0.1", 0.001, tol=1e-12, steps=1).fit(X, y)
    assert model.certificate.verdict == "unknown"
    assert model.gap > 0


def test_the_value_of_a_convex_loss_is_above_its_conjugate():
    """min_f V(y, f) + u f = conjugate(u): on a grid of f, for u in the range of the dual."""
    f = np.linspace(-60, 60, 240_001)
    for one in (*LOSSES.values(), insensitive(0.3)):
        for y in (-1.0, 1.0):
            for b in (0.05, 0.3, 0.9):
                u = y * b
                least = np.min(one.value(y, f) + u * f)
                assert one.conjugate(np.array(u), np.array(y)) == pytest.approx(least, abs=1e-4)


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"loss": "huber"}, "loss must be one of square, hinge"),
        ({"alpha": 0.0}, "alpha must be a number above 0, not 0.0"),
        ({"tol": -1}, "tol must be a number above 0"),
        ({"loss": "epsilon-insensitive", "epsilon": -1}, "epsilon must be 0 or more"),
        ({"kernel": "gauss"}, "kernel must be one of"),
    ],
)
def test_bad_input(parameters, says):
    with pytest.raises(BadInput, match=says):
        ls.RegularisedKernel(**parameters).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(BadInput, match="Only binary classification"):
        ls.RegularisedKernel().fit([[0.0], [1.0], [2.0]], [0, 1, 2])


def test_strings_with_a_kernel_of_strings():
    """Equal to scikit-learn's kernel ridge with the same Gram matrix; new strings are predicted."""
    words, y = ["abab", "abba", "bbbb", "aab", "bba", "abaa"], np.array([1.0, 2, -1, 3, 0, 2])
    kernel = BlendedSpectrum(2)
    ours = ls.RegularisedKernel("square", kernel, alpha=0.5).fit(words, y)
    theirs = KernelRidge(kernel="precomputed", alpha=0.5).fit(kernel.gram(words), y)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-6)
    new = ["ab", "baab"]
    np.testing.assert_allclose(ours.predict(new), kernel.gram(new, words) @ theirs.dual_coef_)
    with pytest.raises(BadInput, match="X has 6 strings and y 5 entries"):
        ls.RegularisedKernel("square", kernel).fit(words, y[:5])


def test_scores_are_accuracy_or_r2():
    X, y = sample(True)
    model = ls.RegularisedKernel("hinge", Gaussian(0.5)).fit(X, y)
    assert model.score(X, y) == np.mean(model.predict(X) == y)
    X, y = sample(False)
    model = ls.RegularisedKernel("square", Gaussian(0.5)).fit(X, y)
    left = np.sum((y - model.predict(X)) ** 2)
    assert model.score(X, y) == pytest.approx(1 - left / np.sum((y - y.mean()) ** 2))


@pytest.mark.parametrize("loss", ALL)
@pytest.mark.parametrize("lam", [0.02, 1.0])
def test_with_an_intercept_the_dual_proves_it_too(loss, lam):
    one = insensitive(0.1) if loss == "epsilon-insensitive" else LOSSES[loss]
    X, y = sample(one.labels)
    y = y if one.labels else y + 5.0
    model = ls.RegularisedKernel(loss, Gaussian(0.5), lam, fit_intercept=True).fit(X, y)
    assert model.certificate.verdict == "kept"
    assert -1e-9 <= model.gap <= 1e-6 * model.objective_
    assert abs(model.dual_coef_.sum()) < 1e-4 * np.abs(model.dual_coef_).sum()
    K = gram(Gaussian(0.5), X)
    np.testing.assert_allclose(
        model.decision_function(X), K @ model.dual_coef_ + model.intercept_, rtol=1e-12
    )
    rng = np.random.default_rng(1)
    for _ in range(20):  # no other function and number is better
        a = model.dual_coef_ + 0.1 * rng.normal(size=len(y))
        b = model.intercept_ + rng.normal()
        assert one.value(y, K @ a + b).sum() + lam * a @ K @ a >= model.dual_ - 1e-9
    without = ls.RegularisedKernel(loss, Gaussian(0.5), lam).fit(X, y)
    assert model.objective_ <= without.objective_ * (1 + 1e-6)


def test_scikit_learn_has_the_same_intercepts():
    from sklearn.svm import SVC, SVR

    X, y = sample(True)
    svm = ls.RegularisedKernel("hinge", "gaussian:0.5", 0.25, fit_intercept=True, tol=1e-9)
    theirs = SVC(C=2.0, kernel="rbf", gamma=0.5, tol=1e-8).fit(X, y)  # C = 1 / (2 lambda)
    np.testing.assert_allclose(
        svm.fit(X, y).decision_function(X), theirs.decision_function(X), atol=1e-3
    )
    X, y = sample(False)
    tube = ls.RegularisedKernel(
        "epsilon-insensitive", "gaussian:0.5", 0.25, epsilon=0.2, fit_intercept=True, tol=1e-9
    )
    theirs = SVR(C=2.0, kernel="rbf", gamma=0.5, epsilon=0.2, tol=1e-8).fit(X, y + 3.0)
    np.testing.assert_allclose(tube.fit(X, y + 3.0).predict(X), theirs.predict(X), atol=1e-3)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("name", ["square", "squared hinge", "logistic"])
def test_a_loss_of_one_s_own_is_the_one_that_is_named(name, bias):
    one = LOSSES[name]
    X, y = sample(one.labels)
    given = {"alpha": 0.3, "fit_intercept": bias, "tol": 1e-8}
    named = ls.RegularisedKernel(name, "gaussian:0.5", **given).fit(X, y)
    for functions in ((one.value, one.slope), (one.value, one.slope, one.bend)):
        own = ls.RegularisedKernel(functions, "gaussian:0.5", labels=one.labels, **given).fit(X, y)
        assert own.certificate.verdict == "kept"
        assert own.objective_ == pytest.approx(named.objective_, rel=1e-7)
        assert (own.predict(X) == named.predict(X)).all() or not one.labels
        assert own.dual_ <= named.objective_ * (1 + 1e-12)


def huber(y, f):
    r = np.abs(y - f)
    return np.where(r <= 1, r**2 / 2, r - 0.5)


def test_a_loss_of_one_s_own_is_looked_at():
    X, y = sample(False)
    slope = lambda y, f: np.clip(f - y, -1, 1)  # noqa: E731
    model = ls.RegularisedKernel((huber, slope), "gaussian:0.5", 0.1, fit_intercept=True)
    assert model.fit(X, y).certificate.verdict == "kept"
    for functions, says in (
        ((huber, lambda y, f: -slope(y, f)), "not convex with this slope"),
        ((lambda y, f: -huber(y, f), slope), r"it must be 0 or more"),
        ((huber, lambda y, f: 2 * slope(y, f)), "not convex with this slope"),
        ((huber, lambda y, f: 0.0), "the slope of your loss must be one finite number a row"),
        ((huber,), r"is \(value, slope\) or \(value, slope, bend\)"),
    ):
        with pytest.raises(BadInput, match=says):
            ls.RegularisedKernel(functions).fit(X, y)
