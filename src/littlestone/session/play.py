"""Play a learner over a stream of rounds: the one entry that everything else goes through."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.costs import costs_of
from ..core.errors import BadInput
from ..core.rows import join
from ..core.stream import Batch
from ..core.transcript import Rounds
from ..encode.compact_places import CompactPlaces
from ..encode.stream import Stream
from ..engine.checks import array
from ..engine.memory import arrays
from ..run.run import Run, Runs
from .delay import NEVER, KeyDelays, delays, refuse_keys, refuse_more
from .keys import FEW, keys_of, may_stack, taken
from .options import PlayOptions
from .plan import Plan
from .session import Session

if TYPE_CHECKING:
    from ..core.costs import Costs
    from ..core.learner import Learner

KEPT = 256 << 20  # bytes of examples from a file that are kept for the comparators
KEYED = (
    512 << 20
)  # bytes of a file with keys that are read before the first is played, to play many together


AS_DECLARED = PlayOptions()


def play(
    learner: Learner[Any, Any, Any, Any],
    stream: Stream,
    options: PlayOptions = AS_DECLARED,
    *,
    allocation: bool,
) -> Run | Runs:
    """Play from the beginning (or on from where `learner` is, with `resume`); never touches its argument.

    `allocation`: do rounds bring losses, and no outcomes?
    """
    options.refuse_learner(learner)
    delay, interleave, passes = options.delay, options.interleave, options.passes
    resume, by_key, costs = (
        options.resume,
        options.by_key,
        costs_of(options.costs, options.threshold),
    )
    certify, sink, checkpoint = options.certify, options.sink, options.checkpoint
    if learner.needs_classes and stream.whole:
        stream.found = False
    if costs is not None:
        refuse_costs(learner, costs, stream, allocation)
    if options.importance is not None:
        stream = weighted(stream, options.importance)
    if resume and learner.live is None and by_key is None:
        raise BadInput(f"{learner.key} cannot resume: it has not seen a round yet")
    by_delay = delay if isinstance(delay, KeyDelays) else None
    longest, each = delays(0 if by_delay else delay, stream.rounds, int(passes))
    if each is not None and interleave and (each == NEVER).any():
        raise BadInput(
            "delay: a copy waits for its outcome before its next turn, and some never come: "
            "play with interleave=False, which keeps one copy"
        )
    if resume and learner.examples:
        refuse_bits(next(iter(by_key.values())) if by_key else learner, stream)
    if resume and (longest or by_delay):
        if interleave:
            raise BadInput(
                "resume and delay: one learner goes on, not copies of it that take turns: play with interleave=False"
            )
        interleave = False
    if (
        interleave is None
    ):  # one copy where a theorem covers it, else interleaved copies, which any theorem covers
        interleave = each is None and not any(g.late for g in learner.guarantees)
    expected = options.horizon or (stream.rounds and stream.rounds * passes)

    plan = Plan(
        losses=allocation, expected=expected, certify=certify, seed=int(options.seed), record=options.record,
        delay=longest, delays=each, key_delays=by_delay, interleave=interleave, asleep=options.asleep,
        interval=options.interval, shifts=options.shifts, whole=stream.whole, kept=stream.whole,
        progress=options.progress, sink=sink, decisions=options.decisions, checkpoint=checkpoint,
        engine=options.engine, costs=costs,
        outcome=f"outcome {stream.outcome!r}" if stream.outcome != "outcome" else "outcome",
    )  # fmt: skip

    def session(plan: Plan, key: Any = None) -> Session:
        one = learner if by_key is None else by_key.get(key)
        live = one.begun().copied() if resume and one is not None else None
        return Session(learner, plan, stream, live)

    compact = compact_places(learner, stream, by_key) if learner.examples else None

    def placed(batch: Batch) -> Batch:
        if compact is not None:
            batch, stream.places = compact.batch(batch), compact.table
        return batch

    whole = stream.batches if stream.whole and isinstance(stream.batches, list) else None
    read = ((first, placed(batch)) for first, batch in repeated(stream, int(passes)))
    collected: Iterable[tuple[bool, Batch]] = []
    if whole and whole[0].key is not None and each is None and checkpoint is None:
        batches = [placed(batch) for batch in whole]
        found = by_keys(learner, stream, batches, plan, session, int(passes), resume)
        assert found is not None  # it is None only for files
        keep_others(found, by_key)
        return found
    once = (
        passes == 1 and not resume and stream.labels is None
    )  # labels of a file grow as it is read
    # a table in memory comes here too, where `sink` hears of its batches
    if whole is None and once and may_stack(learner, stream, plan):
        collected, complete = kept_rows(read)
        batches = [batch for _, batch in collected]
        if complete and len(names_in(batches)) > FEW:
            found = by_keys(learner, stream, batches, plan, session, 1, False)
            if found is not None:
                return found
        if sink is not None and batches and batches[-1].key is not None:
            collected = ((True, batch) for batch in sink.handed(batches))  # type: ignore[attr-defined]
    split: dict[Any, Session] = {}
    main: Session | None = None
    kept: list[Batch] = []
    size = 0
    for first, batch in itertools.chain(collected, read):
        if batch.key is None:
            if by_delay is not None:
                raise BadInput(f"delay: there are no keys; {by_delay.by!r} is the column of none")
            main = main or session(plan)
            main.feed(batch)
        elif each is not None:
            refuse_keys()
        else:
            keys = keys_of(batch)
            for k, key in enumerate(keys.names):
                if key not in split:
                    known = len(keys.rows(k)) if stream.whole else None
                    split[key] = session(one_key(plan, known, int(passes), key), key)
                split[key].feed(taken(batch, keys.rows(k)), batch.first + keys.rows(k))
            if checkpoint is not None:  # a checkpoint of one key alone would be of no use
                checkpoint.of_keys(split, batch.first + len(batch.y))
        if first and stream.whole:
            kept.append(batch)
        elif first and learner.examples and certify and size <= KEPT:
            size += weight(batch)
            kept.append(batch)
    if main is None and not split:
        raise BadInput("there are no rounds to play")
    refuse_more(each, main.t - main.started if main is not None else 0)
    complete = stream.whole or (learner.examples and certify and size <= KEPT)
    if main is not None:
        data = gathered(kept) if complete and kept[0].key is None else None
        main.setting.named_as(stream)
        return Run(main.finish(data, passes), stream)
    mine: dict[Any, list[Batch]] = {}
    rows: dict[Any, Any] = {}
    for batch in kept if complete else ():
        keys = keys_of(batch)
        for k, key in enumerate(keys.names):
            mine.setdefault(key, []).append(taken(batch, keys.rows(k)))
            if stream.whole:
                rows[key] = keys.rows(k)
    runs = Runs()
    for key, played in split.items():
        rounds = mine.get(key, [])
        runs.made[key] = finished(played, stream, key, rounds, passes, rows.get(key))
    keep_others(runs, by_key)
    return runs


def keep_others(runs: Runs, by_key: Mapping[Any, Learner[Any, Any, Any, Any]] | None) -> None:
    """Let the runs hold the learners of keys that have no round in this table: they are not lost."""
    if by_key is not None:
        runs.without_rounds = {key: one for key, one in by_key.items() if key not in runs}


def one_key(plan: Plan, rows: int | None, passes: int, key: Any) -> Plan:
    """The plan of one key, which has this number of rows."""
    delay = plan.delay if plan.key_delays is None else plan.key_delays.of(key)
    return replace(
        plan, expected=rows and rows * passes, kept=False, checkpoint=None, delay=delay, key_delays=None
    )  # fmt: skip


def finished(
    played: Session, stream: Stream, key: Any, rounds: list[Batch], passes: int, rows: Any = None
) -> Run:
    """The run of one key; `rounds`: those that were kept of it."""
    data = gathered(rounds) if rounds and played.requested.examples else None
    played.setting.named_as(stream)
    run = Run(played.finish(data, passes), stream)
    run.label, run.rows = f"{run.label}, {key}", rows
    return run


def kept_rows(read: Iterator[tuple[bool, Batch]]) -> tuple[list[tuple[bool, Batch]], bool]:
    """The batches of a file with keys, as long as they take little memory; and whether that is all of them."""
    found: list[tuple[bool, Batch]] = []
    size = 0
    for first, batch in read:
        found.append((first, batch))
        size += weight(batch)
        if batch.key is None or size > KEYED:
            return found, False
    return found, bool(found)


def names_in(batches: list[Batch]) -> set[Any]:
    """The keys of some batches."""
    return {key for batch in batches if batch.key is not None for key in batch.key.tolist()}


def by_keys(
    learner: Learner[Any, Any, Any, Any],
    stream: Stream,
    batches: list[Batch],
    plan: Plan,
    session: Callable[[Plan, Any], Session],
    passes: int,
    resume: bool,
) -> Runs | None:
    """The runs of all keys of a table in memory: together where states can be stacked, else one after the other.

    None where they cannot be stacked and `plan.sink` must hear of each batch by itself.
    """
    batch = batches[0] if len(batches) == 1 else joined(batches)
    keys = keys_of(batch)
    if not keys.names:
        raise BadInput("there are no rounds to play")
    ends = np.cumsum([len(b.y) for b in batches])  # of the batches that the table was read in
    numbers = np.concatenate([b.first + np.arange(len(b.y)) for b in batches])

    heard = hasattr(plan.sink, "together")
    quiet = replace(plan, sink=None) if heard else plan

    def alone(k: int) -> Run:
        key, rows = keys.names[k], keys.rows(k)
        one = session(one_key(quiet, len(rows) if stream.whole else None, passes, key), key)
        cuts = np.unique(np.searchsorted(rows, ends[:-1]))
        parts = [part for part in np.split(rows, cuts) if len(part)]
        mine = [taken(batch, part) for part in parts]
        for _ in range(passes):
            for piece, part in zip(mine, parts, strict=True):
                one.feed(piece, numbers[part])
        return finished(one, stream, key, mine, passes, rows if stream.whole else None)

    many = len(keys.names) > FEW and passes == 1 and not resume
    if many and may_stack(learner, stream, plan):
        from .keyed import play_stacked

        # how many rows of each key came in the first batch that has any
        until = ends[np.searchsorted(ends, keys.order[keys.first[:-1]], "right")]
        early = keys.order < np.repeat(until, keys.counts)
        heads = np.add.reduceat(early.astype(np.int64), keys.first[:-1])
        found = play_stacked(learner, stream, batch, numbers, keys, heads, plan, alone)
        if found is not None:
            if heard:
                plan.sink.together(found, batches)  # type: ignore[union-attr]
            return found
    if heard:
        return None
    return Runs({key: alone(k) for k, key in enumerate(keys.names)})


def joined(batches: list[Batch]) -> Batch:
    """Batches with keys as one."""
    y = np.concatenate([b.y for b in batches])
    x = None if batches[0].x is None else gathered(batches).x
    weighted = any(b.h is not None for b in batches)
    h = np.concatenate([np.ones(len(b.y)) if b.h is None else b.h for b in batches])
    key = np.concatenate([b.key for b in batches if b.key is not None])
    return Batch(x, y, batches[0].first, key, h if weighted else None)


def gathered(kept: list[Batch]) -> Rounds:
    """Batches as one; many are joined in pairs, so that no row is copied more than a few times."""
    parts = [b.x for b in kept]
    while len(parts) > 1:
        pairs = [parts[i : i + 2] for i in range(0, len(parts), 2)]
        parts = [join(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    if len(kept) == 1:
        return Rounds(parts[0], kept[0].y, kept[0].h)
    y, weighted = np.concatenate([b.y for b in kept]), any(b.h is not None for b in kept)
    weights = [np.ones(len(b.y)) if b.h is None else b.h for b in kept] if weighted else []
    return Rounds(parts[0], y, np.concatenate(weights) if weighted else None)


def refuse_costs(
    learner: Learner[Any, Any, Any, Any], costs: Costs, stream: Stream, losses: bool
) -> None:
    """Refuse costs where there are no probabilities to decide by, or a class is named that there is not."""
    traits = learner.game(losses).traits()
    what = "costs" if costs.threshold is None else "threshold"
    if not learner.examples or not traits.scores or not traits.classes:
        raise BadInput(
            f"{what}: {learner.key} has no probabilities of classes to decide by; logistic, softmax and "
            "online-linear have"
        )
    if stream.whole and stream.labels is not None:
        costs.refuse_unknown(stream.labels)
        costs.matrix(list(stream.labels))


def refuse_bits(learner: Learner[Any, Any, Any, Any], stream: Stream) -> None:
    """Refuse a stream that hashes names to another number of places than the learner was trained with."""
    known = learner.begun().bits
    if known and stream.bits and known != stream.bits:
        raise BadInput(
            f"{learner.key} was trained on names hashed to 2^{known} places; here they are hashed to "
            f"2^{stream.bits}: bits={known} hashes them as then"
        )


def compact_places(
    learner: Learner[Any, Any, Any, Any], stream: Stream, by_key: Any
) -> CompactPlaces | None:
    """Make what gives indices with large gaps their places; None where names are hashed."""
    known = [one for one in (by_key or {0: learner}).values() if one.live is not None]
    if stream.bits or any(one.begun().bits for one in known):
        return None
    settings = [one.begun().setting for one in known if one.begun().sparse]
    tables: list[dict[Any, int]] = [s.features for s in settings if s.compact]
    if tables:
        longest = max(tables, key=lambda table: len(table))
        return CompactPlaces(dict(longest))
    room = max([s.shape.n - int(s.intercept) for s in settings], default=0)
    return CompactPlaces(None, room, sum(s.met for s in settings))


def weighted(stream: Stream, importance: Any) -> Stream:
    """The same rounds with importance weights, which must be in memory as the rounds are."""
    if not stream.whole or not isinstance(stream.batches, list) or len(stream.batches) != 1:
        raise BadInput(
            "importance: rounds from a file bring their own; name the column with weights="
        )
    h = array(importance, "importance", 1)
    batch = stream.batches[0]
    if len(h) != len(batch.y):
        raise BadInput(f"importance has {len(h)} weights; there are {len(batch.y)} rounds")
    return replace(stream, batches=[batch._replace(h=h)])


def repeated(stream: Stream, passes: int) -> Iterator[tuple[bool, Batch]]:
    """All batches, `passes` times, each with whether this is the first pass."""
    for batch in stream.batches:
        yield True, batch
    for _ in range(passes - 1):
        if isinstance(stream.batches, list) or stream.again is not None:
            for batch in stream.batches if isinstance(stream.batches, list) else stream.again():  # type: ignore[misc]
                yield False, batch
        else:
            raise BadInput(f"passes={passes}: {stream.source} can be read only once")


def weight(batch: Batch) -> int:
    """Bytes that a batch takes."""
    return sum(v.nbytes for v in arrays([batch.x, batch.y, batch.h]))
