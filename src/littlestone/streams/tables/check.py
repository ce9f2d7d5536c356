"""Refuse batches with infinite numbers or missing losses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.core.rows import BIG
from littlestone.core.stream import Array, Batch
from littlestone.core.vectors import Rows
from littlestone.encode.values import name_cell

# 32,768 numbers (256 kB) stay in the cache between the two reductions, so that both together cost
# one pass over memory: measured at 0.7 ns a number, less than a plain `sum`.
CHUNK = 1 << 15
FEATURES = "features must be finite numbers"


def check(
    batch: Batch, names: Sequence[str], outcome: str = "outcome", *, examples: bool = False
) -> None:
    """Refuse a batch with a number that has no meaning; the message names its row and column.

    NaN in advice means that the expert sleeps, NaN in outcomes that there is no feedback: both are
    allowed. NaN in losses is refused, and infinity is refused everywhere. NaN in examples is not
    checked here, as the session refuses it: tables have none, as what is missing there is 0 and marked.

    >>> check(Batch(np.array([[0.5, np.nan]]), np.array([1.0])), ["a", "b"])
    >>> check(Batch(np.array([[0.5, np.inf]]), np.array([1.0]), first=16), ["a", "b"])
    Traceback (most recent call last):
    ...
    littlestone.core.errors.BadInput: row 17, column 'b': inf; advice must be finite, ...
    """
    if batch.x is None:
        spot = _first_bad(batch.y, nan_is_fine=False)
        if spot is not None:
            _refuse(batch.y, spot, batch.first, names, "losses must be finite numbers")
        return
    if isinstance(batch.x, Rows):
        _check_rows(batch.x, batch.first)
    else:
        spot = _first_bad(batch.x, nan_is_fine=True)
        if spot is not None:
            rule = "advice must be finite, or missing (NaN) where the expert sleeps"
            _refuse(batch.x, spot, batch.first, names, FEATURES if examples else rule)
    spot = _first_bad(batch.y, nan_is_fine=True)
    if spot is not None:
        rule = "outcomes must be finite, or missing (NaN) where there is no feedback"
        _refuse(batch.y, spot, batch.first, [outcome], rule)
    if batch.y.size and max(-np.fmin.reduce(batch.y), np.fmax.reduce(batch.y)) > BIG:
        spot = int((np.abs(batch.y) > BIG).argmax())
        rule = "it is too large to compute with: its square leaves the range of floats"
        _refuse(batch.y, spot, batch.first, [outcome], rule)


def check_weights(h: Array, name: str, first: int = 0) -> None:
    """Importance weights are finite and not negative; 0: the round is predicted, not learned.

    >>> check_weights(np.array([1.0, -2.0]), "w", 7)
    Traceback (most recent call last):
    ...
    littlestone.core.errors.BadInput: row 9, column 'w': -2.0; weights must be finite, 0 or more
    """
    bad = ~((h >= 0.0) & (h < np.inf))
    if bad.any():
        _refuse(h, int(bad.argmax()), first, [name], "weights must be finite, 0 or more")


def _check_rows(x: Rows, first: int) -> None:
    spot = _first_bad(x.value, nan_is_fine=True)
    if spot is not None:
        row = int(np.searchsorted(x.indptr, spot, side="right")) - 1
        where = f"row {first + row + 1}, feature {int(x.index[spot])}"
        raise BadInput(f"{where}: {float(x.value[spot])}; {FEATURES}")


def _first_bad(values: Array, *, nan_is_fine: bool) -> int | None:
    """The position of the first number that is not allowed, in the flattened array."""
    flat = values.reshape(-1)
    # fmin and fmax step over NaN, minimum and maximum hand it on; both are as fast as memory
    low, high = (np.fmin, np.fmax) if nan_is_fine else (np.minimum, np.maximum)
    for i in range(0, flat.size, CHUNK):
        piece = flat[i : i + CHUNK]
        smallest, largest = low.reduce(piece), high.reduce(piece)
        if smallest > -np.inf and largest < np.inf:
            continue
        bad = np.isinf(piece) if nan_is_fine else ~np.isfinite(piece)
        if bad.any():  # not so for a piece that is NaN throughout
            return i + int(bad.argmax())
    return None


def _refuse(values: Array, spot: int, first: int, names: Sequence[str], rule: str) -> None:
    row, column = divmod(spot, len(names))
    value = float(values.reshape(-1)[spot])
    said = "missing (NaN)" if np.isnan(value) else str(value)
    raise BadInput(f"{name_cell(first + row, names[column])}: {said}; {rule}")
