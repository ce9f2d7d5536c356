"""Streams in which the outcomes of earlier rows are features: lags, of each key its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Batch
from ..core.vectors import Rows
from ..encode.lags import Lags, list_lags
from ..encode.stream import Stream
from ..streams.tables.regular_times import shortest_season
from .delay import KeyDelays, delays
from .keys import keys_of
from .named_columns import change_batches
from .request import Request
from .task import NOTHING_ELSE

FIRST = (1, 2, 3)  # lags where none are named, beside those of a season


def trained_lags(request: Request) -> Lags | None:
    """The lags of a learner that goes on, or of those by key; None where none goes on.

    Refused where it has none, or others are asked for.
    """
    if not request.play.resume:
        return None
    many, rows, key = request.play.by_key, request.read.rows_back, request.learner.key
    learners = [request.learner] if many is None else list(many.values())
    begun = [one.live.setting.lags for one in learners if one.live is not None]
    lags = next((one for one in begun if one is not None), None)
    if lags is None and begun:
        raise BadInput(f"lags: {key} was trained without; leave them out, or begin afresh")
    if lags is not None and rows != lags.rows:
        said = list_lags(lags.rows)
        raise BadInput(f"lags: {key} was trained with {said}; leave lags out, or begin afresh")
    return lags


def longest_delay(request: Request) -> int:
    """How many rounds late outcomes are at most."""
    late = request.play.delay
    if isinstance(late, KeyDelays):
        raise BadInput(
            "lags: with a delay for each key they are not known; play each key by itself"
        )
    return delays(late, None)[0]


def refuse_late(rows: tuple[int, ...], late: int) -> None:
    """Refuse a lag whose outcome is not known yet when the prediction is due."""
    if rows[0] <= late:
        raise BadInput(
            f"lags: the outcome {rows[0]} row{'s' * (rows[0] > 1)} before is not known yet with delay={late}; the "
            f"least lag is {late + 1}"
        )


def with_lags(request: Request, stream: Stream) -> Stream:
    """The stream with lags as features: those that were asked for, or, as there is nothing else, the usual ones."""
    rows, note = request.read.rows_back, ""
    if stream.labels is not None:
        refuse_classes(request, stream)
    trained = trained_lags(request)
    if rows is None:
        rows, note = usual_lags(stream, longest_delay(request))
    refuse_late(rows, longest_delay(request))
    if trained is None and stream.rounds is not None and rows[-1] >= stream.rounds:
        raise BadInput(
            f"lags: {rows[-1]} rows back, and there are {stream.rounds:,}: lags are smaller than the number of rows"
        )
    text = stream.categories.columns
    place = stream.categories.coded if text else len(stream.names)
    # rows that are to be predicted may have no outcome
    outcome = trained.outcome if trained is not None and request.read.optional else stream.outcome
    made = add_lags(stream, Lags(rows, outcome, place), memories(request))
    if note:
        made.notes, made.why = (note, *stream.notes), NOTHING_ELSE
    return made


def refuse_classes(request: Request, stream: Stream) -> None:
    """Refuse outcomes that are classes, which have no lags."""
    learner, taken = request.learner, f"{stream.outcome!r} is taken for a class"
    if learner.labels and learner.for_numbers() is None:
        raise BadInput(
            f"lags: {learner.key} tells classes apart, and lags are of outcomes that are numbers; online-linear "
            "predicts those"
        )
    alone = "; there is nothing else to learn from" if stream.bare else ""
    raise BadInput(
        f"lags: outcomes that are classes have none, and {taken}; task='regression' makes it a number{alone}"
    )


def usual_lags(stream: Stream, late: int) -> tuple[tuple[int, ...], str]:
    """Lags where none are named: the last three outcomes, those a season before, and a note that says so.

    What comes after the season's place, one row further back, says how the outcome went on from there then.
    """
    times = times_of_one_key(stream)
    season, words = (0, "") if times is None else shortest_season(times)
    near = [late + k for k in FIRST]
    while 0 < season <= late:
        season += season
    every = sorted({*near, *((season, season + 1) if season else ())})
    if stream.rounds is not None:
        every = [k for k in every if k < stream.rounds] or [late + 1]
    why = f" (rows are {words}, and a season is {season} of them)" if season else ""
    note = (
        f"{stream.outcome!r} is learned from what it was {list_lags(tuple(every))}{why}: {NOTHING_ELSE}; "
        "lags=[1, 2] takes other rows"
    )
    return tuple(every), note


def times_of_one_key(stream: Stream) -> Any:
    """When the rows of the first key were, or all rows where there are no keys; None where that is not known."""
    times = stream.first_times if stream.times is None else stream.times
    if times is None or not isinstance(stream.batches, list) or stream.batches[0].key is None:
        return times
    key = stream.batches[0].key
    return times[: len(key)][key[: len(times)] == key[0]]


def refuse_gaps(stream: Stream, lags: Lags, learner: str) -> None:
    """Refuse rows to be predicted whose nearest outcome is not known: it lies among them, and is missing."""
    near = lags.rows[0]
    missing: list[int] = []  # the first row without an outcome

    def check(batch: Batch) -> Batch:
        missing.extend((np.flatnonzero(np.isnan(batch.y))[:1] + batch.first).tolist())
        last = batch.first + len(batch.y) - 1
        if missing and last >= missing[0] + near:
            raise BadInput(
                f"row {missing[0] + near + 1}: {learner} predicts from {lags.outcome!r} "
                f"{near} row{'s' * (near > 1)} before, which is missing in row {missing[0] + 1}; learn from that row "
                "first, or train with larger lags"
            )
        return batch

    change_batches(stream, check)


Memories = Callable[[Any], Lags | None]  # what is remembered of a key, from an earlier run


def memories(request: Request) -> Memories:
    """What learners that go on remember, by key (None: there are no keys)."""
    if not request.play.resume:
        return lambda key: None
    by_key: Mapping[Any, Any] = request.play.by_key or {None: request.learner}
    kept = {k: one.live.setting.lags for k, one in by_key.items() if one.live is not None}
    return lambda key: kept.get(key)


def add_lags(stream: Stream, lags: Lags, known: Memories) -> Stream:
    """The stream with these lags as features of its rounds; a row before the first outcome has no weight."""

    def lagged(batches: Iterable[Batch]) -> Iterator[Batch]:
        remembered: dict[Any, Lags] = {}
        for batch in batches:
            if isinstance(batch.x, Rows):
                raise BadInput(
                    "lags: these features are sparse (text of many values, or records that differ), and lags stand "
                    "beside columns of numbers and text of few values; name such columns with features= (--features)"
                )
            yield lag_batch(batch, lags, known, remembered)

    again, names = stream.again, stream.names
    batches: Any = lagged(stream.batches)
    return replace(
        stream,
        batches=list(batches) if isinstance(stream.batches, list) else batches,
        again=None if again is None else lambda: lagged(again()),
        names=(*names[: lags.place], *lags.names, *names[lags.place :]),
        lags=lags,
    )


def lag_batch(batch: Batch, lags: Lags, known: Memories, remembered: dict[Any, Lags]) -> Batch:
    """A batch with lags; `remembered`: what each key needs for its next rows."""

    def memory(key: Any) -> Lags:
        if key not in remembered:
            before = known(key)
            remembered[key] = lags.afresh() if before is None else before.copied()
        return remembered[key]

    if batch.key is None:
        columns, there = memory(None).take(batch.y)
    else:
        columns, there = np.empty((len(batch.y), len(lags.rows))), np.empty(len(batch.y), bool)
        keys = keys_of(batch)
        for k, key in enumerate(keys.names):
            rows = keys.rows(k)
            columns[rows], there[rows] = memory(key).take(batch.y[rows])
    h = batch.h
    if not there.all():
        h = np.where(there, 1.0 if h is None else h, 0.0)
    return batch._replace(x=np.ascontiguousarray(lags.insert(batch.x, columns)), h=h)
