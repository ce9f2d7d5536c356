"""Labellings of a graph to compare a committee of trees with, made of the rounds that a run has kept.

On one tree the labelling with the least -ln P(u) + M_u ln(1/beta) is found by dynamic programming, and so is the one
with the least -ln P(u) among those that agree with the label seen most at each vertex. Each is scored on all trees.
The bound holds for every labelling, so it may be checked at any of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.guarantee import Comparators
from ...core.stream import Array
from ..algorithms.spanning_trees import levels

MOST = 1 << 26  # the table of the dynamic programme has at most so many numbers
SURE = 1e12  # a labelling costs so many nats more for each label that is not the one seen most


def comparators(learner: Any, rounds: Any) -> Comparators:
    """The labellings that the rounds of one run are compared with: two for each tree."""
    known = rounds.known
    if not known.any():
        return Comparators("own", str, np.zeros(0), why="no round had an answer")
    K, n = max(rounds.shape.classes, 1), learner.graph.n
    if n * K > MOST:
        return Comparators(
            "own", str, np.zeros(0), why="the graph is too large to look for labellings"
        )
    seen = labels_seen(rounds, n, K)
    wrong = seen.sum(axis=1, keepdims=True) - seen
    parent = rounds.states[0].parent
    thetas = learner.thetas or (learner.theta,)
    Z = rounds.states[0].Z
    along = by_vertex(rounds.states[0])
    clear = np.where(
        seen.sum(axis=1, keepdims=True) > 0, seen < seen.max(axis=1, keepdims=True), False
    )
    names, L, nats = [], [], []
    for r in range(len(parent)):
        steps = levels(parent[r])
        likely = int(np.argmax(Z[r])) if len(Z) else 0
        change: Any = 0.0
        if K > 1:
            each = None if along is None else along[r * len(thetas) + likely]
            cut, kept = prices(thetas[likely], K, each)
            change = cut - kept
        for kind, cost in (
            ("the likeliest labelling of tree {}", wrong * -math.log(learner.beta)),
            ("the labels seen, filled in by tree {}", clear * SURE),
        ):
            u = best_labelling(parent[r], steps, cost, change)
            names.append(kind.format(r + 1))
            L.append(float(wrong[np.arange(n), u].sum()) * rounds.passes)
            nats.append(mean_nats(parent, u, K, thetas, along))
    return Comparators("own", names.__getitem__, np.array(L), {"nats": np.array(nats)})


def labels_seen(rounds: Any, n: int, K: int) -> Array:
    """How often each label was seen at each vertex."""
    known = rounds.known
    v = np.asarray(rounds.x)[known, 0].astype(np.int64)
    y = np.asarray(rounds.codes)[known].astype(np.int64)
    seen: Any = np.bincount(v * K + y, np.asarray(rounds.h)[known], n * K)
    return np.asarray(seen, np.float64).reshape(n, K)


def by_vertex(state: Any) -> Array | None:
    """What the edge above each vertex carries over, a row for each tree and theta; None where all edges are alike."""
    if not state.along.shape[1]:
        return None
    each = len(state.along) // len(state.parent)
    return np.stack([row[state.place[:, m // each]] for m, row in enumerate(state.along)])


def prices(theta: float, K: int, same: Any = None) -> tuple[Any, Any]:
    """What an edge adds to -ln P(u) where its ends differ, and where not; `same` of the edges above vertices."""
    if same is None:
        return math.log((K - 1.0) / theta), -math.log(1.0 - theta)
    return np.log(K / (1.0 - same)), np.log(K / (1.0 + (K - 1.0) * same))


def best_labelling(parent: Any, steps: list[Any], cost: Array, change: Any) -> Any:
    """The labelling with the least sum of cost[v, u_v], and `change` for each edge of the tree whose ends differ.

    `change` is one number, or one a vertex, of the edge above it.
    """
    F = cost.astype(np.float64).copy()
    change = np.broadcast_to(change, len(F))
    for level in reversed(steps[1:]):
        least = F[level].min(axis=1, keepdims=True)
        np.add.at(F, parent[level], np.minimum(F[level], least + change[level, None]))
    u = np.argmin(F, axis=1)
    for level in steps[1:]:
        above = u[parent[level]]
        stay = F[level, above] <= F[level].min(axis=1) + change[level]
        u[level] = np.where(stay, above, u[level])
    return u


def mean_nats(parent: Any, u: Any, K: int, thetas: Any, along: Any = None) -> float:
    """-ln P_r(u), averaged over the trees; P_r is the mean over the thetas. `along` as `by_vertex` has it."""
    total = 0.0
    t = np.atleast_1d(np.asarray(thetas, np.float64))
    for r, row in enumerate(parent):
        inside = row >= 0
        total += int((~inside).sum()) * math.log(K)
        if K == 1:
            continue
        differ = u[row[inside]] != u[inside]
        each = np.empty(len(t))
        for g, theta in enumerate(t):
            same = None if along is None else along[r * len(t) + g, inside]
            cut, kept = prices(theta, K, same)
            each[g] = -float(np.where(differ, cut, kept).sum())
        total -= float(each.max() + np.log(np.exp(each - each.max()).mean()))
    return total / len(parent)
