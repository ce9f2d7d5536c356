"""A few labels on large graphs: Laplacian systems, cuts, eigenvectors, resistances, and errors on MNIST.

Peers that are installed are measured beside: pyamg (Ruge-Stüben), PyMaxflow, GraphLearning, hnswlib, cvxpy; SciPy and
scikit-learn always are. MNIST lies in `../shared/data/graphs` beside the project. Where GraphLearning is not installed,
errors of Poisson learning are those that the README there states, without priors.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import littlestone as ls
from littlestone.graphs.algorithms.cuts import minimum_cut
from littlestone.graphs.algorithms.fiedler import fiedler
from littlestone.graphs.algorithms.graph import Graph, matrix
from littlestone.graphs.algorithms.harmonic import harmonic
from littlestone.graphs.algorithms.laplacian import cut_size, sparse_laplacian
from littlestone.graphs.algorithms.p_laplacian import p_harmonic
from littlestone.graphs.algorithms.resistance import edge_resistances
from littlestone.graphs.algorithms.zoo import grid

from .figure import Figure
from .graphs import FOLDER
from .graphs_few_labels import (
    RESIDUAL,
    laplace_learning,
    mnist,
    once,
    searches,
    seconds,
    sweeps,
    there,
)


def measure(quick: bool) -> Iterator[Figure]:
    side, points = (100, 10_000) if quick else (316, 100_000)
    X = np.random.default_rng(0).normal(size=(points, 5))
    took, near = seconds(lambda: ls.graph(X, "knn", k=10), 1)
    yield Figure(f"10-NN graph of {points:,} points in 5 dimensions", took, "s", "", math.nan)
    for name, g in ((f"grid of {side**2:,}", grid(side, side)), (f"10-NN of {points:,}", near)):
        yield from systems(name, g)
        yield from cuts(name, g)
    yield from sweeps(near, X)
    yield from laplace_learning(near)
    yield from searches(6_000 if quick else 60_000)
    if not quick:
        big = grid(1000, 1000)
        yield from systems("grid of 1,000,000", big, classes=False)
    yield from eigenvector(side)
    yield from resistances(near, quick)
    yield from levels()
    if not FOLDER.is_dir():
        raise FileNotFoundError("../shared/data/graphs: the errors on MNIST were not measured")
    yield from mnist(5 if quick else 100)


def systems(name: str, g: Graph, classes: bool = True) -> Iterator[Figure]:
    rng = np.random.default_rng(1)
    at = rng.choice(g.n, 10, replace=False)
    y = rng.normal(size=10)
    free = np.setdiff1d(np.arange(g.n), at)
    A, b = sparse_laplacian(g)[free][:, free].tocsr(), matrix(g)[free][:, at] @ y
    took, u = seconds(lambda: harmonic(g, at, y, RESIDUAL))
    left = float(np.linalg.norm(A @ u[free] - b) / np.linalg.norm(b))
    pyamg = there("pyamg")
    if pyamg is not None:
        theirs, _ = seconds(
            lambda: pyamg.ruge_stuben_solver(A).solve(b, tol=RESIDUAL, accel="cg"), 1
        )
        yield Figure(f"harmonic, 10 labels, {name}", took, "s", "pyamg, Ruge-Stüben", theirs, 1.5, "ratio",
                     note=f"residual {left:.0e}")  # fmt: skip
    else:
        yield Figure(
            f"harmonic, 10 labels, {name}", took, "s", "", math.nan, note=f"residual {left:.0e}"
        )
    if not classes:
        return
    Y = np.eye(10)
    took, _ = seconds(lambda: harmonic(g, at, Y), 1)
    B = matrix(g)[free][:, at] @ Y
    theirs = once(lambda: by_class(A, B))
    yield Figure(
        f"10 classes on one factor, {name}", took, "s", "CG-Jacobi a class", theirs, 2.0, "faster"
    )


def by_class(A: Any, B: Any) -> Any:
    """Conjugate gradients with the diagonal, class by class."""
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import cg

    M = diags_array(1.0 / A.diagonal())
    return [cg(A, B[:, c], rtol=1e-10, M=M)[0] for c in range(B.shape[1])]


def cuts(name: str, g: Graph) -> Iterator[Figure]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import maximum_flow

    v = np.random.default_rng(2).choice(g.n, 100, replace=False)
    took, cut = seconds(lambda: minimum_cut(g, v[:50], v[50:]))
    n = g.n
    tails = np.concatenate([g.tails, np.full(50, n), v[50:]])
    heads = np.concatenate([g.index, v[:50], np.full(50, n + 1)])
    size = np.concatenate([g.weight, np.full(100, g.weight.sum())]).astype(np.int32)
    C = coo_array((size, (tails, heads)), (n + 2, n + 2)).tocsr()
    theirs, flow = seconds(lambda: maximum_flow(C, n, n + 1).flow_value, 1)
    assert flow == cut.weight
    yield Figure(
        f"minimum cut, 100 labels, {name}",
        took,
        "s",
        "SciPy, the same value",
        theirs,
        1.0,
        "faster",
    )
    maxflow = there("maxflow")
    if maxflow is None:
        return

    def of_maxflow() -> float:
        a, b, w = g.pairs()
        made = maxflow.Graph[float](n, len(a))
        nodes = made.add_nodes(n)
        made.add_edges(nodes[a], nodes[b], w, w)
        for k, u in enumerate(v.tolist()):
            made.add_tedge(u, 1e9 * (k < 50), 1e9 * (k >= 50))
        return float(made.maxflow())

    theirs, flow = seconds(of_maxflow, 1)
    assert abs(flow - cut.weight) < 1e-6
    yield Figure(
        f"minimum cut, 100 labels, {name}",
        took,
        "s",
        "PyMaxflow, the same value",
        theirs,
        3.0,
        "ratio",
    )


def eigenvector(side: int) -> Iterator[Figure]:
    from scipy.sparse.linalg import LinearOperator, lobpcg

    g = grid(side, side + 1)
    L = sparse_laplacian(g).tocsr()
    took, (value, _) = seconds(
        lambda: fiedler(g, tolerance=4e-5)
    )  # the residual that the peer reaches
    exact = 2.0 - 2.0 * math.cos(math.pi / (side + 1))
    peer, limit, pyamg = "", math.nan, there("pyamg")
    if pyamg is not None:
        peer = "lobpcg with pyamg"

        def theirs() -> Any:
            M = pyamg.smoothed_aggregation_solver(L).aspreconditioner()
            V = np.random.default_rng(0).normal(size=(g.n, 2))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return lobpcg(L, V, M=LinearOperator(L.shape, M.matvec), Y=np.ones((g.n, 1)), tol=1e-8,
                              maxiter=200, largest=False)[0]  # fmt: skip

        limit, _ = seconds(theirs, 1)
    yield Figure(f"Fiedler vector, grid of {g.n:,}", took, "s", peer, limit, 1.5 if peer else None, "faster",
                 note=f"relative error of the eigenvalue {abs(value / exact - 1):.0e}")  # fmt: skip


def resistances(g: Graph, quick: bool) -> Iterator[Figure]:
    at = np.arange(10)
    solve, _ = seconds(lambda: harmonic(g, at, np.arange(10.0)), 1)
    w = g.pairs()[2]
    for k in (8, 32):
        began = time.process_time()
        r = edge_resistances(g, projections=k)
        took = time.process_time() - began
        off = abs(float(w @ r) / (g.n - g.components[0]) - 1.0)
        yield Figure(f"all-edge resistances, {k} projections, {g.n:,} vertices", took, "s", "one harmonic solve", solve,
                     8.0 if k == 8 else None, "ratio", note=f"Foster's sum is off by {off:.2%}")  # fmt: skip


def levels() -> Iterator[Figure]:
    """The best level of the function for p = 1.1 on a grid is a minimum cut."""
    g = grid(100, 100)
    rng = np.random.default_rng(0)
    g = Graph(g.begins, g.index, symmetric(g, rng), g.letters, g.ends)
    v = rng.choice(g.n, 20, replace=False)
    began = time.process_time()
    u = p_harmonic(g, v, np.repeat([-1.0, 1.0], 10), 1.1)
    took = time.process_time() - began
    best = min(cut_size(g, u > level) for level in np.linspace(-1.0, 1.0, 401)[:-1])
    least = minimum_cut(g, v[10:], v[:10]).weight
    yield Figure("p = 1.1 on a grid of 10,000", took, "s", "", math.nan,
                 note=f"best level cuts {best:.6f}, the minimum cut is {least:.6f}")  # fmt: skip
    cvxpy = there("cvxpy")
    if cvxpy is None:
        return
    small = ls.graph(rng.normal(size=(30, 2)), "knn", k=6, ensure_connected=True)
    v, y = np.array([0, 1, 2]), np.array([0.0, 1.0, 0.3])
    u = p_harmonic(small, v, y, 1.1)
    once_each = small.tails < small.index
    a, b, w = small.tails[once_each], small.index[once_each], small.weight[once_each]
    x = cvxpy.Variable(small.n)
    energy = cvxpy.sum(cvxpy.multiply(w, cvxpy.power(cvxpy.abs(x[a] - x[b]), 1.1)))
    theirs = once(
        lambda: cvxpy.Problem(cvxpy.Minimize(energy), [x[v] == y]).solve(solver="CLARABEL")
    )
    took, _ = seconds(lambda: p_harmonic(small, v, y, 1.1), 1)
    ours, other = (float(np.sum(w * np.abs(f[a] - f[b]) ** 1.1)) for f in (u, x.value))
    yield Figure("p = 1.1 on a graph of 30 points", took, "s", "cvxpy", theirs,
                 note=f"energy {ours:.9f}, cvxpy's {other:.9f}")  # fmt: skip


def symmetric(g: Graph, rng: Any) -> Any:
    """A random weight for each edge, the same from both ends."""
    a, b = np.minimum(g.tails, g.index), np.maximum(g.tails, g.index)
    _, which = np.unique(a * g.n + b, return_inverse=True)
    return rng.uniform(0.5, 2.0, g.edges)[which]


if __name__ == "__main__":
    from .__main__ import main

    raise SystemExit(main(["graphs-batch"]))
