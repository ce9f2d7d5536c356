"""Attack the verdict that a user reads, too: compare a run's certificate with what was measured here."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..run.run import Run
from .attack import Case, Trial


def unanswered(run: Run, case: Case) -> str:
    """Say which decisions are not numbers: rounds that ought to count and have no loss; "" where there are none.

    A decision that is not a number makes its round look like one without an answer. Then only the loss of the other
    rounds is measured, and a theorem seems kept.
    """
    if math.isnan(run.loss):
        return "its loss is not a number, since some decision is not"
    y = np.asarray(case.y, float)
    known = int((~np.isnan(y.reshape(len(y), -1)).any(axis=1)).sum()) * case.passes
    counted = int(run.transcript.totals.T)
    if not case.delay and counted < known:
        return f"{known - counted} of {known} rounds have no loss: a decision was not a number"
    return ""


def contradiction(target: Any, case: Case, trial: Trial) -> str:
    """A message where the certificate of a case says something else than what was measured; else "".

    Only verdicts on the theorem itself are compared: a certificate knows nothing of a user's bound.
    """
    if target.conjecture is not None or target.where is not None:
        return ""
    said = [v for v in target.played(case).certificate if v.guarantee.id == target.theorem.id]
    if not said:
        return ""
    v = said[0]
    if v.verdict == "kept" and trial.exceeds:
        return f"its certificate says kept: {trial.measured:.12g} against {trial.bound:.12g}"
    if v.verdict == "broken" and not trial.exceeds:
        return f"its certificate says broken: {trial.measured:.12g} against {trial.bound:.12g}"
    if v.verdict == "kept" and not trial.counts:
        return f"its certificate says kept, though the theorem is not about the run: {trial.why}"
    if v.verdict == "kept" and math.isnan(v.measured):
        return "its certificate says kept, though nothing was measured"
    return ""
