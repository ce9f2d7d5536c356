"""A few labels, and the function of least p-energy between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.stream import Array
from ..algorithms.graph import Graph
from ..algorithms.p_laplacian import checked_p, p_harmonic
from .transducer import Transducer


class PLaplacian(Transducer):
    """Fill in labels by the function with the least sum over edges of w |u_i - u_j|^p between them.

    p = 2 is `HarmonicClassifier` without normalisation. Near 1 it is close to a minimum cut; above 2 labels reach
    further, which helps where they are very few. For each class one function is found, 1 at its own labels and 0 at
    those of others; with two classes they are one another's complement.

    >>> import littlestone as ls
    >>> path = ls.graph([(0, 1), (1, 2), (2, 3), (3, 4)], n=5)
    >>> PLaplacian(p=1.5).fit(path, [0, -1, -1, -1, 1]).label_distributions_[:, 1].round(6).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]

    Herbster & Lever (2009). Ledger: A-PLAPLACIAN; lecture 6: A6.26; T6.24, T6.34.
    """

    def __init__(
        self, k: int = 10, weight: Any = "unit", scale: float = 1.0, p: float = 2.0
    ) -> None:
        self.k = k
        self.weight = weight
        self.scale = scale
        self.p = p

    def refuse(self, graph: Graph, classes: Any) -> None:
        checked_p(self.p)

    def filled(self, graph: Graph, known: Any, code: Any, share: Array) -> Array:
        if len(share) == 2:
            u = np.clip(p_harmonic(graph, known, code.astype(np.float64), self.p), 0.0, 1.0)
            made: Array = np.stack([1.0 - u, u], axis=1)
            return made
        columns = [
            p_harmonic(graph, known, (code == c).astype(np.float64), self.p)
            for c in range(len(share))
        ]
        return np.clip(np.stack(columns, axis=1), 0.0, 1.0)
