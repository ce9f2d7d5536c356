"""The harmonic function through labels that come one at a time, by rank-one updates of the inverse of the Laplacian.

Given the labels so far, let C be the inverse of the Laplacian over the vertices without a label: the covariance of a
Gaussian field of which f is the mean. A label y at v changes both by one column c = C e_v:

    f += (y - f(v)) / C_vv * c        C -= c c' / C_vv

C is never written down. At first there is L^+, of each connected part. The first label of a part, at r, grounds it:
C_ij = L^+_ij - L^+_ir - L^+_rj + L^+_rr. Of each later label the column c / sqrt(C_vv) is kept, in the row of L^+ that
nothing needs any more, its own. So a column is a row of L^+ less the columns before it: O(n) for each label so far, and
O(n) of them only where they reach v at all: a column is 0 behind vertices that have labels.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.stream import Array
from ...core.vectors import add
from ..algorithms.graph import Graph
from ..algorithms.laplacian import laplacian, pseudo_inverse

MOST = 2048  # L^+ is kept for graphs of at most so many vertices: 34 MB
ZERO = 1e-13  # a smaller value is 0 up to rounding: between labels -1 and 1 it counts as a mistake
# a column whose entry at v is below this part of the standard deviation at v is left out
TINY = 1e-15


def kernel(graph: Graph) -> Array:
    """L^+ of each connected part, zero between them."""
    G = np.zeros((graph.n, graph.n))
    L, (parts, part) = laplacian(graph), graph.components
    for k in range(parts):
        mine = np.flatnonzero(part == k)
        G[np.ix_(mine, mine)] = pseudo_inverse(L[np.ix_(mine, mine)])
    return G


def grounded(state: Any, v: int, y: float) -> None:
    """The first label of a connected part: f is y all over it."""
    state.first[state.part[v]] = v
    for i in range(state.f.shape[0]):
        if state.part[i] == state.part[v]:
            state.f[i] = y


def conditioned(state: Any, v: int, y: float) -> None:
    """A label at v, in a part that has one: f goes through it, and the column of v takes the place of its row."""
    G, z, f, n = state.G, state.z, state.f, state.f.shape[0]
    r = state.first[state.part[v]]
    base = G[r, r] - G[v, r]
    for i in range(n):
        z[i] = G[v, i] - G[r, i] + base if state.part[i] == state.part[v] else 0.0
    least = TINY * math.sqrt(z[v])
    for k in range(int(state.many)):
        s = state.order[k]
        if abs(G[s, v]) > least:
            add(z, -G[s, v], G[s])
    step, scale = (y - f[v]) / z[v], 1.0 / math.sqrt(z[v])
    for i in range(n):
        if state.label[i] != 0.0 and i != v:
            z[i] = 0.0  # rounding
        f[i] += step * z[i]
        if abs(f[i]) < ZERO:
            f[i] = 0.0
        G[v, i] = scale * z[i]
    f[v] = y
