"""NumPy arrays and nested lists -> C-contiguous float64, or a message that names the bad value."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.core.csr import is_sparse
from littlestone.core.errors import BadInput
from littlestone.core.stream import Array, Batch

from ...encode.labels import LabelEncoder
from ...encode.values import is_number, missing, name_cell
from .check import check
from .coding import Coding

NUMERIC = "biuf"


def raw(data: object, what: str) -> NDArray[Any]:
    """An array of numbers (NumPy kinds b, i, u, f) or of Python objects, of the shape given.

    >>> raw([[1, 2], [3]], "advice")
    Traceback (most recent call last):
    ...
    littlestone.core.errors.BadInput: advice: row 2 has 1 value, row 1 has 2
    """
    if not isinstance(data, np.ndarray) and is_sparse(data):
        raise BadInput(f"{what}: sparse matrices cannot be used here; call .toarray() first")
    try:
        values: NDArray[Any] = np.asarray(data)
    except (ValueError, TypeError) as error:
        raise BadInput(f"{what}: {_ragged(data) or error}") from None
    # what is masked is missing; while numpy.ma is not imported (8 ms), nothing is
    if "numpy.ma" in sys.modules and isinstance(data, np.ma.MaskedArray):
        values = values.astype(np.float64 if values.dtype.kind in NUMERIC else object)
        values[np.ma.getmaskarray(data)] = np.nan
    if values.dtype.names is not None:
        raise BadInput(f"{what}: an array with fields is not a matrix; pass a frame instead")
    if values.dtype.kind == "c":
        raise BadInput(f"{what}: complex numbers cannot be used")
    if values.dtype.kind in NUMERIC:
        return values
    if isinstance(data, list | tuple):  # NumPy has made text of [1, "a"]: look at what was written
        return np.array(data, dtype=object)
    return values.astype(object)


def floats(values: NDArray[Any], names: Sequence[str], first: int = 0) -> Array:
    """C-contiguous float64; None and NA become NaN, and nothing else that is no number passes.

    >>> floats(np.array([[1, None], [3, "x"]], dtype=object), ["a", "b"])
    Traceback (most recent call last):
    ...
    littlestone.core.errors.BadInput: row 2, column 'b': 'x' is not a number
    """
    if values.dtype.kind in NUMERIC:
        return np.ascontiguousarray(values, dtype=np.float64)
    out = np.empty(values.shape)
    flat = out.reshape(-1)
    for i, value in enumerate(values.reshape(-1).tolist()):
        if missing(value):
            flat[i] = np.nan
        elif is_number(value):
            flat[i] = float(value)
        else:
            row, column = divmod(i, len(names))
            raise BadInput(f"{name_cell(first + row, names[column])}: {value!r} is not a number")
    return out


def matrix(values: NDArray[Any], what: str, columns: str = "experts") -> NDArray[Any]:
    """What `raw` gave, if it is T x n."""
    if values.ndim == 1:
        if values.size == 0:
            raise BadInput(f"{what}: no rows")
        raise BadInput(
            f"{what} must have two dimensions, rounds x {columns}, not the shape {values.shape}; "
            f".reshape(-1, 1) makes it one {columns[:-1]}, .reshape(1, -1) one round"
        )
    if values.ndim != 2:
        raise BadInput(
            f"{what} must have two dimensions, rounds x {columns}, not the shape {values.shape}"
        )
    if values.shape[0] == 0:
        raise BadInput(f"{what}: no rows")
    if values.shape[1] == 0:
        raise BadInput(f"{what}: no {columns} (the shape is {values.shape})")
    return values


def vector(values: NDArray[Any], rows: int, what: str = "outcomes") -> NDArray[Any]:
    """What `raw` gave, if it is T outcomes; T x 1 will do."""
    if values.ndim == 2 and values.shape[1] == 1:
        values = values.reshape(-1)
    if values.ndim != 1:
        raise BadInput(f"{what} must have one dimension, not the shape {values.shape}")
    if values.size != rows:
        raise BadInput(f"{what}: {values.size:,} for {rows:,} rows; there must be one a row")
    return values


def keys(
    values: Iterable[object], rows: int, first: int = 0, what: str = "by"
) -> NDArray[np.object_]:
    """T keys as Python values: numbers and text as they are, anything else as its text."""
    if isinstance(values, str):
        raise BadInput(f"by={values!r} names a column, but arrays have none: pass one key a row")
    if isinstance(values, np.ndarray) and values.dtype.kind == "i" and values.shape == (rows,):
        return values.astype(object)  # none of them is missing
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    if len(listed) != rows:
        raise BadInput(f"{what}: {len(listed):,} keys for {rows:,} rows; there must be one a row")
    out = np.empty(rows, dtype=object)
    if set(map(type, listed)) <= {str, int, bool}:  # none of them is missing
        out[:] = listed
        return out
    for i, value in enumerate(listed):
        if missing(value):
            raise BadInput(
                f"{name_cell(first + i, what)}: the key is missing; fill it in, or leave such rows out"
            )
        key = value.item() if isinstance(value, np.generic) else value
        out[i] = key if isinstance(key, str | bool | int | float) else str(key)
    return out


def expert_names(n: int, given: Sequence[str] | None, one: str = "expert") -> tuple[str, ...]:
    """
    >>> expert_names(2, None)
    ('expert 1', 'expert 2')
    """
    if given is None:
        return tuple(f"{one} {j + 1}" for j in range(n))
    if len(given) != n:
        raise BadInput(f"{one}s: {len(given)} names for {n} columns; arrays need one a column")
    if len(set(given)) < n:
        raise BadInput(f"{one}s: a name occurs twice")
    return tuple(given)


def rounds(
    advice: object,
    outcomes: object,
    *,
    names: Sequence[str] | None = None,
    outcome: str = "outcome",
    by: Iterable[object] | None = None,
    coding: Coding | None = None,
    first: int = 0,
    checked: bool = True,
) -> tuple[Batch, tuple[str, ...], LabelEncoder | None]:
    """One checked batch, the names of its columns, and the labels if there are any.

    Without advice, the outcomes are the T x n losses of the allocation game.
    """
    if advice is None:
        x, y = None, matrix(raw(outcomes, "losses"), "losses")
    else:
        x = matrix(raw(advice, "advice"), "advice")
        y = vector(raw(outcomes, "outcomes"), x.shape[0])
    column_names = expert_names(y.shape[1] if x is None else x.shape[1], names)
    key = None if by is None else keys(by, y.shape[0], first)
    coder: LabelEncoder | None = None
    if x is None:
        batch = Batch(None, floats(y, column_names, first), first, key)
    elif coding is None:
        batch = Batch(floats(x, column_names, first), floats(y, [outcome], first), first, key)
    else:
        coder = coding.labels or LabelEncoder.find([x, y] if coding.advice else [y], fixed=True)
        advised = (
            coder.code_cells(x, column_names, first)
            if coding.advice
            else floats(x, column_names, first)
        )
        batch = Batch(advised, coder.code_cells(y, [outcome], first), first, key)
    if checked:
        check(batch, column_names, outcome)
    return batch, column_names, coder


def _ragged(data: object) -> str | None:
    """Which row has another length than the first, if that is what is wrong."""
    if not isinstance(data, list | tuple):
        return None
    lengths = [len(row) if isinstance(row, list | tuple | np.ndarray) else None for row in data]
    for i, length in enumerate(lengths):
        if length is None or lengths[0] is None:
            return f"row {i + 1} is not a list of numbers"
        if length != lengths[0]:
            values = "value" if length == 1 else "values"
            return f"row {i + 1} has {length} {values}, row 1 has {lengths[0]}"
    return None
