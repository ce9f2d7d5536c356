"""Drifting experts: each grows better and worse, slowly."""

from __future__ import annotations

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Array
from ..encode.stream import Stream
from .in_memory import in_memory


def drifting_experts(
    rounds: int = 1000,
    experts: int = 16,
    wave: bool = False,
    speed: float = 0.02,
    seed: int = 0,
) -> tuple[Array, Array, Array]:
    """Advice, outcomes, and how wrong each expert was in each round: its error e in [0, 1].

        y ~ U(0, 1), u ~ U(0, 1);  advice x = (1 - e) y + e u, so that E (y - x)^2 = e^2 / 6
        walk: e starts anywhere and moves by N(0, speed^2) a round, reflected at 0 and 1
        wave: e = (1 + sin(2 pi (speed t + i/n))) / 2: the experts are best in turn

    >>> advice, outcomes, error = drifting_experts(rounds=3, experts=2, speed=0.0)
    >>> bool((error == error[0]).all())
    True
    """
    if rounds < 1 or experts < 1 or not (0 <= speed < 1):
        raise BadInput(
            "drifting_experts: needs rounds, experts and a speed in [0, 1), "
            f"not {rounds}, {experts} and {speed:g}"
        )
    rng = np.random.default_rng(seed)
    if wave:
        turn = speed * np.arange(rounds)[:, None] + np.arange(experts) / experts
        error = 0.5 * (1 + np.sin(2 * np.pi * turn))
    else:
        steps = rng.normal(0.0, speed, (rounds, experts))
        steps[0] = rng.random(experts)
        walk = np.mod(np.cumsum(steps, axis=0), 2.0)
        error = np.minimum(walk, 2.0 - walk)  # a walk on a circle, folded: reflected at both ends
    y = rng.random(rounds)
    advice = (1 - error) * y[:, None] + error * rng.random((rounds, experts))
    return advice, y, error


def drifting_stream(
    seed: int = 0,
    *,
    rounds: int = 1000,
    experts: int = 16,
    wave: bool = False,
    speed: float = 0.02,
) -> Stream:
    """`drifting_experts` as a stream."""
    advice, outcomes, _ = drifting_experts(rounds, experts, wave, speed, seed)
    return in_memory(advice, outcomes, "drifting experts")
