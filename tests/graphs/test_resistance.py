"""X-NETWORKS: W26 to W32, W34, W35 of lecture 6; Laplacians, resistances, harmonic functions, cuts."""

import itertools

import numpy as np
import pytest

import littlestone as ls
from littlestone.graphs.algorithms.cuts import minimum_cut
from littlestone.graphs.algorithms.graph import from_edges
from littlestone.graphs.algorithms.harmonic import harmonic, soft_harmonic
from littlestone.graphs.algorithms.laplacian import (
    cut_size,
    laplacian,
    pseudo_inverse,
    sparse_laplacian,
)
from littlestone.graphs.algorithms.resistance import (
    commute_time,
    edge_resistances,
    effective_resistance,
    hitting_times,
    parallel,
    resistances,
    series,
    total_resistance,
)

SPIELMAN = from_edges([(0, 1), (0, 4), (1, 2), (1, 3), (2, 3), (3, 4, 2.0)], 5)
BOW_TIE = from_edges([(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4)], 5)


def path(n):
    return from_edges([(i, i + 1) for i in range(n - 1)], n)


def cliques(m, a=1.0, b=1.0):
    """Two cliques of m vertices, edges of resistance b, and a bridge of resistance a between m - 1 and m."""
    pairs = [(i, j, 1 / b) for i, j in itertools.combinations(range(m), 2)]
    far = [(i + m, j + m, w) for i, j, w in pairs]
    return from_edges([*pairs, *far, (m - 1, m, 1 / a)], 2 * m)


def random_graph(n, seed):
    rng = np.random.default_rng(seed)
    tree = [(int(rng.integers(v)), v, float(rng.uniform(0.2, 3))) for v in range(1, n)]
    more = {tuple(sorted(map(int, rng.choice(n, 2, replace=False)))) for _ in range(n)}
    known = {e[:2] for e in tree}
    return from_edges(tree + [(*e, float(rng.uniform(0.2, 3))) for e in more if e not in known], n)


def test_spielman():  # W26
    L = laplacian(SPIELMAN)
    assert L.tolist() == [
        [2, -1, 0, 0, -1],
        [-1, 3, -1, -1, 0],
        [0, -1, 2, -1, 0],
        [0, -1, -1, 4, -2],
        [-1, 0, 0, -2, 3],
    ]
    assert (sparse_laplacian(SPIELMAN).toarray() == L).all()
    eigen = np.linalg.eigvalsh(L)
    assert eigen == pytest.approx([0, 1.683735, 2.420575, 3.865368, 6.030322], abs=1e-6)
    assert np.prod(eigen[1:]) / 5 == pytest.approx(19)  # weighted spanning trees
    assert 475 * pseudo_inverse(L) == pytest.approx(np.array([
        [174, -21, -86, -56, -11], [-21, 109, -6, -26, -56], [-86, -6, 179, -16, -71],
        [-56, -26, -16, 89, 9], [-11, -56, -71, 9, 129],
    ]), abs=1e-9)  # fmt: skip
    r = {
        "12": 13,
        "13": 21,
        "14": 15,
        "15": 13,
        "23": 12,
        "24": 10,
        "25": 14,
        "34": 12,
        "35": 18,
        "45": 8,
    }
    R = resistances(SPIELMAN)
    for (a, b), wanted in r.items():
        i, j = int(a) - 1, int(b) - 1
        assert 19 * R[i, j] == pytest.approx(wanted)
        assert 19 * effective_resistance(SPIELMAN, i, j) == pytest.approx(wanted)
    assert SPIELMAN.pairs()[2] @ edge_resistances(SPIELMAN) == pytest.approx(4)
    assert total_resistance(SPIELMAN) == pytest.approx(136 / 19)
    assert commute_time(SPIELMAN, 0, 2) == pytest.approx(294 / 19)
    assert commute_time(SPIELMAN, 1, 4) == pytest.approx(196 / 19)
    u = harmonic(SPIELMAN, [0, 2], [1.0, -1.0])
    assert u == pytest.approx([1, -1 / 21, -1, -1 / 7, 5 / 21])
    least = min(minimum_cut(SPIELMAN, [0], [v]).weight for v in range(1, 5))
    assert least == 2.0
    sides = [s for k in (1, 2) for s in itertools.combinations(range(5), k)]
    ratio = {
        s: cut_size(SPIELMAN, np.isin(range(5), s)) * (1 / len(s) + 1 / (5 - len(s))) for s in sides
    }
    assert min(ratio.values()) == pytest.approx(2.5)
    assert all(ratio[s] == pytest.approx(2.5) for s in [(0,), (2,), (0, 1), (0, 4)])
    fiedler = np.linalg.eigh(L)[1][:, 1] > 0
    assert {tuple(np.flatnonzero(fiedler)), tuple(np.flatnonzero(~fiedler))} == {(0, 4), (1, 2, 3)}


