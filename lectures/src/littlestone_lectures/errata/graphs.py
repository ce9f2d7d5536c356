"""Errata of the lecture on graphs: the Laplacian, walks, currents, p-resistances, cliques, the count of mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np

from littlestone.falsify.erratum import Erratum

from ..statements.networks import joined, labelled, laplacian, resistances, through


def paths(n: int) -> Iterator[tuple[Any, Any]]:
    """The path on n vertices with weights 1 and 2, and every vector of 0 and 1 on it."""
    for weights in product((1.0, 2.0), repeat=n - 1):
        W = np.zeros((n, n))
        for (a, b), w in zip(pairwise(range(n)), weights, strict=True):
            W[a, b] = W[b, a] = w
        for u in product((0.0, 1.0), repeat=n):
            yield W, np.array(u)


def shown(i: Any) -> str:
    W, u = i
    weights = ", ".join(f"{W[a, b]:g}" for a, b in pairwise(range(len(W))))
    return f"a path with weights {weights}, u = {u.astype(int).tolist()}"


def energy(i: Any, symmetric: bool) -> tuple[float, float]:
    """u'Lu, and the right side of the derivation, as printed or with both squares (`symmetric`)."""
    W, u = i
    upper = np.triu(W, 1)
    squares = upper * (u[:, None] ** 2 + u[None] ** 2 if symmetric else 2.0 * u[:, None] ** 2)
    return float(u @ laplacian(W) @ u), float((squares - 2.0 * upper * np.outer(u, u)).sum())


ENERGY = Erratum(
    "E-ENERGY-LINE", "u'Lu = 2 sum over i < j of w_ij u_i^2 - 2 sum over i < j of w_ij u_i u_j",
    lambda i: energy(i, False),
    "u'Lu = sum over i < j of w_ij (u_i^2 + u_j^2) - 2 sum over i < j of w_ij u_i u_j", lambda i: energy(i, True),
    "paths with weights 1 and 2, all u of 0 and 1", paths, (2, 3, 4), equal=True, show=shown,
)  # fmt: skip


def in_parts(n: int) -> Iterator[Any]:
    """A path on n vertices without some of its edges: as many parts as edges are missing, and one more."""
    for there in product((1.0, 0.0), repeat=n - 1):
        yield np.diag(there, 1) + np.diag(there, -1)


def zeros(W: Any) -> float:
    return float((np.linalg.eigvalsh(laplacian(W)) < 1e-9).sum())


NULLITY = Erratum(
    "E-NULLITY", "L has one eigenvector with eigenvalue 0, the constant one", lambda W: (zeros(W), 1.0),
    "as many as the graph has connected parts", lambda W: (zeros(W), len(W) - W.sum() / 2),
    "paths without some of their edges", in_parts, (1, 2, 3, 4), equal=True,
    show=lambda W: f"{len(W)} vertices, {int(W.sum() / 2)} edges",
)  # fmt: skip


def row_sums(i: Any, over: int) -> tuple[float, float]:
    """The row sum farthest from 1, and 1; weights are divided by the degree of the target (0) or of the start (1)."""
    W, _ = i
    d = W.sum(axis=0)
    P = W / (d[None, :] if over == 0 else d[:, None])
    sums = P.sum(axis=1)
    return float(sums[int(np.argmax(np.abs(sums - 1.0)))]), 1.0


WALK = Erratum(
    "E-WALK-ROWS", "a walk goes from i to j with probability w_ij / sum_i w_ij", lambda i: row_sums(i, 0),
    "with probability w_ij / sum_j w_ij: rows sum to 1", lambda i: row_sums(i, 1),
    "paths with weights 1 and 2", paths, (2, 3, 4), equal=True, show=shown,
)  # fmt: skip


def commute(i: Any, times: float) -> tuple[float, float]:
    """The mean time from the first vertex to the last and back, and `times` the resistance times the sum of degrees."""
    W, _ = i
    P, n, both = W / W.sum(axis=1, keepdims=True), len(W), 0.0
    for end, start in ((n - 1, 0), (0, -1)):
        rest = np.array([v for v in range(n) if v != end])
        both += np.linalg.solve(np.eye(n - 1) - P[np.ix_(rest, rest)], np.ones(n - 1))[start]
    return float(both), times * float(resistances(W)[0, -1] * W.sum())


COMMUTE = Erratum(
    "E-COMMUTE", "there and back takes twice the total degree times the resistance", lambda i: commute(i, 2.0),
    "the total degree times the resistance: twice the weight of all edges", lambda i: commute(i, 1.0),
    "paths with weights 1 and 2", paths, (2, 3, 4), equal=True, show=shown,
)  # fmt: skip


