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
from ...engine.lanes import decays, four, higher, lanes, lower, pick, put
from .feature_scaling import AGAIN, THROUGH, Standing, Z, at, listed

KEPT = (1.0, 0.999, 0.99, 0.9)  # what a round leaves
M = len(KEPT)
N = M + 1  # experts
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


def with_first(experts: Array) -> Array:
    """What 0.8 and before knew of experts, who all began alike."""
    new: Array = np.zeros((*experts.shape[:-2], LINES, N + 1))
    new[..., :FIRST, :], new[..., FIRST, :N] = experts, 1.0 / N
    return new


def blank(n: int) -> Array:
    """Beliefs about an intercept, in row 0, and n weights: what each memory thinks, and then the info of each.

    Eight numbers are one line of the cache.
    """
    return np.zeros((n + 1, 2 * M))


def look(b: Array, lean: Array, standing: Standing, x: Any, prior: float, view: Array) -> None:
    """The score of each memory and its variance; `lean` is what a step will multiply, since divisions are slow."""
    s, r, z = four(b, 0, 0), 1.0 / (prior + four(b, 0, M)), standing.last[Z]
    for k in range(listed(standing, x)):
        i = at(standing, x, k) + 1
        v = z[k] / (prior + four(b, i, M))
        put(lean, k, 0, v)
        s = s + z[k] * four(b, i, 0)
        r = r + z[k] * v
    put(view, SCORE, 0, s)
    put(view, SPREAD, 0, r)


def step(b: Array, lean: Array, standing: Standing, x: Any, prior: float, view: Array) -> None:
    """Memories learn: weights move by their variance times the pull, and are known better by the sharpness."""
    pull, sharp, kept, z = four(view, PULL, 0), four(view, SHARP, 0), lanes(*KEPT), standing.last[Z]
    info = four(b, 0, M)
    put(b, 0, 0, four(b, 0, 0) + pull / (prior + info))
    put(b, 0, M, kept * (info + sharp))
    for k in range(listed(standing, x)):
        i = at(standing, x, k) + 1
        put(b, i, 0, four(b, i, 0) + pull * four(lean, k, 0))
        put(b, i, M, kept * (four(b, i, M) + sharp * (z[k] * z[k])))


def forget(b: Array, standing: Standing, x: Any, t: int) -> None:
    """Weights of coordinates that begin again, in new units, begin again as well."""
    if standing.look[AGAIN] > 0.0:
        for k in range(listed(standing, x)):
            i = at(standing, x, k)
            if standing.place[i, THROUGH] > 0.0 > standing.now[k, THROUGH]:
                for j in range(2 * M):
                    b[i + 1, j] = 0.0


def implicit_margins(margin: Any, r: Any) -> Any:
    """The margins after a step that its own result justifies: u = margin + r / (1 + exp(u)), for each memory.

    Newton's method from 0, or from the nearer end of [margin, margin + r]: it comes from one side and never
    overshoots, so that a few rounds will do.
    """
    u = higher(margin, lower(margin + r, 0.0 * r))
    for _ in range(3):
        # f = u - margin - r / (1 + exp(u)) and its slope, both times c^2: a division is slow, and all wait for it
        e = decays(lower(u, 0.0 - u))
        c = 1.0 + e
        f = c * ((u - margin) * c - r * pick(0.0, u, e, 1.0))
        u = u - f / (c * c + r * e)
    return u


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
    m, whole, share = experts.shape[1] - 1, 0.0, 1.0 / (t + 2.0)
    for j in range(m):
        experts[HEDGE, j] *= experts[GAIN, j]
        whole += experts[HEDGE, j]
    kept = (1.0 - share) / whole
    for j in range(m):
        experts[HEDGE, j] = kept * experts[HEDGE, j] + share * experts[FIRST, j]


def excess(experts: Array) -> float:
    """How much more the mixture has lost than the best of the experts; one of a smaller first weight may be better."""
    m, best = experts.shape[1] - 1, experts[TOTAL, 0]
    for j in range(1, m):
        best = min(best, experts[TOTAL, j] + np.log(experts[FIRST, 0] / experts[FIRST, j]))
    return experts[TOTAL, m] - best  # type: ignore[no-any-return]