def test_bow_tie():  # W27
    assert np.linalg.eigvalsh(laplacian(BOW_TIE)) == pytest.approx([0, 1, 3, 3, 5], abs=1e-9)
    assert edge_resistances(BOW_TIE) == pytest.approx(np.full(6, 2 / 3))
    assert effective_resistance(BOW_TIE, 0, 4) == pytest.approx(4 / 3)
    K = 75 * pseudo_inverse(laplacian(BOW_TIE))
    assert np.diag(K) == pytest.approx([32, 32, 12, 32, 32])
    assert [K[0, 1], K[3, 4], K[0, 2], K[0, 3]] == pytest.approx([7, 7, -3, -18])
    assert harmonic(BOW_TIE, [0, 4], [-1.0, 1.0]) == pytest.approx([-1, -0.5, 0, 0.5, 1])


def test_a_cycle_and_a_path():  # W28, W29
    square = from_edges([(0, 1), (1, 2), (2, 3), (3, 0)], 4)
    assert effective_resistance(square, 0, 2) == pytest.approx(1.0)
    assert harmonic(path(6), [0, 5], [1.0, 0.0]) == pytest.approx([1, 0.8, 0.6, 0.4, 0.2, 0])


@pytest.mark.parametrize("m", [3, 4, 5, 6])
def test_cliques(m):  # W30, T6.16, T6.17
    K = from_edges(itertools.combinations(range(m), 2), m)
    assert edge_resistances(K) == pytest.approx(np.full(K.edges, 2 / m))
    assert np.linalg.eigvalsh(laplacian(K)) == pytest.approx([0] + [m] * (m - 1), abs=1e-9)
    a, b = 1.0, 2.0
    u = harmonic(cliques(m, a, b), [0, m], [1.0, -1.0])
    assert u[m - 1] == pytest.approx((a - 2 * b / m) / (a + 2 * b / m), abs=1e-12)


@pytest.mark.parametrize("m", [3, 5, 10, 100])
def test_two_cliques_and_a_bridge(m):  # W31
    u = harmonic(cliques(m), [0, 2 * m - 1], [-1.0, 1.0])
    assert u[m - 1] == pytest.approx(-m / (m + 4))
    assert u[1 : m - 1] == pytest.approx(np.full(m - 2, -1 + 2 / (m + 4)))
    at_bridge = harmonic(cliques(m), [m - 1, m], [-1.0, 1.0])
    assert at_bridge == pytest.approx(np.repeat([-1.0, 1.0], m))


def test_resistors():  # W32
    wanted = {1.2: 3.0752, 1.5: 3.640055, 2: 5.5, 3: 14.848469, 5: 125.370663}
    for p, r in wanted.items():
        assert series(0.5, 2, 3, p=p) == pytest.approx(r, rel=1e-5)
    assert parallel(0.5, 2, 3) == pytest.approx(6 / 17)
    assert series(0.5, 2, 3, p=20) ** (1 / 19) == pytest.approx(3.0609, abs=1e-4)
    assert effective_resistance(path(4), 0, 3) == pytest.approx(series(1, 1, 1))
    with pytest.raises(ls.BadInput, match="above 0"):
        parallel(1, 0)
    with pytest.raises(ls.BadInput, match="p must be"):
        series(1, p=1.0)


def test_equality_and_inequality():  # W34
    A = np.array([[1.0, -2.0], [-2.0, 5.0]])
    assert np.ones(2) @ A @ np.ones(2) == 2.0
    grid = [(x, y) for x in np.linspace(1, 4, 61) for y in np.linspace(1, 4, 61)]
    values = [np.array(u) @ A @ np.array(u) for u in grid]
    assert min(values) == pytest.approx(1.0)
    assert grid[int(np.argmin(values))] == pytest.approx((2.0, 1.0))


