"""Batches whose outcomes are as they were written -> a Stream: outcomes coded, a small one whole."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Iterator

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.core.stream import Batch, Stream

from .arrays import floats
from .batches import joined, regrouped, size
from .check import check
from .coding import Coding, taken_for


def settle(
    stream: Stream,
    batches: Iterator[Batch],
    coding: Coding | None,
    *,
    limit: int = 0,
    batch_rows: int | None = None,
    notes: Callable[[], tuple[str, ...]] | None = None,
) -> Stream:
    """Give the stream its batches.

    What is no larger than `limit` bytes is read at once, in one batch; of anything else, only as
    much as labels need: those of the first batch are sorted, and others follow as they come.
    `notes`: what was seen on the way, told as it is read (unless the batches do so themselves).
    """
    head: deque[Batch] = deque()
    total, ended = 0, False
    while not ended:
        batch = next(batches, None)
        ended = batch is None
        if batch is not None:
            head.append(batch)
            total += size(batch)
            if batch_rows is not None or total > limit:
                break
    if not head:
        skipped = f" ({notes()[0]})" if notes is not None and notes() else ""
        raise BadInput(f"no rows in {stream.source}{skipped}")
    coder = None if coding is None else coding.coder([b.y for b in head])
    stream.labels = None if coder is None else coder.known
    before = (*stream.notes, *taken_for(stream.outcome, stream.labels, coding))
    stream.notes = before

    outcome = stream.outcome
    alive = weakref.ref(stream)  # a stream that nobody reads must let go of its file at once

    def tell() -> None:
        there = alive()
        if notes is not None and there is not None:
            there.notes = (*before, *notes())

    def coded(batch: Batch) -> Batch:
        y = batch.y
        if coder is not None:
            y = coder.code(y, [outcome], batch.first)
        else:
            y = floats(y, [outcome], batch.first)
            check(Batch(np.empty(0), y, batch.first), [outcome], outcome)
        return batch._replace(y=y)

    def rest() -> Iterator[Batch]:
        while head:
            yield coded(head.popleft())
        if not ended:
            yield from map(coded, batches)

    def noted() -> Iterator[Batch]:
        for batch in rest() if batch_rows is None else regrouped(rest(), batch_rows):
            tell()
            yield batch
        tell()

    if ended and stream.rounds is None:
        stream.rounds = sum(len(b.y) for b in head)
    if ended and batch_rows is None:
        stream.batches, stream.whole = [joined([coded(batch) for batch in head])], True
        tell()
    else:
        stream.batches = noted()
    return stream
