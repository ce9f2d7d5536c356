"""Tracking: fixed share is a prior over sequences, variable share's lemma, switching with memory over tasks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np

from littlestone.core.registry import learner
from littlestone.falsify.statement import Statement

from .markov import by_patterns, complexity, specialists


def small(T: int) -> Iterator[tuple[Any, float, float]]:
    """T x n losses, n = 2, 3, a share rate and a learning rate."""
    rng = np.random.default_rng(T)
    for n in (2, 3):
        for _ in range(20):
            yield (
                3 * rng.random((T, n)),
                float(rng.uniform(0.01, 0.9)),
                float(rng.uniform(0.1, 3.0)),
            )


def by_the_library(i: Any) -> list[Any]:
    """The weights of fixed share in every round, one at a time."""
    ell, alpha, eta = i
    live = learner("fixed-share", alpha=alpha, eta=eta).start(
        ell.shape[1], rounds=len(ell), interval=(0.0, 3.0)
    )
    found = []
    for row in ell:
        found.append(np.array(live.weights))
        live = live.update(row)
    return found


def sequences(i: Any) -> tuple[float, float]:
    """The largest difference between those and the weights by a prior over all sequences."""
    ell, alpha, eta = i
    _T, n = ell.shape
    worst = 0.0
    for t, mine in enumerate(by_the_library(i)):
        w = np.zeros(n)
        for s in product(range(n), repeat=t + 1):
            k = sum(a != b for a, b in pairwise(s))
            prior = (1 - alpha) ** (t - k) * (alpha / (n - 1)) ** k / n
            w[s[-1]] += prior * math.exp(-eta * sum(ell[j, e] for j, e in enumerate(s[:-1])))
        worst = max(worst, float(np.abs(w / w.sum() - mine).max()))
    return worst, 0.0


FS_EXACT = Statement(
    "T-FS-EXACT",
    "fixed share and exponential weights over all sequences of experts have the same weights in every round",
    sequences,
    small,
    (1, 2, 3, 4, 5, 6),
    equal=True,
    how="losses in [0, 3] at random, two and three experts",
    short=4,
)


def increments(T: int) -> Iterator[tuple[Any, float, float]]:
    """Losses in [0, 1] that reach 1, a rate and a share rate."""
    rng = np.random.default_rng(T)
    for _ in range(2000):
        x = rng.random(T) ** rng.choice((0.3, 1.0, 4.0))
        if x.sum() < 1:
            x = np.append(x, 1.0)
        yield x, float(10 ** rng.uniform(-2, 1)), float(rng.uniform(0.001, 0.999))
    yield np.ones(1), 1.0, 0.5


def handed(i: Any) -> tuple[float, float]:
    """alpha e^-eta, and what an expert hands on while it loses 1 or more."""
    x, eta, alpha = i
    S = np.concatenate([[0.0], np.cumsum(x)])
    left = np.exp(-eta * S[1:]) * ((1 - alpha) ** S[:-1] - (1 - alpha) ** S[1:])
    return alpha * math.exp(-eta), float(left.sum())


VS_LEMMA = Statement(
    "T-VARIABLE-SHARE",
    "sum_t e^(-eta S_t) ((1-alpha)^S_(t-1) - (1-alpha)^S_t) >= alpha e^(-eta) for increments in [0, 1] that reach 1",
    handed,
    increments,
    (1, 2, 3, 5, 20),
    attained=True,
    how="increments at random",
    short=3,
)  # fmt: skip


def tasks(T: int) -> Iterator[tuple[Any, Any, int, int, int, int, float]]:
    """An order of tasks, costs, n, tasks, modes, k, eta."""
    rng = np.random.default_rng(T)
    for _ in range(12):
        n, s = int(rng.integers(2, 4)), int(rng.integers(1, 3))
        order = [*range(s), *rng.integers(0, s, T - s)]
        modes = int(rng.integers(2, n + 1))
        yield (
            order,
            rng.random((T, n)),
            n,
            s,
            modes,
            int(rng.integers(0, T - s)),
            float(rng.uniform(0.1, 3)),
        )


def patterns(i: Any) -> tuple[float, float]:
    a, b = specialists(*i), by_patterns(*i)
    return max(abs(x - y) for x, y in zip(a, b, strict=True)), 0.0


MT_EXACT = Statement(
    "T-MT-EXACT",
    "switching with memory is Bayes over specialists with all patterns of being awake",
    patterns,
    tasks,
    (3, 4, 5, 6, 7),
    equal=True,
    how="two tasks, three hypotheses, costs at random; patterns listed",
    short=3,
)


def switched(T: int) -> Iterator[tuple[Any, Any, int, int, int, int, Any]]:
    """An order of tasks, costs, n, s, modes, k, and the comparator's hypothesis of each round."""
    rng = np.random.default_rng(T)
    for _ in range(120):
        s, n = int(rng.integers(1, 4)), int(rng.integers(2, 6))
        if s >= T - 1:
            continue
        order = [*range(s), *rng.integers(0, s, T - s)]
        modes = int(rng.integers(2, n + 1))
        chance, now, k, h = rng.random(), [-1] * s, 0, []
        for i in order:
            if now[i] < 0:
                now[i] = int(rng.integers(modes))
            elif rng.random() < chance:
                other = int(rng.integers(modes))
                k += other != now[i]
                now[i] = other
            h.append(now[i])
        costs = (rng.random((T, n)) < rng.random()).astype(float)
        costs[np.arange(T), h] = (rng.random(T) < 0.1).astype(float)
        if rng.random() < 0.5:
            costs = np.ones((T, n))
            costs[np.arange(T), h] = 0.0
        yield order, costs, n, s, modes, k, h


def mixed(i: Any) -> tuple[float, float]:
    """Regret to the comparator at the theorem's rate."""
    order, costs, n, s, modes, k, h = i
    C, T = complexity(n, s, modes, k, len(order)), len(order)
    losses = specialists(order, costs, n, s, modes, k, math.sqrt(8 * C / T))
    return sum(losses) - float(costs[np.arange(T), h].sum()), math.sqrt(C * T / 2)


MT_FINITE = Statement(
    "T-MT-FINITE",
    "switching with memory at eta = sqrt(8 C/T): regret <= sqrt(C T/2) (so sqrt(2 C T) at sqrt(2 C/T)), "
    "each task coming at least once",
    mixed,
    switched,
    (4, 6, 10, 20, 40),
    how="tasks, modes and switches at random; costs 0 for the comparator and 1 for all others, or at random",
    short=3,
)

STATEMENTS = (FS_EXACT, VS_LEMMA, MT_EXACT, MT_FINITE)
