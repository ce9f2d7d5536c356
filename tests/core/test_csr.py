"""Sparse matrices as SciPy holds them: canonical ones are taken as they are, others are put in order."""

import itertools

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from littlestone.core.csr import largest, rises, rows_of, summed
from littlestone.core.errors import BadInput
from littlestone.core.vectors import Rows


def rows(*lists):
    indptr = np.cumsum([0, *map(len, lists)])
    index = np.array([i for row in lists for i in row], dtype=np.int32)
    return Rows(indptr, index, np.ones(len(index)))


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        (([0, 3], [1, 2]), True),
        (([0, 3], [], [], [1, 2], []), True),
        (([], [5]), True),
        (([], []), True),
        (([4], [4], [4]), True),
        (([0, 3, 2], [5]), False),
        (([0, 3], [2, 2]), False),
        (([], [3, 3], []), False),
        (([7, 1], [], [2]), False),
    ],
)
def test_rising_rows_are_known(lists, expected):
    assert rises(rows(*lists)) is expected
    by_hand = all(a < b for row in lists for a, b in itertools.pairwise(row))
    assert by_hand is expected


def test_random_rows_are_judged_as_by_hand():
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(300):
        lists = [rng.integers(0, 6, rng.integers(0, 4)).tolist() for _ in range(4)]
        by_hand = all(a < b for row in lists for a, b in itertools.pairwise(row))
        assert rises(rows(*lists)) is by_hand
        seen.add(by_hand)
        once = summed(rows(*lists))
        for r, row in enumerate(lists):
            a, b = once.indptr[r : r + 2]
            assert sorted(once.index[a:b].tolist()) == sorted(set(row))
    assert seen == {True, False}


def test_canonical_arrays_are_not_copied():
    X = csr_matrix(np.eye(5))
    found = rows_of(X)
    assert np.shares_memory(found.index, X.indices)
    assert np.shares_memory(found.value, X.data)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("bad", [-1, -(2**30), 5, 2**31 - 1])
def test_an_index_outside_is_named(bad, kind):
    X = csr_matrix(np.eye(5))
    X.indices = np.array([0, 1, bad, 3, 4], dtype=kind)
    with pytest.raises(BadInput, match=f"row 3 .* column {bad}, and there are 5"):
        rows_of(X)


def test_the_largest_index():
    assert largest(np.array([3, 8, 1], dtype=np.int32)) == 8
    assert largest(np.array([3, -1], dtype=np.int32)) > 2**31
    assert largest(np.array([], dtype=np.int64)) == -1
