"""What a run over examples came to: candidates for the best fixed predictor in hindsight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.transcript import Copy

if TYPE_CHECKING:
    from ..settings import Setting


def last_weights(s: Setting, copies: list[Copy]) -> list[Any]:
    """Linear predictors that a run came to, where mistakes count: the last weights of each copy, and their average."""
    traits = s.traits
    if (
        not (traits.given == "examples" and traits.classes == 2 and traits.counts_mistakes)
        or traits.draws
    ):
        return []
    known = []
    for c in copies:
        state = c.live.state
        combined = s.learner.coefficients(state)
        if combined is None:  # its weights alone are not what it predicts with
            continue
        own = state.w if "w" in state._fields else None
        known += [own] if combined is own else [own, combined]
    shaped = [w for w in known if isinstance(w, np.ndarray) and w.shape == (s.shape.n,)]
    return [w.copy() for w in shaped if np.isfinite(w).all()]
