"""Tile coding: a grid is laid over each of some pairs of features, and an example is one cell of every grid.

A linear model over cells is a sum of functions of two features each, of any shape: steps, corners and exclusive ors,
which trees find and waves hardly do. Grids are shifted at random, so that several over the same pair are finer
together than each of them. A grid over a single feature has as many cells, in a row. Cells are in spreads of the
features: what is learned of a cell stays there while the spreads are still being learned.

There are more pairs than grids, and most of them say nothing. So grids are on trial: what a grid adds to the score
varies from round to round, and the more it varies, the more the grid is worth. Every now and then those that are worth
least are laid anew, mostly over features that other grids have found useful.

Albus (1975), the cerebellar model; Sutton (1996), tile coding; Mahmood & Sutton (2013), generate and test.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.numeric import uniform
from ...core.random_features import hashed
from ...core.stream import Array
from ...core.vectors import rarely
from ...engine.lanes import four, put
from .feature_scaling import SPREAD, TURNS, Standing, Z, at, listed
from .memories import M

SIDE = 6  # cells along a feature
CELLS = SIDE * SIDE  # of a grid
WIDTH = 2.0 / 3.0  # spreads that a cell is wide; the outer ones have no end
# A grid: its two features (one, if they are the same), and how far it is shifted along each, in cells.
FIRST, SECOND, SHIFT, OTHER, COLUMNS = 0, 1, 2, 3, 4
SEED = 1  # of the pairs and the shifts
# What a grid is worth: the mean and the mean square of what it adds to the score, and the rounds since it was laid.
MEAN, SQUARE, AGE, WORTH = 0, 1, 2, 3
TRIAL = 256  # rounds that a grid has to show what it is worth, at least
LATER = 16  # and of later ones, one for so many rounds that were played
EVERY = 64  # rounds after which a few are laid anew
A_FEW = 4
EXPLORE = 0.25  # of the features of a new grid are drawn from all, the others from the better grids
DRAWS = 8  # random numbers for a grid, at most


class Tiles(NamedTuple):
    grids: Array  # grids x COLUMNS
    table: Array  # classes x cells, grid by grid x what memories believe of each
    cell: Array  # the cell of the last example in every grid
    z: Array  # the last example, standardised, in units of a cell
    worth: Array  # classes x grids x WORTH

    @classmethod
    def earlier(cls, grids: Array, table: Array, cell: Array, z: Array) -> Tiles:
        """What 0.11 wrote."""
        return cls(grids, table, cell, z, np.zeros((len(table), len(grids), WORTH)))


def tiled(n: int, m: int, classes: int = 1, first: int = 0) -> Tiles:
    """m grids over n features, of whose cells nothing is known; they begin over the `first` features (0: over all)."""
    table, worth = np.zeros((classes, m * CELLS, 2 * M)), np.zeros((classes, m, WORTH))
    return Tiles(laid(first or n, m), table, np.zeros(m, np.int64), np.zeros(n), worth)


def laid(n: int, m: int) -> Array:
    """m grids: over pairs of n features and over single ones, in an order drawn at random, again and again.

    >>> laid(2, 4)[:, [FIRST, SECOND]].tolist()
    [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
    """
    grids = np.zeros((m, COLUMNS))
    if n == 0 or m == 0:
        return grids
    one, other = (v.astype(np.uint64) for v in np.triu_indices(n))
    order = np.argsort(hashed(SEED, one, other))
    for column, feature in ((FIRST, one), (SECOND, other)):
        grids[:, column] = np.resize(feature[order], m)
    for column in (SHIFT, OTHER):
        grids[:, column] = hashed(SEED, np.arange(m, dtype=np.uint64), np.uint64(column)) - 0.5
    return grids


def place(tiles: Tiles, standing: Standing, x: Any, ones: Array) -> None:
    """Find the cells of the example that was standardised last; a part reads it as so many features that are 1."""
    z, grids = tiles.z, tiles.grids
    for i in range(z.shape[0]):
        z[i] = 0.0
    for k in range(listed(standing, x)):
        i = at(standing, x, k)
        # a feature that was not seen before says nothing, and one that came later than the grids is in none of them
        if standing.now[k, TURNS] > 1.0 and i < z.shape[0]:
            z[i] = standing.last[Z, k] * (1.0 / WIDTH)
    for k in range(grids.shape[0]):
        i, j = int(grids[k, FIRST]), int(grids[k, SECOND])
        if i == j:
            cell = along(SIDE * z[i] + grids[k, SHIFT], CELLS)
        else:
            cell = SIDE * along(z[i] + grids[k, SHIFT], SIDE) + along(z[j] + grids[k, OTHER], SIDE)
        tiles.cell[k] = k * CELLS + cell
        ones[k] = 1.0


def along(z: float, n: int) -> int:
    """Which of n cells in a row holds z; 0 is in their middle."""
    return int(min(max(z + 0.5 * n, 0.0), n - 1.0))


def take_out(tiles: Tiles, c: int, b: Array) -> None:
    """Copy what is believed of the cells of the last example, for a class, to where a part looks for it."""
    table = tiles.table[c]
    for k in range(tiles.cell.shape[0]):
        i = tiles.cell[k]
        put(b, k + 1, 0, four(table, i, 0))
        put(b, k + 1, M, four(table, i, M))


def put_back(tiles: Tiles, c: int, b: Array) -> None:
    """Copy what a part has learned of these cells back to the table."""
    table, worth = tiles.table[c], tiles.worth[c]
    for k in range(tiles.cell.shape[0]):
        i = tiles.cell[k]
        put(table, i, 0, four(b, k + 1, 0))
        put(table, i, M, four(b, k + 1, M))
        w, age = b[k + 1, 0], worth[k, AGE] + 1.0
        rate = 1.0 / min(age, TRIAL)
        worth[k, MEAN] += rate * (w - worth[k, MEAN])
        worth[k, SQUARE] += rate * (w * w - worth[k, SQUARE])
        worth[k, AGE] = age


def search(tiles: Tiles, standing: Standing, t: int) -> None:
    """Every now and then, lay a few grids anew: those that are worth least."""
    if t % EVERY == EVERY - 1 and t > TRIAL and tiles.grids.shape[0] > 0:
        for r in range(A_FEW):
            replace_worst(tiles, standing, t, DRAWS * r)


@rarely
def replace_worst(tiles: Tiles, standing: Standing, t: int, r: int) -> None:
    """Lay the grid that is worth least, of those whose trial is over, over other features.

    One that is worth more than the mean stays. The random numbers are those of round t from the r-th on.
    """
    worst, least, whole, m, trial = -1, 0.0, 0.0, tiles.grids.shape[0], max(TRIAL, t // LATER)
    for k in range(m):
        own = worth_of(tiles, k)
        whole += own
        if tiles.worth[0, k, AGE] >= trial and (worst < 0 or own < least):
            worst, least = k, own
    if worst < 0 or least * m > whole:
        return
    i, j = drawn(tiles, standing, t, r), drawn(tiles, standing, t, r + 3)
    grid = tiles.grids[worst]
    grid[FIRST], grid[SECOND] = min(i, j), max(i, j)
    grid[SHIFT], grid[OTHER] = uniform(SEED, t, r + 6) - 0.5, uniform(SEED, t, r + 7) - 0.5
    for c in range(tiles.table.shape[0]):
        table, worth = tiles.table[c], tiles.worth[c]
        for k in range(worst * CELLS, (worst + 1) * CELLS):
            for j in range(2 * M):
                table[k, j] = 0.0
        for j in range(WORTH):
            worth[worst, j] = 0.0


def worth_of(tiles: Tiles, k: int) -> float:
    """The variance of what a grid adds to the score, of all classes together."""
    found = 0.0
    for c in range(tiles.worth.shape[0]):
        mean, square = tiles.worth[c, k, MEAN], tiles.worth[c, k, SQUARE]
        found += square - mean * mean
    return found


def drawn(tiles: Tiles, standing: Standing, t: int, r: int) -> int:
    """A feature for a new grid: one of the better of two grids, or any; a constant one only if it is met by chance."""
    n, m = tiles.z.shape[0], tiles.grids.shape[0]
    any_, one = int(n * uniform(SEED, t, r + 1)), int(m * uniform(SEED, t, r + 1))
    if uniform(SEED, t, r) < EXPLORE and standing.place[any_, SPREAD] > 0.0:
        return any_
    u = uniform(SEED, t, r + 2)
    other = int(m * u)
    if worth_of(tiles, one) < worth_of(tiles, other):
        one = other
    return int(tiles.grids[one, FIRST if m * u - other < 0.5 else SECOND])
