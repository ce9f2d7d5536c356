"""From online to batch, by simulation: the mean hypothesis, the vote, the longest survivor."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from littlestone.falsify.statement import Statement

from .batch import RUNS, most, simulations


def averaged(i: Any) -> tuple[float, float]:
    """How often the mean prediction's square risk exceeds the mean loss and its allowance; the most that may be.

    Experts predict constants; outcomes are coins; exponential weights at the rate 2, for which square loss is convex.
    """
    T, n, delta = i
    rng = np.random.default_rng([T, n, int(1000 * delta), 1])
    says, mean = np.linspace(0.1, 0.9, n), 0.6
    y = (rng.random((RUNS, T)) < mean).astype(float)
    ell = (says - y[..., None]) ** 2
    L = np.concatenate([np.zeros((RUNS, 1, n)), np.cumsum(ell, axis=1)[:, :-1]], axis=1)
    w = np.exp(-2.0 * (L - L.min(axis=2, keepdims=True)))
    predicted = (w @ says) / w.sum(axis=2)
    risk = (predicted.mean(axis=1) - mean) ** 2 + mean * (1 - mean)
    online = ((predicted - y) ** 2).mean(axis=1)
    return float((risk > online + math.sqrt(math.log(1 / delta) / (2 * T))).sum()), most(
        delta, RUNS
    )


def voted(i: Any) -> tuple[float, float]:
    """How often the vote's risk exceeds twice the mean mistakes and their allowance; the most that may be.

    Points are uniform on n places, labels noisy thresholds; the hypothesis of a round is the best threshold so far.
    """
    T, n, delta = i
    rng = np.random.default_rng([T, n, int(1000 * delta), 2])
    truth = np.where(np.arange(n) >= n // 2, 0.7, 0.3)  # the chance of a label 1 at each place
    table = (np.arange(n)[None, :] >= np.arange(n + 1)[:, None]).astype(float)
    wrong = 0
    for _ in range(RUNS):
        x = rng.integers(0, n, T)
        y = (rng.random(T) < truth[x]).astype(float)
        errs = (table[:, x] != y).cumsum(axis=1)
        h = np.append(n, errs[:, :-1].argmin(axis=0))  # before the first round: always 0
        mistakes = (table[h, x] != y).mean()
        vote = (2 * table[h].sum(axis=0) >= T).astype(float)
        risk = float(np.where(vote == 1.0, 1 - truth, truth).mean())
        wrong += risk > 2 * (mistakes + math.sqrt(math.log(1 / delta) / (2 * T)))
    return float(wrong), most(delta, RUNS)


def risks(T: int) -> Iterator[tuple[int, float, float]]:
    for risk in (0.3, 0.1, 0.03):
        for delta in (0.3, 0.1, 0.02):
            yield T, risk, delta


def survived(i: Any) -> tuple[float, float]:
    """How often some hypothesis, all of one risk, survives longer than its limit allows; the most that may be."""
    T, risk, delta = i
    rng = np.random.default_rng([T, int(1000 * risk), int(1000 * delta)])
    wrong = 0
    for _ in range(RUNS):
        ends = np.flatnonzero(np.append(rng.random(T) < risk, True))  # a mistake ends a stretch
        right = np.diff(np.append(-1, ends)) - 1
        number = np.arange(len(right))
        d = delta / ((number + 1) * (number + 2))
        limit = np.where(right > 0, 1 - d ** (1 / np.maximum(right, 1)), 1.0)
        wrong += bool((risk > limit + 1e-12).any())
    return float(wrong), most(delta, RUNS)


def shown(i: Any) -> str:
    return f"T = {i[0]}, n = {i[1]}, delta = {i[2]}"


HOW = f"{RUNS} samples each, delta in {{.3, .1, .02}}"
STATEMENTS = (
    Statement(
        "T-O2B-THM5", "with probability 1 - delta: risk of the mean <= mean loss + sqrt(ln(1/delta)/(2T)), convex loss",
        averaged, simulations, (1, 5, 20, 100), how=f"square loss, constants as experts; {HOW}", show=shown, short=2,
    ),
    Statement(
        "T-O2B-VOTE", "with probability 1 - delta: risk of the vote <= 2 (mean mistakes + sqrt(ln(1/delta)/(2T)))",
        voted, simulations, (1, 5, 20, 100), how=f"thresholds with noise; {HOW}", show=shown, short=2,
    ),
    Statement(
        "T-O2B-SURVIVOR", "with probability 1 - delta every hypothesis has risk <= 1 - d^(1/n), n rounds survived",
        survived, risks, (5, 20, 100, 400), how=f"hypotheses of one risk; {HOW}",
        show=lambda i: f"T = {i[0]}, risk {i[1]}, delta = {i[2]}", short=2,
    ),
)  # fmt: skip
