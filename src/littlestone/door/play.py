"""`ls.play`: a request becomes a stream of rounds, and a learner is played over it.

The command line takes the same two steps, `open_rounds` and `play_rounds`, with a request made from its options.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from ..core import registry
from ..core.errors import BadInput
from ..core.learner import Learner
from ..core.stream import Stream
from ..engine.checks import array
from ..run.run import Run, Runs
from ..run.seeds import SeedRuns
from ..session.play import play as play_stream
from ..streams.open import open_stream
from ..streams.tables.frames import is_frame
from . import arms
from .request import AnyLearner, Request
from .task import with_task


def play(
    learner: Learner[Any, Any, Any, Any] | str,
    data: Any,
    outcomes: Any = None,
    *,
    outcome: str | None = None,
    experts: Any = None,
    by: str | None = None,
    task: str | None = None,
    losses: bool | None = None,
    labels: Any = None,
    features: Any = None,
    weights: Any = None,
    bits: int | None = None,
    interactions: Any = (),
    text: Any = None,
    ngram: int = 1,
    on_bad_line: str = "error",
    format: str | None = None,
    tasks: Any = None,
    **options: Any,
) -> Any:
    """Play a learner over data: arrays, a frame, a path, an iterator of batches, or a Stream.

    With outcomes the experts give advice; without, arrays hold the losses themselves, and so do a frame or a file with
    `losses=True`. `task` says what is to be done where data could be read in two ways: "classification" or
    "regression" of examples, "forecasting" with experts, or "losses". Learners over examples take a
    matrix, CSR or a list of dicts with outcomes; `weights` are importance weights. For frames and files columns are
    chosen by name: `outcome`, `experts` or `features` (names or globs), `weights`, `by`. Files: CSV, Parquet, JSON
    lines, ARFF, libsvm and VW text (`bits`, `interactions`, `text`, `ngram`, `on_bad_line`, `format`; see `streams.open`). Options:
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
    for name in options:
        if name not in OPTIONS or (name in arms.OPTIONS and not made.bandit):
            raise TypeError(f"play() got an unexpected keyword argument {name!r}")
    outcome, by, weights = column_name(outcome), column_name(by), column_name(weights)
    request = Request(
        made,
        data,
        outcomes,
        outcome=outcome,
        experts=experts,
        by=by,
        task=task,
        losses=losses,
        labels=labels,
        features=features,
        weights=weights,
        bits=bits,
        interactions=interactions,
        text=text,
        ngram=ngram,
        on_bad_line=on_bad_line,
        format=format,
        tasks=tasks,
        **options,
    )
    return play_rounds(*open_rounds(request))


def column_name(given: Any) -> Any:
    """The name of a column as text; pandas calls columns 0, 1, … where a file had no names."""
    number = isinstance(given, (int, np.integer)) and not isinstance(given, bool)
    return str(given) if number else given


OPTIONS = frozenset(field.name for field in fields(Request)) - {"learner", "optional", "checkpoint"}


def open_rounds(request: Request) -> tuple[Request, Stream]:
    """The data as a stream, read once; and the request, with what the data decide filled in.

    That is: whether the columns are losses, how many tasks there are, which learner takes the place of one that tells
    classes apart where outcomes are numbers, and in which interval the losses of arms lie.
    """
    request = with_task(request)
    if request.learner.bandit:
        return arms.open_arms(request)
    losses = request.losses
    if losses is None:  # examples have outcomes, whatever they come from
        losses = not request.learner.examples and holds_losses(request)
    request = replace(request, losses=losses)
    if request.resume:
        request = as_trained(request)
    stream = open_table(request)
    if request.tasks is not None:
        request, stream = with_tasks(request, stream)
    return replace(request, learner=for_outcomes(request.learner, stream)), stream


def play_rounds(request: Request, stream: Stream) -> Run | Runs | SeedRuns:
    """Play a learner over a stream; both from `open_rounds`."""
    if request.seeds > 1:
        return arms.play_seeds(request, stream)
    return play_stream(
        request.learner,
        stream,
        allocation=bool(request.losses),
        certify=request.certify,
        seed=request.seed,
        delay=request.delay,
        interleave=request.interleave,
        record=request.record,
        asleep=request.asleep,
        interval=request.interval,
        horizon=request.horizon,
        shifts=request.shifts,
        importance=request.importance,
        passes=request.passes,
        resume=request.resume,
        progress=request.progress,
        sink=request.sink,
        checkpoint=request.checkpoint,
        engine=request.engine,
    )


def open_table(request: Request) -> Stream:
    """The data as the learner needs them: classes are coded for learners that vote, and for classifiers."""
    learner, labels = request.learner, request.labels
    if learner.examples and learner.labels and labels is None:
        labels = "auto" if learner.for_numbers() is not None else "grow"
    elif labels is None and learner.labels and not request.losses:
        labels = True
    return open_stream(
        request.data,
        request.outcomes,
        outcome=request.outcome,
        experts=request.experts,
        by=request.by,
        losses=bool(request.losses),
        labels=labels,
        checked=False,
        examples=learner.examples,
        features=request.features,
        weights=request.weights,
        bits=request.bits,
        interactions=request.interactions,
        text=request.text,
        ngram=request.ngram,
        on_bad_line=request.on_bad_line,
        format=request.format,
        optional=request.optional,
    )


def holds_losses(request: Request) -> bool:
    """Are the data losses alone? They are, unless outcomes come from somewhere."""
    data = request.data
    if isinstance(data, Stream):
        if isinstance(data.batches, list) and data.batches:
            return data.batches[0].x is None
        return False
    if request.outcomes is not None or request.outcome is not None:
        return False
    # Losses in a frame, a file or an iterator need `losses=True`: else a column that was meant as the outcome would
    # be played as an expert, without a word.
    table = isinstance(data, str) or hasattr(data, "__fspath__") or is_frame(data)
    return not (table or hasattr(data, "__next__"))


def as_trained(request: Request) -> Request:
    """The request, with names hashed and text read as when the learner was trained."""
    live = request.learner.live
    if live is None or not request.learner.examples:
        return request
    bits = bits_of(request.learner) if request.bits is None else request.bits
    if request.text is not None:
        return replace(request, bits=bits)
    return replace(request, bits=bits, text=live.setting.words, ngram=live.setting.ngram)


def bits_of(learner: AnyLearner) -> int | None:
    """To how many places the names were hashed that a learner was trained on, where that is known."""
    return (None if learner.live is None else learner.live.bits) or None


def for_outcomes(learner: AnyLearner, stream: Stream) -> AnyLearner:
    """The learner; or, where it tells classes apart and the outcomes are numbers, the one that predicts numbers."""
    if not (learner.examples and learner.labels and stream.labels is None):
        return learner
    return learner.for_numbers() or learner


def with_tasks(request: Request, stream: Stream) -> tuple[Request, Stream]:
    """The same rounds of losses, each with the number of its task; the learner is given the number of tasks."""
    learner = request.learner
    if not stream.whole or not isinstance(stream.batches, list):
        raise BadInput("tasks: rounds must be in memory, as arrays or a frame")
    batch = stream.batches[0]
    each = array(request.tasks, "tasks", 1)
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
    numbered = batch._replace(x=np.ascontiguousarray(each[:, None]))
    return replace(request, learner=learner), replace(stream, batches=[numbered])


def learner(key: str, **parameters: Any) -> Learner[Any, Any, Any, Any]:
    """Any learner of the registry, by key."""
    return registry.learner(key, **parameters)


__all__ = ["BadInput", "learner", "play"]
