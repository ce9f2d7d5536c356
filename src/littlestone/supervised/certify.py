"""What may be claimed of a model, from rows that had no part in making it: `ls.certify`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.guarantee import Certificate, Guarantee, Verdict
from ..core.intervals import (
    Interval,
    at_most,
    bernstein_half,
    binomial,
    confidence,
    hoeffding_half,
    rounded_up,
)
from ..core.views import view
from .comparison import Comparison, compare
from .losses_of_rows import labels_differ, losses_of, predicted
from .suspicion import LEVEL, drift, shared_rows

WORD = "on your word"
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


@dataclass(frozen=True)
class Ground:
    """An assumption of the claim, and how it is known to hold."""

    text: str
    how: str  # "on your word", "measured", or what refutes it
    holds: bool = True

    def __str__(self) -> str:
        return f"{self.text}: {self.how}" if self.holds else f"{self.text}: NOT SO, {self.how}"


@dataclass
class Claim:
    """What may be claimed of a model: limits of its error, what they rest on, and the verdict."""

    name: str
    rows: int
    loss: float  # the mean loss on the test rows
    limits: Interval  # of the expected loss, both together with probability 1 - delta
    upper: float  # what may be claimed at most: fails with probability delta
    delta: float
    selected_from: int
    errors: int | None  # of labels
    grounds: list[Ground]
    guarantee: Guarantee
    losses: Any = field(repr=False, default=None)
    range: tuple[float, float] = (0.0, 1.0)
    rival: Comparison | None = None
    notes: list[str] = field(default_factory=list)
    judge: Callable[..., Any] | None = field(repr=False, default=None)

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
        shown = percent(self.upper) if self.errors is not None else f"{rounded_up(self.upper):.4g}"
        return f"with {1 - self.delta:.4g} confidence the {what} is at most {shown}{among}"

    def __str__(self) -> str:
        if self.errors is not None:
            seen = f"{self.errors:,} errors in {self.rows:,} rows, {self.loss:.2%}"
            low, high = (f"{v:.2%}" for v in self.limits)
        else:
            between = f"[{self.range[0]:g}, {self.range[1]:g}]"
            seen = f"mean loss {self.loss:.4g} over {self.rows:,} rows, losses in {between}"
            low, high = (f"{v:.4g}" for v in self.limits)
        lines = [
            f"{self.name}: {self.verdict}",
            self.sentence,
            f"measured: {seen}",
            f"both limits: between {low} and {high}, with {1 - self.delta:.4g} confidence ({self.guarantee.id})",
            *([str(self.rival)] if self.rival is not None else []),
            "it rests on:",
            *[f"  {g}" for g in self.grounds],
            *self.notes,
        ]
        return "\n  ".join(lines)

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(str(self))}</pre>"

    def check(self, X: Any, y: Any = None, delta: float = 0.001) -> Certificate:
        """Check the claim on fresh rows: kept, broken, or unknown where they are too few to tell.

        Broken: so many errors would come with probability below delta if the claim were true. Kept: so few would come
        with probability below delta if the error were above the claim. The binomial tests are exact.
        """
        if self.errors is None or self.judge is None:
            raise BadInput("check: only a claim about labels can be held against fresh rows")
        from scipy.stats import binom

        confidence(delta)
        wrong, _ = self.judge(X, y)
        k, m = int(wrong.sum()), len(wrong)
        if self.verdict != "promised":
            return self.certificate
        if binom.sf(k - 1, m, self.upper) < delta:
            word, why = "broken", f"{k:,} errors in {m:,} fresh rows"
        elif binom.cdf(k, m, self.upper) < delta:
            word, why = "kept", f"{k:,} errors in {m:,} fresh rows"
        else:
            word, why = (
                "unknown",
                f"{k:,} errors in {m:,} fresh rows cannot tell: more rows are needed",
            )
        return Certificate([Verdict(self.guarantee, word, why, "", k / m, self.upper)])

    def report(self, path: str | Path = "claim.html") -> Path:
        """One page: the claim, a picture of the limits as the rows came, and what it rests on."""
        return view("report_claim")(self, path)  # type: ignore[no-any-return]


def certify(
    model: Any,
    X_test: Any = None,
    y_test: Any = None,
    *,
    delta: float = 0.05,
    train: Any = None,
    selected_from: int = 1,
    rival: Any = None,
    loss: Any = "zero-one",
    range: tuple[float, float] | None = None,
    name: str = "",
) -> Claim:
    """What may be claimed of a model, from test rows that had no part in making it.

    model          anything with `predict`, or its predictions: `certify(predictions, None, y)`
    delta          the claim fails with at most this probability
    train          the rows it was trained on: test rows among them refute the claim
    selected_from  how many models these same rows chose this one from
    rival          another model, or its predictions: an exact paired comparison
    loss           "zero-one" for labels; "absolute", "square" or a function of (y, prediction) for numbers, with
    range          the smallest and the largest loss that any row could have: declared, never learned from the rows

    >>> import numpy as np
    >>> truth = np.zeros(200, int)
    >>> print(
    ...     certify(
    ...         np.where(np.arange(200) % 25 == 0, 1, truth),
    ...         None,
    ...         truth,
    ...         selected_from=12,
    ...         name="tree",
    ...     )
    ... )
    tree: promised
      with 0.95 confidence the error is at most 9.19%, chosen among 12 by these rows
      measured: 8 errors in 200 rows, 4.00%
      both limits: between 1.12% and 9.70%, with 0.95 confidence (T-VALIDATION-EXACT)
      it rests on:
        the test rows are independent draws of the rows to come: on your word
        the model did not see the test rows: on your word
        12 models were tried on these rows, no more: on your word
        errors do not drift along the rows: measured, p = 0.56

    The error limits are exact (Clopper and Pearson), at delta/N for a model chosen among N. Ledger: A1.9, A1.13,
    A7.1, A7.2; T-VALIDATION-EXACT, T-VALIDATION-RANGE.
    """
    delta = confidence(delta)
    whole = isinstance(selected_from, (int, np.integer)) and not isinstance(selected_from, bool)
    if not whole or selected_from < 1:
        raise BadInput(
            f"selected_from must be a whole number, 1 or more, not {selected_from!r}: "
            "how many models these rows chose from"
        )
    labels = loss in ("zero-one", "zero_one", "0/1")
    if not labels and range is None:
        raise BadInput(
            f"range: a claim about the {loss if isinstance(loss, str) else 'given'} loss needs the smallest and the "
            "largest loss that any row could have: range=(low, high). Learned from the rows, it would promise too much"
        )
    y, p, X = predicted(model, X_test, y_test)
    notes: list[str] = []
    if labels:
        wrong = labels_differ(y, p, model, notes)
        losses, low, high = wrong.astype(float), 0.0, 1.0
    else:
        losses, low, high = losses_of(y, p, loss, range)
        wrong = losses > np.median(losses)
    share = delta / int(selected_from)
    grounds = grounds_of(X, train, wrong, int(selected_from), low, high, labels)
    m, mean = len(y), float(losses.mean())
    if labels:
        k = int(wrong.sum())
        limits, upper, theorem = binomial(mean, m, share), at_most(k, m, share), EXACT
    else:
        k = None
        half = within(losses, high - low, share / 2.0)
        limits = Interval(mean - half, mean + half).within(low, high)
        upper, theorem = min(high, mean + within(losses, high - low, share)), RANGE
    found = None
    if rival is not None:
        if not labels:
            raise BadInput("rival: the paired comparison is of labels; leave loss= and range= out")
        _, q, _ = predicted(rival, X_test if hasattr(rival, "predict") else None, y)
        found = compare(wrong, labels_differ(y, q, rival, []), delta)
    title = name or (type(model).__name__ if hasattr(model, "predict") else "predictions")

    def judge(X: Any, y: Any) -> tuple[Any, Any]:
        # the claim is about predictions, so `check` takes fresh predictions in the place of rows
        truth, said, _ = predicted(model if hasattr(model, "predict") else X, X, y)
        return labels_differ(truth, said, model, []), truth

    return Claim(
        title, m, mean, limits, upper, delta, int(selected_from), k, grounds, theorem, losses, (low, high), found,
        notes, judge,
    )  # fmt: skip


def percent(v: float) -> str:
    """An upper limit in percent, rounded up, so that what is printed may be claimed too.

    >>> percent(0.114446), percent(0.25), percent(7.75e-05)
    ('11.45%', '25.00%', '0.0078%')
    """
    digits = 4 if v >= 0.1 else 3 if v >= 0.01 else 2
    shown = 100.0 * rounded_up(v, digits)
    return f"{shown:.2f}%" if digits > 2 else f"{shown:.2g}%"


def within(losses: Any, length: float, delta: float) -> float:
    """How far a mean may be below its expectation: the smaller of two distances, each at half of delta."""
    variance = float(losses.var(ddof=1)) if len(losses) > 1 else np.inf
    m = len(losses)
    return min(hoeffding_half(length, m, delta / 2), bernstein_half(variance, m, length, delta / 2))


def grounds_of(
    X: Any, train: Any, wrong: Any, chosen: int, low: float, high: float, labels: bool
) -> list[Ground]:
    """The grounds of the claim, and how each is known."""
    found = [Ground("the test rows are independent draws of the rows to come", WORD)]
    if train is None:
        found.append(Ground("the model did not see the test rows", WORD))
    elif X is None:
        raise BadInput(
            "train: to look for its rows among the test rows, give the test rows (X_test) too"
        )
    else:
        same = shared_rows(X, train)
        how = f"measured, none of them is among {count(train):,} training rows"
        if len(same):
            numbers_shown = ", ".join(str(int(i) + 1) for i in same[:5])
            more = ", …" if len(same) > 5 else ""
            how = f"{len(same):,} of them are training rows (test rows {numbers_shown}{more}): take them out"
        found.append(Ground("the model did not see the test rows", how, not len(same)))
    if chosen > 1:
        found.append(Ground(f"{chosen:,} models were tried on these rows, no more", WORD))
    if not labels:
        found.append(Ground(f"every loss lies in [{low:g}, {high:g}]", WORD))
    p = drift(wrong)
    if p < LEVEL:
        how = f"they lie too early or too late for chance (p = {p:.1g}): the rows are not in random order"
        found.append(Ground("errors do not drift along the rows", how, False))
    else:
        found.append(Ground("errors do not drift along the rows", f"measured, p = {p:.2g}"))
    return found


def count(rows: Any) -> int:
    return int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)
