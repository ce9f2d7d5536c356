"""Two models on the same rows: which one errs less, and by how much at most and at least."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.intervals import Interval, binomial
from .group_limits import Units, both_limits, chance_of_less, chance_of_more, units_of


class Comparison(NamedTuple):
    """Rows on which just one of two models is right."""

    rows: int
    only_model: int  # the model is right and the rival is wrong
    only_rival: int
    gain: float  # the rival's error less the model's, on these rows
    p: float  # the chance of a split at least as uneven, were both equally good; times `among`, at most 1
    share: Interval  # among rows on which just one is right, how often the model is; with probability 1 - delta
    difference: Interval  # the model's error less the rival's, with probability at least 1 - delta
    delta: float
    among: int = 1  # so many comparisons were made on these rows: they hold together
    groups: int = 0  # so many groups of rows are independent; 0 where the rows are
    why: str = ""  # a ground that does not hold: then nothing may be claimed

    @property
    def verdict(self) -> str:
        """Which model is better, at this level."""
        if self.why:
            return "vacuous"
        if self.p > self.delta:
            return "cannot tell"
        return "better" if self.gain > 0.0 else "worse"

    def __str__(self) -> str:
        return f"rival: {self.against('the rival')}"

    def against(self, rival: str) -> str:
        """What came of it, with the rival's name."""
        if self.why:
            return f"nothing may be claimed: {self.why}"
        more = "" if self.verdict == "cannot tell" else f" than {rival}"
        many = f", corrected for {self.among:,} comparisons" if self.among > 1 else ""
        over = f" over {self.groups:,} groups" if self.groups else ""
        return (
            f"{self.verdict}{more}; it alone is right on {self.only_model:,} rows, {rival} alone on "
            f"{self.only_rival:,} (p = {self.p:.2g}{over}{many}): a share in {self.share}"
        )


def compare(
    wrong: Any, rival: Any, delta: float, among: int = 1, group: Any = None, weights: Any = None
) -> Comparison:
    """An exact paired comparison: only rows count on which the two differ.

    p: given how many rows differ, which model is right on each is a fair coin if both are equally good (the sign
    test); its share of these rows has limits that agree with p. The difference of the errors is
    P(only the rival is right) - P(only the model is right), each with exact limits that fail with probability delta/2:
    a cautious interval, which may hold 0 where p is small.

    Where these rows chose the model among N, `among` is N: a rival that was fixed beforehand was compared with all of
    them, so each comparison is made at delta/N, and p is N times as large. Rows in groups, or of different weights, are
    compared by the limits of T-VALIDATION-GROUPS, and then p, share and difference agree.

    >>> print(compare(np.arange(100) < 2, np.arange(100) < 12, 0.05))
    rival: better than the rival; it alone is right on 10 rows, the rival alone on 0 (p = 0.002): a share \
in [0.6915, 1]
    >>> compare(np.arange(100) < 2, np.arange(100) < 12, 0.05, among=200).verdict
    'cannot tell'

    Dixon and Mood (1946); Clopper and Pearson (1934). Ledger: T-PAIRED.
    """
    wrong, rival = np.asarray(wrong, bool), np.asarray(rival, bool)
    m, level = len(wrong), delta / among
    gains, losses = ~wrong & rival, wrong & ~rival
    b, c = int(gains.sum()), int(losses.sum())
    if group is not None or weights is not None:
        gain, p, share, limits = over_units(gains, losses, level, group, weights)
    else:
        gain = (b - c) / m
        p, share, limits = over_rows(b, c, m, level)
    groups = 0 if group is None else len(np.unique(group))
    return Comparison(m, b, c, gain, min(1.0, among * p), share, limits, delta, among, groups)


def over_rows(b: int, c: int, m: int, delta: float) -> tuple[float, Interval, Interval]:
    """The chance, the share and the difference, by exact tests over independent rows."""
    from scipy.stats import binomtest

    p = float(binomtest(b, b + c).pvalue) if b + c else 1.0
    more, less = binomial(b / m, m, delta / 2.0), binomial(c / m, m, delta / 2.0)
    limits = Interval(less.low - more.high, less.high - more.low)
    return p, binomial(b / (b + c), b + c, delta) if b + c else Interval(0.0, 1.0), limits


def over_units(
    gains: Any, losses: Any, delta: float, group: Any, weights: Any
) -> tuple[float, float, Interval, Interval]:
    """The same over groups, or weighted rows: (1 + loss of the model - loss of the rival) / 2 lies in [0, 1]."""
    units = units_of((1.0 + losses - 1.0 * gains) / 2.0, group, weights)
    p = min(1.0, 2.0 * min(chance_of_less(units, 0.5), chance_of_more(units, 0.5)))
    half = both_limits(units, delta)
    differ = units_of(1.0 * (gains | losses), group, weights).loss
    share = Interval(0.0, 1.0)
    if differ.any():
        won = units_of(1.0 * gains, group, weights).loss
        share = both_limits(Units(differ, np.minimum(won, differ), units.largest), delta)
    limits = Interval(2.0 * half.low - 1.0, 2.0 * half.high - 1.0)
    return 1.0 - 2.0 * units.mean, p, share, limits
