"""Tile coding: a grid is laid over each of some pairs of features, and a row lies in one cell of every grid.

A linear model over cells is a sum of functions of two features each, of any shape: steps, corners and exclusive ors,
which trees find and Fourier features hardly do. Grids are shifted at random, so that several over the same pair are
finer together than each of them. A grid over a single feature has as many cells, in a row. Cells are in spreads of the
features: what is learned of a cell stays there while the spreads are still being learned.

There are more pairs than grids, and most of them say nothing. So grids are on trial. A grid is worth as much as its
weights vary beyond what each of its two features says by itself, which other parts know as well. Every now and then
those that are worth least are laid anew, mostly over features of grids that are worth more.

Albus (1975), the cerebellar model; Sutton (1996), tile coding; Mahmood & Sutton (2013), generate and test.

A grid over two features, not shifted: 6 x 6 cells, 2/3 of a spread wide, with 0 in the middle. z = (0, 1) is 0 and 3/2
cells from there, in row 3 and column 4.

>>> from .feature_scaling import init_scaler
>>> scaler, tiles = init_scaler(2), init_tiles(2, 1)
>>> scaler.last_row[Z], scaler.new_stats[:, SAMPLES], tiles.grids[0] = (0.0, 1.0), 2.0, (0, 1, 0, 0)
>>> find_cells(tiles, scaler, np.zeros(2), np.zeros(1))
>>> tiles.cell.tolist()  # 3 * 6 + 4
[22]
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.numeric import uniform
from ...core.random_features import hash_uniforms
from ...core.scratch import Buffer
from ...core.stream import Array
from ...engine.lanes import four, put
from .discounted_bayes import EVIDENCE, MEAN, POSTERIOR_COLUMNS
from .feature_scaling import SAMPLES, SPREAD, Scaler, Z, count_entries, feature_of_entry

SIDE = 6  # cells along a feature
CELLS = SIDE * SIDE  # of a grid
WIDTH = 2.0 / 3.0  # spreads that a cell is wide; the outer ones have no end
# Columns of `grids`: its two features (one, if they are the same), and how far it is shifted along each, in cells.
FIRST, SECOND, FIRST_SHIFT, SECOND_SHIFT, GRID_COLUMNS = 0, 1, 2, 3, 4
SEED = 1  # of the pairs and the shifts
NO_EVIDENCE = 1e-12  # of a row of cells, so that no sum is divided by 0
TRIAL = 256  # rounds that a grid has to show what it is worth, at least
TRIAL_RATIO = 16  # and of later ones, one for so many rounds that were played
REPLACE_EVERY = 64  # rounds after which a few are laid anew
REPLACED = 4  # so many
EXPLORE = 0.25  # of the features of a new grid are drawn from all, the others from the better grids
DRAWS = 8  # random numbers for a grid, at most


class Tiles(NamedTuple):
    grids: Array  # grids x GRID_COLUMNS
    table: Array  # classes x cells, grid by grid x POSTERIOR_COLUMNS
    cell: Buffer  # the cell of the last row in every grid
    z: Buffer  # the last row, standardised, in widths of a cell
    born: Array  # the round in which each grid was laid
    worth: Array  # what each was worth when the worst were replaced last
    means: Array  # SIDE numbers, to compute that


def init_trials(m: int) -> tuple[Array, Array, Array]:
    """Round, worth and means of m grids that are laid before the first round."""
    return np.zeros(m), np.zeros(m), np.zeros(SIDE)


def init_tiles(n: int, m: int, classes: int = 1, first: int = 0) -> Tiles:
    """m grids over n features, before the first round; they begin over the `first` features (0: over all)."""
    table = np.zeros((classes, m * CELLS, POSTERIOR_COLUMNS))
    born, worth, means = init_trials(m)
    return Tiles(
        grids=lay_grids(first or n, m),
        table=table,
        cell=np.zeros(m, np.int64),
        z=np.zeros(n),
        born=born,
        worth=worth,
        means=means,
    )


def lay_grids(n: int, m: int) -> Array:
    """m grids: over pairs of n features and over single ones, in an order drawn at random, again and again.

    >>> lay_grids(2, 4)[:, [FIRST, SECOND]].tolist()
    [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
    """
    grids = np.zeros((m, GRID_COLUMNS))
    if n == 0 or m == 0:
        return grids
    one, other = (v.astype(np.uint64) for v in np.triu_indices(n))
    order = np.argsort(hash_uniforms(SEED, one, other))
    for column, feature in ((FIRST, one), (SECOND, other)):
        grids[:, column] = np.resize(feature[order], m)
    for column in (FIRST_SHIFT, SECOND_SHIFT):
        grids[:, column] = (
            hash_uniforms(SEED, np.arange(m, dtype=np.uint64), np.uint64(column)) - 0.5
        )
    return grids


def find_cells(tiles: Tiles, scaler: Scaler, x: Any, ones: Array) -> None:
    """Find the cells of the row that was standardised last; to the model they are so many features that are 1."""
    z, grids = tiles.z, tiles.grids
    for i in range(z.shape[0]):
        z[i] = 0.0
    for k in range(count_entries(scaler, x)):
        i = feature_of_entry(scaler, x, k)
        # a feature that was not seen before says nothing, and one that came later than the grids is in none of them
        if scaler.new_stats[k, SAMPLES] > 1.0 and i < z.shape[0]:
            z[i] = scaler.last_row[Z, k] * (1.0 / WIDTH)
    for k in range(grids.shape[0]):
        i, j = int(grids[k, FIRST]), int(grids[k, SECOND])
        if i == j:
            cell = cell_index(SIDE * z[i] + grids[k, FIRST_SHIFT], CELLS)
        else:
            cell = SIDE * cell_index(z[i] + grids[k, FIRST_SHIFT], SIDE) + cell_index(
                z[j] + grids[k, SECOND_SHIFT], SIDE
            )
        tiles.cell[k] = k * CELLS + cell
        ones[k] = 1.0


def cell_index(z: float, n: int) -> int:
    """Which of n cells in a row holds z; 0 is in their middle."""
    return int(min(max(z + 0.5 * n, 0.0), n - 1.0))


def read_cells(tiles: Tiles, c: int, posterior: Array) -> None:
    """Copy the posterior of the cells of the last row, for a class, from the table to where the model reads it."""
    table = tiles.table[c]
    for k in range(tiles.cell.shape[0]):
        i = tiles.cell[k]
        put(posterior, k + 1, MEAN, four(table, i, MEAN))
        put(posterior, k + 1, EVIDENCE, four(table, i, EVIDENCE))


def write_cells(tiles: Tiles, c: int, posterior: Array) -> None:
    """Copy the posterior of these cells back to the table."""
    table = tiles.table[c]
    for k in range(tiles.cell.shape[0]):
        i = tiles.cell[k]
        put(table, i, MEAN, four(posterior, k + 1, MEAN))
        put(table, i, EVIDENCE, four(posterior, k + 1, EVIDENCE))


def replace_grids(tiles: Tiles, scaler: Scaler, t: int) -> None:
    """Every now and then, lay a few grids anew: those that are worth least."""
    if t % REPLACE_EVERY == REPLACE_EVERY - 1 and t > TRIAL and tiles.grids.shape[0] > 0:
        rate_grids(tiles)
        for r in range(REPLACED):
            replace_worst(tiles, scaler, t, DRAWS * r)


def rate_grids(tiles: Tiles) -> None:
    """What each grid is worth now, for all classes together."""
    for k in range(tiles.worth.shape[0]):
        tiles.worth[k] = 0.0
        for c in range(tiles.table.shape[0]):
            tiles.worth[k] += interaction_variance(tiles, c, k)


def interaction_variance(tiles: Tiles, c: int, k: int) -> float:
    """The variance of the weights of a grid for a class, without what its two features say one by one.

    Cells count by how much is known of them; 0 for a grid of which nothing is known.
    """
    table, base, pair = tiles.table[c], k * CELLS, tiles.grids[k, FIRST] != tiles.grids[k, SECOND]
    whole, square, first, second = 0.0, 0.0, 0.0, 0.0
    for i in range(SIDE):
        known, mean = NO_EVIDENCE, 0.0
        for j in range(SIDE):
            evidence, w = table[base + SIDE * i + j, EVIDENCE], table[base + SIDE * i + j, 0]
            known += evidence
            mean += evidence * w
            square += evidence * w * w
        tiles.means[i] = mean / known
        first += mean * mean / known
        second += mean
        whole += known
    if not pair:  # cells in a row: what the feature says is all it says
        return max(square - second * second / whole, 0.0) / whole
    second = 0.0
    for j in range(SIDE):
        known, mean = NO_EVIDENCE, 0.0
        for i in range(SIDE):
            evidence, w = table[base + SIDE * i + j, EVIDENCE], table[base + SIDE * i + j, 0]
            known += evidence
            mean += evidence * (w - tiles.means[i])
        second += mean * mean / known
    return max(square - first - second, 0.0) / whole


def replace_worst(tiles: Tiles, scaler: Scaler, t: int, r: int) -> None:
    """Lay the grid that is worth least, of those whose trial is over, over other features.

    One that is worth more than the mean stays. The random numbers are those of round t from the r-th on.
    """
    worst, least, whole, m = -1, 0.0, 0.0, tiles.grids.shape[0]
    for k in range(m):
        own = tiles.worth[k]
        whole += own
        if t - tiles.born[k] >= max(TRIAL, t // TRIAL_RATIO) and (worst < 0 or own < least):
            worst, least = k, own
    if worst < 0 or least * m > whole:
        return
    i, j = draw_feature(tiles, scaler, t, r), draw_feature(tiles, scaler, t, r + 3)
    grid = tiles.grids[worst]
    grid[FIRST], grid[SECOND] = min(i, j), max(i, j)
    grid[FIRST_SHIFT], grid[SECOND_SHIFT] = (
        uniform(SEED, t, r + 6) - 0.5,
        uniform(SEED, t, r + 7) - 0.5,
    )
    tiles.born[worst], tiles.worth[worst] = t, 0.0
    for c in range(tiles.table.shape[0]):
        for k in range(worst * CELLS, (worst + 1) * CELLS):
            for j in range(POSTERIOR_COLUMNS):
                tiles.table[c, k, j] = 0.0


def draw_feature(tiles: Tiles, scaler: Scaler, t: int, r: int) -> int:
    """A feature for a new grid: one of the better of two grids; or (EXPLORE) any that is not constant so far."""
    n, m, u = tiles.z.shape[0], tiles.grids.shape[0], uniform(SEED, t, r + 1)
    if uniform(SEED, t, r) < EXPLORE and scaler.stats[int(n * u), SPREAD] > 0.0:
        return int(n * u)
    v = m * uniform(SEED, t, r + 2)
    one, other = int(m * u), int(v)
    if tiles.worth[one] < tiles.worth[other]:
        one = other
    return int(tiles.grids[one, FIRST if v - other < 0.5 else SECOND])
