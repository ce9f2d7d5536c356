"""What may be claimed of a model from so many rows: exact binomials against the inequalities; and the KT estimator."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from littlestone.falsify.statement import Statement

LEVELS = (0.3, 0.1, 0.01)


def rows(m: int) -> Iterator[tuple[int, float, float]]:
    for p in (0.5, 0.3, 0.1, 0.02, 0.9):
        for delta in LEVELS:
            yield m, p, delta


def law(m: int, p: float) -> Any:
    from scipy.stats import binom

    return binom.pmf(np.arange(m + 1), m, p)


def hoeffding(i: Any) -> tuple[float, float]:
    """The chance that the error p exceeds the share of errors by more than is allowed, and delta."""
    m, p, delta = i
    limit = np.arange(m + 1) / m + math.sqrt(math.log(1 / delta) / (2 * m))
    return float(law(m, p)[p > limit].sum()), delta


def clopper_pearson(i: Any) -> tuple[float, float]:
    """The chance that the error p exceeds its exact limit, and delta."""
    from scipy.special import betaincinv

    m, p, delta = i
    k = np.arange(m)
    limit = np.append(betaincinv(k + 1.0, m - k, 1.0 - delta), 1.0)
    return float(law(m, p)[p > limit].sum()), delta


def groups(i: Any) -> tuple[float, float]:
    """The chance that the error p exceeds its limit where rows of a group err together, and delta."""
    from littlestone.supervised.group_limits import Units, upper_limit

    m, p, delta = i
    limit = [
        upper_limit(Units(np.ones(m), np.repeat([1.0, 0.0], [k, m - k]), 1.0), delta)
        for k in range(m + 1)
    ]
    return float(law(m, p)[p > np.array(limit)].sum()), delta


def thresholds(i: Any) -> tuple[float, float]:
    """The chance that the first of enough rows in [0, 1] is beyond e: a threshold there has no error on them; delta."""
    _, e, delta = i
    m = 1
    while 2.0 * (2 * m + 1) * 2.0 ** (-e * m / 2.0) > delta:
        m += 1
    return (1.0 - e) ** m, delta


def finite_class(i: Any) -> tuple[float, float]:
    """The chance that one of H = 8 hypotheses of error p, independent ones, is without error on enough rows; delta."""
    _, p, delta = i
    m = math.ceil(math.log(8 / delta) / p)
    return 1.0 - (1.0 - (1.0 - p) ** m) ** 8, delta


def uniform(i: Any) -> tuple[float, float]:
    """The chance that one of H = 8 independent hypotheses of error p is not within e on enough rows; delta."""
    _, p, delta = i
    e = 0.1
    m = math.ceil(math.log(16 / delta) / (2 * e * e))
    far = float(law(m, p)[np.abs(np.arange(m + 1) / m - p) > e].sum())
    return 1.0 - (1.0 - far) ** 8, delta


def voters(T: int) -> Iterator[tuple[int, float]]:
    for gamma in (0.01, 0.05, 0.1, 0.2, 0.4):
        yield T, gamma


def crowd(i: Any) -> tuple[float, float]:
    """The chance that the majority of 2T + 1 voters is wrong, exactly, and the bound."""
    T, gamma = i
    mu = (2 * T + 1) * (0.5 + gamma)
    return float(law(2 * T + 1, 0.5 + gamma)[: T + 1].sum()), math.exp(-((mu - T) ** 2) / (2 * mu))


def counts(T: int) -> Iterator[tuple[int, ...]]:
    for a in range(T + 1):
        yield a, T - a
        for b in range(T - a + 1):
            yield a, b, T - a - b


def kt(i: tuple[int, ...]) -> tuple[float, float]:
    """What the estimator pays beyond the best distribution: it depends on how often each class came, not on when."""
    T, K = sum(i), len(i)
    lost = math.lgamma(T + K / 2) - math.lgamma(K / 2)
    lost -= sum(math.lgamma(c + 0.5) - math.lgamma(0.5) for c in i)
    best = -sum(c * math.log(c / T) for c in i if c)
    return lost - best, (K - 1) / 2 * math.log(T) + math.log(K)


def shown(i: Any) -> str:
    return f"m = {i[0]}, p = {i[1]}, delta = {i[2]}"


HOW = "five errors, delta in {.3, .1, .01}, exact binomials"
STATEMENTS = (
    Statement(
        "T-VALIDATION", "error <= share of errors + sqrt(ln(1/delta)/(2m)) with probability 1 - delta",
        hoeffding, rows, (1, 5, 20, 100, 500), how=HOW, show=shown, short=3,
    ),
    Statement(
        "T-VALIDATION-EXACT", "error <= the p with P(Bin(m, p) <= errors) = delta, with probability 1 - delta",
        clopper_pearson, rows, (1, 5, 20, 100, 500), how=HOW, show=shown, short=3,
    ),
    Statement(
        "T-VALIDATION-GROUPS", "error <= the p against which a bettor has 1/delta, with probability 1 - delta",
        groups, rows, (1, 5, 20, 100), how="rows of a group err together; " + HOW, show=shown, short=3,
    ),
    Statement(
        "T-PAC-VC", "2 P 2^(-e m/2) <= delta: no threshold of error e is consistent, with probability 1 - delta",
        thresholds, rows, (1,), how="thresholds, VC dimension 1; " + HOW, show=lambda i: f"e = {i[1]}, delta = {i[2]}",
    ),
    Statement(
        "T-PAC-FINITE", "ln(H/delta)/e rows: no hypothesis of error e is consistent, with probability 1 - delta",
        finite_class, rows, (1,), how="H = 8; " + HOW, show=lambda i: f"e = {i[1]}, delta = {i[2]}",
    ),
    Statement(
        "T-UC-FINITE", "ln(2H/delta)/(2e^2) rows: every hypothesis is within e, with probability 1 - delta",
        uniform, rows, (1,), how="H = 8, e = 0.1; " + HOW, show=lambda i: f"p = {i[1]}, delta = {i[2]}",
    ),
    Statement(
        "T-CROWD", "the majority of 2T + 1 voters is wrong with probability <= exp(-(mu - T)^2/(2 mu))",
        crowd, voters, (0, 1, 5, 20, 100), how="five advantages, exact binomials",
        show=lambda i: f"T = {i[0]}, gamma = {i[1]}", short=3,
    ),
    Statement(
        "T-KT", "the KT estimator pays at most (K - 1)/2 ln T + ln K more than the best distribution",
        kt, counts, (1, 2, 3, 10, 30), attained=True, how="all counts of two and three classes", short=3,
    ),
)  # fmt: skip

IDENTITY = "an identity: the tests compare it with the enumeration of all features"

# Statements of the ledger that are not attacked, and why.
SIMULATED = (
    "about chance and stopping: `make false-alarms` plays it thousands of times, a test some dozens"
)
LEFT = {
    "T-BASELINE": SIMULATED,
    "T-BETTING": SIMULATED,
    "T-ELIMINATION-ARMS": "the learner that carries it is written in add-a-learner.md, and its test plays it",
    "T-PAIRED": "a symmetry, true by definition: there is no number in it to attack",
    "T-STRINGS": IDENTITY,
    "T-SUBTREES": IDENTITY,
    "T-VALIDATION-RANGE": "the smaller of two limits, T-VALIDATION's and T-BERNSTEIN's, both attacked here",
    "T-VILLE": SIMULATED,
}
