"""Errata about mixtures: progress in relative entropy, Vovk's rate, and Hedge for mistakes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

from littlestone.falsify.erratum import Erratum

from .drawing import chart


def entropic(y: float, p: float) -> float:
    total = 0.0
    for a, b in ((y, p), (1 - y, 1 - p)):
        total += a * math.log(a / b) if a > 0 else 0.0
    return total


def mixtures(n: int) -> Iterator[tuple[float, tuple[float, ...], tuple[float, ...]]]:
    """An outcome, advice, and weights on a grid."""
    for y in (0.0, 0.5, 1.0, 0.25):
        for x in product((0.25, 0.5, 0.75), repeat=n):
            for cut in product((1, 2, 3), repeat=n):
                yield y, x, tuple(c / sum(cut) for c in cut)


def progress(i: Any) -> tuple[float, float]:
    """Loss less that of expert 1, and d(u, v) - d(u, v') for u = e_1."""
    y, x, v = i
    mixed = sum(a * b for a, b in zip(v, x, strict=True))
    weights = [a * math.exp(-entropic(y, b)) for a, b in zip(v, x, strict=True)]
    after = weights[0] / sum(weights)
    return entropic(y, mixed) - entropic(y, x[0]), math.log(after / v[0])


WA_EQ = Erratum(
    "E-WA-EQ",
    "weighted average, entropic loss: loss - L_i = d(e_i, v_t) - d(e_i, v_(t+1)) for outcomes in [0, 1]",
    progress,
    "it is at most that, and equal for outcomes 0 and 1",
    lambda i: (
        progress(i)[0] if i[0] not in (0.0, 1.0) else progress(i)[1] + abs(progress(i)[0] - progress(i)[1]),
        progress(i)[1],
    ),
    "an outcome in {0, 1/4, 1/2, 1}, advice in {1/4, 1/2, 3/4}^n, weights in ratios of 1, 2, 3",
    mixtures,
    (1, 2, 3, 4),
    equal=True,
    right_equal=False,
    show=lambda i: f"y = {i[0]}, x = {i[1]}, v = {tuple(round(w, 3) for w in i[2])}",
    short=3,
)  # fmt: skip

OUTCOMES = (0.0, 0.25, 0.5, 0.75, 1.0)


def averaging(T: int, eta: float, vovk: bool) -> float:
    """The largest regret of two constant experts 0 and 1 over all outcomes on a grid, exactly.

    Losses are y^2 and (1-y)^2, so the weights depend on the sum of 2y - 1 alone; in quarters that is a whole number.
    """

    @cache
    def value(lead: int, left: int) -> float:
        if left == 0:
            return max(0.0, lead / 2.0) if lead > 0 else 0.0
        w = 1 / (
            1 + math.exp(min(700.0, -eta * lead / 2.0))
        )  # the weight of expert 1, which lost lead / 2 less
        best = -math.inf
        for y in OUTCOMES:
            p = substituted(w, eta) if vovk else w
            step = round(4 * y) - 2
            # regret to expert 0 is counted; the better of the two is chosen at the end
            best = max(best, (p - y) ** 2 - y * y + value(lead + step, left - 1))
        return best

    return value(0, T)


def substituted(w: float, eta: float) -> float:
    """Vovk's prediction for advice (0, 1)."""
    g = [
        -math.log((1 - w) * math.exp(-eta * y * y) + w * math.exp(-eta * (1 - y) ** 2)) / eta
        for y in (0, 1)
    ]
    return 0.5 + 0.5 * (g[0] - g[1])


def draw_averages() -> str:
    T = list(range(1, 61))
    return chart(
        "Worst regret under the square loss, two experts, exactly",
        "T",
        [
            ("average, eta = 2", T, [averaging(t, 2.0, False) for t in T]),
            ("average, eta = 1/2", T, [averaging(t, 0.5, False) for t in T]),
            ("Vovk, eta = 2", T, [averaging(t, 2.0, True) for t in T]),
            ("ln(2) / 2", T, [math.log(2) / 2] * len(T)),
        ],
    )


SIM = Erratum(
    "E-SIM",
    "the weighted average at eta = 2 has a regret of at most ln(n) / 2 under the square loss",
    lambda T: (averaging(T, 2.0, False), math.log(2) / 2),
    "Vovk's prediction at eta = 2 has; the weighted average at eta = 1/2 has at most 2 ln n",
    lambda T: (
        max(averaging(T, 2.0, True) / (math.log(2) / 2), averaging(T, 0.5, False) / (2 * math.log(2))),
        1.0,
    ),
    "T rounds, experts that always say 0 and 1, every sequence of outcomes in {0, 1/4, 1/2, 3/4, 1}, exactly",
    lambda T: iter((T,)),
    tuple(range(1, 31)),
    show=lambda T: f"T = {T}: regret {averaging(T, 2.0, False):.4f} > {math.log(2) / 2:.4f}",
    picture=draw_averages,
)  # fmt: skip

# Hedge for mistakes with the prediction in place of the label.


def drawn(y: tuple[int, ...], label: bool) -> float:
    """Expected mistakes of Hedge over the experts -1 and +1; the update uses the label, or what was predicted."""
    T = len(y)
    eta = math.sqrt(2 * math.log(2) / T)

    def value(a: int, b: int, t: int) -> float:
        if t == T:
            return 0.0
        up = 1 / (1 + math.exp(eta * (b - a)))  # b: errors charged to +1, a: to -1
        total = 0.0
        for guess, chance in ((1, up), (-1, 1 - up)):
            truth = y[t] if label else guess
            total += chance * ((guess != y[t]) + value(a + (truth != -1), b + (truth != 1), t + 1))
        return total

    value = cache(value)
    return value(0, 0, 0)


def signs(T: int) -> Iterator[tuple[int, ...]]:
    yield from product((1, -1), repeat=T)


HEDGE01 = Erratum(
    "E-HEDGE01",
    "Hedge for mistakes, charging |h(x) - prediction| / 2: expected mistakes <= M_i + sqrt(2 T ln n)",
    lambda y: (drawn(y, False), min(y.count(1), y.count(-1)) + math.sqrt(2 * len(y) * math.log(2))),
    "charging |h(x) - label| / 2",
    lambda y: (drawn(y, True), min(y.count(1), y.count(-1)) + math.sqrt(2 * len(y) * math.log(2))),
    "two experts that always say -1 and +1, every sequence of T labels; expectations exact",
    signs,
    tuple(range(1, 10)),
    show=lambda y: f"labels {y}",
    short=8,
)

ERRATA = (WA_EQ, SIM, HEDGE01)
