"""Make a certificate: check each theorem for every comparator that it is about."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from ..core.guarantee import (
    BOUNDED,
    MIXED,
    UNANSWERED,
    Certificate,
    Comparators,
    Guarantee,
    Symbols,
    Verdict,
    compute_bound,
    judge,
    rounding_limits,
    too_close,
)
from ..core.transcript import Copy, Transcript

PSEUDO = "pseudo-regret"  # what is measured against the best arm in means
ONE_DRAW = "one draw tells little of an expectation: play with seeds=N"


class Judged(Protocol):
    """What a certificate is made of: what happened, comparators by name, and the symbols of the bounds."""

    transcript: Transcript

    def comparators(self, kind: str) -> Comparators | None:
        """The comparators that theorems call by this name; None where they were not computed."""

    def beyond(self) -> str:
        """Why numbers of this size cannot be judged in floating point; empty where they can."""

    def symbols(self, part: Copy, found: Comparators | None, kind: str) -> Symbols:
        """The numbers that a bound may use, of one copy of the learner."""

    def verdict(self, g: Guarantee, found: Comparators | None, parts: list[Symbols]) -> Verdict:
        """Judge a theorem that is about this configuration."""

    def headline(self, certificate: Certificate) -> Verdict | None:
        """The verdict that regret and bound of the run refer to."""

    def mixed(self, g: Guarantee, parts: list[Symbols]) -> list[Verdict]:
        """Judge the theorem for the best mixture of the experts, where it says something about mixtures."""


def certify(judged: Judged, guarantees: Iterable[Guarantee]) -> Certificate:
    """Each theorem: kept, vacuous, unknown or broken by what happened."""
    found: list[Verdict] = []
    t = judged.transcript
    learned = [remark for remark in t.remarks if "learned from" in remark]
    interval = "declared" if t.declared else "taken as [0, 1], which no round left"
    interval = "learned from the data" if learned else interval
    about = [g for g in guarantees if t.late or not g.delayed]
    for g in about:
        for v in judge_theorem(judged, g):
            v.rests_on = rests_on(v, interval)
            if v.verdict in ("kept", "broken"):
                v.rests_on += tuple(say_unchecked(judged, g))
            found.append(v)
    notes = [f"{remark} (rates and bounds were made with it)" for remark in learned]
    certificate = Certificate(found, notes)
    certificate.headline = judged.headline(certificate)
    return certificate


def rests_on(v: Verdict, interval: str = "declared") -> tuple[str, ...]:
    """What a verdict rests on, in words: the statement, and its assumptions with how each was checked."""
    g = v.guarantee
    if v.verdict not in ("kept", "broken"):
        return ()
    lines = [f"theorem: {g.statement}" + ("" if g.mode == "surely" else f" ({g.mode})")]
    checked = [f"{a.text} ({interval if a is BOUNDED else a.how})" for a in g.assumptions]
    lines += [f"assumes: {'; '.join(checked)}"] if checked else []
    same = math.isclose(v.regret, v.measured) and math.isclose(v.regret_bound, v.bound)
    if v.comparator and not (same or math.isnan(v.regret)):
        lines.append(f"regret to that comparator: {v.regret:.6g}, at most {v.regret_bound:.6g}")
    return (*lines, f"slack: {v.slack:.6g}")


def say_unchecked(judged: Judged, g: Guarantee) -> list[str]:
    """Say, of a theorem that was kept, which comparators this run did not check."""
    against, T = judged.comparators(g.against), int(judged.transcript.totals.T)
    if g.against == "sequence" and against is not None and len(against.L) < T:
        most = f"{len(against.L) - 1:,} shifts"
        return [f"cannot tell: sequences with more than {most} were not compared (shifts=K)"]
    if judged.transcript.traits.kind.has_examples and g.against != "none":
        return [
            *kept_for_new_classes(judged, g),
            "cannot tell: it was checked for the comparators that were searched for, not for all",
        ]
    return []


def kept_for_new_classes(judged: Judged, g: Guarantee) -> list[str]:
    """Say what the bound pays for classes that were not declared."""
    price = sum(c.totals.reserve for c in judged.transcript.copies)
    if g.measures != "regret" or not price:
        return []
    return [
        f"the bound includes {price:.6g} for classes that were not declared (labels=): round t keeps 1/t^2 of its "
        "probability for a class not seen before, which costs at most ln 2, and 2 ln t where one occurs"
    ]


def judge_theorem(judged: Judged, g: Guarantee) -> list[Verdict]:
    """The verdicts on one theorem; none where it is not about this configuration."""
    t = judged.transcript
    copies = [c for c in t.copies if c.totals.T or len(t.copies) == 1]
    if g.when is not None and not g.when(judged.symbols(copies[0], None, g.against)):
        return []
    why = uncheckable(t) or judged.beyond()
    if why:
        return [Verdict(g, "unknown", why)]
    if t.late and not (g.late or g.delayed):
        why = f"feedback came {t.how_late} to a single copy{covered_copies(t)}"
        return [Verdict(g, "vacuous", why)]
    against = judged.comparators(g.against)
    if against is not None and against.why:
        return [Verdict(g, "unknown", against.why)]
    parts = [judged.symbols(c, against, g.against) for c in copies]
    first = judged.verdict(g, against, parts)
    return [first, *(judged.mixed(g, parts) if first.verdict == "kept" else ())]


def covered_copies(t: Transcript) -> str:
    """What the same theorem proves of copies that take turns."""
    if t.delays is not None:
        return ""
    return f"; it covers {t.delay + 1:,} copies that take turns (interleave=True), and their bounds add up"


def uncheckable(t: Transcript) -> str:
    """Why no theorem can be checked by this run; empty where it can."""
    if t.started:
        return f"it counts from the first round, and this run went on after {t.started:,}"
    return "" if t.totals.T else UNANSWERED


def unmet(g: Guarantee, parts: list[Symbols]) -> Verdict | None:
    """The first assumption that fails, if one does."""
    for s in parts:
        for assumption in g.assumptions:
            seen = assumption.check(s)
            if seen is not None:
                return Verdict(g, "vacuous", f"{assumption.text}: {seen}")
    return None


def of_mixture(
    g: Guarantee, parts: list[Symbols], q: Any, comparator_loss: float, loss: float
) -> Verdict:
    """With the gradient trick, a bound against every expert is one against every mixture q of them."""
    total = sum(np.broadcast_to(compute_bound(g, s), q.shape) for s in parts)
    bound, regret = float(q @ total), loss - comparator_loss
    # the one of least loss; where bounds differ from expert to expert another may have less loss + bound
    who = "best fixed mixture" if np.ptp(total) == 0.0 else "a good fixed mixture"
    if math.isnan(bound):
        return Verdict(g, "unknown", f"not a number for {who}")
    near, slack = rounding_limits(parts, loss, comparator_loss, bound)
    if slack >= regret - bound > near:
        return Verdict(g, "unknown", f"{too_close(regret, bound)} for {who}", who)
    verdict = "broken" if regret - bound > slack else "kept"
    return Verdict(g, verdict, "", who, regret, bound, regret, bound, comparator_loss, MIXED)


def headline(certificate: Certificate) -> Verdict | None:
    """The comparator with the smallest loss + bound of those compared, over all theorems that hold here."""
    usable = [
        v for v in certificate if v.verdict in ("kept", "broken") and not math.isnan(v.regret)
    ]
    # the mean of all experts is not chosen in hindsight, so it is no headline
    usable = [v for v in usable if v.guarantee.against != "mean"] or usable
    return min(usable, key=lambda v: v.comparator_loss + v.regret_bound, default=None)


__all__ = ["ONE_DRAW", "PSEUDO", "certify", "headline", "judge", "of_mixture", "unmet"]
