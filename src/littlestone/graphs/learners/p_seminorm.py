"""Predict with the function of least p-energy through the labels seen so far."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from ...core.guarantee import EVEN, Comparators, Guarantee, Symbols
from ...core.outcome import Outcome
from ...core.parameters import Bit, Interval
from ...core.stream import Array
from ...games import Game, Labels, Shape
from .cover_comparators import comparators
from .rank_one import MOST, conditioned, grounded, kernel
from .vertices import (
    ONE_LABEL,
    VertexLearner,
    begins_with_vertices,
    says_something,
    vertex_of,
)

Power = Annotated[float, Interval(1.0, 2.0, "(]")]
CLOSE = 1e-10  # a linear solve ends when the residual is this part of the right-hand side
NEWTON = 60  # at most so many Newton steps are made for one smoothing of the energy
FALL = 1e-11  # they end when the relative fall of the energy is below this


class State(NamedTuple):
    f: Array  # the function: labels at the vertices that have one, the least p-energy between them
    label: Array  # -1 or 1; 0 where none was seen
    degree: Array  # room: the diagonal of the system that is solved, ...
    h: Array  # ... the weights of its edges, one an entry of graph.index, ...
    z: Array  # ... its solution, ...
    r: Array  # ... what is left of the right-hand side, ...
    d: Array  # ... the direction, ...
    q: Array  # ... and the matrix of the system times the direction
    updates: float  # rounds in which y f(v) <= 0: a zero counts as a mistake
    clashes: float  # rounds in which a vertex had another label than before
    # For p = 2 on small graphs; empty otherwise.
    G: Array = np.zeros((0, 0))  # L^+, then columns of labels (`rank_one`); empty otherwise
    part: Any = np.zeros(0, np.int64)  # the connected part of each vertex, ...
    first: Any = np.zeros(
        0, np.int64
    )  # ... the vertex of each part that had the first label, -1 where none had, ...
    order: Any = np.zeros(0, np.int64)  # ... the vertices that had later ones, ...
    many: float = 0.0  # ... and how many these are


def bound_of_comparators(s: Symbols) -> Any:
    return s.sets + (s.rho * s.energy) ** (2.0 / s.p) / (s.p - 1.0)


T_SEMINORM = Guarantee(
    "T-SEMINORM",
    "minimum p-seminorm interpolation",
    "rounds with y_t f(v_t) <= 0 number at most N + (rho P_p(u))^(2/p) / (p - 1) for every rho > 0, every cover of the "
    "vertices by N sets of p-resistance diameter at most rho and every u with u(v_t) = y_t; P_p(u) = sum over edges of "
    "w |u_i - u_j|^p",
    "Herbster & Lever 2009",
    bound_of_comparators,
    against="own",
    measures="updates",
    assumptions=(EVEN, ONE_LABEL, says_something(bound_of_comparators)),
    uses=("sets", "rho", "energy", "p"),
)


class PSeminorm(VertexLearner[State, float]):
    """Label a network with two classes by the function of least p-energy through the labels seen.

        f = 0
        each round:  predict sign(f(v));  f = the function with f(v_s) = y_s for all rounds s so far and the
                     least sum over edges of w |f_i - f_j|^p

    An example is [v], the number of a vertex, or its name. p = 2 is the harmonic function; near 1 it is close to a
    minimum cut, whose bound is better where the graph has many short paths between its vertices. O(1) to predict. With
    p = 2 and up to 2,048 vertices a label costs O(n) for each label so far, by rank-one updates of the inverse of the
    Laplacian; otherwise one solve from where the last one ended, O(edges) a step, and for p below 2 several. A vertex
    keeps the label that it had last.

    >>> import littlestone as ls
    >>> path = ls.graph([(0, 1), (1, 2), (2, 3)], n=4)
    >>> learner = PSeminorm(graph=path).update([0], 1).update([3], -1)
    >>> learner.state.f.round(6).tolist()
    [1.0, 0.333333, -0.333333, -1.0]

    Herbster & Lever (2009). Ledger: A-SEMINORM; T-SEMINORM.
    """

    p: Power = 2.0
    zero: Bit = 1
    diagnostics = ("updates", "clashes")
    guarantees = (T_SEMINORM,)

    def game(self, allocation: bool) -> Game:
        return Labels(self.zero)

    def comparators(self, rounds: Any) -> Comparators:
        """The function at the end, for covers of several diameters."""
        return comparators(self, rounds)

    def begin(self, shape: Shape) -> State:
        graph = begins_with_vertices(self.key, self.graph, shape)
        n, (parts, part) = graph.n, graph.components
        small = self.p == 2.0 and n <= MOST
        return State(
            np.zeros(n), np.zeros(n), graph.degree, graph.weight.copy(), np.zeros(n), np.zeros(n), np.zeros(n),
            np.zeros(n), 0.0, 0.0, kernel(graph) if small else np.zeros((0, 0)), part.astype(np.int64),
            np.full(parts, -1, np.int64), np.zeros(n, np.int64), 0.0,
        )  # fmt: skip

    def decide(self, state: State, x: Any) -> float:
        return state.f[vertex_of(x[0], state.f.shape[0])]  # type: ignore[no-any-return]

    def learn(self, state: State, x: Any, score: float, f: Outcome) -> State:
        v = int(x[0])
        clash = state.label[v] != 0.0 and state.label[v] != f.y
        many = state.many
        if state.label[v] == 0.0 and state.G.shape[0] > 0:
            state.label[v] = f.y
            if state.first[state.part[v]] < 0:
                grounded(state, v, f.y)
            else:
                conditioned(state, v, f.y)
                state.order[int(many)] = v
                many += 1.0
        elif state.label[v] != f.y:
            state.label[v] = f.y
            interpolate(self.graph, state, self.p)
        return State(
            state.f, state.label, state.degree, state.h, state.z, state.r, state.d, state.q,
            state.updates + (f.h if f.y * score <= 0.0 else 0.0), state.clashes + (f.h if clash else 0.0),
            state.G, state.part, state.first, state.order, many,
        )  # fmt: skip

    def write_diagnostics(self, state: State, R: Array) -> None:
        R[0], R[1] = state.updates, state.clashes


def interpolate(graph: Any, state: Any, p: float) -> None:
    """f becomes the function of least p-energy with the labels seen, from the f that there is."""
    f, n = state.f, state.f.shape[0]
    for v in range(n):
        if state.label[v] != 0.0:
            f[v] = state.label[v]
    if p == 2.0:
        newton(graph, state, 2.0, 0.0, 1)
        return
    newton(graph, state, 2.0, 0.0, 1)  # a label that is new may be far from f: begin at p = 2
    q = 2.0
    while q > p:
        q = max(p, 1.0 + 0.6 * (q - 1.0))
        newton(graph, state, q, 1e-1, NEWTON)
        newton(graph, state, q, 1e-2, NEWTON)
    newton(graph, state, p, 1e-4, NEWTON)
    newton(graph, state, p, 1e-7, NEWTON)


def energy(graph: Any, f: Any, z: Any, size: float, p: float, e: float) -> float:
    """The smoothed p-energy of f + size z, each edge counted twice."""
    total = 0.0
    for i in range(f.shape[0]):
        for k in range(graph.begins[i], graph.begins[i + 1]):
            j = graph.index[k]
            d = f[i] - f[j] + size * (z[i] - z[j])
            total += graph.weight[k] * (d * d + e * e) ** (0.5 * p)
    return total


def newton(graph: Any, state: Any, p: float, e: float, most: int) -> None:
    """Damped Newton steps on the smoothed p-energy over the vertices without a label; each by conjugate gradients."""
    f, h, z, r, degree, n = state.f, state.h, state.z, state.r, state.degree, state.f.shape[0]
    now = 0.0
    for i in range(n):
        z[i] = 0.0
    if p < 2.0:
        now = energy(graph, f, z, 0.0, p, e)
    for _ in range(most):
        top = 0.0
        for i in range(n):
            degree[i], r[i] = 0.0, 0.0
            for k in range(graph.begins[i], graph.begins[i + 1]):
                d = f[i] - f[graph.index[k]]
                s = d * d + e * e
                slope, curve = d, 1.0
                if p < 2.0:
                    slope = d * s ** (0.5 * p - 1.0)
                    curve = s ** (0.5 * p - 2.0) * ((p - 1.0) * d * d + e * e)
                h[k] = graph.weight[k] * curve
                degree[i] += h[k]
                r[i] -= graph.weight[k] * slope
            top = max(top, degree[i])
        fall = solve(graph, state)
        if p == 2.0:
            for i in range(n):
                f[i] += z[i]
            return
        size = 1.0
        then = energy(graph, f, z, size, p, e)
        while then > now - 1e-4 * size * p * fall and size > 1e-9:
            size *= 0.5
            then = energy(graph, f, z, size, p, e)
        if not then < now:
            return
        for i in range(n):
            f[i] += size * z[i]
        before, now = now, then
        if before - now <= FALL * before:
            return


def solve(graph: Any, state: Any) -> float:
    """z with A z = r over the vertices without a label, 0 at the others; r' z. A is the Laplacian with weights h."""
    z, r, d, q, n = state.z, state.r, state.d, state.q, state.f.shape[0]
    left, fall = 0.0, 0.0
    for i in range(n):
        z[i], d[i] = 0.0, 0.0
        if state.label[i] != 0.0 or not state.degree[i] > 0.0:
            r[i] = 0.0
        else:
            d[i] = r[i] / state.degree[i]
            left += r[i] * d[i]
    enough, steps = CLOSE * CLOSE * left, 0
    while left > enough and left > 0.0 and steps < 20 * n + 100:
        steps += 1
        curve = 0.0
        for i in range(n):
            if state.label[i] == 0.0:
                s = state.degree[i] * d[i]
                for k in range(graph.begins[i], graph.begins[i + 1]):
                    s -= state.h[k] * d[graph.index[k]]
                q[i] = s
                curve += s * d[i]
        if not curve > 1e-300:
            break
        a, now, along = left / curve, 0.0, 0.0
        for i in range(n):
            if state.label[i] == 0.0 and state.degree[i] > 0.0:
                along += r[i] * d[i]
                z[i] += a * d[i]
                r[i] -= a * q[i]
                now += r[i] * r[i] / state.degree[i]
        fall += a * along
        b, left = now / left, now
        for i in range(n):
            if state.label[i] == 0.0 and state.degree[i] > 0.0:
                d[i] = r[i] / state.degree[i] + b * d[i]
    return fall
