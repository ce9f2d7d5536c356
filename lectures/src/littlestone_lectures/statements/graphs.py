"""Graphs and sign matrices: Laplacians, the kernel of a path, max-norm, similarity."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np

from littlestone.falsify.statement import Statement

from .matrix_norms import below, laplacian, leaf_kernel, path_norm


def graphs(n: int) -> Iterator[Any]:
    """Connected graphs on n vertices: a random tree and some more edges."""
    rng = np.random.default_rng(n)
    for _ in range(60):
        edges = {(int(rng.integers(i)), i) for i in range(1, n)}
        for _ in range(int(rng.integers(0, n))):
            a, b = sorted(int(v) for v in rng.choice(n, 2, replace=False))
            edges.add((a, b))
        yield n, tuple(sorted(edges)), rng.normal(size=n)


def cut_energy(i: Any) -> tuple[float, float]:
    n, edges, u = i
    return float(u @ laplacian(edges, n) @ u), float(sum((u[a] - u[b]) ** 2 for a, b in edges))


def resistance(i: Any) -> tuple[float, float]:
    n, edges, _ = i
    P = np.linalg.pinv(laplacian(edges, n))
    d = np.diag(P)
    return float(d.max()), float((d[:, None] + d[None] - 2 * P).max())


def definite(i: Any) -> tuple[float, float]:
    n, edges, _ = i
    L = laplacian(edges, n)
    P = np.linalg.pinv(L)
    R = float(np.diag(P).max())
    inverse = np.linalg.inv(L + np.full((n, n), 1 / (R * n * n)))
    return float(np.abs(inverse - P - R).max()) + abs(
        float(np.diag(inverse).max()) / (2 * R) - 1
    ), 0.0


LAPLACE = Statement(
    "T-LAPLACIAN", "u'Lu = sum over the edges of (u_i - u_j)^2", cut_energy, graphs, (2, 3, 5, 9),
    equal=True, how="connected graphs at random", short=2,
)  # fmt: skip
RESISTANCE = Statement(
    "T-LAPLACIAN", "max_i L+_ii <= the largest effective resistance", resistance, graphs, (2, 3, 5, 9),
    how="connected graphs at random", short=2,
)  # fmt: skip
DEFINITE = Statement(
    "T-LAPLACIAN", "(L + (1/R) 11'/N^2)^-1 = L+ + R 11', with the largest diagonal entry 2R", definite, graphs,
    (2, 3, 5, 9), equal=True, how="connected graphs at random", short=2,
)  # fmt: skip


def reproduced(i: Any) -> tuple[float, float]:
    """The largest difference of the inner products of the rows of L+ in the energy, and L+ itself; and 0."""
    n, edges, _ = i
    L = laplacian(edges, n)
    P = np.linalg.pinv(L)
    return float(np.abs(P @ L @ P - P).max()), 0.0


def parts(i: Any) -> tuple[float, float]:
    """Zero eigenvalues of the Laplacian of every other edge, and the connected parts."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n, edges, _ = i
    kept = edges[::2]
    rows, columns = zip(*kept, strict=True)
    joined = coo_array((np.ones(len(kept)), (rows, columns)), shape=(n, n))
    zeros = (np.linalg.eigvalsh(laplacian(kept, n)) < 1e-9).sum()
    return float(zeros), float(connected_components(joined, directed=False)[0])


def labelled(i: Any) -> tuple[float, float]:
    """eps, and the least multiplier y_i ((L + eps) u)_i of the interpolant of the signs at every other vertex."""
    n, edges, u = i
    eps = 0.1
    M, at, y = laplacian(edges, n) + eps * np.eye(n), np.arange(0, n, 2), np.sign(u[::2])
    rest = np.setdiff1d(np.arange(n), at)
    f = np.zeros(n)
    f[at] = y
    f[rest] = np.linalg.solve(M[np.ix_(rest, rest)], -M[np.ix_(rest, at)] @ y)
    return eps, float((y * (M @ f)[at]).min())


REPRODUCED = Statement(
    "T-LAPLACIAN", "the rows of L+ have the inner products L+_ij in the energy u'Lv: L+ is a kernel", reproduced,
    graphs, (2, 3, 5, 9), equal=True, how="connected graphs at random", short=2,
)  # fmt: skip
PARTS = Statement(
    "T-LAPLACIAN", "L has as many zero eigenvalues as connected parts", parts, graphs, (2, 3, 5, 9), equal=True,
    how="every other edge of graphs at random", short=2,
)  # fmt: skip
LABELLED = Statement(
    "T-LABELS-SUPPORT", "with (L + eps)^-1 every label has a multiplier of at least eps", labelled, graphs,
    (2, 3, 5, 9), attained=True, how="connected graphs at random, every other vertex labelled", short=3,
)  # fmt: skip


