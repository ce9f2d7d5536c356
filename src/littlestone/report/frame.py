"""A run as a table: one row a round, under the index of the user's own table."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.extras import import_extra
from ..core.game import ONE
from ..run.run import Run


def to_frame(run: Run, weights: bool = False) -> Any:
    """A pandas frame; see `Run.to_frame`."""
    pd = import_extra("run.to_frame", "pandas")
    columns: dict[str, Any] = {}
    if run.traits.action == "set":
        columns["lower"], columns["upper"] = run.actions.T
    elif run.traits.width == ONE:
        columns["arm" if run.traits.kind.has_arms else "prediction"] = run.predictions
    else:
        for k, values in enumerate(run.actions.T):
            columns[f"prediction {k + 1}"] = values
    y = outcomes(run)
    if y is not None:
        columns["outcome"] = np.tile(y, run.passes)
    columns["loss"] = run.losses
    if weights:
        columns |= dict(zip(run.names, run.weights.T, strict=True))
    index = run.index
    if index is None and run.times is not None:
        index = pd.DatetimeIndex(run.times)
    return pd.DataFrame(columns, index=index)


def outcomes(run: Run) -> Any:
    """The outcomes that were kept: labels as the user wrote them, None where there was none; None: losses alone."""
    codes = run.codes
    if codes is None and run.stream.whole:
        some = run.of_rounds(next(iter(run.stream.batches)).y)
        codes = None if some is None else run.transcript.setting.recode_outcomes(some)
    if codes is None or codes.ndim != 1:
        return None
    if not run.traits.classes:
        return codes
    known = ~np.isnan(codes)
    labels = run.transcript.setting.decode(np.where(known, codes, 0.0))
    return labels if known.all() else np.where(known, labels.astype(object), None)
