"""The last scores, in the order of their size, and their quantiles."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...core.stream import Array


class Past(NamedTuple):
    """The last scores."""

    ring: Array  # in the order in which they came; the oldest is overwritten
    ordered: Array  # the same, from the smallest to the largest
    seen: int  # how many scores there were in all


def past(window: int) -> Past:
    """Room for so many scores."""
    return Past(np.zeros(window), np.zeros(window), 0)


def remembered(p: Past, score: float) -> Past:
    """One more score; the oldest is forgotten where there is no room."""
    size = p.ring.shape[0]
    held, at = min(p.seen, size), p.seen % size
    i = held  # the place that is free
    if held == size:
        i, end = 0, size - 1
        while i < end:  # the first that is not below the oldest
            middle = (i + end) // 2
            if p.ordered[middle] < p.ring[at]:
                i = middle + 1
            else:
                end = middle
    p.ring[at] = score
    while i > 0 and p.ordered[i - 1] > score:
        p.ordered[i] = p.ordered[i - 1]
        i -= 1
    last = min(held, size - 1)
    while i < last and p.ordered[i + 1] < score:
        p.ordered[i] = p.ordered[i + 1]
        i += 1
    p.ordered[i] = score
    return Past(p.ring, p.ordered, p.seen + 1)


def quantile(p: Past, share: float) -> float:
    """The smallest number that at least `share` of the scores and of one infinite score do not exceed."""
    held = min(p.seen, p.ring.shape[0])
    rank = math.ceil(share * (held + 1) - 1e-9)  # 0.9 * 10 is 9, also in floating point
    if rank > held:
        return math.inf
    return p.ordered[max(rank, 1) - 1]  # type: ignore[no-any-return]
