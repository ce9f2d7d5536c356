"""One linear model in four memories: of the last ten rounds, of a hundred, of a thousand, and of all.

Each is a Gaussian belief about the weights with a diagonal precision, prior + info; a round leaves a fraction of the
info that came before it, and nothing takes away the prior. The memories, and a blend of their scores, are experts.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.numeric import decay_one
from ...core.stream import Array
from ...core.vectors import expect, size
from ...engine.lanes import decays, four, higher, lanes, lower, pick, put, total
from .feature_scaling import (
    NONZERO_COUNT,
    RESET_COUNT,
    Scaler,
    Z,
    count_entries,
    feature_of_entry,
    nothing_dropped,
)

KEPT = (1.0, 0.999, 0.99, 0.9)  # what a round leaves
M = len(KEPT)
N = M + 1  # experts
HUGE = 1e100  # a variance beyond counts as this where its square is computed
MODERATE = math.pi / 8.0  # a score of variance r is worth score / sqrt(1 + pi r / 8)

# What is known of the experts: the weights of the scores in the blend, and of the last outcome; the weights of the
# experts; their total log losses, and that of their mixture; what a round says of them; the noise around them, and
# how many rounds that stands for; the weights that they began with.
BLEND, HEDGE, TOTAL, GAIN, NOISE, HEARD, FIRST, LINES = 0, 1, 2, 3, 4, 5, 6, 7
RARE = 1.0 / 256.0  # the first weight of a sixth expert
# What the memories make of an example: their scores and the variances of these; how far a step moves their weights, and
# how much surer it makes of them.
SCORE, SPREAD, PULL, SHARP = 0, 1, 2, 3


def unknown(m: int = N) -> Array:
    """Nothing is known of m experts: the memories, their blend, and perhaps one more, of whom less is expected."""
    experts = np.zeros((LINES, m + 1))
    experts[BLEND, :M], experts[FIRST, :m] = 1.0 / M, 1.0 / N
    if m > N:
        experts[FIRST, :N], experts[FIRST, N] = (1.0 - RARE) / N, RARE
    experts[HEDGE] = experts[FIRST]
    return experts


def blank(n: int) -> Array:
    """Beliefs about an intercept, in row 0, and n weights: what each memory thinks, and then the info of each.

    Eight numbers are one line of the cache.
    """
    return np.zeros((n + 1, 2 * M))


def look(b: Array, lean: Array, scaler: Scaler, x: Any, prior: float, view: Array) -> None:
    """The score of each memory and its variance; `lean` is what a step will multiply, since divisions are slow."""
    s, r, z = four(b, 0, 0), 1.0 / (prior + four(b, 0, M)), scaler.last_row[Z]
    if nothing_dropped(
        scaler, x
    ):  # a loop of its own, since to ask for each coordinate takes a tenth of the time
        for k in range(size(x)):
            s, r = look_at(b, lean, k + 1, k, z[k], prior, s, r)
    else:
        for k in range(count_entries(scaler, x)):
            expect(b, x, k, 1)
            s, r = look_at(b, lean, feature_of_entry(scaler, x, k) + 1, k, z[k], prior, s, r)
    put(view, SCORE, 0, s)
    put(view, SPREAD, 0, r)


def look_at(
    b: Array, lean: Array, i: int, k: int, z: float, prior: float, s: Any, r: Any
) -> tuple[Any, Any]:
    """The scores and their variances with one coordinate more, in row i."""
    v = z / (prior + four(b, i, M))
    put(lean, k, 0, v)
    return s + z * four(b, i, 0), r + z * v


def step(b: Array, lean: Array, scaler: Scaler, x: Any, prior: float, view: Array) -> None:
    """Memories learn: weights move by their variance times the pull, and are known better by the sharpness."""
    pull, sharp, z = four(view, PULL, 0), four(view, SHARP, 0), scaler.last_row[Z]
    info = four(b, 0, M)
    put(b, 0, 0, four(b, 0, 0) + pull / (prior + info))
    put(b, 0, M, lanes(*KEPT) * (info + sharp))
    if nothing_dropped(scaler, x):
        for k in range(size(x)):
            step_at(b, lean, k + 1, k, z[k], pull, sharp)
    else:
        for k in range(count_entries(scaler, x)):
            step_at(b, lean, feature_of_entry(scaler, x, k) + 1, k, z[k], pull, sharp)


def step_at(b: Array, lean: Array, i: int, k: int, z: float, pull: Any, sharp: Any) -> None:
    """The step of one coordinate, in row i."""
    put(b, i, 0, four(b, i, 0) + pull * four(lean, k, 0))
    put(b, i, M, lanes(*KEPT) * (four(b, i, M) + sharp * (z * z)))


def forget(b: Array, scaler: Scaler, x: Any, t: int) -> None:
    """Weights of coordinates that begin again, in new units, begin again as well."""
    if scaler.cache[RESET_COUNT] > 0.0:
        forget_some(b, scaler, x)


def forget_some(b: Array, scaler: Scaler, x: Any) -> None:
    """`forget`, where there are such coordinates."""
    for k in range(count_entries(scaler, x)):
        i = feature_of_entry(scaler, x, k)
        if scaler.stats[i, NONZERO_COUNT] > 0.0 > scaler.new_stats[k, NONZERO_COUNT]:
            for j in range(2 * M):
                b[i + 1, j] = 0.0


def implicit_pulls(margin: Any, r: Any) -> Any:
    """The pulls p of steps that their own result justifies, p = 1 / (1 + exp(margin + r p)), for each memory.

    Two steps of Halley's method for the new margin u = margin + r p, from the point that p = 1/2 - u/4 would lead to,
    if it is in [margin, margin + r]. Where r <= 10, as it nearly always is, p is exact to ten digits; where r is
    larger, it is not so long that the step would pass u.
    """
    u = (margin + 0.5 * r) / (1.0 + 0.25 * r)
    u = higher(margin, lower(margin + r, u))
    p, d, near = u, u, lower(r, HUGE)
    for _ in range(2):
        # f = u - margin - r p with p = 1 / (1 + exp(u)), its slope and its bend, times c, c^2 and c^3: a division is
        # slow, and all wait for it
        e = decays(lower(u, 0.0 - u))
        c, n = 1.0 + e, pick(0.0, u, e, 1.0)
        f, slope, bend = (u - margin) * c - near * n, c * c + near * e, near * e * (c - 2.0 * n)
        d = c * f * slope / (slope * slope + 0.5 * f * bend)
        p, u = n / c, u - d
    p = p + d * (p * (1.0 - p)) * (1.0 + 0.5 * d * (1.0 - 2.0 * p))  # at the new u, by Taylor
    return pick(1.0, r, lower(p, (u - margin) / r), p)


def chances(score: Any) -> Any:
    """1 / (1 + exp(-score)), of four scores."""
    e = decays(lower(score, 0.0 - score))
    q = 1.0 / (1.0 + e)
    return pick(score, 0.0, e * q, q)


def chance(score: float) -> float:
    """1 / (1 + exp(-score))."""
    e = decay_one(-abs(score))
    q = 1.0 / (1.0 + e)
    return q if score >= 0.0 else e * q


def weigh(experts: Array, t: int) -> None:
    """Experts gain weight by their likelihoods, and share 1/t of it as they began."""
    m, share = experts.shape[1] - 1, 1.0 / (t + 2.0)
    gained = four(experts, HEDGE, 0) * four(experts, GAIN, 0)
    nothing_dropped = total(gained)
    for j in range(M, m):
        experts[HEDGE, j] *= experts[GAIN, j]
        nothing_dropped += experts[HEDGE, j]
    kept = (1.0 - share) / nothing_dropped
    put(experts, HEDGE, 0, kept * gained + share * four(experts, FIRST, 0))
    for j in range(M, m):
        experts[HEDGE, j] = kept * experts[HEDGE, j] + share * experts[FIRST, j]


def excess(experts: Array) -> float:
    """How much more the mixture has lost than the best of the experts; one of a smaller first weight may be better."""
    m, best = experts.shape[1] - 1, experts[TOTAL, 0]
    for j in range(1, m):
        best = min(best, experts[TOTAL, j] + np.log(experts[FIRST, 0] / experts[FIRST, j]))
    return experts[TOTAL, m] - best  # type: ignore[no-any-return]
