"""Rows whose entries have names: a dict, a row of a frame (a pandas Series), a frame; they are read by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.csr import is_sparse
from ..core.errors import BadInput


def named_row(x: Any) -> Mapping[Any, Any] | None:
    """The entries of one row by name; None where they have no names, or are only numbered."""
    if isinstance(x, Mapping):
        return x
    index = None if isinstance(x, np.ndarray) or getattr(x, "ndim", 0) != 1 else index_of(x)
    if index is None:
        return None
    names = index.tolist()
    if all(isinstance(name, int) for name in names):
        return None
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise BadInput(f"{twice!r} occurs twice in this row")
    return dict(zip(names, x.tolist(), strict=True))


def index_of(x: Any) -> Any:
    """The index of a frame or a column of pandas; None where there is none. A list has a method of that name.

    >>> index_of([1, 2]) is None, index_of(np.zeros(2)) is None
    (True, True)
    """
    index = getattr(x, "index", None)
    return index if hasattr(index, "dtype") else None


def columns_of(x: Any) -> list[Any] | None:
    """The names of the columns of a frame (pandas, polars, pyarrow); None where it is none."""
    names = getattr(x, "column_names", None)
    if names is None and hasattr(x, "columns") and hasattr(x, "shape"):
        names = x.columns
    return None if names is None or callable(names) else list(names)


def values_of(column: Any) -> list[Any]:
    """What a column of a frame holds, as Python values; list() would give those of PyArrow in their own type."""
    return list(column.to_pylist() if hasattr(column, "to_pylist") else column)


def holds_rows(x: Any) -> bool:
    """Are there many rows: a matrix, a frame, a list of rows?"""
    if getattr(x, "ndim", 1) == 2:
        return not is_sparse(x) or x.shape[0] != 1
    if type(x) is list and x:
        return isinstance(x[0], (list, tuple, np.ndarray, Mapping))
    return not isinstance(x, np.ndarray) and columns_of(x) is not None


def each_row(x: Any) -> Sequence[Any]:
    """The rows of a matrix, a list or a frame, one by one; those of a frame as dicts."""
    names = columns_of(x)
    if names is None:
        return x if isinstance(x, list) else list(x)
    columns = [values_of(x[name]) for name in names]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def in_order(
    x: Mapping[Any, Any],
    names: Sequence[str],
    what: str,
    extra: bool = False,
    if_unknown: str = "",
    if_missing: str = "",
) -> list[Any]:
    """The entries of a row in the order of `names`; a name that is unknown or missing is refused, with a hint.

    Where `extra` names are allowed (a frame has more columns than a learner reads), they are passed over.

    >>> in_order({"b": 2, "a": 1}, ("a", "b"), "feature")
    [1, 2]
    """
    if not extra:
        for name in x:
            if name not in names:
                raise BadInput(
                    f"{what} {name!r} is not one of those it was trained on: {some(names)}{if_unknown}"
                )
    for name in names:
        if name not in x:
            raise BadInput(
                f"{what} {name!r} is missing: it was trained on {some(names)}{if_missing}"
            )
    return [x[name] for name in names]


def some(names: Sequence[str], most: int = 20) -> str:
    """The first names of a list."""
    return ", ".join(map(str, names[:most])) + (", …" if len(names) > most else "")
