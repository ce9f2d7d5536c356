"""Norms of matrices and labelings, from first principles: max-norm certificates, Laplacians, the kernel of a path."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np

from littlestone.core.stream import Array


def above(U: Array) -> float:
    """A bound from above on the max-norm: the longest row of P times that of Q, over U = U I, I U and P Q' by halves.

    >>> above(np.array([[0.5]]))
    0.5
    """
    rows, columns = np.linalg.norm(U, axis=1).max(), np.linalg.norm(U, axis=0).max()
    a, s, b = np.linalg.svd(U)
    root = np.sqrt(s)
    P, Q = a[:, : len(s)] * root, b[: len(s)].T * root
    halves = np.linalg.norm(P, axis=1).max() * np.linalg.norm(Q, axis=1).max()
    return float(min(rows, columns, halves))


def below(U: Array, rounds: int = 30) -> float:
    """A bound from below: the trace norm of U_ij sqrt(a_i b_j), for a and b that are improved a few times.

    >>> round(below(np.array([[1.0, 1.0], [1.0, -1.0]])), 6)
    1.414214
    """
    m, n = U.shape
    a, b, best = np.full(m, 1 / m), np.full(n, 1 / n), 0.0
    for _ in range(rounds):
        W = U * np.sqrt(np.outer(a, b))
        u, s, v = np.linalg.svd(W, full_matrices=False)
        best = max(best, float(s.sum()))
        # the rows and columns that carry the trace norm: a fixed point of this is a maximum
        a, b = (u * s * u).sum(axis=1), (v.T * s * v.T).sum(axis=1)
        a, b = a / a.sum(), b / b.sum()
    return best


def laplacian(edges: Sequence[tuple[int, int]], n: int) -> Array:
    L = np.zeros((n, n))
    for i, j in edges:
        L[i, i] += 1.0
        L[j, j] += 1.0
        L[i, j] -= 1.0
        L[j, i] -= 1.0
    return L


@cache
def tree(T: int) -> tuple[Array, int]:
    """The pseudoinverse of the Laplacian of the complete binary tree over T leaves, and where its leaves begin."""
    height = math.ceil(math.log2(T))
    N = 2 ** (height + 1) - 1
    edges = [((i - 1) // 2, i) for i in range(1, N)]
    P: Array = np.linalg.pinv(laplacian(edges, N)).astype(np.float64)
    return P, 2**height - 1


def leaf_kernel(T: int, definite: bool = True) -> Array:
    """(L + (1/R) (1/N)(1/N)')^-1 = L^+ + R 1 1', R the largest entry of the diagonal of L^+ (A-PATH-TREE).

    `definite=False`: L^+ as it is, which notes print (E-PATHTREE).

    >>> (leaf_kernel(2) * 9).round(9).tolist()
    [[10.0, 1.0], [1.0, 10.0]]
    """
    P, first = tree(T)
    R = float(np.diag(P).max()) if definite else 0.0
    return P[first : first + T, first : first + T] + R


@cache
def leaf_norm(T: int, definite: bool) -> tuple[Array, float]:
    P = leaf_kernel(T, definite)
    inverse: Array = np.linalg.pinv(P).astype(np.float64)
    return inverse, float(np.diag(P).max())


def path_norm(f: Sequence[float], definite: bool = True) -> float:
    """f' P^-1 f times the largest entry of the diagonal of P."""
    v = np.asarray(f, float)
    inverse, top = leaf_norm(len(f), definite)
    return float(v @ inverse @ v) * top
