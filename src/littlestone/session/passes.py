"""The batches of a stream, as often as a learner goes over them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..core.errors import BadInput
from ..core.stream import Batch
from ..encode.compact_places import CompactPlaces

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..encode.stream import Stream
    from .options import PlayOptions

    AnyLearner = Learner[Any, Any, Any, Any]


def read_passes(
    learner: AnyLearner, stream: Stream, options: PlayOptions
) -> Iterator[tuple[bool, Batch]]:
    """Every batch, with its indices in their places; and whether this is the first pass."""
    compact = compact_places(learner, stream, options) if learner.examples else None
    for number in range(options.passes):
        again = stream.batches
        if number and not isinstance(again, list):
            if stream.again is None:
                raise BadInput(f"passes={options.passes}: {stream.source} can be read only once")
            again = stream.again()
        for batch in again:
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
