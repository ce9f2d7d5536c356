"""Small graphs with known answers, for tests and examples (A6.35 of lecture 6). Ledger: X-NETWORKS."""

from __future__ import annotations

import itertools

import numpy as np

from ...core.errors import BadInput
from .graph import Graph, from_edges, packed


def path(n: int) -> Graph:
    """0 - 1 - … - (n - 1)."""
    return from_edges([(i, i + 1) for i in range(n - 1)], n)


def cycle(n: int) -> Graph:
    """0 - 1 - … - (n - 1) - 0."""
    return from_edges([(i, (i + 1) % n) for i in range(n)], n)


def complete(n: int) -> Graph:
    """Every two of n vertices are joined."""
    return from_edges(itertools.combinations(range(n), 2), n)


def wheel(n: int) -> Graph:
    """A hub, vertex 0, and a cycle of n - 1 around it."""
    rim = [(i, i % (n - 1) + 1) for i in range(1, n)]
    return from_edges([*rim, *((0, i) for i in range(1, n))], n)


def grid(rows: int, columns: int) -> Graph:
    """Vertex r columns + c is joined to those above, below, left and right of it."""
    at = np.arange(rows * columns).reshape(rows, columns)
    a = np.concatenate([at[:, :-1].ravel(), at[:-1].ravel()])
    b = np.concatenate([at[:, 1:].ravel(), at[1:].ravel()])
    return packed(a, b, np.ones(len(a)), rows * columns)


def barbell(m: int, bridge: int = 1, inside: float = 1.0, between: float = 1.0) -> Graph:
    """Two cliques of m vertices and a path of `bridge` edges from m - 1 to the first of the second clique.

    `inside` and `between` are resistances. The second clique is the last m vertices.

    >>> barbell(3)
    <Graph: 6 vertices, 7 edges>
    """
    if m < 2 or bridge < 1:
        raise BadInput(
            f"a barbell has cliques of 2 or more and a bridge of 1 or more, not {m} and {bridge}"
        )
    n = 2 * m + bridge - 1
    one = [(i, j, 1.0 / inside) for i, j in itertools.combinations(range(m), 2)]
    other = [(i + n - m, j + n - m, w) for i, j, w in one]
    way = [(m - 1 + i, m + i, 1.0 / between) for i in range(bridge)]
    return from_edges([*one, *other, *way], n)


def cliques(count: int, m: int, cut: int, seed: int = 0) -> Graph:
    """`count` cliques of m vertices, one after the other, and `cut` edges between different ones, drawn at random.

    They are drawn so that the graph is connected where `cut` allows it.
    """
    n = count * m
    between = count * (count - 1) // 2 * m * m
    if count < 1 or m < 1 or not 0 <= cut <= between:
        raise BadInput(f"{count} cliques of {m} have 0 to {between} edges between them, not {cut}")
    rng = np.random.default_rng(seed)
    home = np.arange(n) // m
    edges = {
        (c * m + i, c * m + j) for c in range(count) for i, j in itertools.combinations(range(m), 2)
    }
    more: set[tuple[int, int]] = set()
    # an edge to an earlier clique, so that the graph is connected
    for c in range(1, min(count, cut + 1)):
        more.add((int(rng.integers(c * m)), int(c * m + rng.integers(m))))
    while len(more) < cut:
        a, b = sorted(int(v) for v in rng.integers(n, size=2))
        if home[a] != home[b]:
            more.add((a, b))
    return from_edges(sorted(edges | more), n)


def spielman() -> Graph:
    """Five vertices, one edge of weight 2 (W26)."""
    return from_edges([(0, 1), (0, 4), (1, 2), (1, 3), (2, 3), (3, 4, 2.0)], 5)


def bow_tie() -> Graph:
    """Two triangles with a vertex in common (W27)."""
    return from_edges([(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4)], 5)
