"""The best linear combination of the experts (or features) in hindsight, for square loss."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.core.stream import Array
from littlestone.engine.compile import has_numba


class Linear:
    """Fold rounds into the least-squares combination of their columns.

        R = the triangular factor of the rows [x, y] so far
        each block of rows:  R = triangular factor of R stacked on the block
        best:  R = [U  c; 0  r]:  w = the shortest minimiser of |U w - c|;  loss = |U w - c|^2 + r^2

    O(n^2) a round and O(n^2) memory. Factoring the rows themselves keeps the digits that the normal
    equations lose (they square the condition number). Singular values within rounding of zero count
    as zero, so equal columns share their weight. With `intercept`, w has one more number at its
    end. Rounds with NaN are left out and counted in `skipped`.

    The outcome is 2 a - b in every round:

    >>> fold = Linear(2)
    >>> fold.add(np.array([[1.0, 0.0], [1.0, 1.0], [3.0, 1.0]]), np.array([2.0, 1.0, 5.0]))
    >>> w, loss = fold.best()
    >>> w.round(12).tolist(), round(loss, 12)
    ([2.0, -1.0], 0.0)

    Golub and Van Loan, Matrix Computations (2013), 5.3 and 6.5.
    """

    def __init__(self, n: int, intercept: bool = False) -> None:
        if n < 1:
            raise BadInput(f"a linear combination needs n >= 1 columns; got n={n}")
        self.n, self.intercept = n, intercept
        self.rounds = self.skipped = 0
        columns = n + intercept + 1
        self._R = np.zeros((columns, columns))
        # Blocks are long against R, so that most of a factorisation goes into new rows.
        self._blocks = Blocks(max(256, 4 * columns), columns)

    def add(self, x: Array, y: Array) -> None:
        """Fold in T rounds: x is T x n, y has T outcomes."""
        for some, outcomes in pieces(x, y, self.n):
            one = np.ones((len(some), int(self.intercept)))
            rows = rows_without_nan(np.hstack((some, one, outcomes[:, None])))
            self.rounds += len(rows)
            self.skipped += len(some) - len(rows)
            for block in self._blocks.add(rows):
                self._R = stack_triangle(self._R, block)

    def best(self) -> tuple[Array, float]:
        """The shortest w that minimises sum_t (w . x_t - y_t)^2, and that sum."""
        R = stack_triangle(self._R, self._blocks.rest())
        U, c = R[:-1, :-1], R[:-1, -1]
        # Equal columns leave singular values of 1 to 10 eps, whatever the number of rounds.
        solved = np.linalg.lstsq(U, c, rcond=16 * len(R) * np.finfo(float).eps)[0]
        w = np.asarray(solved, dtype=np.float64)
        miss = U @ w - c
        return w, float(miss @ miss + R[-1, -1] ** 2)


def stack_triangle(R: Array, rows: Array) -> Array:
    """The square triangular factor of R with the rows below it."""
    if not len(rows):
        return R
    whole = np.vstack((R, rows))
    small = (
        whole.shape[1] <= 129 and os.environ.get("LITTLESTONE_ENGINE") != "plain" and has_numba()
    )
    if small:
        from littlestone.hindsight.folds.compiled_folds import triangle

        return triangle(np.ascontiguousarray(whole.T))
    return np.asarray(np.linalg.qr(whole, mode="r"), dtype=np.float64)


class Blocks:
    """Rows gathered into blocks of one length: what is computed from them a block at a time is
    equal bit for bit however the rows arrived, and single rows cost no factorisation each."""

    def __init__(self, length: int, columns: int) -> None:
        self._rows = np.empty((length, columns))
        self._filled = 0

    def add(self, rows: Array) -> Iterator[Array]:
        """Take in rows; yield each block as it fills (a view: use it before asking for more)."""
        while len(rows):
            room = self._rows[self._filled :]
            some, rows = rows[: len(room)], rows[len(room) :]
            room[: len(some)] = some
            self._filled = (self._filled + len(some)) % len(self._rows)
            if not self._filled:
                yield self._rows

    def rest(self) -> Array:
        """The rows that have not filled a block yet."""
        return self._rows[: self._filled]


def pieces(x: Array, y: Array, n: int) -> Iterator[tuple[Array, Array]]:
    """A chunk a thousand rows at a time, so that what is made of it stays small."""
    if x.shape != (len(y), n) or y.ndim != 1:
        raise BadInput(f"expected x of shape T x {n} and T outcomes; got {x.shape} and {y.shape}")
    for at in range(0, len(y), 1024):
        yield x[at : at + 1024], y[at : at + 1024]


def rows_without_nan(rows: Array) -> Array:
    """The rows without NaN. An infinite number is refused: with it no combination has a finite loss."""
    finite = np.isfinite(rows)
    if finite.all():
        return rows
    if np.isinf(rows).any():
        raise BadInput("advice and outcomes must be finite or NaN: an infinite number was found")
    complete: Array = rows[finite.all(axis=1)]
    return complete
