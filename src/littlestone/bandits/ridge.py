"""Ridge regression of losses on features, one model for all arms or one for each, by Cholesky factors.

    A = ridge I + sum of x x',   b = sum of loss x,   theta = A^-1 b

A is kept as its factor L (L L' = A), and a new row turns L by plane rotations in O(d^2). Unlike an inverse that is
updated in place, L cannot lose its sign or its symmetry by rounding, however long the run is.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.scratch import Buffer
from ..core.stream import Array
from ..games import Pulled, Shape


class Ridge(NamedTuple):
    """Models of one d each."""

    L: Array  # models x d x d, lower triangular
    b: Array  # models x d
    theta: Array  # models x d
    y: Buffer  # n x d: L^-1 x of each arm
    w: Buffer  # d: to learn
    mean: Buffer  # n: theta . x
    sd: Buffer  # n: |L^-1 x|
    logdet: Array  # models: ln det A - d ln ridge
    v: Buffer  # n: the decision
    t: int
    row2: float  # the largest |x|^2 learned from


def ridge_of(key: str, shape: Shape, own: bool, strength: float) -> Ridge:
    """Nothing known yet. A model for each arm looks at all features; one for all, at n rows of them."""
    n, d = shape.n, shape.features
    if not own:
        if d % n:
            raise BadInput(
                f'{key}: model="shared" needs a row of features for each of {n} arms, T x {n} x d; '
                f"{d} features are not {n} rows"
            )
        d //= n
    models = n if own else 1
    L = np.zeros((models, d, d))
    for k in range(d):
        L[:, k, k] = math.sqrt(strength)
    return Ridge(
        L, np.zeros((models, d)), np.zeros((models, d)), np.zeros((n, d)), np.zeros(d), np.zeros(n),
        np.zeros(n), np.zeros(models), np.full(n, 1.0 / n), 0, 0.0,
    )  # fmt: skip


def look(state: Any, x: Any, i: int) -> None:
    """theta . x and |L^-1 x| of an arm, for its model and its features."""
    d = state.w.shape[0]
    m = i if state.L.shape[0] > 1 else 0
    at = i * d if x.x.shape[0] > d else 0
    mean, total = 0.0, 0.0
    for k in range(d):
        z = x.x[at + k]
        mean += state.theta[m, k] * z
        for j in range(k):
            z -= state.L[m, k, j] * state.y[i, j]
        z /= state.L[m, k, k]
        state.y[i, k] = z
        total += z * z
    state.mean[i], state.sd[i] = mean, math.sqrt(total)


def fitted(state: Any, x: Any, f: Pulled) -> Ridge:
    """One more loss for the model of an arm."""
    d, i = state.w.shape[0], f.arm
    m = i if state.L.shape[0] > 1 else 0
    at = i * d if x.x.shape[0] > d else 0
    length = 0.0
    for k in range(d):
        state.w[k] = x.x[at + k]
        length += state.w[k] * state.w[k]
        state.b[m, k] += f.loss * state.w[k]
    for k in range(d):
        old = state.L[m, k, k]
        new = math.hypot(old, state.w[k])
        c, s = new / old, state.w[k] / old
        state.logdet[m] += 2.0 * math.log(c)
        state.L[m, k, k] = new
        for j in range(k + 1, d):
            state.L[m, j, k] = (state.L[m, j, k] + s * state.w[j]) / c
            state.w[j] = c * state.w[j] - s * state.L[m, j, k]
    for k in range(d):  # L z = b, and then L' theta = z
        z = state.b[m, k]
        for j in range(k):
            z -= state.L[m, k, j] * state.theta[m, j]
        state.theta[m, k] = z / state.L[m, k, k]
    for r in range(d):
        k = d - 1 - r
        z = state.theta[m, k]
        for j in range(k + 1, d):
            z -= state.L[m, j, k] * state.theta[m, j]
        state.theta[m, k] = z / state.L[m, k, k]
    return Ridge(
        state.L, state.b, state.theta, state.y, state.w, state.mean, state.sd, state.logdet, state.v,
        state.t + 1, max(state.row2, length),
    )  # fmt: skip
