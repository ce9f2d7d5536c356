"""One linear model in four memories: of the last ten rounds, of a hundred, of a thousand, and of all.

Each is a Gaussian belief about the weights with a diagonal precision, prior + info; a round leaves a fraction of the
info that came before it, and nothing takes away the prior. The memories, and a blend of their scores, are experts.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.numeric import decay
from ..core.stream import Array
from ..core.vectors import index, size
from .standing import Z, late

KEPT = (1.0, 0.999, 0.99, 0.9)  # what a round leaves
M = len(KEPT)
N = M + 1  # experts
MODERATE = math.pi / 8.0  # a score of variance r is worth score / sqrt(1 + pi r / 8)

# What is known of the experts: the weights of the scores in the blend, and of the last outcome; the weights of the
# experts; their total log losses, and that of their mixture; what a round says of them; the noise around them, and
# how many rounds that stands for.
BLEND, HEDGE, TOTAL, GAIN, NOISE, HEARD, LINES = 0, 1, 2, 3, 4, 5, 6


def unknown() -> Array:
    experts = np.zeros((LINES, N + 1))
    experts[BLEND, :M], experts[HEDGE, :N] = 1.0 / M, 1.0 / N
    return experts


def look(
    w: Array, info: Array, place: Array, x: Any, prior: float, score: Array, spread: Array
) -> None:
    """The score of each memory and its variance; row 0 of w and info is the intercept."""
    for j in range(M):
        s, r = w[0, j], 1.0 / (prior + info[0, j])
        for k in range(size(x)):
            i = index(x, k) + 1
            z = place[i, Z]
            s += w[i, j] * z
            r += z * z / (prior + info[i, j])
        score[j], spread[j] = s, r


def step(
    w: Array, info: Array, place: Array, x: Any, prior: float, j: int, pull: float, sharp: float
) -> None:
    """Memory j learns: weights move by their variance times the pull, and are known better by the sharpness."""
    w[0, j] += pull / (prior + info[0, j])
    info[0, j] = KEPT[j] * (info[0, j] + sharp)
    for k in range(size(x)):
        i = index(x, k) + 1
        z = place[i, Z]
        w[i, j] += pull * z / (prior + info[i, j])
        info[i, j] = KEPT[j] * (info[i, j] + sharp * z * z)


def forget(w: Array, info: Array, place: Array, x: Any, t: int) -> None:
    """Weights of coordinates that begin again, in new units, begin again as well."""
    for k in range(size(x)):
        i = index(x, k) + 1
        if late(place, i, t):
            for j in range(M):
                w[i, j], info[i, j] = 0.0, 0.0


def settle(margin: Array, r: Array, u: Array) -> None:
    """The margins after a step that its own result justifies: u = margin + r / (1 + exp(u)), for each memory.

    Newton's method from 0, or from the nearer end of [margin, margin + r]: it comes from one side and never
    overshoots, so that a few rounds will do.
    """
    for j in range(M):
        u[j] = max(margin[j], min(0.0, margin[j] + r[j]))
    for _ in range(3):
        for j in range(M):
            e = decay(-abs(u[j]))
            q = 1.0 / (1.0 + e)
            right = e * q if u[j] > 0.0 else q
            u[j] -= (u[j] - margin[j] - r[j] * right) / (1.0 + r[j] * e * q * q)


def chance(score: float) -> float:
    """1 / (1 + exp(-score))."""
    e = decay(-abs(score))
    return 1.0 / (1.0 + e) if score >= 0.0 else e / (1.0 + e)


def weigh(experts: Array, t: int) -> None:
    """Experts gain weight by their likelihoods, and share 1/t of it."""
    whole, share = 0.0, 1.0 / (t + 2.0)
    for j in range(N):
        experts[HEDGE, j] *= experts[GAIN, j]
        whole += experts[HEDGE, j]
    for j in range(N):
        experts[HEDGE, j] = (1.0 - share) * experts[HEDGE, j] / whole + share / N


def excess(experts: Array) -> float:
    """How much more the mixture has lost than the best of the experts."""
    best = experts[TOTAL, 0]
    for j in range(1, N):
        best = min(best, experts[TOTAL, j])
    return experts[TOTAL, N] - best  # type: ignore[no-any-return]
