"""An iterator of batches -> a Stream that holds one of them at a time."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.core.stream import Batch
from littlestone.encode.stream import Stream

from ...encode.labels import LabelEncoder
from ..options import ReadOptions
from .arrays import raw, rounds
from .coding import Coding
from .columns import choose
from .frames import Reader, eager, is_frame
from .kinds import columns_of

EXPECTED = "(advice, outcomes), (advice, outcomes, keys), an array of losses, a frame or a Batch"


def piece_stream(items: Iterable[object], request: ReadOptions) -> Stream:
    """The first batch that is not empty decides how all are read.

    It is read at once, the others when they are asked for. One round, (n numbers, one number), is a
    batch too.

    >>> pairs = iter([([[0.0, 1.0]], [1.0]), ([[1.0, 0.0], [1.0, 1.0]], [0.0, 1.0])])
    >>> stream = piece_stream(pairs, ReadOptions())
    >>> stream.names, [len(batch.y) for batch in stream.batches]
    (('expert 1', 'expert 2'), [1, 2])
    """
    filled = (item for item in items if _rows(item))
    item = next(filled, None)
    if item is None:
        raise BadInput("no rows: the iterator of batches is empty")
    if is_frame(item):
        return _of_frames(item, filled, request)
    if request.examples:
        from .example_pieces import example_pieces

        return example_pieces(item, filled, request)
    return _of_arrays(item, filled, request)


def _of_frames(item: object, others: Iterator[object], request: ReadOptions) -> Stream:
    frame = eager(item)
    choice = choose(columns_of(frame, decimal=request.decimal), request)
    if request.examples:
        from .features import ExampleReader

        reader: Reader = ExampleReader(frame.columns, choice, request)
    else:
        reader = Reader(frame.columns, choice, request)
    reader.learn_labels([frame])
    if reader.hashed:
        reader.look_for_text([frame])
    notes = (*choice.notes, *reader.notes_on_outcome)
    batch = reader.batch(frame, losses=bool(request.losses))

    def rest(row: int) -> Iterator[Batch]:
        for item in others:
            if not is_frame(item):
                raise BadInput(f"from row {row + 1} on: {_a(item)}; the batches before were frames")
            batch = reader.batch(eager(item), row, losses=bool(request.losses))
            if (stream := alive()) is not None:
                stream.notes = (*notes, *reader.notes)
            yield batch
            row += len(batch.y)

    stream = Stream(
        chain([batch], rest(len(batch.y))),
        reader.features,
        reader.outcome,
        source="batches",
        notes=(*notes, *reader.notes),
        labels=reader.labels,
        features=bool(request.examples),
        bits=request.places if reader.hashed else None,
        words=reader.words,
        ngram=request.ngram,
        categories=reader.categories,
        missing=reader.missing,
    )
    alive = weakref.ref(stream)
    return stream


def _of_arrays(item: object, others: Iterator[object], request: ReadOptions) -> Stream:
    if request.by_column is not None:
        raise BadInput(
            f"by={request.by_column!r} names a column, but arrays have none: pass triples"
        )
    outcome = request.outcome or "outcome"
    batch, names, coder = _read(item, 0, request.columns, outcome, request.coding)
    if request.losses and batch.x is not None:
        raise BadInput(f"losses: a batch is an array of losses, not {_a(item)}")

    fixed = None if request.coding is None else Coding(coder, request.coding.advice)

    def rest(row: int) -> Iterator[Batch]:
        for item in others:
            following, _, _ = _read(item, row, names, outcome, fixed)
            for what in ("x", "key"):
                if (getattr(following, what) is None) != (getattr(batch, what) is None):
                    raise BadInput(f"from row {row + 1} on: the batches are not of one form")
            yield following
            row = following.first + len(following.y)

    known = coder.known if coder else None
    batches = chain([batch], rest(batch.first + len(batch.y)))
    return Stream(batches, names, outcome, source="batches", labels=known)


def _read(
    item: object,
    row: int,
    names: tuple[str, ...] | None,
    outcome: str,
    coding: Coding | None,
) -> tuple[Batch, tuple[str, ...], LabelEncoder | None]:
    x, y, by = _parts(item, row)
    if isinstance(item, Batch):
        row = item.first or row
    y = raw(y, "losses" if x is None else "outcomes")
    if x is not None:
        x = raw(x, "advice")
        if x.ndim == 1 and y.ndim == 0:  # one round
            x, y, by = x[np.newaxis], y[np.newaxis], None if by is None else [by]
    elif y.ndim == 1:
        y = y[np.newaxis]
    width = y.shape[-1] if x is None else x.shape[-1]
    if names is not None and row and width != len(names):
        raise BadInput(f"from row {row + 1} on: {width} experts; there were {len(names)} before")
    return rounds(x, y, names=names, outcome=outcome, by=by, coding=coding, first=row)


def _parts(item: object, row: int) -> tuple[Any, Any, Any]:
    """Advice, outcomes and keys of a batch; losses have no advice."""
    if isinstance(item, Batch):
        return item.x, item.y, item.key
    if isinstance(item, tuple) and len(item) in (2, 3):
        x, y, by = (*item, None)[:3]
        return x, y, by
    if not isinstance(item, np.ndarray | list):
        raise BadInput(f"from row {row + 1} on: a batch is {EXPECTED}, not {_a(item)}")
    return None, item, None


def _rows(item: object) -> int:
    """How many rounds: empty batches are passed over."""
    if is_frame(item):
        return int(eager(item).shape[0])
    values = item.y if isinstance(item, Batch) else item
    if isinstance(item, Mapping):
        return 1
    if isinstance(values, tuple) and len(values) > 1:
        values = values[1]
    # what has no length is one outcome, or it is refused later
    return len(values) if isinstance(values, np.ndarray | list) and np.ndim(values) else 1


def _a(item: object) -> str:
    if isinstance(item, tuple):
        return f"a tuple of {len(item)}"
    return f"of type {type(item).__name__}"
