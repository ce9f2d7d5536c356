"""A baseline for labelling a network: the majority of the nearest vertices that have a label."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.outcome import Outcome
from ...core.scratch import Buffer, Scratch
from ...core.stream import Array
from ...games import Shape
from .vertices import VertexLearner, begins_with_vertices, vertex_of

Whole = NDArray[np.int64]
TIE = 1e-8  # what the class seen most often is worth: it decides where votes are equal


class State(NamedTuple):
    away: Whole  # of each vertex: how many edges to the nearest label; n: no label reaches it
    votes: Array  # of each vertex and class: the votes of the labels that are so near
    all_seen: Array  # of each class: how often it was seen
    queue: Annotated[Whole, Scratch()]  # the vertices that a new label reaches, the nearest first
    level: Annotated[Whole, Scratch()]  # of those: 1 + their distance from it; of all others 0
    p: Buffer  # the decision


class NeighbourMajority(VertexLearner[State, Array]):
    """Predict the label that most of the nearest labelled vertices had.

        each round:  predict the class with the most votes at v, among the labels that are nearest to v
                     learn: y gets a vote at every vertex to which no other label is nearer than this one

    An example is [v], the number of a vertex, or its name. A vertex that was asked before is its own nearest; then
    come its neighbours, and only where none of them has a label those that are two edges away, and so on. Each edge by
    which a label arrives is a vote, and weighs as much as the edge. Where no label can be reached, or two classes have
    equally many votes, the class seen most often. O(K) to predict; to learn, the edges around the vertices that the
    new label reaches: all of them at first, then fewer and fewer (on four citation and blog networks 32, 52, 95 and
    1,215 on average). It has no theorem: it is the baseline that any other use of the graph has to beat.

    >>> import littlestone as ls
    >>> path = ls.graph([(0, 1), (1, 2), (2, 3), (3, 4)], n=5)
    >>> learner = NeighbourMajority(graph=path).start(1, labels=("a", "b"))
    >>> learner.update([0], "b").predict([4])
    'b'
    >>> learner.update([4], "a").predict([3]), learner.predict([1])
    ('a', 'b')

    Ledger: A-NEIGHBOUR-MAJORITY.
    """

    def begin(self, shape: Shape) -> State:
        graph = begins_with_vertices(self.key, self.graph, shape)
        n, K = graph.n, shape.classes
        return State(
            away=np.full(n, n),
            votes=np.zeros((n, K)),
            all_seen=np.zeros(K),
            queue=np.zeros(n, np.int64),
            level=np.zeros(n, np.int64),
            p=np.zeros(K),
        )

    def decide(self, state: State, x: Any) -> Array:
        v, votes, total = vertex_of(x[0], state.votes.shape[0]), 0.0, 0.0
        for c in range(state.p.shape[0]):
            votes += state.votes[v, c]
            total += state.all_seen[c]
        for c in range(state.p.shape[0]):  # shares of votes; of all labels, where votes are equal
            state.p[c] = state.votes[v, c] / max(votes, 1e-300)
            state.p[c] += TIE * state.all_seen[c] / max(total, 1e-300)
        return state.p

    def learn(self, state: State, x: Any, p: Array, f: Outcome) -> State:
        v, y = int(x[0]), int(f.y)
        reach(state, v, 0)
        state.votes[v, y] += f.h
        state.queue[0], first, end = v, 0, 1
        while first < end:  # breadth first
            u = state.queue[first]
            first += 1
            further = state.level[u]  # the distance of u's neighbours that were not met yet
            for e in range(self.graph.begins[u], self.graph.begins[u + 1]):
                w = self.graph.index[e]
                if state.away[w] < further or 0 < state.level[w] <= further:
                    continue  # another label is nearer, or this one came here by fewer edges
                if state.level[w] == 0:
                    reach(state, w, further)
                    state.queue[end] = w
                    end += 1
                state.votes[w, y] += f.h * self.graph.weight[e]
        for i in range(end):
            state.level[state.queue[i]] = 0
        state.all_seen[y] += f.h
        return state


def reach(state: State, v: int, distance: int) -> None:
    """A label is so many edges from v: votes of labels that are farther no longer count."""
    if state.away[v] > distance:
        state.away[v] = distance
        for c in range(state.votes.shape[1]):
            state.votes[v, c] = 0.0
    state.level[v] = distance + 1
