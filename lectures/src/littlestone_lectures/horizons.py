"""Rounds in which bounds of bandits are nearly attained: with enough arms, and long enough.

A bound of the form c sqrt(n T) is near where a single good arm has to be found among many, in a few rounds an arm; one
of the form c ln(T) / gap where T is so large that ln(T) outweighs what is added to it.

How near a stochastic bound can be is known to first order, from how often a bad arm of this gap is pulled:

    UCB1     until sqrt(2 ln T / N) is the gap: N = 2 ln T / gap^2, against 8 ln T / gap^2 in the bound: 1/4; in short
             runs the largest ratio is computed (`largest_of_ucb`), in very long ones it is bounded (`most_of_ucb`)
    KL-UCB   until N KL(mean, best) is ln(1 + T ln^2 T), against what its bound adds to that (`ceiling`)
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from littlestone.core.guarantee import Symbols
from littlestone.core.registry import learners
from littlestone.core.stream import Array
from littlestone.environments.arms import Arms

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
FEW = 20  # so many seeds of a long run are played
# the means of two arms and how many rounds they are played for; where that is one, the bad arm comes first
LONG = {
    "T-UCB": (((1.0, 0.0), 1), ((0.2, 0.7), 1000), ((0.35, 0.65), 1_000_000)),
    "T-KL-UCB": (((1.0, 0.0), 1), ((0.4, 0.6), 100_000)),
    "T-THOMPSON": (((0.0, 1.0), 10_000),),
    "T-TSALLIS-LOG": (((0.0, 1.0), 100_000),),
}


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
    for means, T in LONG.get(id, ()):
        name = f"arms that lose {means[0]:g} and {means[1]:g} on average"
        many = FEW if T > 10_000 else SEEDS
        yield World(name, Arms(list(means)), {"rounds": T}, T, 2, seeds or many)


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


def pulls_of_ucb(means: tuple[float, float], T: int) -> list[tuple[float, float]]:
    """The expected number of pulls of each of two coins by UCB1 after 1, 2, …, T rounds, summed over all outcomes.

    >>> pulls_of_ucb((0.0, 1.0), 3)
    [(1.0, 0.0), (1.0, 1.0), (2.0, 1.0)]
    """
    known: dict[tuple[int, int, int, int], float] = {(0, 0, 0, 0): 1.0}  # pulls and losses
    mean, found = [0.0, 0.0], []
    for t in range(T):
        then: dict[tuple[int, int, int, int], float] = {}
        c = 2.0 * math.log(max(t, 1))
        for (a, b, x, y), chance in known.items():
            first = a == 0 or (b > 0 and x / a - math.sqrt(c / a) <= y / b - math.sqrt(c / b))
            mean[0 if first else 1] += chance
            for lost in (0, 1):
                p = means[0 if first else 1]
                p = p if lost else 1.0 - p
                if p > 0.0:
                    state = (a + 1, b, x + lost, y) if first else (a, b + 1, x, y + lost)
                    then[state] = then.get(state, 0.0) + chance * p
        known = then
        found.append((mean[0], mean[1]))
    return found


@functools.cache
def largest_of_ucb(T: int, steps: int = 10) -> tuple[float, int]:
    """The largest ratio of T-UCB over two coins of a grid of means in up to T rounds, and in how many it is reached."""
    worst, at = 0.0, 0
    for i in range(steps + 1):
        for j in range(steps + 1):
            gap = (i - j) / steps
            if gap > 0.0:  # the first arm is the bad one
                for t, (bad, _) in enumerate(pulls_of_ucb((i / steps, j / steps), T), 1):
                    part = gap * bad / (8 * math.log(t) / gap + (1 + math.pi**2 / 3) * gap)
                    worst, at = max((worst, at), (part, t))
    return worst, at


def most_of_ucb(T: float) -> float:
    """A bound on the ratio of T-UCB for all arms, by Hoeffding's inequality.

    A bad arm is pulled again only if its index, or not that of the best arm, is below the best mean. With a =
    sqrt(2 ln T) the first happens at most 1 + (a^2 + sqrt(pi/2) a + 1/2) / gap^2 times on average, the second at most
    sum_t t^-3 < 0.203 times (from round 3 on), and one pull comes before both.
    """
    a = math.sqrt(2.0 * math.log(T))
    worst = 0.0
    for gap in (0.0, 1.0):  # the ratio is monotone in gap^2
        pulls = a * a + math.sqrt(math.pi / 2.0) * a + 0.5 + 2.203 * gap
        worst = max(worst, pulls / (4.0 * a * a + (1 + math.pi**2 / 3) * gap))
    return worst
