"""The corridor of T-COVER: a tail that has missed too often is infinite until it has caught up."""

from __future__ import annotations

import math

from ...core.guarantee import Guarantee, Symbols
from .misses import waited

PUSH, BRAKE = 0.3, 0.95  # how strongly E acts on the thresholds, and where below 0 that ends
FARTHEST = 500.0  # a threshold is not stretched by more than e^500: it is infinite


def corridor(rounds: float, kappa: float, late: float) -> float:
    """H(t) = kappa sqrt(t + 1) + d."""
    return kappa * math.sqrt(rounds + 1.0) + late


def pushed(spread: float, E: float, H: float, sharp: int, more: float) -> float:
    """The spread of a tail, stretched by exp(more) and by its misses so far: infinite where E >= H."""
    if E >= H:
        return math.inf
    if E <= -H and sharp == 1:
        return -math.inf
    p = more + PUSH * math.tan(0.5 * math.pi * max(E / H, -BRAKE))
    if p > FARTHEST:
        return math.inf
    return float(spread) * math.exp(p if spread > 0.0 else -p)  # infinite where it overflows


def above(s: Symbols) -> float:
    tail = (1.0 - s.level) / 2
    return float(corridor(s.T, s.kappa, s.late) + (waited(s) + 1) * (1 - tail))


def below(s: Symbols) -> float:
    tail = (1.0 - s.level) / 2
    return float(corridor(s.T, s.kappa, s.late) + (waited(s) + 1) * tail)


T_COVER = Guarantee(
    "T-COVER",
    "coverage of each tail",
    "misses of each tail - (alpha/2) T <= H + (d + 1)(1 - alpha/2) after every round, H = kappa sqrt(T + 1) + late, "
    "whatever the scores, with feedback that is d rounds late",
    "direct: a tail that has missed too often is infinite until it has caught up",
    above,
    against="none",
    measures="over",
    uses=("T", "level", "kappa", "late", "crowd"),
    late=True,
)
T_COVER_BELOW = Guarantee(
    "T-COVER-BELOW",
    "coverage of each tail, too few misses",
    "(alpha/2) T - misses of each tail <= H + (d + 1) alpha/2 after every round, H = kappa sqrt(T + 1) + late, "
    "whatever the scores, with feedback that is d rounds late, where sharp = 1",
    "direct: a tail that has missed too seldom misses surely until it has caught up",
    below,
    against="none",
    measures="under",
    uses=("T", "level", "kappa", "late", "crowd"),
    when=lambda s: s.sharp == 1,
    late=True,
)
