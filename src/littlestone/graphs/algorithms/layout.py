"""Where to draw the vertices of a small graph: neighbours attract, all others repel (Fruchterman and Reingold)."""

from __future__ import annotations

import numpy as np

from ...core.errors import BadInput
from ...core.stream import Array
from .graph import Graph

MOST = 400  # a picture of more vertices would show nothing
STEPS = 150


def layout(graph: Graph, seed: int = 0) -> Array:
    """Points in the unit square, one a vertex; the same for the same graph and seed.

    >>> from .graph import from_edges
    >>> layout(from_edges([(0, 1), (1, 2)], 3)).shape
    (3, 2)
    """
    n = graph.n
    if n > MOST:
        raise BadInput(f"a picture shows up to {MOST} vertices, not {n:,}")
    at = np.random.default_rng(seed).uniform(size=(n, 2))
    a, b, _ = graph.pairs()
    near = 1.0 / np.sqrt(n)
    for step in range(STEPS):
        d = at[:, None] - at[None]
        far = np.maximum((d**2).sum(axis=2), 1e-8)
        push = (d * (near**2 / far)[:, :, None]).sum(axis=1)
        pull = (at[a] - at[b]) * (np.sqrt(far[a, b]) / near)[:, None]
        np.add.at(push, a, -pull)
        np.add.at(push, b, pull)
        push -= 0.5 * (at - at.mean(axis=0))  # parts that no edge joins do not drift apart
        length = np.maximum(np.sqrt((push**2).sum(axis=1)), 1e-12)
        most = 0.1 * (1.0 - step / STEPS) + 1e-3
        at += push * (np.minimum(length, most) / length)[:, None]
    low, high = at.min(axis=0), at.max(axis=0)
    made: Array = (at - low) / np.maximum(high - low, 1e-12)
    return made
