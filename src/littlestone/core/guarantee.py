"""Guarantees are objects: what a theorem promises, under what assumptions, and whether a run kept it.

One Guarantee serves the certificate, the report's chart, the tests, the docs page and the falsifier. Its bound is
a function of symbols (T, n, eta, L, …) that are measured from the run; each may be an array, one entry a
comparator, so that a theorem about every expert or about every number of shifts is checked for all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from .errors import BadInput
from .notebook import InNotebook
from .one_word import of_theorems

MEANING = {
    "T": "rounds with an answer",
    "lightest": "the smallest importance of a round with an answer",
    "weightiest": "the largest importance of a round with an answer",
    "n": "experts",
    "B": "the largest difference between two losses",
    "loss": "the learner's total loss",
    "L": "the comparator's total loss",
    "R": "the regret to each expert, in the losses that the learner was shown",
    "V": "the sum of the squares of that regret, round by round",
    "r": "the largest of those regrets in one round",
    "k": "shifts of the comparator",
    "m": "different experts in the comparator",
    "tasks": "tasks declared",
    "modes": "different experts declared",
    "visited": "tasks that occurred",
    "c": "1/eta, the price of a nat",
    "d": "features, the constant among them",
    "R2": "the largest |x|^2",
    "Rinf": "the largest |x_i|",
    "X2": "the sum of |x|^2 over the rounds",
    "U2": "|u|^2 of the comparator",
    "U1": "|u|_1 of the comparator",
    "H": "the comparator's total hinge loss",
    "H2": "the sum of the squares of the comparator's hinge losses",
    "mistakes": "wrong labels",
    "D": "the largest distance from the first point to one of the set",
    "diameter": "the largest distance between two points of the set",
    "lip": "the longest subgradient",
    "price": "what rises of the scale and cut subgradients add",
    "coin_regret": "the regret bound of coin betting on the features to each linear predictor",
    "span": "the length of the interval that predictions are clipped to",
    "opening": "what the rounds before there was an interval have cost",
    "entropy": "ln(1/least first weight)",
    "total": "the sum of the simplex",
    "theta": "the threshold of Winnow",
    "mass": "weight that features brought, in thresholds",
    "A": "attribute errors of the disjunction",
    "met": "features counted",
    "on": "most features on at once",
    "seen": "features met",
    "low": "the smallest weight of the comparator",
    "radius": "the radius in use",
    "spent": "what the steps cost",
    "past": "rounds before the rate was known",
    "cut": "what was cut off",
    "drift": "what changes of scale add",
    "rate_now": "the rate in use",
    "K": "the largest K(x, x) of an update",
    "heaviest": "the largest coefficient",
    "early": "updates before the last change of scales",
    "W2": "|f|^2 at the last change of scales",
    "rises": "what rising rates add",
    "drops": "what was dropped",
    "pace": "the last rate",
    "swift": "the sum of rates",
    "moves": "sum over the rounds of f(theta) - f(next theta)",
    "curved": "sum over the rounds of |g|^2 / (4 t)",
    "updates": "rounds that it learned from",
    "margin": "one over the largest max-norm compared with",
    "ldim": "Littlestone's dimension of the class",
    "dimension": "the largest quasi-dimension compared with",
    "rows": "rows of the matrix",
    "nats": "-ln P(u) of the labelling, averaged over the trees",
    "beta": "what a labelling keeps after an error",
    "cuts": "how often labels change along the spine",
    "vertices": "vertices of the graph",
    "classes": "classes",
    "top": "the largest K(v, v) of an update",
    "columns": "columns of the matrix",
    "lags": "outcomes that came while another was waited for, summed over the rounds",
    "lag": "the most of them for one round",
    "crowd": "the most rounds that were waited for when another was answered",
    "never": "rounds whose outcome never came",
    "G": "the best arm's total reward, rewards on [0, 1]",
    "slept": "rounds in which an arm was not there",
    "delta": "the probability with which it may fail",
    "gaps": "how much worse each arm is than the best, on average",
    "means": "the mean loss of each arm",
    "parts": "losses other than 0 and 1",
    "dim": "features of an arm",
    "row2": "the largest |x|^2 of a row that was learned from",
    "advisers": "advisers, who speak of the arms",
    "estimated": "the regret in estimated losses",
    "over": "misses less alpha times the rounds, after the round in which it was farthest beyond its bound or closest "
    "to it",
    "under": "alpha times the rounds less misses, in the same way",
    "highest": "the largest score of a round, at least 0",
    "lowest": "the smallest score of a round, at most 0",
    "turns": "how much 1/step changed, summed up over the rounds",
    "stride": "the largest step",
    "reserve": "what the probability kept for classes that were not declared has cost",
    "blur": "what rounding may have added to losses, where outcomes are far from 0",
}


ALONE = {  # what a theorem without a comparator is against; others count something of the learner's own
    "mistakes": "a hypothesis that never errs",
    "regret": "each part of it",
}
LONG = 200  # letters of a statement that is printed whole
MIXED = -2  # the index of a verdict on the best fixed mixture
UNANSWERED = "no round had an answer"


class Symbols(SimpleNamespace):
    """The numbers that a bound may use, each an attribute."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{name} is not measured here; known: {', '.join(sorted(vars(self)))}")


