"""Four numbers side by side: an array of four in plain Python, one register in compiled code.

Rules add, subtract, multiply and divide them, with one another and with single numbers, and so do one thing four times
at the price of one. A loop over four numbers would not: compilers unroll it, and compute one number after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.vectors import has_compiled_form, index, size, value


@has_compiled_form
def lanes(a: float, b: float, c: float, d: float) -> Any:
    """
    >>> 1.0 + 2.0 * lanes(1.0, 2.0, 3.0, 4.0)
    array([3., 5., 7., 9.])
    """
    return np.array([a, b, c, d])


@has_compiled_form
def four(A: Any, i: int, j: int) -> Any:
    """The four numbers from A[i, j] on."""
    return A[i, j : j + 4].copy()


@has_compiled_form
def put(A: Any, i: int, j: int, v: Any) -> None:
    """Write four numbers from A[i, j] on."""
    A[i, j : j + 4] = v


@has_compiled_form
def values(x: Any, k: int) -> Any:
    """The values of an example from the k-th on, four of them."""
    return np.array([value(x, k + i) for i in range(4)])


@has_compiled_form
def columns(A: Any, a: int, b: int, c: int, d: int) -> Any:
    """The first four columns of the rows a, b, c and d.

    >>> columns(np.arange(20.0).reshape(5, 4), 0, 1, 2, 4)[1]
    array([ 1.,  5.,  9., 17.])
    """
    first, second, third, fourth = A[[a, b, c, d], :4].T.copy()
    return first, second, third, fourth


@has_compiled_form
def put_columns(A: Any, a: int, b: int, c: int, d: int, p: Any, q: Any, r: Any, s: Any) -> None:
    """Write the first four columns of the rows a, b, c and d: p, q, r and s."""
    A[[a, b, c, d], :4] = np.array([p, q, r, s]).T


@has_compiled_form
def rows_of(A: Any, x: Any, k: int, after: int) -> Any:
    """The columns of A, which has four of them, in the rows of four features of an example, from the k-th on.

    `after` is by how much features move up in A. The rows of a dense example lie side by side.

    >>> rows_of(np.arange(20.0).reshape(5, 4), np.ones(4), 0, 1)[0]
    array([ 4.,  8., 12., 16.])
    """
    return columns(A, *[index(x, k + i) + after for i in range(4)])


@has_compiled_form
def put_rows(A: Any, x: Any, k: int, after: int, p: Any, q: Any, r: Any, s: Any) -> None:
    """Write what `rows_of` reads."""
    a, b, c, d = (index(x, k + i) + after for i in range(4))
    put_columns(A, a, b, c, d, p, q, r, s)


@has_compiled_form
def put_block(A: Any, i: int, p: Any, q: Any, r: Any, s: Any) -> None:
    """Write the columns of A, which has four of them, in the rows from i on, four of them: p, q, r and s."""
    put_columns(A, i, i + 1, i + 2, i + 3, p, q, r, s)


@has_compiled_form
def gather(arrays: Any, a: int, b: int, c: int, d: int) -> Any:
    """Of each array the numbers at a, b, c and d.

    >>> gather((np.arange(5.0), np.ones(5)), 0, 3, 1, 1)
    (array([0., 3., 1., 1.]), array([1., 1., 1., 1.]))
    """
    return tuple([A[[a, b, c, d]] for A in arrays])


@has_compiled_form
def scatter(arrays: Any, a: int, b: int, c: int, d: int, new: Any) -> None:
    """Write new numbers to where `gather` found the old ones; of two at one place the first is written."""
    for A, v in zip(arrays, new, strict=True):
        A[[d, c, b, a]] = v[::-1]


@has_compiled_form
def total(v: Any) -> float:
    """The sum of the four."""
    return float((v[0] + v[1]) + (v[2] + v[3]))


@has_compiled_form
def largest(v: Any) -> float:
    """The largest of the four."""
    return float(v.max())


@has_compiled_form
def pick(a: Any, b: Any, x: Any, y: Any) -> Any:
    """x where a < b, else y.

    >>> pick(lanes(1.0, 5.0, 3.0, 2.0), 3.0, 0.0, 1.0)
    array([0., 1., 1., 0.])
    """
    return np.where(a < b, x, y)


@has_compiled_form
def positive(v: Any) -> bool:
    """Are all four above 0?"""
    return bool((v > 0.0).all())


@has_compiled_form
def decays(z: Any) -> Any:
    """exp(z) for z <= 0, as `decay`."""
    return np.where(z > -708.0, np.exp(z), 0.0)


@has_compiled_form
def logs(p: Any) -> Any:
    """ln p for p > 0, as `log_one`."""
    return np.log(p)


@has_compiled_form
def roots(v: Any) -> Any:
    """The square root of each."""
    return np.sqrt(v)


def lower(a: Any, b: Any) -> Any:
    """The smaller of two, for each of four."""
    return pick(a, b, a, b)


def higher(a: Any, b: Any) -> Any:
    """The larger of two, for each of four."""
    return pick(b, a, a, b)


def features(x: Any, k: int) -> tuple[int, int, int, int]:
    """The features of an example from the k-th on, four of them; beyond the end the last one again."""
    last = size(x) - 1
    if k + 3 <= last:
        return index(x, k), index(x, k + 1), index(x, k + 2), index(x, k + 3)
    return index(x, k), index(x, min(k + 1, last)), index(x, min(k + 2, last)), index(x, last)


def entries(x: Any, k: int) -> Any:
    """The values of these features; 0 beyond the end."""
    last = size(x) - 1
    if k + 3 <= last:
        return values(x, k)
    second = value(x, k + 1) if k + 1 <= last else 0.0
    return lanes(value(x, k), second, value(x, k + 2) if k + 2 <= last else 0.0, 0.0)
