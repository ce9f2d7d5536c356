"""Measures of how simple a matrix is, kernels over time and graphs, and the baselines of matrix completion."""

import itertools
import runpy
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.graphs.algorithms.laplacian import (
    graph_kernel,
    laplacian,
    positive_definite,
    pseudo_inverse,
    resistance,
)
from littlestone.matrices.biclusters import bcd, latent_blocks, neighbours, one_hot, similarity
from littlestone.matrices.max_norm import lower_bound, max_norm
from littlestone.matrices.path_tree import (
    cuts,
    entry,
    height,
    leaf_resistance,
    norm_bound,
    path_tree,
)
from littlestone.matrices.quasi_dimension import (
    bound_by_classes,
    bound_by_columns,
    bound_by_graphs,
    expansion,
    objective,
    potential,
)


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")


def tree_laplacian(h):
    """The Laplacian of the complete binary tree of height h, root first; its leaves are the last 2^h vertices."""
    N = 2 ** (h + 1) - 1
    W = np.zeros((N, N))
    for v in range(1, N):
        W[v, (v - 1) // 2] = W[(v - 1) // 2, v] = 1.0
    return laplacian(W)


def random_graph(m, seed):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((m, m)) * (rng.random((m, m)) < 0.4), 1)
    for i in range(m - 1):
        W[i, i + 1] += 0.1
    return W + W.T


# The path-tree kernel.


def test_the_worked_path_tree():  # X-PATHTREE
    assert leaf_resistance(8) == Fraction(487, 225)
    assert [entry(0, u, 8) for u in range(8)] == [
        Fraction(v, 225) for v in (974, 749, 524, 524, 299, 299, 299, 299)
    ]
    assert leaf_resistance(2) == Fraction(5, 9)
    assert [entry(0, 0, 2), entry(0, 1, 2)] == [Fraction(10, 9), Fraction(1, 9)]
    assert leaf_resistance(4) == Fraction(64, 49)
    assert [entry(0, u, 4) for u in range(4)] == [Fraction(v, 49) for v in (128, 79, 30, 30)]
    P = path_tree(8)
    top = P[0, 0]
    for f, value, bound in (
        ([1] * 8, 7792 / 3967, 2),
        ([0, 0, 0, 0, 1, 1, 1, 1], 1.7279, 11),
        ([1, 0, 0, 0, 0, 0, 0, 0], 2.6332, 11),
        ([0, 1] * 4, 9.1488, 65),
    ):
        f = np.array(f)
        assert top * f @ np.linalg.solve(P, f) == pytest.approx(value, abs=5e-5)
        assert norm_bound(f) == bound


@pytest.mark.parametrize("T", [2, 3, 4, 5, 8, 11, 16, 23, 32])
def test_the_path_tree_kernel_is_that_of_the_tree(T):
    h = height(T)
    K = np.linalg.inv(positive_definite(tree_laplacian(h)))
    leaves = np.arange(2**h - 1, 2**h - 1 + T)
    assert path_tree(T) == pytest.approx(K[np.ix_(leaves, leaves)], abs=1e-8)
    assert path_tree(T, [T - 1, 0]) == pytest.approx(path_tree(T)[np.ix_([T - 1, 0], [T - 1, 0])])
    assert float(entry(0, T - 1, T)) == pytest.approx(path_tree(T)[0, T - 1], rel=1e-14)


@pytest.mark.parametrize("T", range(2, 14))
def test_every_labelling_of_a_path(T):  # T-PATHTREE, exhaustively
    P = path_tree(T)
    top = P.diagonal().max()
    assert top == pytest.approx(2 * float(leaf_resistance(T)))
    assert top <= 2 * height(T)
    F = np.array(list(itertools.product((0.0, 1.0), repeat=T)))
    norms = top * np.einsum("ij,ij->i", F, np.linalg.solve(P, F.T).T)
    k = (F[:, 1:] != F[:, :-1]).sum(axis=1)
    assert (norms <= k * height(T) ** 2 + 2 + 1e-9).all()
    assert norms[-1] > 1.5  # it can fail: a constant labelling comes close to 2


@pytest.mark.parametrize("T", [64, 100, 256])
def test_cuts_and_spikes_of_a_long_path(T):  # T-PATHTREE
    P = path_tree(T)
    inverse = np.linalg.inv(P)
    for at in range(T):
        for f in ((np.arange(T) >= at) * 1.0, (np.arange(T) == at) * 1.0):
            assert P[0, 0] * f @ inverse @ f <= norm_bound(f) + 1e-7
    ones = np.ones(T)
    assert P[0, 0] * ones @ inverse @ ones > 1.9


