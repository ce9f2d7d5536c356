"""Open data of any kind (arrays, frames, files, iterators) as a Stream of rounds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.core.stream import Batch
from littlestone.encode.stream import Stream

from ..encode.categories import Categories
from ..encode.hashing import BITS, checked_bits
from ..encode.interactions import checked_interactions
from ..encode.label_codes import LabelCodes
from .tables.arrays import keys, raw, rounds, vector
from .tables.batches import cut
from .tables.coding import Coding
from .tables.columns import choose
from .tables.frames import Reader, eager, is_frame
from .tables.kinds import columns_of
from .tables.request import TableRequest, Trained
from .tables.times import labelled

if TYPE_CHECKING:
    from .files import OpenFile


def open_stream(
    data: object,
    outcomes: object = None,
    *,
    outcome: str | None = None,
    experts: Sequence[str] | str | None = None,
    by: object = None,
    losses: bool = False,
    labels: bool | str | Sequence[object] | None = None,
    batch_rows: int | None = None,
    checked: bool = True,
    examples: bool | None = False,
    features: Sequence[str] | str | None = None,
    weights: object = None,
    bits: int | None = BITS,
    interactions: Sequence[str] | str = (),
    on_bad_line: str = "error",
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    optional: bool = False,
    text: Sequence[str] | str | None = None,
    ngram: int = 1,
    vocabulary: Any = None,
    categories: Categories | None = None,
    trained: Trained | None = None,
) -> Stream:
    """Rounds from arrays, a frame, a file or an iterator of batches.

    data        T x n advice as an array or nested list; without outcomes, T x n losses;
                a pandas, polars or pyarrow frame; the path of a file: CSV, Parquet, JSON lines,
                ARFF, libsvm or VW text (.gz and .zst too; '-' is standard input); an iterator of
                (advice, outcomes), frames or Batches; a Stream, which is returned as it is
    outcomes    T outcomes, or the name of their column
    outcome     the name of the outcomes' column
    experts     names or globs of columns ('!glob' takes away); None: all the other numeric ones.
                With arrays, the names of the columns
    by          the column of keys; with arrays, T keys
    losses      the allocation game: the chosen columns are losses, and there is no outcome
    labels      True: advice and outcomes are classes, coded in their order; or the list of classes;
                "outcome": only the outcomes are, and the columns are features; "grow": likewise,
                and a class that comes later than the first batch is added (Stream.labels is then a
                list that grows); "classes": the same, though text may look like numbers; "auto": the
                same if outcomes look like classes, else numbers
    checked     False: numbers in arrays are not checked here, as the session checks them
    batch_rows  rows a batch; by default, all in one where data are in memory or fit there

    And for learners over examples:

    examples    True: the columns are features, not experts; data may also be a SciPy sparse matrix
                or a list of dicts. None: it depends on the format of a file, see `file_stream`
    features    what `experts` is for advice; None: all other columns of numbers or text
    weights     the column of importance weights (0: predicted, not learned); with arrays, T of them
    bits        names and text are hashed to 2^bits features (None: 2^18), and so are indices of
                libsvm that are larger (None: they are kept, and refused beyond 2^26)
    interactions  products of features: "colour:size" by name, or "cs" by first letters (of VW
                namespaces, in VW text)
    on_bad_line   "skip" counts the lines of a text file that cannot be read, and goes on
    format      of a file, if neither its name nor its first lines tell
    encoding    of a text file that is not UTF-8: "latin-1", "cp1252", …
    decimal     "." or ",": the mark before the fraction, where numbers that are written 1,250 could be
                read in two ways
    text        columns of text that are read as words, each a feature, lower-cased; None: those of
                sentences that are mostly different; all others are categories
    ngram       2: pairs of neighbouring words are features too, and so on
    vocabulary  what knows the numbers of places that the only feature names: the vertices of a graph.
                In tables every entry is a name, in arrays text is
    categories  columns of text that have few values are read as numbers (encode/categories.py), as the given
                `Categories` have them, or where these are empty as the first rows do; None: all text is hashed
    trained     what was trained on the columns that `experts` or `features` name: a feature that is missing, or
                holds no numbers any more, is refused, and an expert that is missing is passed over
    optional    True: where there is no outcome, none is known (NaN): rows that are to be predicted

    A table of numbers becomes a matrix. With a column of text it becomes sparse rows: a number is
    the feature that its column's name is hashed to, text the feature "column=text". A missing
    value is absent, that is 0, and a note says how many there are. Without `outcome`, the column
    called label, class, target, outcome or y is it, or else the last; a note says which.

    >>> stream = open_stream([[0, 1], [1, 1], [0.5, None]], [0, 1, 1])
    >>> stream.names, stream.rounds, stream.batches[0].x[2]
    (('expert 1', 'expert 2'), 3, array([0.5, nan]))
    >>> open_stream([["cat", "dog"], ["dog", "dog"]], ["cat", "dog"], labels=True).labels
    ('cat', 'dog')
    >>> stream = open_stream([{"colour": "red", "size": 2.5}], [1.0], examples=True)
    >>> stream.batches[0].x
    Rows(indptr=array([0, 2]), index=array([ 71674, 238209], dtype=int32), value=array([2.5, 1. ]))
    """
    if isinstance(outcomes, str):
        if outcome is not None:
            raise BadInput(f"outcomes={outcomes!r} and outcome={outcome!r}: name the column once")
        outcome, outcomes = outcomes, None
    if losses and outcomes is not None:
        raise BadInput("losses: with losses there is nothing to predict; leave the outcomes out")
    if losses and labels:
        raise BadInput("labels: losses are numbers, not classes; leave labels= out")
    if losses and examples:
        raise BadInput("losses: examples have outcomes, not losses; leave one of the two out")
    if batch_rows is not None and batch_rows < 1:
        raise BadInput(f"batch_rows must be at least 1, not {batch_rows}")
    request = TableRequest(
        outcome=outcome,
        experts=_names(experts, features),
        by=by if isinstance(by, str) else None,
        losses=losses,
        coding=_coding(labels, examples),
        apart=outcomes is not None,
        examples=bool(examples),
        weights=weights if isinstance(weights, str) else None,
        bits=checked_bits(bits),
        interactions=checked_interactions(interactions),
        on_bad_line=on_bad_line,
        format=format,
        encoding=encoding,
        decimal=checked_decimal(decimal),
        optional=optional,
        words=(text,) if isinstance(text, str) else None if text is None else tuple(text),
        ngram=checked_ngram(ngram),
        fold=bits is not BITS,
        vocabulary=vocabulary,
        categories=categories,
        trained=trained,
    )
    if isinstance(data, Stream):
        if outcomes is not None:
            raise BadInput("outcomes: a Stream brings its own; leave them out")
        return data
    kind = kind_of(data)
    if kind in ("file", "batches"):
        what = "an iterator of batches" if kind == "batches" else "a file"
        if outcomes is not None:
            raise BadInput(f"outcomes: {what} brings its own; name their column with outcome=")
        for role, given in (("by", by), ("weights", weights)):
            if given is not None and not isinstance(given, str):
                raise BadInput(f"{role}: with {what} it is the name of a column")
    elif kind == "":
        raise BadInput(
            f"data of type {type(data).__name__}: expected an array, a nested list, a frame, "
            "the path of a file, or an iterator of batches"
        )
    if kind != "file" and not examples and weights is not None:
        raise BadInput("weights: experts take no importance weights; they are for examples")
    if kind == "file":
        from .files import file_stream

        stream = file_stream(data, request, batch_rows, examples)  # type: ignore[arg-type]
    elif kind == "batches":
        from .tables.pieces import piece_stream

        stream = piece_stream(data, request)  # type: ignore[arg-type]
    elif examples:
        from .tables.examples import example_stream

        stream = example_stream(data, outcomes, request, by, weights, checked)
    elif kind == "frame":
        stream = _of_frame(data, outcomes, request, by)
    else:
        if outcome is not None and outcomes is None:
            raise BadInput(
                f"outcome={outcome!r} names a column, but arrays have none: pass outcomes"
            )
        outcome_name = outcome or "outcome"
        advice, y = (None, data) if outcomes is None else (data, outcomes)
        batch, names, coder = rounds(
            advice, y, names=request.experts, outcome=outcome_name, by=by,  # type: ignore[arg-type]
            coding=request.coding, checked=checked,
        )  # fmt: skip
        known = coder.known if coder else None
        stream = Stream([batch], names, outcome_name, len(batch.y), True, "arrays", (), known)
    stream.found = labels is None or isinstance(labels, bool | str)
    if kind in ("file", "batches"):
        return stream
    stream = labelled(stream, data, outcomes, kind == "frame")
    return stream if batch_rows is None else _cut(stream, batch_rows)


def holds_classes(
    file: OpenFile,
    *,
    outcome: str | None = None,
    by: str | None = None,
    features: Sequence[str] | str | None = None,
    weights: str | None = None,
    bits: int | None = BITS,
    interactions: Sequence[str] | str = (),
) -> bool:
    """Are the outcomes of a file classes, as far as they look like it?

    `open_stream` goes on with the rows that were read to find out. Raises LittlestoneError if the file cannot be read
    as examples.
    """
    request = TableRequest(
        outcome=outcome,
        experts=_names(None, features),
        by=by,
        examples=True,
        weights=weights,
        bits=checked_bits(bits),
        interactions=checked_interactions(interactions),
        on_bad_line=file.on_bad_line,
        format=file.format,
        fold=bits is not BITS,
    )
    return file.holds_classes(request)


def checked_decimal(decimal: object) -> str | None:
    if decimal is not None and decimal not in (".", ","):
        raise BadInput(f"decimal must be '.' or ',', not {decimal!r}")
    return None if decimal is None else str(decimal)


def checked_ngram(ngram: object) -> int:
    if not isinstance(ngram, int) or not 1 <= ngram <= 5:
        raise BadInput(f"ngram must be a whole number from 1 to 5, not {ngram!r}")
    return ngram


def _names(
    experts: Sequence[str] | str | None, features: Sequence[str] | str | None
) -> tuple[str, ...] | None:
    """`features` of examples or `experts` of advice, which mean the same; refuse both together."""
    if experts is not None and features is not None:
        raise BadInput("experts= and features=: name the columns once")
    names = features if experts is None else experts
    return (names,) if isinstance(names, str) else None if names is None else tuple(names)


def _coding(labels: bool | str | Sequence[object] | None, examples: bool | None) -> Coding | None:
    if labels is None or labels is False:
        return None
    advice = examples is False
    if isinstance(labels, str):
        if labels not in ("outcome", "grow", "auto", "classes"):
            raise BadInput(
                f"labels={labels!r}: True, 'outcome', 'grow', 'classes', 'auto', or the list of labels"
            )
        sure = labels == "classes"
        return Coding(advice=False, grow=labels != "outcome", auto=labels == "auto", sure=sure)
    return Coding(None if isinstance(labels, bool) else LabelCodes(labels), advice, sure=True)


def kind_of(data: object) -> str:
    """What holds the rounds: a "file", a "frame", "arrays", or "batches" one after another; "" if nothing of these."""
    if isinstance(data, np.ndarray):
        return "arrays"
    if isinstance(data, str | os.PathLike):
        return "file"
    if is_frame(data):
        return "frame"
    if isinstance(data, list | tuple):  # it may hold batches
        head = data[0] if data else None
        pair = isinstance(head, tuple) and len(head) > 1 and getattr(head[0], "ndim", 0) == 2
        return "batches" if pair or isinstance(head, Batch) or is_frame(head) else "arrays"
    if hasattr(data, "__array__") or hasattr(data, "tocsr"):
        return "arrays"
    several = isinstance(data, Iterable) and not isinstance(data, dict | set | bytes)
    return "batches" if several else ""


def _of_frame(data: object, outcomes: object, request: TableRequest, by: Any) -> Stream:
    frame = eager(data)
    if not frame.shape[0]:
        raise BadInput("no rows in the frame")
    choice = choose(columns_of(frame, decimal=request.decimal), request)
    outcome_name = str(getattr(outcomes, "name", None) or "outcome")
    reader = Reader(frame.columns, choice, request, outcome_name)
    apart = None if outcomes is None else vector(raw(outcomes, "outcomes"), frame.shape[0])
    reader.learn_labels([frame], [] if apart is None else [apart])
    key = None if by is None or request.by is not None else keys(by, frame.shape[0])
    odd = reader.notes_on_columns([frame], [] if apart is None else [apart])
    batch = reader.batch(frame, losses=request.losses, outcomes=apart, by=key)
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
    stream.batches = [cut(batch, i, min(i + rows, total)) for i in range(0, total, rows)]
    stream.whole = False
    return stream
