"""Rows of examples as users hand them over, dense or sparse, and what is refused in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.csr import is_sparse, rows_of
from ..core.errors import BadInput
from ..core.rows import BIG
from ..core.vectors import Rows, Sparse
from ..engine.checks import array


def refuse_fraction(v: Any, owner: str) -> None:
    """Refuse features that are neither 0 nor 1."""
    bad = (v != 0.0) & (v != 1.0)
    if bad.any():
        raise BadInput(
            f"a feature is {float(v[np.argmax(bad)]):g}; {owner} learns from features that are 0 or 1 "
            "(littlestone.linear.boolean.binarise makes them)"
        )


def refuse_value(names: list[Any], numbers: Any) -> None:
    """Name the first feature whose value is not finite, or too large."""
    k = int(np.argmin(np.abs(numbers) <= BIG))
    finite = np.isfinite(numbers[k])
    must = "is too large to compute with" if finite else "must be a finite number"
    raise BadInput(f"feature {names[k]!r} is {numbers[k]:g}; it {must}")


def is_value(v: Any) -> bool:
    """Is it text, or one number that floats can hold?"""
    try:
        return isinstance(v, str) or (np.ndim(v) == 0 and float(v) is not None)
    except (TypeError, ValueError, OverflowError):
        return False


def kind(sparse: bool) -> str:
    return "sparse" if sparse else "dense"


def index_and_value(x: Any) -> tuple[Any, Any]:
    """Index and value of a sparse row."""
    if isinstance(x, Sparse):
        return np.asarray(x.index, np.int32), np.asarray(x.value, np.float64)
    if is_sparse(x):
        one = x if len(x.shape) == 2 else x.reshape(1, -1)
        if one.shape[0] != 1:
            raise BadInput(f"an example is one row, not {one.shape[0]}")
        _, index, value = rows_of(one)
        return index, value
    raise BadInput(f"the first example was sparse; this one is a {type(x).__name__}")


def matrix(x: Any) -> Any:
    """Many examples: a matrix, or the rows of a sparse one."""
    if isinstance(x, Rows):
        return x
    return rows_of(x) if is_sparse(x) else array(x, "examples", 2)


def within(X: Rows, width: int) -> Rows:
    """The rows without the features from `width` on."""
    keep = X.index < width
    before = np.concatenate([[0], np.cumsum(keep)])
    return Rows(before[X.indptr].astype(np.int64), X.index[keep], X.value[keep])