def test_without_the_positive_definite_step_the_lemma_fails():  # E-PATHTREE
    K = pseudo_inverse(tree_laplacian(3))[-8:, -8:]
    ones = np.ones(8)
    norm = K.diagonal().max() * ones @ np.linalg.solve(K, ones)
    assert norm - 2 == pytest.approx(52.9, abs=0.1)


@pytest.mark.parametrize("T", [1, 0, -3, 2.5, "8", True])
def test_paths_that_are_none(T):
    with pytest.raises(BadInput, match="at least 2"):
        path_tree(T)
    with pytest.raises(BadInput, match="from 0 to 7"):
        entry(8, 0, 8)


# Laplacians.


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 12), st.integers(0, 10**6))
def test_laplacians(m, seed):  # T-LAPLACIAN
    W = random_graph(m, seed)
    L = laplacian(W)
    u = np.random.default_rng(seed).normal(size=m)
    by_edges = sum(W[i, j] * (u[i] - u[j]) ** 2 for i in range(m) for j in range(i))
    assert u @ L @ u == pytest.approx(by_edges, rel=1e-9)
    K, r = pseudo_inverse(L), resistance(L)
    assert pytest.approx(np.linalg.pinv(L), abs=1e-7 * np.abs(K).max()) == K
    R = K.diagonal().max()
    assert r.max() * (1 + 1e-9) >= R
    assert graph_kernel(W) == pytest.approx(K + R, rel=1e-9)
    assert np.linalg.inv(positive_definite(L)) == pytest.approx(
        graph_kernel(W), abs=1e-6 * np.abs(K).max()
    )
    assert graph_kernel(W).diagonal().max() == pytest.approx(2 * R)


def test_resistances_in_series_and_parallel():
    W = np.zeros((4, 4))
    for i, j, w in ((0, 1, 1.0), (1, 2, 0.5), (0, 3, 1.0), (3, 2, 0.5)):
        W[i, j] = W[j, i] = w
    assert resistance(laplacian(W))[0, 2] == pytest.approx(1.5)  # 3 and 3 in parallel


def test_graphs_that_are_none():
    with pytest.raises(BadInput, match="not connected"):
        graph_kernel(np.kron(np.eye(2), np.ones((2, 2))))
    with pytest.raises(BadInput, match="row 0, column 1"):
        laplacian([[0, -1], [-1, 0]])
    with pytest.raises(BadInput, match="symmetric"):
        laplacian([[0, 1], [0, 0]])
    with pytest.raises(BadInput, match="square"):
        laplacian([[0, 1]])


# The max-norm.


HADAMARD = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])


@pytest.mark.parametrize(
    ("U", "value"),
    [
        ([[1, 1, 1], [1, -1, 1], [1, 1, -1]], 5 / 3),  # X-MAXNORM3
        (HADAMARD, 2.0),
        (2 * np.eye(3) - 1, 5 / 3),  # X-SIMILARITY
        (2 * np.eye(4) - 1, 2.0),
        (2 * np.eye(8) - 1, 2.5),
        (2 * np.eye(2) - 1, 1.0),
        (0.1 * np.ones((3, 5)), 0.1),  # E-MAXNORM
    ],
)
def test_max_norms_that_are_known(U, value):
    found = max_norm(U)
    assert found.lower == pytest.approx(value, abs=1e-6)
    assert found.upper == pytest.approx(value, abs=1e-6)
    assert pytest.approx(np.asarray(U, float), abs=1e-9) == found.P @ found.Q.T


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 10**6))
def test_certificates_of_the_max_norm(m, n, seed):  # T-MAXNORM
    U = np.random.default_rng(seed).choice([-1.0, 1.0], (m, n))
    found = max_norm(U, gap=1e-5)
    assert found.gap <= 1e-5
    longest = [np.linalg.norm(F, axis=1).max() for F in (found.P, found.Q)]
    assert longest[0] * longest[1] <= found.upper + 1e-9
    assert pytest.approx(U, abs=1e-7) == found.P @ found.Q.T
    assert found.a.sum() == pytest.approx(1.0)
    assert found.b.sum() == pytest.approx(1.0)
    assert lower_bound(U, found.a, found.b) == pytest.approx(found.lower, rel=1e-9)
    rank = np.linalg.matrix_rank(U)
    assert found.upper >= 1 - 1e-9
    assert found.lower <= min(np.sqrt(m), np.sqrt(n)) + 1e-9
    assert found.lower**2 <= rank + 1e-9
    assert rank <= bcd(U)


def test_a_large_one_has_a_small_gap():
    U = np.random.default_rng(0).choice([-1.0, 1.0], (50, 50))
    assert max_norm(U, gap=1e-4, steps=300).gap <= 1e-4
    U = latent_blocks(50, 40, 4, 5, seed=1).U
    assert max_norm(U, gap=1e-4, steps=300).gap <= 1e-4


