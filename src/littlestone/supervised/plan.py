"""How many test rows a claim takes, and what so many rows can show: `ls.plan`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.intervals import at_most
from ..core.notebook import InNotebook
from .class_sizes import Sizes, check_size, number, sizes, whole

MOST = 1_000_000  # the exact search goes up to so many rows


@dataclass(frozen=True)
class Plan(InNotebook):
    """A number of rows, the claim that they are to show, and how sure one may be to succeed."""

    rows: int  # the fewest with which the claim succeeds often enough
    every: int  # from here on any number of rows succeeds often enough
    errors: int  # how many errors the claim allows among `rows`
    claim: float
    expect: float
    confidence: float
    power: float  # the chance to succeed with `rows`, if the error is `expect`
    hoeffding: int  # rows by Hoeffding's bound instead

    def __str__(self) -> str:
        more = f" (any number of rows from {self.every:,})" if self.every > self.rows else ""
        return (
            f"label {self.rows:,} rows{more}: with at most {self.errors:,} errors among them, the error is at most "
            f"{self.claim:.4g} with {self.confidence:.4g} confidence.\n"
            f"If the error really is {self.expect:.4g}, that succeeds with probability {self.power:.3f}. "
            f"Hoeffding's bound would ask for {self.hoeffding:,} rows."
        )


def plan(
    claim: float | None = None,
    expect: float = 0.0,
    confidence: float = 0.95,
    power: float = 0.9,
    *,
    rows: int | None = None,
    selected_from: int = 1,
    hypotheses: int | None = None,
    vc: int | None = None,
    kind: str = "realisable",
) -> Plan | Sizes:
    """How many rows to label for a claim; or, with `rows`, the smallest claim that so many rows can show.

    claim          the error is to be claimed to be at most this
    expect         what the error probably is
    confidence     of the claim
    power          the chance that the claim succeeds, if the error is `expect`
    selected_from  how many models the test rows will choose from
    hypotheses     instead: rows that training on a class of so many hypotheses takes; or with `rows`, the claim that
                   so many rows allow
    vc             the same for a class of this VC dimension, such as `theory.vc_dimension` finds
    kind           what is claimed of the class: "realisable", "uniform" or "agnostic"

    >>> print(plan(claim=0.05))
    label 59 rows: with at most 0 errors among them, the error is at most 0.05 with 0.95 confidence.
    If the error really is 0, that succeeds with probability 1.000. Hoeffding's bound would ask for 600 rows.
    >>> found = plan(claim=0.05, expect=0.03)
    >>> found.rows, found.every
    (832, 900)
    >>> print(plan(claim=0.1, hypotheses=100))
    77 rows: any of 100 hypotheses without an error on them has error at most 0.1, with 0.95 confidence (realisable)
    >>> print(plan(rows=5000, vc=3))
    5,000 rows: any of the hypotheses of a class of VC dimension 3 without an error on them has error at most 0.01705, \
