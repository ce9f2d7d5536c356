"""Errata about projected gradient descent, on the interval [-1, 1] with slopes -1 and +1."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

from littlestone.falsify.erratum import Erratum

from .drawing import chart

Slopes = tuple[int, ...]


def slopes(T: int) -> Iterator[tuple[Slopes, int]]:
    """Slopes of T rounds, and the first point: the centre or the right end."""
    for g in product((1, -1), repeat=T):
        for first in (0, 1):
            yield g, first


def clip(x: float) -> float:
    return max(-1.0, min(1.0, x))


def points(
    g: Slopes, first: float, eta: list[float], lazy: bool = False, project: bool = True
) -> list[float]:
    """The points played, and the one after the last round."""
    theta, total, found = float(first), 0.0, [float(first)]
    for slope, rate in zip(g, eta, strict=True):
        total += slope
        far = first - rate * total if lazy else theta - rate * slope
        theta = clip(far) if project else far
        found.append(theta)
    return found


def regret(g: Slopes, played: list[float]) -> float:
    return sum(a * b for a, b in zip(g, played, strict=False)) + abs(sum(g))


def fixed(T: int, D: float) -> list[float]:
    return [D / math.sqrt(T)] * T


def falling(T: int, D: float) -> list[float]:
    return [D / math.sqrt(t) for t in range(1, T + 1)]


def in_words(i: Any) -> str:
    return f"slopes {i[0]}, first point {i[1]}"


def radius(i: Any) -> tuple[float, float]:
    g, first = i
    return regret(g, points(g, first, fixed(len(g), 1.0))), math.sqrt(len(g))


def distance(i: Any) -> tuple[float, float]:
    g, first = i
    D = 1.0 + abs(first)
    return regret(g, points(g, first, fixed(len(g), D))), D * math.sqrt(len(g))


SPACE = "[-1, 1], T slopes -1 or +1, every sequence, from the centre or from an end"


def draw_regret() -> str:
    T = list(range(1, 41))
    return chart(
        "Regret on [-1, 1], slopes +1, from the right end",
        "T",
        [
            ("at R / sqrt T", T, [radius(((1,) * t, 1))[0] for t in T]),
            ("the printed bound", T, [math.sqrt(t) for t in T]),
            ("at D / sqrt T", T, [distance(((1,) * t, 1))[0] for t in T]),
            ("D sqrt T", T, [2 * math.sqrt(t) for t in T]),
        ],
    )


PGD_DIAM = Erratum(
    "E-PGD-DIAM",
    "projected gradient at eta = R / (L sqrt T): regret <= R L sqrt T, R the radius, from any first point",
    radius,
    "eta = D / (L sqrt T): regret <= D L sqrt T, D the largest distance from the first point",
    distance,
    SPACE,
    slopes,
    tuple(range(1, 13)),
    show=in_words,
    short=9,
    picture=draw_regret,
)
PGD_PROJ = Erratum(
    "E-PGD-PROJ",
    "the next point, argmin over all theta of |theta - (theta_t - eta g)|, lies in the set",
    lambda i: (max(map(abs, points(i[0], i[1], fixed(len(i[0]), 1.0), project=False))), 1.0),
    "the argmin over the set does, and the regret is at most D L sqrt T at eta = D / (L sqrt T)",
    lambda i: (
        max(max(map(abs, points(i[0], i[1], fixed(len(i[0]), 1.0)))), distance(i)[0] / distance(i)[1]),
        1.0,
    ),
    SPACE,
    slopes,
    tuple(range(1, 11)),
    show=in_words,
    short=8,
)  # fmt: skip


def apart(i: Any) -> tuple[float, float]:
    g, first = i
    eta = [0.5] * len(g)
    a, b = points(g, first, eta), points(g, first, eta, lazy=True)
    return max(abs(x - y) for x, y in zip(a, b, strict=True)), 0.0


def both(i: Any) -> tuple[float, float]:
    """The larger of the two regrets, and the bound that they share."""
    g, first = i
    D = 1.0 + abs(first)
    eta = fixed(len(g), D)
    return max(regret(g, points(g, first, eta, lazy)) for lazy in (False, True)), D * math.sqrt(
        len(g)
    )


FTRL = Erratum(
    "E-FTRL",
    "projected gradient is follow the regularized leader: both play the same points",
    apart,
    "they differ once a projection moves a point; both have a regret of at most D L sqrt T",
    both,
    SPACE + "; eta = 1/2 for the printed claim",
    slopes,
    tuple(range(1, 13)),
    show=in_words,
    short=9,
)


def anytime(C: float, D: float) -> Any:
    def sides(i: Any) -> tuple[float, float]:
        g, first = i
        return regret(g, points(g, first, falling(len(g), D))), C * D * math.sqrt(len(g))

    return sides


ANYTIME_C = Erratum(
    "E-ANYTIME-C",
    "eta_t = D / (L sqrt t), D the diameter: regret <= D L sqrt T",
    anytime(1.0, 2.0),
    "regret <= (3/2) D L sqrt T",
    anytime(1.5, 2.0),
    SPACE,
    slopes,
    tuple(range(1, 14)),
    show=in_words,
    short=9,
)

ERRATA = (PGD_DIAM, PGD_PROJ, FTRL, ANYTIME_C)