def test_what_has_no_max_norm():
    for bad in ([[np.nan]], [1.0, 2.0], np.zeros((0, 3))):
        with pytest.raises(BadInput, match="finite numbers"):
            max_norm(bad)
    assert max_norm(np.zeros((2, 2)))[:2] == (0.0, 0.0)


# Biclusters.


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_similarity_matrices(k):  # T-SIMILARITY, E-SIMRANK
    c = np.random.default_rng(k).permutation(np.append(np.arange(k), np.arange(9) % k))
    U = similarity(c)
    assert np.linalg.matrix_rank(U) == (1 if k == 2 else k)
    assert max_norm(U).lower == pytest.approx(3 - 4 / k if k >= 2 else 1.0, abs=1e-5)
    assert bcd(U) == k


def test_latent_blocks():
    made = latent_blocks(20, 15, 3, 4, seed=5)
    R, C = one_hot(made.row_class, 3), one_hot(made.column_class, 4)
    assert (R @ made.core @ C.T == made.U).all()
    assert set(made.row_class) == {0, 1, 2}
    assert bcd(made.U) <= 3
    assert (latent_blocks(20, 15, 3, 4, seed=5).U == made.U).all()
    assert not (latent_blocks(20, 15, 3, 4, seed=6).U == made.U).all()
    with pytest.raises(BadInput, match="do not fit"):
        latent_blocks(2, 2, 3, 1)


def test_neighbours_are_mostly_of_one_class():
    c = np.arange(60) % 3
    W = neighbours(c, degree=4, wrong=0.0)
    assert (W == W.T).all()
    assert (W[c[:, None] != c[None, :]] <= 0.01).all()
    graph_kernel(W)  # connected


# The quasi-dimension.


def test_without_kernels_it_is_m_plus_n():  # T-QUASI-ID
    U = latent_blocks(7, 5, 3, 2, seed=0).U
    found = max_norm(U)
    margin = 1.0 / found.upper
    P, Q = unit_factors(U, margin)
    assert pytest.approx(margin * U, abs=1e-6) == P @ Q.T
    assert objective(P, Q) == pytest.approx(12)
    with pytest.raises(BadInput, match="length 1"):
        objective(2 * P, Q)


def unit_factors(U, margin):
    """P Q' = margin U with rows of length 1: rows that are short get a coordinate of their own."""
    found = max_norm(U, gap=1e-8)
    scale = np.sqrt(np.linalg.norm(found.Q, axis=1).max() / np.linalg.norm(found.P, axis=1).max())
    P, Q = found.P * scale * np.sqrt(margin), found.Q / scale * np.sqrt(margin)
    m, n = len(P), len(Q)
    short = [np.sqrt(np.maximum(1 - (F**2).sum(axis=1), 0.0)) for F in (P, Q)]
    return (
        np.hstack([P, np.diag(short[0]), np.zeros((m, n))]),
        np.hstack([Q, np.zeros((n, m)), np.diag(short[1])]),
    )


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 3))
def test_bounds_on_the_quasi_dimension(seed, k, n_classes):  # T-QUASI-A, each half by itself
    rng = np.random.default_rng(seed)
    made = latent_blocks(8, 6, k, n_classes, seed=seed)
    for classes in (made.row_class, made.column_class):
        many = len(np.unique(classes))
        F = rng.normal(size=(many, 4))
        F /= np.linalg.norm(F, axis=1, keepdims=True)
        A = rng.normal(size=(len(classes), len(classes)))
        M = A @ A.T + 0.1 * np.eye(len(A))
        L = positive_definite(laplacian(random_graph(len(classes), seed)))
        hat = one_hot(classes) @ F
        one = np.array([[1.0]])
        assert objective(hat, one, M) - 1 <= many * expansion(classes, M) + 1e-9
        assert objective(hat, one, L) - 1 <= 2 * expansion(classes, L) + 2 * many + 1e-9
    assert bound_by_classes(made.row_class, made.column_class) == 14
    M = positive_definite(laplacian(random_graph(8, seed)))
    N = positive_definite(laplacian(random_graph(6, seed + 1)))
    assert bound_by_graphs(made.row_class, made.column_class, M, N) >= 2 * (k + n_classes)
    # T-QUASI-B, by its factors
    core = rng.choice([-1.0, 1.0], (8, n_classes))
    P, Q = core / np.sqrt(n_classes), one_hot(made.column_class, n_classes)
    assert pytest.approx(core[:, made.column_class] / np.sqrt(n_classes)) == P @ Q.T
    assert objective(P, Q, M, N) == pytest.approx(bound_by_columns(core, made.column_class, M, N))


