"""An erratum about strongly adaptive regret: SAOCP has it, and can be driven to a coverage of one half."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from littlestone.falsify.erratum import Erratum

from .coverage import pinball
from .drawing import chart

LIVES = 8  # an expert born in round t lives LIVES times the largest power of two that divides t
ALPHA, TOP = 0.1, 1.0  # scores lie in [0, TOP]


class Expert:
    """Scale-free gradient descent from the round in which it begins, and what was won by betting on it."""

    def __init__(self, q: float, born: int) -> None:
        self.q, self.born, self.ends = q, born, born + LIVES * (born & -born)
        self.squares = self.w = self.gains = self.won = 0.0

    @property
    def prior(self) -> float:
        return 1.0 / (self.born**2 * (1 + math.floor(math.log2(self.born))))

    def learn(self, t: int, q: float, score: float) -> None:
        g = (pinball(ALPHA, score, q) - pinball(ALPHA, score, self.q)) / TOP
        g = g if self.w > 0.0 else max(g, 0.0)
        self.won += self.w * g
        self.gains += g
        self.w = self.gains / (t - self.born + 1) * (1.0 + self.won)
        slope = ALPHA - (score > self.q)
        self.squares += slope * slope
        self.q -= TOP / math.sqrt(3.0 * self.squares) * slope


def misses(T: int, nature: str, guarded: bool) -> list[int]:
    """The rounds that SAOCP misses; `guarded`: the set is everything where misses - alpha t >= sqrt(t + 1)."""
    experts: list[Expert] = []
    q, E, found = 0.0, 0.0, []
    for t in range(1, T + 1):
        experts = [e for e in experts if t < e.ends] + [Expert(q, t)]
        bets = [e.prior * max(e.w, 0.0) for e in experts]
        bets = bets if sum(bets) > 0.0 else [e.prior for e in experts]
        q = sum(b * e.q for b, e in zip(bets, experts, strict=True)) / sum(bets)
        held = math.inf if guarded and math.sqrt(t) <= E else q
        score = TOP if held < TOP else 0.0
        if nature == "just misses, then zero":
            score = min(max(held, 0.0) + 1e-6, TOP) if t % 2 else 0.0
        missed = int(score > held)
        found.append(missed)
        E += missed - ALPHA
        for e in experts:
            e.learn(t, q, score)
    return found


def natures(T: int) -> Iterator[tuple[int, str]]:
    yield T, "misses when possible"
    yield T, "just misses, then zero"


def excess(i: Any, guarded: bool) -> float:
    T, nature = int(i[0]), str(i[1])
    return sum(misses(T, nature, guarded)) - ALPHA * T


def over_time() -> str:
    T = list(range(1, 401))
    series = []
    for guarded, name in ((False, "SAOCP"), (True, "the same, guarded as in T-COVER")):
        found = misses(len(T), "misses when possible", guarded)
        series.append((name, T, [1.0 - sum(found[:t]) / t for t in T]))
    return chart(
        "Coverage at a level of 0.9, scores 0 and 1, missed when possible",
        "T",
        [*series, ("0.9", T, [0.9] * len(T))],
    )


SAOCP = Erratum(
    "E-SAOCP",
    "SAOCP has small regret on every interval, so it covers: misses - alpha T <= 3 sqrt(T)",
    lambda i: (excess(i, False), 3.0 * math.sqrt(i[0])),
    "guarded as T-COVER is, so that the set is everything where misses - alpha t >= sqrt(t + 1): misses - alpha T <= "
    "sqrt(T + 1) + 1 - alpha",
    lambda i: (excess(i, True), math.sqrt(i[0] + 1.0) + 1.0 - ALPHA),
    "alpha = .1, scores in [0, 1], two natures that see the threshold, T = 2, 4, …, 512",
    natures,
    tuple(2**k for k in range(1, 10)),
    show=lambda i: f"T = {i[0]}, {i[1]}",
    short=8,
    picture=over_time,
)
ERRATA = (SAOCP,)
