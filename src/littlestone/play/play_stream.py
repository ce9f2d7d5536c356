"""Play a learner over a stream of rounds: the one entry that everything else goes through.

    read_passes -> (by_key.play_by_key ->) Session.feed -> callbacks -> make_transcript -> Run

The steps do not know each other: passes lengthen the source, keys split it, and a session meets late outcomes, new
classes, records and whoever listens.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..core.costs import costs_of
from ..core.errors import BadInput
from ..core.transcript import Rounds
from ..core.vectors import Rows
from ..encode.compact_places import CompactPlaces
from ..engine.checks import array
from ..run.run import Run, Runs
from .batches import KeptBatches, gather
from .delay import NEVER, KeyDelays, delays, refuse_keys, refuse_more
from .options import PlayOptions
from .plan import Plan
from .session import Session
from .transcribe import make_transcript

if TYPE_CHECKING:
    from ..core.costs import Costs
    from ..core.learner import Learner
    from ..core.stream import Batch
    from ..encode.stream import Stream
    from .options import Importance

    AnyLearner = Learner[Any, Any, Any, Any]

AS_DECLARED = PlayOptions()


def play_stream(
    learner: AnyLearner, stream: Stream, options: PlayOptions = AS_DECLARED, *, allocation: bool
) -> Run | Runs:
    """Play from the beginning (or on from where `learner` is, with `resume`); never touches its argument.

    `allocation`: do rounds bring losses, and no outcomes? A stream with keys gives `Runs`.
    """
    if learner.needs_classes and stream.whole:
        stream.found = False
    if options.importance is not None:
        stream = weigh_rounds(stream, options.importance)
    if options.resume:
        refuse_resume(learner, stream, options)
    plan = make_plan(learner, stream, options, allocation)
    batches = read_passes(learner, stream, options)
    first = next(batches, None)
    if first is None:
        raise BadInput("there are no rounds to play")
    batches = itertools.chain([first], batches)
    if first[1].key is not None:
        if plan.delays is not None:
            refuse_keys()
        from .by_key import play_by_key

        return play_by_key(learner, stream, plan, batches)
    if isinstance(options.delay, KeyDelays):
        raise BadInput(f"delay: there are no keys; {options.delay.by!r} is the column of none")
    return play_batches(learner, stream, plan, batches)


def play_batches(
    learner: AnyLearner, stream: Stream, plan: Plan, batches: Iterator[tuple[int, Batch]]
) -> Run:
    """Play a learner over all batches; with each comes how often all were played before."""
    session = Session(learner, plan, stream)
    whole: Rounds | None = None  # all rounds, where they are in memory: one batch
    kept = KeptBatches(not stream.whole and learner.examples and plan.options.certify)
    for passes, batch in batches:
        batch = session.feed(batch, passes=passes)
        if stream.whole and not passes:
            whole = Rounds(batch.x, batch.y, batch.h)
        elif kept.wanted and not passes:
            kept.add(batch)
    if plan.delays is not None:
        refuse_more(plan.delays, session.t - session.started)
    session.setting.named_as(stream)
    data = gather(kept.batches) if kept.batches else whole
    return Run(make_transcript(session, data), stream)


def read_passes(
    learner: AnyLearner, stream: Stream, options: PlayOptions
) -> Iterator[tuple[int, Batch]]:
    """Every batch, with its indices in their places; and how often all were read before."""
    compact: CompactPlaces | None = None
    undecided = learner.examples  # do indices get places? That is decided when the first ones come
    for number in range(options.passes):
        again = stream.batches
        if number and not isinstance(again, list):
            if stream.again is None:
                raise BadInput(f"passes={options.passes}: {stream.source} can be read only once")
            again = stream.again()
        for batch in again:
            if undecided and (
                isinstance(batch.x, Rows) or options.by_key or learner.live is not None
            ):
                compact, undecided = compact_places(learner, stream, options), False
            if compact is not None:
                batch, stream.places = compact.batch(batch), compact.table
            yield number, batch


def compact_places(
    learner: AnyLearner, stream: Stream, options: PlayOptions
) -> CompactPlaces | None:
    """Make what gives indices with large gaps their places; None where names are hashed."""
    learners = (options.by_key or {0: learner}).values()
    known = [one.begun() for one in learners if one.live is not None]
    if stream.bits or any(live.bits for live in known):
        return None
    settings = [live.setting for live in known if live.sparse]
    tables: list[dict[Any, int]] = [s.features for s in settings if s.compact]
    if tables:
        longest = max(tables, key=lambda table: len(table))
        return CompactPlaces(dict(longest))
    room = max([s.shape.n - int(s.intercept) for s in settings], default=0)
    return CompactPlaces(None, room, sum(s.met for s in settings))


def make_plan(learner: AnyLearner, stream: Stream, options: PlayOptions, losses: bool) -> Plan:
    """The plan for all rounds of a stream."""
    by_key = isinstance(options.delay, KeyDelays)
    prompt = type(options.delay) is int and options.delay == 0  # outcomes come at once
    longest, each = 0, None
    if not (by_key or prompt):
        longest, each = delays(options.delay, stream.rounds, int(options.passes))
    costs = None
    if options.costs is not None or options.threshold is not None:
        costs = costs_of(options.costs, options.threshold)
        refuse_costs(learner, costs, stream, losses)
    return Plan(
        options,
        losses=losses,
        expected=options.horizon or (stream.rounds and stream.rounds * options.passes),
        delay=longest,
        delays=each,
        interleave=bool(longest or by_key) and takes_turns(options, each),
        whole=stream.whole,
        kept=stream.whole,
        costs=costs,
        outcome=f"outcome {stream.outcome!r}" if stream.outcome != "outcome" else "outcome",
    )


def takes_turns(options: PlayOptions, each: Any) -> bool:
    """With late outcomes: do copies take turns? `each`: the delay of each round.

    One copy is the default, though most theorems are about copies that take turns: of outcomes ten rounds late it
    makes much more (squint of five experts: a regret of 48 against 83, boa 36 against 59, hedge 143 against 138).
    """
    if options.interleave and each is not None and (each == NEVER).any():
        raise BadInput(
            "delay: a copy waits for its outcome before its next turn, and some never come: "
            "play with interleave=False, which keeps one copy"
        )
    if options.interleave and options.resume:
        raise BadInput(
            "resume and delay: one learner goes on, not copies of it that take turns: play with interleave=False"
        )
    return options.interleave


def refuse_costs(learner: AnyLearner, costs: Costs | None, stream: Stream, losses: bool) -> None:
    """Refuse costs where there are no probabilities to decide by, or a class is named that there is not."""
    if costs is None:
        return
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


def weigh_rounds(stream: Stream, importance: Importance) -> Stream:
    """The same rounds with importance weights, which must be in memory as the rounds are."""
    if not stream.whole or not isinstance(stream.batches, list) or len(stream.batches) != 1:
        raise BadInput(
            "importance: rounds from a file bring their own; name the column with weights="
        )
    h = array(importance, "importance", 1)
    batch = stream.batches[0]
    if len(h) != len(batch.y):
        raise BadInput(f"importance has {len(h)} weights; there are {len(batch.y)} rounds")
    if (
        stream.lags is not None and batch.h is not None
    ):  # rounds without an earlier outcome have none
        h = h * batch.h
    return replace(stream, batches=[batch._replace(h=h)])


def refuse_resume(learner: AnyLearner, stream: Stream, options: PlayOptions) -> None:
    """Refuse to go on where nothing was learned, or where names are hashed to another number of places."""
    if options.by_key is None and learner.live is None:
        raise BadInput(f"{learner.key} cannot resume: it has not seen a round yet")
    if not learner.examples:
        return
    one = next(iter(options.by_key.values())) if options.by_key else learner
    known = one.begun().bits
    if known and stream.bits and known != stream.bits:
        raise BadInput(
            f"{one.key} was trained on names hashed to 2^{known} places; here they are hashed to "
            f"2^{stream.bits}: bits={known} hashes them as then"
        )
