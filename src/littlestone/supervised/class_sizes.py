"""How many rows training on a class of hypotheses takes, and what so many rows allow: sizes of the PAC theorems."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.intervals import rounded_up
from ..core.notebook import InNotebook

KINDS = ("realisable", "uniform", "agnostic")
MOST = 1 << 50  # rows that are searched for
WIDEST = 10_000_000  # VC dimension


@dataclass(frozen=True)
class Sizes(InNotebook):
    """Rows that training on a class of hypotheses takes, and the claim that they allow."""

    hypotheses: int | None  # how many there are, where the class is finite
    vc: int | None  # else its VC dimension
    kind: str
    rows: int
    claim: float
    confidence: float

    def __str__(self) -> str:
        far = f"{rounded_up(self.claim):.4g}"
        n = f"the hypotheses of a class of VC dimension {self.vc}"
        if self.hypotheses is not None:
            n = f"{self.hypotheses:,} hypotheses"
        what = {
            "realisable": f"any of {n} without an error on them has error at most {far}",
            "uniform": f"every one of {n} has its error within {far} of what they show",
            "agnostic": f"the best of {n} on them is within {far} of the best there is",
        }[self.kind]
        return f"{self.rows:,} rows: {what}, with {self.confidence:.4g} confidence ({self.kind})"


def sizes(
    claim: float | None,
    rows: int | None,
    hypotheses: int | None,
    vc: int | None,
    kind: str,
    confidence: float,
) -> Sizes:
    """Rows from a claim, or a claim from rows, for a finite class or one of a VC dimension.

    >>> (
    ...     sizes(0.1, None, 100, None, "uniform", 0.95).rows,
    ...     sizes(None, 415, 100, None, "uniform", 0.95).claim < 0.1,
    ... )
    (415, True)
    """
    if (claim is None) == (rows is None):
        raise BadInput(
            "claim: of a class of hypotheses, say how far off the error may be (claim=0.1) or how many rows there are "
            "(rows=1000): one of the two"
        )
    if hypotheses is not None and vc is not None:
        raise BadInput(
            "hypotheses and vc: say one of the two, how many there are or their VC dimension"
        )
    if kind not in KINDS:
        raise BadInput(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
    delta = 1.0 - confidence
    H = None if hypotheses is None else whole("hypotheses", hypotheses)
    d = None if vc is None else whole("vc", vc, 0)
    if d is not None and d > WIDEST:
        raise BadInput(f"vc must be at most {WIDEST:,}, not {d:,}")

    def gap(m: int) -> float:
        return finite_gap(H, m, kind, delta) if H is not None else vc_gap(d or 0, m, kind, delta)

    if rows is not None:
        m = whole("rows", rows)
        return Sizes(H, d, kind, m, min(1.0, gap(m)), confidence)
    check_size("claim", claim)
    return Sizes(H, d, kind, fewest(gap, float(claim or 0.0)), float(claim or 0.0), confidence)


def finite_gap(H: int, m: int, kind: str, delta: float) -> float:
    """What m rows allow for H hypotheses: ln(H/delta)/m; sqrt(ln(2H/delta)/(2m)); twice that.

    Ledger: T-PAC-FINITE, T-UC-FINITE.
    """
    if kind == "realisable":
        return math.log(H / delta) / m
    return (1.0 if kind == "uniform" else 2.0) * math.sqrt(math.log(2.0 * H / delta) / (2.0 * m))


def vc_gap(d: int, m: int, kind: str, delta: float) -> float:
    """What m rows allow for a class of VC dimension d: it shows at most P = C(2m, 0) + ... + C(2m, d) patterns on 2m.

    realisable  2 lg(2 P/delta) / m: some hypothesis of error e has none on the rows with chance at most
                2 P 2^(-e m / 2), for e m >= 1 (T-TWO-SAMPLES, T-HALVES)
    uniform     sqrt(8 ln(4 P/delta) / m): some hypothesis is off by e with chance at most 4 P exp(-m e^2 / 8)
    agnostic    twice that (T-REPRESENTATIVE)

    Vapnik and Chervonenkis (1971); Anthony and Bartlett (1999), theorem 4.3. Ledger: T-PAC-VC.
    """
    nats = log_sauer(2 * m, d)
    if kind == "realisable":
        return 2.0 * (nats + math.log(2.0 / delta)) / (math.log(2.0) * m)
    return (1.0 if kind == "uniform" else 2.0) * math.sqrt(8.0 * (nats + math.log(4.0 / delta)) / m)


def log_sauer(n: int, d: int) -> float:
    """The logarithm of C(n, 0) + ... + C(n, d).

    >>> from littlestone.theory import sauer
    >>> (
    ...     abs(log_sauer(200, 11) - math.log(sauer(200, 11))) < 1e-9,
    ...     log_sauer(5, 9) == 5 * math.log(2),
    ... )
    (True, True)
    """
    from scipy.special import gammaln, logsumexp

    if d >= n:
        return n * math.log(2.0)
    i = np.arange(d + 1.0)
    if n > 1 << 30:  # differences of large logarithms would lose digits: C(n, i) is a product
        logs = np.concatenate([[0.0], np.cumsum(np.log((n - i[:-1]) / i[1:]))])
    else:
        logs = gammaln(n + 1.0) - gammaln(i + 1.0) - gammaln(n - i + 1.0)
    return float(logsumexp(logs))


def fewest(gap: Any, claim: float) -> int:
    """The fewest rows for a claim, from which on any number will do.

    `gap` falls with m: it is a constant plus the logarithm of Sauer's sum, over m; and that logarithm is concave in m,
    since C(m, 0) + ... + C(m, d) grows by the factor 1 + (the same sum to d - 1) / (the sum to d), which falls.
    """
    good = 1
    while gap(good) > claim * (1.0 + 1e-12):
        good *= 2
        if good > MOST:
            raise BadInput(f"claim={claim:g} takes more than {MOST:.2g} rows; claim more")
    bad = good // 2  # 0 rows show nothing
    while good - bad > 1:
        m = (good + bad) // 2
        good, bad = (m, bad) if gap(m) <= claim * (1.0 + 1e-12) else (good, m)
    return good


def number(name: str, v: Any) -> float:
    if isinstance(v, bool) or not isinstance(v, (int, float, np.number)) or v != v:
        raise BadInput(f"{name} must be a number, not {v!r}")
    return float(v)


def check_size(name: str, v: Any) -> None:
    if not 0.0 < number(name, v) < 1.0:
        raise BadInput(f"{name} must be in (0, 1), not {v!r}")


def whole(name: str, v: Any, least: int = 1) -> int:
    if isinstance(v, bool) or not isinstance(v, (int, np.integer)) or v < least:
        raise BadInput(f"{name} must be a whole number, {least} or more, not {v!r}")
    return int(v)
