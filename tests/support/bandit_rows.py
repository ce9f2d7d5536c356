"""One worked row a bandit: arms told with their losses, and the propensities that follow, to be checked by hand."""

from __future__ import annotations

from math import e, exp, log, sqrt
from typing import Any, NamedTuple

import numpy as np

from littlestone.core.registry import learner, learners


class Row(NamedTuple):
    """A few told rounds of one bandit; numbers are right to 6 decimals."""

    key: str
    parameters: dict[str, Any]
    told: Any  # (arm, loss) of each round
    chances: Any  # the propensities of each round, and those after the last
    theorem: str | None  # the id of one of its guarantees, ...
    bound: Any  # ... and the symbols that its bound is worked out for, with the value
    x: Any = None  # the features of every round
    harsh: dict[str, Any] = {}  # noqa: RUF012  parameters that make probabilities extreme


def shares(*w: float) -> Any:
    return np.array(w) / sum(w)


def tsallis(est: Any, eta: float) -> Any:
    """By bisection: the c below all estimates at which 4 / (eta (est - c))^2 sum to one."""
    low, high = min(est) - 1e3, min(est) - 1e-9
    for _ in range(200):
        c = (low + high) / 2
        low, high = (low, c) if sum(4 / (eta * (v - c)) ** 2 for v in est) > 1 else (c, high)
    return [4 / (eta * (v - low)) ** 2 for v in est]


def known(T: int, n: int, **more: Any) -> dict[str, Any]:
    return {"T": T, "n": n, "B": 1.0, "slept": 0, **more}


