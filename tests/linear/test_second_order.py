"""Learners with a full matrix on rows that are long and alike: what they keep of it must not be lost by rounding."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import littlestone as ls
from littlestone.linear.parts.cholesky import add_outer, solve

LEARNERS = {
    "arow": lambda a: ls.AROW(full=True, r=a),
    "newton logistic": lambda a: ls.OnlineNewton(loss="logistic", a=a),
    "newton squared-hinge": lambda a: ls.OnlineNewton(loss="squared-hinge", a=a),
    "newton square": lambda a: ls.OnlineNewton(loss="square", a=a),
    "second-order-perceptron": lambda a: ls.SecondOrderPerceptron(a=a),
}


def alike(scale, apart, T=8, d=3):
    """Rows that differ in so small a part."""
    rng = np.random.default_rng(5)
    rows = np.full((T, d), -scale) + apart * scale * rng.normal(size=(T, d))
    return rows, rng.choice([-1, 1], size=T)


@pytest.mark.parametrize("name", LEARNERS)
def test_no_theorem_is_broken_by_rounding(name):
    """By the formula of Sherman and Morrison 41 of 720 verdicts of online-newton and arow on such rows were wrong."""
    for scale, apart, a in product((2e4, 1e8), (0.0, 1e-9, 1e-4), (0.01, 1.0, 10.0)):
        X, y = alike(scale, apart)
        run = ls.play(LEARNERS[name](a), X, y, engine="plain")
        assert run.certificate.verdict == "kept", (scale, apart, a, str(run.certificate))


def test_three_equal_rows_keep_the_theorem_of_arow():
    X = np.full((3, 2), -20_000.0)
    for y in product((-1, 1), repeat=3):
        for r in (0.01, 0.1, 1.0, 5.0, 10.0):
            run = ls.play(ls.AROW(full=True, r=r), X, y, engine="plain")
            assert run.certificate.verdict == "kept"


def test_newton_on_squares_is_exact_ridge_regression():
    """Beside fractions: by an inverse that is updated, predictions grew to 1e44 here."""
    X, _ = alike(8e6, 0.0)
    y = np.random.default_rng(0).normal(size=len(X))
    run = ls.play(ls.OnlineNewton(loss="square", a=0.5), X, y, engine="plain")
    x, square, product_ = [Fraction(v) for v in X[0]], Fraction(1, 2), Fraction(0)
    norm = sum(v * v for v in x)
    for t in range(len(X)):  # (a I + 2 n x x') w = 2 sum y x: w is a multiple of x
        p = float(2 * product_ * norm / (square + 2 * t * norm))
        assert run.predictions[t] == pytest.approx(p, rel=1e-12)
        product_ += Fraction(y[t])


def test_the_factor_is_that_of_the_sum():
    rng = np.random.default_rng(1)
    Z, R, logdet = rng.normal(size=(5, 4)), np.eye(4), 0.0
    for z in Z:
        logdet += add_outer(R, z.copy())
    A = np.eye(4) + Z.T @ Z
    assert pytest.approx(A) == R.T @ R
    assert (np.tril(R, -1) == 0.0).all()
    assert logdet == pytest.approx(math.log(np.linalg.det(A)))
    b = rng.normal(size=4)
    w = b.copy()
    assert solve(R, w) == pytest.approx(b @ np.linalg.solve(A, b))
    assert w == pytest.approx(np.linalg.solve(A, b))


def test_a_feature_that_was_not_met_has_no_weight():
    R = np.diag([2.0, 0.0, 1.0])
    z = np.array([3.0, 0.0, 0.0])
    add_outer(R, z)
    b = np.array([1.0, 0.0, 2.0])
    solve(R, b)
    assert b.tolist() == pytest.approx([1.0 / 13.0, 0.0, 2.0])