@dataclass(frozen=True)
class Assumption:
    """Something a theorem needs; `check` says whether it holds, or what it saw instead."""

    text: str
    check: Callable[[Symbols], str | None]  # None: holds; else by how much it fails
    how: str = "measured"  # how it is checked: "measured" in the run, or "declared" by the user

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Guarantee:
    """A theorem about a learner."""

    id: str  # in the ledger, or its published name
    name: str
    statement: str
    source: str
    bound: Callable[[Symbols], Any]  # on the regret; on the loss where `measures` is "mistakes"
    against: str = (
        "expert"  # "expert", "sequence", "mean", "modes", "none", or one of `hindsight.families`
    )
    # "regret", "shown regret" (second order), "mistakes", or a number that the learner notes ("updates|mistakes":
    # both, neither may exceed the bound)
    measures: str = "regret"
    assumptions: tuple[Assumption, ...] = ()
    mode: str = "surely"
    uses: tuple[str, ...] = ("T", "n")
    when: Callable[[Symbols], bool] | None = None  # is it about this configuration at all?
    late: bool = False  # does it hold for a single copy when feedback comes late?
    delayed: bool = False  # is it about that, and nothing else?
    infinite: str = (
        "its bound is infinite here"  # what it means that no comparator has a finite bound
    )


@dataclass
class Verdict:
    """One line of a certificate."""

    guarantee: Guarantee
    verdict: str  # kept, vacuous, unknown, broken or promised
    why: str = ""
    comparator: str = ""
    measured: float = math.nan
    bound: float = math.nan
    regret: float = math.nan  # to the comparator, in real losses
    regret_bound: float = math.nan
    comparator_loss: float = math.nan
    index: int = -1  # of the comparator in its family
    rests_on: tuple[
        str, ...
    ] = ()  # in words: the statement, its assumptions, what the run cannot tell
    number: str = (
        ""  # which of the numbers that the theorem measures; the first where it says nothing
    )
    after: str = (
        ""  # of a theorem that holds after every round: the round that measured and bound are of
    )

    @property
    def slack(self) -> float:
        return self.bound - self.measured

    @property
    def what(self) -> str:
        """What was measured, by name."""
        if self.index == MIXED:
            return "regret"
        return self.number or self.guarantee.measures.partition("|")[0]

    def __str__(self) -> str:
        text = f"{self.guarantee.id}: {self.verdict}"
        if self.verdict in ("kept", "broken"):
            text += f", {self.what} {self.measured:.6g} against {self.bound:.6g}"
            text += f" {self.after}" if self.after else ""
            text += f" ({self.comparator})" if self.comparator else ""
        return text + (f": {self.why}" if self.why else "")


def shorten_line(line: str) -> str:
    """A line of `rests_on`; a long statement up to its first part.

    >>> shorten_line("theorem: " + "a <= b; " * 40)
    'theorem: a <= b; … (in full: certificate.details())'
    """
    if len(line) <= LONG or not line.startswith("theorem: "):
        return line
    part = min((line.find(end) + len(end) for end in ("; ", ". ") if end in line), default=LONG)
    return f"{line[: min(part, LONG)]}… (in full: certificate.details())"


