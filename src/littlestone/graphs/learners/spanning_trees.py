"""A committee of random spanning trees: on each of them the labels follow Bayes' rule exactly."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from ...core.errors import BadInput
from ...core.guarantee import EVEN, Comparators, Guarantee, Symbols
from ...core.numeric import decay_one, log_one
from ...core.outcome import Outcome
from ...core.parameters import Bit, Interval
from ...core.scratch import Buffer
from ...core.stream import Array
from ...games import Shape
from ..algorithms.spanning_trees import heavy_first, spanning_trees
from ..algorithms.varied_trees import varied_trees
from .tree_beliefs import carried, observe_label, posterior, sent
from .tree_comparators import comparators
from .vertices import (
    FORESEEN,
    Seed,
    VertexLearner,
    begins_with_vertices,
    says_something,
    vertex_of,
)
from .wires import wires

Trees = Annotated[int, Interval(1, 1024, "[]", True)]
Open = Annotated[float, Interval(0.0, 1.0, "()")]
MEMORY = 1 << 28  # the messages of all trees are at most so many numbers: 2 GB


class State(NamedTuple):
    M: Array  # of each tree and place: ln of the belief, class by class, then ln of the message to the place above
    parent: Any  # of each tree and vertex; -1 for a root
    place: Any  # of each vertex, where it is in each tree: the way up is mostly the place before (`heavy_first`)
    up: Any  # of each tree and place: the place above it; -1 for a root
    seen: Array  # of each vertex and class: how often that label was seen
    p: Buffer  # the decision: the posterior of each class, averaged over the trees
    Q: Buffer  # the posterior by the class of the vertex (rows) and of an ancestor (columns)
    e: Buffer  # the belief of an ancestor without the branch that the walk came from
    thetas: Array  # the values of theta where there are several; then M has as many rows a tree
    Z: Array  # for each tree and theta, ln of the probability of the labels seen
    along: Array  # of each row of M: what the edge above each place carries over; no column where edges are alike


def bound_of_comparators(s: Symbols) -> Any:
    beta = s.beta
    return (s.nats + s.L * math.log(1.0 / beta)) / math.log(2.0 / (1.0 + beta))


T_TREES = Guarantee(
    "T-TREES",
    "a Bayes committee of spanning trees",
    "mistakes <= (mean over the trees of -ln P(u) + M_u ln(1/beta)) / ln(2 / (1 + beta)) for every labelling u that "
    "errs M_u times; -ln P(u) = ln K + sum over cut edges of ln((K - 1)/theta_e) + sum over the others of "
    "ln(1/(1 - theta_e)) on a tree, with ln K for each part of a graph that is not connected; theta_e = theta where "
    "all edges have the same weight, and with several thetas the mean of P(u) over them counts; trees that are drawn "
    "independently cut sum w_e r_e over the cut edges of the graph on average, any tree at most as many as the graph "
    "has",
    "Bayes mixtures as in Cesa-Bianchi, Gentile & Vitale 2009 and Herbster, Lever & Pontil 2008; averaged over "
    "trees by convexity of -ln(p + beta (1 - p))",
    bound_of_comparators,
    against="own",
    measures="mistakes",
    assumptions=(EVEN, FORESEEN, says_something(bound_of_comparators)),
    uses=("nats", "L", "beta"),
)


class SpanningTrees(VertexLearner[State, Array]):
    """Label a network: on each of several random spanning trees labels seldom change along an edge.

        T_1, …, T_R = random spanning trees (Wilson) that share few edges;  a labelling u has the prior
        P_r(u) = 1/K prod over the edges of T_r of (1 - theta_e), or theta_e/(K - 1) where its ends differ
        each round:  predict the class with the largest posterior at v, averaged over the trees
                     learn: a labelling that says another label than y of v is multiplied by beta

    An example is [v], the number of a vertex, or its name. Vertices may be asked again, and labels may be wrong at
    times. The posterior of a tree is exact: beliefs are sent up the tree, and a round walks from v towards the root
    until what lies beyond changes nothing (by more than 1e-9). So a round costs O(R K^2) a step, however large the
    graph is, and memory is 2 R n K numbers. In a graph of several connected parts each has a tree of its own.
    `theta` is how often labels differ along an edge of a tree; with several `thetas` a tree mixes them by Bayes' rule,
    at a price of ln(how many) nats, and as many times the work. Where edges have different weights, `theta` is that of
    one of median weight, and labels differ less often along heavier edges (`wires`); with `by_weight=0` along all of
    them alike, so that weights only say which trees are likely. `seed` draws the trees: with `varied=0` independently
    of one another, otherwise edges that are in many trees already become less likely.

    >>> import littlestone as ls
    >>> learner = SpanningTrees(graph=ls.graph([(0, 1), (1, 2), (2, 3)], n=4), theta=0.1)
    >>> learner = learner.start(1, labels=("a", "b")).update([0], "a").update([3], "b")
    >>> learner.predict([1]), learner.predict([2])
    ('a', 'b')

    Wilson (1996); Cesa-Bianchi, Gentile & Vitale (2009). Ledger: A-SPANNING-TREES; T-TREES.
    """

    trees: Trees = 31
    theta: Open = 0.15
    thetas: tuple[float, ...] | None = None
    beta: Open = 0.02
    by_weight: Bit = 1
    varied: Bit = 1
    seed: Seed = 0
    guarantees = (T_TREES,)

    def __post_init__(self) -> None:
        super().__post_init__()
        for theta in self.thetas or ():
            if not 0.0 < theta < 1.0:
                raise BadInput(f"{self.key}: thetas are numbers between 0 and 1, not {theta!r}")
        if self.thetas is not None and not self.thetas:
            raise BadInput(f"{self.key}: thetas has no number: leave it out, or name some")

    def comparators(self, rounds: Any) -> Comparators:
        """Labellings to compare with: the best of each tree, scored on all of them."""
        return comparators(self, rounds)

    def begin(self, shape: Shape) -> State:
        graph = begins_with_vertices(self.key, self.graph, shape)
        K, several = shape.classes, len(self.thetas or ())
        members = self.trees * max(several, 1)
        if 2 * members * graph.n * K > MEMORY:
            raise BadInput(
                f"{self.key}: {members} trees, {graph.n:,} vertices and {K} classes take more than two gigabytes; "
                "take fewer trees, or spine, which needs no messages"
            )
        M = np.zeros((members, graph.n, 2 * K))
        M[:, :, :K] = -math.log(K)
        parent = (varied_trees if self.varied else spanning_trees)(graph, self.trees, self.seed)
        place, up = places(parent)
        along = np.zeros((members, 0))
        if self.by_weight:
            along = wires(graph, parent, self.thetas or (self.theta,), K)
            for m in range(members if along.shape[1] else 0):
                along[m, place[:, m // max(several, 1)]] = along[m].copy()
        return State(
            M,
            parent,
            place,
            up,
            np.zeros((graph.n, K)),
            np.full(K, 1.0 / K),
            np.zeros((K, K)),
            np.zeros(K),
            np.array(self.thetas or (), np.float64),
            np.zeros((self.trees if several else 0, several)),
            along,
        )

    def grow(self, old: State, new: State, shape: Shape) -> State:
        """Compute the messages again from the labels seen, since the prior changes with the number of classes."""
        K = old.p.shape[0]
        if shape.classes == K:
            return old
        new.seen[:, :K] = old.seen
        thetas = self.thetas or (self.theta,)
        for r in range(self.trees):
            for g, theta in enumerate(thetas):
                M, m = np.empty(new.M.shape[1:]), r * len(thetas) + g
                same = np.full(len(M), carried(theta, shape.classes))
                if new.along.shape[1]:
                    same = new.along[m, old.place[:, r]]
                found = sent(M, old.parent[r], new.seen, same, self.beta)
                new.M[m, old.place[:, r]] = M
                if self.thetas:
                    new.Z[r, g] = found
        return new._replace(parent=old.parent, place=old.place, up=old.up)

    def decide(self, state: State, x: Any) -> Array:
        v, K = vertex_of(x[0], state.seen.shape[0]), state.p.shape[0]
        for c in range(K):
            state.p[c] = 0.0
        several = state.thetas.shape[0]
        for r in range(state.parent.shape[0]):
            if several == 0:
                at, along = state.place[v, r], state.along[r]
                posterior(state.M[r], state.up[r], at, self.theta, along, state.Q, state.e)
                for c in range(K):
                    state.p[c] += state.e[c]
                continue
            top, total = state.Z[r, 0], 0.0
            for g in range(several):
                top = max(top, state.Z[r, g])
            for g in range(several):
                total += decay_one(state.Z[r, g] - top)
            for g in range(several):
                share = decay_one(state.Z[r, g] - top) / total
                if share > 1e-12:
                    M, along = state.M[r * several + g], state.along[r * several + g]
                    at, theta = state.place[v, r], state.thetas[g]
                    posterior(M, state.up[r], at, theta, along, state.Q, state.e)
                    for c in range(K):
                        state.p[c] += share * state.e[c]
        for c in range(K):
            state.p[c] /= state.parent.shape[0]
        return state.p

    def learn(self, state: State, x: Any, p: Array, f: Outcome) -> State:
        v, y = int(x[0]), int(f.y)
        state.seen[v, y] += f.h
        cost = -f.h * log_one(self.beta)
        several = state.thetas.shape[0]
        for r in range(state.parent.shape[0]):
            at = state.place[v, r]
            if several == 0:
                observe_label(
                    state.M[r], state.up[r], at, y, cost, self.theta, state.along[r], state.e
                )
            for g in range(several):
                M, along = state.M[r * several + g], state.along[r * several + g]
                theta = state.thetas[g]
                state.Z[r, g] += observe_label(M, state.up[r], at, y, cost, theta, along, state.e)
        return state


def places(parent: Any) -> tuple[Any, Any]:
    """Where each vertex is in each tree, and the place above each place: -1 above a root."""
    R, n = parent.shape
    place, up = np.empty((n, R), np.int32), np.full((R, n), -1, np.int32)
    for r in range(R):
        order = heavy_first(parent[r])
        place[order, r] = np.arange(n)
        above = parent[r, order]
        inner = above >= 0
        up[r, inner] = place[above[inner], r]
    return place, up
