"""Off-policy estimates: those without bias by enumeration, limits by many logs and a one-sided binomial test."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from littlestone.core.intervals import bernstein_half
from littlestone.falsify.statement import Statement
from littlestone.offpolicy.logged import LoggedDecisions
from littlestone.offpolicy.off_policy import off_policy_value

from .batch import most

RUNS = 200  # logs of one size, or samples


def policies(n: int) -> Iterator[tuple[Any, Any, Any, Any]]:
    """The probabilities of the log and of the policy, the outcomes of the n arms, and what a model says of them."""
    rng = np.random.default_rng(n)
    for _ in range(200):
        p = rng.dirichlet(np.full(n, 0.5))
        yield rng.dirichlet(np.ones(n)), p, rng.uniform(-1, 2, n), rng.normal(size=n)


def weighted(i: Any) -> tuple[float, float]:
    """The mean of w r over the arms that the log may play, and the value of the policy."""
    q, p, r, _ = i
    return float(sum(q[a] * (p[a] / q[a]) * r[a] for a in range(len(q)))), float(p @ r)


def corrected(i: Any) -> tuple[float, float]:
    """The mean of the doubly robust term over the arms that the log may play, and the value of the policy."""
    q, p, r, m = i
    terms = [float(p @ m) + (p[a] / q[a]) * (r[a] - m[a]) for a in range(len(q))]
    return float(q @ np.array(terms)), float(p @ r)


def clipped(i: Any) -> tuple[float, float]:
    """What cut weights find of value - low, and that; or the same of high - value, whichever is closer."""
    q, p, r, m = i
    low, high = float(r.min()), float(r.max())
    s = np.minimum(p / q, abs(m[0]) + 0.1)
    value = float(p @ r)
    below = float(q @ (s * (r - low))), value - low
    above = float(q @ (s * (high - r))), high - value
    return max(below, above, key=lambda side: side[0] / max(side[1], 1e-300))


def laws(T: int) -> Iterator[tuple[int, float, float]]:
    for mean in (0.5, 0.1, 0.02):
        for delta in (0.3, 0.1, 0.02):
            yield T, mean, delta


def sampled(i: Any) -> tuple[float, float]:
    """How often the mean of T coins exceeds its expectation by more than T-BERNSTEIN allows, and the most it may."""
    T, mean, delta = i
    rng = np.random.default_rng([T, int(1000 * mean), int(1000 * delta)])
    z = (rng.random((10 * RUNS, T)) < mean).astype(float)
    half = [bernstein_half(float(row.var(ddof=1)), T, 1.0, delta) for row in z]
    return float((z.mean(axis=1) - mean > half).sum()), most(delta, 10 * RUNS)


def steps(n: int) -> Iterator[tuple[Any, Any, float, float]]:
    """A law on n points of [0, 1], g in [0, 1] and a rate: one step of the supermartingale."""
    rng = np.random.default_rng(n)
    for _ in range(1500):
        u = np.round(rng.random(n)) if rng.random() < 0.5 else rng.random(n)
        law = rng.dirichlet(np.full(n, 0.5))
        yield (
            law,
            u,
            float(rng.choice([float(law @ u), float(rng.random())])),
            float(rng.uniform(0.001, 0.999)),
        )


def step(i: Any) -> tuple[float, float]:
    law, u, g, rate = i
    f = -math.log1p(-rate) - rate
    return float(law @ np.exp(rate * (u - law @ u) - f * (u - g) ** 2)), 1.0


def logs(T: int) -> Iterator[tuple[int, float]]:
    for delta in (0.3, 0.1):
        yield T, delta


def missed(i: Any, method: str) -> tuple[float, float]:
    """In how many logs the limits for sure miss the value of a policy, and the most that chance allows."""
    T, delta = i
    rng = np.random.default_rng([T, int(1000 * delta)])
    q, p, means = np.array([0.8, 0.2]), np.array([0.1, 0.9]), np.array([0.7, 0.2])
    wrong = 0
    for _ in range(RUNS):
        arms = (rng.random(T) < q[1]).astype(int)
        rewards = (rng.random(T) < means[arms]).astype(float)
        log = LoggedDecisions(arms, rewards=rewards, propensities=q[arms], n=2, interval=(0.0, 1.0))
        limits = off_policy_value(log, p, methods=[method], delta=delta, floor=0.2)[
            method
        ].bernstein
        wrong += not limits.low <= float(p @ means) <= limits.high
    return float(wrong), most(delta, RUNS)


def replayed(m: int) -> Iterator[tuple[int, tuple[float, ...], tuple[float, ...], int]]:
    """The first m rows that count, the log's probabilities, the chance of an outcome 1 of each arm, and a learner."""
    for q in ((0.5, 0.5), (0.2, 0.8)):
        for means in ((0.3, 0.6), (0.0, 1.0), (0.5, 0.1)):
            for learner in (0, 1, 2):
                yield m, q, means, learner


