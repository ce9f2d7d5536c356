"""The transcript of a session, after its last round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.transcript import Copy, Rounds, Transcript
from ..encode.labels import look_alikes
from .copies import settle_late
from .delay import AT_ONCE
from .sizes import refuse_small

if TYPE_CHECKING:
    from ..settings import Setting
    from .session import Session


def make_transcript(session: Session, data: Rounds | None) -> Transcript:
    """Learn from outcomes that are still to come, and say what happened; `data`: the rounds, where they were kept."""
    if session.late:
        learn_from_the_rest(session)
    plan, how, kept = session.plan, session.how, session.records
    s = session.setting
    if session.classes.coming:
        s = session.classes.final_setting(s)
    if s.learner.smallest:
        refuse_small(session)
    # Certificates alone are made of notes. To sum up a large state, BLAS wakes threads that go on waiting for
    # 25 ms: a tenth of the time in which 300,000 sparse examples are read and learned.
    if session.learner.diagnostics and how.certify:
        for one in session.copies:
            session.params.write_diagnostics(one.live.row.state, one.notes)
    if session.late:
        end_trace(session)
    asleep = session.facts.pop("asleep")
    del session.facts["rounds before"]
    remarks = session.remarks
    if session.labels is not None:
        remarks = [*remarks, *look_alikes(session.labels)]
    if session.reliability is not None:
        remarks = [*remarks, *session.reliability.strangers()]
    return Transcript(
        session.learner, session.requested, s, session.names, session.copies, session.folds,
        actions=kept.actions, costs=kept.costs, realised=kept.realised, decisions=kept.decisions,
        facts=session.facts, remarks=remarks, t=session.t, started=session.started,
        resumed=session.resumed is not None, seconds=session.seconds, delay=plan.delay, delays=plan.delays,
        interleaved=session.interleaved, waiting=session.past.symbols() if session.late else AT_ONCE,
        certify=how.certify, seed=session.seed, engine=session.engine, data=data, passes=how.passes,
        small=session.size.small, interval=how.interval, slept=s.slept,
        asleep=asleep if np.any(asleep) else None, compiling=session.compiling,
        last_weights=find_last_weights(s, session.copies) if data is not None and s.traits.kind.has_examples else [],
        reliability=session.reliability,
    )  # fmt: skip


def learn_from_the_rest(session: Session) -> None:
    """Learn from outcomes that come after the last round; the learner keeps what it was before, for a later run."""
    live = session.copies[0].live
    later = session.late_rounds(live.copied() if len(session.past) else None)
    settle_late(session)
    live.late_rounds = later


def find_last_weights(s: Setting, copies: list[Copy]) -> list[Any]:
    """Linear predictors that a run came to, where mistakes count: the last weights of each copy, and their average."""
    traits = s.traits
    if not (traits.classes == 2 and traits.counts_mistakes) or traits.draws:
        return []
    known = []
    for c in copies:
        state = c.live.row.state
        combined = s.learner.coefficients(state)
        if combined is None:  # its weights alone are not what it predicts with
            continue
        own = state.w if "w" in state._fields else None
        known += [own] if combined is own else [own, combined]
    shaped = [w for w in known if isinstance(w, np.ndarray) and w.shape == (s.shape.n,)]
    return [w.copy() for w in shaped if np.isfinite(w).all()]


def end_trace(session: Session) -> None:
    """Let the trace of a late run end with the notes after all outcomes were learned from."""
    blocks = session.folds.trace.blocks
    last = blocks[-1] if blocks else None
    if last is not None and "notes" in last.columns and len(last.t) and last.t[-1] == session.t:
        last.columns["notes"][-1] = session.copies[0].notes
