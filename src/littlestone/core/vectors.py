"""Examples, dense or sparse, behind a few functions; twins.py holds their compiled form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])
BLOCK = 256  # numbers that are checked together: a few rows, so that the next are on their way while these are used


class Sparse(NamedTuple):
    """One sparse example."""

    index: np.ndarray  # type: ignore[assignment]
    value: np.ndarray


class Rows(NamedTuple):
    """A CSR matrix as arrays."""

    indptr: np.ndarray
    index: np.ndarray  # type: ignore[assignment]
    value: np.ndarray


class Constant(NamedTuple):
    """Rows with a constant 1 as coordinate 0; the others move up by one. A row is written into the buffers."""

    X: Any
    index: np.ndarray  # type: ignore[assignment]  # of a sparse row
    value: np.ndarray


def has_compiled_form(f: F) -> F:
    """Mark a function whose compiled form is written in twins.py."""
    f.has_compiled_form = True  # type: ignore[attr-defined]
    return f


def for_sparse(form: F) -> Callable[[F], F]:
    """Mark a rule, and give the form of it that compiled code takes for sparse examples `x`.

    The rule itself holds for sparse examples, too, and plain Python runs it: forms are made of lanes, which are small
    arrays there, and slower than one number after the other. Compiled code has the one that it needs, and not the
    other: to ask `dense(x)` inside a rule compiles both.
    """

    def mark(rule: F) -> F:
        rule.sparse_form = form  # type: ignore[attr-defined]
        return rule

    return mark


@has_compiled_form
def row(X: Any, t: int) -> Any:
    """The t-th row: of a matrix, of a CSR matrix, or of each part of a NamedTuple of arrays."""
    if isinstance(X, Rows):
        a, b = X.indptr[t], X.indptr[t + 1]
        return Sparse(X.index[a:b], X.value[a:b])
    if isinstance(X, Constant):
        x, m = row(X.X, t), size(row(X.X, t)) + 1
        X.value[0] = 1.0
        if isinstance(x, Sparse):
            X.index[0], X.index[1:m], X.value[1:m] = 0, x.index + 1, x.value
            return Sparse(X.index[:m], X.value[:m])
        X.value[1:] = x
        return X.value
    if isinstance(X, tuple):
        return type(X)(*[row(part, t) for part in X])
    return X[t]


@has_compiled_form
def expect(A: Any, x: Any, k: int, after: int) -> None:
    """Prefetch what A has of the k-th of the features that come soon after x; a rule asks once a feature that it reads.

    `after` is by how much features move up in A. Where a state is larger than the caches, a round would wait for memory
    otherwise. Compiled loops over sparse rows know what comes. Elsewhere it does nothing.
    """


@has_compiled_form
def start(X: Any, t: int, n: int) -> int:
    """Where the numbers of the t-th row begin, if all rows are written one after another; a dense row has n numbers."""
    if isinstance(X, Constant):
        return start(X.X, t, n)
    if isinstance(X, Rows):
        return int(X.indptr[min(t, len(X.indptr) - 1)])
    return t * n


@has_compiled_form
def size(x: Any) -> int:
    return int(x.index.shape[0] if isinstance(x, Sparse) else x.shape[0])


@has_compiled_form
def dense(x: Any) -> bool:
    """Is x dense: are all coordinates written down, in order?"""
    return not isinstance(x, Sparse)


@has_compiled_form
def as_row(v: Any) -> Any:
    """An array as a dense row of the stream: what both are given to is compiled once, since rows cannot be written."""
    return v


@has_compiled_form
def index(x: Any, k: int) -> int:
    return int(x.index[k]) if isinstance(x, Sparse) else k


@has_compiled_form
def value(x: Any, k: int) -> float:
    return float(x.value[k] if isinstance(x, Sparse) else x[k])


@has_compiled_form
def dot(w: Any, x: Any) -> float:
    """<w, x>, for a sparse or dense x."""
    return float(w[x.index] @ x.value) if isinstance(x, Sparse) else float(w @ x)


@has_compiled_form
def add(w: Any, c: float, x: Any) -> None:
    """w += c x, in place."""
    if isinstance(x, Sparse):
        np.add.at(w, x.index, c * x.value)
    else:
        w += c * x


@has_compiled_form
def shift(w: Any, c: float, x: Any) -> tuple[float, float]:
    """w += c x, in place; by how much |w|^2 changed, and |x|^2.

    >>> w = np.array([1.0, 0.0])
    >>> shift(w, 2.0, np.array([1.0, 1.0])), w.tolist()
    ((12.0, 2.0), [3.0, 2.0])
    """
    change = 0.0
    for k in range(size(x)):
        i, v = index(x, k), value(x, k)
        old = w[i]
        new = old + c * v
        w[i] = new
        change += v * (old + new)
    return float(c * change), norm2(x)


@has_compiled_form
def norm2(x: Any) -> float:
    """|x|^2."""
    v = x.value if isinstance(x, Sparse) else x
    return float(v @ v)


@has_compiled_form
def write(W: Any, w: int, d: Any) -> None:
    """Write a decision into a row of a record; a decision that is one number fills the first column."""
    if isinstance(d, np.ndarray):
        W[w] = d[: W.shape[1]]
    elif W.shape[1] > 0:
        W[w, 0] = d


@has_compiled_form
def out_of_range(Z: Any, a: int, b: int, low: float, high: float) -> bool:
    """Is one of the entries a, …, b - 1 not in [low, high], or not a number?"""
    block = Z[a:b]
    return not bool(((block >= low) & (block <= high)).all())


@has_compiled_form
def read(W: Any, w: int, like: Any) -> Any:
    """The decision in a row of a record, of the same kind as another decision."""
    return W[w] if isinstance(like, np.ndarray) else float(W[w, 0])
