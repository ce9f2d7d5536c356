"""Where the losses of simulated rounds come from: a table, or a drawing."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.numeric import uniform

KINDS = ("bernoulli", "uniform", "constant")


class Table(NamedTuple):
    """Losses that are all known beforehand."""

    Y: np.ndarray  # T x n

    def fill(self, seed: int, t: int, y: Any, means: Any) -> None:
        """The losses of round t, and what they are on average."""
        for i in range(y.shape[0]):
            y[i] = self.Y[t, i]
            means[i] = y[i]


class Drawn(NamedTuple):
    """Independent losses around means; see `environments.arms`."""

    mu: np.ndarray  # regimes x n
    kind: int
    segment: int  # rounds of a regime

    def fill(self, seed: int, t: int, y: Any, means: Any) -> None:
        turn = 0
        if self.mu.shape[0] > 1:
            turn = (t // self.segment) % self.mu.shape[0]
        for i in range(y.shape[0]):
            m = self.mu[turn, i]
            means[i] = m
            if self.kind == 2:
                y[i] = m
            else:
                u = uniform(seed, t, 1 + i)
                if self.kind == 0:
                    y[i] = 1.0 if u < m else 0.0
                else:
                    y[i] = m + min(m, 1.0 - m) * (2.0 * u - 1.0)
