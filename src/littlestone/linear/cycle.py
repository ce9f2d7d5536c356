"""Passes over the same examples until one of them is clean."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Batch
from ..encode.stream import Stream
from ..play.options import PlayOptions
from ..play.play_stream import play_stream
from .perceptron import Perceptron


class Cycled(NamedTuple):
    """A perceptron that separates its examples, and what it took."""

    learner: Perceptron
    passes: int  # the last one without a mistake
    updates: int
    clean: bool


def cycle(X: Any, y: Any, learner: Perceptron | None = None, *, most: int = 1000) -> Cycled:
    """Go over the examples until a pass makes no update, at most `most` times.

    On examples that a line separates with margin gamma there are at most (R/gamma)^2 updates in all, so at most
    (R/gamma)^2 + 1 passes; on others it would never end (T-PERC-CYCLE). That is about examples as they are, so the
    learner is Perceptron(normalise=False) where none is given. y is -1 or +1.

    >>> found = cycle([[-2.0, -2.0], [1.0, 0.0]], [-1, -1])
    >>> found.passes, found.updates, found.learner.state.w.tolist()
    (4, 4, [-1.0, 2.0])

    Ledger: A-PERC-CYCLE; T-PERC-CYCLE.
    """
    X, y = np.ascontiguousarray(X, float), np.asarray(y)
    labels = set(y.tolist())
    if not labels <= {-1, 1}:
        raise BadInput(f"y must be -1 or +1 in every row, not {sorted(labels)[:5]}")
    codes = (y > 0).astype(float)
    names = tuple(str(i) for i in range(X.shape[1]))
    live: Any = learner or Perceptron(normalise=False)
    for number in range(1, most + 1):
        stream = Stream([Batch(X, codes)], names, rounds=len(y), whole=True, labels=(-1, 1))
        before = 0 if number == 1 else live.state.updates
        options = PlayOptions(certify=False, record="none", resume=number > 1)
        run: Any = play_stream(live, stream, options, allocation=False)
        live = run.learner
        if live.state.updates == before:
            return Cycled(live, number, before, True)
    return Cycled(live, most, live.state.updates, False)
