"""A few labels, and the harmonic function between them, or a softer one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.errors import BadInput
from ...core.stream import Array
from ..algorithms.graph import Graph
from ..algorithms.harmonic import harmonic, soft_harmonic
from .class_sizes import checked_priors, sized, sizes_left
from .transducer import Transducer, number_above, without

NORMALISED = ("class-mass", "class-size", None)
LEAST = 1e-300  # a share of 0 counts as this


class HarmonicClassifier(Transducer):
    """Fill in the labels of a graph, or of points and their neighbours, from a few.

    `fit(X, y)` takes points, one a row, or a Graph; y has one label a vertex, -1 where there is none (as in
    `sklearn.semi_supervised`). A label is a function that is 1 at its own vertices, 0 at others, and harmonic between
    them. Where labels are few these functions must be scaled before the largest decides:

    - `normalise="class-mass"`: until their sums are as `priors`;
    - `normalise="class-size"`: until as many vertices get each label as `priors` say; better where these are known;
    - None: not at all.

    `priors` are the shares of the classes, in the order of `classes_` or as {class: share}, scaled to sum to 1; None
    takes the frequencies of the labels. Vertices of a connected part without labels get these shares.

    After `fit`: `classes_`, `label_distributions_` (a row a vertex), `transduction_` (a label a vertex), `graph_`.
    `predict` takes new points, and averages over their `k` nearest; for a Graph, numbers of vertices.

    >>> import littlestone as ls
    >>> path = ls.graph([(0, 1), (1, 2), (2, 3), (3, 4)], n=5)
    >>> HarmonicClassifier(normalise=None).fit(path, [0, -1, -1, -1, 1]).transduction_.tolist()
    [0, 0, 0, 1, 1]
    >>> sizes = HarmonicClassifier(normalise="class-size", priors={0: 0.2, 1: 0.8})
    >>> sizes.fit(path, [0, -1, -1, -1, 1]).transduction_.tolist()
    [0, 1, 1, 1, 1]

    Zhu, Ghahramani & Lafferty (2003). Ledger: A-HARMONIC; lecture 6: A6.16, A6.36; T6.8.
    """

    def __init__(
        self,
        k: int = 10,
        weight: Any = "unit",
        scale: float = 1.0,
        normalise: str | None = "class-mass",
        priors: Any = None,
    ) -> None:
        self.k = k
        self.weight = weight
        self.scale = scale
        self.normalise = normalise
        self.priors = priors

    def refuse(self, graph: Graph, classes: Any) -> None:
        if self.normalise not in NORMALISED:
            raise BadInput(
                f'normalise must be "class-mass", "class-size" or None, not {self.normalise!r}'
            )
        if self.priors is not None and self.normalise is None:
            raise BadInput(
                'priors are not used with normalise=None: take "class-size" or "class-mass"'
            )

    def shares(self, classes: Any, code: Any) -> Array:
        if self.priors is None:
            return super().shares(classes, code)
        return checked_priors(self.priors, classes)

    def filled(self, graph: Graph, known: Any, code: Any, share: Array) -> Array:
        F = self.functions(graph, known, np.eye(len(share))[code])
        if self.normalise is not None:
            F = F * (share / np.maximum(F.sum(axis=0), LEAST))
        if self.normalise == "class-size":
            free = without(graph.n, known)
            v = sized(logarithms(F[free]), sizes_left(share, len(free), code))[1]
            F = F * np.exp(v - v.max())
        return F

    def decided(self, F: Array, known: Any, code: Any, share: Array) -> Any:
        labels = super().decided(F, known, code, share)
        if self.normalise == "class-size":
            free = without(len(F), known)
            labels[free] = sized(logarithms(F[free]), sizes_left(share, len(free), code))[0]
        return labels

    def functions(self, graph: Graph, known: Any, Y: Array) -> Array:
        return harmonic(graph, known, Y)


def logarithms(F: Array) -> Array:
    made: Array = np.log(np.maximum(F, LEAST))
    return made


class SoftHarmonic(HarmonicClassifier):
    """HarmonicClassifier for labels that may be wrong: they are fitted, not kept.

    For each class the function with the least sum over labels of (u - y)^2 + penalty * sum of w (u_i - u_j)^2; as
    `penalty` falls to 0 it becomes the harmonic one. A label that its neighbourhood contradicts is given up in
    `transduction_`.

    >>> import littlestone as ls
    >>> path = ls.graph([(0, 1), (1, 2), (2, 3), (3, 4)], n=5)
    >>> model = SoftHarmonic(penalty=1.0, normalise=None).fit(path, [0, -1, -1, -1, 1])
    >>> model.label_distributions_[0].round(3).tolist()
    [0.833, 0.167]

    Belkin, Matveeva & Niyogi (2004). Ledger, lecture 6: A6.17.
    """

    keeps_labels = False

    def __init__(
        self,
        k: int = 10,
        weight: Any = "unit",
        scale: float = 1.0,
        normalise: str | None = "class-mass",
        penalty: float = 1.0,
        priors: Any = None,
    ) -> None:
        super().__init__(k, weight, scale, normalise, priors)
        self.penalty = penalty

    def refuse(self, graph: Graph, classes: Any) -> None:
        super().refuse(graph, classes)
        number_above("SoftHarmonic", "penalty", self.penalty, 0.0)

    def functions(self, graph: Graph, known: Any, Y: Array) -> Array:
        return np.maximum(soft_harmonic(graph, known, Y, self.penalty), 0.0)
