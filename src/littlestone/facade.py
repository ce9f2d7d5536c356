"""`play`, `compare` and `load` as a user calls them: any data in, a Run out."""

from __future__ import annotations

from typing import Any

from .core import registry
from .core.errors import BadInput
from .core.games import Labels
from .core.learner import Learner
from .core.play import play as play_stream
from .core.run import Run, Runs
from .core.stream import Stream
from .streams.open import open_stream


def play(
    learner: Learner[Any, Any, Any, Any] | str,
    data: Any,
    outcomes: Any = None,
    *,
    outcome: str | None = None,
    experts: Any = None,
    by: str | None = None,
    losses: bool | None = None,
    labels: Any = None,
    **options: Any,
) -> Run | Runs:
    """Play a learner over data: arrays, a frame, a path, an iterator of batches, or a Stream.

    With outcomes the experts give advice; without, `data` holds the losses themselves. For frames and files the
    columns are chosen by name: `outcome`, `experts` (names or globs), `by`. Options: certify, seed, delay,
    interleave, record, asleep, interval, horizon, shifts, resume, progress.

    >>> import littlestone as ls
    >>> run = ls.play("hedge", [[0.0, 1.0], [0.0, 1.0]])
    >>> round(run.loss, 4), run.comparator
    (0.6591, 'best expert (expert 1)')
    """
    made = registry.learner(learner)
    allocation = losses if losses is not None else is_allocation(data, outcomes, outcome)
    stream = open_for(
        made,
        data,
        outcomes,
        outcome=outcome,
        experts=experts,
        by=by,
        losses=allocation,
        labels=labels,
    )
    return play_stream(made, stream, allocation=allocation, **options)


def open_for(
    learner: Learner[Any, Any, Any, Any],
    data: Any,
    outcomes: Any = None,
    *,
    losses: bool,
    labels: Any = None,
    **columns: Any,
) -> Stream:
    """The data as the learner wants them: classes are coded for those that vote."""
    if labels is None and learner.labels and not losses:
        labels = "outcome" if isinstance(learner.game(False), Labels) else True
    return open_stream(data, outcomes, losses=losses, labels=labels, checked=False, **columns)


def is_allocation(data: Any, outcomes: Any, outcome: str | None) -> bool:
    """Losses alone, unless outcomes come from somewhere."""
    if isinstance(data, Stream):
        if isinstance(data.batches, list) and data.batches:
            return data.batches[0].x is None
        return False
    if outcomes is not None or outcome is not None:
        return False
    # a file or an iterator says `losses=True` if it means it
    return not (isinstance(data, str) or hasattr(data, "__fspath__") or hasattr(data, "__next__"))


def learner(key: str, **parameters: Any) -> Learner[Any, Any, Any, Any]:
    """Any learner of the registry, by key."""
    return registry.learner(key, **parameters)


__all__ = ["BadInput", "learner", "play"]
