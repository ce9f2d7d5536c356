"""Rows of few columns are added up column by column, to the same bits."""

import numpy as np
import pytest

from littlestone.core.probabilities import sum_rows, top_of_rows


@pytest.mark.parametrize("columns", [0, 1, 2, 3, 5, 7, 8, 9, 20])
def test_sums_and_largest_are_those_of_numpy_to_the_last_bit(columns):
    A = np.random.default_rng(columns).normal(size=(500, columns)) ** 3
    assert np.array_equal(sum_rows(A), A.sum(axis=1))
    assert np.array_equal(top_of_rows(A), A.max(axis=1, initial=-np.inf))
    if columns:
        A[3, -1], A[4, 0] = np.nan, -np.inf
        assert np.array_equal(top_of_rows(A), A.max(axis=1, initial=-np.inf), equal_nan=True)
        assert np.array_equal(sum_rows(A), A.sum(axis=1), equal_nan=True)
