"""The worked row, and the theorem that it names."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.guarantee import Symbols
from .compare import equal, near, need
from .subject import Subject, copied


def its_row(s: Subject, engine: str) -> None:
    """The row: decisions, predictions, loss, last state, and the value of the bound."""
    row = s.row
    need(row.y is not None, "the row has no rounds")
    run = None
    if row.arms is not None:
        learner = taught_by_row(s)
    else:
        run = s.play(row.x, row.y, **row.options)
        need(run.facts["engine"] == engine, f"the run was {run.facts['engine']}, not {engine}")
        learner = run.learner
        compare_run(s, run)
    for name, value in row.state.items():
        near(getattr(learner.state, name), value, f"state.{name}")
    if row.theorem is None or row.bound is None:
        return
    if row.symbols is not None:
        guarantee = next(g for g in s.learner.guarantees if g.id == row.theorem)
        near(guarantee.bound(Symbols(**row.symbols)), row.bound, row.theorem, rel=1e-6, abs=0.0)
    elif run is not None:
        verdict = next(v for v in run.certificate if v.guarantee.id == row.theorem)
        need(verdict.verdict == "kept", f"{row.theorem} is {verdict.verdict}: {verdict}")
        near(verdict.bound, row.bound, f"the bound of {row.theorem}", rel=1e-5, abs=1e-5)


def compare_run(s: Subject, run: Any) -> None:
    """A run over the row against what was worked out."""
    row = s.row
    if row.loss is not None:
        near(run.loss, row.loss, "loss")
    if row.predictions is not None:
        if s.kind.traits.action == "label":
            equal(run.predictions, row.predictions, "predictions")
        else:
            near(run.predictions, row.predictions, "predictions")
    if row.decisions is not None:
        worked = np.asarray(row.decisions, float)
        near(s.decisions(run), worked[: row.rounds], "decisions")
        if len(worked) > row.rounds:
            after = s.kind.ask(copied(run.learner), row.x, -1).decision
            near(after, worked[-1], "the decision after the last round")
    broken = [str(v) for v in run.certificate if v.verdict == "broken"]
    need(not broken, f"the run breaks a theorem: {broken}")


def taught_by_row(s: Subject) -> Any:
    """Teach a bandit the arms and losses of its row; check that its propensities are those of the row."""
    row, worked = s.row, np.asarray(s.row.decisions, float)
    features = 0 if row.x is None else int(np.size(row.x[0]))
    learner = s.made().start(worked.shape[1], features=features)
    for t, (arm, loss) in enumerate(zip(row.arms, row.y, strict=True)):
        x = None if row.x is None else row.x[t]
        near(learner.propensities(x), worked[t], f"propensities of round {t + 1}")
        learner.update(x, arm, loss)
    near(
        learner.propensities(None if row.x is None else row.x[-1]),
        worked[-1],
        "propensities after the last round",
    )
    return learner


def its_theorem(s: Subject, engine: str) -> None:
    """The row names one of its guarantees, each of which says what it promises, where, and of which source."""
    found = s.learner.guarantees
    ids = [g.id for g in found]
    need(len(set(ids)) == len(ids), f"two guarantees have one id: {ids}")
    if s.row.theorem is None:
        need(not found, f"the row names no theorem, and the learner has {ids}")
    else:
        need(s.row.theorem in ids, f"{s.row.theorem} is not among its guarantees, {ids}")
    for g in found:
        need(g.id and g.name and g.source, f"{g.id}: it needs an id, a name and a source")
        need(
            "<=" in g.statement or "at most" in g.statement, f"{g.id}: the statement bounds nothing"
        )
        modes = ("surely", "in expectation", "with probability 1 - delta")
        need(g.mode in modes, f"{g.id}: its mode is {g.mode!r}, none of {modes}")
