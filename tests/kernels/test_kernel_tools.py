"""Refuters, functions of a kernel, low-rank matrices, explicit features, diffusion."""

import numpy as np
import pytest
from scipy.linalg import expm
from sklearn.preprocessing import PolynomialFeatures

from littlestone.core.errors import BadInput
from littlestone.kernels import (
    Gaussian,
    Polynomial,
    RKHSFunction,
    exponential_diffusion,
    gram,
    pivoted_cholesky,
    polynomial_features,
    refute,
    von_neumann_diffusion,
)

RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(12, 2))


@pytest.mark.parametrize(
    ("function", "X", "value"),
    [
        (lambda x, z: x @ np.array([[-1.0, 2.0], [2.0, 4.0]]) @ z, [[0, 1], [1, 0]], -1.0),
        (lambda x, z: x @ z - (x @ z) ** 2, [[0.5, 0], [2, 0]], -12.0),
    ],
)
def test_problem_14_of_the_lectures(function, X, value):
    """T2.19: 4.2 and 4.4 are no kernels, and one point shows it."""
    found = refute(function, X)
    assert found.value == pytest.approx(value)
    assert len(found.rows) == 1


def test_every_witness_is_one():
    """T2.12: what the closure rules do not allow, with a witness that can be checked by hand."""
    X = POINTS
    K1, K2 = gram("gaussian:1", X), gram("polynomial:2", X)
    wrong = {
        "difference": K1 - 0.5 * K2, "negative": -K1, "minimum": np.minimum(K2, 5 * K1),
        "Schur as printed": K2 * np.diag(gram("gaussian:1", X) * np.arange(1, 13))[None, :],
    }  # fmt: skip
    for name, K in wrong.items():
        found = refute("precomputed", K)
        assert found is not None, name
        if found.symmetric:
            c, part = found.coefficients, K[np.ix_(found.rows, found.rows)]
            assert c @ part @ c == pytest.approx(found.value)
            assert found.value < 0
        else:
            i, j = found.rows
            assert K[i, j] - K[j, i] == pytest.approx(found.value)
            assert found.value > 0
    assert "Schur as printed" in wrong
    assert not refute("precomputed", wrong["Schur as printed"]).symmetric  # E16
    for K in (K1, K1 + K2, K1 * K2, np.exp(K1)):
        assert refute("precomputed", K) is None
    assert refute("spectrum:2", ["gatta", "cata"]) is None


def test_functions_of_a_kernel():
    """T2.11: f(x) = <f, K(x, .)>; the norm of the min kernel is that of the derivative."""
    f = RKHSFunction(Gaussian(0.5), POINTS[:5], RNG.normal(size=5))
    g = RKHSFunction(Gaussian(0.5), POINTS[5:8])
    for x in POINTS[:3]:
        assert f @ RKHSFunction(Gaussian(0.5), [x]) == pytest.approx(f([x])[0])
    total = 2.0 * f - g
    np.testing.assert_allclose(total(POINTS), 2 * f(POINTS) - g(POINTS), atol=1e-12)
    assert total.norm**2 == pytest.approx(4 * (f @ f) - 4 * (f @ g) + g @ g)
    x = np.array([[0.5], [1.25], [3.0]])
    h = RKHSFunction("min", x, [2.0, -1.0, 0.5])
    grid = np.linspace(0, 4, 4001)[:, None]
    slope = np.diff(h(grid)) / 0.001
    assert h.norm**2 == pytest.approx((slope**2).sum() * 0.001, rel=1e-3)


def test_pivoted_cholesky():
    X = RNG.normal(size=(40, 3))
    K = gram("gaussian:0.1", X)
    for rank in (1, 5, 12):
        found = pivoted_cholesky("gaussian:0.1", X, rank)
        rest = K - found.G @ found.G.T
        assert len(found.pivots) == rank
        assert found.error == pytest.approx(np.trace(rest), abs=1e-9)
        assert np.linalg.eigvalsh(rest)[0] > -1e-9
        assert np.abs(rest).max() <= found.error + 1e-9
    whole = pivoted_cholesky("linear", X)
    assert len(whole.pivots) == 3  # the rank of the linear kernel
    np.testing.assert_allclose(whole.G @ whole.G.T, X @ X.T, atol=1e-9)


@pytest.mark.parametrize(("degree", "constant"), [(0, 1.0), (1, 0.0), (2, 1.0), (3, 0.5), (4, 0.0)])
def test_explicit_features_of_the_polynomial_kernel(degree, constant):
    phi = polynomial_features(POINTS, degree, constant)
    np.testing.assert_allclose(phi @ phi.T, (constant + POINTS @ POINTS.T) ** degree, atol=1e-9)
    if degree:
        np.testing.assert_allclose(
            phi @ phi.T, gram(Polynomial(degree, constant), POINTS), atol=1e-9
        )
    if degree == 2 and constant:
        plain = PolynomialFeatures(2).fit_transform(POINTS)
        assert np.abs(plain @ plain.T - phi @ phi.T).max() > 0.1  # weights of 1 are another kernel


def test_diffusion():
    B = np.array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]])
    np.testing.assert_allclose(exponential_diffusion(B, 0.5), expm(0.5 * B), atol=1e-12)
    np.testing.assert_allclose(
        von_neumann_diffusion(B, 0.5), np.linalg.inv(np.eye(3) - 0.5 * B), atol=1e-12
    )
    for K in (exponential_diffusion(B, 2.0), von_neumann_diffusion(B, 0.7)):
        assert refute("precomputed", K) is None
    # with a factor B in front they are no kernels: B is not positive semidefinite
    for K, low in (
        (B @ exponential_diffusion(B, 0.5), -0.697),
        (B @ von_neumann_diffusion(B, 0.5), -0.828),
    ):
        assert np.linalg.eigvalsh(K)[0] == pytest.approx(low, abs=1e-3)
        assert refute("precomputed", K) is not None


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: refute(3, [[1.0]]), "a function of two vectors"),
        (lambda: refute("precomputed", [[1.0, 2.0]]), "a square matrix"),
        (lambda: RKHSFunction("linear", [[1.0]], [1.0, 2.0]), "one finite number an example, 1"),
        (
            lambda: RKHSFunction("linear", [[1.0]]) @ RKHSFunction("gaussian", [[1.0]]),
            "the same kernel",
        ),
        (lambda: pivoted_cholesky("linear", [[1.0]], rank=0), "rank must be a whole number"),
        (lambda: polynomial_features([[1.0]], -1), "degree must be a whole number"),
        (lambda: polynomial_features(np.ones((1, 500)), 5), "features are too many"),
        (
            lambda: von_neumann_diffusion([[0.0, 1], [1, 0]], 1.0),
            "rate must be below 1/1 = 1, not 1",
        ),
        (lambda: exponential_diffusion([[0.0, 1], [2, 0]]), "must be a symmetric matrix"),
        (lambda: exponential_diffusion([[0.0, 1], [1, 0]], 1000.0), "take a smaller rate"),
    ],
)
def test_bad_input(call, says):
    with pytest.raises(BadInput, match=says):
        call()
