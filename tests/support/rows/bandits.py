"""Worked rows of the bandits: arms told with their losses, and the propensities that follow."""

from __future__ import annotations

from math import e, exp, log, sqrt
from typing import Any

import numpy as np

from littlestone.testing import Row
from littlestone.testing.kinds import Arms


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


def advised(T: int, n: int, seed: int) -> tuple[Any, Any]:
    """Losses as for any bandit, and the advice of three advisers."""
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(n), size=(T, 3)), Arms.losses(rng, T, n)


GAPS = np.array([0.0, 0.5])
HALF = np.full(2, 0.5)
ADVICE = [[1.0, 0.0], [0.5, 0.5]]
ROWS = [
    # estimates (2, 0), then (2, 0.625); the bound is that of X-EXP3
    Row(
        key="exp3",
        parameters={"eta": log(2)},
        x=None,
        y=[1.0, 0.5],
        arms=[0, 1],
        decisions=[HALF, (0.2, 0.8), shares(2**-2, 2**-0.625)],
        theorem="T-EXP3",
        bound=2.884054,
        symbols=known(3, 2, eta=sqrt(2 * log(2) / 6)),
        extreme={"eta": 40.0},
    ),
    # 1 / (1/2 + 1/2), then 0.5 / (2/3 + 1/2)
    Row(
        key="exp3-ix",
        parameters={"eta": 1.0},
        x=None,
        y=[1.0, 0.5],
        arms=[0, 1],
        decisions=[
            HALF,
            shares(exp(-1), 1),
            shares(exp(-1), exp(-0.5 / (1 / (1 + exp(-1)) + 0.5))),
        ],
        theorem="T-EXP3-IX",
        bound=4 * log(2) + 2 * log(20) + 2 + log(20),
        symbols=known(2, 2, eta=0.5, delta=0.1),
        extreme={"eta": 40.0},
    ),
    # rewards 1, 0: estimates (2, 0); a reward of 0 changes nothing
    Row(
        key="exp3-exploring",
        parameters={"gamma": 0.5},
        x=None,
        y=[0.0, 1.0],
        arms=[0, 1],
        decisions=[HALF, *[0.25 + 0.5 * shares(exp(0.5), 1)] * 2],
        theorem="T-EXP3-EXPLORING",
        bound=(e - 1) * 3 + 4 * log(2),
        symbols=known(9, 2, gamma=0.5, G=6.0),
        extreme={"gamma": 1e-6},
    ),
    # w = (exp(1/2) / 2 + e / 20, 1/2 + e / 20), normalised; then e alpha / n is added to both, normalised again
    Row(
        key="exp3-s",
        parameters={"gamma": 0.5, "alpha": 0.1},
        x=None,
        y=[0.0, 1.0],
        arms=[0, 1],
        decisions=[
            HALF,
            0.25 + 0.5 * shares(exp(0.5) / 2 + e / 20, 0.5 + e / 20),
            0.25 + 0.5 * shares(*(shares(exp(0.5) / 2 + e / 20, 0.5 + e / 20) + e / 20)),
        ],
        theorem="T-EXP3-S",
        bound=4 * (2 * log(20) + e) + (e - 1) * 5,
        symbols=known(10, 2, gamma=0.5, alpha=0.1, k=1, shifts=1),
        extreme={"gamma": 1e-6, "alpha": 1e-12},
    ),
    # v = (3/4, 1/4): the advisers' losses are estimated as 1 and 1/2
    Row(
        key="exp4",
        parameters={"eta": 0.5},
        x=[ADVICE] * 2,
        y=[0.75],
        arms=[0],
        decisions=[
            (0.75, 0.25),
            (
                1 - exp(-0.25) / (exp(-0.25) + exp(-0.5)) / 2,
                exp(-0.25) / (exp(-0.25) + exp(-0.5)) / 2,
            ),
        ],
        theorem="T-EXP4",
        bound=2 * log(4) + 4.5,
        symbols=known(6, 3, advisers=4, rate_now=0.5),
        extreme={"eta": 40.0},
        sample=advised,
    ),
    # eta = 2, sqrt(2), 2 / sqrt(3); estimates (2, 0), then 0.5 / v more for arm 1
    Row(
        key="tsallis-inf",
        parameters={},
        x=None,
        y=[1.0, 0.5],
        arms=[0, 1],
        decisions=[
            HALF,
            tsallis((2, 0), sqrt(2)),
            tsallis((2, 0.5 / tsallis((2, 0), sqrt(2))[1]), 2 / sqrt(3)),
        ],
        theorem="T-TSALLIS-INF",
        bound=17.0,
        symbols=known(8, 2, estimator="iw"),
    ),
    # each arm once; 0 - sqrt(2 ln 2) against 1 - sqrt(2 ln 2); 1/2 - sqrt(ln 3) = -0.548 against -0.482;
    # 2/3 - sqrt(2 ln 4 / 3) = -0.295 against 1 - sqrt(2 ln 4) = -0.665
    Row(
        key="ucb1",
        parameters={},
        x=None,
        y=[0.0, 1.0, 1.0, 1.0],
        arms=[0, 1, 0, 0],
        decisions=[(1, 0), (0, 1), (1, 0), (1, 0), (0, 1)],
        theorem="T-UCB",
        bound=16 * log(10) + 0.5 * (1 + np.pi**2 / 3),
        symbols=known(10, 2, iid=True, gaps=GAPS, explore=2.0),
    ),
    # each arm once; the rest as in its doctest: q = 0.030 against 0.115
    Row(
        key="kl-ucb",
        parameters={},
        x=None,
        y=[0.0, 1.0, 1.0],
        arms=[0, 1, 0],
        decisions=[(1, 0), (0, 1), (1, 0), (1, 0)],
        theorem="T-KL-UCB",
    ),
    # T / n = 2: 0 - sqrt(ln 2) against 1 - sqrt(ln 2); then 1/2 - 0 against 1 - sqrt(ln 2) = 0.167
    Row(
        key="moss",
        parameters={"horizon": 4},
        x=None,
        y=[0.0, 1.0, 1.0],
        arms=[0, 1, 0],
        decisions=[(1, 0), (0, 1), (1, 0), (0, 1)],
        theorem="T-MOSS",
    ),
    # Beta(2, 1) is the smaller of itself and Beta(1, 1) with probability 1 - 2/3
    Row(
        key="thompson",
        parameters={},
        x=None,
        y=[1.0],
        arms=[0],
        decisions=[HALF, (1 / 3, 2 / 3)],
        theorem="T-THOMPSON",
        bound=40 * log(10) / 0.5 + 48 / 0.125 + 9,
        symbols=known(10, 2, iid=True, gaps=GAPS, parts=0, a=1.0, b=1.0),
    ),
    # N(1/2, 1/2) against N(1, 1): the normal distribution at (1/2) / sqrt(3/2) is 0.658454
    Row(
        key="gaussian-thompson",
        parameters={},
        x=None,
        y=[0.0],
        arms=[0],
        decisions=[HALF, (0.658454, 0.341546)],
        theorem=None,
    ),
    # arms not yet pulled come first
    Row(
        key="epsilon-greedy",
        parameters={"epsilon": 0.2},
        x=None,
        y=[1.0, 0.5],
        arms=[0, 1],
        decisions=[(0.9, 0.1), (0.1, 0.9), (0.1, 0.9)],
        theorem="T-EPSILON-GREEDY",
    ),
    # ridge 1: means 0.8/2 and 0.2/2, both with the deviation sqrt(1/2)
    Row(
        key="linucb",
        parameters={"width": 0.5},
        x=[[1.0]] * 3,
        y=[0.8, 0.2],
        arms=[0, 1],
        decisions=[(1, 0), (0, 1), (0, 1)],
        theorem="T-OFUL",
    ),
    # N(1/2, 1/8) against N(0, 1/4): the normal distribution at -(1/2) / sqrt(3/8) is 0.207108
    Row(
        key="linear-thompson",
        parameters={},
        x=[[1.0]] * 2,
        y=[1.0],
        arms=[0],
        decisions=[HALF, (0.207108, 0.792892)],
        theorem=None,
    ),
    # one pull each; what is seen later changes nothing
    Row(
        key="explore-then-commit",
        parameters={"pulls": 1},
        x=None,
        y=[0.5, 0.2, 1.0],
        arms=[0, 1, 1],
        decisions=[(1, 0), (0, 1), (0, 1), (0, 1)],
        theorem="T-ETC",
    ),
]
