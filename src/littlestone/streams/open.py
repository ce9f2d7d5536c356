"""Open data of any kind (arrays, frames, files, iterators) as a Stream of rounds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from littlestone.core.csr import is_sparse
from littlestone.core.errors import BadInput
from littlestone.core.stream import Batch
from littlestone.encode.stream import Stream

from .options import ReadOptions
from .tables.arrays import keys, raw, rounds, vector
from .tables.batches import cut_batch
from .tables.columns import choose
from .tables.frames import Reader, eager, is_frame
from .tables.kinds import columns_of
from .tables.times import label_rows

AS_DECLARED = ReadOptions()
UNLABELLED = (np.ndarray, list, tuple, type(None))  # what has no index: rows without names or times


def open_stream(
    data: object, outcomes: object = None, options: ReadOptions = AS_DECLARED
) -> Stream:
    """Rounds from arrays, a frame, a file or an iterator of batches.

    data        T x n advice as an array or nested list; without outcomes, T x n losses;
                a pandas, polars or pyarrow frame; the path of a file: CSV, Parquet, JSON lines,
                ARFF, libsvm or VW text (.gz and .zst too; '-' is standard input); an iterator of
                (advice, outcomes), frames or Batches; a Stream, which is returned as it is. Of examples
                (`options.examples`) also a SciPy sparse matrix or a list of dicts
    outcomes    T outcomes, or the name of their column
    options     `ReadOptions` says what each of them means. With arrays, `experts` are the names of the
                columns, and `by` and `weights` have one entry a row. `labels`: True: advice and outcomes are
                classes, coded in their order; or the list of classes; "outcome": only the outcomes are, and
                the columns are features; "grow": likewise, and a class that comes later than the first batch
                is added (Stream.labels is then a list that grows); "classes": the same, though text may look
                like numbers; "auto": the same if outcomes look like classes, else numbers

    A table of numbers becomes a matrix. With a column of text it becomes sparse rows: a number is
    the feature that its column's name is hashed to, text the feature "column=text". A missing
    number of a matrix is 0 and marked (`Batch.gaps`), so that the learner fills it in; what is missing in
    sparse rows is absent. A note says how many there are. Without `outcome`, the column called label,
    class, target, outcome or y is it, or else the last; a note says which.

    >>> stream = open_stream([[0, 1], [1, 1], [0.5, None]], [0, 1, 1])
    >>> stream.names, stream.rounds, stream.batches[0].x[2]
    (('expert 1', 'expert 2'), 3, array([0.5, nan]))
    >>> votes = ReadOptions(labels=True)
    >>> open_stream([["cat", "dog"], ["dog", "dog"]], ["cat", "dog"], votes).labels
    ['cat', 'dog']
    >>> stream = open_stream([{"colour": "red", "size": 2.5}], [1.0], ReadOptions(examples=True))
    >>> stream.batches[0].x
    Rows(indptr=array([0, 2]), index=array([ 71674, 238209], dtype=int32), value=array([2.5, 1. ]))
    """
    if isinstance(outcomes, str):
        if options.outcome is not None:
            raise BadInput(
                f"outcomes={outcomes!r} and outcome={options.outcome!r}: name the column once"
            )
        options, outcomes = replace(options, outcome=outcomes), None
    if isinstance(data, Stream):
        if outcomes is not None:
            raise BadInput("outcomes: a Stream brings its own; leave them out")
        return data
    if options.losses and outcomes is not None:
        raise BadInput("losses: with losses there is nothing to predict; leave the outcomes out")
    kind = kind_of(data)
    if kind == "":
        raise BadInput(
            f"data of type {type(data).__name__}: expected an array, a nested list, a frame, "
            "the path of a file, or an iterator of batches"
        )
    if options.weights is not None and kind != "file" and not options.examples:
        raise BadInput("weights: experts take no importance weights; they are for examples")
    if kind in ("file", "batches"):
        stream = stream_of_pieces(kind, data, outcomes, options)
    else:
        stream = stream_in_memory(kind, data, outcomes, options)
    stream.found = options.labels is None or isinstance(options.labels, bool | str)
    return stream


def stream_of_pieces(kind: str, data: Any, outcomes: object, options: ReadOptions) -> Stream:
    """The rounds of a file or of an iterator of batches, which bring their outcomes."""
    what = "an iterator of batches" if kind == "batches" else "a file"
    if outcomes is not None:
        raise BadInput(f"outcomes: {what} brings its own; name their column with outcome=")
    for role, given in (("by", options.by), ("weights", options.weights)):
        if given is not None and not isinstance(given, str):
            raise BadInput(f"{role}: with {what} it is the name of a column")
    if kind == "batches":
        from .tables.pieces import piece_stream

        return piece_stream(data, options)
    from .files import OpenFile

    file = data if isinstance(data, OpenFile) else OpenFile(data, options, keep=False)
    return file.stream(options)


def stream_in_memory(kind: str, data: object, outcomes: object, options: ReadOptions) -> Stream:
    """The rounds of arrays or of a frame: one batch, unless `batch_rows` cuts it."""
    if kind == "frame":
        stream = stream_of_frame(data, outcomes, replace(options, apart=outcomes is not None))
    elif options.examples:
        from .tables import examples

        if kind == "records":
            stream = examples.stream_of_records(data, outcomes, options)
        else:
            stream = examples.stream_of_examples(data, outcomes, options)
    else:
        stream = stream_of_experts(data, outcomes, options)
    if not (type(data) in UNLABELLED and type(outcomes) in UNLABELLED):
        stream = label_rows(stream, data, outcomes, kind == "frame")
    return stream if options.batch_rows is None else _cut(stream, options.batch_rows)


def stream_of_experts(data: object, outcomes: object, options: ReadOptions) -> Stream:
    """Arrays of advice and outcomes, or of losses alone."""
    if options.outcome is not None and outcomes is None:
        raise BadInput(
            f"outcome={options.outcome!r} names a column, but arrays have none: pass outcomes"
        )
    outcome_name = options.outcome or "outcome"
    advice, y = (None, data) if outcomes is None else (data, outcomes)
    batch, names, coder = rounds(
        advice, y, names=options.columns, outcome=outcome_name, by=options.by, coding=options.coding,
        checked=options.checked,
    )  # fmt: skip
    known = coder.known if coder else None
    return Stream([batch], names, outcome_name, len(batch.y), True, "arrays", (), known)


def kind_of(data: object) -> str:
    """What holds the rounds: "file", "frame", "arrays", "records" (a list of dicts) or "batches"; "": none of these."""
    if isinstance(data, np.ndarray):
        return "arrays"
    if isinstance(data, str | os.PathLike):
        return "file"
    if is_frame(data):
        return "frame"
    if isinstance(data, list | tuple):
        return kind_of_list(data[0] if data else None)
    if hasattr(data, "__array__") or is_sparse(data):
        return "arrays"
    several = isinstance(data, Iterable) and not isinstance(data, dict | set | bytes)
    return "batches" if several else ""


def kind_of_list(head: object) -> str:
    """The same of a list that begins with this: it may hold batches."""
    if isinstance(head, Mapping):
        return "records"
    pair = isinstance(head, tuple) and len(head) > 1 and getattr(head[0], "ndim", 0) == 2
    return "batches" if pair or isinstance(head, Batch) or is_frame(head) else "arrays"


def stream_of_frame(data: object, outcomes: object, request: ReadOptions) -> Stream:
    """A frame of experts, or of examples."""
    if request.examples:
        from .tables import examples

        return examples.stream_of_frame(data, outcomes, request)
    frame = eager(data)
    if not frame.shape[0]:
        raise BadInput("no rows in the frame")
    choice = choose(columns_of(frame, decimal=request.decimal), request)
    outcome_name = str(getattr(outcomes, "name", None) or "outcome")
    reader = Reader(frame.columns, choice, request, outcome_name)
    apart = None if outcomes is None else vector(raw(outcomes, "outcomes"), frame.shape[0])
    reader.learn_labels([frame], [] if apart is None else [apart])
    by = request.by
    key = None if by is None or isinstance(by, str) else keys(by, frame.shape[0])
    odd = reader.notes_on_columns([frame], [] if apart is None else [apart])
    batch = reader.batch(frame, losses=bool(request.losses), outcomes=apart, by=key)
    source = frame.implementation.name.lower()
    return Stream(
        [batch],
        reader.names,
        reader.outcome,
        len(batch.y),
        True,
        source,
        (*odd, *choice.notes),
        reader.labels,
    )


def _cut(stream: Stream, rows: int) -> Stream:
    """The one batch of a stream in memory, as views of `rows` rounds each."""
    (batch,) = stream.batches
    total = len(batch.y)
    stream.batches = [cut_batch(batch, i, min(i + rows, total)) for i in range(0, total, rows)]
    stream.whole = False
    return stream
