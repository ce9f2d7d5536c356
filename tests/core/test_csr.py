"""Sparse matrices as SciPy holds them: canonical ones are taken as they are, others are put in order."""

import itertools

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from littlestone.core.csr import largest, rises, rows_of, sum_duplicates
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
        once = sum_duplicates(rows(*lists))
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


def shuffled(found, rng):
    """The same rows, the entries of each in another order."""
    order = np.concatenate(
        [a + rng.permutation(b - a) for a, b in itertools.pairwise(found.indptr)]
    )
    return Rows(found.indptr, found.index[order], found.value[order])


def test_rows_have_one_order_whichever_way_they_come():
    """Alone or among others, with a collision somewhere or without, the entries in any order."""
    rng = np.random.default_rng(0)
    for most in (1000, 6):  # hardly a collision, and many
        counts = rng.integers(0, 6, 8)
        index = rng.integers(0, most, counts.sum()).astype(np.int32)
        given = Rows(np.append(0, np.cumsum(counts)), index, rng.normal(size=len(index)))
        once = sum_duplicates(given)
        assert rises(once)
        for other in (sum_duplicates(shuffled(given, rng)), sum_duplicates(once)):
            assert all(a.tobytes() == b.tobytes() for a, b in zip(other, once, strict=True))
        for r in range(8):
            a, b = given.indptr[r : r + 2]
            alone = sum_duplicates(Rows(np.array([0, b - a]), given.index[a:b], given.value[a:b]))
            a, b = once.indptr[r : r + 2]
            assert alone.index.tolist() == once.index[a:b].tolist()
            assert alone.value.tobytes() == once.value[a:b].tobytes()
