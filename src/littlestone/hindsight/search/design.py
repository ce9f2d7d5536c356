"""Examples as a linear map: weights to scores and back, dense or sparse, with or without a constant."""

from __future__ import annotations

import contextlib
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.core.stream import Array
from littlestone.core.vectors import Rows
from littlestone.hindsight.search.clock import Clock

from ...core.csr import is_sparse

NUMBER, ROUND = 0.5, 20.0  # units of work for a number, and for a round with its loss and slope
SCATTERED = 4.0  # times as many for a number of a sparse example
DENSE, SPARSE = 0.03, 4.0  # units of work for a multiplication of a matrix with a matrix
SMALL, NARROW = 1_000_000, 200  # numbers and columns up to which one thread of BLAS serves
LIBRARIES: list[Any] = []  # those of BLAS, once they were looked for
BLOCK = 1 << 19  # numbers of a dense matrix that are scaled at a time, while they are in the cache


class Design:
    """T examples with d coordinates: a matrix T x d, or Rows, whose arrays are not copied.

        scores(u)   = X u                what the linear predictor u says of every example
        adjoint(a)  = X' a               the gradient, where a holds the slopes of the losses
        gram(c)     = X' diag(c) X       the curvature, where c holds theirs

    With `intercept` coordinate 0 is a constant 1 and the features follow. `width` is the number of
    features of sparse examples, where it is more than one plus the largest index.

    >>> some = Design(np.array([[2.0, 0.0], [0.0, 3.0]]), intercept=True)
    >>> some.scores(np.array([1.0, 10.0, 100.0])).tolist()
    [21.0, 301.0]
    """

    def __init__(self, X: Any, intercept: bool = False, width: int = 0) -> None:
        self.sparse = not isinstance(X, np.ndarray) and (isinstance(X, Rows) or is_sparse(X))
        self.X: Any = csr(X, width) if self.sparse else matrix(X)
        self.first = int(intercept)  # where the features begin
        self.T: int = self.X.shape[0]
        self.d: int = self.X.shape[1] + self.first
        self.one = 1.0  # the constant
        self.unit = np.ones(self.d)  # what coordinate i of u is multiplied by
        self.clock = Clock()  # the work done so far, also on parts of these examples

    def scores(self, u: Array) -> Array:
        self.charge()
        w = self.unit * u
        z: Array = self.X @ w[self.first :]
        if self.first:
            z += self.one * w[0]
        return z

    def adjoint(self, a: Array) -> Array:
        self.charge()
        return self.joined(self.one * float(a.sum()), self.X.T @ a)

    def gram(self, c: Array) -> Array:
        """X' diag(c) X; rows with c = 0 are skipped."""
        H = np.zeros((self.d, self.d))
        features = H[self.first :, self.first :]
        if self.first:
            H[0] = H[:, 0] = self.one * np.concatenate(([self.one * c.sum()], self.X.T @ c))
        rows = np.flatnonzero(c)
        if self.sparse:
            some = self.X if len(rows) == self.T else self.X[rows]
            each = np.diff(some.indptr).astype(np.float64)
            self.clock.spend(SPARSE * float(each @ each) + float(self.d) ** 2)
            scaled = some.copy()
            scaled.data *= np.repeat(c[rows], np.diff(scaled.indptr))
            features[:] = (scaled.T @ some).toarray()
        else:
            step = max(1, BLOCK // max(1, self.d))
            whole = len(rows) > 0.7 * self.T
            used = float(self.T if whole else len(rows)) * self.d
            self.clock.spend(used * (4.0 + DENSE * self.d))
            for at in range(0, self.T if whole else len(rows), step):
                part = slice(at, at + step) if whole else rows[at : at + step]
                block = self.X[part] * np.sqrt(c[part])[:, None]
                features += block.T @ block
        H *= self.unit
        H *= self.unit[:, None]
        return H

    def norms2(self) -> Array:
        """|x_t|^2, the constant included."""
        unit = self.unit[self.first :]
        constant = float(self.one * self.unit[0]) if self.first else 0.0
        n = np.full(self.T, constant * constant)
        if self.sparse:
            values = self.X.data * unit[self.X.indices]
            rows = np.repeat(np.arange(self.T), np.diff(self.X.indptr))
            return n + np.bincount(rows, values * values, self.T)
        step = max(1, BLOCK // max(1, self.d))
        for at in range(0, self.T, step):
            block = self.X[at : at + step] * unit
            n[at : at + step] += np.einsum("ti,ti->t", block, block)
        return n

    def typical(self) -> Array:
        """The geometric mean of |x_ti|, those that are 0 left out: of some rounds, or of all where all of those are 0.

        A feature that is always 0 gets the size of the others, or 1 where there are none.
        """
        every = max(1, self.T // 4096)
        logs, many = self.logs(self.X[::every])
        if every > 1 and not many.all():
            self.charge()
            rare = many == 0
            more, times = self.logs(self.X if self.sparse else self.X[:, rare])
            logs[rare], many[rare] = (v[rare] if self.sparse else v for v in (more, times))
        met = many > 0
        logs[met] /= many[met]
        logs[~met] = logs[met].mean() if met.any() else 0.0
        return self.joined(self.one, np.exp(logs)) / self.unit

    def logs(self, X: Any) -> tuple[Array, Any]:
        """The sum of log |x_ti| over the rounds with x_ti != 0, and how many these are."""
        if self.sparse:
            i, v = X.indices, np.abs(X.data)
            i, v = i[v > 0.0], v[v > 0.0]
            logs, many = (np.bincount(i, w, X.shape[1]) for w in (np.log(v), None))
            return logs.astype(np.float64), many
        full = np.where(X == 0.0, 1.0, np.abs(X))
        return np.log(full).sum(axis=0), np.count_nonzero(X, axis=0)

    def filled(self) -> int:
        """How many numbers are not 0, the constants included."""
        return int(np.count_nonzero(self.X.data if self.sparse else self.X)) + self.first * self.T

    def joined(self, first: float, others: Any) -> Array:
        """The number of the constant, if there is one, and those of the features."""
        return self.unit * (np.concatenate(([first], others)) if self.first else others)

    def inner(self) -> Array:
        """The inner products of all examples with one another."""
        if not self.sparse:
            A = self.X * self.unit[self.first :]
            self.clock.spend(DENSE * float(self.T) ** 2 * self.d)
            G: Array = A @ A.T
        else:
            A = self.X.copy()
            A.data *= self.unit[self.first :][A.indices]
            self.clock.spend(SPARSE * float(A.nnz) * self.longest() + float(self.T) ** 2)
            G = (A @ A.T).toarray()
        return G + (self.one * self.unit[0]) ** 2 if self.first else G

    def charge(self) -> None:
        """Count a pass over the examples as work."""
        each = NUMBER * SCATTERED if self.sparse else NUMBER
        self.clock.spend(each * self.numbers() + ROUND * self.T)

    def numbers(self) -> int:
        """How many numbers the examples have."""
        return int(self.X.nnz if self.sparse else self.X.size)

    def longest(self) -> int:
        """The most numbers that an example has."""
        if not self.sparse:
            return self.d
        return int(np.diff(self.X.indptr).max(initial=0)) + self.first

    def some(self, rows: Any) -> Design:
        """The examples of these rows."""
        made = object.__new__(Design)
        made.__dict__.update(self.__dict__, X=self.X[rows])
        made.T = made.X.shape[0]
        return made

    def times(self, factor: float) -> Design:
        """Every number, the constant included, times a factor."""
        made = object.__new__(Design)
        made.__dict__.update(self.__dict__, X=self.X * factor, one=self.one * factor)
        return made

    def scaled(self, unit: Array) -> Design:
        """The map u -> X (unit u): in these coordinates the ellipsoid |u / unit| <= 1 is a ball."""
        made = object.__new__(Design)
        made.__dict__.update(self.__dict__, unit=unit)
        return made


def on_one_thread_if_small(numbers: int, columns: int) -> AbstractContextManager[Any]:
    """One thread of BLAS for examples with so many numbers, in so many columns, where these are few.

    OpenBLAS shares out what takes a tenth of a millisecond already, and its threads spin while they wait. On two busy
    cores a triangle of 2,000 rows with 22 columns took 118 ms of the processor on two threads, and .4 ms on one.
    """
    if numbers > SMALL or columns > NARROW:
        return contextlib.nullcontext()
    if not LIBRARIES:  # finding them takes 3 ms
        from threadpoolctl import ThreadpoolController

        LIBRARIES.append(ThreadpoolController())
    limited: AbstractContextManager[Any] = LIBRARIES[0].limit(limits=1, user_api="blas")
    return limited


def matrix(X: Any) -> Array:
    made = np.asarray(X, dtype=np.float64)
    if made.ndim != 2:
        raise BadInput(f"examples must be a matrix, one row each; got shape {made.shape}")
    refuse(made, None)
    return made


def csr(X: Any, width: int) -> Any:
    """A scipy matrix over the same numbers."""
    from scipy.sparse import csr_array

    if not isinstance(X, Rows):
        made = csr_array(X, dtype=np.float64)
    else:
        d = max(width, int(X.index.max(initial=-1)) + 1)
        if len(X.index) and int(X.index.min()) < 0:
            raise BadInput(f"a sparse example has the index {X.index.min()}: they count from 0")
        made = csr_array((X.value, X.index, X.indptr), shape=(len(X.indptr) - 1, d), copy=False)
    refuse(made.data, made.indptr)
    return made


def refuse(v: Any, indptr: Any) -> None:
    """Refuse examples of which one is not finite, and name it."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(v.sum()):
            return
    bad = np.argwhere(~np.isfinite(v))
    if len(bad):
        at = int(bad[0][0])
        row = at if indptr is None else int(np.searchsorted(indptr, at, side="right")) - 1
        raise BadInput(f"example {row}: {v[tuple(bad[0])]} is not a finite number")
