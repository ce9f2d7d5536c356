"""The batches of a stream: read as often as a learner goes over them, kept for comparators, and joined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import BadInput
from ..core.rows import join
from ..core.stream import Batch
from ..core.transcript import Rounds
from ..core.vectors import Rows
from ..encode.compact_places import CompactPlaces
from ..engine.memory import arrays

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..encode.stream import Stream
    from .options import PlayOptions

    AnyLearner = Learner[Any, Any, Any, Any]

KEPT = 256 << 20  # bytes of examples from a file that are kept for the comparators


def read_passes(
    learner: AnyLearner, stream: Stream, options: PlayOptions
) -> Iterator[tuple[bool, Batch]]:
    """Every batch, with its indices in their places; and whether this is the first pass."""
    compact: CompactPlaces | None = None
    undecided = learner.examples  # do indices get places? That is decided when the first ones come
    for number in range(options.passes):
        again = stream.batches
        if number and not isinstance(again, list):
            if stream.again is None:
                raise BadInput(f"passes={options.passes}: {stream.source} can be read only once")
            again = stream.again()
        for batch in again:
            if undecided and (
                isinstance(batch.x, Rows) or options.by_key or learner.live is not None
            ):
                compact, undecided = compact_places(learner, stream, options), False
            if compact is not None:
                batch, stream.places = compact.batch(batch), compact.table
            yield number == 0, batch


def compact_places(
    learner: AnyLearner, stream: Stream, options: PlayOptions
) -> CompactPlaces | None:
    """Make what gives indices with large gaps their places; None where names are hashed."""
    learners = (options.by_key or {0: learner}).values()
    known = [one.begun() for one in learners if one.live is not None]
    if stream.bits or any(live.bits for live in known):
        return None
    settings = [live.setting for live in known if live.sparse]
    tables: list[dict[Any, int]] = [s.features for s in settings if s.compact]
    if tables:
        longest = max(tables, key=lambda table: len(table))
        return CompactPlaces(dict(longest))
    room = max([s.shape.n - int(s.intercept) for s in settings], default=0)
    return CompactPlaces(None, room, sum(s.met for s in settings))


@dataclass
class KeptRounds:
    """All rounds that are in memory anyway, or examples of a file while they take little memory."""

    whole: bool  # are all rounds in memory?
    wanted: bool  # else: are they kept?
    batches: list[Batch] = field(default_factory=list)  # none where some could not be kept
    size: int = 0

    def add(self, batch: Batch) -> None:
        """Keep a batch of the first pass."""
        if self.whole:
            self.batches.append(batch)
        elif self.wanted:
            self.size += count_bytes(batch)
            self.batches.append(batch)
            if self.size > KEPT:
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
    return Batch(None if batches[0].x is None else found.x, found.y, batches[0].first, key, found.h)