def test_cuts_of_a_path_are_not_unique():  # W35
    cut = minimum_cut(path(6), [0], [5])
    assert (cut.weight, cut.unique) == (1.0, False)
    assert cut.smallest.tolist() == [True] + [False] * 5
    assert cut.largest.tolist() == [True] * 5 + [False]
    assert harmonic(path(4), [0, 3], [-1.0, 1.0]) == pytest.approx([-1, -1 / 3, 1 / 3, 1])


@pytest.mark.parametrize("seed", range(6))
def test_random_graphs(seed):
    g = random_graph(9, seed)
    L, R = laplacian(g), resistances(g)
    K = pseudo_inverse(L)
    a, b, w = g.pairs()
    assert w @ edge_resistances(g) == pytest.approx(8)  # T-FOSTER
    for i, j in itertools.combinations(range(9), 2):  # three ways to one resistance
        assert effective_resistance(g, i, j) == pytest.approx(R[i, j])
        u = harmonic(g, [i, j], [1.0, 0.0])
        assert 1 / (u @ L @ u) == pytest.approx(R[i, j])
        assert commute_time(g, i, j) == pytest.approx(
            hitting_times(g, i)[j] + hitting_times(g, j)[i]
        )
    assert total_resistance(g) == pytest.approx(9 * np.trace(K))  # T6.15
    assert R.sum(axis=1) == pytest.approx(9 * np.diag(K) + np.trace(K))
    assert np.diag(K).max() <= R.max() + 1e-12  # T6.22
    labels = np.random.default_rng(seed).choice([-1.0, 1.0], 9)
    assert cut_size(g, labels) == pytest.approx(labels @ L @ labels / 4)
    soft = soft_harmonic(g, [0, 8], [1.0, -1.0], 1e-9)
    assert soft == pytest.approx(harmonic(g, [0, 8], [1.0, -1.0]), abs=1e-6)
    assert edge_resistances(g, projections=4000, seed=seed) == pytest.approx(R[a, b], rel=0.15)


@pytest.mark.parametrize("seed", range(4))
def test_minimum_cuts_by_enumeration(seed):
    rng = np.random.default_rng(seed)
    pairs = [
        e for e in itertools.combinations(range(6), 2) if rng.random() < 0.6 or e[1] == e[0] + 1
    ]
    g = from_edges([(*e, int(rng.integers(1, 4))) for e in pairs], 6)
    sides = [np.array([True, *s, False]) for s in itertools.product([False, True], repeat=4)]
    weights = [cut_size(g, s) for s in sides]
    best = [s for s, w in zip(sides, weights, strict=True) if w == min(weights)]
    cut = minimum_cut(g, [0], [5])
    assert cut.weight == min(weights)
    assert (cut.smallest == np.all(best, axis=0)).all()
    assert (cut.largest == np.any(best, axis=0)).all()


def test_parts_and_bad_input():
    two = from_edges([(0, 1), (2, 3)], 4)
    assert effective_resistance(two, 0, 2) == np.inf
    assert resistances(two)[0].tolist() == pytest.approx([0, 1, np.inf, np.inf])
    assert hitting_times(two, 0).tolist() == pytest.approx([0, 1, np.inf, np.inf])
    for call, message in [
        (lambda: harmonic(two, [0], [1.0]), "vertex 2 is in a part"),
        (lambda: harmonic(two, [0, 0], [1.0, 2.0]), "vertex 0 is given twice"),
        (lambda: harmonic(two, [0, 9], [1.0, 2.0]), "from 0 to 3, not 9"),
        (lambda: harmonic(two, [0, 2], [1.0]), "2 vertices need as many values"),
        (lambda: minimum_cut(two, [0], [0]), "both positive and negative"),
        (lambda: cut_size(two, [1, 2]), "one label a vertex"),
        (lambda: effective_resistance(two, 0, 1.5), "b must be the number of a vertex"),
    ]:
        with pytest.raises(ls.BadInput, match=message):
            call()
