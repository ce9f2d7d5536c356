"""Arrays that a nature made, as a stream."""

from __future__ import annotations

from ..core.stream import Array, Batch
from ..encode.stream import Stream


def in_memory(x: Array | None, y: Array, source: str) -> Stream:
    """One batch of advice and outcomes, or (x is None) of losses; experts are numbered from 1."""
    n = (y if x is None else x).shape[1]
    return Stream(
        [Batch(x, y)],
        tuple(f"expert {i + 1}" for i in range(n)),
        rounds=len(y),
        whole=True,
        source=f"built-in: {source}",
    )
