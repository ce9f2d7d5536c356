"""Coordinates four at a time are standardised as one by one."""

import numpy as np
import pytest

from littlestone.engine.compile import jit, numba_imports
from littlestone.linear.parts.feature_scaling import (
    ALL_DENSE,
    RESET_COUNT,
    SCALER_COLUMNS,
    Z,
    commit_scaler,
    init_scaler,
    observe_value,
    standardise,
    to_spreads,
)

compiled_only = pytest.mark.skipif(not numba_imports(), reason="nothing is compiled without Numba")
ROUNDS = 60


def streams():
    """Usual values; some far out; a column of one value, and one of zeros at first; features of 1e-150 and 1e150."""
    rng = np.random.default_rng(0)
    usual = rng.normal(size=(ROUNDS, 7)) + 3.0
    far = usual.copy()
    far[rng.random(far.shape) < 0.1] *= 1e4
    alike = usual.copy()
    alike[:, 2], alike[:20, 5] = 4.0, 0.0
    return {
        "usual": usual,
        "far": far,
        "heavy tails": rng.standard_cauchy((ROUNDS, 9)),
        "alike": alike,
        "units": usual * 10.0 ** np.array([-150, -9, 0, 3, 9, 80, 150]),
        "five": usual[:, :5],  # the last four overlap with those before
    }


def play(X, out):
    """Standardise the rows of X, each of which then counts; their units, and how many rows were steady."""
    scaler, steady = init_scaler(X.shape[1]), 0
    for t in range(X.shape[0]):
        standardise(scaler, X[t], t)
        for i in range(X.shape[1]):
            out[t, i] = scaler.last_row[Z, i]
        steady += scaler.cache[ALL_DENSE] > 0.0
        commit_scaler(scaler, X[t])
    return scaler.stats, steady


def one_by_one(X):
    """The same by `observe_value` and `to_spreads`, one feature at a time, all of them dense."""
    place, out = np.zeros((X.shape[1], SCALER_COLUMNS - 1)), np.zeros(X.shape)
    for t, row in enumerate(X):
        for i, v in enumerate(row.tolist()):
            place[i] = centre, spread, _ = observe_value(v, True, *place[i].tolist())
            out[t, i] = to_spreads(v - centre, spread)
    return place, out


@pytest.mark.parametrize("name", streams())
def test_four_at_a_time_are_standardised_as_one_by_one(name):
    X = streams()[name]
    found = np.zeros(X.shape)
    place, steady = play(X, found)
    assert steady == ROUNDS
    expected, z = one_by_one(X)
    assert found == pytest.approx(z, rel=1e-9, abs=1e-12)
    scale = np.maximum(np.abs(X).max(axis=0), 1e-300)[:, None]
    assert place[:, :2] / scale == pytest.approx(expected[:, :2] / scale, rel=1e-9, abs=1e-12)
    assert place[:, 2].tolist() == expected[:, 2].tolist()


def one(scaler, x, t):
    standardise(scaler, x, t)
    return scaler.cache[RESET_COUNT]


@compiled_only
@pytest.mark.parametrize("name", streams())
def test_compiled_code_standardises_alike(name):
    X = streams()[name]
    plain, made, run = init_scaler(X.shape[1]), init_scaler(X.shape[1]), jit(one)
    for t, row in enumerate(X):
        assert one(plain, row, t) == run(made, row, t)
        assert made.last_row[Z] == pytest.approx(plain.last_row[Z], rel=1e-12, abs=1e-12)
        commit_scaler(plain, row)
        commit_scaler(made, row)