def labelings(T: int) -> Iterator[tuple[int, ...]]:
    if T <= 11:
        yield from product((0, 1), repeat=T)
    else:
        yield (1,) * T
        for c in range(1, T, max(1, T // 16)):
            yield (0,) * c + (1,) * (T - c)
            yield tuple(int(t == c) for t in range(T))


def path(f: Any) -> tuple[float, float]:
    cuts = sum(a != b for a, b in pairwise(f))
    return path_norm(f), cuts * math.ceil(math.log2(len(f))) ** 2 + 2


PATHTREE = Statement(
    "T-PATHTREE",
    "|f|^2 max P <= k ceil(lg T)^2 + 2 for f in {0, 1}^T with k cuts",
    path,
    labelings,
    (2, 3, 4, 5, 6, 7, 32, 8, 9, 10, 11, 16, 31, 64, 256),
    attained=True,
    how="all labelings up to T = 11, constants, cuts and spikes up to 256",
    show=lambda f: f"T = {len(f)}, {''.join(map(str, f[:12]))}{'…' if len(f) > 12 else ''}",
    short=7,
)
PATH_HEIGHT = Statement(
    "T-PATHTREE",
    "max_t P(t, t) <= 2 ceil(lg T)",
    lambda T: (float(np.diag(leaf_kernel(T)).max()), 2 * math.ceil(math.log2(T))),
    lambda T: iter((T,)),
    (*range(2, 18), 31, 32, 33, 64, 65),
    how="T = 2 to 65",
)


def sign_matrices(cells: int) -> Iterator[Any]:
    for m in range(1, cells + 1):
        if cells % m == 0:
            n = cells // m
            for flat in product((1.0, -1.0), repeat=(m - 1) * (n - 1)):
                A = np.ones((m, n))
                A[1:, 1:] = np.array(flat).reshape(m - 1, n - 1)
                yield A


MAXNORM = Statement(
    "T-MAXNORM",
    "1 <= |U|_max <= sqrt(rank U) <= sqrt(different rows) for sign matrices",
    lambda U: (
        max(1.0, below(U)),
        min(math.sqrt(np.linalg.matrix_rank(U)), math.sqrt(len(np.unique(U, axis=0)))),
    ),
    sign_matrices,
    (1, 2, 3, 4, 6, 8, 9, 12, 16),
    attained=True,
    how="all sign matrices up to 4 x 4 (signs of rows and columns apart), trace norms from below",
    show=lambda U: f"{U.astype(int).tolist()}",
    short=7,
)


def similar(k: int) -> Iterator[tuple[int, int]]:
    for copies in (1, 2):
        yield k, copies


def similarity(i: tuple[int, int]) -> Any:
    k, copies = i
    r = np.repeat(np.arange(k), copies)
    return np.where(r[:, None] == r[None], 1.0, -1.0)


def pinned(i: tuple[int, int]) -> tuple[float, float]:
    """From below by uniform weights, from above by a PSD certificate; and the rank."""
    k = i[0]
    U = similarity(i)
    n = len(U)
    low = float(np.linalg.svd(U / n, compute_uv=False).sum())
    small = 2 * np.eye(k) - np.ones((k, k))
    A = 2 * np.eye(k) + (k - 4) / k * np.ones((k, k)) if k > 1 else np.ones((1, 1))
    block = np.block([[A, small], [small.T, A]])
    psd = float(np.linalg.eigvalsh(block).min()) >= -1e-9
    high = float(np.diag(A).max()) if psd else math.inf
    rank = int(np.linalg.matrix_rank(U)) != (1 if k == 2 else k)
    return abs(low - high) + rank + abs(high - (3 - 4 / k if k > 1 else 1.0)), 0.0


SIMILARITY = Statement(
    "T-SIMILARITY",
    "k classes: rank k (1 for k = 2), max-norm 3 - 4/k (1 for k = 1)",
    pinned,
    similar,
    tuple(range(1, 16)),
    equal=True,
    how="certificates from both sides",
)

STATEMENTS = (
    LAPLACE,
    RESISTANCE,
    DEFINITE,
    REPRODUCED,
    PARTS,
    LABELLED,
    PATHTREE,
    PATH_HEIGHT,
    MAXNORM,
    SIMILARITY,
)
