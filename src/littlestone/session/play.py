"""Play a learner over a stream of rounds: the one entry that everything else goes through.

    read_passes -> play_all, or by_key.play_by_key -> Session.feed -> callbacks -> finish_run

The steps do not know each other: passes lengthen the source, keys split it, and a session meets late outcomes, new
classes, records and whoever listens.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..core.errors import BadInput
from ..core.stream import Batch
from ..engine.checks import array
from ..run.run import Run, Runs
from .batches import KeptRounds, gather, read_passes
from .delay import KeyDelays, refuse_more
from .options import PlayOptions
from .plan import Plan, make_plan
from .session import Session
from .start import refuse_resume

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..encode.stream import Stream
    from .options import Importance

    AnyLearner = Learner[Any, Any, Any, Any]

AS_DECLARED = PlayOptions()


def play(
    learner: AnyLearner, stream: Stream, options: PlayOptions = AS_DECLARED, *, allocation: bool
) -> Run | Runs:
    """Play from the beginning (or on from where `learner` is, with `resume`); never touches its argument.

    `allocation`: do rounds bring losses, and no outcomes? A stream with keys gives `Runs`.
    """
    options.refuse_learner(learner)
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
    if first[1].key is None:
        return play_all(learner, stream, plan, batches)
    from .by_key import play_by_key

    return play_by_key(learner, stream, plan, batches)


def play_all(
    learner: AnyLearner, stream: Stream, plan: Plan, batches: Iterator[tuple[bool, Batch]]
) -> Run:
    """Play one learner over all rounds."""
    how = plan.options
    if isinstance(how.delay, KeyDelays):
        raise BadInput(f"delay: there are no keys; {how.delay.by!r} is the column of none")
    session = Session(learner, plan, stream)
    kept = KeptRounds(stream.whole, learner.examples and how.certify)
    for first, batch in batches:
        session.feed(batch)
        if first:
            kept.add(batch)
    if plan.delays is not None:
        refuse_more(plan.delays, session.t - session.started)
    session.setting.named_as(stream)
    return Run(session.finish(gather(kept.batches) if kept.batches else None), stream)


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
    return replace(stream, batches=[batch._replace(h=h)])
