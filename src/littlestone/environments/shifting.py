"""Shifting experts: in each segment another expert is the good one."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput
from ..core.stream import Array
from ..encode.stream import Stream
from .in_memory import in_memory


def shifting_experts(
    rounds: int = 800,
    experts: int = 64,
    shifts: int = 3,
    typical: float = 1 / 12,
    best: float = 1 / 120,
    seed: int = 0,
) -> tuple[Array, Array, NDArray[np.int64]]:
    """Advice, outcomes, and the best expert of each round: the share simulation of the notes.

        outcomes y = 0; the rounds fall into shifts + 1 segments of equal length
        advice x ~ U(0, sqrt(3 typical)), so that E (y - x)^2 = typical;
        the best expert of the segment x ~ U(0, sqrt(3 best)) instead

    Neighbouring segments have different best experts (all different, where there are enough experts).

    >>> advice, outcomes, best = shifting_experts(rounds=8, experts=4, shifts=3)
    >>> advice.shape, outcomes.shape, len(set(best.tolist()))
    ((8, 4), (8,), 4)

    Herbster & Warmuth (1998). Ledger: X-SIM.
    """
    if experts < 1 or shifts < 0 or rounds < shifts + 1 or (shifts and experts < 2):
        raise BadInput(
            f"shifting_experts: {shifts} shifts need at least {shifts + 1} rounds and 2 experts, "
            f"not {rounds} rounds and {experts} experts"
        )
    if not (0 <= best <= typical <= 1 / 3):
        raise BadInput(
            "shifting_experts: 0 <= best <= typical <= 1/3 keeps the advice in [0, 1], "
            f"not best={best:g}, typical={typical:g}"
        )
    rng = np.random.default_rng(seed)
    segments = shifts + 1
    order = rng.permutation(experts)[np.arange(segments) % experts]
    who = order[np.arange(rounds) * segments // rounds]
    advice = rng.uniform(0.0, math.sqrt(3 * typical), (rounds, experts))
    advice[np.arange(rounds), who] *= math.sqrt(best / typical) if typical else 0.0
    return advice, np.zeros(rounds), who.astype(np.int64)


def shifting_stream(
    seed: int = 0,
    *,
    rounds: int = 800,
    experts: int = 64,
    shifts: int = 3,
    typical: float = 1 / 12,
    best: float = 1 / 120,
) -> Stream:
    """`shifting_experts` as a stream: what `littlestone run` plays when it is given no file."""
    advice, outcomes, _ = shifting_experts(rounds, experts, shifts, typical, best, seed)
    return in_memory(advice, outcomes, "shifting experts")
