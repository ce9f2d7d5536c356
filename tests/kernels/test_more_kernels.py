"""Matérn, Cauchy, splines, paths of a graph, Newton's identities: against scikit-learn, integrals and features."""

import numpy as np
import pytest
from scipy.integrate import quad
from sklearn.gaussian_process import kernels as theirs
from sklearn.svm import SVC

from littlestone.core.errors import BadInput
from littlestone.kernels import (
    AllSubsets,
    Anova,
    Cauchy,
    Gaussian,
    Matern,
    PathKernel,
    Spline,
    gram,
    kernel_named,
    newton_anova,
    refute,
)

rng = np.random.default_rng(0)
X, Z = rng.normal(size=(12, 3)), rng.normal(size=(5, 3))


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_matern_is_scikit_learns(order):
    np.testing.assert_allclose(
        gram(Matern(order, 1.3), X, Z), theirs.Matern(1.3, nu=order + 0.5)(X, Z), rtol=1e-9
    )
    assert refute(Matern(order, 1.3), X) is None


def test_matern_tends_to_the_gaussian():
    far = [np.abs(gram(Matern(n), X) - gram(Gaussian(0.5), X)).max() for n in (0, 2, 5, 20)]
    assert far == sorted(far, reverse=True)
    assert far[-1] < 0.02


def test_cauchy_is_a_mixture_of_gaussians():
    np.testing.assert_allclose(
        gram(Cauchy(0.5), X, Z), theirs.RationalQuadratic(1.0, 1.0)(X, Z), rtol=1e-12
    )
    mixed = quad(
        lambda t: np.exp(-t) * gram(Gaussian(0.5 * t + 1e-300), X[:1], Z[:1])[0, 0], 0, np.inf
    )[0]
    assert Cauchy(0.5)(X[0], Z[0]) == pytest.approx(mixed, rel=1e-8)
    assert refute(Cauchy(0.5), X) is None


def test_splines_are_integrals():
    for x, z in ((2.0, 3.0), (0.4, 0.4), (0.0, 1.0), (5.0, 0.1)):
        part = quad(lambda t, x=x, z=z: (x - t) * (z - t), 0.0, min(x, z))[0]
        assert Spline()(x, z) == pytest.approx(1 + x * z + part)
        assert Spline()(-x, -z) == pytest.approx(1 + x * z + part)
    assert Spline()(2.0, -3.0) == 1 - 6
    assert Spline(2.0)([1.0, 2.0], [3.0, 3.0]) == pytest.approx(
        Spline(2.0)(1.0, 3.0) + Spline(2.0)(2.0, 3.0) - 1
    )
    assert refute(Spline(), 3 * X) is None


def test_a_spline_is_straight_beyond_the_rows_and_cubic_between():
    at = np.array([0.5, 1.0, 2.0, 3.5])
    a = np.linalg.solve(gram(Spline(), at[:, None]) + 1e-6 * np.eye(4), [1.0, -1.0, 2.0, 0.0])

    def f(x):
        return gram(Spline(), np.array(x)[:, None], at[:, None]) @ a

    np.testing.assert_allclose(np.diff(f([4.0, 5.0, 6.0, 7.0]), 2), 0.0, atol=1e-8)
    inside = f(np.linspace(1.1, 1.9, 6))
    np.testing.assert_allclose(np.diff(inside, 4), 0.0, atol=1e-8)
    assert np.abs(np.diff(inside, 2)).max() > 1e-3


def test_paths_of_a_chain_are_all_subsets_and_of_a_grid_anova():
    chain = PathKernel([(i, i + 1, k) for i in range(3) for k in (1.0, i)], 0, 3)
    np.testing.assert_allclose(chain(X, Z), gram(AllSubsets(), X, Z))
    for d in (1, 2, 3):
        stay = [((i, s), (i + 1, s), 1.0) for i in range(3) for s in range(d + 1)]
        take = [((i, s), (i + 1, s + 1), i) for i in range(3) for s in range(d)]
        np.testing.assert_allclose(
            PathKernel(stay + take, (0, 0), (3, d))(X, Z), gram(Anova(d), X, Z), atol=1e-12
        )


def test_paths_carry_any_kernels():
    k = PathKernel(
        [("a", "b", "gaussian:0.5"), ("a", "b", 0.25), ("b", "c", "linear"), ("a", "c", 2.0)],
        "a",
        "c",
    )
    np.testing.assert_allclose(k(X), (gram("gaussian:0.5", X) + 0.25) * gram("linear", X) + 2.0)
    assert refute("precomputed", k(X)) is None
    y = X[:, 0] > 0
    assert SVC(kernel=k).fit(X, y).score(X, y) > 0.5


@pytest.mark.parametrize("degree", [0, 1, 2, 3, 5])
def test_newtons_identities(degree):
    wide = rng.normal(size=(20, 30)) / 5
    K = gram(Anova(degree), wide)
    np.testing.assert_allclose(newton_anova(wide, degree=degree), K, atol=1e-9 * np.abs(K).max())
    np.testing.assert_allclose(newton_anova(X, Z, degree), gram(Anova(degree), X, Z), atol=1e-9)


def test_where_digits_cancel_the_other_recursion_is_taken():
    ones = np.array(
        [[1e8, 1.0, 1.0, 1.0, 1.0]]
    )  # the power sums are 1e24, the kernel 4e8 in the fourth degree
    power = [(ones**s @ ones.T**s)[0, 0] for s in range(1, 6)]
    k = [1.0]
    for d in range(1, 6):
        k.append(sum((-1) ** (s + 1) * k[d - s] * power[s - 1] for s in range(1, d + 1)) / d)
    exact = 1e16  # the product of all five squares
    assert abs(k[5] - exact) > 1e-3 * exact  # the identities alone have lost every digit
    assert newton_anova(ones, degree=5)[0, 0] == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            lambda: kernel_named("matern:1.5"),
            "order of the Matern kernel must be a whole number, not 1.5",
        ),
        (
            lambda: kernel_named("matern:30"),
            "order of the Matern kernel must be a number of at least 0 and at most 20",
        ),
        (
            lambda: kernel_named("matern:1,0"),
            "length of the Matern kernel must be a number above 0",
        ),
        (lambda: PathKernel([(0, 1)], 0, 1), "an edge is (from, to, kernel)"),
        (lambda: PathKernel([(0, 1, 1.0), (1, 0, 1.0)], 0, 1), "the edges have a cycle"),
        (lambda: PathKernel([(0, 1, -1.0)], 0, 1), "a constant of at least 0, not -1.0"),
        (lambda: PathKernel([(0, 1, 7)], 0, 1)(X), "an edge is for feature 7, and X has 3: 0 to 2"),
        (
            lambda: newton_anova(X, degree=1.5),
            "degree must be a whole number of at least 0, not 1.5",
        ),
        (lambda: newton_anova(X, Z[:, :2]), "Z must have 3 columns"),
    ],
)
def test_bad_input(given, message):
    with pytest.raises(BadInput) as problem:
        given()
    assert message in str(problem.value)
