"""Laplacian systems by an approximate factor, maximum flow with any weights, the second eigenvector: against SciPy."""

import numpy as np
import pytest
from scipy.sparse.csgraph import maximum_flow as scipy_flow

import littlestone as ls
from littlestone.graphs.algorithms import solver as solver_module
from littlestone.graphs.algorithms.approximate_cholesky import apply_factor
from littlestone.graphs.algorithms.chebyshev import smoothed
from littlestone.graphs.algorithms.cuts import (
    best_ratio_cut,
    global_minimum_cut,
    minimum_cut,
    ratio_cut,
)
from littlestone.graphs.algorithms.fiedler import fiedler, inverse_iteration, iterated
from littlestone.graphs.algorithms.graph import Graph, from_edges, matrix
from littlestone.graphs.algorithms.grounded import Grounded
from littlestone.graphs.algorithms.harmonic import harmonic
from littlestone.graphs.algorithms.laplacian import cut_size, laplacian, sparse_laplacian
from littlestone.graphs.algorithms.locally_optimal import both_factored
from littlestone.graphs.algorithms.zoo import barbell, bow_tie, grid, path, spielman


def random_graph(n, seed, whole=False):
    rng = np.random.default_rng(seed)
    draw = (lambda: int(rng.integers(1, 9))) if whole else (lambda: float(rng.uniform(0.1, 3)))
    edges = {(int(rng.integers(v)), v) for v in range(1, n)}
    edges |= {tuple(sorted(map(int, rng.choice(n, 2, replace=False)))) for _ in range(2 * n)}
    return from_edges([(*e, draw()) for e in sorted(edges)], n)


def grounded(graph, free):
    W = matrix(graph)[free][:, free].tocsr()
    return Grounded(W.indptr, W.indices, W.data, graph.degree[free] - W.sum(axis=1))


@pytest.mark.parametrize("seed", range(4))
def test_the_approximate_factor_solves(seed):
    g = random_graph(60, seed)
    free = np.arange(5, 60)
    b = np.random.default_rng(seed).normal(size=(55, 2))
    A = sparse_laplacian(g)[free][:, free]
    x = grounded(g, free).solve(b, 1e-10)
    assert np.abs(A @ x - b).max() < 1e-8
    y = grounded(g, free).precondition(b[:, 0])
    error = y - np.linalg.solve(A.toarray(), b[:, 0])
    exact = np.linalg.solve(A.toarray(), b[:, 0])
    assert error @ (A @ error) < exact @ (
        A @ exact
    )  # better than no answer, in the norm that counts


def test_where_vertices_have_many_neighbours_no_factor_is_made():
    g = ls.graph(np.random.default_rng(0).normal(size=(60, 3)), "knn", k=10)
    free = np.arange(5, 60)
    b = np.random.default_rng(1).normal(size=(55, 6))
    A = sparse_laplacian(g)[free][:, free].toarray()
    system = grounded(g, free)
    assert system.solve(b, 1e-12) == pytest.approx(np.linalg.solve(A, b), abs=1e-9)
    assert system.solve(b[:, 0], 1e-12) == pytest.approx(np.linalg.solve(A, b[:, 0]), abs=1e-9)
    assert "factor" not in vars(system)
    line = grounded(
        path(400), np.arange(1, 400)
    )  # here the diagonal is of no help, and that is seen early
    assert not line.by_sweeps(np.eye(399)[:, -1:], np.zeros((399, 1)), 1e-10)
    assert line.solve(np.eye(399)[-1]) == pytest.approx(np.arange(1, 400))


def test_a_tree_is_factored_exactly():
    g = path(40)
    x = grounded(g, np.arange(1, 40)).precondition(np.eye(39)[-1])
    assert x == pytest.approx(np.arange(1, 40))  # a resistance of 1 a step


def test_harmonic_functions_by_the_approximate_factor(monkeypatch):
    monkeypatch.setattr(solver_module, "DIRECT", 10)
    g = grid(12, 12)
    assert harmonic(g, [0, 143], [0.0, 1.0]) == pytest.approx(1 - harmonic(g, [0, 143], [1.0, 0.0]))
    found = harmonic(g, [0, 143], np.array([[0.0, 1.0], [1.0, 0.0]]))
    monkeypatch.setattr(solver_module, "DIRECT", 1000)
    assert found[:, 0] == pytest.approx(harmonic(g, [0, 143], [0.0, 1.0]), abs=1e-8)


