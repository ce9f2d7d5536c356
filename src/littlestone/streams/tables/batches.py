"""Batches cut and joined: dense or sparse, with keys and weights or without."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.core.stream import Batch, join_gaps
from littlestone.core.vectors import Rows
from littlestone.encode.stream import Stream


def cut_batch(batch: Batch, start: int, stop: int) -> Batch:
    """Rounds start, …, stop - 1, without a copy where that can be.

    >>> x = Rows(np.array([0, 1, 3]), np.array([5, 2, 4]), np.array([1.0, 2.0, 3.0]))
    >>> cut_batch(Batch(x, np.array([0.0, 1.0]), width=6), 1, 2)[:3]
    (Rows(indptr=array([0, 2]), index=array([2, 4]), value=array([2., 3.])), array([1.]), 1)
    """
    x: Any = batch.x
    if isinstance(x, Rows):
        a, b = x.indptr[start], x.indptr[stop]
        x = Rows(x.indptr[start : stop + 1] - a, x.index[a:b], x.value[a:b])
    elif x is not None:
        x = x[start:stop]
    return Batch(
        x,
        batch.y[start:stop],
        batch.first + start,
        None if batch.key is None else batch.key[start:stop],
        None if batch.h is None else batch.h[start:stop],
        batch.width,
        None if batch.gaps is None else batch.gaps[start:stop],
    )


def without_first(stream: Stream, rows: int, passes: int = 1) -> Stream:
    """The stream without its first rows; the others keep their numbers. Later passes have all rows."""

    def batches(every: Iterable[Batch]) -> Iterator[Batch]:
        left = rows
        for batch in every:
            here = len(batch.y)
            if left < here:
                yield cut_batch(batch, left, here) if left else batch
            left = max(0, left - here)
        if left:
            raise BadInput(
                f"{stream.source} has {rows - left:,} rows; {rows:,} of them cannot be skipped"
            )

    if rows:
        if isinstance(stream.batches, list) and passes > 1:
            every = stream.batches
            stream.again = lambda: every
            stream.batches, stream.whole = batches(every), False
        elif isinstance(stream.batches, list):
            stream.batches = list(batches(stream.batches))
            if not stream.batches:
                raise BadInput(
                    f"{stream.source} has no rows after the first {rows:,}: all were learned"
                )
        else:
            stream.batches = batches(stream.batches)
        stream.rounds = None if stream.rounds is None else stream.rounds - rows
    return stream


def join_batches(batches: Sequence[Batch]) -> Batch:
    """One batch of several that follow each other and are of one form."""
    if len(batches) == 1:
        return batches[0]
    head = batches[0]
    x = None if head.x is None else join_inputs([b.x for b in batches])
    h = None
    if any(b.h is not None for b in batches):
        h = np.concatenate([np.ones(len(b.y)) if b.h is None else b.h for b in batches])
    keys = [b.key for b in batches if b.key is not None]
    return Batch(
        x,
        np.concatenate([b.y for b in batches]),
        head.first,
        np.concatenate(keys) if keys else None,
        h,
        max(b.width for b in batches),
        join_gaps([b.gaps for b in batches], [len(b.y) for b in batches]),
    )


def join_inputs(parts: Sequence[Any]) -> Any:
    """Rows that follow each other, dense or sparse."""
    if not isinstance(parts[0], Rows):
        return np.concatenate(parts)
    ends = np.cumsum([0] + [x.indptr[-1] for x in parts])
    indptr = [x.indptr[1:] + end for x, end in zip(parts, ends, strict=False)]
    return Rows(
        np.concatenate([np.zeros(1, dtype=np.int64), *indptr]),
        np.concatenate([x.index for x in parts]),
        np.concatenate([x.value for x in parts]),
    )


def regroup_batches(batches: Iterable[Batch], rows: int) -> Iterator[Batch]:
    """Batches of exactly `rows` rounds; the last may have fewer."""
    waiting: list[Batch] = []
    count = 0
    for batch in batches:
        waiting.append(batch)
        count += len(batch.y)
        if count < rows:
            continue
        whole = join_batches(waiting)
        for start in range(0, count - rows + 1, rows):
            yield cut_batch(whole, start, start + rows)
        waiting = [cut_batch(whole, count - count % rows, count)]
        count %= rows
    if count:
        yield join_batches(waiting)


def size(batch: Batch) -> int:
    """Bytes, about: what decides whether all rounds are kept in memory."""
    x = batch.x
    inputs = 12 * len(x.index) + 8 * len(x.indptr) if isinstance(x, Rows) else 0
    return int(8 * batch.y.size + inputs + (x.nbytes if isinstance(x, np.ndarray) else 0))
