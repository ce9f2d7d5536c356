"""A claim about a model: limits of its error, what they rest on, and the verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ..core.errors import BadInput
from ..core.guarantee import Certificate, Guarantee, Verdict
from ..core.intervals import Interval, at_most, confidence, rounded_up
from ..core.notebook import InNotebook
from .comparison import Comparison
from .group_limits import Units, chance_of_less, chance_of_more

EXACT = Guarantee(
    "T-VALIDATION-EXACT", "the exact validation bound",
    "with probability 1 - delta over the m test rows, the error is at most the p with P(Bin(m, p) <= errors) = "
    "delta/N, for a model that was chosen among N by these rows",
    "Clopper & Pearson 1934; lectures on supervised learning, 7 (with Hoeffding's bound in its place)",
    lambda s: at_most(int(s.mistakes), int(s.T), s.delta), against="none", measures="mistakes",
    mode="with probability 1 - delta", uses=("T", "mistakes", "delta"),
)  # fmt: skip
RANGE = Guarantee(
    "T-VALIDATION-RANGE", "the validation bound for losses on a range",
    "with probability 1 - delta over the m test rows, the expected loss is within the smaller of Hoeffding's and the "
    "empirical Bernstein distance of the mean loss, each at half of delta",
    "Hoeffding 1963; Maurer & Pontil 2009", lambda s: s.B, against="none",
    mode="with probability 1 - delta", uses=("T", "B", "delta"),
)  # fmt: skip
GROUPS = Guarantee(
    "T-VALIDATION-GROUPS", "the validation bound for groups of rows",
    "with probability 1 - delta over independent groups of rows, none heavier than W, the error E k / E n is at most "
    "the p at which a bettor against p has the capital N/delta, for a model that was chosen among N by these rows",
    "after Waudby-Smith & Ramdas 2024", lambda s: s.B, against="none",
    mode="with probability 1 - delta", uses=("B", "delta"),
)  # fmt: skip


@dataclass(frozen=True)
class Ground:
    """An assumption of the claim, and how it is known to hold."""

    text: str
    how: str  # "on your word", "measured", or what refutes it
    holds: bool = True

    def __str__(self) -> str:
        return f"{self.text}: {self.how}" if self.holds else f"{self.text}: NOT SO, {self.how}"


class Limits(NamedTuple):
    """What rows say of an error: their mean loss, and the limits that follow."""

    rows: int
    errors: int | None  # of labels
    mean: float
    both: Interval  # together with probability 1 - delta
    upper: float  # fails with probability delta
    hoeffding: float  # the same by Hoeffding's bound, as the notes print it
    why: str = ""  # a ground that does not hold: then nothing may be claimed

    def __str__(self) -> str:
        upper = f"{rounded_up(self.upper):.4g}" if self.errors is None else percent(self.upper)
        claim = f"nothing may be claimed: {self.why}" if self.why else f"at most {upper}"
        return f"{measure_rows(self.rows, self.errors, self.mean)}, {claim}"


def measure_rows(rows: int, errors: int | None, mean: float, groups: int = 0) -> str:
    """What was counted on the rows.

    >>> measure_rows(600, 12, 0.02), measure_rows(600, 12, 0.03, groups=30)
    ('12 errors in 600 rows, 2.00%', '12 errors in 600 rows in 30 groups, 3.00% by weight')
    """
    over = f"{rows:,} rows" + (f" in {groups:,} groups" if groups else "")
    if errors is None:
        return f"mean loss {mean:.4g} over {over}"
    weighted = "" if abs(mean - errors / rows) < 1e-9 else " by weight"
    return f"{errors:,} errors in {over}, {mean:.2%}{weighted}"


class Fresh(NamedTuple):
    """Fresh rows: how many, how many errors, and the units that are independent of each other, where rows are not."""

    rows: int
    errors: int
    units: Units | None


@dataclass
class Claim(InNotebook):
    """What may be claimed of a model: limits of its error, what they rest on, and the verdict."""

    name: str
    rows: int
    loss: float  # the mean loss on the test rows
    limits: Interval  # of the expected loss, both together with probability 1 - delta
    upper: float  # what may be claimed at most: fails with probability delta
    hoeffding: float  # the same by Hoeffding's bound, as the notes print it
    delta: float
    selected_from: int
    errors: int | None  # of labels
    grounds: list[Ground]
    guarantee: Guarantee
    losses: Any = field(repr=False, default=None)
    interval: tuple[float, float] = (0.0, 1.0)
    groups: int = 0  # so many groups of rows are independent; 0 where the rows are
    rival: Comparison | None = None
    models: dict[str, Limits] = field(default_factory=dict)  # all models that were given, by name
    versus: dict[str, Comparison] = field(default_factory=dict)  # this one and each of the others
    by: dict[Any, Limits] = field(
        default_factory=dict
    )  # for each part of the rows; all hold together
    notes: list[str] = field(default_factory=list)
    judge: Callable[..., Fresh] | None = field(repr=False, default=None)

    @property
    def verdict(self) -> str:
        """promised: all grounds hold, and no fresh rows were checked yet; vacuous: a ground does not hold."""
        return "promised" if all(g.holds for g in self.grounds) else "vacuous"

    @property
    def certificate(self) -> Certificate:
        why = "; ".join(str(g) for g in self.grounds if not g.holds)
        found = Verdict(self.guarantee, self.verdict, why, "", self.loss, self.upper)
        return Certificate([found], fresh=self.check)

    @property
    def sentence(self) -> str:
        """The claim in one sentence, for a report."""
        if self.verdict != "promised":
            return "nothing may be claimed: " + "; ".join(
                str(g) for g in self.grounds if not g.holds
            )
        what = "error" if self.errors is not None else "expected loss"
        among = (
            f", chosen among {self.selected_from:,} by these rows" if self.selected_from > 1 else ""
        )
        return f"with {1 - self.delta:.4g} confidence the {what} is at most {self.shown(self.upper)}{among}"

    def shown(self, v: float) -> str:
        """An upper limit as it is printed, rounded up."""
        return percent(v) if self.errors is not None else f"{rounded_up(v):.4g}"

    def __str__(self) -> str:
        sure = f"{1 - self.delta:.4g} confidence"
        seen = measure_rows(self.rows, self.errors, self.loss, self.groups)
        if self.errors is None:
            seen += f", losses in [{self.interval[0]:g}, {self.interval[1]:g}]"
        lines = [f"{self.name}: {self.verdict}", self.sentence, f"measured: {seen}"]
        if self.verdict == "promised":
            low, high = (f"{v:.4g}" if self.errors is None else f"{v:.2%}" for v in self.limits)
            lines += [
                f"both limits: between {low} and {high}, with {sure} ({self.guarantee.id})",
                f"by Hoeffding's bound: at most {self.shown(self.hoeffding)} (T-VALIDATION)",
            ]
        lines += [*self.tables, "it rests on:", *[f"  {g}" for g in self.grounds], *self.notes]
        return "\n  ".join(lines)

    @property
    def tables(self) -> list[str]:
        """The rival, the other models and the parts of the rows, line by line."""
        together = f"what is claimed holds together with {1 - self.delta:.4g} confidence"
        lines = [str(self.rival)] if self.rival is not None else []
        if self.models:
            lines.append(f"{len(self.models):,} models; {together}:")
            lines += [f"  {name}: {found}" for name, found in self.models.items()]
        lines += [
            f"{self.name} and {other}: {c.against(other)}" for other, c in self.versus.items()
        ]
        if self.by:
            lines.append(f"{len(self.by):,} parts of the rows; {together}:")
            lines += [f"  {name}: {found}" for name, found in self.by.items()]
        return lines

    def check(
        self,
        X: Any,
        y: Any = None,
        delta: float = 0.001,
        *,
        groups: Any = None,
        weights: Any = None,
    ) -> Certificate:
        """Check the claim on fresh rows: kept, broken, or unknown where they are too few to tell.

        Broken: so many errors would come with probability below delta if the claim were true. Kept: so few would come
        with probability below delta if the error were above the claim. The binomial tests are exact; where the claim
        is about rows in groups, or of different weights, give those of the fresh rows.
        """
        if self.errors is None or self.judge is None:
            raise BadInput("check: only a claim about labels can be held against fresh rows")
        delta = confidence(delta)
        fresh = self.judge(X, y, groups, weights)
        if self.verdict != "promised":
            return self.certificate
        many, few = chances(fresh, self.upper)
        why = f"{fresh.errors:,} errors in {fresh.rows:,} fresh rows"
        mean = fresh.errors / fresh.rows if fresh.units is None else fresh.units.mean
        if many < delta:
            word = "broken"
        elif few < delta:
            word = "kept"
        else:
            word, why = "unknown", f"{why} cannot tell: more rows are needed"
        return Certificate([Verdict(self.guarantee, word, why, "", mean, self.upper)])

    def report(self, path: str | Path = "claim.html") -> Path:
        """One page: the claim, a picture of the limits as the rows came, and what it rests on."""
        from ..report.claim import report_claim

        return report_claim(self, path)


def chances(fresh: Fresh, error: float) -> tuple[float, float]:
    """At least the chances of so many errors, and of so few, where the error is this."""
    if fresh.units is not None:
        return chance_of_more(fresh.units, error), chance_of_less(fresh.units, error)
    from scipy.stats import binom

    k, m = fresh.errors, fresh.rows
    return float(binom.sf(k - 1, m, error)), float(binom.cdf(k, m, error))


def percent(v: float) -> str:
    """An upper limit in percent, rounded up, so that what is printed may be claimed too.

    >>> percent(0.114446), percent(0.25), percent(7.75e-05)
    ('11.45%', '25.00%', '0.0078%')
    """
    digits = 4 if v >= 0.1 else 3 if v >= 0.01 else 2
    shown = 100.0 * rounded_up(v, digits)
    return f"{shown:.2f}%" if digits > 2 else f"{shown:.2g}%"
