"""Batches that were read: kept for comparators, and joined."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.rows import join
from ..core.stream import Batch, join_gaps
from ..core.transcript import Rounds
from ..engine.memory import arrays

if TYPE_CHECKING:
    from ..core.learner import Learner

    AnyLearner = Learner[Any, Any, Any, Any]

KEPT = 256 << 20  # bytes of examples from a file that are kept for the comparators


@dataclass
class KeptBatches:
    """Batches that are kept for the comparators: those of a file while they take little memory."""

    wanted: bool  # are they kept?
    most: float = field(default_factory=lambda: KEPT)  # bytes that they may take
    batches: list[Batch] = field(default_factory=list)  # none where some could not be kept
    size: int = 0

    def add(self, batch: Batch) -> None:
        """Keep a batch of the first pass."""
        if self.wanted:
            self.size += count_bytes(batch)
            self.batches.append(batch)
            if self.size > self.most:
                self.wanted, self.batches = False, []


def count_bytes(batch: Batch) -> int:
    """Bytes that a batch takes."""
    return sum(v.nbytes for v in arrays([batch.x, batch.y, batch.h]))


def gather(kept: list[Batch]) -> Rounds:
    """Batches as one; many are joined in pairs, so that no row is copied more than a few times."""
    if len(kept) == 1:
        return Rounds(kept[0].x, kept[0].y, kept[0].h)
    parts = [b.x for b in kept]
    while len(parts) > 1:
        pairs = [parts[i : i + 2] for i in range(0, len(parts), 2)]
        parts = [join(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    y, weighted = np.concatenate([b.y for b in kept]), any(b.h is not None for b in kept)
    weights = [np.ones(len(b.y)) if b.h is None else b.h for b in kept] if weighted else []
    return Rounds(parts[0], y, np.concatenate(weights) if weighted else None)


def join_batches(batches: list[Batch]) -> Batch:
    """Batches with keys as one."""
    if len(batches) == 1:
        return batches[0]
    if batches[0].x is None:
        found = gather([b._replace(x=np.empty((len(b.y), 0))) for b in batches])
    else:
        found = gather(batches)
    key = np.concatenate([b.key for b in batches if b.key is not None])
    gaps = join_gaps([b.gaps for b in batches], [len(b.y) for b in batches])
    x = None if batches[0].x is None else found.x
    return Batch(x, found.y, batches[0].first, key, found.h, gaps=gaps)