@dataclass
class Certificate(InNotebook):
    """What each theorem says of a run: kept, vacuous, unknown or broken; of a model before fresh rows: promised."""

    verdicts: list[Verdict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what all verdicts rest on
    headline: Verdict | None = None  # the one that the run's regret and bound refer to
    # where something is promised: what holds it against fresh rows
    fresh: Callable[..., Certificate] | None = field(default=None, repr=False, compare=False)

    @property
    def verdict(self) -> str:
        """One word for all theorems: docs/certificates.md has the table."""
        return of_theorems(v.verdict for v in self.verdicts)

    def __str__(self) -> str:
        """The headline with what it rests on, and any theorem that is broken; a line for each of the others."""
        given = [v for v in self.verdicts if v.verdict in ("kept", "broken")]
        main = next((v for v in given if v is self.headline), next(iter(given), None))
        first, lines = main if self.headline is None else self.headline, []
        for v in sorted(self.verdicts, key=lambda v: v is not first):
            lines.append(str(v))
            if v is main or v.verdict == "broken":
                lines += [f"  {shorten_line(line)}" for line in v.rests_on]
        return "\n".join([*lines, *self.notes]) or "no theorem applies"

    def check(self, X: Any, y: Any = None, delta: float = 0.001) -> Certificate:
        """Check what is promised on fresh rows: kept, broken, or unknown where they are too few to tell."""
        if self.fresh is None:
            raise BadInput(
                f"check: nothing is promised here that fresh rows could break (verdict: {self.verdict}); "
                "ls.certify(model, X_test, y_test) promises something"
            )
        return self.fresh(X, y, delta)

    def details(self) -> str:
        """Every theorem in full: its statement, its assumptions with how each was checked, what the run cannot tell."""
        lines = []
        for i, v in enumerate(self.verdicts):
            lines.append(str(v))
            if i and v.guarantee is self.verdicts[i - 1].guarantee:
                continue  # the same theorem, of another comparator
            lines += [f"  {line}" for line in v.rests_on]
        return "\n".join([*lines, *self.notes]) or "no theorem applies"

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)

    def __len__(self) -> int:
        return len(self.verdicts)


@dataclass
class Comparators:
    """Comparators of one kind, as arrays: one entry each."""

    kind: str
    names: Callable[[int], str]
    L: Any  # their losses
    more: dict[str, Any] = field(default_factory=dict)  # R, V, k, m
    why: str = ""  # why it could not be computed
    missing: str = (
        ""  # what may exist and was not found: then no bound that is finite tells nothing
    )
    real: Any = None  # which of them exist; the losses of others are lower bounds
    best: str = (
        ""  # what the one with the least loss is called where it is proved that none loses less
    )


LOOSE, SURE = (
    1e-9,
    1e-12,
)  # of the numbers of a run: beyond the first it is broken, within the second it is kept


def compute_bound(g: Guarantee, s: Symbols) -> Any:
    """The bound, one entry a comparator or one for all; NaN where it cannot be computed in floating point.

    A theorem about the log loss of classes is about classes that are known. Where they are not declared, a part of the
    probability is kept for a class that has not occurred, and what that costs, `reserve`, is added.
    """
    more = float(vars(s).get("reserve", 0.0)) if g.measures == "regret" else 0.0
    try:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return np.asarray(g.bound(s), float) + more
    except ArithmeticError:  # Python's own numbers raise where NumPy's become infinite
        return np.asarray(math.nan)


def rounding_limits(parts: list[Symbols], loss: float, L: Any, *numbers: Any) -> tuple[Any, Any]:
    """How far a number may exceed its bound: up to the first it is kept, beyond the second it is broken.

    What floating point may have added is a part of the numbers that it was made of, and nothing absolute: a run over
    losses of 1e-100 is judged as the same run over losses of 1. The symbol `blur` is what predictions far from 0 add;
    where that is more than rounding elsewhere, a promise is kept only with so much to spare.
    """
    largest = [
        float(vars(s).get("r", 0.0)) for s in parts
    ]  # regrets may cancel, one round's does not
    made_of: Any = abs(loss) + max(v if math.isfinite(v) else 0.0 for v in largest)
    for v in (L, *numbers):
        made_of = made_of + np.where(np.isfinite(v), np.abs(v), 0.0)
    blur = sum(float(vars(s).get("blur", 0.0)) for s in parts)
    return np.where(blur > SURE * made_of, -blur, SURE * made_of), LOOSE * made_of + blur


def rounding(parts: list[Symbols], loss: float, L: Any, *numbers: Any) -> Any:
    """How far a number may exceed its bound before it is broken."""
    return rounding_limits(parts, loss, L, *numbers)[1]