def flow_of_scipy(g, plus, minus):
    from scipy.sparse import coo_array

    n, most = g.n, int(g.weight.sum()) + 1
    tails = np.concatenate([g.tails, np.full(len(plus), n), minus])
    heads = np.concatenate([g.index, plus, np.full(len(minus), n + 1)])
    size = np.concatenate([g.weight, np.full(len(plus) + len(minus), most)]).astype(np.int32)
    return scipy_flow(
        coo_array((size, (tails, heads)), (n + 2, n + 2)).tocsr(), n, n + 1
    ).flow_value


@pytest.mark.parametrize("seed", range(60))
def test_maximum_flow_is_that_of_scipy(seed):
    rng = np.random.default_rng(seed)
    g = random_graph(int(rng.integers(4, 16)), seed, whole=True)
    order = rng.permutation(g.n)
    a, b = (int(v) for v in rng.integers(1, g.n // 2, 2))
    plus, minus = order[:a], order[a : a + b]
    cut = minimum_cut(g, plus, minus)
    assert cut.weight == flow_of_scipy(g, plus, minus) == cut_size(g, cut.largest)
    assert (cut.smallest <= cut.largest).all()
    third = Graph(g.begins, g.index, g.weight / 3.0, g.letters, g.ends)
    assert minimum_cut(third, plus, minus).weight == pytest.approx(cut.weight / 3.0)


def test_global_and_ratio_cuts():  # W26, W27
    assert global_minimum_cut(spielman())[0] == 2.0
    value, part = best_ratio_cut(spielman())
    assert value == pytest.approx(2.5)
    assert ratio_cut(spielman(), part) == value
    assert best_ratio_cut(bow_tie())[0] == pytest.approx(5 / 3)
    for seed in range(4):
        g = random_graph(9, seed)
        least = min(minimum_cut(g, [0], [v]).weight for v in range(1, 9))
        assert global_minimum_cut(g)[0] == pytest.approx(least)
        assert fiedler(g)[0] <= best_ratio_cut(g)[0] + 1e-9  # T6.5
    with pytest.raises(ls.BadInput, match="neither empty"):
        ratio_cut(spielman(), np.ones(5))


@pytest.mark.parametrize("normalised", [False, True])
def test_the_second_eigenvector(normalised, monkeypatch):
    g = random_graph(80, 1)
    root = np.sqrt(g.degree) if normalised else np.ones(80)
    values = np.linalg.eigvalsh(laplacian(g) / root[:, None] / root[None])
    assert fiedler(g, normalised)[0] == pytest.approx(values[1])
    rest = np.arange(1, 80)
    ways = [inverse_iteration(g, root, 1e-8, solver_module.solver(g, rest), rest)]
    monkeypatch.setattr(solver_module, "DIRECT", 10)
    ways.append(iterated(g, root, 1e-8))  # by steps with the approximate factor, without a solve
    for value, u in ways:
        assert value == pytest.approx(values[1], rel=1e-9)
        assert np.abs(u @ fiedler(g, normalised)[1]) / np.linalg.norm(u) == pytest.approx(1.0)
    with pytest.raises(
        ls.BadInput, match=r"2 connected parts, of 3, 2 vertices: they are its clusters"
    ):
        fiedler(from_edges([(0, 1), (2, 3), (3, 4)], 5))
    assert fiedler(barbell(5))[0] < 1.0


def test_steps_with_two_vectors_at_once():
    g = random_graph(80, 2)
    rest = np.arange(1, 80)
    factor = grounded(g, rest).factor
    Y = np.random.default_rng(0).normal(size=(80, 2))
    wanted = Y.copy()
    for k in range(2):
        column = wanted[:, k].copy()
        apply_factor(*factor, column)
        wanted[:, k] = column
    both_factored(*factor, Y)
    assert pytest.approx(wanted) == Y


@pytest.mark.parametrize("normalised", [False, True])
def test_a_polynomial_takes_quick_changes_off(normalised):
    g = grid(12, 15)
    mass = g.degree if normalised else np.ones(180)
    value, u = fiedler(g, normalised)
    u = u / np.sqrt(mass @ (u * u))
    rough = u + 1e-4 * np.random.default_rng(0).normal(size=180)
    rough -= (mass @ rough) / mass.sum()
    L = sparse_laplacian(g)
    before = np.linalg.norm((L @ rough - value * mass * rough) / np.sqrt(mass))
    found, smooth, left = smoothed(g, mass, value, rough)
    assert left < before / 30
    assert found == pytest.approx(value, rel=1e-7)
    assert left == pytest.approx(
        np.linalg.norm((L @ smooth - found * mass * smooth) / np.sqrt(mass))
    )
