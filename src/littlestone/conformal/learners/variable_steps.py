"""What trackers share whose steps change from round to round."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.guarantee import Symbols
from ...core.scratch import Buffer
from ...games import Missed
from .misses import (
    NOTED,
    THEN,
    MissRecord,
    count_miss,
    empty_record,
    excess,
    note_worst,
    noted_then,
    track_worst_round,
    waited,
    width,
)

STEPS_NOTED = (
    *NOTED,
    "turns",
    "stride",
    *noted_then("highest", "lowest", "turns", "stride"),
)


class State(NamedTuple):
    q: float  # the threshold
    last: float  # 1 / the last step, 0 before the first
    turns: float  # how much 1 / step has changed, summed up over the rounds
    stride: float  # the largest step so far
    record: MissRecord
    d: Buffer  # the decision


def stepped(state: State, alpha: float, step: float, f: Missed) -> State:
    """The state after a round in which the threshold makes this step."""
    missed = max(f.below, f.above)
    turns, stride = state.turns + abs(1.0 / step - state.last), max(state.stride, step)
    seen = count_miss(state.record, alpha, missed, max(f.low, f.high))
    E, B = excess(seen, alpha), seen.top - seen.bottom
    # how late truths would have to be for the bound to hold: so rounds are ordered alike for every delay
    seen = track_worst_round(seen, alpha, (E / turns - B) / stride, (-E / turns - B) / stride)
    for side in range(2):
        if seen.worst[side, THEN] == seen.rounds:
            seen.worst[side, THEN + 3] = turns
            seen.worst[side, THEN + 4] = stride
    return State(state.q + step * (missed - alpha), 1.0 / step, turns, stride, seen, state.d)


def first() -> State:
    """The state before the first round."""
    return State(0.0, 0.0, 0.0, 0.0, empty_record(), np.zeros(2))


def bound(s: Symbols) -> float:
    """(B + (1 + d) max eta_t) sum_t |1/eta_t - 1/eta_(t-1)|."""
    return float((width(s) + (1 + waited(s)) * s.stride) * s.turns)


def noted_steps(state: State, M: Any) -> None:
    """Write down what the theorem uses, in the order of `STEPS_NOTED`."""
    M[2], M[3], M[4], M[5] = state.record.top, state.record.bottom, state.turns, state.stride
    note_worst(state.record.worst, M, 6, 5)