def currents(i: Any, at_labels: bool) -> tuple[float, float]:
    """The largest net current at vertices with a label, or without, of the harmonic function; and 0."""
    W, v = i
    known = labelled(v)
    net = laplacian(W) @ through(W, known, v[known])
    free = np.setdiff1d(np.arange(len(v)), known)
    return float(np.abs(net[known] if at_labels else net[free]).max(initial=0.0)), 0.0


KIRCHHOFF = Erratum(
    "E-KIRCHHOFF", "the net current is 0 at every vertex with a label", lambda i: currents(i, True),
    "at every vertex without a label", lambda i: currents(i, False),
    "connected weighted graphs at random, every other vertex labelled", joined, (2, 3, 5), equal=True,
    show=lambda i: f"{len(i[0])} vertices",
)  # fmt: skip


def in_series(count: int) -> Iterator[tuple[int, float]]:
    for p in (2.0, 5.0, 20.0):
        yield count, p


SERIES = Erratum(
    "E-PSERIES", "as p grows the p-resistance of resistors of 1 in series tends to their number",
    lambda i: (float(i[0]) ** (i[1] - 1.0), float(i[0])),
    "r_p^(1/(p - 1)) is their number", lambda i: ((float(i[0]) ** (i[1] - 1.0)) ** (1.0 / (i[1] - 1.0)), float(i[0])),
    "resistors of 1 in series, p = 2, 5, 20", in_series, (1, 2, 3, 4), equal=True,
    show=lambda i: f"{i[0]} resistors, p = {i[1]:g}",
)  # fmt: skip


def path_metric(i: tuple[int, float], power: float) -> tuple[float, float]:
    """The distance of the ends of a path of unit edges, and the sum of those of its edges."""
    count, p = i
    return float(count) ** ((p - 1.0) * power), float(count)


METRIC = Erratum(
    "E-PMETRIC", "r_p is a metric", lambda i: path_metric(i, 1.0),
    "r_p^(1/(p - 1)) is one", lambda i: path_metric(i, 1.0 / (i[1] - 1.0)),
    "resistors of 1 in series, p = 2, 5, 20", in_series, (1, 2, 3, 4), show=lambda i: f"{i[0]} resistors, p = {i[1]:g}",
)  # fmt: skip


def cliques(m: int) -> Iterator[int]:
    yield m


def clique_resistance(m: int) -> float:
    return float(resistances(np.ones((m, m)) - np.eye(m))[0, 1])


CLIQUE = Erratum(
    "E-CLIQUE-RESISTANCE", "the resistance of a clique of m is 2/(m - 1)",
    lambda m: (clique_resistance(m), 2.0 / (m - 1)),
    "2/m: on c cliques with l cut edges M <= c + 8 l/m", lambda m: (clique_resistance(m), 2.0 / m),
    "cliques", cliques, (2, 3, 4, 9), equal=True, show=lambda m: f"m = {m}",
)  # fmt: skip


def foster(i: Any, weighted: bool) -> tuple[float, float]:
    """The sum over edges of resistances, or of weight times resistance, and n - 1."""
    W, _ = i
    R = resistances(W)
    return float((W * R).sum() / 2 if weighted else R[W > 0].sum() / 2), len(W) - 1.0


FOSTER = Erratum(
    "E-FOSTER", "the resistances of the edges of a connected graph sum to n - 1", lambda i: foster(i, False),
    "weight times resistance does", lambda i: foster(i, True),
    "paths with weights 1 and 2", paths, (2, 3, 4), equal=True, show=shown,
)  # fmt: skip


def constant_labels(n: int) -> Iterator[int]:
    yield n


def counted(n: int, where_wrong: bool) -> tuple[float, float]:
    """Rounds that count on a clique with labels that are all 1, in any order; and the bound: one set, no energy."""
    W, count = np.ones((n, n)) - np.eye(n), 0
    for t in range(n):
        f = through(W, np.arange(t), np.ones(t))[t] if t else 0.0
        count += (f <= 0.0) if where_wrong else (f > 0.0)
    return float(count), 1.0


MISTAKE = Erratum(
    "E-SEMINORM-COUNT", "a round in which prediction and label agree counts as a mistake", lambda n: counted(n, False),
    "one in which they do not, a zero included", lambda n: counted(n, True),
    "cliques with labels that are all 1: the bound is 1", constant_labels, (1, 2, 3, 4, 8),
    show=lambda n: f"{n} vertices",
)  # fmt: skip

ERRATA = (ENERGY, NULLITY, WALK, COMMUTE, KIRCHHOFF, SERIES, METRIC, CLIQUE, FOSTER, MISTAKE)
