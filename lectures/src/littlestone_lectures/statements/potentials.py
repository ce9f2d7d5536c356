"""Potentials of one round: Hoeffding's lemma, the mix loss, progress in relative entropy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from littlestone.falsify.statement import Statement

ETAS = (0.1, 0.5, 1.0, 2.0, 8.0)


def laws(n: int) -> Iterator[tuple[Any, Any, float]]:
    """A law on n points (weights, values in [0, 1]) and a rate; corners first, then at random."""
    rng = np.random.default_rng(n)
    for corner in product((0.0, 1.0), repeat=n):
        for cut in product((1, 3), repeat=n):
            for s in ETAS:
                yield np.array(cut) / sum(cut), np.array(corner), s
    for _ in range(2000):
        p, x = rng.dirichlet(np.full(n, rng.choice((0.2, 1.0, 5.0)))), rng.random(n)
        yield p, (np.round(x) if rng.random() < 0.3 else x), float(10 ** rng.uniform(-3, 1.5))


def hoeffding(i: Any) -> tuple[float, float]:
    """ln E e^(-eta X) + eta E X <= eta^2 / 8 for X in [0, 1]; in units of the right side."""
    p, x, eta = i
    left = math.log(float(p @ np.exp(-eta * x))) + eta * float(p @ x)
    return left / (eta * eta / 8), 1.0


HOEFFDING = Statement(
    "T-HOEFFDING",
    "ln E exp(s X) <= s E X + s^2 (b - a)^2 / 8 for X in [a, b]",
    hoeffding,
    laws,
    (1, 2, 3, 4, 5),
    attained=True,
    how="laws on n points of [0, 1]: corners, and at random",
    short=3,
)


def runs(n: int) -> Iterator[tuple[Any, float]]:
    """T x n losses in [0, 1] and a rate."""
    rng = np.random.default_rng(100 + n)
    for _ in range(300):
        T = int(rng.integers(1, 30))
        ell = rng.random((T, n))
        yield (np.round(ell) if rng.random() < 0.5 else ell), float(10 ** rng.uniform(-2, 1.0))


def weights(L: Any, eta: float) -> Any:
    w = np.exp(-eta * (L - L.min()))
    return w / w.sum()


def potential(i: Any) -> tuple[float, float]:
    """The worse of: ln(W_T/W_0) >= -eta min L - ln n, and ln(W_t/W_(t-1)) <= -eta E loss + eta^2/8, as excesses."""
    ell, eta = i
    L, worst = np.zeros(ell.shape[1]), -math.inf
    total = 0.0
    for row in ell:
        p = weights(L, eta)
        step = math.log(float(p @ np.exp(-eta * row)))
        worst = max(worst, (step + eta * float(p @ row)) / (eta * eta / 8) - 1.0)
        total += step
        L = L + row
    first = -eta * float(L.min()) - math.log(len(L)) - total
    return max(worst, first), 0.0


EWA_POT = Statement(
    "T-EWA-POT",
    "ln(W_T/W_0) >= -eta min_i L_i - ln n, and ln(W_t/W_(t-1)) <= -eta E loss + eta^2/8 in every round",
    potential,
    runs,
    (1, 2, 3, 4, 8),
    how="losses in [0, 1] of up to 30 rounds, at random",
    short=3,
)


def rounds(n: int) -> Iterator[tuple[Any, Any, Any, float]]:
    """Weights v, losses >= 0 (some large), a comparator u, a rate."""
    rng = np.random.default_rng(200 + n)
    for _ in range(4000):
        v, ell = rng.dirichlet(np.full(n, 0.5)) + 1e-12, rng.random(n) * 10.0 ** rng.integers(-2, 3)
        u = np.eye(n)[rng.integers(n)] if rng.random() < 0.7 else rng.dirichlet(np.ones(n))
        yield v / v.sum(), ell, u, float(10 ** rng.uniform(-2, 0.7))


def entropy_to(u: Any, v: Any) -> float:
    positive = u > 0
    return float((u[positive] * np.log(u[positive] / v[positive])).sum())


def progress(i: Any) -> tuple[float, float]:
    v, ell, u, eta = i
    w = np.log(v) - eta * ell
    w = w - w.max()
    after = np.maximum(np.exp(w) / np.exp(w).sum(), 1e-300)
    gain = (entropy_to(u, v) - entropy_to(u, after)) / eta
    return float(v @ ell - u @ ell) - gain, eta / 2 * float(v @ ell**2)


HEDGE_PROG = Statement(
    "T-HEDGE-PROG",
    "v.ell - u.ell <= (d(u, v) - d(u, v'))/eta + (eta/2) sum_i v_i ell_i^2 for losses >= 0",
    progress,
    rounds,
    (1, 2, 3, 5),
    how="weights, losses of all sizes, comparators: at random",
    short=2,
)


def entropic(y: float, p: Any) -> Any:
    with np.errstate(divide="ignore"):
        return -np.log(p) if y == 1.0 else -np.log1p(-np.asarray(p))


def predictions(n: int) -> Iterator[tuple[Any, Any, Any, float]]:
    rng = np.random.default_rng(300 + n)
    for _ in range(3000):
        yield (
            rng.dirichlet(np.ones(n)),
            rng.uniform(1e-3, 1 - 1e-3, n),
            rng.dirichlet(np.ones(n)),
            float(rng.integers(2)),
        )


def equation(i: Any) -> tuple[float, float]:
    v, x, u, y = i
    after = v * np.exp(-entropic(y, x))
    after = after / after.sum()
    left = float(entropic(y, float(v @ x))) - float(u @ entropic(y, x))
    return left, entropy_to(u, v) - entropy_to(u, after)


WA_EN_EQ = Statement(
    "T-WA-EN-EQ",
    "entropic loss, eta = 1, outcomes 0 and 1: loss - sum_i u_i loss_i = d(u, v) - d(u, v')",
    equation,
    predictions,
    (1, 2, 3, 6),
    equal=True,
    how="weights, advice, comparators: at random",
    short=2,
)


def squares(n: int) -> Iterator[tuple[Any, Any, float]]:
    """Weights, advice in [0, 1], an outcome; ends of the interval often."""
    rng = np.random.default_rng(400 + n)
    for _ in range(4000):
        x = rng.random(n)
        y = float(rng.random())
        x = np.where(rng.random(n) < 0.4, np.round(x), x)
        yield rng.dirichlet(np.full(n, 0.7)), x, (float(round(y)) if rng.random() < 0.6 else y)


def mix(v: Any, x: Any, y: float, eta: float) -> float:
    return -math.log(float(v @ np.exp(-eta * (y - x) ** 2))) / eta


def averaged(i: Any) -> tuple[float, float]:
    v, x, y = i
    return (y - float(v @ x)) ** 2 - mix(v, x, y, 0.5), 0.0


def substituted(i: Any) -> tuple[float, float]:
    v, x, y = i
    p = 0.5 + 0.5 * (mix(v, x, 0.0, 2.0) - mix(v, x, 1.0, 2.0))
    return (y - p) ** 2 - mix(v, x, y, 2.0), 0.0


WA_MIX = Statement(
    "T-WA",
    "one round, square loss on [0, 1], eta = 1/2: the loss of the weighted average is at most the mix loss",
    averaged,
    squares,
    (1, 2, 3, 5),
    attained=True,
    how="weights, advice, outcomes: at random, ends often",
    short=2,
)
AA_MIX = Statement(
    "T-AA-SQ",
    "one round, square loss on [0, 1], eta = 2: the loss of Vovk's prediction is at most the mix loss",
    substituted,
    squares,
    (1, 2, 3, 5),
    attained=True,
    how="weights, advice, outcomes: at random, ends often",
    short=2,
)


def betas(size: int) -> Iterator[float]:
    yield from (float(e) for e in np.linspace(0.0, 0.6, 2001)[1:])


def twice(eps: float) -> tuple[float, float]:
    b = math.log(2 / (2 - eps))
    return max(math.log(1 / (1 - eps)) / b / (2 + eps), 1 / b / (2 / eps)), 1.0


WM_2REGRET = Statement(
    "T-WM-2REGRET",
    "a = ln(1/beta)/ln(2/(1+beta)) <= 2 + eps and b = 1/ln(2/(1+beta)) <= 2/eps for beta = 1 - eps, eps <= 0.6",
    twice,
    betas,
    (1,),
    attained=True,
    how="2000 values of eps",
)

STATEMENTS = (HOEFFDING, EWA_POT, HEDGE_PROG, WA_EN_EQ, WA_MIX, AA_MIX, WM_2REGRET)
