"""Strings as examples: a row of the code points of their letters, with 0 after the end."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.csr import as_dense
from ...core.errors import BadInput
from ...core.stream import Array
from ...core.vectors import index, size, value

MOST = 0x10FFFF  # the largest code point


def letters(strings: Any, what: str = "strings") -> Array:
    """Strings as a matrix, one a row: the code points of its letters, and 0 after its end.

    This is how kernel learners take strings. Upper and lower case, blanks and accents differ.

    >>> letters(["cab", "d"]).astype(int).tolist()
    [[99, 97, 98], [100, 0, 0]]
    """
    found = list_strings(strings, what)
    for i, s in enumerate(found):
        if not isinstance(s, str):
            kind = type(s).__name__
            raise BadInput(f"{what}: row {i + 1} is {s!r:.60} ({kind}), not a string")
        if "\0" in s:
            raise BadInput(
                f"{what}: row {i + 1} holds the letter \\0, which marks the end: take it out"
            )
    lengths = np.array([len(s) for s in found], dtype=np.int64)
    M = np.zeros((len(found), int(lengths.max(initial=0))))
    codes = np.frombuffer("".join(found).encode("utf-32-le", "surrogatepass"), "<u4")
    M[np.arange(M.shape[1]) < lengths[:, None]] = codes
    return M


def list_strings(strings: Any, what: str) -> list[Any]:
    """A list, tuple, column or Series of strings, or a matrix with one column of them, as a list."""
    if isinstance(strings, (str, bytes)):
        raise BadInput(f"{what} must be a list of strings, not one: write [{strings!r:.40}]")
    for name in ("to_numpy", "to_pylist"):  # of pandas and Polars, of PyArrow
        if hasattr(strings, name):
            strings = getattr(strings, name)()
            break
    if isinstance(strings, np.ndarray):
        if strings.ndim == 2 and strings.shape[1] == 1:
            strings = strings[:, 0]
        if strings.ndim != 1:
            raise BadInput(f"{what} must be one column of strings, not of shape {strings.shape}")
        return list(strings.tolist())
    try:
        return list(strings)
    except TypeError:
        raise BadInput(f"{what} must be a list of strings, not {strings!r:.60}") from None


def spelt(X: Any, what: str) -> None:
    """Refuse a matrix that `letters` cannot have made."""
    M = as_dense(X)
    wrong = ~((M >= 0.0) & (M <= MOST) & (np.floor(M) == M))
    wrong[:, 1:] |= (M[:, 1:] != 0.0) & (M[:, :-1] == 0.0)
    if wrong.any():
        i, j = (int(v) for v in np.argwhere(wrong)[0])
        raise BadInput(
            f"{what}: row {i + 1}, column {j + 1} is {M[i, j]:g}; a string is a row of the code points of its "
            "letters, with 0 after its end: kernels.letters makes them"
        )


def lengths(M: Array) -> Any:
    return np.count_nonzero(M, axis=1).astype(np.int64)


def as_wide_as(M: Array, width: int) -> Array:
    """The same strings with room for so many letters."""
    return M if M.shape[1] >= width else np.pad(M, ((0, 0), (0, width - M.shape[1])))


def spelling(x: Any, width: int) -> Any:
    """The letters of one example, dense or sparse, without the zeros after its end; plain and compiled."""
    s = np.zeros(width)
    for k in range(size(x)):
        if index(x, k) < width:
            s[index(x, k)] = value(x, k)
    n = 0
    while n < width and s[n] != 0.0:
        n += 1
    return s[:n]
