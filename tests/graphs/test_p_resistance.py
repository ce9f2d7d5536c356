"""p-energies and p-resistances two ways, covers, wide diameters, bounds: W31 to W33, W35."""

import itertools

import numpy as np
import pytest

import littlestone as ls
from littlestone.graphs.algorithms.connectivity import (
    cover,
    disjoint_paths,
    edge_connectivity,
    p_resistances,
    summary,
    wide_diameter,
)
from littlestone.graphs.algorithms.cuts import minimum_cut
from littlestone.graphs.algorithms.graph import from_edges
from littlestone.graphs.algorithms.laplacian import cut_size, laplacian, pseudo_inverse
from littlestone.graphs.algorithms.mistake_bounds import (
    clique_resistance,
    clusters_bound,
    cover_bound,
    spine_bound,
    trees_bound,
    tuned_bound,
)
from littlestone.graphs.algorithms.p_laplacian import (
    p_currents,
    p_energy,
    p_harmonic,
    p_resistance,
    p_resistance_by_flow,
)
from littlestone.graphs.algorithms.resistance import (
    effective_resistance,
    resistances,
    series,
)
from littlestone.graphs.algorithms.zoo import (
    barbell,
    bow_tie,
    cliques,
    complete,
    cycle,
    grid,
    path,
    spielman,
    wheel,
)


def random_graph(n, seed):
    rng = np.random.default_rng(seed)
    edges = {(int(rng.integers(v)), v) for v in range(1, n)}
    edges |= {tuple(sorted(map(int, rng.choice(n, 2, replace=False)))) for _ in range(n)}
    return from_edges([(*e, float(rng.uniform(0.3, 3))) for e in sorted(edges)], n)


@pytest.mark.parametrize("p", [1.3, 1.5, 3.0, 5.0])
@pytest.mark.parametrize("seed", range(2))
def test_p_resistance_two_ways(p, seed):  # A6.28, T6.24
    g = random_graph(7, seed)
    r = p_resistance(g, 0, 6, p)
    assert p_resistance_by_flow(g, 0, 6, p) == pytest.approx(r, rel=1e-6)
    u = p_harmonic(g, [0, 6], [1.0, 0.0], p)
    _, out = p_currents(g, u, p)
    assert np.abs(out[1:6]).max() < 1e-3 * out[0]  # nothing flows out of free vertices
    assert r * out[0] == pytest.approx(1.0, rel=1e-3)  # V^(p - 1) = r I
    assert p_energy(g, u, p) == pytest.approx(1 / r)
    edges = [*zip(*(x.tolist() for x in g.pairs()), strict=True)]
    more = from_edges(edges if 6 in g.neighbours(0) else [*edges, (0, 6, 1.0)], 7)
    assert p_resistance(more, 0, 6, p) <= r * (1 + 1e-9)  # Rayleigh, T6.28


def test_p_resistance_of_known_networks():  # W32, T6.25, T6.26, T6.27, T6.31
    line = from_edges([(0, 1, 2.0), (1, 2, 0.5), (2, 3, 1 / 3)], 4)
    for p in (1.2, 2.0, 5.0):
        assert p_resistance(line, 0, 3, p) == pytest.approx(series(0.5, 2, 3, p=p), rel=1e-6)
        assert p_resistance(complete(5), 0, 1, p) == pytest.approx(clique_resistance(5, p))
    triangle = [p_resistance(cycle(3), 0, 1, p) for p in (2, 4, 8)]
    assert triangle == pytest.approx([2 / 3, 0.889, 0.992], abs=1e-3)
    g = random_graph(7, 3)
    assert p_resistance(g, 0, 6, 1.0) == pytest.approx(1 / minimum_cut(g, [0], [6]).weight)
    assert p_resistance(g, 0, 6, 1.02) == pytest.approx(p_resistance(g, 0, 6, 1.0), rel=0.03)
    g = random_graph(4, 3)
    for p in (1.3, 4.0):
        d = p_resistances(g, p) ** (1 / (p - 1))
        for i, j, k in itertools.permutations(range(4), 3):
            assert d[i, j] <= d[i, k] + d[k, j] + 1e-6
    assert p_resistance(path(3), 0, 2, 3.0) > 2.0  # r itself is no metric above p = 2
    apart = from_edges([(0, 1), (2, 3)], 4)
    assert p_resistance(apart, 0, 2, 3.0) == p_resistance_by_flow(apart, 0, 2) == np.inf
    for p in (1.0, 0.5, 1000, "x"):
        with pytest.raises(ls.BadInput, match="p must be a number above 1"):
            p_harmonic(path(3), [0], [1.0], p)


def test_a_level_of_the_p_harmonic_function_is_a_minimum_cut():  # T6.34
    g = grid(6, 6)
    rng = np.random.default_rng(0)
    v = rng.choice(36, 6, replace=False)
    u = p_harmonic(g, v, np.repeat([-1.0, 1.0], 3), 1.05)
    least = minimum_cut(g, v[3:], v[:3]).weight
    levels = np.unique(u)[:-1]
    assert min(cut_size(g, u > level) for level in levels) == least
    assert p_harmonic(path(6), [0, 5], [-1.0, 1.0], 1.05) == pytest.approx(
        np.linspace(-1, 1, 6), abs=1e-3
    )  # W35


def interpolated(graph, known, y, p):
    """The p-harmonic function; for p = 2 by a dense solve, as it is asked for very often."""
    if p != 2.0:
        return p_harmonic(graph, known, y, p)
    L, free = laplacian(graph), np.setdiff1d(np.arange(graph.n), known)
    u = np.zeros(graph.n)
    u[known] = y
    u[free] = np.linalg.solve(L[np.ix_(free, free)], -L[np.ix_(free, known)] @ y)
    return u


