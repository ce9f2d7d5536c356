"""Bandits: importance weights, EXP3's lemma and its expectation, unbiased estimates."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from littlestone.falsify.statement import Statement

from .exp3 import expected_loss


def draws(n: int) -> Iterator[tuple[Any, Any]]:
    rng = np.random.default_rng(n)
    for _ in range(500):
        yield rng.dirichlet(np.ones(n)), rng.random(n)


def importance(i: Any) -> tuple[float, float]:
    """The largest difference between the two sides of the four equations, over the n draws."""
    v, ell = i
    n = len(v)
    hat = np.array([[ell[j] / v[j] if j == a else 0.0 for j in range(n)] for a in range(n)])
    mean, square = v @ hat, v @ hat**2
    parts = [
        np.abs(mean - ell).max(),
        np.abs(square * v - ell**2).max(),
        abs(v @ (hat**2 @ v) - (ell**2).sum()),
        abs(v @ (hat @ v) - v @ ell),
    ]
    return float(max(parts)), 0.0


IW = Statement(
    "T-IW",
    "importance weighted losses: their mean is the loss, that of their squares loss^2/v, that of v.hat^2 sum loss^2",
    importance,
    draws,
    (1, 2, 3, 5),
    equal=True,
    how="weights and losses at random, all draws",
    short=2,
)  # fmt: skip


def bandit_runs(n: int) -> Iterator[tuple[Any, float, int]]:
    rng = np.random.default_rng(n)
    for seed in range(300):
        T = int(rng.integers(1, 40))
        yield np.round(rng.random((T, n))), float(10 ** rng.uniform(-2, 0.5)), seed


def surely(i: Any) -> tuple[float, float]:
    """Along one run of draws: the regret in weighted losses to the best arm, and what the lemma allows."""
    ell, eta, seed = i
    _T, n = ell.shape
    rng, L = np.random.default_rng(seed), np.zeros(n)
    lost, squares = 0.0, 0.0
    for row in ell:
        w = np.exp(-eta * (L - L.min()))
        v = w / w.sum()
        a = int(rng.choice(n, p=v))
        hat = row[a] / v[a]
        lost += v[a] * hat
        squares += v[a] * hat**2
        L[a] += hat
    return lost - float(L.min()), math.log(n) / eta + eta / 2 * squares


EXP3_LEMMA = Statement(
    "T-EXP3-LEMMA",
    "surely: sum_t v_t.hat_t - u.hat_t <= ln n/eta + (eta/2) sum_ti v_ti hat_ti^2",
    surely,
    bandit_runs,
    (2, 3, 5),
    how="losses 0 and 1 at random, one run of draws each",
    short=2,
)


def oblivious(T: int) -> Iterator[tuple[tuple[float, ...], ...]]:
    """All 0/1 losses of n arms with n T <= 10."""
    for n in (2, 3):
        if n * T <= 10:
            yield from product(product((0.0, 1.0), repeat=n), repeat=T)


def in_expectation(losses: Any) -> tuple[float, float]:
    T, n = len(losses), len(losses[0])
    best = min(sum(ell[j] for ell in losses) for j in range(n))
    lost = expected_loss(losses, math.sqrt(2 * math.log(n) / (n * T)))
    return lost - best, math.sqrt(2 * T * n * math.log(n))


EXP3 = Statement(
    "T-EXP3",
    "EXP3 at eta = sqrt(2 ln n/(n T)): expected regret <= sqrt(2 n T ln n) for losses fixed beforehand",
    in_expectation,
    oblivious,
    (1, 2, 3, 4, 5),
    how="all 0/1 losses with n T <= 10, expectations by recursion",
    show=lambda losses: f"losses {losses}",
    short=3,
)


def tanks(n: int) -> Iterator[int]:
    yield n


TANK = Statement(
    "T-TANK",
    "X uniform on 1..n: E X = (n+1)/2, E(2X - 1) = n",
    lambda n: (float(sum(Fraction(2 * x - 1, n) for x in range(1, n + 1))), n),
    tanks,
    tuple(range(1, 51)),
    equal=True,
    how="fractions",
)


def coins(size: int) -> Iterator[tuple[Fraction, Fraction]]:
    for a in range(1, size + 1):
        for x in range(size + 1):
            yield Fraction(a, size), Fraction(x, size)


IWCOIN = Statement(
    "T-IWCOIN",
    "E[(X/p) [heads]] = X for a coin of probability p > 0",
    lambda i: (float(i[0] * (i[1] / i[0])), float(i[1])),
    coins,
    (1, 2, 3, 7, 10),
    equal=True,
    how="fractions",
)

STATEMENTS = (IW, EXP3_LEMMA, EXP3, TANK, IWCOIN)
