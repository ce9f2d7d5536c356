"""Networks of resistors: cuts, harmonic functions, averaging, resistances, walks, cliques.

Instances are matrices of weights and dense linear algebra: nothing here uses the solvers that it is about.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np

from littlestone.falsify.statement import Statement
from littlestone.graphs.algorithms.zoo import barbell

from .matrix_norms import laplacian as laplacian_of_edges


def joined(n: int) -> Iterator[tuple[Any, Any]]:
    """Weights of connected graphs on n vertices, the last ones all 1, and a number for each vertex."""
    rng = np.random.default_rng(n)
    for k in range(40):
        W = np.zeros((n, n))
        for i in range(1, n):
            W[int(rng.integers(i)), i] = 1.0
        W = np.maximum(W, np.triu(rng.random((n, n)) < rng.choice([0.2, 0.6, 1.0]), 1))
        W = W * (rng.uniform(0.1, 3.0, size=(n, n)) if k < 30 else 1.0)
        yield W + W.T, rng.normal(size=n)


def laplacian(W: Any) -> Any:
    return np.diag(W.sum(axis=1)) - W


def resistances(W: Any) -> Any:
    P = np.linalg.pinv(laplacian(W), hermitian=True)
    d = np.diag(P)
    return d[:, None] + d[None, :] - 2 * P


def through(W: Any, known: Any, y: Any) -> Any:
    """The harmonic function with these values."""
    L, free = laplacian(W), np.setdiff1d(np.arange(len(W)), known)
    u = np.zeros(len(W))
    u[known] = y
    if len(free):
        u[free] = np.linalg.solve(L[np.ix_(free, free)], -L[np.ix_(free, known)] @ u[known])
    return u


def labelled(u: Any) -> Any:
    """Every other vertex, and the last one: at least two."""
    return np.unique([*range(0, len(u), 2), len(u) - 1])


# Cuts.


def ratio_identity(i: Any) -> tuple[float, float]:
    """u'Lu for the u that stands for a partition, and n RatioCut."""
    W, v = i
    A = np.arange(len(v)) <= int(np.argmax(v[:-1]))
    a, b = int(A.sum()), int((~A).sum())
    u = np.where(A, math.sqrt(b / a), -math.sqrt(a / b))
    cut = float(W[np.ix_(A, ~A)].sum())
    return float(u @ laplacian(W) @ u), len(v) * cut * (1 / a + 1 / b)


def second(i: Any) -> tuple[float, float]:
    """The second eigenvalue, and the least RatioCut of all partitions."""
    W, v = i
    n, best = len(v), math.inf
    for s in range(1, 1 << (n - 1)):
        A = np.array([s >> k & 1 for k in range(n)], bool)
        best = min(best, W[np.ix_(A, ~A)].sum() * (1 / A.sum() + 1 / (~A).sum()))
    return float(np.linalg.eigvalsh(laplacian(W))[1]), float(best)


def relaxed(i: Any) -> tuple[float, float]:
    """The least sum of w |u_i - u_j| with two labels over real u, by linear programming, and over signs."""
    from scipy.optimize import linprog

    W, v = i
    n = len(v)
    edges = [(a, b) for a, b in combinations(range(n), 2) if W[a, b] > 0]
    m = len(edges)
    A = np.zeros((2 * m, n + m))
    for e, (a, b) in enumerate(edges):
        A[2 * e, [a, b, n + e]] = 1, -1, -1
        A[2 * e + 1, [a, b, n + e]] = -1, 1, -1
    cost = np.concatenate([np.zeros(n), [W[a, b] for a, b in edges]])
    limits = [(1.0, 1.0), *[(None, None)] * (n - 2), (-1.0, -1.0), *[(0.0, None)] * m]
    real: Any = linprog(cost, A, np.zeros(2 * m), bounds=limits).fun
    signs = min(
        sum(W[a, b] * abs(u[a] - u[b]) for a, b in edges)
        for u in ((1, *rest, -1) for rest in product((1, -1), repeat=n - 2))
    )
    return float(real), float(signs)


