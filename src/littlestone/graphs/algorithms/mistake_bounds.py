"""How many mistakes labelling a graph may cost: the bounds of lecture 6 and of the learners on graphs, as calculators.

Ledger: A-COVERS; lecture 6: A6.32; T6.29, T6.30, T6.31; T-TREES, T-SPINE.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.errors import BadInput


def cover_bound(sets: int, rho: float, energy: float, p: float = 2.0) -> float:
    """N + (rho P_p(u))^(2/p) / (p - 1) mistakes of minimum p-seminorm interpolation, p in (1, 2] (T6.29).

    For a cover of the vertices by N sets of r_p-diameter at most rho, and a labelling u of p-energy P_p(u).
    """
    if not 1.0 < p <= 2.0:
        raise BadInput(f"p must be above 1 and at most 2, not {p!r}")
    if sets < 1 or rho < 0.0 or energy < 0.0:
        raise BadInput(
            f"a cover has 1 set or more, rho and the energy are not below 0: {sets}, {rho}, {energy}"
        )
    return float(sets + (rho * energy) ** (2.0 / p) / (p - 1.0))


class Tuned(NamedTuple):
    p: float
    bound: float


def tuned_bound(sets: int, k: int, diameter: float, cut: float) -> Tuned:
    """The p that T6.30 chooses, and its bound; the sets have k-wide diameter `diameter`, u cuts edges of weight `cut`.

    >>> found = tuned_bound(0, 3, 40, 2)
    >>> round(found.p, 4), round(found.bound, 4)
    (1.3232, 40.6476)
    """
    if sets < 0 or k < 1 or diameter < 1.0 or cut < 0.0:
        raise BadInput(
            f"sets, k, diameter and cut must be possible: {sets}, {k}, {diameter}, {cut}"
        )
    if cut == 0.0:
        return Tuned(2.0, float(sets))
    ratio = k * diameter / cut
    c = max(math.log(ratio), 2.0)
    if ratio > math.e**2:
        more = 4.0 * math.e**2 * cut**2 * (math.log(diameter) + math.log(k / cut) - 1.0) / k**2
    else:
        more = 4.0 * cut * diameter / k
    return Tuned(c / (c - 1.0), sets + more)


def clique_resistance(m: int, p: float = 2.0) -> float:
    """r_p between two vertices of a clique of m, edges of weight 1: 1/(1 + (m - 2) 2^(1 - p)) (T6.31)."""
    if m < 2 or not p > 1.0:
        raise BadInput(f"a clique has 2 vertices or more, and p is above 1: {m}, {p}")
    return float(1.0 / (1.0 + (m - 2) * 2.0 ** (1.0 - p)))


def clusters_bound(count: int, m: int, cut: float, p: float = 2.0, exact: bool = True) -> float:
    """Mistakes on `count` cliques of m vertices with `cut` edges between them, edges of weight 1 (T6.31).

    The resistance of a clique is exact, or, with `exact=False`, the notes' 2^(p - 1)/(m - 1): E66.

    >>> round(clusters_bound(4, 10, 6), 4), round(clusters_bound(4, 10, 6, exact=False), 4)
    (8.8, 9.3333)
    """
    rho = clique_resistance(m, p) if exact else 2.0 ** (p - 1.0) / (m - 1)
    return cover_bound(count, rho, 2.0**p * cut, p)


def trees_bound(n: int, cut: float, classes: int = 2) -> float:
    """Mistakes of spanning-trees at the best theta, without label noise: cut log2(e (n - 1)(K - 1)/cut) + log2 K.

    `cut` is the sum over cut edges of w_e r_e: how many edges of a random spanning tree are cut on average.
    """
    if n < 2 or classes < 2 or not 0.0 <= cut <= n - 1:
        raise BadInput(
            f"n and classes are 2 or more, the cut of a tree 0 to n - 1: {n}, {classes}, {cut}"
        )
    much = cut * math.log2(math.e * (n - 1) * (classes - 1) / cut) if cut else 0.0
    return much + math.log2(classes)


def spine_bound(n: int, changes: int, classes: int = 2) -> float:
    """Mistakes of spine where labels change `changes` times along it (T-SPINE)."""
    k = changes
    if n < 2 or classes < 2 or not 0 <= k <= n - 1:
        raise BadInput(
            f"n and classes are 2 or more, changes 0 to n - 1: {n}, {classes}, {changes}"
        )
    much = k * math.log2((n - 1) / k) + k / math.log(2.0) + k * math.log2(classes - 1) if k else 0.0
    return much + math.log2(classes)
