"""Sums of columns are the same bits in a batch, in pieces and row by row, and look at nothing that comes later."""

import numpy as np
import pytest

from littlestone.core.stream import Batch
from littlestone.encode.running_means import RunningMeans, find_gaps


def table(rows, columns, share, seed=0):
    """Numbers of very different sizes, whose sums depend on the order in the last bits; 0 in the gaps."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, columns)) * 10.0 ** rng.integers(-8, 8, size=(rows, columns))
    gaps = rng.random((rows, columns)) < share
    return np.where(gaps, 0.0, x), gaps


def row_by_row(x, gaps):
    means, found = RunningMeans(x.shape[1]), x.copy()
    for row, own in zip(found, gaps, strict=True):
        means.fill_row(row, own)
        means.read_row(row, own if own.any() else None)
    return found, means.to_save()


def in_pieces(x, gaps, sizes):
    means, found, at = RunningMeans(x.shape[1]), [], 0
    while at < len(x):
        n = int(next(sizes))
        found.append(means.fill(x[at : at + n], gaps[at : at + n]))
        means.read(found[-1], gaps[at : at + n])
        at += n
    return np.vstack(found), means.to_save()


def lengths(seed):
    rng = np.random.default_rng(seed)
    while True:
        yield rng.integers(1, 60)


@pytest.mark.parametrize("columns", [1, 2, 3, 8, 40])
@pytest.mark.parametrize("share", [0.0, 0.2, 0.9])
def test_a_batch_its_pieces_and_its_rows_give_the_same_bits(columns, share):
    x, gaps = table(701, columns, share, seed=columns)
    expected = row_by_row(x, gaps)
    for sizes in (iter([len(x)]), lengths(1), lengths(2)):
        found = in_pieces(x, gaps, sizes)
        np.testing.assert_array_equal(found[0], expected[0])
        assert found[1] == expected[1]


def test_the_mean_is_that_of_the_earlier_values():
    x, gaps = table(200, 3, 0.3)
    found = RunningMeans(3).fill(x, gaps)
    for t, j in zip(*np.nonzero(gaps), strict=True):
        earlier = x[:t, j][~gaps[:t, j]]
        scale = np.abs(earlier).max(initial=1.0)
        assert abs(found[t, j] - (earlier.mean() if len(earlier) else 0.0)) <= 1e-14 * scale
    np.testing.assert_array_equal(found[~gaps], x[~gaps])


def test_what_comes_later_changes_nothing():
    x, gaps = table(90, 2, 0.4)
    other = x.copy()
    other[50:] = np.where(gaps[50:], 0.0, 7.0)
    before, after = (RunningMeans(2).fill(one, gaps)[:50] for one in (x, other))
    np.testing.assert_array_equal(before, after)


def test_columns_behind_those_of_numbers_are_left_alone():
    x, gaps = table(30, 4, 0.3)
    means = RunningMeans(2)
    found = means.fill(x, gaps[:, :2])
    means.read(found, gaps[:, :2])
    np.testing.assert_array_equal(found[:, 2:], x[:, 2:])
    alone = RunningMeans(2)
    alone.read(alone.fill(x[:, :2], gaps[:, :2]), gaps[:, :2])
    assert means.to_save() == alone.to_save()


def test_a_row_is_taken_back():
    means = RunningMeans(2)
    means.read(np.array([[1.0, 2.0], [3.0, 4.0]]))
    before = means.to_save(), means.missed
    undo = means.read_row(np.array([5.0, 0.0]), [False, True])
    assert (means.to_save(), means.missed) != before
    means.take_back(undo)
    assert (means.to_save(), means.missed) == before


def test_a_saved_one_goes_on():
    x, gaps = table(50, 2, 0.3)
    means = RunningMeans(2)
    means.read(x[:21], gaps[:21])
    other = means.copied()
    for one in (means, other):
        one.read(x[21:], gaps[21:])
    assert means.to_save() == other.to_save()
    assert other.missed == gaps.sum()


def test_nothing_of_a_batch_is_written_to():
    x, gaps = table(20, 2, 0.5)
    copy = x.copy()
    means = RunningMeans(2)
    means.fill(x, gaps)
    means.fill_from_now(Batch(x, np.zeros(20), gaps=gaps))
    np.testing.assert_array_equal(x, copy)
    assert means.rows == 0


def test_gaps_of_a_row():
    import pandas as pd

    assert find_gaps([1.0, "text", True]) is None
    assert find_gaps([pd.NA, 2, np.float64("nan"), pd.NaT]) == (
        [0.0, 2, 0.0, 0.0],
        [True, False, True, True],
    )
