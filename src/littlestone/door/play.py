"""`ls.play`: a request becomes a stream of rounds, and a learner is played over it.

The command line takes the same two steps, `open_rounds` and `play_rounds`, with a request made from its options.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import numpy as np

from ..core import registry
from ..core.errors import BadInput
from ..core.learner import Learner
from ..core.notebook import in_notebook
from ..encode.categories import Categories
from ..encode.stream import Stream
from ..engine.checks import array
from ..session.delay import KeyDelays, key_delays
from ..streams.tables.wide_horizons import KEY, by_horizon, columns_to_read, is_template
from .options import OF_BANDITS, Options
from .request import AnyLearner, Request
from .task import with_task

if TYPE_CHECKING:
    from ..run.run import Run, Runs
    from ..run.seeds import SeedRuns


@overload
def play(
    learner: AnyLearner | str, data: Any, outcomes: Any = None, *, by: None = None, seeds: Literal[1] = 1,
    **options: Unpack[Options],
) -> Run: ...  # fmt: skip
@overload
def play(
    learner: AnyLearner | str | Mapping[Any, AnyLearner], data: Any, outcomes: Any = None, *, by: str,
    seeds: Literal[1] = 1, **options: Unpack[Options],
) -> Runs: ...  # fmt: skip
@overload
def play(
    learner: AnyLearner | str, data: Any, outcomes: Any = None, *, by: None = None, seeds: int,
    **options: Unpack[Options],
) -> SeedRuns: ...  # fmt: skip
def play(
    learner: AnyLearner | str | Mapping[Any, AnyLearner],
    data: Any,
    outcomes: Any = None,
    *,
    outcome: str | int | None = None,
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
    encoding: str | None = None,
    decimal: str | None = None,
    tasks: Any = None,
    rewards: bool = False,
    available: Any = None,
    rounds: int | None = None,
    workers: int | None = None,
    seeds: int = 1,
    seed: int = 0,
    interval: tuple[float, float] | None = None,
    delay: Any = 0,
    interleave: bool | None = None,
    record: str = "auto",
    asleep: str = "error",
    horizon: int | None = None,
    shifts: int | None = None,
    importance: Any = None,
    passes: int = 1,
    resume: bool = False,
    certify: bool = True,
    costs: Mapping[tuple[Any, Any], float] | None = None,
    threshold: float | Mapping[Any, float] | None = None,
    engine: str | None = None,
    progress: Callable[[int, float], None] | Literal[False] | None = None,
    sink: Callable[[int, Any, Any], None] | None = None,
) -> Run | Runs | SeedRuns:
    """Play a learner over data: arrays, a frame, a path, an iterator of batches, or a Stream.

    With outcomes the experts give advice; without, arrays hold the losses themselves. Learners over examples take a
    matrix, CSR or a list of dicts with outcomes. Returns a `Run`; with `by` a `Runs`, one run a key; with `seeds` of
    2 or more a `SeedRuns`.

    Which part of the data is what:
        outcomes: an array with one outcome a round.
        outcome: of a frame or file, the column of the outcomes.
        experts: of a frame or file, the columns of the experts: names or globs; all that are left, if not given.
        features: of a frame or file, the columns of the features; of a bandit, an array of what each round offers.
        by: of a frame or file, a column; each of its values gets a learner and a run of its own.
        task: "classification" or "regression" of examples, "forecasting" with experts, or "losses", where data could be
            read in two ways; seen from the learner and the data, if not given.
        losses: are the columns losses of the experts, not their advice? A frame or a file must say so.
        labels: the classes, where more are possible than the data have.
        weights: importance weights of examples, an array or the name of a column.
        importance: the same as an array, for any kind of data.
        tasks: of learners over several tasks, the number of each round's task, from 0.

    How a file is read:
        format: "csv", "parquet", "jsonl", "arff", "libsvm" or "vw"; seen from the file, if not given.
        encoding: of a text file that is not UTF-8: "latin-1", "cp1252" (Windows), "utf-16-le" and others.
        decimal: "." or ",", the mark before the fraction, where numbers such as 1,250 could be read in two ways.
        bits: names of features are hashed to 2^bits places.
        interactions: products that are features as well: "colour:size" by name, "cs" by first letters.
        text: columns of text that are read as words, each a feature; those of sentences, if not given.
        ngram: runs of so many words are features as well.
        on_bad_line: "error" or "skip".

    Bandits alone:
        rewards: data are rewards, not losses.
        available: which arms can be pulled, rounds x arms of True and False.
        rounds: how many rounds an environment (`ls.Arms`) is played.
        seeds: how many runs, each with draws of its own.
        workers: how many threads share them; all cores otherwise.

    How to play:
        certify: compute comparators and the certificate.
        seed: decides all draws.
        delay: rounds until an outcome is known: a number, or one for each round; infinity: never. With `by` also one
            for each key, {key: rounds}; or the column of `by` itself, whose keys are horizons: 1, 2, 3 rounds ahead;
            or columns such as "*_h{}", where * is a forecaster and {} how many rows ahead: a run for each horizon.
        interleave: with a delay, whether delay + 1 copies take turns.
        record: "auto", "all" or "none": which rounds are kept for `run.predictions` and its like.
        asleep: when all experts sleep: "error", or "last" to repeat the last action.
        interval: where losses or outcomes lie, (low, high), where a theorem must know it beforehand.
        horizon: how many rounds will come, where a theorem must know it and the data do not tell.
        shifts: comparators with up to this many shifts are computed.
        passes: how often a learner over examples goes over them.
        resume: go on from where the learner is; with `by`, from the learners by key of earlier runs, `runs.learners`.
        costs: of learners with probabilities, what it costs to decide for one class where another is true:
            {("no", "yes"): 5}; a mistake that is not listed costs 1. `run.decisions` are those of least expected cost.
        threshold: of two classes, the probability from which on the second is decided for; or {"yes": 0.2}.
        engine: "plain" or "compiled".
        progress: called now and then with the rounds done and the loss so far. Not given, a notebook shows a bar
            where a run takes longer than a second; False: it does not.
        sink: called with the number of the first round, predictions and losses of each piece.

    >>> import littlestone as ls
    >>> run = ls.play("hedge", [[0.0, 1.0], [0.0, 1.0]])
    >>> round(run.loss, 4), run.comparator
    (0.6591, 'best expert (expert 1)')
    >>> run = ls.play("perceptron", [[0, -1], [1, 0]], [-1, -1])
    >>> run.mistakes, run.learner.state.w.tolist()
    (2.0, [-1.0, 1.0])
    """
    by_key = None
    if isinstance(learner, Mapping):
        by_key, learner = (
            dict(learner),
            first_of(learner, delay if is_template(delay) else by, resume),
        )
    made = registry.learner(learner)
    if not made.bandit:
        for name, given in zip(OF_BANDITS, (rewards, available, rounds, workers), strict=True):
            if given is not None and given is not False:
                raise TypeError(
                    f"play() got an unexpected keyword argument {name!r}: {made.key} is no bandit"
                )
    outcome_name, by, weights = column_name(outcome), column_name(by), column_name(weights)
    if isinstance(outcome_name, tuple):  # of a frame whose columns have several levels
        outcome_name = str(outcome_name)
    if outcome_name is not None and not isinstance(outcome_name, str):
        raise BadInput(
            f"outcome must be the name of a column, not {outcome!r:.80}; outcomes= takes an array"
        )
    request = Request(
        made, data, outcomes, outcome=outcome_name, experts=experts, by=by, task=task, losses=losses, labels=labels,
        features=features, weights=weights, bits=bits, interactions=interactions, text=text, ngram=ngram,
        on_bad_line=on_bad_line, format=format, encoding=encoding, decimal=decimal,
        tasks=tasks, rewards=rewards, available=available, rounds=rounds, workers=workers,
        seeds=seeds, seed=seed, interval=interval, delay=delay if is_template(delay) else key_delays(delay, by),
        interleave=interleave, record=record, asleep=asleep,
        horizon=horizon, shifts=shifts, importance=importance, passes=passes, resume=resume, certify=certify,
        by_key=by_key, costs=costs, threshold=threshold, engine=engine,
        progress=None if progress is False else progress, sink=sink,
    )  # fmt: skip
    request, stream = open_rounds(request)
    if progress is None and in_notebook():
        return play_with_bar(request, stream)
    return play_rounds(request, stream)


def first_of(learners: Mapping[Any, AnyLearner], by: Any, resume: bool) -> AnyLearner:
    """One of several learners, each of which goes on with the rows of its key."""
    if not learners or by is None or not resume:
        raise BadInput(
            "learners by key go on with the rows of their keys: say which column holds these, with by= and resume=True"
        )
    return next(iter(learners.values()))


def column_name(given: Any) -> Any:
    """The name of a column as text; pandas calls columns 0, 1, … where a file had no names."""
    number = isinstance(given, (int, np.integer)) and not isinstance(given, bool)
    return str(given) if number else given


def open_rounds(request: Request) -> tuple[Request, Stream]:
    """The data as a stream, read once; and the request, with what the data decide filled in.

    That is: whether the columns are losses, how many tasks there are, which learner takes the place of one that tells
    classes apart where outcomes are numbers, and in which interval the losses of arms lie.
    """
    request = with_task(request)
    if is_template(request.delay):
        request = with_horizon_columns(request)
    if request.learner.bandit:
        from . import arms  # and environments: most calls need none of it

        return arms.open_arms(request)
    if request.losses is None:  # examples have outcomes, whatever they come from
        losses = not request.learner.examples and holds_losses(request)
        request = replace(request, losses=losses)
    if request.resume:
        request = as_trained(request)
    stream = open_table(request)
    if is_template(request.delay):
        request, stream = replace(request, delay=KeyDelays(KEY)), by_horizon(stream, request.delay)
    if request.resume and not request.learner.examples:
        stream = as_experts(request, stream)
    if request.tasks is not None:
        request, stream = with_tasks(request, stream)
    learner = for_outcomes(request.learner, stream)
    return request if learner is request.learner else replace(request, learner=learner), stream


def with_horizon_columns(request: Request) -> Request:
    """The request for the columns that `delay="*_h{}"` names: forecasts of an outcome some rows later."""
    if request.learner.examples or request.learner.bandit or request.losses:
        raise BadInput(
            f"delay={request.delay!r} names columns of forecasts, and {request.learner.key} combines none here: "
            "tracker does"
        )
    if request.by is not None:
        raise BadInput(
            f"delay={request.delay!r} and by=: each horizon is a key; leave one of them out"
        )
    glob = columns_to_read(str(request.delay))
    return request if request.experts is not None else replace(request, experts=[glob])


def play_with_bar(request: Request, stream: Stream) -> Run | Runs | SeedRuns:
    """`play_rounds`, with a progress bar in a notebook."""
    from .notebook_bar import NotebookBar

    rounds = stream.rounds if request.rounds is None else request.rounds
    total = None if rounds is None else rounds * request.passes * request.seeds
    with NotebookBar(request.learner.key, total) as bar:
        return play_rounds(replace(request, progress=bar), stream)


def play_rounds(request: Request, stream: Stream) -> Run | Runs | SeedRuns:
    """Play a learner over a stream; both from `open_rounds`."""
    if request.seeds > 1:
        from . import arms

        return arms.play_seeds(request, stream)
    # Here and below: who names `play` and does not call it needs neither sessions nor readers of tables, 19 ms.
    from ..session.play import play as play_stream

    return play_stream(
        request.learner, stream, request.play_options, allocation=bool(request.losses)
    )


def open_table(request: Request) -> Stream:
    """The data as the learner needs them: classes are coded for learners that vote, and for classifiers."""
    learner, labels = request.learner, request.labels
    if learner.examples and learner.labels and labels is None:
        labels = "auto" if learner.for_numbers() is not None else "grow"
    elif labels is None and learner.labels and not request.losses:
        labels = True
    from ..encode.strings import every_string
    from ..streams.open import open_stream
    from ..streams.tables.request import Trained
    from .named_columns import text_features

    return open_stream(
        every_string(learner, request.data),
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
        encoding=request.encoding,
        decimal=request.decimal,
        optional=request.optional,
        trained=Trained(learner.key, text_features(learner)) if request.trained else None,
        vocabulary=learner.vocabulary,
        categories=categories_for(request) if learner.examples else None,
    )


def categories_for(request: Request) -> Categories | None:
    """How text of few values is read: as in training; as numbers, where the learner takes it so; or hashed (None)."""
    learner, live = request.learner, request.learner.live
    if request.bits is not None or request.interactions or request.text:
        return None
    if live is not None:
        s = live.setting
        # a learner of dense records reads records as a table again
        return s.categories if s.categories.columns or (s.hashed.records and not s.sparse) else None
    wanted = learner.categories if request.categories is None else request.categories
    return Categories() if wanted else None


def holds_losses(request: Request) -> bool:
    """Are the data losses alone? They are, unless outcomes come from somewhere."""
    data = request.data
    if isinstance(data, Stream):
        if isinstance(data.batches, list) and data.batches:
            return data.batches[0].x is None
        return False
    if request.outcomes is not None or request.outcome is not None:
        return False
    from ..streams.tables.frames import is_frame

    # Losses in a frame, a file or an iterator need `losses=True`: else a column that was meant as the outcome would
    # be played as an expert, without a word.
    table = isinstance(data, str) or hasattr(data, "__fspath__") or is_frame(data)
    return not (table or hasattr(data, "__next__"))


def as_trained(request: Request) -> Request:
    """The request, with classes coded, names hashed and text read as when the learner was trained."""
    live = request.learner.live
    if live is None:
        return request
    if not request.learner.examples:
        known = live.labels if request.learner.labels and request.labels is None else None
        return request if known is None else replace(request, labels=list(known))
    request = with_trained_columns(request)
    bits = bits_of(request.learner) if request.bits is None else request.bits
    if request.text is not None:
        return replace(request, bits=bits)
    names = live.setting.hashed
    return replace(request, bits=bits, text=names.words, ngram=names.ngram)


def with_trained_columns(request: Request) -> Request:
    """The request, for the columns of a table that the learner was trained on, where none are named."""
    from ..streams.files import TEXT, OpenFile
    from ..streams.open import kind_of
    from .named_columns import trained_features

    known = trained_features(request.learner)
    if not known or request.features is not None or request.interactions:
        return request
    kind, data = kind_of(request.data), request.data
    if kind == "file":
        if not isinstance(data, OpenFile):
            data = OpenFile(
                data, request.format, request.on_bad_line, False, request.encoding, request.decimal
            )
        kind = "" if data.form in TEXT else kind
    if kind not in ("file", "frame"):
        return request
    return replace(request, data=data, features=known, trained=True)


def as_experts(request: Request, stream: Stream) -> Stream:
    """The stream with its columns by the names of the experts that the learner knows, or those by key do."""
    from .named_columns import by_name

    learners = [request.learner] if request.by_key is None else list(request.by_key.values())
    begun = [one for one in learners if one.live is not None]
    return by_name(stream, begun, bool(request.losses)) if begun else stream


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