def too_close(measured: float, bound: float) -> str:
    """Say why rounding hides whether `measured` is within `bound`."""
    how = "beyond" if measured > bound else "within"
    return f"{measured:.12g} is {how} {bound:.12g} by no more than rounding may have changed"


def in_every_round(g: Guarantee, s: Symbols) -> bool:
    """Does the theorem hold after every round, and did the learner keep the symbols of its worst one?"""
    return f"{g.measures.partition('|')[0]}.T" in vars(s)


def at_worst(g: Guarantee, s: Symbols) -> Symbols:
    """The symbols as they were after the worst round, of a theorem that holds after every round; else as they are.

    What it measures has another bound after every round. A learner keeps the round in which it was farthest beyond
    that, or came closest to it: `over.T` is T after the round in which `over` did. Of several numbers (over|under) the
    worse one is taken, and stands for all of them.
    """
    if not in_every_round(g, s):
        return s
    known, each = vars(s), []
    names = g.measures.split("|")
    for name in names:
        then = {k.partition(".")[2]: v for k, v in known.items() if k.startswith(f"{name}.")}
        each.append(
            Symbols(**{**known, **then, **dict.fromkeys(names, known[name]), "worst": name})
        )
    return max(each, key=lambda one: float(getattr(one, names[0]) - compute_bound(g, one)))


def judge_worst_round(
    g: Guarantee, family: Comparators | None, parts: list[Symbols], loss: float
) -> Verdict:
    """Check a theorem that holds after every round by the worst one: of several copies, of the one that did worst."""
    found = []
    for s in parts:
        then = at_worst(g, s)
        v = judge_totals(g, family, [then], loss)
        if v.verdict in ("kept", "broken"):
            v.number, v.after = then.worst, f"after round {int(then.T):,} of {int(s.T):,}"
        found.append(v)
    order = ("broken", "unknown", "vacuous", "kept")
    worst = min(found, key=lambda v: (order.index(v.verdict), v.slack))
    if len(parts) > 1 and not worst.why:
        worst.why = f"in the worst of {len(parts)} copies, each of which keeps it (T-DELAY-COPIES)"
    return worst


def judge(g: Guarantee, family: Comparators | None, parts: list[Symbols], loss: float) -> Verdict:
    """Check one theorem against one family of comparators.

    `parts` holds the symbols of each interleaved copy (one copy: one entry); the bounds of the copies add up.
    """
    if parts and all(vars(s).get("T") == 0 for s in parts):
        return Verdict(g, "unknown", UNANSWERED)
    if g.against == "none":
        who = ALONE.get(g.measures, "")
        family = Comparators("none", lambda i: who, np.zeros(1))
    if parts and in_every_round(g, parts[0]):
        return judge_worst_round(g, family, parts, loss)
    return judge_totals(g, family, parts, loss)


def judge_totals(
    g: Guarantee, family: Comparators | None, parts: list[Symbols], loss: float
) -> Verdict:
    """Check a theorem by the totals of all rounds; the bounds of the copies add up."""
    failed = failed_assumption(g, parts)
    if failed:
        return Verdict(g, "vacuous", failed)
    if family is None:
        return Verdict(g, "unknown", "its comparator was not computed")
    if family.why:
        return Verdict(g, "unknown", family.why)
    L = np.asarray(family.L, float)
    total = np.zeros(len(L))
    for s in parts:
        total = total + np.broadcast_to(compute_bound(g, s), L.shape)
    measured, about_regret = what_is_measured(g, family, parts, loss)
    unsure = np.isnan(measured) | np.isnan(total)
    with np.errstate(invalid="ignore"):
        near, slack = rounding_limits(parts, loss, L, measured, total)
        excess = np.where(unsure, -np.inf, measured - total)
        regret_bound = total if about_regret else total - L
        worth = np.where(unsure, np.inf, L + regret_bound)
    if family.real is not None:
        beyond = np.where(family.real, -np.inf, excess - slack)
        excess, worth = np.where(family.real, excess, -np.inf), np.where(family.real, worth, np.inf)
        if beyond.max(initial=-np.inf) > 0 and not (excess > slack).any():
            i = int(np.argmax(beyond))
            return Verdict(
                g, "unknown", f"{family.names(i)} was not found: it loses at least {L[i]:.6g}"
            )
    # of several with the same promise, the one that did best
    i, verdict = int(np.lexsort((L, worth))[0]), "kept"
    if (excess > slack).any():
        i, verdict = int(np.argmax(excess - slack)), "broken"
    elif unsure.any():
        return Verdict(g, "unknown", why_unsure(g, family, parts, unsure, total))
    elif (excess > near).any():
        i = int(np.argmax(excess - near))
        why = f"{too_close(measured[i], total[i])} for {family.names(i)}"
        return Verdict(g, "unknown", why)
    elif np.isinf(worth[i]):
        return Verdict(
            g, *(("unknown", family.missing) if family.missing else ("vacuous", g.infinite))
        )
    return Verdict(
        g,
        verdict,
        f"the bounds of {len(parts)} copies, added up (T-DELAY-COPIES)" if len(parts) > 1 else "",
        family.names(i),
        float(measured[i]),
        float(total[i]),
        float(loss - L[i]),
        float(regret_bound[i]),
        float(L[i]),
        i,
    )


