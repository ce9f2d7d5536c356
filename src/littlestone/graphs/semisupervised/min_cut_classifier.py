"""A few labels of two classes, and a labelling that cuts the least weight of edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.errors import BadInput
from ...core.stream import Array
from ..algorithms.cuts import Cut, minimum_cut
from ..algorithms.graph import Graph
from .transducer import Transducer


class MinCutClassifier(Transducer):
    """Fill in the labels of two classes so that the edges between them weigh least.

    Minimum cuts are seldom unique: `cut_` holds the weight, and the smallest and largest set of vertices that a minimum
    cut gives to the second class. `side` says which of them decides: "smallest", "largest", or "between", where
    vertices that some minimum cuts give to the one class and some to the other get 1/2 of each, and the label of the
    class that they are nearer to by edges. With few labels a minimum cut often cuts just these off.

    >>> import littlestone as ls
    >>> path = ls.graph([(0, 1), (1, 2), (2, 3)], n=4)
    >>> model = MinCutClassifier(side="smallest").fit(path, [0, -1, -1, 1])
    >>> model.transduction_.tolist(), model.cut_.weight, model.cut_.unique
    ([0, 0, 0, 1], 1.0, False)

    Blum & Chawla (2001); Boykov & Kolmogorov (2004). Ledger: A-MIN-CUT; lecture 6: A6.14; T6.7.
    """

    def __init__(
        self, k: int = 10, weight: Any = "unit", scale: float = 1.0, side: str = "between"
    ) -> None:
        self.k = k
        self.weight = weight
        self.scale = scale
        self.side = side

    def refuse(self, graph: Graph, classes: Any) -> None:
        if self.side not in ("smallest", "largest", "between"):
            raise BadInput(f'side must be "smallest", "largest" or "between", not {self.side!r}')
        if len(classes) != 2:
            raise BadInput(
                f"MinCutClassifier tells two classes apart; here are {len(classes)}: HarmonicClassifier takes several"
            )

    def filled(self, graph: Graph, known: Any, code: Any, share: Array) -> Array:
        self.cut_: Cut = minimum_cut(graph, known[code == 1], known[code == 0])
        p = {
            "smallest": self.cut_.smallest.astype(np.float64),
            "largest": self.cut_.largest.astype(np.float64),
        }.get(self.side)
        if p is None:
            p = (self.cut_.smallest * 1.0 + self.cut_.largest) / 2.0
            if not self.cut_.unique:
                open_ = np.flatnonzero(p == 0.5)
                lean = nearer(graph, self.cut_.smallest, ~self.cut_.largest)[open_]
                p[open_] += 1e-9 * lean
        made: Array = np.stack([1.0 - p, p], axis=1)
        return made


def nearer(graph: Graph, plus: Any, minus: Any) -> Array:
    """1 where a vertex is fewer edges away from `plus` than from `minus`, -1 where it is more, 0 where as many."""
    from scipy.sparse.csgraph import dijkstra

    from ..algorithms.graph import matrix

    W = matrix(graph)
    far = [
        dijkstra(W, indices=np.flatnonzero(vertices), unweighted=True, min_only=True)
        for vertices in (plus, minus)
    ]
    made: Array = np.sign(far[1] - far[0])
    return made