GAPS = np.array([0.0, 0.5])
HALF = np.full(2, 0.5)
ROWS = [
    # estimates (2, 0), then (2, 0.625); the bound is that of X-EXP3
    Row(
        "exp3",
        {"eta": log(2)},
        [(0, 1.0), (1, 0.5)],
        [HALF, (0.2, 0.8), shares(2**-2, 2**-0.625)],
        "T-EXP3",
        (known(3, 2, eta=sqrt(2 * log(2) / 6)), 2.884054),
        harsh={"eta": 40.0},
    ),
    # 1 / (1/2 + 1/2), then 0.5 / (2/3 + 1/2)
    Row(
        "exp3-ix",
        {"eta": 1.0},
        [(0, 1.0), (1, 0.5)],
        [HALF, shares(exp(-1), 1), shares(exp(-1), exp(-0.5 / (1 / (1 + exp(-1)) + 0.5)))],
        "T-EXP3-IX",
        (known(2, 2, eta=0.5, delta=0.1), 4 * log(2) + 2 * log(20) + 2 + log(20)),
        harsh={"eta": 40.0},
    ),
    # rewards 1, 0: estimates (2, 0); a reward of 0 changes nothing
    Row(
        "exp3-exploring",
        {"gamma": 0.5},
        [(0, 0.0), (1, 1.0)],
        [HALF, *[0.25 + 0.5 * shares(exp(0.5), 1)] * 2],
        "T-EXP3-EXPLORING",
        (known(9, 2, gamma=0.5, G=6.0), (e - 1) * 3 + 4 * log(2)),
        harsh={"gamma": 1e-6},
    ),
    # w = (exp(1/2) / 2 + e / 20, 1/2 + e / 20), normalised; then e alpha / n is added to both, normalised again
    Row(
        "exp3-s",
        {"gamma": 0.5, "alpha": 0.1},
        [(0, 0.0), (1, 1.0)],
        [
            HALF,
            0.25 + 0.5 * shares(exp(0.5) / 2 + e / 20, 0.5 + e / 20),
            0.25 + 0.5 * shares(*(shares(exp(0.5) / 2 + e / 20, 0.5 + e / 20) + e / 20)),
        ],
        "T-EXP3-S",
        (
            known(10, 2, gamma=0.5, alpha=0.1, k=1, shifts=1),
            4 * (2 * log(20) + e) + (e - 1) * 5,
        ),
        harsh={"gamma": 1e-6, "alpha": 1e-12},
    ),
    # v = (3/4, 1/4): the advisers' losses are estimated as 1 and 1/2
    Row(
        "exp4",
        {"eta": 0.5},
        [(0, 0.75)],
        [
            (0.75, 0.25),
            (
                1 - exp(-0.25) / (exp(-0.25) + exp(-0.5)) / 2,
                exp(-0.25) / (exp(-0.25) + exp(-0.5)) / 2,
            ),
        ],
        "T-EXP4",
        (known(6, 3, advisers=4, rate_now=0.5), 2 * log(4) + 4.5),
        x=[[1.0, 0.0], [0.5, 0.5]],
        harsh={"eta": 40.0},
    ),
    # eta = 2, sqrt(2), 2 / sqrt(3); estimates (2, 0), then 0.5 / v more for arm 1
    Row(
        "tsallis-inf",
        {},
        [(0, 1.0), (1, 0.5)],
        [
            HALF,
            tsallis((2, 0), sqrt(2)),
            tsallis((2, 0.5 / tsallis((2, 0), sqrt(2))[1]), 2 / sqrt(3)),
        ],
        "T-TSALLIS-INF",
        (known(8, 2, estimator="iw"), 17.0),
    ),
    # each arm once; 0 - sqrt(2 ln 2) against 1 - sqrt(2 ln 2); 1/2 - sqrt(ln 3) = -0.548 against -0.482;
    # 2/3 - sqrt(2 ln 4 / 3) = -0.295 against 1 - sqrt(2 ln 4) = -0.665
    Row(
        "ucb1",
        {},
        [(0, 0.0), (1, 1.0), (0, 1.0), (0, 1.0)],
        [(1, 0), (0, 1), (1, 0), (1, 0), (0, 1)],
        "T-UCB",
        (known(10, 2, iid=True, gaps=GAPS, explore=2.0), 16 * log(10) + 0.5 * (1 + np.pi**2 / 3)),
    ),
    # each arm once; the rest as in its doctest: q = 0.030 against 0.115
    Row(
        "kl-ucb",
        {},
        [(0, 0.0), (1, 1.0), (0, 1.0)],
        [(1, 0), (0, 1), (1, 0), (1, 0)],
        "T-KL-UCB",
        None,
    ),
    # T / n = 2: 0 - sqrt(ln 2) against 1 - sqrt(ln 2); then 1/2 - 0 against 1 - sqrt(ln 2) = 0.167
    Row(
        "moss",
        {"horizon": 4},
        [(0, 0.0), (1, 1.0), (0, 1.0)],
        [(1, 0), (0, 1), (1, 0), (0, 1)],
        "T-MOSS",
        None,
    ),
    # Beta(2, 1) is the smaller of itself and Beta(1, 1) with probability 1 - 2/3
    Row(
        "thompson",
        {},
        [(0, 1.0)],
        [HALF, (1 / 3, 2 / 3)],
        "T-THOMPSON",
        (
            known(10, 2, iid=True, gaps=GAPS, parts=0, a=1.0, b=1.0),
            40 * log(10) / 0.5 + 48 / 0.125 + 9,
        ),
    ),
    # N(1/2, 1/2) against N(1, 1): the normal distribution at (1/2) / sqrt(3/2) is 0.658454
    Row("gaussian-thompson", {}, [(0, 0.0)], [HALF, (0.658454, 0.341546)], None, None),
    # arms not yet pulled come first
    Row(
        "epsilon-greedy",
        {"epsilon": 0.2},
        [(0, 1.0), (1, 0.5)],
        [(0.9, 0.1), (0.1, 0.9), (0.1, 0.9)],
        "T-EPSILON-GREEDY",
        None,
    ),
    # ridge 1: means 0.8/2 and 0.2/2, both with the deviation sqrt(1/2)
    Row(
        "linucb",
        {"width": 0.5},
        [(0, 0.8), (1, 0.2)],
        [(1, 0), (0, 1), (0, 1)],
        "T-OFUL",
        None,
        x=[1.0],
    ),
    # N(1/2, 1/8) against N(0, 1/4): the normal distribution at -(1/2) / sqrt(3/8) is 0.207108
    Row("linear-thompson", {}, [(0, 1.0)], [HALF, (0.207108, 0.792892)], None, None, x=[1.0]),
    # one pull each; what is seen later changes nothing
    Row(
        "explore-then-commit",
        {"pulls": 1},
        [(0, 0.5), (1, 0.2), (1, 1.0)],
        [(1, 0), (0, 1), (0, 1), (0, 1)],
        "T-ETC",
        None,
    ),
]
KEYS = [
    key
    for key, cls in learners().items()
    if cls.bandit and cls.__module__.startswith("littlestone.")
]


def row(key: str) -> Row:
    return next(r for r in ROWS if r.key == key)


def made(key: str, **parameters: Any) -> Any:
    return learner(key, **parameters)


def table(T: int, n: int, seed: int = 0) -> Any:
    """Losses in eighths: the best arm changes in the middle."""
    rng = np.random.default_rng(seed)
    means = np.linspace(0.2, 0.8, n)
    means = np.where(np.arange(T)[:, None] < T // 2, means, means[::-1])
    return np.floor(np.clip(means + rng.uniform(-0.3, 0.3, (T, n)), 0, 1) * 8) / 8


def features(key: str, T: int, n: int, seed: int = 1) -> Any:
    """What the rounds bring for those who look at it: advice of three advisers, or two numbers."""
    if not learners()[key].contexts:
        return None
    rng = np.random.default_rng(seed)
    if key == "exp4":
        return rng.dirichlet(np.ones(n), size=(T, 3))
    return rng.uniform(-0.5, 0.5, (T, 2))


def offers(T: int, n: int, seed: int = 2) -> Any:
    """Which arms are there: at least one in each round."""
    on = np.random.default_rng(seed).random((T, n)) < 0.6
    on[np.arange(T), np.arange(T) % n] = True
    return on