# Harmonic functions and averaging.


def principle(i: Any) -> tuple[float, float]:
    """The largest value of a harmonic function, and its largest label."""
    W, v = i
    u = through(W, labelled(v), v[labelled(v)])
    return float(np.abs(u).max()), float(np.abs(v[labelled(v)]).max())


def power(i: Any) -> tuple[float, float]:
    """The energy of the harmonic function that is 1 at the first vertex and 0 at the last, and 1 / resistance."""
    W, _ = i
    u = through(W, [0, len(W) - 1], [1.0, 0.0])
    return float(u @ laplacian(W) @ u), 1.0 / float(resistances(W)[0, -1])


def averaged(i: Any) -> tuple[float, float]:
    """The larger of the energies after one vertex, and after all at once, took the mean of their neighbours; before."""
    W, v = i
    L, free = laplacian(W), np.setdiff1d(np.arange(len(v)), labelled(v))
    mean = W @ v / W.sum(axis=1)
    together, after = v.copy(), 0.0
    together[free] = mean[free]
    for f in free:
        one = v.copy()
        one[f] = mean[f]
        after = max(after, float(one @ L @ one))
    return max(after, float(together @ L @ together)), float(v @ L @ v)


# Resistances and walks.


def summaries(i: Any) -> tuple[float, float]:
    """How far n tr L+, and L+_vv = R(v)/n - R_tot/n^2, are from what all pairs say; and 0."""
    W, _ = i
    n, R = len(W), resistances(W)
    d = np.diag(np.linalg.pinv(laplacian(W), hermitian=True))
    total = R.sum() / 2
    by_vertex = R.sum(axis=1) / n - total / n**2
    return float(abs(n * d.sum() - total) / total + np.abs(by_vertex - d).max()), 0.0


def commute(i: Any) -> tuple[float, float]:
    """The mean time of a walk from the first vertex to the last and back, and r times the sum of degrees."""
    W, _ = i
    P, n, both = W / W.sum(axis=1, keepdims=True), len(W), 0.0
    for start, end in ((0, n - 1), (n - 1, 0)):
        rest = np.array([v for v in range(n) if v != end])
        h = np.linalg.solve(np.eye(n - 1) - P[np.ix_(rest, rest)], np.ones(n - 1))
        both += h[list(rest).index(start)]
    return float(both), float(resistances(W)[0, -1] * W.sum())


def hits(i: Any) -> tuple[float, float]:
    """How far the harmonic function is from the probability of a long walk to be at the first of two ends."""
    W, v = i
    P, n = W / W.sum(axis=1, keepdims=True), len(v)
    P[[0, n - 1]] = 0.0
    P[0, 0] = P[n - 1, n - 1] = 1.0
    far = np.linalg.matrix_power(P, 1 << 14)
    return float(np.abs(far[:, 0] - through(W, [0, n - 1], [1.0, 0.0])).max()), 0.0


def clique(m: int) -> Iterator[Any]:
    """Cliques of m vertices whose edges have resistances up to 1.5."""
    rng = np.random.default_rng(m)
    for k in range(6):
        R = np.triu(rng.uniform(0.2, 1.5, size=(m, m)) if k else np.full((m, m), 1.5), 1)
        yield R + R.T


def clique_bound(R: Any) -> tuple[float, float]:
    m = len(R)
    W = 1.0 / np.where(R > 0, R, np.inf)
    return float(resistances(W).max()), 2 * 1.5 / m


def bridged(m: int) -> Iterator[tuple[int, float, float]]:
    for inside, between in product((0.5, 2.0), (1.0, 3.0)):
        yield m, inside, between


