"""The lines under the table, which explain it."""

from __future__ import annotations

import math

import numpy as np

from ..core.guarantee import Verdict
from ..hindsight.search.best_linear import FOUND
from ..report.comparison_table import Played, different_losses, groups
from ..report.page import in_words
from ..report.reliability import decided, probability_line, published
from ..report.rivals import find_rival
from ..report.words import MISTAKES, loss_name
from ..run.run import Run
from .console import count, in_options

OPENING = 0.2  # of the loss: if the rounds before the first outcome lost more, a line says so
REASONS = 12  # at most so many lines say why a theorem is not kept
EXPERTS = {
    "kept": "for every comparator of the theorem the regret stayed within its bound",
    "vacuous": "an assumption of the theorem fails on these data, so that it promises nothing",
    "unknown": "this run cannot tell whether the theorem holds",
    "broken": "the regret exceeds the bound, which must not happen: please report it",
    "none": "no theorem of this learner speaks of such a run",
}
EXAMPLES = EXPERTS | {
    "kept": "what the theorem bounds stayed within its bound, for every comparator that was tried",
    "broken": "what the theorem bounds exceeds its bound, which must not happen: please report it",
}
CHARGED = {
    "hinge loss": "hinge loss: 1 less the margin, where that is positive; more than 1 is a mistake",
    "squared-hinge loss": "squared-hinge loss: the square of what the margin lacks to 1",
    "log loss": "log loss: minus the logarithm of the probability of the right label; 0.693 is a coin",
    "expected mistakes": "expected mistakes: labels are drawn, and a round costs the chance of a wrong one",
}


def legend(played: list[Played], compared: bool = True) -> list[str]:
    """Lines under the table; `compared`: the table compares with a comparator."""
    runs = [p.run for p in played]
    examples = runs[0].traits.kind.has_examples
    lines = charges(runs) if examples else []
    lines += probability_lines(played)
    if compared:
        lines.append(regrets(runs, examples))
    if examples:
        lines += list(dict.fromkeys(filter(None, map(opening_line, played))))
        lines += comparator_lines(runs)
    lines += meanings(runs, EXAMPLES if examples else EXPERTS)
    if said := feedback(played):
        lines.append(said)
    if len(runs) > 1:
        lines += different_losses(runs)
    if any(r.facts.get("missing advice") for r in runs):
        lines.append("an expert without advice is charged what the learner lost in that round")
    silent = sum(p.run.facts.get("rounds without an answer", 0) for p in groups(played)[0])
    if silent:
        before = " or without an earlier one" if runs[0].stream.lags is not None else ""
        lines.append(
            f"{count(silent, 'rounds')} without an outcome{before}: predicted, not counted"
        )
    return lines + reasons(played)


def opening_line(one: Played) -> str:
    """The line that says how much was lost on numbers before the first outcome was known; "" if it is little."""
    run, first = one.run, one.delay + 1
    costs = run.transcript.costs
    if run.traits.classes or run.transcript.started or costs.mode == "none" or costs.every > 1:
        return ""
    each = costs.gather()[1]
    lost = float(np.nansum(each[:first]))
    known = int(np.isfinite(each[first:]).sum())
    if not known or not OPENING * run.loss < lost < math.inf:
        return ""
    rounds = "round 1" if first == 1 else f"rounds 1 to {first}"
    return (
        f"{rounds}: predicted before any outcome was known, and {lost / run.loss:.0%} of the loss of {one.name}; "
        f"each later round lost {in_words((run.loss - lost) / known)}"
    )


def meanings(runs: list[Run], meaning: dict[str, str]) -> list[str]:
    """A line for each verdict: what it means."""
    verdicts = dict.fromkeys(r.certificate.verdict for r in runs)
    verdicts |= dict.fromkeys(v.verdict for r in runs for v in r.certificate)
    return [f"{verdict}: {meaning[verdict]}" for verdict in verdicts]


def reasons(played: list[Played]) -> list[str]:
    """Lines about the theorems of which the table does not tell all."""
    found = dict.fromkeys(
        in_options(f"{p.name}: {in_short(v)}")
        for p in played
        for v in p.run.certificate
        if worth_telling(p.run, v)
    )
    return list(found)[:REASONS]


