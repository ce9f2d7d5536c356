"""Two models on the same rows: which one errs less, and by how much at most and at least."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.intervals import Interval, binomial


class Comparison(NamedTuple):
    """Rows on which just one of two models is right."""

    rows: int
    only_model: int  # the model is right and the rival is wrong
    only_rival: int
    p: float  # the chance of a split at least as uneven, were both equally good on these rows
    share: Interval  # among rows on which just one is right, how often the model is; with probability 1 - delta
    difference: Interval  # the model's error less the rival's, with probability at least 1 - delta
    delta: float

    @property
    def verdict(self) -> str:
        """Which model is better, at this level."""
        if self.p > self.delta:
            return "cannot tell"
        return "better" if self.only_model > self.only_rival else "worse"

    def __str__(self) -> str:
        more = "" if self.verdict == "cannot tell" else " than the rival"
        return (
            f"rival: {self.verdict}{more}; it alone is right on {self.only_model:,} rows, the rival alone on "
            f"{self.only_rival:,} (p = {self.p:.2g}): a share in {self.share}"
        )


def compare(wrong: Any, rival: Any, delta: float) -> Comparison:
    """An exact paired comparison: only rows count on which the two differ.

    p: given how many rows differ, which model is right on each is a fair coin if both are equally good (the sign
    test); its share of these rows has limits that agree with p. The difference of the errors is
    P(only the rival is right) - P(only the model is right), each with exact limits that fail with probability delta/2:
    a cautious interval, which may hold 0 where p is small.

    >>> print(compare(np.arange(100) < 2, np.arange(100) < 12, 0.05))
    rival: better than the rival; it alone is right on 10 rows, the rival alone on 0 (p = 0.002): a share \
in [0.6915, 1]

    Dixon and Mood (1946); Clopper and Pearson (1934). Ledger: T-PAIRED.
    """
    from scipy.stats import binomtest

    wrong, rival = np.asarray(wrong, bool), np.asarray(rival, bool)
    m = len(wrong)
    b, c = int((~wrong & rival).sum()), int((wrong & ~rival).sum())
    p = float(binomtest(b, b + c).pvalue) if b + c else 1.0
    gains, losses = binomial(b / m, m, delta / 2.0), binomial(c / m, m, delta / 2.0)
    limits = Interval(losses.low - gains.high, losses.high - gains.low)
    share = binomial(b / (b + c), b + c, delta) if b + c else Interval(0.0, 1.0)
    return Comparison(m, b, c, p, share, limits, delta)
