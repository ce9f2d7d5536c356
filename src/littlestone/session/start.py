"""The live learners that a session begins with: as many as there are copies, or the one of an earlier run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.errors import BadInput
from ..live.live import Live
from ..settings import Known, fitted
from .copies import refuse_copies

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..core.stream import Batch
    from ..encode.stream import Stream
    from .options import PlayOptions
    from .session import Session

    AnyLearner = Learner[Any, Any, Any, Any]


def begin_afresh(session: Session, batch: Batch) -> list[Live]:
    """As many live learners as there are copies, fitted to the first batch."""
    plan, how, learner = session.plan, session.how, session.requested
    copies = plan.delay + 1 if session.interleaved else 1
    rounds = -(-plan.expected // copies) if plan.expected else 0
    tuned_to = rounds
    if session.late and rounds:  # a single copy learns late: its rates are tuned to more rounds
        waits = rounds * plan.delay
        if plan.delays is not None:
            waits = plan.delays[plan.delays > 0].sum()
        tuned_to += int(learner.patience * float(waits))
    known = Known(
        n=len(session.names), rounds=tuned_to, interval=how.interval, labels=session.labels,
        found=session.found, names=session.names, batch=batch, whole=plan.whole,
        hashed=bool(session.stream.bits), table=session.stream.categories.coded,
    )  # fmt: skip
    s = fitted(learner, known, plan.losses)
    s.shape = s.shape._replace(T=rounds)
    session.remarks += known.remarks
    lives = [Live(s, seed=session.seed, which=session.which)]
    if copies > 1:
        refuse_copies(learner, lives[0], copies)  # before they are made
        lives += [Live(s, seed=session.seed, which=session.which) for _ in range(copies - 1)]
    return lives


def go_on(session: Session, batch: Batch) -> Live:
    """The live learner of an earlier run, where these rounds are of the kind it was trained on."""
    live = session.resumed
    assert live is not None
    if session.late and live.late_rounds is not None and live.late_rounds.t == live.t:
        session.waited = live.late_rounds
        live = live if session.waited.live is None else session.waited.live.copied()
    elif live.late_rounds is not None and live.late_rounds.live is None:
        lost = len(live.late_rounds.rounds[-1])
        session.remarks.append(
            f"it was saved before the outcomes of its last {lost:,} rounds had come: only a run with the same "
            "delay learns from them"
        )
    joined = live.joined_by(session.names)
    if joined is not live and session.waited is not None:
        raise BadInput(
            f"{session.names[len(live.names or ())]!r} cannot join {live.learner.key} while the outcomes of "
            f"{len(session.waited.rounds[-1]):,} earlier rounds are waited for: leave it out until they have come"
        )
    joined.setting.matches(batch, session.names)
    session.t = session.started = joined.t  # rounds go on being numbered, and drawn, from there
    session.seed = joined.seed
    return joined


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
