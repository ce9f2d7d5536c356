"""What one run says of a theorem: the measured number beside the bound, for the comparator that comes closest."""

from __future__ import annotations

import math

import numpy as np

from ..core.guarantee import Comparators, Guarantee, Symbols, at_worst, compute_bound, rounding
from ..core.stream import Array
from ..graphs.learners.vertices import BELOW
from ..run.run import Run
from .attack import Trial, ratio


def sides(g: Guarantee, run: Run) -> tuple[Comparators | None, Symbols, str]:
    """The comparators of a run, its symbols, and why the theorem says nothing about it ("" where it does)."""
    transcript, family = run.transcript, run.comparators(g.against)
    s = at_worst(g, run.symbols(transcript.copies[0], family, g.against))
    if g.when is not None and not g.when(s):
        return family, s, "it is not about this setting"
    if g.delayed and not transcript.delay:
        return family, s, "it is about late feedback"
    if transcript.delay and not (g.late or g.delayed):
        return family, s, "feedback came late"
    for assumption in g.assumptions:
        if assumption.text == BELOW:
            continue  # a certificate calls such a bound vacuous; it is true all the same, so it is attacked
        seen = assumption.check(s)
        if seen is not None:
            return family, s, f"{assumption.text}: {seen}"
    if g.against == "none":
        family = Comparators("none", lambda i: "", np.zeros(1))
    if family is None or family.why:
        why = family.why if family is not None else "its comparator was not computed"
        return family, s, why
    return family, s, ""


def judge_guarantee(g: Guarantee, run: Run) -> Trial:
    """The comparator of a run that comes closest to the bound, or beyond it."""
    family, s, why = sides(g, run)
    if why or family is None:
        return Trial(0.0, why=why)
    L = np.asarray(family.L, float)
    total = np.broadcast_to(compute_bound(g, s), L.shape)
    what = measure(g, s, family, run.loss, L)
    slack = rounding([s], run.loss, L, what, total)  # the same slack as in the certificate
    each = ratio(what, total, slack)
    if isinstance(
        family.real, np.ndarray
    ):  # the others are lower bounds: no comparator may attain them
        each = np.where(family.real, each, 0.0)
    i = int(np.argmax(each))
    trial = Trial(
        float(each[i]),
        float(what[i]),
        float(total[i]),
        family.names(i),
        bool(what[i] - total[i] > slack[i]),
    )
    for mixed in run.kind.mixed(g, [s]):
        beyond = mixed.verdict == "broken"
        slack = rounding([s], run.loss, run.loss - mixed.measured, mixed.measured, mixed.bound)
        part = float(ratio(mixed.measured, mixed.bound, slack))
        if part > trial.ratio:
            return Trial(part, mixed.measured, mixed.bound, mixed.comparator, beyond)
    return trial


def measure(g: Guarantee, s: Symbols, family: Comparators, loss: float, L: Array) -> Array:
    """The number that the theorem bounds, one entry for each comparator."""
    if g.measures == "mistakes":
        wrong = float(vars(s).get("mistakes", math.nan))
        return np.full(len(L), loss if math.isnan(wrong) else wrong)
    if g.measures == "shown regret":
        return np.asarray(family.more["R"], float)
    if g.measures == "regret":
        return loss - L
    return np.full(len(L), max(float(getattr(s, name)) for name in g.measures.split("|")))


def over_examples(run: Run) -> bool:
    """Did the learner play examples, and not the advice or the losses of experts?"""
    return run.traits.kind.has_examples
