"""What the theorems say of intervals that go on from a file: over all rounds since the first one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.guarantee import Certificate, Symbols, Verdict, judge
from ...core.named_tuples import field_or_none
from ...run.run import Run


def resumed_certificate(run: Run) -> Certificate:
    """The verdicts on a run that began with another file.

    A run alone cannot judge theorems that count from the first round. A learner of sets notes the largest excess of its
    misses, and how many rounds it has learned from: with its parameters and the delay, which was the same throughout,
    that is all that most of them need.
    """
    learner, transcript = run.learner, run.transcript
    state: Any = learner.begun().state
    T = field_or_none(field_or_none(state, "record") or state, "rounds")
    if T is None:
        return run.certificate
    notes = np.zeros(len(learner.diagnostics))
    learner.params.write_diagnostics(state, notes)
    known = {
        **learner.parameters,
        **dict(zip(learner.diagnostics, notes.tolist(), strict=True)),
        "T": int(T),
        "crowd": transcript.delay,
    }
    made: list[Verdict] = []
    for g in learner.guarantees:
        s = Symbols(**known)
        if g.when is not None and not g.when(s):
            continue
        if g.against != "none" or not all(
            name in known for name in (*g.uses, *g.measures.split("|"))
        ):
            made.append(Verdict(g, "unknown", "it needs more of earlier rounds than a file holds"))
        else:
            made.append(judge(g, None, [s], float(transcript.totals.loss)))
    return Certificate(made)
