"""How well a learner predicts examples that it does not learn from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import BadInput
from ..core.outcome import Outcome
from ..core.rows import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.learner import Learner
    from ..core.stream import Array
    from ..encode.labels import LabelEncoder
    from ..encode.stream import Stream


def evaluate(
    learner: Learner[Any, Any, Any, Any], stream: Stream
) -> tuple[int, float, float, float | None]:
    """Rows, the importance of those with an answer, their loss, and their mistakes (None for numbers).

    A label that was never learned is a mistake. It has a loss where some probability is kept for such a label; else the
    loss is not defined, and the mistake alone counts.
    """
    live = learner.live
    if live is None or not live.traits.kind.has_examples:
        raise BadInput(f"{learner.key} has not learned from examples: it cannot be examined")
    rows, answered, loss, mistakes = 0, 0.0, 0.0, 0.0
    for batch in map(live.setting.fill_in, stream.batches):
        y, h = batch.y, np.ones(len(batch.y)) if batch.h is None else batch.h
        known, strange = ~np.isnan(y), np.zeros(len(y), bool)
        if live.coder is not None:
            y = codes_of(live.coder, y, stream.labels or ())
            strange = known & np.isnan(y)
        _, a, cost = live.charge_rows(batch.x, Outcome(np.ascontiguousarray(y), h))
        if live.coder is not None and live.traits.scores:
            unseen = live.coder.unseen(live.t)
            cost += -h * np.log1p(-unseen)
            if unseen:
                cost[strange] = -h[strange] * np.log(unseen)
        rows += count(batch.x)
        answered += float(h[known].sum())
        loss += float(np.nansum(cost))
        if live.coder is not None:
            wrong = known & (strange | (a != y)) if a.ndim == 1 else strange
            mistakes += float(h[wrong].sum())
            if live.traits.counts_mistakes:
                loss += float(h[strange].sum())
    return rows, answered, loss, None if live.coder is None else mistakes


def codes_of(coder: LabelEncoder, y: Array, labels: Sequence[Any]) -> Array:
    """The codes of outcomes that are places in `labels`; NaN where one is missing, or was never learned."""
    known = ~np.isnan(y)
    codes = np.array([coder.codes.get(label, np.nan) for label in labels] or [np.nan])
    found: Array = np.where(known, codes[np.where(known, y, 0).astype(int)], np.nan)
    return found
