"""Arms whose mean losses are linear in features that a round brings."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..engine.checks import array
from .arms import Arms


class LinearArms(Arms):
    """T rounds, a row of features for each of n arms; the mean loss of an arm is its features . theta.

        features   T x n x d numbers
        theta      d numbers, which no learner knows; features . theta lies in [0, 1]

    `play` hands the features to learners that look at them. Theorems about linear losses, such as that of linucb, are
    checked here.

    >>> arms = LinearArms([[[1.0, 0.0], [0.0, 1.0]]] * 3, theta=[0.25, 0.5])
    >>> arms.means_at([0, 2]).tolist(), round(arms.length, 3)
    ([[0.25, 0.5], [0.25, 0.5]], 0.559)
    """

    def __init__(self, features: Any, theta: Any, kind: str = "bernoulli") -> None:
        x, w = array(features, "features", 3), array(theta, "theta", 1)
        if x.size == 0 or x.shape[2] != len(w):
            raise BadInput(
                f"features must be rounds x arms x {len(w)}, as theta has {len(w)} entries, not shape {x.shape}"
            )
        super().__init__(x @ w, kind, segment=1)
        self.features, self.length = x, float(np.sqrt(w @ w))

    def __str__(self) -> str:
        return f"{self.n} {self.kind} arms, means linear in {self.features.shape[2]} features"
