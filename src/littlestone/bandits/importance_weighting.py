"""Importance weighting: what the loss of the drawn arm says of all arms.

The learner sees the loss of the arm that it drew. Divided by the probability of that draw (and 0 for the other arms) it
is, on average over the draw, the loss of every arm: `estimates`. Ledger: A-IW; T-IW; E-IW.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Array

RARE = 1e-150  # no draw has a smaller probability, but a live learner may be told of any arm


def estimate(loss: float, p: float) -> float:
    """loss / p: the estimate of the arm that was drawn, finite for every p."""
    return loss / max(p, RARE)


def estimates(losses: Any, p: Any, arm: int) -> Array:
    """The estimated losses of all arms, after one of them was drawn from p: only its own loss enters.

    >>> estimates([0.5, 1.0], [0.25, 0.75], 0).tolist()
    [2.0, 0.0]
    """
    ell, v = np.asarray(losses, float), np.asarray(p, float)
    if ell.shape != v.shape or ell.ndim != 1:
        raise BadInput(
            f"losses and probabilities must be as many, not {ell.shape} and {v.shape} of them"
        )
    if not 0 <= arm < len(v) or not v[arm] > 0.0:
        raise BadInput(f"arm {arm} cannot have been drawn: it must have a positive probability")
    e = np.zeros(len(v))
    e[arm] = ell[arm] / v[arm]
    return e
