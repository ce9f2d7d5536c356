"""A request becomes a stream of rounds, and a learner is played over it.

`ls.play` and the command line take the same two steps, `open_rounds` and `play_rounds`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..core.errors import BadInput
from ..encode.categories import Categories
from ..encode.stream import Stream
from ..engine.checks import array
from ..streams.tables.wide_horizons import KEY, by_horizon, columns_to_read
from .delay import KeyDelays
from .request import AnyLearner, Request
from .task import with_task

if TYPE_CHECKING:
    from ..run.run import Run, Runs
    from ..run.seeds import SeedRuns


def open_rounds(request: Request) -> tuple[Request, Stream]:
    """The data as a stream, read once; and the request, with what the data decide filled in.

    That is: whether the columns are losses, how many tasks there are, which learner takes the place of one that tells
    classes apart where outcomes are numbers, and in which interval the losses of arms lie.
    """
    if request.read.task is not None:
        request = with_task(request, request.read.task)
    template = request.play.delay  # text: it names columns of several horizons
    if isinstance(template, str):
        request = with_horizon_columns(request, template)
    if request.learner.bandit:
        from . import arms  # and environments: most calls need none of it

        return arms.open_arms(request)
    if request.read.losses is None and not request.learner.examples:
        request = request.read_with(losses=holds_losses(request))
    if request.play.resume:
        request = as_trained(request)
    stream = open_table(request)
    if isinstance(template, str):
        request, stream = request.play_with(delay=KeyDelays(KEY)), by_horizon(stream, template)
    if request.play.resume and not request.learner.examples:
        stream = as_experts(request, stream)
    if request.read.tasks is not None:
        request, stream = with_tasks(request, stream)
    learner = request.learner
    if learner.examples and learner.labels and stream.labels is None:  # outcomes are numbers
        request = replace(request, learner=learner.for_numbers() or learner)
    return request, stream


def with_horizon_columns(request: Request, template: str) -> Request:
    """The request for the columns that `delay="*_h{}"` names: forecasts of an outcome some rows later."""
    if request.learner.examples or request.learner.bandit or request.read.losses:
        raise BadInput(
            f"delay={template!r} names columns of forecasts, and {request.learner.key} combines none here: "
            "tracker does"
        )
    if request.read.by is not None:
        raise BadInput(f"delay={template!r} and by=: each horizon is a key; leave one of them out")
    if request.read.experts is not None:
        return request
    return request.read_with(experts=[columns_to_read(template)])


def play_with_bar(request: Request, stream: Stream) -> Run | Runs | SeedRuns:
    """`play_rounds`, with a progress bar in a notebook."""
    from .notebook_bar import NotebookBar

    rounds = stream.rounds if request.play.rounds is None else request.play.rounds
    total = None if rounds is None else rounds * request.play.passes * request.play.seeds
    with NotebookBar(request.learner.key, total) as bar:
        return play_rounds(request.play_with(progress=bar), stream)


def play_rounds(request: Request, stream: Stream) -> Run | Runs | SeedRuns:
    """Play a learner over a stream; both from `open_rounds`."""
    if request.play.seeds > 1:
        from . import arms

        return arms.play_seeds(request, stream)
    # Here and below: who names `play` and does not call it needs neither sessions nor readers of tables, 19 ms.
    from .play_stream import play_stream

    return play_stream(request.learner, stream, request.play, allocation=bool(request.read.losses))


def open_table(request: Request) -> Stream:
    """The data as the learner needs them: classes are coded for learners that vote, and for classifiers."""
    learner, labels = request.learner, request.read.labels
    categories = categories_for(request) if learner.examples else None
    may_lack = learner.examples and type(request.data) is not np.ndarray
    missing = what_fills(request) if may_lack else None
    if labels is None and learner.labels:
        if learner.examples:
            labels = "auto" if learner.for_numbers() is not None else "grow"
        else:
            labels = None if request.read.losses else True
    from ..streams.open import open_stream

    options = replace(
        request.read, labels=labels, checked=False, examples=learner.examples,
        vocabulary=learner.vocabulary if learner.examples else None,
        categories=categories, missing=missing,
        bare=learner.examples and not (request.read.optional or request.play.resume),
    )  # fmt: skip
    data = request.data
    if learner.strings:
        from ..encode.strings import every_string

        data = every_string(learner, data)
    stream = open_stream(data, request.outcomes, options)
    if options.lags is None and not stream.bare:
        return stream
    from .lagged import with_lags

    return with_lags(request, stream)


def categories_for(request: Request) -> Categories | None:
    """How text of few values is read: as in training; as numbers, where the learner takes it so; or hashed (None)."""
    learner, live, read = request.learner, request.learner.live, request.read
    if read.bits is not None or read.interactions or read.text:
        return None
    if live is not None:
        s = live.setting
        # a learner of dense records reads records as a table again, and lags stand beside the columns of one
        table = s.categories.columns or (s.hashed.records and not s.sparse) or s.lags is not None
        return s.categories if table else None
    if learner.categories or (read.lags is not None and read.categories is None):
        return Categories()
    return read.categories


def what_fills(request: Request) -> str | None:
    """What stands for numbers that are missing: as asked for, as in training, or means, where features have some."""
    learner, live, read = request.learner, request.learner.live, request.read
    if not learner.has_quantities:
        if read.missing == "mean":
            raise BadInput(
                f"missing='mean': {learner.key} takes features that are no quantities, and have no mean; "
                "missing='zero' reads 0, missing='refuse' stops"
            )
        return read.missing
    known = "" if live is None else live.setting.missing
    usual = "mean" if live is None or not read.optional else "zero"  # to predict makes no means
    return read.missing or known or usual


def holds_losses(request: Request) -> bool:
    """Are the data losses alone? They are, unless outcomes come from somewhere."""
    data = request.data
    if type(data) is np.ndarray:
        return request.outcomes is None and request.read.outcome is None
    if isinstance(data, Stream):
        if isinstance(data.batches, list) and data.batches:
            return data.batches[0].x is None
        return False
    if request.outcomes is not None or request.read.outcome is not None:
        return False
    from ..streams.open import kind_of

    # Losses in a frame, a file or an iterator need `losses=True`: else a column that was meant as the outcome would
    # be played as an expert, without a word.
    return not (isinstance(data, Iterator) or kind_of(data) in ("file", "frame"))


def as_trained(request: Request) -> Request:
    """The request, with classes coded, names hashed and text read as when the learner was trained."""
    live = request.learner.live
    if live is None:
        return request
    if not request.learner.examples:
        known = live.labels if request.learner.labels and request.read.labels is None else None
        return request if known is None else request.read_with(labels=list(known))
    request = with_trained_columns(request)
    if live.setting.lags is not None and request.read.lags is None:
        request = request.read_with(lags=live.setting.lags.rows)
    bits = bits_of(request.learner) if request.read.bits is None else request.read.bits
    if request.read.text is not None:
        return request.read_with(bits=bits)
    names = live.setting.hashed
    return request.read_with(bits=bits, text=names.words, ngram=names.ngram)


def with_trained_columns(request: Request) -> Request:
    """The request, for the columns of a table that the learner was trained on, where none are named."""
    from ..streams.files import TEXT, OpenFile
    from ..streams.open import kind_of
    from .named_columns import trained_features, trained_on

    known = trained_features(request.learner)
    if not known or request.read.features is not None or request.read.interactions:
        return request
    kind, data = kind_of(request.data), request.data
    if kind == "file":
        if not isinstance(data, OpenFile):
            data = OpenFile(data, request.read, keep=False)
        kind = "" if data.form in TEXT else kind
    if kind not in ("file", "frame"):
        return request
    return replace(
        request.read_with(features=known, trained=trained_on(request.learner)), data=data
    )


def as_experts(request: Request, stream: Stream) -> Stream:
    """The stream with its columns by the names of the experts that the learner knows, or those by key do."""
    from .named_columns import by_name

    learners = (
        [request.learner] if request.play.by_key is None else list(request.play.by_key.values())
    )
    begun = [one for one in learners if one.live is not None]
    return by_name(stream, begun, bool(request.read.losses)) if begun else stream


def bits_of(learner: AnyLearner) -> int | None:
    """To how many places the names were hashed that a learner was trained on, where that is known."""
    return (None if learner.live is None else learner.live.bits) or None


def with_tasks(request: Request, stream: Stream) -> tuple[Request, Stream]:
    """The same rounds of losses, each with the number of its task; the learner is given the number of tasks."""
    learner = request.learner
    if not stream.whole or not isinstance(stream.batches, list):
        raise BadInput("tasks: rounds must be in memory, as arrays or a frame")
    batch = stream.batches[0]
    each = array(request.read.tasks, "tasks", 1)
    if len(each) != len(batch.y):
        raise BadInput(f"tasks has {len(each)} entries; there are {len(batch.y)} rounds")
    declared = learner.parameters["tasks"]
    if declared is None and len(each) and 0 <= each.max() < len(each):
        declared = int(each.max()) + 1
        learner = learner.replace(tasks=declared)
    most = int(declared or 1)
    bad = ~((each >= 0) & (each < most) & (each == np.floor(each)))
    if bad.any():
        r = int(np.argmax(bad))
        raise BadInput(
            f"tasks: row {r + 1} is {each[r]:g}; tasks count from 0 to {most - 1} ({learner.key} has tasks={most})"
        )
    numbered = batch._replace(x=np.ascontiguousarray(each[:, None]))
    return replace(request, learner=learner), replace(stream, batches=[numbered])
