"""What trackers share whose steps change from round to round."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.guarantee import Symbols
from ..core.stream import Array
from ..games import Missed
from .misses import NOTED, MissRecord, counted, empty_record, noted, waited, width

STEPS_NOTED = (*NOTED, "turns", "stride")


class State(NamedTuple):
    q: float  # the threshold
    last: float  # 1 / the last step, 0 before the first
    turns: float  # how much 1 / step has changed, summed up over the rounds
    stride: float  # the largest step so far
    record: MissRecord
    d: Array  # the decision


def stepped(state: State, alpha: float, step: float, f: Missed) -> State:
    """The state after a round in which the threshold makes this step."""
    missed = max(f.below, f.above)
    seen = counted(state.record, alpha, missed, max(f.low, f.high))
    return State(
        state.q + step * (missed - alpha), 1.0 / step, state.turns + abs(1.0 / step - state.last),
        max(state.stride, step), seen, state.d,
    )  # fmt: skip


def first() -> State:
    """The state before the first round."""
    return State(0.0, 0.0, 0.0, 0.0, empty_record(), np.zeros(2))


def bound(s: Symbols) -> float:
    """(B + (1 + d) max eta_t) sum_t |1/eta_t - 1/eta_(t-1)|."""
    return float((width(s) + (1 + waited(s)) * s.stride) * s.turns)


def noted_steps(state: State, M: Any) -> None:
    """Write down what the theorem uses, in the order of `STEPS_NOTED`."""
    noted(state.record, M)
    M[4], M[5] = state.turns, state.stride
