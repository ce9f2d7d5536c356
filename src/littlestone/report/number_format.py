"""Format the numbers of a column with one number of decimals."""

from __future__ import annotations

import math
from collections.abc import Sequence


def format_column(values: Sequence[float], apart: bool = False) -> list[str]:
    """Numbers of one column: six digits for the largest, as many decimals for the others.

    With `apart`, up to four decimals more, so that different numbers look different.

    >>> (
    ...     format_column([132895.1, -47496.216, float("nan")]),
    ...     format_column([7.60617, 11.01574]),
    ...     format_column([3e-7]),
    ... )
    (['132,895', '-47,496', '-'], ['7.6062', '11.0157'], ['3e-07'])
    >>> format_column([0.99706, 0.99714], apart=True)
    ['0.99706', '0.99714']
    """
    finite = [v for v in values if math.isfinite(v)]
    top = max(map(abs, finite), default=0.0)
    if 0 < top < 1e-3 or top >= 1e12:
        return [f"{v:.4g}" if math.isfinite(v) else said(v) for v in values]
    digits = max(0, min(4, 5 - math.floor(math.log10(top)))) if top else 0
    if apart and top:
        digits = tell_apart(finite, top, digits)
    return [f"{v:,.{digits}f}" if math.isfinite(v) else said(v) for v in values]


def tell_apart(values: Sequence[float], top: float, digits: int) -> int:
    """As many decimals, up to four more, as numbers need that differ in their first six digits."""
    different = len({round(v / top, 6) for v in values})
    for more in range(digits, digits + 5):
        if len({round(v, more) for v in values}) >= different:
            return more
    return digits


def whole(values: Sequence[float]) -> list[str]:
    """Counts; where some have an importance that is no whole number, numbers like others.

    >>> whole([1605.0, float("nan")]), whole([2.5, 3.0])
    (['1,605', '-'], ['2.5000', '3.0000'])
    """
    finite = [v for v in values if math.isfinite(v)]
    if all(v == int(v) for v in finite):
        return [f"{v:,.0f}" if math.isfinite(v) else said(v) for v in values]
    return format_column(values)


def said(v: float) -> str:
    return "-" if math.isnan(v) else "inf" if v > 0 else "-inf"
