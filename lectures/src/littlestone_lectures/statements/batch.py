"""From online to batch: one statement exactly, those in probability by simulation and a one-sided binomial test.

For a statement that may fail with probability delta, the left side is how often it failed in many runs, the right one
the most that a coin of probability delta shows in as many throws, but for one time in a thousand.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from littlestone.falsify.statement import Statement


def thresholds(points: int) -> Iterator[tuple[int, int, int]]:
    """A domain of so many points, the threshold that is true, and m."""
    for target in range(points + 1):
        for m in (1, 2, 3):
            yield points, target, m


def halving(points: int, sample: tuple[int, ...], target: int, x: int) -> int:
    """What halving over all thresholds predicts at x after a sample; ties to 1."""
    alive = [h for h in range(points + 1) if all((z >= h) == (z >= target) for z in sample)]
    return int(2 * sum(x >= h for h in alive) >= len(alive))


def random_stop(i: Any) -> tuple[float, float]:
    """The chance of an error on a fresh point after a random number of rounds below m, and B/m: in fractions."""
    points, target, m = i
    wrong = Fraction(0)
    for t in range(m):
        each = Fraction(1, m * points ** (t + 1))
        for draw in product(range(points), repeat=t + 1):
            wrong += each * (halving(points, draw[:-1], target, draw[-1]) != (draw[-1] >= target))
    return float(wrong), math.floor(math.log2(points + 1)) / m


RANDOM_T = Statement(
    "T-O2B-RANDOM-T",
    "stopped after a uniformly random number of rounds below m, a learner with mistake bound B errs with chance <= B/m",
    random_stop,
    thresholds,
    (1, 2, 3, 5, 7),
    how="halving over thresholds of a uniform domain, in fractions",
    show=lambda i: f"{i[0]} points, threshold {i[1]}, m = {i[2]}",
    short=3,
)  # fmt: skip


def most(delta: float, runs: int) -> int:
    """The 99.9 % quantile of a binomial."""
    from scipy.stats import binom

    return int(binom.ppf(0.999, runs, delta))


def simulations(T: int) -> Iterator[tuple[int, int, float]]:
    for n in (2, 8):
        for delta in (0.3, 0.1, 0.02):
            yield T, n, delta


RUNS = 400


def played(i: Any) -> tuple[Any, Any, Any]:
    """For each of many samples: the mean risk of the mixtures, their mean loss, and the risk of the mean mixture.

    Experts have losses |x_i - y| of means 0.3, ..., 0.7, independent; exponential weights at the rate of T-EWA, so the
    loss of a mixture is linear, and its risk is the mixture of the risks.
    """
    T, n, delta = i
    rng = np.random.default_rng([T, n, int(1000 * delta)])
    risk = np.linspace(0.3, 0.7, n)
    ell = (rng.random((RUNS, T, n)) < risk).astype(float)
    eta = math.sqrt(8 * math.log(n) / T)
    L = np.concatenate([np.zeros((RUNS, 1, n)), np.cumsum(ell, axis=1)[:, :-1]], axis=1)
    w = np.exp(-eta * (L - L.min(axis=2, keepdims=True)))
    w /= w.sum(axis=2, keepdims=True)
    return (w @ risk).mean(axis=1), (w * ell).sum(axis=2).mean(axis=1), risk


def lemma(i: Any) -> tuple[float, float]:
    T, _, delta = i
    mean_risk, mean_loss, _ = played(i)
    return float((mean_risk > mean_loss + math.sqrt(math.log(1 / delta) / (2 * T))).sum()), most(
        delta, RUNS
    )


def theorem(i: Any) -> tuple[float, float]:
    T, n, delta = i
    mean_risk, _, risk = played(i)
    allowed = (
        risk.min() + math.sqrt(math.log(n) / (2 * T)) + 2 * math.sqrt(math.log(2 / delta) / (2 * T))
    )
    return float((mean_risk > allowed).sum()), most(delta, RUNS)


HOW = f"exponential weights over 2 and 8 experts, {RUNS} samples each, delta in {{.3, .1, .02}}"
LEMMA4 = Statement(
    "T-O2B-LEMMA4",
    "with probability 1 - delta: the mean risk <= the mean loss + sqrt(ln(1/delta)/(2T)), the sharp form",
    lemma,
    simulations,
    (1, 5, 20, 100),
    how=HOW,
    show=lambda i: f"T = {i[0]}, n = {i[1]}, delta = {i[2]}",
    short=3,
)
EWA = Statement(
    "T-O2B-EWA",
    "with probability 1 - delta: the risk of the mean predictor <= inf + sqrt(ln n/(2T)) + 2 sqrt(ln(2/delta)/(2T)), "
    "the sharp form (T-O2B-THM5 with T-EWA)",
    theorem,
    simulations,
    (1, 5, 20, 100),
    how=HOW,
    show=lambda i: f"T = {i[0]}, n = {i[1]}, delta = {i[2]}",
    short=3,
)

STATEMENTS = (RANDOM_T, LEMMA4, EWA)
