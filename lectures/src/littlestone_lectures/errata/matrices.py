"""Errata about matrices and graphs: max-norm, rank, and the kernel of a path."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np

from littlestone.falsify.erratum import Erratum

from ..statements.matrix_norms import above, below, path_norm

Matrix = tuple[tuple[float, ...], ...]


def grids(cells: int) -> Iterator[Matrix]:
    """Matrices of -1, -1/2, 0, 1/2, 1; all of one size while they are few, sign matrices after that."""
    for m in range(1, cells + 1):
        if cells % m == 0:
            n = cells // m
            if cells <= 4:
                for flat in product((1.0, -1.0, 0.5, 0.0, -0.5), repeat=cells):
                    yield tuple(tuple(flat[i * n : (i + 1) * n]) for i in range(m))
                continue
            for flat in product(
                (1.0, -1.0), repeat=(m - 1) * (n - 1)
            ):  # signs of rows and columns do not matter
                rows = [flat[i * (n - 1) : (i + 1) * (n - 1)] for i in range(m - 1)]
                yield ((1.0,) * n, *((1.0, *row) for row in rows))


def sign(U: Matrix) -> bool:
    return all(abs(v) == 1 for row in U for v in row)


def max_norm_right(U: Matrix) -> tuple[float, float]:
    """For sign matrices 1 <= the norm <= the root of the rank, of m and of n: by certificates from below."""
    if not sign(U):
        return 0.0, math.inf
    A = np.array(U)
    low = max(below(A), float(np.abs(A).max()))
    top = math.sqrt(min(np.linalg.matrix_rank(A), *A.shape))
    return max(low, 1.0), top


MAXNORM = Erratum(
    "E-MAXNORM",
    "1 <= |U|_max for every real matrix U",
    lambda U: (1.0, above(np.array(U))),
    "1 <= |U|_max <= sqrt(rank U) <= min(sqrt m, sqrt n) for every sign matrix",
    max_norm_right,
    "m x n matrices with entries in {-1, -1/2, 0, 1/2, 1} (m n <= 4), sign matrices (m n <= 12); the norm by a "
    "factorisation from above, by trace norms from below",
    grids,
    (1, 2, 3, 4, 6, 8, 9, 12),
    show=lambda U: f"U = {U}",
    short=6,
)


def classes(n: int) -> Iterator[tuple[int, ...]]:
    """Which class each of n rows is in; classes are numbered as they appear."""
    found: list[tuple[int, ...]] = [()]
    for _ in range(n):
        found = [(*r, c) for r in found for c in range(max(r, default=-1) + 2)]
    yield from found


def rank(r: tuple[int, ...]) -> tuple[float, int]:
    U = np.array([[1.0 if a == b else -1.0 for b in r] for a in r])
    return float(np.linalg.matrix_rank(U)), len(set(r))


SIMRANK = Erratum(
    "E-SIMRANK",
    "a similarity matrix of k classes has rank k",
    rank,
    "it has, but for k = 2, where the rank is 1",
    lambda r: (rank(r)[0], 1 if rank(r)[1] == 2 else rank(r)[1]),
    "every partition of n rows into classes; +1 within a class, -1 between two",
    classes,
    tuple(range(1, 9)),
    equal=True,
    show=lambda r: f"classes {r}",
    short=6,
)


def labelings(T: int) -> Iterator[tuple[int, ...]]:
    if T <= 10:
        yield from product((0, 1), repeat=T)
    else:
        for cut in range(T + 1):
            yield (0,) * cut + (1,) * (T - cut)
            yield tuple(int(t == cut) for t in range(T))


def cuts(f: tuple[int, ...]) -> int:
    return sum(a != b for a, b in pairwise(f))


def limit(f: tuple[int, ...]) -> float:
    """k ceil(lg T)^2 + 2, for k cuts."""
    return cuts(f) * math.ceil(math.log2(len(f))) ** 2 + 2


def pseudoinverse(f: Any) -> tuple[float, float]:
    return path_norm(f, definite=False), limit(f)


def definite(f: Any) -> tuple[float, float]:
    return path_norm(f), limit(f)


PATHTREE = Erratum(
    "E-PATHTREE",
    "f in {0, 1}^T with k cuts: |f|^2 max P <= k ceil(lg T)^2 + 2, P the pseudoinverse of the tree's Laplacian",
    pseudoinverse,
    "P the inverse of the Laplacian made positive definite",
    definite,
    "every labeling of T leaves of a complete binary tree up to T = 10, cuts and spikes at 16 and 32",
    labelings,
    (2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32),
    show=lambda f: f"T = {len(f)}, labels {''.join(map(str, f))}",
    short=7,
)

ERRATA = (MAXNORM, SIMRANK, PATHTREE)
