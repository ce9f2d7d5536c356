"""Arrays from outside are checked before a rule sees them; a refusal names row, column and value."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.errors import BadInput
from .compile import has_numba
from .memory import read_only

HUGE = 1e300  # beyond this, squares and sums leave the range of floats


@functools.cache
def counter() -> Callable[[Any, float, float], int]:
    """`outside` for a flat array, on the engine at hand."""
    if has_numba():
        from .compiled_checks import outside

        return outside
    return lambda v, low, high: int(v.size - np.count_nonzero((v >= low) & (v <= high)))


def outside(v: Any, low: float = -HUGE, high: float = HUGE) -> int:
    """How many entries are not in [low, high], NaN among them: one pass at the speed of memory."""
    flat = v.reshape(-1).view()
    flat.flags.writeable = False  # as all that compiled code is given
    return counter()(flat, low, high)


@functools.cache
def ends() -> Callable[[Any], tuple[float, float]]:
    """`reach` for a flat array, on the engine at hand."""
    if has_numba():
        from .compiled_checks import reach

        return reach
    return lambda v: (float(v.min()), float(v.max()))


def reach(v: Any) -> tuple[float, float]:
    """The least and the largest entry, in one pass at the speed of memory; NaN where one is NaN."""
    return ends()(read_only(v).reshape(-1)) if v.size else (np.nan, np.nan)


def array(v: Any, what: str, dimensions: int | None) -> Any:
    """As a C-contiguous float64 array of so many dimensions; None: of any number of them."""
    try:
        a = np.ascontiguousarray(v, dtype=np.float64)
    except OverflowError:
        raise BadInput(
            f"{what}: a number is too large to compute with: {v!r:.80}", field=what, value=v
        ) from None
    except (TypeError, ValueError):
        raise BadInput(f"{what} must be numbers, not {v!r:.80}", field=what, value=v) from None
    if dimensions is not None and a.ndim != dimensions:
        raise BadInput(
            f"{what} must have {dimensions} dimension{'s' * (dimensions != 1)}, not shape {a.shape}",
            field=what, value=v,
        )  # fmt: skip
    return a


def number_of_row(first: Any, r: int) -> int | None:
    """The number, from 1, of the r-th row of a chunk that begins after `first` rows; None where `first` is below 0.

    Or `first` holds the numbers of its rows, from 0.
    """
    at = int(first[r]) if isinstance(first, np.ndarray) else -1 if first < 0 else first + r
    return None if at < 0 else at + 1


def row_name(first: Any, r: int) -> str:
    """The name of the r-th row of a chunk that begins after `first` rows; or `first` holds the numbers of its rows."""
    return f"row {(int(first[r]) if isinstance(first, np.ndarray) else first + r) + 1}"


def column_of(i: int | None, names: tuple[str, ...]) -> str | None:
    """The name of column i, or its number where it has none; None where there are no columns."""
    return None if i is None else names[i] if i < len(names) else str(i + 1)


def place(r: int, i: int | None, first: Any, names: tuple[str, ...], what: str) -> str:
    """Row and column of an entry, in words; `first` below 0 says that there is one row only, which has no number."""
    column = f", column {names[i]!r}" if i is not None and i < len(names) else ""
    alone = not isinstance(first, np.ndarray) and first < 0
    return f"{what}{column}" if alone else row_name(first, r) + column


def refuse(
    v: Any,
    low: float,
    high: float,
    first: Any,
    names: tuple[str, ...],
    what: str,
    nan: bool,
    hint: str = "",
) -> None:
    """Raise if anything in v is not in [low, high] (NaN allowed where `nan`); name the first such entry."""
    if outside(v, low, high) == 0:
        return
    bad = ~((v >= low) & (v <= high))
    if nan:
        bad &= ~np.isnan(v)
    if not bad.any():
        return
    at = np.unravel_index(int(np.argmax(bad)), v.shape)
    r, i = int(at[0]), int(at[1]) if v.ndim > 1 else None
    entry = float(v[at])
    where = place(r, i, first, names, what)
    if not np.isfinite(entry):
        why = f"{what} is {entry}; it must be a finite number{' or missing' if nan else ''}"
    elif abs(entry) > HUGE or -low == high >= 1e150:  # no interval was declared
        why = f"{what} is {entry:g}, too large to compute with"
    else:
        why = f"{what} is {entry:g}, outside the interval [{low:g}, {high:g}]{hint}"
    raise BadInput(
        f"{where}: {why}", field=what, value=entry, row=number_of_row(first, r), column=column_of(i, names)
    )  # fmt: skip


def refuse_indices(x: Any, limits: tuple[int, ...], first: Any, names: tuple[str, ...]) -> None:
    """Raise if a feature that counts as a place in a table is not a whole number from 0 to below its limit."""
    with np.errstate(invalid="ignore"):
        bad = np.isfinite(x) & ~((x >= 0) & (x < np.array(limits)) & (x == np.floor(x)))
    if bad.any():
        r, i = (int(v) for v in np.unravel_index(int(np.argmax(bad)), x.shape))
        where = place(r, i, first, names, "feature")
        raise BadInput(
            f"{where}: {x[r, i]:g} is not a whole number from 0 to {limits[i] - 1}", field="feature",
            value=float(x[r, i]), row=number_of_row(first, r), column=column_of(i, names),
        )  # fmt: skip


def all_experts_sleep(x: Any) -> Any:
    """Which rounds have no advice: every expert sleeps."""
    return np.isnan(x).all(axis=1)
