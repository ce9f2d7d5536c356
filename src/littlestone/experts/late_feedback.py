"""How late outcomes come, as Tracker finds it out."""

from __future__ import annotations

from typing import NamedTuple

from ..core.stream import Array

KNOWN = 64  # decisions that it knows again


class Late(NamedTuple):
    """What is known of late outcomes."""

    first: Array  # KNOWN: the first weight of the decision after each of the last updates
    lag: float = 0.0  # of the last outcome
    lags: float = 0.0  # the sum of all lags; 0: every outcome came at once


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
