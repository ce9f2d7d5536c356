"""Sums in fours are the plain ones, for rows of every length, and write nothing behind a row."""

import numpy as np
import pytest

from littlestone.core.vectors import add, dot, out_of_range, shift

pytest.importorskip("numba")

from littlestone.engine.compile import jit, numba_imports

pytestmark = [pytest.mark.compiled, pytest.mark.skipif(not numba_imports(), reason="no compiler")]
LENGTHS = [*range(36), 100]


def score(w, x):
    return dot(w, x)


def step(w, c, x):
    add(w, c, x)


def measured(w, c, x):
    return shift(w, c, x)


def refused(Z, a, b, high):
    return out_of_range(Z, a, b, -high, high)


def rows(n):
    rng = np.random.default_rng(n)
    return rng.normal(size=n + 8), rng.normal(size=n + 8)


@pytest.mark.parametrize("apart", [1, 2])  # side by side, or columns of a block
def test_rows_of_every_length(apart):
    for n in LENGTHS:
        W, X = rows(n)
        block = np.zeros((n + 8, apart))
        w, x = block[:, 0], X[:n]
        w[:] = W
        plain = W.copy()
        assert jit(score)(w[:n], x) == pytest.approx(score(plain[:n], x), rel=1e-12, abs=1e-13)
        jit(step)(w[:n], 0.3, x)
        step(plain[:n], 0.3, x)
        np.testing.assert_allclose(w, plain, rtol=0, atol=1e-15)
        assert jit(measured)(w[:n], -0.7, x) == pytest.approx(
            measured(plain[:n], -0.7, x), rel=1e-12, abs=1e-13
        )
        np.testing.assert_allclose(w, plain, rtol=0, atol=1e-15)
        assert w[n:].tolist() == W[n:].tolist()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e151])
def test_one_bad_number_is_found_wherever_it_is(bad):
    check = jit(refused)
    for n in LENGTHS[1:]:
        Z = rows(n)[0]
        assert not check(Z, 3, n + 3, 1e150)
        for at in range(n + 6):
            Z[at], kept = bad, Z[at]
            assert check(Z, 3, n + 3, 1e150) == (3 <= at < n + 3)
            Z[at] = kept


def test_many_large_numbers_are_looked_at_one_by_one():
    Z = np.full(40, 0.9e150)  # each is allowed, and their sum is not
    assert not jit(refused)(Z, 0, 40, 1e150)
