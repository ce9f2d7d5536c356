"""States that grow: with later features and later classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.memory import spaced
from ..games import Shape

if TYPE_CHECKING:
    from ..core.learner import Learner

    AnyLearner = Learner[Any, Any, Any, Any]


def grown(learner: AnyLearner, state: Any, shape: Shape) -> Any:
    """The state with room for more coordinates or classes; what it has learned stays."""
    from ..live.live import begin

    fresh = begin(learner, shape)
    if hasattr(learner, "grow"):
        return spaced(learner.grow(state, fresh, shape))
    return spaced(corner(state, fresh))


def corner(old: Any, new: Any) -> Any:
    """`new`, with `old` in the corner of each of its arrays."""
    if isinstance(old, np.ndarray):
        if old.shape == new.shape:
            return old
        whole = np.zeros([max(a, b) for a, b in zip(old.shape, new.shape, strict=True)], old.dtype)
        for piece in (new, old):
            whole[tuple(slice(0, k) for k in piece.shape)] = piece
        return whole
    if hasattr(old, "_fields"):
        return type(old)(*[corner(a, b) for a, b in zip(old, new, strict=True)])
    return old
