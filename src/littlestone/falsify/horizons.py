"""Worlds in which theorems about bandits bite: as many arms, and as long, as their bounds need to be near.

A bound of the form c sqrt(n T) is near where a single good arm has to be found among many, in a few rounds an arm; one
of the form c ln(T) / gap where T is so large that ln(T) outweighs what is added to it.

How near a stochastic bound can be is known to first order, from how often a bad arm of this gap is pulled:

    UCB1     until sqrt(2 ln T / N) is the gap: N = 2 ln T / gap^2, against 8 ln T / gap^2 in the bound: 1/4
    KL-UCB   until N KL(mean, best) is ln(1 + T ln^2 T), against what its bound adds to that (`ceiling`)
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..core.guarantee import Symbols
from ..core.registry import learners
from ..core.stream import Array
from ..natures.arms import Arms

ADVERSARIAL = (
    "T-EXP3",
    "T-EXP3-EXPLORING",
    "T-EXP3-TUNED",
    "T-EXP3-IX",
    "T-EXP3-IX-MEAN",
    "T-TSALLIS-INF",
    "T-MOSS",
)
MANY = ((32, 256), (128, 1024))  # arms and rounds
SEEDS = 100
FEW = 20  # seeds of a long run
MEANS = {
    "T-UCB": (0.35, 0.65),
    "T-KL-UCB": (0.4, 0.6),
    "T-THOMPSON": (0.0, 1.0),
    "T-TSALLIS-LOG": (0.0, 1.0),
}
ROUNDS = {"T-UCB": 1_000_000, "T-KL-UCB": 100_000, "T-THOMPSON": 10_000, "T-TSALLIS-LOG": 100_000}


class World(NamedTuple):
    """Rounds of a bandit, or arms that draw them, and how they are played."""

    name: str
    rounds: Any
    options: dict[str, Any]
    T: int
    n: int
    seeds: int


def needle(n: int, T: int) -> Array:
    """One arm loses nothing, all others lose 1 in every round."""
    y = np.ones((T, n))
    y[:, -1] = 0.0
    return y


def biting(id: str, seeds: int = 0) -> Iterator[World]:
    """The worlds for one theorem; none where it has no entry."""
    if id in ADVERSARIAL:
        for n, T in MANY:
            yield World("one good arm of many", needle(n, T), {}, T, n, seeds or SEEDS)
    if id in MEANS:
        T = ROUNDS[id]
        means = MEANS[id]
        name = f"arms that lose {means[0]:g} and {means[1]:g} on average"
        yield World(name, Arms(list(means)), {"rounds": T}, T, 2, seeds or FEW)


@functools.cache
def ceiling(T: float) -> float:
    """The largest ratio of T-KL-UCB over two arms, if it pulls the bad one no more than to first order."""
    g = next(g for g in learners()["kl-ucb"].guarantees if g.id == "T-KL-UCB")
    level = math.log1p(T * math.log(T) ** 2)
    best = 0.0
    for centre in (0.1, 0.3, 0.5, 0.7, 0.9):
        for half in (0.001, 0.01, 0.05, 0.09):
            low, high = centre - half, centre + half
            kl = high * math.log(high / low) + (1 - high) * math.log((1 - high) / (1 - low))
            bound = float(g.bound(Symbols(T=T, means=np.array([low, high]))))
            best = max(best, (high - low) * level / kl / bound)
    return best
