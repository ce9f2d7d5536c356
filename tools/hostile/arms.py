"""Planted bandits over seeds: the mean behind the runs is known, so is the probability of a bad one."""

from __future__ import annotations

from typing import Any

import numpy as np

import littlestone as ls

from .checked_verdict import CheckedVerdict, check_verdict
from .planted import Stubborn, StubbornProbable, StubbornPseudo

SHARES = (0.3, 0.5, 0.7, 0.9, 0.99, 0.9999, 1.0001, 1.01, 1.1, 1.4, 2.0, 3.0)
SEEDS = (2, 3, 5, 10, 30, 100, 300, 300)


def attack(rng: np.random.Generator, engine: str) -> CheckedVerdict:
    """Some runs of one bandit. It pulls a first arm at random and stays: only the first draw matters."""
    n, T, N = int(rng.integers(2, 9)), int(rng.integers(1, 6)), int(rng.choice(SEEDS))
    form, share = str(rng.choice(("pseudo", "table", "probable"))), float(rng.choice(SHARES))
    means = rng.random(n)
    if rng.random() < 0.4:  # one arm is bad, and seldom seen
        means = np.zeros(n)
        means[int(rng.integers(n))] = 1.0
    seed = int(rng.integers(2**40))
    options: dict[str, Any] = {"seeds": N, "seed": seed, "engine": engine, "workers": 1}
    if form == "pseudo":
        mean = T * float(means.mean() - means.min())
        promise = mean * share
        learner: Any = StubbornPseudo(promise=promise)
        world = ls.Arms(means.tolist(), kind=str(rng.choice(("bernoulli", "constant", "uniform"))))
        return check_verdict(
            lambda: [ls.play(learner, world, rounds=T, **options)],
            [mean <= promise],
            [False],
            f"{form}, seeds {N}, share {share:g}",
        )
    scale = float(10.0 ** rng.uniform(-130, 130)) if rng.random() < 0.3 else 1.0
    L = np.repeat(means[None] * scale, T, axis=0)
    options |= {"interval": (0.0, scale)}
    totals = L.sum(axis=0)
    regrets = totals - totals.min()
    if form == "table":
        mean = float(regrets.mean())
        learner, kept = Stubborn(promise=mean * share), mean <= mean * share
    else:
        # the probability that a run exceeds the promise is a number of arms over n
        at = np.sort(regrets)[int(rng.integers(n))]
        more = regrets > at * (1 + 1e-6)
        q = float(more.mean())
        delta = min(1.0, max(1e-6, q * share if q > 0 else 0.01))
        learner, kept = StubbornProbable(promise=float(at), delta=delta), q <= delta
        if at == 0.0 and q == 0.0:
            kept = True
    return check_verdict(
        lambda: [ls.play(learner, L, **options)],
        [kept],
        [False],
        f"{form}, seeds {N}, share {share:g}, scale {scale:g}",
    )
