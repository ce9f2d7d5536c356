"""Cells of grids over pairs of features: which cell an example lies in, and what online-kernel learns by them."""

from __future__ import annotations

import numpy as np
import pytest

import littlestone as ls
from littlestone.linear.parts.feature_scaling import INDEX, RAW, SAMPLES, SPREAD, Z, init_scaler
from littlestone.linear.parts.stacking import shrunken_score
from littlestone.linear.parts.tiles import (
    CELLS,
    FIRST,
    FIRST_SHIFT,
    SECOND,
    SECOND_SHIFT,
    SIDE,
    TRIAL,
    TRIAL_RATIO,
    WIDTH,
    cell_index,
    draw_feature,
    find_cells,
    init_tiles,
    lay_grids,
    rate_grids,
    read_cells,
    replace_worst,
    write_cells,
)


def looked_at(z):
    """What is known of an example whose standardised features are z."""
    scaler = init_scaler(len(z))
    scaler.last_row[Z], scaler.last_row[INDEX], scaler.last_row[RAW] = z, np.arange(len(z)), z
    scaler.new_stats[:, SAMPLES] = 5.0
    return scaler


def cells_of(z, m=40):
    tiles, ones = init_tiles(len(z), m), np.zeros(m)
    find_cells(tiles, looked_at(np.array(z)), np.array(z), ones)
    assert (ones == 1.0).all()
    return tiles


def test_cells_in_a_row_have_no_end():
    assert [cell_index(z, 5) for z in (-1e9, -2.6, -1.6, -0.4, 0.4, 0.6, 2.4, 1e9)] == [
        0,
        0,
        0,
        2,
        2,
        3,
        4,
        4,
    ]


def test_every_pair_has_a_grid_before_one_has_two():
    grids = lay_grids(4, 25)
    pairs = [tuple(row) for row in grids[:, [FIRST, SECOND]].astype(int).tolist()]
    assert len(set(pairs[:10])) == 10 == 4 * 5 // 2  # six pairs, and four features by themselves
    assert set(pairs) == set(pairs[:10])
    shifts = grids[:, [FIRST_SHIFT, SECOND_SHIFT]]
    assert (abs(shifts) <= 0.5).all()
    assert len(np.unique(shifts)) == 50
    assert np.array_equal(lay_grids(4, 10), grids[:10])
    assert len({tuple(row) for row in lay_grids(100, 64)[:, [FIRST, SECOND]].tolist()}) == 64


def test_an_example_is_one_cell_of_every_grid():
    z = [0.9, -1.7, 0.1]
    tiles = cells_of(z)
    for k, (one, other, shift, further) in enumerate(tiles.grids.tolist()):
        a, b = z[int(one)] / WIDTH, z[int(other)] / WIDTH
        if one == other:
            cell = np.clip(np.floor(SIDE * a + shift + CELLS / 2), 0, CELLS - 1)
        else:
            column = np.clip(np.floor(b + further + SIDE / 2), 0, SIDE - 1)
            cell = SIDE * np.clip(np.floor(a + shift + SIDE / 2), 0, SIDE - 1) + column
        assert tiles.cell[k] == k * CELLS + cell


def test_a_feature_that_was_not_seen_before_says_nothing():
    tiles, scaler, z = init_tiles(2, 30), looked_at(np.array([1.5, 2.0])), np.array([1.5, 2.0])
    scaler.new_stats[1, SAMPLES] = 1.0
    find_cells(tiles, scaler, z, np.zeros(30))
    assert np.array_equal(tiles.cell, cells_of([1.5, 0.0], 30).cell)


def test_what_a_part_learns_goes_back_to_where_it_came_from():
    tiles = cells_of([0.3, -0.6], 7)
    tiles.table[:] = np.arange(tiles.table.size).reshape(tiles.table.shape)
    before, b = tiles.table.copy(), np.zeros((8, 8))
    read_cells(tiles, 0, b)
    assert np.array_equal(b[1:], before[0, tiles.cell])
    b[1:] += 0.5
    write_cells(tiles, 0, b)
    changed = np.flatnonzero((tiles.table != before).any(axis=2)[0])
    assert changed.tolist() == tiles.cell.tolist()
    assert (tiles.table[0, tiles.cell] == before[0, tiles.cell] + 0.5).all()