def cluster_rule(i: tuple[int, float, float]) -> tuple[float, float]:
    """The value at a bridge end, in a clique with a label 1, next to a label -1; resistances b inside, a between."""
    m, b, a = i
    W = np.zeros((2 * m, 2 * m))
    W[:m, :m] = W[m:, m:] = 1.0 / b
    np.fill_diagonal(W, 0.0)
    W[m - 1, m] = W[m, m - 1] = 1.0 / a
    u = through(W, [0, m], [1.0, -1.0])
    return float(u[m - 1]), (a - 2 * b / m) / (a + 2 * b / m)


def two_cliques(m: int) -> tuple[float, float]:
    """How far the function on two cliques with a label each is from -+ m/(m + 4) and -+ (1 - 2/(m + 4)); and 0."""
    a, b, _ = barbell(m).pairs()
    L = laplacian_of_edges(tuple(zip(a.tolist(), b.tolist(), strict=True)), 2 * m)
    u = through(np.diag(np.diag(L)) - L, [0, 2 * m - 1], [-1.0, 1.0])
    rest = [*range(1, m - 1)]
    return (
        abs(u[m - 1] + m / (m + 4)) + float(np.abs(u[rest] + 1 - 2 / (m + 4)).max(initial=0.0)),
        0.0,
    )


def on_graphs(id: str, text: str, sides: Any, sizes: tuple[int, ...], **more: Any) -> Statement:
    return Statement(
        id, text, sides, joined, sizes, how="connected weighted graphs at random",
        show=lambda i: f"{len(i[0])} vertices", short=2, **more,
    )  # fmt: skip


STATEMENTS = (
    on_graphs("T-RATIO-CUT", "the u of a partition has u'Lu = n RatioCut", ratio_identity, (2, 3, 5, 9), equal=True),
    on_graphs(
        "T-RATIO-CUT", "the second eigenvalue of L is at most the least RatioCut", second, (2, 3, 5, 7), attained=True
    ),
    on_graphs(
        "T-CUT-RELAXATION", "two labels: the least sum of w |u_i - u_j| over real u is that over signs", relaxed,
        (2, 3, 5, 7), equal=True,
    ),
    on_graphs(
        "T-HARMONIC", "no value of a harmonic function is larger than the largest label", principle, (2, 3, 5, 9),
        attained=True,
    ),
    on_graphs(
        "T-HARMONIC", "the energy of the harmonic function from 1 to 0 is 1 / resistance", power, (2, 3, 5, 9),
        equal=True,
    ),
    on_graphs(
        "T-CONSENSUS", "averaging one vertex, or all without a label at once, never raises the energy", averaged,
        (3, 4, 6, 9),
    ),
    on_graphs("T-RESISTANCES", "R_tot = n tr L+, and L+_vv = R(v)/n - R_tot/n^2", summaries, (2, 3, 5, 9), equal=True),
    on_graphs("T-WALKS", "there and back takes r times the sum of degrees", commute, (2, 3, 5, 9), equal=True),
    on_graphs(
        "T-WALKS", "the probability to hit one of two vertices first is the harmonic function", hits, (2, 3, 5),
        equal=True,
    ),
    Statement(
        "T-CLIQUES", "in a clique of m with edges of resistance at most d, r <= 2d/m", clique_bound, clique,
        (2, 3, 5, 9), attained=True, how="cliques, resistances at random up to d", show=lambda R: f"{len(R)} vertices",
    ),
    Statement(
        "T-CLIQUES", "the bridge end of a clique with the label 1, next to a label -1: (a - 2b/m)/(a + 2b/m)",
        cluster_rule, bridged, (2, 3, 4, 5, 9), equal=True, how="resistances b inside, a between",
        show=lambda i: f"m = {i[0]}, b = {i[1]}, a = {i[2]}",
    ),
    Statement(
        "T-CLIQUES", "two cliques, a label each: -+ m/(m + 4) at the bridge, -+ (1 - 2/(m + 4)) elsewhere", two_cliques,
        lambda m: iter((m,)), tuple(range(3, 12)), equal=True, how="m = 3 to 11",
    ),
)  # fmt: skip
