"""The perceptron in the space of functions on a graph that change little along its edges."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.guarantee import EVEN, Comparators, Guarantee, Symbols
from ...core.outcome import Outcome
from ...core.parameters import Bit, Positive
from ...core.stream import Array
from ...games import Game, Labels, Shape
from .smooth_comparators import comparators
from .vertices import VertexLearner, begins_with_vertices, says_something, vertex_of

CLOSE = 1e-11  # a solve ends when the residual is this part of the right-hand side


class State(NamedTuple):
    f: Array  # the score of each vertex
    degree: Array
    part: Any  # the connected part of each vertex
    size: Array  # of each connected part: how many vertices it has
    z: Array  # room for a solve: the solution, ...
    r: Array  # ... what is left of the right-hand side, ...
    d: Array  # ... the direction, ...
    q: Array  # ... and the Laplacian times the direction
    updates: float
    top: float  # the largest K(v, v) of a vertex that it learned from


def bound_of_comparators(s: Symbols) -> Any:
    return (np.sqrt(s.top * s.U2) + np.sqrt(s.H2)) ** 2


T_GRAPH_PERCEPTRON = Guarantee(
    "T-GRAPH-PERCEPTRON",
    "the perceptron on a graph",
    "updates <= (sqrt(max_t K(v_t, v_t)) |u| + sqrt(sum_t max(0, 1 - y_t u(v_t))^2))^2 for every function u on the "
    "vertices, |u|^2 = sum over edges of w (u_i - u_j)^2 + sum over connected parts of (mean of u)^2 / bias; a "
    "labelling of two signs that cuts edges of weight Phi has |u|^2 <= 4 Phi + parts / bias",
    "Herbster & Pontil 2006; where labels err, Freund & Schapire 1999",
    bound_of_comparators,
    against="own",
    measures="updates",
    assumptions=(EVEN, says_something(bound_of_comparators)),
    uses=("top", "U2", "H2"),
)


class GraphPerceptron(VertexLearner[State, float]):
    """Label a network with two classes by a perceptron whose kernel is the inverse of the Laplacian.

        K = L^+ + bias on each connected part;  f = 0
        each round:  predict sign(f(v));  where y f(v) <= 0:  f += y K(v, .)

    An example is [v], the number of a vertex, or its name. To predict is O(1); a mistake costs one solve with the
    Laplacian, by conjugate gradients: O(edges) a step, no matrix is kept. `bias` is the kernel of the constant
    functions.

    >>> import littlestone as ls
    >>> learner = (
    ...     GraphPerceptron(graph=ls.graph([(0, 1)], n=2), bias=0.25).update([0], 1).update([1], -1)
    ... )
    >>> learner.state.f.round(6).tolist()  # L^+ is 1/4 and -1/4: K is 1/2 and 0
    [0.5, -0.5]

    Herbster & Pontil (2006). Ledger: A-GRAPH-PERCEPTRON; T-GRAPH-PERCEPTRON.
    """

    bias: Positive = 1.0
    zero: Bit = 1
    diagnostics = ("updates", "top")
    guarantees = (T_GRAPH_PERCEPTRON,)

    def game(self, allocation: bool) -> Game:
        return Labels(self.zero)

    def comparators(self, rounds: Any) -> Comparators:
        """Functions that fit the labels seen, more or less closely."""
        return comparators(self, rounds)

    def begin(self, shape: Shape) -> State:
        graph = begins_with_vertices(self.key, self.graph, shape)
        n, (_, part) = graph.n, graph.components
        size = np.bincount(part).astype(np.float64)
        return State(
            np.zeros(n), graph.degree, part.astype(np.int64), size,
            np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), 0.0, 0.0,
        )  # fmt: skip

    def decide(self, state: State, x: Any) -> float:
        return state.f[vertex_of(x[0], state.f.shape[0])]  # type: ignore[no-any-return]

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        if f.y * score > 0.0:
            return state
        v = int(x[0])
        solve(self.graph, state, v)
        for i in range(state.f.shape[0]):
            if state.part[i] == state.part[v]:
                state.f[i] += f.h * f.y * (state.z[i] + self.bias)
        return State(
            state.f, state.degree, state.part, state.size, state.z, state.r, state.d, state.q,
            state.updates + f.h, max(state.top, state.z[v] + self.bias),
        )  # fmt: skip

    def write_diagnostics(self, state: State, R: Array) -> None:
        R[0], R[1] = state.updates, state.top


def solve(graph: Any, state: Any, v: int) -> None:
    """z = L^+ e_v, by conjugate gradients on the connected part of v; degrees are the preconditioner."""
    z, r, d, q, n = state.z, state.r, state.d, state.q, state.f.shape[0]
    home = state.part[v]
    share = 1.0 / state.size[home]
    left = 0.0
    for i in range(n):
        z[i] = 0.0
        r[i] = 0.0
        d[i] = 0.0
        if state.part[i] == home and state.size[home] > 1.0:
            r[i] = (1.0 if i == v else 0.0) - share
            d[i] = r[i] / state.degree[i]
            left += r[i] * d[i]
    enough = CLOSE * CLOSE * left
    steps = 0
    while left > enough and steps < 20 * n + 100:
        steps += 1
        curve = 0.0
        for i in range(n):
            if state.part[i] == home:
                s = state.degree[i] * d[i]
                for e in range(graph.begins[i], graph.begins[i + 1]):
                    s -= graph.weight[e] * d[graph.index[e]]
                q[i] = s
                curve += s * d[i]
        if not curve > 0.0:
            break
        a, now = left / curve, 0.0
        for i in range(n):
            if state.part[i] == home:
                z[i] += a * d[i]
                r[i] -= a * q[i]
                now += r[i] * r[i] / state.degree[i]
        b, left = now / left, now
        for i in range(n):
            if state.part[i] == home:
                d[i] = r[i] / state.degree[i] + b * d[i]
    mean = 0.0
    for i in range(n):
        mean += share * z[i]  # 0 outside the part
    for i in range(n):
        if state.part[i] == home:
            z[i] -= mean
