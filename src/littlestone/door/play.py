"""`play`, `compare` and `load` as a user calls them: any data in, a Run out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..core import registry
from ..core.errors import BadInput
from ..core.learner import Learner
from ..core.stream import Stream
from ..engine.checks import array
from ..session.play import play as play_stream
from ..streams.open import open_stream


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
    features: Any = None,
    weights: Any = None,
    bits: int | None = None,
    interactions: Any = (),
    on_bad_line: str = "error",
    format: str | None = None,
    tasks: Any = None,
    **options: Any,
) -> Any:
    """Play a learner over data: arrays, a frame, a path, an iterator of batches, or a Stream.

    With outcomes the experts give advice; without, `data` holds the losses themselves. Learners over examples take a
    matrix, CSR or a list of dicts with outcomes; `weights` are importance weights. For frames and files columns are
    chosen by name: `outcome`, `experts` or `features` (names or globs), `weights`, `by`. Files: CSV, Parquet, JSON
    lines, ARFF, libsvm and VW text (`bits`, `interactions`, `on_bad_line`, `format`; see `streams.open`). Options:
    certify, seed, delay, interleave, record, asleep, interval, horizon, shifts, passes, resume, progress. Bandits take
    losses, `rewards=True`, or an environment (`ls.Arms`) and `rounds`; `available`, `features`, `seeds`. Learners over
    several tasks take `tasks`, a number a round.

    >>> import littlestone as ls
    >>> run = ls.play("hedge", [[0.0, 1.0], [0.0, 1.0]])
    >>> round(run.loss, 4), run.comparator
    (0.6591, 'best expert (expert 1)')
    >>> run = ls.play("perceptron", [[0, -1], [1, 0]], [-1, -1])
    >>> run.mistakes, run.learner.state.w.tolist()
    (2.0, [-1.0, 1.0])
    """
    made = registry.learner(learner)
    if made.bandit:
        from .arms import play_bandit

        if outcomes is not None or outcome is not None:
            raise BadInput(
                f"{made.key} is a bandit: it needs losses (or rewards), one for each arm"
            )
        given = {"experts": experts, "by": by, "features": features, "format": format}
        return play_bandit(made, data, **given, **options)
    allocation = losses if losses is not None else is_allocation(data, outcomes, outcome)
    if made.examples and losses is None:
        allocation = False  # examples have outcomes, whatever they come from
    stream = open_for(
        made,
        data,
        outcomes,
        outcome=outcome,
        experts=experts,
        by=by,
        losses=allocation,
        labels=labels,
        features=features,
        weights=weights,
        bits=bits_of(made) if bits is None and options.get("resume") else bits,
        interactions=interactions,
        on_bad_line=on_bad_line,
        format=format,
    )
    if tasks is not None:
        made, stream = with_tasks(made, stream, tasks)
    return play_stream(suited(made, stream), stream, allocation=allocation, **options)


def bits_of(learner: Learner[Any, Any, Any, Any]) -> int | None:
    """To how many places the names were hashed that a learner was trained on, where that is known."""
    return getattr(learner._live, "bits", None) or None


def with_tasks(
    learner: Learner[Any, Any, Any, Any], stream: Stream, tasks: Any
) -> tuple[Learner[Any, Any, Any, Any], Stream]:
    """The learner, told how many tasks there are, and the same rounds of losses with the task that each belongs to."""
    if "tasks" not in learner.parameters:
        raise BadInput(f"tasks: {learner.key} knows of no tasks; multitask does")
    if not stream.whole or not isinstance(stream.batches, list):
        raise BadInput("tasks: rounds must be in memory, as arrays or a frame")
    batch = stream.batches[0]
    each = array(tasks, "tasks", 1)
    if len(each) != len(batch.y):
        raise BadInput(f"tasks has {len(each)} entries; there are {len(batch.y)} rounds")
    declared = learner.parameters["tasks"]
    if declared is None and len(each) and 0 <= each.max() < len(each):
        declared = int(each.max()) + 1
        learner = learner.but(tasks=declared)
    most = int(declared or 1)
    bad = ~((each >= 0) & (each < most) & (each == np.floor(each)))
    if bad.any():
        r = int(np.argmax(bad))
        raise BadInput(
            f"tasks: row {r + 1} is {each[r]:g}; tasks count from 0 to {most - 1} ({learner.key} has tasks={most})"
        )
    return learner, replace(stream, batches=[batch._replace(x=np.ascontiguousarray(each[:, None]))])


def suited(learner: Learner[Any, Any, Any, Any], stream: Stream) -> Learner[Any, Any, Any, Any]:
    """The learner, or who takes its place where outcomes are numbers."""
    if not (learner.examples and learner.labels and stream.labels is None):
        return learner
    return learner.for_numbers() or learner


def open_for(
    learner: Learner[Any, Any, Any, Any],
    data: Any,
    outcomes: Any = None,
    *,
    losses: bool,
    labels: Any = None,
    **columns: Any,
) -> Stream:
    """The data as the learner wants them: classes are coded for those that vote, and for classifiers."""
    if learner.examples:
        if labels is None and learner.labels:
            labels = "auto" if learner.for_numbers() is not None else "grow"
        given = {"examples": True, "labels": labels, "checked": False, "losses": losses}
        return open_stream(data, outcomes, **given, **columns)
    if labels is None and learner.labels and not losses:
        labels = True
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
