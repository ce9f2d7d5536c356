"""What a user says before the first round, checked: sizes, rounds, the interval, the labels, the seed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.errors import BadInput

MOST = 1 << 62


def whole(v: Any, what: str, low: int, high: int = MOST) -> int:
    """A whole number in [low, high], or a refusal."""
    number = isinstance(v, (int, np.integer)) and not isinstance(v, bool)
    if not number or not low <= v <= high:
        top = "2^62" if high == MOST else "2^63 - 1" if high == 2**63 - 1 else f"{high:,}"
        raise BadInput(
            f"{what} must be a whole number from {low} to {top}, not {v!r:.80}", field=what.partition(",")[0], value=v
        )  # fmt: skip
    return int(v)


def checked_seed(v: Any) -> int:
    return whole(v, "seed", 0, 2**63 - 1)


def checked_interval(v: Any) -> tuple[float, float] | None:
    """(low, high), both finite, or None."""
    if v is None:
        return None
    try:
        low, high = (float(end) for end in v)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(
            f"interval must be two numbers (low, high), not {v!r:.80}", field="interval", value=v
        ) from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high <= low + 1e300):
        raise BadInput(
            f"interval must be finite and have low < high, not ({low:g}, {high:g})", field="interval", value=v
        )  # fmt: skip
    return low, high


def checked_labels(v: Any) -> tuple[Any, ...] | None:
    """Different labels, each a number or text, or None."""
    if v is None:
        return None
    if isinstance(v, (str, bytes)) or not isinstance(v, Iterable):
        raise BadInput(f"labels must be a list of labels, not {v!r:.80}", field="labels", value=v)
    each = [y.item() if isinstance(y, np.generic) else y for y in v]
    for y in each:
        if not isinstance(y, (str, bool, int, float)) or (
            isinstance(y, float) and not math.isfinite(y)
        ):
            raise BadInput(
                f"labels: {y!r:.80} is neither a number nor text", field="labels", value=y
            )
    if len(set(each)) < len(each):
        raise BadInput(f"labels: one of {each!r:.80} occurs twice", field="labels", value=v)
    return tuple(each)