def test_the_potential_has_the_margin_and_the_trace():  # T-MEG-MARGIN
    U = latent_blocks(6, 5, 2, 3, seed=3).U
    margin = 0.9 / max_norm(U).upper
    P, Q = unit_factors(U, margin)
    M = positive_definite(laplacian(random_graph(6, 1)))
    N = positive_definite(laplacian(random_graph(5, 2)))
    Z = potential(P, Q, M, N)
    assert np.trace(Z) == pytest.approx(objective(P, Q, M, N))

    def root(K):
        w, E = np.linalg.eigh(K)
        return (E * np.sqrt(w)) @ E.T

    KM, KN = np.linalg.inv(M), np.linalg.inv(N)
    for i, j in itertools.product(range(6), range(5)):
        x = np.concatenate(
            [
                root(KM)[i] / np.sqrt(2 * KM.diagonal().max()),
                root(KN)[j] / np.sqrt(2 * KN.diagonal().max()),
            ]
        )
        assert x @ Z @ x - 1 == pytest.approx(margin * U[i, j], abs=1e-6)


# Baselines.


def entries(U, T, seed=0, noise=0.0):
    rng = np.random.default_rng(seed)
    X = np.stack([rng.integers(s, size=T) for s in U.shape], axis=1)
    y = U[X[:, 0], X[:, 1]] * np.where(rng.random(T) < noise, -1, 1)
    return X.astype(float), y.astype(int)


def test_a_factorisation_learns_blocks_that_no_row_majority_can():
    r = np.arange(16) % 2
    U = np.where(r[:, None] == r[None, :], 1, -1)  # every row is half +1
    X, y = entries(U, 3000)
    sizes = {"rows": 16, "columns": 16}
    factors = ls.play(ls.MatrixFactorisation(**sizes, rank=2), X, y, certify=False)
    majority = ls.play(ls.RowMajority(**sizes), X, y, certify=False)
    assert factors.losses[-1000:].mean() < 0.01 < 0.3 < majority.losses[-1000:].mean()


@pytest.mark.parametrize("eta", [1e-9, 1.0, 1e6, 1e300])
def test_a_factorisation_is_never_nan(eta):
    X, y = entries(np.ones((3, 3)), 200, noise=0.5)
    learner = ls.MatrixFactorisation(rows=3, columns=3, eta=eta, penalty=1e3)
    run = ls.play(learner, X, y, importance=np.geomspace(1, 1e140, 200))
    assert np.isfinite(run.scores).all()
    assert np.isfinite(run.learner.state.P).all()


def test_a_factorisation_begins_with_its_seed():
    states = [
        ls.MatrixFactorisation(rows=4, columns=3, seed=s).start(2).state.P.tolist()
        for s in (0, 0, 1)
    ]
    assert states[0] == states[1] != states[2]


def test_cuts():
    assert [cuts(f) for f in ([1], [1, 1], [1, 0, 1])] == [0, 0, 2]


@pytest.mark.parametrize("key", ["row-majority", "matrix-factorisation", "meg-imcsi"])
def test_places_that_are_none(key):
    learner = ls.learner(key, rows=3, columns=4)
    X, y = entries(np.ones((3, 4)), 12, noise=0.3)
    for column, value, limit in ((0, -1, 2), (0, 3, 2), (1, 4, 3), (1, 0.5, 3), (0, 1e9, 2)):
        bad = X.copy()
        bad[6, column] = value
        said = rf"row 7.*: {value:g}.* is not a whole number from 0 to {limit}".replace("+", r"\+")
        with pytest.raises(BadInput, match=said):
            ls.play(learner, bad, y)
        live = ls.learner(key, rows=3, columns=4).update([0, 0], 1)
        before = [np.copy(v) for v in live.state]
        for call in (live.update, live.predict):
            with pytest.raises(BadInput, match="is not a whole number"):
                call(bad[6], 1) if call == live.update else call(bad[6])
        assert all(np.array_equal(a, b) for a, b in zip(before, live.state, strict=True))
        with pytest.raises(BadInput, match=r"row 7: .* is not a whole number"):
            live.live.many(bad)
    with pytest.raises(BadInput, match="3 features"):
        ls.play(learner, np.zeros((4, 3)), y[:4])
    with pytest.raises(BadInput, match="not losses"):
        learner.game(True)


def test_the_example_script(capsys):
    script = runpy.run_path(str(Path(__file__).parents[2] / "examples/latent_blocks.py"))
    found = script["main"](["--rows", "10", "--rounds", "50"])
    assert set(found) == {"blocks", "ratings"}
    assert all(0 < v < 50 for part in found.values() for v in part.values())
    assert capsys.readouterr().out.count("meg-imcsi with side information") == 2
