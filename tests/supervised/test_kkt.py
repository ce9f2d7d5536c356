"""The conditions of optimality of convex programs with linear constraints (A3.14)."""

import numpy as np
import pytest
from scipy.optimize import minimize

from littlestone.core.errors import BadInput
from littlestone.supervised.kkt import kkt

X = np.array([[1.0, 1], [2, 2], [2, 0], [0, 0], [1, 0], [0, 1]])
Y = np.array([1, 1, 1, -1, -1, -1])
A = -Y[:, None] * np.column_stack([X, np.ones(6)])


@pytest.mark.parametrize("a", [2.0, 2.5, 3.0, 4.0])
def test_w12_every_dual_optimum_proves_the_plane(a):
    found = kkt(
        lambda z: [z[0], z[1], 0.0], [2, 2, -3], A, -np.ones(6), [a, 0, 4 - a, 0, 6 - a, a - 2]
    )
    assert found.worst == 0.0
    assert found.optimal()
    assert found.active.tolist() == [True, False, True, False, True, True]


@pytest.mark.parametrize(
    ("z", "alpha", "which"),
    [
        ([2, 2, -3], [2, 0, 2, 0, 3, 0], "stationarity"),
        ([1.5, 1.5, -2], [2, 0, 2, 0, 4, 0], "infeasible"),
        ([2, 2, -3], [1, 0, 3, 0, 5, -1], "negative"),
        ([4, 4, -6], [2, 0, 2, 0, 4, 0], "slackness"),
    ],
)
def test_each_condition_can_fail(z, alpha, which):
    found = kkt([z[0], z[1], 0.0], z, A, -np.ones(6), alpha)
    assert getattr(found, which) > 0.0
    assert not found.optimal()
    assert f"{which} 0," not in str(found)


def test_equations_and_a_solver():
    rng = np.random.default_rng(0)
    c = rng.normal(size=3)
    # the point of the simplex that is nearest to c: sum z = 1, z >= 0
    z = minimize(lambda z: ((z - c) ** 2).sum() / 2, [1 / 3] * 3, bounds=[(0, 1)] * 3,
                 constraints={"type": "eq", "fun": lambda z: z.sum() - 1}, options={"ftol": 1e-14}).x  # fmt: skip
    z = np.where(z < 1e-7, 0.0, z)
    mu = -np.mean((z - c)[z > 0])
    alpha = np.where(z > 0, 0.0, (z - c) + mu)
    found = kkt(z - c, z, -np.eye(3), np.zeros(3), alpha, np.ones((1, 3)), [1.0], [mu])
    assert found.optimal(1e-5)
    assert not kkt(z - c, z, -np.eye(3), np.zeros(3), alpha, np.ones((1, 3)), [2.0], [mu]).optimal(
        1e-5
    )


def test_the_gap_bounds_the_value():
    # min z^2 / 2, z >= 1: z = 2 with the multiplier 2 is stationary, and 2 above the lower limit
    found = kkt([2.0], [2.0], [[-1.0]], [-1.0], [2.0])
    assert (found.stationarity, found.gap) == (0.0, 2.0)
    assert 2.0**2 / 2 - found.gap <= 1.0**2 / 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ([1.0], [1.0, 2.0], [[1.0, 1.0]], [1.0], [0.0]),
            "the gradient must have 2 numbers and alpha 1",
        ),
        (([1.0], [1.0], [[1.0, 2.0]], [1.0], [0.0]), "A must be a matrix of 1 x 1"),
        (([1.0], [np.nan], [[1.0]], [1.0], [0.0]), "z must be a vector of finite numbers"),
        (("x", [1.0], [[1.0]], [1.0], [0.0]), "gradient must be a vector of numbers"),
        (
            ([1.0], [1.0], [[1.0]], [1.0], [0.0], [[1.0]], [1.0], [1.0, 2.0]),
            "mu must have 1 numbers, not 2",
        ),
    ],
)
def test_bad_input(arguments, says):
    with pytest.raises(BadInput) as problem:
        kkt(*arguments)
    assert says in str(problem.value)
