"""The columns of a log: read by name, checked value by value."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput
from ..core.stream import Array
from ..core.vectors import Rows
from ..engine.checks import array
from ..streams.open import open_stream
from ..streams.options import ReadOptions

MOST = 50_000_000  # the contexts of a log are at most so many numbers: 400 MB
ROLES = {"by": "arm", "experts": "log", "features": "context"}


def number_arms(arms: Any, n: int | None, name: str) -> tuple[NDArray[np.int64], tuple[Any, ...]]:
    """Arms as 0, ..., n - 1, and what they are called."""
    values = np.asarray(arms)
    if values.ndim != 1:
        raise BadInput(f"{name} must have one dimension, not shape {values.shape}")
    if not len(values):
        raise BadInput("no rows in the log")
    if values.dtype.kind == "O":  # numbers among objects, as readers of files hand keys on
        found = {type(v) for v in values.tolist()}
        if found <= {int, float, bool}:
            values = values.astype(np.float64)
        elif found != {str}:
            odd = next(i for i, v in enumerate(values.tolist()) if not isinstance(v, str))
            raise BadInput(f"{name}, row {odd + 1}: {values[odd]!r} is no name of an arm")
    if values.dtype.kind in "UO":
        names, codes = np.unique(values.astype(str), return_inverse=True)
        if n is not None and len(names) > n:
            raise BadInput(f"{name}: {len(names)} different arms, but n={n}")
        more = [f"unseen {i + 1}" for i in range((n or 0) - len(names))]
        return codes.astype(np.int64), (*names.tolist(), *more)
    codes = whole(values, len(values), name)
    n = int(codes.max()) + 1 if n is None else n
    refuse((codes >= 0) & (codes < n), codes, name, f"is not an arm in 0, ..., {n - 1}")
    return codes, tuple(range(n))


def column(v: Any, T: int, name: str) -> Array:
    """T finite numbers."""
    found: Array = array(v, name, 1)
    if len(found) != T:
        raise BadInput(f"{name}: {len(found):,} values for {T:,} rows; there must be one a row")
    refuse(np.isfinite(found), found, name, "is not a finite number")
    return found


def whole(v: Any, T: int, name: str) -> NDArray[np.int64]:
    """T whole numbers."""
    found = column(v, T, name)
    refuse(found == np.round(found), found, name, "is not a whole number")
    return found.astype(np.int64)


def matrix(v: Any, T: int) -> Array:
    """T x d finite numbers."""
    found: Array = array(v, "context", 2)
    if len(found) != T:
        raise BadInput(f"context: {len(found):,} rows for {T:,} rows of the log")
    bad = np.argwhere(~np.isfinite(found))
    if len(bad):
        t, j = bad[0]
        raise BadInput(f"context, row {t + 1}, column {j + 1}: {found[t, j]} is not finite")
    return found


def refuse(good: Any, values: Any, name: str, why: str) -> None:
    """Raise an error that names the first value that is not good, with its column and row."""
    bad = np.flatnonzero(~good)
    if len(bad):
        raise BadInput(f"{name}, row {bad[0] + 1}: {values[bad[0]]:g} {why}")


@contextlib.contextmanager
def in_roles() -> Iterator[None]:
    """The readers' messages are about experts and keys: say arms and contexts."""
    try:
        yield
    except BadInput as error:
        raise BadInput(re.sub(r"^\w+(?=:)", lambda m: ROLES.get(m[0], m[0]), str(error))) from None


def open_log(data: Any, **wanted: Any) -> tuple[Array, Any]:
    """Columns of numbers through the package's own readers, and the keys."""
    with in_roles():
        batches = list(open_stream(data, None, ReadOptions(checked=False, **wanted)).batches)
    keys = None if batches[0].key is None else np.concatenate([b.key for b in batches])
    return join_batches([b.y for b in batches]), keys


def join_batches(parts: Sequence[Any]) -> Array:
    """The rows of all batches as one matrix."""
    if isinstance(parts[0], Rows):
        return densified(parts)
    return np.concatenate(parts)


def densified(parts: Sequence[Any]) -> Array:
    """Sparse rows over hashed names as a matrix of the features that occur."""
    index = np.concatenate([p.index for p in parts])
    T = sum(len(p.indptr) - 1 for p in parts)
    used, place = np.unique(index, return_inverse=True)
    if T * len(used) > MOST:
        raise BadInput(f"context: {len(used):,} features in {T:,} rows are too many; name fewer")
    rows = np.repeat(np.arange(T), np.concatenate([np.diff(p.indptr) for p in parts]))
    x = np.zeros((T, len(used)))
    np.add.at(x, (rows, place), np.concatenate([p.value for p in parts]))
    return x