def test_online_kernel_finds_what_two_of_ten_features_say_together():
    """One threshold or the other, not both, and eight features that say nothing: without cells .82 are right."""
    X = np.random.default_rng(0).uniform(-1, 1, size=(3000, 10))
    y = np.where((X[:, 1] > 0.3) ^ (X[:, 8] < -0.3), 1, -1)
    run = ls.play("online-kernel", X, y, certify=False)
    assert (run.predictions[1500:] == y[1500:]).mean() > 0.9


@pytest.mark.usefixtures("plain")
def test_features_and_classes_that_come_later_leave_grids_where_they_are():
    rng = np.random.default_rng(1)
    learner = ls.learner("online-kernel", frequencies=6)
    for x in rng.normal(size=(12, 2)):
        learner = learner.update(
            dict(zip("ab", x.tolist(), strict=True)), "up" if x[0] > 0 else "down"
        )
    grids, table = (
        learner.state.tile_model.tiles.grids.copy(),
        learner.state.tile_model.tiles.table.copy(),
    )
    learner = learner.update({"a": 0.5, "c": 2.0}, "sideways")
    tiles = learner.state.tile_model.tiles
    assert np.array_equal(tiles.grids, grids)
    assert len(table) == 1
    assert len(tiles.table) >= 3
    moved = learner.state.tile_model.tiles.table[:2].copy()
    untouched = np.setdiff1d(np.arange(moved.shape[1]), tiles.cell)
    # from one class against the other to a score for each: half of a weight on either side
    assert moved[1, untouched, :4] == pytest.approx(0.5 * table[0, untouched, :4], abs=1e-12)
    assert moved[0, untouched, :4] == pytest.approx(-0.5 * table[0, untouched, :4], abs=1e-12)
    for x in rng.normal(size=(5, 3)):
        learner = learner.update(dict(zip("abc", x.tolist(), strict=True)), "sideways")
    assert learner.predict({"a": 0.1, "b": 0.2, "c": 2.0}) in ("up", "down", "sideways")


@pytest.mark.usefixtures("plain")
def test_many_features_have_no_cells():
    X = np.random.default_rng(2).normal(size=(3, 600))
    state = ls.play(
        ls.learner("online-kernel", frequencies=2), X, [1, -1, 1], certify=False
    ).learner.state
    assert state.tile_model.tiles.table.size == 0
    assert len(state.probabilities) == 3


@pytest.mark.parametrize("n", [1, 3, 4, 7, 13])
def test_a_shrunken_score_counts_weights_as_far_as_they_are_sure(n):
    """Four features at a time, and the rest one by one."""
    rng = np.random.default_rng(n)
    b, z, prior = abs(rng.normal(size=(n + 1, 8))), rng.normal(size=n), 0.7
    w, info = b[1:, 0], b[1:, 4]
    t = w * w * (prior + info)
    expected = b[0, 0] + (z * w * t / (t + 4.0)).sum()
    assert shrunken_score(b, looked_at(z), z, prior) == pytest.approx(expected, rel=1e-12)


def on_trial(n=5, m=12):
    """Grids that are worth as much as their numbers."""
    tiles, scaler = init_tiles(n, m), looked_at(np.zeros(n))
    tiles.worth[:] = np.arange(1, m + 1)
    tiles.table[:] = 1.0
    scaler.stats[:, SPREAD] = 1.0
    return tiles, scaler


