"""Laplacian systems of any size, L_UU x = b: the Laplacian without the rows and columns of some vertices.

These become one vertex, the ground, which is eliminated last. Where vertices have many neighbours, sweeps are tried
first (`eisenstat`), and then an approximate Cholesky factor.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ...core.errors import BadInput
from ...core.stream import Array
from .approximate_cholesky import Factor, apply_factor, conjugate_gradients, factorised
from .compiling import compiled_if_long
from .eisenstat import TOGETHER, alone, in_step
from .near_order import breadth_first, renumbered

MANY = 8  # with at least so many neighbours a vertex, on average, conjugate gradients are first tried without a factor
STEPS = 2000  # after so many steps of conjugate gradients a solve has failed


class Grounded:
    """Solves L_UU x = b for one graph and one set of grounded vertices, for any number of right-hand sides."""

    def __init__(self, begins: Any, index: Any, weight: Any, ground: Any, seed: int = 0) -> None:
        """A symmetric graph as CSR arrays, and to how much weight of grounded vertices each vertex is joined."""
        self.begins, self.index, self.weight = (
            np.ascontiguousarray(begins, np.int64),
            np.ascontiguousarray(index, np.int64),
            np.ascontiguousarray(weight, np.float64),
        )
        self.ground = np.ascontiguousarray(ground, np.float64)
        n = len(self.ground)
        self.tails = np.repeat(np.arange(n), np.diff(self.begins))
        self.diagonal = np.bincount(self.tails, self.weight, n) + self.ground
        self.work, self.seed = len(self.index) + n, int(seed)

    @functools.cached_property
    def factor(self) -> Factor:
        """The approximate Cholesky factor, made when it is first needed."""
        n, tails = len(self.ground), self.tails
        once = tails < self.index
        joined = np.flatnonzero(self.ground > 0.0)
        a = np.concatenate([tails[once], joined])
        b = np.concatenate([self.index[once], np.full(len(joined), n)])
        w = np.concatenate([self.weight[once], self.ground[joined]])
        return factorised(a, b, w, n + 1, self.seed)

    def solve(self, b: Any, tolerance: float = 1e-10) -> Array:
        """x with |L_UU x - b| <= tolerance |b|; a matrix of right-hand sides column by column."""
        b = np.asarray(b, np.float64)
        columns = np.ascontiguousarray(b.reshape(len(b), -1))
        x = np.zeros_like(columns)
        n = len(self.ground)
        if len(self.index) >= MANY * n and self.by_sweeps(columns, x, tolerance):
            return x.reshape(b.shape)
        room = np.zeros((5, n + 1))
        run = compiled_if_long(conjugate_gradients, self.work)
        for k in range(columns.shape[1]):
            y = np.zeros(n)
            steps = run(
                self.begins, self.index, self.weight, self.diagonal, self.factor.order, self.factor.begin,
                self.factor.row, self.factor.share, self.factor.pivot, np.ascontiguousarray(columns[:, k]), y,
                room, float(tolerance), STEPS,
            )  # fmt: skip
            if steps >= STEPS:
                raise BadInput(
                    f"the Laplacian system did not converge in {STEPS} steps: weights differ too much, by "
                    f"{self.weight.max() / self.weight.min():.1e}"
                )
            x[:, k] = y
        made: Array = x.reshape(b.shape)
        return made

    def by_sweeps(self, b: Array, x: Array, tolerance: float) -> bool:
        """Solve without a factor, where a few steps are enough; False where they are not."""
        order, W, begins, middle, index, N = self.swept
        n, diagonal = len(b), self.diagonal[order][:, None]
        root, wide = 1.0 / np.sqrt(diagonal), min(b.shape[1], TOGETHER)
        run = compiled_if_long(alone if wide == 1 else in_step, self.work)
        X, R, *scratch = np.zeros((5, n) if wide == 1 else (5, n, TOGETHER))
        columns, right = X.reshape(n, -1), R.reshape(n, -1)
        for k in range(0, b.shape[1], TOGETHER):
            right_sides = b[order, k : k + TOGETHER]
            m, sizes = right_sides.shape[1], np.maximum(np.linalg.norm(right_sides, axis=0), 1e-300)
            y, rest, ratio = np.zeros_like(right_sides), right_sides, 1.0
            # the residual is solved for again, since the norm of the steps is another one
            while ratio > tolerance:
                right[:, :m], right[:, m:] = root * rest, 0.0
                if not run(
                    begins, middle, index, N, X, R, *scratch, min(0.3 * tolerance / ratio, 0.5)
                ):
                    return False
                y += root * columns[:, :m]
                rest = right_sides - diagonal * y + W @ y
                before, ratio = ratio, float((np.linalg.norm(rest, axis=0) / sizes).max())
                if ratio > 0.9 * before:
                    return False  # floating point allows no smaller residual
            x[order, k : k + TOGETHER] = y
        return True

    @functools.cached_property
    def swept(self) -> tuple[Any, ...]:
        """What sweeps need: vertices in an order in which neighbours are close in memory, the weights in that order,
        and the same divided by the roots of both degrees."""
        from scipy.sparse import csr_array

        n, m = len(self.ground), len(self.index)
        order, place = np.empty(n, np.int64), np.full(n, -1, np.int64)
        compiled_if_long(breadth_first, self.work)(
            self.begins, self.index, np.arange(n), order, place
        )
        begins, middle = np.zeros(n + 1, np.int64), np.zeros(n, np.int64)
        index, size, N = np.empty(m, np.int32), np.empty(m), np.empty(m)
        compiled_if_long(renumbered, self.work)(
            self.begins, self.index, self.weight, 1.0 / np.sqrt(self.diagonal), order, place,
            begins, middle, index, size, N,
        )  # fmt: skip
        W = csr_array((size, index, begins.astype(np.int32)), (n, n))
        return order, W, begins, middle, index, N

    def precondition(self, b: Any) -> Array:
        """An approximate solution, by the factor alone; of a matrix, of each column."""
        columns = np.asarray(b, np.float64).reshape(len(b), -1)
        made = np.empty_like(columns)
        apply, room = compiled_if_long(apply_factor, self.work), np.zeros(len(self.ground) + 1)
        for k in range(columns.shape[1]):
            room[:-1] = columns[:, k]
            room[-1] = -columns[:, k].sum()
            apply(*self.factor, room)
            made[:, k] = room[:-1] - room[-1]
        found: Array = made.reshape(np.shape(b))
        return found
