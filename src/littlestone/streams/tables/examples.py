"""Examples in memory: matrices, sparse matrices, lists of dicts and frames -> a Stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from littlestone.core.csr import is_sparse, rows_of
from littlestone.core.errors import BadInput
from littlestone.core.stream import Array, Batch
from littlestone.encode.nested_fields import flat_records
from littlestone.encode.stream import Stream

from ...encode.vocabulary import every_number
from ..options import ReadOptions
from .arrays import expert_names, floats, keys, matrix, raw, vector
from .check import check, check_weights
from .coded_outcomes import code_whole
from .columns import choose
from .features import ExampleReader
from .frames import eager
from .kinds import columns_of
from .record_fields import choose_fields, dates_among, fields_of, form_table, stand_alone, table_of
from .records import RecordReader
from .times import times_of

WIDE = 1 << 20  # columns that room is made for, though nothing may be in them


def stream_of_examples(data: Any, outcomes: Any, request: ReadOptions) -> Stream:
    """A matrix, dense or sparse, and one outcome a row."""
    if request.outcome is not None and outcomes is None:
        raise BadInput(
            f"outcome={request.outcome!r} names a column, but arrays have none: pass outcomes"
        )
    if outcomes is None:
        raise BadInput("outcomes: examples need one a row; None in the list where there is none")
    batch, names = raw_batch(
        data, outcomes, request, by=request.by, weights=request.weights, checked=request.checked
    )
    outcome = str(getattr(outcomes, "name", None) or "outcome")
    return code_whole(Stream([], names, outcome, features=True), batch, request.coding)


def raw_batch(
    data: Any,
    outcomes: Any,
    request: ReadOptions,
    *,
    by: Any = None,
    weights: Any = None,
    first: int = 0,
    checked: bool = True,
) -> tuple[Batch, tuple[str, ...]]:
    """Arrays as a batch, outcomes as they are written; and the names of the columns."""
    x: Any
    names: tuple[str, ...] = ()
    if not isinstance(data, np.ndarray) and is_sparse(data):
        x = rows_of(data)
        rows = len(x.indptr) - 1
        if request.columns is not None:
            raise BadInput("features: the columns of a sparse matrix have no names")
        if rows == 0:
            raise BadInput("examples: no rows")
        # its columns, as many as a dense matrix would have; of a very wide one, those in use
        width = data.shape[1] if data.shape[1] <= WIDE else int(x.index.max(initial=-1)) + 1
    else:
        if request.vocabulary is not None:
            data = every_number(request.vocabulary, data)
        found = matrix(raw(data, "examples"), "examples", "features")
        names = expert_names(found.shape[1], request.columns, "feature")
        x, rows, width = floats(found, names, first), found.shape[0], 0
    if request.interactions:
        raise BadInput("interactions: arrays have no names; pass a frame, or a list of dicts")
    batch = Batch(
        x,
        vector(raw(outcomes, "outcomes"), rows),
        first,
        None if by is None else keys(by, rows, first),
        None if weights is None else weights_of(weights, rows, first),
        width,
    )
    if checked:
        check(batch._replace(y=np.empty(0)), names, examples=True)
    return batch, names


def weights_of(weights: Any, rows: int, first: int = 0) -> Array:
    if isinstance(weights, str):
        raise BadInput(f"weights={weights!r} names a column, but arrays have none: pass one a row")
    h = floats(vector(raw(weights, "weights"), rows, "weights"), ["weights"], first)
    check_weights(h, "weights", first)
    return h


def keys_and_weights(request: ReadOptions, rows: int) -> tuple[Any, Any]:
    """Keys and weights, where they do not come from columns."""
    by, weights = request.by, request.weights
    key = None if by is None or isinstance(by, str) else keys(by, rows)
    return key, None if weights is None or isinstance(weights, str) else weights_of(weights, rows)


def stream_of_frame(data: Any, outcomes: Any, request: ReadOptions) -> Stream:
    frame = eager(data)
    rows = frame.shape[0]
    if not rows:
        raise BadInput("no rows in the frame")
    choice = choose(columns_of(frame, decimal=request.decimal), request)
    reader = ExampleReader(
        frame.columns, choice, request, str(getattr(outcomes, "name", None) or "outcome")
    )
    apart = None if outcomes is None else vector(raw(outcomes, "outcomes"), rows)
    reader.learn_labels([frame], [] if apart is None else [apart])
    key, h = keys_and_weights(request, rows)
    if reader.hashed:
        reader.look_for_text([frame])
    batch = reader.batch(frame, outcomes=apart, by=key, weights=h)
    stream = reader.stream([batch], rows, frame.implementation.name.lower())
    stream.whole = True
    odd = reader.notes_on_columns([frame], [] if apart is None else [apart])
    stream.notes = (*odd, *choice.notes, *reader.notes_on_outcome, *reader.notes)
    return stream


def times_of_records(records: Any, dates: tuple[str, ...]) -> Any:
    """When the rows were, by the first field of dates; None where there is none, or one is missing."""
    import pyarrow as pa

    if not dates:
        return None
    try:
        column = pa.array([record.get(dates[0]) for record in records])
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return None
    return times_of([pa.chunked_array([column])])


def stream_of_records(data: Any, outcomes: Any, request: ReadOptions) -> Stream:
    for i, record in enumerate(data):
        if not isinstance(record, Mapping):
            raise BadInput(f"row {i + 1} is of type {type(record).__name__}; the first is a dict")
    data = flat_records(data, 0)
    fields = fields_of(data)
    alone = stand_alone(fields, request)
    request, notes = choose_fields(fields, replace(request, apart=outcomes is not None))
    dates = dates_among(fields, request)
    if (alone or request.categories is not None) and form_table(data, fields):
        table = table_of(data, [c for c in fields if c.name not in dates])
        stream = stream_of_frame(table, outcomes, request)
        stream.source, stream.records, stream.notes = "dicts", True, (*notes, *stream.notes)
        stream.times = times_of_records(data, dates)
        return stream
    name = str(getattr(outcomes, "name", None) or "outcome")
    reader = RecordReader(request, name, unused=dates)
    apart = None if outcomes is None else vector(raw(outcomes, "outcomes"), len(data))
    rows = len(data)
    key, h = keys_and_weights(request, rows)
    reader.look_for_words(data)
    batch = reader.batch(data, outcomes=apart, by=key, weights=h)
    stream = Stream([], (), reader.outcome, source="dicts", notes=notes, features=True)
    stream.bits, stream.records = request.places, True
    stream.interactions = request.products
    stream.words, stream.ngram = reader.words, request.ngram
    stream = code_whole(stream, batch, request.coding)
    stream.notes = (*stream.notes, *reader.notes)
    return stream
