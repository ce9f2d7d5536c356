"""The assumption that some rule of a class makes no mistake."""

from __future__ import annotations

import numpy as np

from ...core.guarantee import Assumption


def realizable(kind: str) -> Assumption:
    """Some rule of this kind ("disjunction", "conjunction") makes no mistake in the whole run."""
    return Assumption(
        f"some {kind} makes no mistake",
        lambda s: None if np.isfinite(s.k).all() else "each one makes some",
    )
