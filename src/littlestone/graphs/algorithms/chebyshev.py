"""Make a vector that is nearly an eigenvector smoother: a polynomial of D^-1 L removes its quick changes.

Steps with a factor leave a residual of quick changes; these a polynomial removes at the price of a product with L a
step, a tenth of one with the factor. Chebyshev's polynomial of degree k is the best over an interval of eigenvalues.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.stream import Array
from .compiling import compiled_if_long
from .graph import Graph

DEGREE = 24
GAIN = 40.0  # a residual becomes about so many times smaller (measured on grids: 60)
FROM = 0.02  # the interval of eigenvalues of D^-1 L, which are at most 2
TO = 2.0


def smoothed(graph: Graph, mass: Array, value: float, u: Array) -> tuple[float, Array, float]:
    """An eigenvalue of L u = value mass u, its vector of length 1 and the size of its residual, from close ones."""
    x, r, d, e = np.zeros((4, graph.n))
    run = compiled_if_long(correction, len(graph.index))
    run(graph.begins, graph.index, graph.weight, graph.degree, mass, float(value), u, x, r, d, e)
    u = u - x
    u -= float(mass @ u) / float(mass.sum())
    u /= np.sqrt(float(mass @ (u * u)))
    compiled_if_long(product_of_one, len(graph.index))(
        graph.begins, graph.index, graph.weight, graph.degree, u, r
    )
    value = float(u @ r)
    return value, u, float(np.linalg.norm((r - value * mass * u) / np.sqrt(mass)))


def product_of_one(begins: Any, index: Any, weight: Any, degree: Any, u: Any, product: Any) -> None:
    """product = L u."""
    for i in range(u.shape[0]):
        a = degree[i] * u[i]
        for j in range(begins[i], begins[i + 1]):
            a -= weight[j] * u[index[j]]
        product[i] = a


def correction(
    begins: Any, index: Any, weight: Any, degree: Any, mass: Any, value: float, u: Any, x: Any, r: Any, d: Any, e: Any
) -> None:  # fmt: skip
    """x becomes an approximate solution of (L - value mass) x = (L - value mass) u; r, d and e are scratch."""
    n, middle, half = u.shape[0], 0.5 * (TO + FROM), 0.5 * (TO - FROM)
    product_of_one(begins, index, weight, degree, u, r)
    for i in range(n):
        r[i] -= value * mass[i] * u[i]
        d[i], x[i] = r[i] / (degree[i] * middle), 0.0
    sigma = middle / half
    rho = 1.0 / sigma
    for _ in range(DEGREE):
        now = 1.0 / (2.0 * sigma - rho)
        for i in range(n):
            a = (degree[i] - value * mass[i]) * d[i]
            for j in range(begins[i], begins[i + 1]):
                a -= weight[j] * d[index[j]]
            x[i] += d[i]
            r[i] -= a
            e[i] = now * rho * d[i] + 2.0 * now / half * r[i] / degree[i]
        for i in range(n):
            d[i] = e[i]
        rho = now