def worst_order(graph, u, p=2.0):
    """The most mistakes of minimum p-seminorm interpolation over all orders of the vertices; a zero is a mistake."""
    n = graph.n
    most = {0: 0}
    for s in range(1, 1 << n):
        best = 0
        for v in range(n):
            if s >> v & 1:
                before = s ^ (1 << v)
                known = [i for i in range(n) if before >> i & 1]
                f = interpolated(graph, known, u[known], p)[v] if known else 0.0
                best = max(best, most[before] + (f * u[v] <= 1e-9))
        most[s] = best
    return most[(1 << n) - 1]


@pytest.mark.parametrize("m", [3, 4])
def test_most_mistakes_on_two_cliques(m):  # W31, the line of maxima
    g = barbell(m)
    assert worst_order(g, np.repeat([-1.0, 1.0], m)) == 2
    assert clusters_bound(2, m, 1, exact=False) == pytest.approx({3: 6.0, 4: 4.6667}[m], abs=1e-4)


@pytest.mark.parametrize("p", [2.0, 1.5])
def test_no_order_beats_the_cover_bound(p):  # T6.29
    n = 5 if p == 2.0 else 4
    for seed in range(2 if p == 2.0 else 1):
        g = random_graph(n, seed)
        R = p_resistances(g, p)
        for signs in itertools.product([-1.0, 1.0], repeat=n - 1):
            u = np.array([1.0, *signs])
            bounds = [
                cover_bound(int(cover(R, rho).max()) + 1, rho, p_energy(g, u, p), p)
                for rho in np.unique(R)
            ]
            assert worst_order(g, u, p) <= min(bounds) + 1e-9
    with pytest.raises(ls.BadInput, match="at most 2"):
        cover_bound(1, 1.0, 1.0, 3.0)  # E64: p is in (1, 2]


def test_wide_diameters():  # W33, T6.32
    assert [wide_diameter(wheel(5), k) for k in (1, 2, 3, 4)] == [2, 2, 3, None]
    assert [wide_diameter(complete(4), k) for k in (1, 2, 3)] == [1, 2, 2]
    assert [wide_diameter(complete(5), k) for k in (1, 2, 3, 4)] == [1, 2, 2, 2]
    assert wide_diameter(cycle(12), 2) == 11  # the upper bound is exact here
    assert disjoint_paths(path(3), 0, 2, 2) is None
    assert edge_connectivity(wheel(5)) == 3
    for p in (1.5, 2.0, 3.0):
        for k in (1, 2, 3):
            assert (
                p_resistances(wheel(5), p).max() <= wide_diameter(wheel(5), k) ** (p - 1) / k + 1e-9
            )


def test_bounds():  # T6.30, T6.31
    found = tuned_bound(0, 3, 40, 2)
    assert (found.p, found.bound) == (
        pytest.approx(1.3232, abs=1e-4),
        pytest.approx(40.6476, abs=1e-4),
    )
    by_cover = cover_bound(1, 40 ** (found.p - 1) / 3, 2**found.p * 2, found.p) - 1
    assert by_cover == pytest.approx(found.bound)
    assert tuned_bound(5, 3, 40, 0).bound == 5.0
    assert clusters_bound(4, 10, 6, 1.5, exact=False) == pytest.approx(11.40, abs=0.01)
    assert clusters_bound(6, 8, 10, exact=False) == pytest.approx(17.4, abs=0.05)
    assert trees_bound(100, 0.0, 4) == spine_bound(100, 0, 4) == 2.0
    for call in (
        lambda: tuned_bound(1, 0, 1, 1),
        lambda: trees_bound(5, 9),
        lambda: spine_bound(5, 9),
    ):
        with pytest.raises(ls.BadInput):
            call()


def test_summaries_and_covers():  # A6.23, A6.30
    found = summary(spielman())
    assert found.total == pytest.approx(136 / 19)
    assert found.kernel == pytest.approx(np.diag(pseudo_inverse(laplacian(spielman()))))
    g = cliques(4, 6, 5, seed=1)
    sets = cover(resistances(g), 2 / 6)
    assert (np.bincount(sets) == 6).all()
    assert all(len(set(sets[c * 6 : c * 6 + 6])) == 1 for c in range(4))
    assert cover(resistances(bow_tie()), 0.7).max() == 1
    with pytest.raises(ls.BadInput, match="not connected"):
        summary(from_edges([(0, 1)], 3))
    assert g.components[0] == 1
    with pytest.raises(ls.BadInput, match="edges between them"):
        cliques(2, 2, 9)


def test_the_black_box_principle():  # T6.24: a network between two vertices acts as one edge
    inner = [(1, 4, 2.0), (4, 5, 1.0), (5, 2, 0.5), (1, 5, 1.5)]
    outer = [(0, 1, 1.0), (2, 3, 2.0), (0, 2, 0.3)]
    for p in (1.5, 2.0):
        whole = from_edges(inner + outer, 6)
        box = from_edges([(0, 1, 2.0), (1, 2, 1.0), (2, 3, 0.5), (0, 2, 1.5)], 4)
        r = p_resistance(box, 0, 3, p)
        small = from_edges([*outer, (1, 2, 1 / r)], 4)
        assert p_resistance(whole, 0, 3, p) == pytest.approx(p_resistance(small, 0, 3, p), rel=1e-6)
    assert effective_resistance(whole, 0, 3) == pytest.approx(p_resistance(whole, 0, 3, 2.0))
