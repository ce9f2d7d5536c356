"""Measure the probabilities of a chunk, and the decisions that are made by them, against what came."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.game import SEVERAL
from ..core.probabilities import of_scores, of_two
from ..core.rows import are_units
from ..hindsight.folds.reliability import BLOCK, Reliability, Said

if TYPE_CHECKING:
    from ..engine.loops import Out
    from ..settings import Setting
    from .plan import Plan
    from .session import Session


def begin_measure(s: Setting, plan: Plan) -> Reliability | None:
    """Where probabilities are measured; None where there are none, or nothing of a run is kept."""
    if not s.traits.kind.has_examples or not s.traits.scores or not s.traits.classes:
        return None
    how = plan.options
    nothing = how.record == "none" and not how.certify and plan.costs is None
    return None if nothing else Reliability(plan.costs, plan.expected or 0)


def measure(session: Session, into: Reliability, y: Any, out: Out) -> None:
    """Fold a chunk, all of whose decisions were kept."""
    s: Any = session.setting
    rows, (k, costs) = len(out.costs), (out.decisions.shape[1], into.costs)
    codes = s.recode_outcomes(y.y) if s.late else y.y
    labels = [s.coder.label(c) for c in range(len(s.coder))]
    names = list(session.labels) if s.late else labels
    step = max(1, BLOCK // k)  # so few that they stay in the cache
    # does every round have an outcome, and count?
    complete = are_units(y.h) and not np.isnan(y.y.sum())
    for part in (slice(at, at + step) for at in range(0, rows, step)):
        places, h = y.y[part], y.h[part]
        there: Any = slice(None)
        if not complete:
            there = ~np.isnan(places) & (h > 0.0)
            if there.all():
                there = slice(None)
        places, h = places[there].astype(np.int64), h[there]
        if not len(places):
            continue
        two = s.traits.classes == 2
        if two:
            into.add_two(of_two(out.decisions[part, 0][there]), places, h, names)
        else:
            into.add_outcomes(places, h, names)
        if two and costs is None:
            continue
        unseen = s.coder.unseen(session.t + np.arange(rows)[part][there])
        said = what_was_said(
            s.traits.classes, out.decisions[part][there], out.actions[part, 0][there], codes[part][there], unseen, h
        )  # fmt: skip
        if not two:
            into.add(said)
        if costs is not None:
            into.add_costs(said, places, labels, names)


def what_was_said(classes: int, W: Any, label: Any, codes: Any, unseen: Any, h: Any) -> Said:
    """Probabilities and outcomes of some rounds, from scores (NaN: a class was not known) and codes (NaN: likewise)."""
    p = of_scores(W, classes, unseen)
    known = np.ones(p.shape, bool)
    if classes == SEVERAL:
        known = ~np.isnan(W)
        p = np.where(known, p, 0.0)
    rows, k = p.shape
    named = ~np.isnan(codes) & (codes < k)
    truth = np.where(named, codes, 0.0).astype(np.int64)
    named &= known[np.arange(rows), truth]
    return Said(p, known, unseen, label, np.where(named, truth, -1), h)
