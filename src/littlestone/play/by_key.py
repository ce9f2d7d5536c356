"""Play each key of a stream with a learner of its own: together where states can be stacked, else one by one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Batch
from ..run.run import Run, Runs
from .batches import KEPT, KeptBatches, count_bytes, gather, join_batches
from .callbacks import KeyedSink
from .keys import FEW, keys_of, may_stack, take_rows
from .session import Session
from .transcribe import make_transcript

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..encode.stream import Stream
    from ..run.keyed import KeyedRuns
    from .plan import Plan

    AnyLearner = Learner[Any, Any, Any, Any]

KEYED = (
    512 << 20
)  # bytes of a file with keys that are read before the first is played, to play many together

Read = Iterator[tuple[int, Batch]]  # batches, and how often all were read before


def play_by_key(learner: AnyLearner, stream: Stream, plan: Plan, read: Read) -> Runs:
    """A run of each key; learners of keys that have no round in this table are held beside the runs."""
    how = plan.options
    together = how.passes == 1 and not how.resume and may_stack(learner, stream, plan)
    found = None
    if stream.whole and isinstance(stream.batches, list) and how.checkpoint is None:
        batches = [batch for _, batch in itertools.takewhile(lambda pair: not pair[0], read)]
        runs = KeyTable(learner, stream, plan, batches).play(together)
    else:
        # labels of a file grow as it is read; a table in memory comes here too, where `sink` hears of its batches
        if together and stream.labels is None:
            found, read = try_stacked(learner, stream, plan, read)
        runs = play_split(learner, stream, plan, read) if found is None else found
    if not len(runs):
        raise BadInput("there are no rounds to play")
    held = how.by_key or {}
    runs.without_rounds = {key: one for key, one in held.items() if key not in runs}
    return runs


def try_stacked(
    learner: AnyLearner, stream: Stream, plan: Plan, read: Read
) -> tuple[KeyedRuns | None, Read]:
    """The runs of a file whose keys can be played together; or None, and its batches as before."""
    batches, size = [], 0
    for _, batch in read:
        batches.append(batch)
        size += count_bytes(batch)
        if size > KEYED:
            break
    sink, runs = plan.options.sink, None
    if size <= KEYED:
        runs = KeyTable(learner, stream, plan, batches).play_stacked()
    if runs is not None and isinstance(sink, KeyedSink):
        sink.together(runs, batches)
    again: Iterable[Batch] = sink.handed(batches) if isinstance(sink, KeyedSink) else batches
    return runs, itertools.chain(((0, batch) for batch in again), read)


def play_split(learner: AnyLearner, stream: Stream, plan: Plan, read: Read) -> Runs:
    """Split each batch by key; each key has a session of its own."""
    how, own = plan.options, plan
    if how.checkpoint is not None:  # a checkpoint of one key alone would be of no use
        own = replace(plan, options=replace(how, checkpoint=None))
    sessions: dict[Any, Session] = {}
    wanted = stream.whole or (learner.examples and how.certify)
    kept = KeptBatches(wanted, math.inf if stream.whole else KEPT)
    for passes, batch in read:
        keys = keys_of(batch)
        filled = None if batch.gaps is None else batch.x.copy()
        for k, key in enumerate(keys.names):
            rows = keys.rows(k)
            if key not in sessions:
                mine = own.for_key(key, len(rows) if stream.whole else None)
                sessions[key] = Session(learner, mine, stream, key)
            played = sessions[key].feed(take_rows(batch, rows), batch.first + rows, passes)
            if filled is not None:
                filled[rows] = played.x
        if how.checkpoint is not None:
            how.checkpoint.of_keys(sessions, batch.first + len(batch.y))
        if not passes:
            kept.add(batch if filled is None else batch._replace(x=filled))
    pieces, places = part_by_key(kept.batches, stream.whole)
    runs = Runs()
    for key, session in sessions.items():
        runs.made[key] = finish_key(session, key, pieces.get(key, []), places.get(key))
    return runs


def part_by_key(batches: list[Batch], whole: bool) -> tuple[dict[Any, list[Batch]], dict[Any, Any]]:
    """The rounds of each key; and where they are in the table, where that is `whole` in one batch."""
    pieces: dict[Any, list[Batch]] = {}
    places: dict[Any, Any] = {}
    for batch in batches:
        keys = keys_of(batch)
        for k, key in enumerate(keys.names):
            pieces.setdefault(key, []).append(take_rows(batch, keys.rows(k)))
            if whole:
                places[key] = keys.rows(k)
    return pieces, places


def finish_key(session: Session, key: Any, kept: list[Batch], rows: Any) -> Run:
    """The run of one key; `kept`: its rounds, where they were kept, and `rows`: where they are in the table."""
    session.setting.named_as(session.stream)
    data = gather(kept) if kept and session.requested.examples else None
    run = Run(make_transcript(session, data), session.stream)
    run.label, run.rows = f"{run.label}, {key}", rows
    return run


class KeyTable:
    """A table with keys that is in memory, and a learner for each of them."""

    def __init__(
        self, learner: AnyLearner, stream: Stream, plan: Plan, batches: list[Batch]
    ) -> None:
        self.learner, self.stream, self.plan = learner, stream, plan
        if isinstance(plan.options.sink, KeyedSink):  # it takes all rows at once
            self.plan = replace(plan, options=replace(plan.options, sink=None))
        self.batch = join_batches(batches)
        self.keys = keys_of(self.batch)
        self.ends = np.cumsum([len(b.y) for b in batches])  # of the batches that it was read in
        self.numbers = np.concatenate([b.first + np.arange(len(b.y)) for b in batches])

    def play(self, together: bool) -> Runs:
        """Play all keys: in one loop where that is wanted and possible."""
        found = self.play_stacked() if together else None
        return self.play_each() if found is None else found

    def play_each(self) -> Runs:
        """Play one key after the other."""
        return Runs({key: self.play_key(k) for k, key in enumerate(self.keys.names)})

    def play_key(self, k: int) -> Run:
        """Play one key by itself, in the pieces that its rows were read in."""
        key, rows, whole = self.keys.names[k], self.keys.rows(k), self.stream.whole
        plan = self.plan.for_key(key, len(rows) if whole else None)
        session = Session(self.learner, plan, self.stream, key)
        cuts = np.unique(np.searchsorted(rows, self.ends[:-1]))
        parts = [part for part in np.split(rows, cuts) if len(part)]
        mine = [take_rows(self.batch, part) for part in parts]
        kept: list[Batch] = []
        for number in range(plan.options.passes):
            played = [
                session.feed(one, self.numbers[part], number)
                for one, part in zip(mine, parts, strict=True)
            ]
            kept = kept if number else played
        return finish_key(session, key, kept, rows if whole else None)

    def play_stacked(self) -> KeyedRuns | None:
        """Play all keys in one loop; None where they are few, or something about their rounds is unusual."""
        keys, ends = self.keys, self.ends
        if len(keys.names) <= FEW:
            return None
        from .keyed import play_stacked

        # how many rows of each key came in the first batch that has any
        until = ends[np.searchsorted(ends, keys.order[keys.first[:-1]], "right")]
        early = keys.order < np.repeat(until, keys.counts)
        heads = np.add.reduceat(early.astype(np.int64), keys.first[:-1])
        return play_stacked(
            self.learner, self.stream, self.batch, self.numbers, keys, heads, self.plan, self.play_key
        )  # fmt: skip
