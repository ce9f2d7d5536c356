"""Worked examples of the lecture on kernels: W8, W9, W10, W11, with fractions where they are fractions."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from littlestone.core.errors import BadInput
from littlestone.kernels import RKHSFunction, gram, indicators, polynomial_features
from littlestone.kernels.functions.function_norm import function_norm


def determinant(M):
    """By elimination, in fractions."""
    M, det = [[Fraction(v) for v in row] for row in M], Fraction(1)
    for c in range(len(M)):
        r = next(r for r in range(c, len(M)) if M[r][c] != 0)
        if r != c:
            M[c], M[r], det = M[r], M[c], -det
        det *= M[c][c]
        for r in range(c + 1, len(M)):
            factor = M[r][c] / M[c][c]
            M[r] = [a - factor * b for a, b in zip(M[r], M[c], strict=True)]
    return det


def whole(K):
    assert (K.round() == K).all()
    return [[Fraction(int(v)) for v in row] for row in K]


def test_w8_kernels_and_their_features():  # X-KERNEL-MAPS
    X = [[2.0, -1.0], [0.5, 3.0], [-1.5, 0.25]]
    root = math.sqrt(2.0)
    six = [[1, root * a, root * b, a * a, b * b, root * a * b] for a, b in X]
    np.testing.assert_allclose(np.array(six) @ np.array(six).T, gram("polynomial:2", X), rtol=1e-14)
    np.testing.assert_allclose(
        polynomial_features(X, 2) @ polynomial_features(X, 2).T, gram("polynomial:2", X)
    )
    for map_ in (
        (lambda a, b: (a * a, b * b, a * b, b * a)),
        (lambda a, b: (a * a, b * b, root * a * b)),
    ):
        F = np.array([map_(*x) for x in X])
        np.testing.assert_allclose(F @ F.T, gram("polynomial:2,0", X), atol=1e-13)
    a, x, t = 1.7, 0.8, 1.3
    term = [math.sqrt(a**i / math.factorial(i)) for i in range(40)]
    assert sum(c * x**i * c * t**i for i, c in enumerate(term)) == pytest.approx(
        5.859123388542665, rel=1e-15
    )
    assert gram("exponential:1.7", [[0.8]], [[1.3]])[0, 0] == pytest.approx(
        5.859123388542665, rel=1e-14
    )


def test_w9_the_set_kernel():  # X-SETS
    K = gram("common-subsets", indicators([set(), {0}, {1}, {0, 1}], 2))
    assert K.tolist() == [[1, 1, 1, 1], [1, 2, 1, 2], [1, 1, 2, 2], [1, 2, 2, 4]]
    every = [set(s) for r in range(5) for s in itertools.combinations(range(4), r)]
    K = gram("common-subsets", indicators(every, 4))
    assert determinant(whole(K)) == 1
    assert np.linalg.eigvalsh(K)[0] == pytest.approx(0.0212862, abs=5e-8)


def test_w10_the_min_kernel():  # X-MIN-KERNEL
    K = gram("min", [[k] for k in range(1, 6)])
    assert determinant(whole(K)) == 1
    np.testing.assert_allclose(
        np.linalg.eigvalsh(K),
        [0.27155413, 0.35325328, 0.5829645, 1.44869057, 12.34353752],
        atol=5e-9,
    )
    L = 2 * np.eye(5) - np.eye(5, k=1) - np.eye(5, k=-1)
    L[-1, -1] = 1
    assert (np.eye(5) == K @ L).all()  # whole numbers: exact


def test_w11_norms_of_functions():  # X-FUNCTION-NORMS
    assert function_norm(lambda x: np.cos(x) / (x + 1) - np.sin(x) / (x + 1) ** 2) == pytest.approx(
        0.6829, abs=5e-5
    )
    fast = function_norm(lambda x: 10 * np.cos(10 * x) / (x + 1) - np.sin(10 * x) / (x + 1) ** 2)
    assert fast == pytest.approx(7.0653, abs=5e-5)
    tent = RKHSFunction("min", [[10.0], [20.0]], [0.2, -0.1])  # up to 1 at 10, down to 0 at 20
    np.testing.assert_allclose(
        tent([[0.0], [5.0], [10.0], [15.0], [20.0], [30.0]]), [0, 0.5, 1, 0.5, 0, 0], atol=1e-15
    )
    assert tent.norm**2 == pytest.approx(1 / 5, rel=1e-14)
    by_slope = function_norm(lambda x: np.where(x < 10, 0.1, np.where(x < 20, -0.1, 0.0)))
    assert by_slope == pytest.approx(tent.norm, rel=1e-12)
    assert function_norm(np.cos) == math.inf
    assert function_norm(np.zeros_like) == 0.0
    with (
        pytest.raises(BadInput, match="between 0 and 1"),
        np.errstate(divide="ignore", invalid="ignore"),
    ):
        function_norm(lambda x: np.log(x - 0.5))
