"""A baseline for labelling a network: the majority of the neighbours."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.outcome import Outcome
from ...core.scratch import Buffer
from ...core.stream import Array
from ...games import Shape
from .vertices import VertexLearner, begins_with_vertices, vertex_of


class State(NamedTuple):
    own: Array  # of each vertex and class: how often it had that label
    votes: Array  # of each vertex and class: the weights of the neighbours that had that label
    all_seen: Array  # of each class: how often it was seen
    p: Buffer  # the decision


class NeighbourMajority(VertexLearner[State, Array]):
    """Predict the label that most neighbours had.

        each round:  predict the class with the most votes at v;  learn: give y the vote of v at each of its neighbours

    An example is [v], the number of a vertex, or its name. A vote weighs as much as the edge. Where v was asked
    before, the label that it had most often itself is what counts; where no neighbour has a label, or two classes have
    equally many votes, the class seen most often. O(K) to predict, O(neighbours) to learn. It has no theorem: it is
    the baseline that any other use of the graph has to beat.

    >>> import littlestone as ls
    >>> learner = NeighbourMajority(graph=ls.graph([(0, 1), (0, 2), (0, 3)], n=4)).start(
    ...     1, labels=("a", "b")
    ... )
    >>> learner.update([1], "b").update([2], "b").update([3], "a").predict([0])
    'b'

    Ledger: A-NEIGHBOUR-MAJORITY.
    """

    def begin(self, shape: Shape) -> State:
        graph = begins_with_vertices(self.key, self.graph, shape)
        K = shape.classes
        return State(np.zeros((graph.n, K)), np.zeros((graph.n, K)), np.zeros(K), np.zeros(K))

    def decide(self, state: State, x: Any) -> Array:
        v, own, votes, total = vertex_of(x[0], state.votes.shape[0]), 0.0, 0.0, 0.0
        for c in range(state.p.shape[0]):
            own += state.own[v, c]
            votes += state.votes[v, c]
            total += state.all_seen[c]
        for c in range(
            state.p.shape[0]
        ):  # shares of own labels, then of votes, then of all labels: each decides only where those before do not
            state.p[c] = (
                state.own[v, c] / max(own, 1e-300)
                + 1e-4 * state.votes[v, c] / max(votes, 1e-300)
                + 1e-8 * state.all_seen[c] / max(total, 1e-300)
            )
        return state.p

    def learn(self, state: State, x: Any, p: Array, f: Outcome) -> State:
        v, y = int(x[0]), int(f.y)
        for e in range(self.graph.begins[v], self.graph.begins[v + 1]):
            state.votes[self.graph.index[e], y] += f.h * self.graph.weight[e]
        state.own[v, y] += f.h
        state.all_seen[y] += f.h
        return state