def test_the_grid_that_is_worth_least_is_laid_anew():
    tiles, scaler = on_trial()
    before = tiles.grids.copy()
    replace_worst(tiles, scaler, 1000, 0)
    assert np.flatnonzero((tiles.grids != before).any(axis=1)).tolist() == [0]
    assert not tiles.table[0, :CELLS].any()
    assert tiles.table[0, CELLS:].all()
    assert (tiles.born[0], tiles.worth[0]) == (1000.0, 0.0)
    one, other = tiles.grids[0, [FIRST, SECOND]]
    assert 0 <= one <= other < 5
    assert (abs(tiles.grids[:, [FIRST_SHIFT, SECOND_SHIFT]]) <= 0.5).all()
    replace_worst(tiles, scaler, 1000, 8)  # the new one is on trial
    assert tiles.born.tolist() == [1000.0, 1000.0] + [0.0] * 10


def test_a_grid_on_trial_or_worth_as_much_as_others_stays():
    tiles, scaler = on_trial()
    before = tiles.grids.copy()
    tiles.born[:] = 1000.0
    replace_worst(tiles, scaler, 1000 + TRIAL - 1, 0)
    tiles.born[:] = 3 * TRIAL_RATIO * TRIAL - 2 * TRIAL
    replace_worst(tiles, scaler, 3 * TRIAL_RATIO * TRIAL, 0)  # late in a stream trials are longer
    assert np.array_equal(tiles.grids, before)
    tiles.born[3], tiles.worth[3] = 0.0, 6.8  # more than the mean
    replace_worst(tiles, scaler, 1000, 0)
    assert np.array_equal(tiles.grids, before)
    tiles.worth[3] = 6.6  # and less
    replace_worst(tiles, scaler, 1000, 0)
    assert np.flatnonzero((tiles.grids != before).any(axis=1)).tolist() == [3]


def test_new_grids_leave_constant_features_alone_and_like_those_of_good_grids():
    tiles, scaler = on_trial(n=40, m=64)
    tiles.grids[:, [FIRST, SECOND]] = 7.0
    scaler.stats[20:, SPREAD] = 0.0  # never seen, or always the same
    found = [draw_feature(tiles, scaler, t, 0) for t in range(2000)]
    assert set(found) <= set(range(20))
    assert 0.8 < np.mean(np.array(found) == 7) < 0.95
    assert len(set(found)) == 20


def test_a_grid_is_worth_what_its_features_say_together():
    """An exclusive or of two features; a sum of two functions of them; a function of one alone."""
    tiles = init_tiles(2, 3)
    tiles.grids[:, [FIRST, SECOND]] = [[0, 1], [0, 1], [1, 1]]
    side = np.where(np.arange(SIDE) < SIDE / 2, -1.0, 1.0)
    weights = np.outer(side, side), np.add.outer(side, 2.0 * side), np.outer(side, np.ones(SIDE))
    tiles.table[0, :, 0], tiles.table[0, :, 4] = np.concatenate([w.ravel() for w in weights]), 3.0
    rate_grids(tiles)
    assert tiles.worth == pytest.approx([1.0, 0.0, 1.0], abs=1e-9)
    tiles.table[0, :, 4] *= np.random.default_rng(0).random(
        3 * CELLS
    )  # some cells are better known
    rate_grids(tiles)
    assert 0.9 < tiles.worth[0] <= 1.0
    assert tiles.worth[1] < 0.2
    assert (
        rate_grids(init_tiles(2, 3)) is None
    )  # nothing is known: worth nothing, and no division by 0


def test_online_kernel_finds_a_pair_among_many_features():
    """Two of 20 features say it all, together: there are 210 pairs, and 64 grids."""
    X = np.random.default_rng(1).uniform(-1, 1, size=(12000, 20))
    y = np.where((X[:, 13] > 0.0) ^ (X[:, 17] > 0.0), 1, -1)
    run = ls.play("online-kernel", X, y, certify=False)
    assert (run.predictions[9000:] == y[9000:]).mean() > 0.9
    pairs = run.learner.state.tile_model.tiles.grids[:, [FIRST, SECOND]].tolist()
    assert pairs.count([13.0, 17.0]) >= 2
