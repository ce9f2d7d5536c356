"""Batches whose outcomes are as they were written -> a Stream whose outcomes are codes of classes, or numbers."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.core.stream import Batch
from littlestone.encode.stream import Stream

from ...encode.labels import LabelEncoder
from .arrays import floats
from .batches import join_batches, regroup_batches, size
from .check import check
from .coding import Coding, taken_for
from .forecasters import ROWS, scale_of


class UncodedRounds:
    """Rounds whose first batches can be looked at before it is decided how their outcomes are coded.

    What is no larger than `limit` bytes is read at once and kept, so that several streams can be made of it. Of
    anything else only as much is read as labels need, and there is one stream.
    """

    def __init__(
        self,
        stream: Stream,
        batches: Iterator[Batch],
        *,
        limit: int = 0,
        notes: Callable[[], tuple[str, ...]] | None = None,
    ) -> None:
        """`notes`: what the reader has noticed so far; None where the batches write `stream.notes` themselves."""
        self.template, self.batches, self.limit, self.notes = stream, batches, limit, notes
        self.head: deque[Batch] = deque()  # batches that have been read and not given out
        self.why = ""  # the outcomes are classes, or numbers: the reason
        self.classes = 0  # how many there are, as far as was looked
        self.ended = False  # the head is all there is

    def read(self, limit: int) -> None:
        """Read batches into the head until they take more than `limit` bytes."""
        while not self.ended and not (self.head and sum(map(size, self.head)) > limit):
            batch = next(self.batches, None)
            if batch is None:
                self.ended = True
            else:
                self.head.append(batch)
        if not self.head:
            skipped = f" ({self.notes()[0]})" if self.notes is not None and self.notes() else ""
            raise BadInput(f"no rows in {self.template.source}{skipped}")

    def hold_classes(self) -> bool:
        """Do the outcomes look like classes?"""
        self.read(self.limit)
        auto = Coding(advice=False, grow=True, auto=True)
        coder, self.why = auto.decide(
            [b.y for b in self.head], lambda: hold_forecasts(self.head, self.template.outcome)
        )
        self.classes = 0 if coder is None else len(coder.known)
        return coder is not None

    def make_stream(self, coding: Coding | None, batch_rows: int | None = None) -> Stream:
        """A stream: labels of the first batch are sorted, and others follow as they come."""
        self.read(self.limit if batch_rows is None else -1)
        whole = self.ended and batch_rows is None
        # batches that come later write their notes into the stream that they were made for
        stream = replace(self.template) if whole else self.template
        coder = decide_labels(stream, self.head, coding)
        before, notes, outcome = stream.notes, self.notes, stream.outcome
        alive = weakref.ref(stream)  # a stream that is no longer used must let go of its file

        def update_notes() -> None:
            there = alive()
            if notes is not None and there is not None:
                there.notes = (*before, *notes())

        if self.ended and stream.rounds is None:
            stream.rounds = sum(len(b.y) for b in self.head)
        if whole:
            stream.batches, stream.whole = (
                [join_batches([code_batch(batch, coder, outcome) for batch in self.head])],
                True,
            )
            update_notes()
            return stream
        head, batches, ended = self.head, self.batches, self.ended

        def every() -> Iterator[Batch]:
            while head:
                yield code_batch(head.popleft(), coder, outcome)
            if not ended:
                for batch in batches:
                    yield code_batch(batch, coder, outcome)

        def noted() -> Iterator[Batch]:
            for batch in every() if batch_rows is None else regroup_batches(every(), batch_rows):
                update_notes()
                yield batch
            update_notes()

        stream.batches = noted()
        return stream


def code_whole(stream: Stream, batch: Batch, coding: Coding | None) -> Stream:
    """The stream with this batch, which has all of its rounds; its outcomes are coded."""
    coder = decide_labels(stream, [batch], coding)
    stream.batches = [code_batch(batch, coder, stream.outcome)]
    stream.rounds, stream.whole = len(batch.y), True
    return stream


def decide_labels(
    stream: Stream, batches: Collection[Batch], coding: Coding | None
) -> LabelEncoder | None:
    """The labels among the outcomes of the first batches, which the stream is told; None: these are numbers."""
    coder = None
    if coding is not None:
        coder, stream.why = coding.decide(
            [b.y for b in batches], lambda: hold_forecasts(batches, stream.outcome)
        )
    stream.labels = None if coder is None else coder.known
    if coding is not None and coding.auto:
        stream.notes = (*stream.notes, *taken_for(stream.outcome, stream.labels))
    return coder


def hold_forecasts(batches: Collection[Batch], outcome: str) -> bool:
    """Are the columns of dense examples on the scale of the outcomes, which are numbers?"""
    if not batches or not all(isinstance(b.x, np.ndarray) for b in batches):
        return False
    y = np.concatenate([floats(b.y, [outcome]) for b in batches])[:ROWS]
    x = np.concatenate([b.x for b in batches])[:ROWS]
    return scale_of(y, {str(i): column for i, column in enumerate(x.T)}).forecasts


def code_batch(batch: Batch, coder: LabelEncoder | None, outcome: str) -> Batch:
    """The batch with codes of labels for outcomes, or with numbers, which are checked."""
    if coder is not None:
        return batch._replace(y=coder.code_cells(batch.y, [outcome], batch.first))
    y = floats(batch.y, [outcome], batch.first)
    check(Batch(np.empty(0), y, batch.first), [outcome], outcome)
    return batch._replace(y=y)
