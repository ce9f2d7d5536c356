"""Tile coding: a grid is laid over each of some pairs of features, and an example is one cell of every grid.

A linear model over cells is a sum of functions of two features each, of any shape: steps, corners and exclusive ors,
which trees find and waves hardly do. Grids are shifted at random, so that several over the same pair are finer
together than each of them. A grid over a single feature has as many cells, in a row. Cells are in spreads of the
features: what is learned of a cell stays there while the spreads are still being learned.

Albus (1975), the cerebellar model; Sutton (1996), tile coding.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.random_features import hashed
from ...core.stream import Array
from ...engine.lanes import four, put
from .feature_scaling import TURNS, Standing, Z, at, listed
from .memories import M

SIDE = 6  # cells along a feature
CELLS = SIDE * SIDE  # of a grid
WIDTH = 2.0 / 3.0  # spreads that a cell is wide; the outer ones have no end
# A grid: its two features (one, if they are the same), and how far it is shifted along each, in cells.
FIRST, SECOND, SHIFT, OTHER, COLUMNS = 0, 1, 2, 3, 4
SEED = 1  # of the pairs and the shifts


class Tiles(NamedTuple):
    grids: Array  # grids x COLUMNS
    table: Array  # classes x cells, grid by grid x what memories believe of each
    cell: Array  # the cell of the last example in every grid
    z: Array  # the last example, standardised, in units of a cell


def tiled(n: int, m: int, classes: int = 1) -> Tiles:
    """m grids over n features, of whose cells nothing is known."""
    table = np.zeros((classes, m * CELLS, 2 * M))
    return Tiles(laid(n, m), table, np.zeros(m, np.int64), np.zeros(n))


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
    table = tiles.table[c]
    for k in range(tiles.cell.shape[0]):
        i = tiles.cell[k]
        put(table, i, 0, four(b, k + 1, 0))
        put(table, i, M, four(b, k + 1, M))
