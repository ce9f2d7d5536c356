"""What bandits for independent losses share: counts and means, choices of one arm, and what their theorems assume."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.guarantee import Assumption, Symbols
from ..core.scratch import Buffer
from ..core.stream import Array
from ..games import Offer, Pulled, available


class ArmMeans(NamedTuple):
    """The state of a learner that looks at the mean loss of each arm alone."""

    N: Array  # pulls of each arm
    S: Array  # the sum of the losses that it showed, each in [0, 1]
    v: Buffer  # the decision
    t: int  # rounds learned from


def no_pulls(n: int) -> ArmMeans:
    """The state before the first pull of any of n arms."""
    return ArmMeans(np.zeros(n), np.zeros(n), np.zeros(n), 0)


def count_pull(state: ArmMeans, f: Pulled) -> ArmMeans:
    """The state after one more pull."""
    state.N[f.arm] += 1.0
    state.S[f.arm] += f.loss
    return ArmMeans(state.N, state.S, state.v, state.t + 1)


def untried(N: Any, x: Offer) -> int:
    """The first arm at hand that was never pulled, or -1."""
    for i in range(N.shape[0]):
        if N[i] == 0.0 and available(x, i):
            return i
    return -1


def surely(v: Any, arm: int) -> Any:
    """The decision for one arm."""
    for i in range(v.shape[0]):
        v[i] = 0.0
    v[arm] = 1.0
    return v


# What theorems about independent losses assume.

IID = Assumption(
    "losses of an arm are independent, with one mean",
    lambda s: None if s.iid else str(s.iid_why),
    "declared",
)
UNIT = Assumption(
    "losses lie in [0, 1]",
    lambda s: None if s.B == 1.0 else f"their interval has the length {s.B:g}",
)


def gaps(s: Symbols) -> Array:
    """How much worse each arm is than the best, in units of the interval; the best ones left out."""
    g = np.asarray(s.gaps, float) / s.B
    found: Array = g[g > 0.0]
    return found
