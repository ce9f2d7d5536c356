"""Kernels between graphs: common walks, common shortest paths, and the colours of Weisfeiler and Lehman.

Each takes a list of graphs (`ls.graph`), with a label for each vertex where there are any, and returns the matrix of
the kernel, which `SVC(kernel="precomputed")` fits. Weights are not used. Gärtner, Flach and Wrobel 2003 (walks);
Borgwardt and Kriegel 2005 (shortest paths); Shervashidze et al. 2011 (Weisfeiler-Lehman).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from littlestone.core.errors import BadInput
from littlestone.core.stream import Array
from littlestone.graphs.algorithms.graph import Graph

Labels = Sequence[Sequence[Hashable]]


def labelled(graphs: Sequence[Graph], labels: Labels | None) -> list[list[Hashable]]:
    """A label for each vertex of each graph."""
    if not len(graphs):
        raise BadInput("graphs: at least one")
    for i, g in enumerate(graphs):
        if not isinstance(g, Graph):
            raise BadInput(f"graphs, entry {i}: {g!r:.40} is no graph; ls.graph(edges) makes one")
    if labels is None:
        return [[0] * g.n for g in graphs]
    if len(labels) != len(graphs):
        raise BadInput(f"labels: {len(labels)} lists for {len(graphs)} graphs")
    for i, (g, own) in enumerate(zip(graphs, labels, strict=True)):
        if len(own) != g.n:
            raise BadInput(f"labels, entry {i}: {len(own)} labels for {g.n} vertices")
    return [list(own) for own in labels]


def adjacency(g: Graph) -> Array:
    """1 for an edge, else 0."""
    A = np.zeros((g.n, g.n))
    for v in range(g.n):
        A[v, g.neighbours(v)] = 1.0
    return A


def random_walk(
    graphs: Sequence[Graph], labels: Labels | None = None, *, decay: float = 0.01
) -> Array:
    """sum over walks of n edges in both graphs, with equal labels along them, of decay^n.

    In the product graph, whose vertices are pairs with equal labels, that is 1'(I - decay A)^-1 1. The series converges
    for decay below 1 / (the largest eigenvalue of A); O(n^6) a pair of graphs of n vertices.

    >>> from littlestone.graphs.algorithms.zoo import path
    >>> random_walk([path(1), path(2)], decay=0.1).round(
    ...     6
    ... ).tolist()  # a vertex; an edge: walks of any length
    [[1.0, 2.0], [2.0, 4.444444]]
    """
    own, A = labelled(graphs, labels), [adjacency(g) for g in graphs]
    if not decay > 0:
        raise BadInput(f"decay {decay:g}: it must be more than 0")
    top = max(float(np.linalg.eigvalsh(M)[-1]) if len(M) else 0.0 for M in A)
    if decay * top**2 >= 1.0:
        raise BadInput(
            f"decay {decay:g}: the series diverges; it must be below {1 / top**2:.6g} for these graphs"
        )
    K = np.zeros((len(graphs), len(graphs)))
    for i in range(len(graphs)):
        for j in range(i + 1):
            pairs = [(v, w) for v, a in enumerate(own[i]) for w, b in enumerate(own[j]) if a == b]
            if not pairs:
                continue
            V, W = (list(side) for side in zip(*pairs, strict=True))
            product = A[i][np.ix_(V, V)] * A[j][np.ix_(W, W)]
            one = np.ones(len(pairs))
            K[i, j] = K[j, i] = one @ np.linalg.solve(np.eye(len(pairs)) - decay * product, one)
    return K


def shortest_path(graphs: Sequence[Graph], labels: Labels | None = None) -> Array:
    """The pairs of vertices, in both graphs, with equal labels and as many edges between them.

    >>> from littlestone.graphs.algorithms.zoo import cycle, path
    >>> shortest_path([path(3), cycle(3)]).tolist()  # lengths 1, 1, 2; and 1, 1, 1
    [[5.0, 6.0], [6.0, 9.0]]
    """
    from scipy.sparse.csgraph import shortest_path as distances

    own = labelled(graphs, labels)
    found: list[Counter[Hashable]] = []
    for g, names in zip(graphs, own, strict=True):
        D = distances(adjacency(g), unweighted=True) if g.n else np.zeros((0, 0))
        counts: Counter[Hashable] = Counter()
        for v in range(g.n):
            for w in range(v):
                if np.isfinite(D[v, w]):
                    counts[frozenset(Counter((names[v], names[w])).items()), int(D[v, w])] += 1
        found.append(counts)
    return inner_products(found)


def weisfeiler_lehman(
    graphs: Sequence[Graph], labels: Labels | None = None, *, rounds: int = 3
) -> Array:
    """Common colours: each round a vertex's colour becomes its colour with the bag of those of its neighbours.

    The kernel counts pairs of equal colours in rounds 0, …, rounds; O(rounds x edges) a graph.

    >>> from littlestone.graphs.algorithms.zoo import cycle, path
    >>> weisfeiler_lehman([path(3), cycle(3)], rounds=1).tolist()
    [[14.0, 12.0], [12.0, 18.0]]
    """
    if rounds < 0:
        raise BadInput(f"rounds {rounds}: it must be at least 0")
    colours = labelled(graphs, labels)
    found: list[Counter[Hashable]] = [Counter((0, c) for c in own) for own in colours]
    known: dict[Any, int] = {}
    for r in range(1, rounds + 1):
        fresh: list[list[Hashable]] = []
        for g, own in zip(graphs, colours, strict=True):
            next_colours: list[Hashable] = []
            for v in range(g.n):
                bag = frozenset(Counter(own[int(w)] for w in g.neighbours(v)).items())
                next_colours.append(known.setdefault((r, own[v], bag), len(known)))
            fresh.append(next_colours)
        colours = fresh
        for counts, own in zip(found, colours, strict=True):
            counts.update((r, c) for c in own)
    return inner_products(found)


def inner_products(features: Sequence[Counter[Hashable]]) -> Array:
    """The inner products of bags."""
    K = np.zeros((len(features), len(features)))
    for i, a in enumerate(features):
        for j, b in enumerate(features[: i + 1]):
            K[i, j] = K[j, i] = sum(n * b[key] for key, n in a.items() if key in b)
    return K
