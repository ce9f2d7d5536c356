"""VC dimension, growth and Littlestone's dimension: against brute force, known values, and their own witnesses."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest

from littlestone.core.errors import BadInput
from littlestone.theory import (
    cover_count,
    growth,
    halfspaces,
    intervals,
    littlestone_dimension,
    rectangles,
    sauer,
    shattered_set,
    thresholds,
    vc_dimension,
)
from littlestone.theory.named_classes import possible

SQUARE = [[0, 0], [1, 0], [0, 1], [1, 1]]
ANGLES = 2 * np.pi * np.arange(3) / 3
STAR = np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])  # three points at 120 degrees


def patterns(H, points):
    return len({tuple(row) for row in np.asarray(H)[:, list(points)].tolist()})


def brute_vc(H):
    m = H.shape[1]
    sets = (c for k in range(m + 1) for c in combinations(range(m), k))
    return max(len(c) for c in sets if patterns(H, c) == 2 ** len(c))


def brute_littlestone(H):
    H = np.asarray(H) > 0

    @cache
    def dim(rows):
        best = 0
        for j in range(H.shape[1]):
            one = frozenset(i for i in rows if H[i, j])
            if one and one != rows:
                best = max(best, 1 + min(dim(one), dim(rows - one)))
        return best

    return dim(frozenset(range(len(H))))


def random_matrices(count, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n, m = rng.integers(1, 20), rng.integers(1, 7)
        yield np.where(rng.random((n, m)) < rng.random(), 1, -1)


def depth_of(H, node, path=()):
    """The depth of a mistake tree, all of whose paths are checked against the rows at their leaves."""
    if not isinstance(node, tuple):
        assert all(H[node, j] == sign for j, sign in path)
        return 0
    point, zero, one = node
    depths = {depth_of(H, zero, (*path, (point, -1))), depth_of(H, one, (*path, (point, 1)))}
    assert len(depths) == 1
    return 1 + depths.pop()


def test_vc_dimension_is_that_of_brute_force_and_its_witness_shows_all_patterns():
    for H in random_matrices(150, 1):
        d = vc_dimension(H)
        assert d == len(d.points) == brute_vc(H)
        for b, row in enumerate(d.rows):
            assert [int(v > 0) for v in H[row, list(d.points)]] == [b >> i & 1 for i in range(d)]
        assert len(d.rows) == 2**d


def test_compiled_search_is_the_plain_one(monkeypatch):
    pytest.importorskip("numba")
    rng = np.random.default_rng(2)
    for n in (40, 70, 130):  # one word of 64 hypotheses, two, three
        H = rng.random((n, 7)) < 0.5
        plain = vc_dimension(H).points
        monkeypatch.setattr(shattered_set, "SMALL", 0)
        assert vc_dimension(H).points == plain
        monkeypatch.undo()


def test_growth_is_that_of_brute_force_and_keeps_sauer():
    for H in random_matrices(60, 3):
        d = vc_dimension(H)
        for m in range(H.shape[1] + 1):
            found = growth(H, m)
            assert found == max(patterns(H, c) for c in combinations(range(H.shape[1]), m))
            assert len(found.points) == m
            assert patterns(H, found.points) == found
            assert found <= sauer(m, d)
            assert m > d or found == 2**m


def test_littlestone_dimension_is_that_of_brute_force_and_its_tree_is_shattered():
    for H in random_matrices(100, 4):
        d = littlestone_dimension(H)
        assert d == brute_littlestone(np.unique(H, axis=0))
        assert depth_of(H, d.tree) == d
        assert vc_dimension(H) <= d <= np.log2(len(np.unique(H, axis=0)))


def test_thresholds_have_vc_dimension_1_and_littlestone_dimension_lg():
    for m in (1, 2, 3, 7, 8, 30):
        H = thresholds(range(m))
        assert len(H) == m + 1
        assert vc_dimension(H) == 1
        assert littlestone_dimension(H) == (m + 1).bit_length() - 1


def test_intervals():
    H = intervals(range(100))
    assert len(H) == 5051
    assert vc_dimension(H) == 2
    assert growth(H, 10) == sauer(10, 2) == 56
    d = littlestone_dimension(H)
    assert d == 11
    assert depth_of(H, d.tree) == 11


def test_rectangles_have_vc_dimension_4():
    X = np.random.default_rng(5).normal(size=(9, 2))
    H = rectangles(np.vstack([X, 9 * np.array([[0, 1], [0, -1], [1, 0], [-1, 0]])]))
    assert vc_dimension(H) == 4
    inside = {
        tuple((np.all((lo <= X) & (hi >= X), axis=1) * 2 - 1).tolist())
        for lo, hi in zip(*np.random.default_rng(6).uniform(-3, 3, (2, 500, 2)), strict=True)
    }
    assert inside <= {tuple(row) for row in rectangles(X).tolist()}


def test_halfspaces():
    assert vc_dimension(halfspaces(SQUARE)) == 3
    assert len(halfspaces(SQUARE)) == cover_count(4, 3) == 14
    X = np.random.default_rng(7).normal(size=(5, 2))
    assert len(halfspaces(X)) == cover_count(5, 3)
    assert vc_dimension(halfspaces(X, through_zero=True)) == 2
    assert len(halfspaces(X, through_zero=True)) == cover_count(5, 2) + extra(X)


def extra(X):
    """The zero vector says +1 everywhere; that is a new pattern where no half-space through 0 holds all points."""
    angles = np.sort(np.arctan2(X[:, 1], X[:, 0]))
    gaps = np.diff(np.append(angles, angles[0] + 2 * np.pi))
    return int(gaps.max() < np.pi)


def test_three_points_at_120_degrees_have_seven_patterns():
    assert cover_count(3, 2) == 6
    assert len(halfspaces(STAR, through_zero=True)) == 7
    assert vc_dimension(halfspaces(STAR, through_zero=True)) == 2
    assert not possible(STAR, [-1, -1, -1])


def test_repeated_opposite_and_constant_columns_change_nothing():
    H = intervals(range(4))
    more = np.column_stack([np.ones(len(H)), H, -H, H[:, 0]])
    more = np.vstack([more, more])
    for f in (vc_dimension, littlestone_dimension):
        assert f(more) == f(H)
    assert growth(more, 3) == growth(H, 3)
    assert growth(more, more.shape[1]) == len(H)
    assert vc_dimension([[1, -1]]) == littlestone_dimension([[1, -1]]) == 0


@pytest.mark.parametrize("f", [vc_dimension, littlestone_dimension, lambda H: growth(H, 1)])
@pytest.mark.parametrize(
    ("H", "words"),
    [
        ([[0, 1], [1, 2]], r"row 2, column 2: a sign is -1 or 1.*not 2"),
        ([[-1, 0]], r"row 1, column 2.*not 0"),
        ([1, -1], r"shape \(2,\)"),
        ([[]], "shape"),
        ([["a", "b"]], "a class is a matrix"),
        ([[float("nan"), 1]], "row 1, column 1.*not nan"),
    ],
)
def test_bad_classes_are_refused(f, H, words):
    with pytest.raises(BadInput, match=words):
        f(H)


def test_bad_points_are_refused():
    with pytest.raises(BadInput, match="point 2 has the coordinate inf"):
        thresholds([1.0, np.inf])
    with pytest.raises(BadInput, match="points are numbers"):
        intervals(SQUARE)
    with pytest.raises(BadInput, match="give fewer points"):
        rectangles(np.random.default_rng(0).normal(size=(100, 3)))
    with pytest.raises(BadInput, match="m must be a whole number from 0 to the 3 points, not 4"):
        growth(thresholds(range(3)), 4)


def test_searches_that_take_too_long_are_refused(monkeypatch):
    monkeypatch.setattr(shattered_set, "PLAIN_LIMIT", 20)
    monkeypatch.setattr(shattered_set, "SMALL", 10**9)
    with pytest.raises(BadInput, match=r"it is 1 or more.*fewer points"):
        vc_dimension(intervals(range(9)))