def failed_assumption(g: Guarantee, parts: list[Symbols]) -> str:
    """The first assumption of the theorem that does not hold, and by how much; "" where all hold."""
    for s in parts:
        for assumption in g.assumptions:
            seen = assumption.check(s)
            if seen is not None:
                return f"{assumption.text}: {seen}"
    return ""


def what_is_measured(
    g: Guarantee, family: Comparators, parts: list[Symbols], loss: float
) -> tuple[Any, bool]:
    """The number that the theorem bounds, one entry a comparator; and is that a regret, shown or real?"""
    L = np.asarray(family.L, float)
    if g.measures == "regret":
        return loss - L, True
    if g.measures == "shown regret":
        return np.asarray(family.more["R"], float), True
    if g.measures == "mistakes":
        wrong = sum(float(vars(s).get("mistakes", math.nan)) for s in parts)
        return np.full(len(L), loss if math.isnan(wrong) else wrong), False
    # a number that the learner notes, such as its updates; of several the largest
    each = [sum(float(getattr(s, name)) for s in parts) for name in g.measures.split("|")]
    return np.full(len(L), max(each)), False


def why_unsure(
    g: Guarantee, family: Comparators, parts: list[Symbols], unsure: Any, total: Any
) -> str:
    """Say what could not be computed, the measured number or its bound."""
    if len(parts) > 1 and "L" in g.uses:
        return "what the comparator lost in the rounds of each copy is not known"
    who = family.names(int(np.argmax(unsure)))
    what = "the bound" if np.isnan(total).any() else g.measures.partition("|")[0]
    return f"{what} is not a number{f' for {who}' if who else ''}"


# Assumptions that several theorems share.


def realizable(s: Symbols) -> str | None:
    best = float(np.min(s.L))
    return None if best == 0 else f"the best one makes {best:g}"


PERFECT = Assumption("some expert makes no mistake", realizable)
TWO = Assumption(
    "there are at least two experts", lambda s: None if s.n >= 2 else f"there is {s.n}"
)
BOUNDED = Assumption(
    "losses lie in a known range",
    lambda s: None if math.isfinite(s.B) and s.B > 0 else f"the range is {s.B:g}",
    "declared",
)


def importance_seen(s: Symbols) -> str:
    if s.lightest == s.weightiest:
        return f"it is {s.lightest:g} in every round"
    return f"it is {s.lightest:g} to {s.weightiest:g}"


EVEN = Assumption("every round has importance 1", lambda s: None if s.even else importance_seen(s))
# of theorems about rules that no common importance changes: it is divided out (`run.run_kinds`)
SAME_IMPORTANCE = Assumption(
    "all rounds have the same importance",
    lambda s: None if s.even or s.lightest == s.weightiest else importance_seen(s),
)
AWAKE = Assumption(
    "all arms are there in every round",
    lambda s: None if not s.slept else f"some were not in {s.slept:,} rounds",
)

TOLD = Assumption(
    "every outcome comes, sooner or later",
    lambda s: f"{s.never} never came" if s.never else None,
)


def rate_at_most(limit: str, what: str) -> Assumption:
    """eta may not exceed a constant of the loss, measured as the symbol `limit`."""

    def check(s: Symbols) -> str | None:
        top = getattr(s, limit)
        if top <= 0:
            return "this loss has no such rate"
        return None if s.eta <= top * (1 + 1e-12) else f"eta is {s.eta:g}, the limit {top:g}"

    return Assumption(what, check)


EXP_CONCAVE = rate_at_most("exp_concave", "eta is at most the exp-concavity of the loss")
MIXABLE = rate_at_most("mixable", "eta is at most the mixability of the loss")
