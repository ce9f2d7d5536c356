"""How well a learner predicts examples that it does not learn from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import BadInput
from ..core.rows import count
from ..games import Classes, Margin
from .live_examples import LiveExamples

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..core.stream import Stream


def exam(
    learner: Learner[Any, Any, Any, Any], stream: Stream
) -> tuple[int, float, float, float | None]:
    """Rows, the importance of those with an answer, their loss, and their mistakes (None for numbers)."""
    live = learner._live
    if not isinstance(live, LiveExamples):
        raise BadInput(f"{learner.key} has not learned from examples: it cannot be examined")
    rows, answered, loss, mistakes = 0, 0.0, 0.0, 0.0
    for batch in stream.batches:
        d, a = live.many(batch.x)
        y, h = batch.y, np.ones(len(batch.y)) if batch.h is None else batch.h
        known = ~np.isnan(y)
        if live.coder is not None:
            names = stream.labels or ()
            codes = np.array([live.coder.codes.get(label, -1.0) for label in names] or [-1.0])
            y = np.where(known, codes[np.where(known, y, 0).astype(int)], -1.0)
        rows += count(batch.x)
        answered += float(h[known].sum())
        mistakes += float(h[known & (a != y)].sum())
        loss += cost(live.game, d, a, y, h, known)
    return rows, answered, loss, None if live.coder is None else mistakes


def cost(game: Any, d: Any, a: Any, y: Any, h: Any, known: Any) -> float:
    """What the decisions cost in all; a label that was never learned counts as a mistake only."""
    if isinstance(game, Classes):
        return float(h[known & (a != y)].sum())
    if isinstance(game, Margin):
        each = [game.loss.at(s, 2.0 * c - 1.0) for s, c in zip(d[known], y[known], strict=True)]
        return float(np.dot(each, h[known]))
    if hasattr(game, "loss"):
        each = [game.loss.at(p, c) for p, c in zip(d[known], y[known], strict=True)]
        return float(np.dot(each, h[known]))
    return float(h[known & (a != y)].sum())
