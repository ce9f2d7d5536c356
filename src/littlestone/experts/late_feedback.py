"""What Tracker adds when outcomes come late: how late they are, and Hedge, which does not track.

None of it has a part in a run whose outcomes come at once.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..core.numeric import decay
from ..core.stream import Array

KNOWN = 64  # decisions that it knows again
HEDGE_RATE = 2.0  # 1/eta of Hedge, in sqrt(Q)


class Late(NamedTuple):
    """What is known of late outcomes."""

    first: Array  # KNOWN: the first weight of the decision after each of the last updates
    C: Array  # n: the losses of the experts since the first late outcome
    lag: float = 0.0  # of the last outcome
    lags: float = 0.0  # the sum of all lags; 0: every outcome came at once
    before: float = 0.0  # the sum of the ranges of the losses before the first late outcome
    own: float = 0.0  # the losses of Hedge
    best: float = 0.0  # what any mixture of the experts has lost in those rounds, at least


def waited(late: Late, p: Array, w: Array, t: int) -> float:
    """The lag of an outcome: how many others were learned from, of t in all, since the decision p was made.

    `w` is what would be decided now. The learner knows its last decisions again by their first weight. One that it
    does not know is older: the very first decision, or one that waited as long as the last. No theorem depends on
    the lag, only rates do.
    """
    if p[0] == w[0]:
        return 0.0
    first, last = late.first, int(late.lag)
    if last <= t and last < KNOWN and first[(t - last) % KNOWN] == p[0]:
        return late.lag
    for lag in range(min(t + 1, KNOWN)):
        if first[(t - lag) % KNOWN] == p[0]:
            return float(lag)
    if p[0] == 1.0 / p.shape[0]:
        return float(t)
    return max(late.lag, float(min(t, KNOWN)))


def hedge(C: Array, ell: Array, inv: float, p: Array) -> float:
    """Into p: p_i ∝ exp(-C_i / inv), after the losses ell; what C . u may exceed: -inv ln sum_i exp(-C_i / inv)."""
    best, mass = math.inf, 0.0
    for i in range(p.shape[0]):
        C[i] += ell[i]
        best = min(best, C[i])
    for i in range(p.shape[0]):
        p[i] = decay((best - C[i]) / inv)
        mass += p[i]
    for i in range(p.shape[0]):
        p[i] /= mass
    return best - inv * math.log(mass)