def chosen(learner: int, past: tuple[tuple[int, int], ...]) -> int:
    """The arm that a learner plays next: the first until it loses; the arm of the last 1; by the parity of its past."""
    if learner == 0:
        return int(any(r == 0 for _, r in past))
    if learner == 1:
        return past[-1][0] if past and past[-1][1] else int(bool(past) and past[-1][0] == 0)
    return (len(past) + sum(r for _, r in past)) % 2


def live(m: int, means: Any, learner: int) -> dict[Any, float]:
    found: dict[Any, float] = {(): 1.0}
    for _ in range(m):
        after: dict[Any, float] = {}
        for past, chance in found.items():
            a = chosen(learner, past)
            for r, part in ((1, means[a]), (0, 1.0 - means[a])):
                after[*past, (a, r)] = after.get((*past, (a, r)), 0.0) + chance * part
        found = after
    return found


def replay(i: Any) -> tuple[float, float]:
    """The largest difference between the law of m counted rows of a long log with rejection, and of m live rounds."""
    m, q, means, learner = i
    floor, rows = min(q), 40 * m
    open_: dict[Any, float] = {(): 1.0}
    done: dict[Any, float] = {}
    for _ in range(rows):
        after: dict[Any, float] = {}
        for past, chance in open_.items():
            a = chosen(learner, past)
            for b, r in product((0, 1), (0, 1)):
                part = chance * q[b] * (means[b] if r else 1.0 - means[b])
                count = part * floor / q[b] if b == a else 0.0  # rows of other arms are passed over
                to = done if len(past) + 1 == m else after
                to[*past, (b, r)] = to.get((*past, (b, r)), 0.0) + count
                after[past] = after.get(past, 0.0) + part - count
        open_ = after
    whole = sum(done.values())
    right = live(m, means, learner)
    return max(abs(done.get(h, 0.0) / whole - v) for h, v in right.items()), 0.0


def shown(i: Any) -> str:
    return f"{len(i[0])} arms"


ENUMERATED = "probabilities, outcomes and models at random; all arms of the log enumerated"
STATEMENTS = (
    Statement(
        "T-IPS-UNBIASED", "E[w r] is the value of the policy", weighted, policies, (2, 3, 5),
        equal=True, how=ENUMERATED, show=shown, short=2,
    ),
    Statement(
        "T-DR-UNBIASED", "the doubly robust term has the value of the policy as its mean, whatever the model",
        corrected, policies, (2, 3, 5), equal=True, how=ENUMERATED, show=shown, short=2,
    ),
    Statement(
        "T-CLIPPED-BERNSTEIN", "low + E[s (r - low)] <= value <= high - E[s (high - r)], s = min(w, c)",
        clipped, policies, (2, 3, 5), how=ENUMERATED, show=shown, short=2,
    ),
    Statement(
        "T-BERNSTEIN", "the mean is above its expectation by more than the half-width with probability <= delta",
        sampled, laws, (2, 5, 20, 100), how=f"{10 * RUNS} samples of T coins each, delta in {{.3, .1, .02}}",
        show=lambda i: f"T = {i[0]}, coins of mean {i[1]}, delta = {i[2]}", short=2,
    ),
    Statement(
        "T-BERNSTEIN-ADAPTIVE", "E exp(l (u - m) - (-ln(1 - l) - l) (u - g)^2) <= 1: one step, given the past",
        step, steps, (1, 2, 3, 5), attained=True, how="laws on n points of [0, 1] at random, coins often",
        show=lambda i: f"{len(i[0])} points, rate {i[3]:.3g}", short=2,
    ),
    Statement(
        "T-SNIPS-BERNSTEIN", "the limits miss the value of the policy with probability <= delta",
        lambda i: missed(i, "snips"), logs, (20, 100, 500), how=f"{RUNS} logs of two arms each, delta in {{.3, .1}}",
        show=lambda i: f"T = {i[0]}, delta = {i[1]}", short=1,
    ),
    Statement(
        "T-DR-BERNSTEIN", "the limits miss the value of the policy with probability <= delta",
        lambda i: missed(i, "dr"), logs, (20, 100, 500), how=f"{RUNS} logs of two arms each, delta in {{.3, .1}}",
        show=lambda i: f"T = {i[0]}, delta = {i[1]}", short=1,
    ),
    Statement(
        "T-REPLAY-LIVE", "the first m rows that count, with rejection, are distributed as m live rounds",
        replay, replayed, (1, 2, 3), equal=True, how="two arms, three learners, all histories enumerated",
        show=lambda i: f"m = {i[0]}, log {i[1]}, means {i[2]}", short=2,
    ),
)  # fmt: skip