def feedback(played: list[Played]) -> str:
    """The line that says when outcomes were known; "" where losses are, or arms, or the stream is a built-in one."""
    first, late = played[0].run, max(p.delay for p in played)
    if late:
        key = " of its key" if played[0].key is not None else ""
        return (
            f"{count(late, 'rounds')} late: predicted without the outcomes of the last {count(late, 'rounds')}{key}; "
            "the other rows knew them"
        )
    if any(p.run.transcript.delay != p.delay for p in played):  # each key has one of its own
        return "horizon: predicted without the outcomes of the last so many rounds of that horizon"
    alone = first.facts["game"] in ("allocation", "bandit")
    if alone or first.stream.source.startswith("built-in"):
        return ""
    return (
        "feedback: each outcome was known before the next prediction was due; if yours come "
        "later, add --delay ROUNDS"
    )


def charges(runs: list[Run]) -> list[str]:
    """Lines that explain accuracy, and losses that are not mistakes."""
    lines = []
    if any(run.classifies for run in runs):
        lines.append("accuracy: the share of right labels, each predicted before it was seen")
    names = dict.fromkeys(loss_name(r) for r in runs)
    return lines + [CHARGED[name] for name in names if name in CHARGED]


def probability_lines(played: list[Played]) -> list[str]:
    """A line about the probabilities of each learner that has some, and one about what decisions cost."""
    every = [(g[0].name, [p.run for p in g]) for g in groups(played)]
    every = [(name, runs) for name, runs in every if published(runs)]
    lines = [line for name, runs in every if (line := probability_line(name, runs))]
    if decided([p.run for p in played]):
        costs = played[0].run.decided_by
        lines.append(
            f"cost: of decisions, each the one of least expected cost before the outcome was seen; {costs}"
        )
    return lines


def regrets(runs: list[Run], examples: bool) -> str:
    """The line that says what the regret is to, and whether it is negative for some run."""
    rivals = [find_rival(r) if r.traits.kind.has_examples else None for r in runs]
    comparators = [
        (r.comparator, r.comparator_loss) if found is None else (found.name, found.loss)
        for r, found in zip(runs, rivals, strict=True)
    ]
    known = [r.loss - lost for r, (_, lost) in zip(runs, comparators, strict=True)]
    better = " (negative: the learner did better)" if any(v < 0 for v in known) else ""
    bound = "; bound: the most that its theorem allows"
    if examples and all(math.isnan(r.bound) for r in runs):
        bound = ""
    proved = all(name.startswith("best ") for name, _ in comparators)
    kind = "fixed predictor of hindsight" if examples else "comparator"
    who = f"the best {kind}" if proved else f"a good {kind}"
    what = "mistakes" if all(loss_name(r) == MISTAKES for r in runs) and examples else "loss"
    return f"regret: the {what} less that of {who}{better}{bound}"


def comparator_lines(runs: list[Run]) -> list[str]:
    """Lines that explain the names of comparators: what a penalty is, and which were found by a bounded search."""
    found = [find_rival(run) for run in runs if run.traits.kind.has_examples]
    names = {best.name for best in found if best is not None} | {run.comparator for run in runs}
    lines = []
    if any(", penalty " in name for name in names):
        lines.append(
            "penalty c: of all linear predictors u, the one with the least such loss + c/2 |u|^2"
        )
    if any(" in units, penalty " in name for name in names):
        lines.append("in units: weights count in |u|^2 times the typical size of their feature")
    if any(name.startswith(FOUND) for name in names):
        lines.append(
            f"{FOUND}: by a search whose work is in proportion to the run, so there may be a better one"
        )
    return lines


def worth_telling(run: Run, v: Verdict) -> bool:
    """Does the legend need a line about this verdict? Yes if it was not kept, or its number is not in the table."""
    if v.verdict != "kept":
        return True
    return run.traits.kind.has_examples and math.isnan(run.bound)


def in_short(v: Verdict) -> str:
    """A verdict in a few words: what was bounded, its value, and its bound."""
    if v.verdict != "kept":
        return str(v)
    against = f" ({v.comparator})" if v.guarantee.against != "none" else ""
    after = f" {v.after}" if v.after else ""
    return f"{v.guarantee.id}: {v.what} {v.measured:.6g}, of {v.bound:.6g} allowed{after}{against}"