with 0.95 confidence (realisable)

    Exact binomial tails; finite classes by T-PAC-FINITE and T-UC-FINITE, others by T-PAC-VC. Ledger: A7.6.
    """
    check_size("confidence", confidence)
    delta = (1.0 - confidence) / whole("selected_from", selected_from)
    if hypotheses is not None or vc is not None:
        if selected_from > 1:
            raise BadInput("selected_from is about test rows; a class counts its hypotheses itself")
        return sizes(claim, rows, hypotheses, vc, kind, confidence)
    check_size("power", power)
    if not 0.0 <= number("expect", expect) < 1.0:
        raise BadInput(f"expect must be an error in [0, 1), not {expect!r}")
    if rows is not None:
        return shown_by(whole("rows", rows), claim, expect, confidence, power, delta)
    if claim is None:
        raise BadInput(
            "claim: say which error is to be claimed (claim=0.05), or how many rows there are (rows=200)"
        )
    check_size("claim", claim)
    below(expect, claim)
    first, every = search(claim, expect, delta, power)
    k = int(most_errors(np.array([first]), claim, delta)[0])
    wide = math.sqrt(math.log(1.0 / delta)) + (
        math.sqrt(math.log(1.0 / (1.0 - power))) if expect > 0.0 else 0.0
    )
    hoeffding = math.ceil(wide**2 / (2.0 * (claim - expect) ** 2))
    return Plan(first, every, k, claim, expect, confidence, chance(first, k, expect), hoeffding)


def below(expect: float, claim: float) -> None:
    if not expect < claim:
        raise BadInput(
            f"expect={expect:g} is not below claim={claim:g}: no number of rows shows that an error is at most what "
            "it is; claim more, or expect less"
        )


def most_errors(m: Any, claim: float, delta: float) -> Any:
    """The most errors k among m rows with P(Bin(m, claim) <= k) <= delta: the claim succeeds; -1 where none does."""
    from scipy.stats import binom

    k = binom.ppf(delta, m, claim)  # the least k with P(Bin <= k) >= delta
    over = binom.cdf(k, m, claim) > delta
    return np.where(over, k - 1, k).astype(np.int64)


def chance(m: Any, k: Any, error: float) -> Any:
    """The chance of at most k errors among m rows."""
    from scipy.stats import binom

    found = np.where(np.asarray(k) >= 0, binom.cdf(k, m, error), 0.0)
    return float(found) if found.ndim == 0 else found


def search(claim: float, expect: float, delta: float, power: float) -> tuple[int, int]:
    """The fewest rows, and the number from which on any will do. The chance to succeed goes up and down with m.

    The normal approximation says where to look; the numbers are exact. The table is made wider until it begins with
    failures only and ends with successes only.
    """
    from scipy.special import ndtri

    spread = -ndtri(delta) * math.sqrt(claim * (1.0 - claim))
    spread += max(0.0, ndtri(power)) * math.sqrt(expect * (1.0 - expect))
    # with fewer rows than the first the claim fails, even without an error among them
    about = max(1.0, math.log(delta) / math.log1p(-claim), (spread / (claim - expect)) ** 2)
    if about > MOST:
        raise BadInput(
            f"about {about:.2g} rows would be needed: claim={claim:g} is too close to expect={expect!r}"
        )
    low, high = max(1, int(0.5 * about)), int(1.5 * about) + 64
    while True:
        m = np.arange(low, high + 1)
        good = chance(m, most_errors(m, claim, delta), expect) >= power
        quarter = max(1, len(m) // 4)
        if low > 1 and good[:quarter].any():
            low = max(1, low // 2)
        elif not good[-quarter:].all():
            high *= 2
        else:
            break
    last = int(np.flatnonzero(~good).max(initial=-1))
    return low + int(np.argmax(good)), low + last + 1


def shown_by(
    rows: int, claim: float | None, expect: float, confidence: float, power: float, delta: float
) -> Plan:
    """What `rows` rows can show: the smallest claim that reaches `power`, or the power of `claim` where it is given."""
    from scipy.stats import binom

    if claim is None:
        k = int(binom.ppf(power, rows, expect))
        claim = at_most(k, rows, delta)
    else:
        check_size("claim", claim)
        below(expect, claim)
        k = int(most_errors(np.array([rows]), claim, delta)[0])
        if k < 0:
            least = math.ceil(math.log(delta) / math.log1p(-claim) - 1e-9)
            raise BadInput(
                f"{rows:,} rows cannot show an error of at most {claim:g}, even without an error among them: that "
                f"takes {least:,}"
            )
    found = chance(rows, k, expect)
    gap = claim - expect
    hoeffding = math.ceil(math.log(1.0 / delta) / (2.0 * gap**2)) if gap > 0.0 else 0
    return Plan(rows, rows, k, claim, expect, confidence, found, hoeffding)


@dataclass(frozen=True)
class Crowd:
    """The chance that the majority of a crowd is wrong, exactly and by three bounds."""

    exact: float
    chernoff: float
    simple: float
    hoeffding: float


def crowd(voters: int, edge: float) -> Crowd:
    """How often the majority of an odd number of independent voters is wrong, each right with probability 1/2 + edge.

    >>> crowd(101, 0.1).exact < 0.03
    True

    The bounds, for n = 2 T + 1 voters of whom mu = n (1/2 + edge) are right on average: Chernoff
    exp(-(mu - T)^2 / (2 mu)), simplified exp(-4 edge^2 T / 5), Hoeffding exp(-2 (mu - T)^2 / n).
    Ledger: A4.5; T-CROWD.
    """
    from scipy.stats import binom

    n = whole("voters", voters)
    if n % 2 == 0:
        raise BadInput(f"voters must be odd, so that there is a majority, not {n}")
    if not 0.0 < number("edge", edge) < 0.5:
        raise BadInput(f"edge must be in (0, 1/2), not {edge!r}")
    T, mu = n // 2, n * (0.5 + edge)
    return Crowd(
        float(binom.cdf(T, n, 0.5 + edge)), math.exp(-((mu - T) ** 2) / (2.0 * mu)),
        math.exp(-4.0 * edge**2 * T / 5.0), math.exp(-2.0 * (mu - T) ** 2 / n),
    )  # fmt: skip
