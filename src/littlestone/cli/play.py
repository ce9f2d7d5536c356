"""Play every learner over FILE, or over the built-in stream."""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ..core.costs import costs_of
from ..core.errors import BadInput, LittlestoneError
from ..encode.categories import Categories
from ..encode.stream import Stream
from ..environments.shifting import shifting_stream
from ..play.delay import KeyDelays
from ..play.named_columns import trained_features, trained_on
from ..play.request import Request
from ..play.rounds import bits_of, open_rounds, play_rounds
from ..play.task import describe_task
from ..report.comparison_table import Played
from ..report.simple import keep_tally
from ..run.keyed import KeyedRuns
from ..run.run import Runs
from ..streams.files import TEXT, OpenFile
from ..streams.options import ReadOptions
from ..streams.tables.batches import without_first
from ..streams.tables.wide_horizons import KEY, is_template
from .checkpoint import Checkpoints, Stopped
from .command_options import CommandOptions
from .data_kind import form_of
from .default_learner import choose_for_table, mixture_may_play
from .follow import Followed
from .learner_spec import AnyLearner
from .probabilities import refuse_none
from .status import Status
from .write import Predictions


class Turn(NamedTuple):
    """One learner that is going to be played over FILE, with one delay."""

    spec: str
    request: Request
    stream: Stream
    delay: int
    late: int | KeyDelays  # the delay of each key, where keys have their own
    chosen: str  # why the table decided for another learner; "" where it did not
    resume: bool  # the learner goes on

    @property
    def scaled(self) -> bool:
        """Are features scaled, though nobody said so?"""
        return not self.resume and self.request.learner.normalise


def play_all(
    learners: list[tuple[str, AnyLearner]],
    options: CommandOptions,
    file: OpenFile | None,
    status: Status,
    predictions: Predictions | None = None,
    resume: bool = False,
    checkpoints: Checkpoints | None = None,
    default: bool = False,
) -> list[Played]:
    """The runs of all learners. With --delay each is also played without, for the two rows to be compared.

    `default`: the user named no learner, and the table may decide for another one.
    """
    delays = [0, options.rounds_late] if options.rounds_late else [0]
    played: list[Played] = []
    with errors_name(file, options.name, options.id):
        for delay in delays:
            written = (
                delay == options.rounds_late
            )  # what is written is what was made with late feedback
            for spec, learner in learners:
                if file is not None:
                    status.now(f"reading {options.name}")
                turn = open_turn(spec, learner, delay, options, file, resume, default)
                if written and checkpoints is not None and options.save is not None:
                    checkpoints.stream = turn.stream
                    request = turn.request.play_with(checkpoint=checkpoints)
                    turn = turn._replace(request=request)
                played += play_turn(turn, options, file, status, predictions if written else None)
    return played


def open_turn(
    spec: str,
    learner: AnyLearner,
    delay: int,
    options: CommandOptions,
    file: OpenFile | None,
    resume: bool,
    default: bool,
) -> Turn:
    """Read FILE for this learner, or for the one that the table decides for."""
    request = request_for(learner, options, file).play_with(delay=delay, resume=resume)
    late: int | KeyDelays = delay
    if options.horizons is None:
        request = request.read_with(by=options.by_column or options.id)
    else:
        request, late = with_horizons(request, options.horizons)
    dense = default and mixture_may_play(learner, file, options)
    if dense:
        request = request.read_with(categories=Categories())
    request, stream = opened_rounds(request, file)
    chosen = ""
    if dense:
        made, chosen = choose_for_table(request.learner, stream)
        if chosen:
            request, spec = replace(request, learner=made), made.key
    if options.skip:
        stream = without_first(stream, options.skip, options.passes)
    if file is not None and not stream.why and not request.learner.examples:
        stream.why = file.why
    return Turn(spec, request, stream, delay, late, chosen, resume)


def play_turn(
    turn: Turn,
    options: CommandOptions,
    file: OpenFile | None,
    status: Status,
    predictions: Predictions | None,
) -> list[Played]:
    """Play a learner; one run, or one for each key."""
    stream, request = turn.stream, turn.request
    known = None if file is None or stream.bare else file.scale
    scale = "" if known is None else str(known)
    task = "" if file is None else describe_task(request, stream, scale)
    total = stream.rounds and stream.rounds * options.passes
    status.play(turn.spec, total, None if file is None else file.path)
    followed = Followed(
        stream, request.learner, turn.resume, options.id is not None, turn.late, options.by_key
    )
    followed.listeners.append(status.count)
    # else all rounds are kept, and simple answers are looked for in the end; of keys they are not kept
    kept = stream.whole and options.certify and options.passes == 1 and not options.by_column
    followed.counts = not kept
    if predictions is not None:
        predictions.follow(followed)
        if options.probabilities or request.play.costs is not None:
            refuse_none(request.learner)
            followed.costs = costs_of(request.play.costs)
            followed.wants_columns = options.probabilities
            request = request.play_with(decisions=followed.take_scores)
    try:
        result: Any = play_rounds(request.play_with(sink=followed), stream)
    finally:
        followed.close()
    stream.source = options.name or stream.source
    played = []
    for key, run in runs_of(result, options):
        run.label = run.label.replace(run.key, turn.spec, 1)
        if key in followed.tallies:
            keep_tally(run, followed.tallies[key])
        played.append(Played(run, turn.spec, turn.delay, key, task, turn.chosen, turn.scaled))
    return played


def with_horizons(request: Request, horizons: str) -> tuple[Request, KeyDelays]:
    """The request, with what --horizon says, and its delay: each horizon is a key, and so many rounds late.

    It is a column of keys; or columns of forecasts, which `open_rounds` looks for.
    """
    if is_template(horizons):
        return request.read_with(by=None).play_with(delay=horizons), KeyDelays(KEY)
    late = KeyDelays(horizons)
    return request.read_with(by=horizons).play_with(delay=late), late


def runs_of(result: Any, options: CommandOptions) -> Iterable[tuple[Any, Any]]:
    """Each key and its run; of many keys that were played together their totals, where nothing more is asked for."""
    if not isinstance(result, Runs):
        return [(None, result)]
    brief = not (options.certify or options.weights or options.readable)
    return result.totals() if isinstance(result, KeyedRuns) and brief else result.items()


def opened_rounds(request: Request, file: OpenFile | None) -> tuple[Request, Stream]:
    """`open_rounds`; where the outcome is text, and so not advice, the error says why it is no class either."""
    try:
        return open_rounds(request)
    except BadInput as problem:
        said = str(problem)
        neither = "does not hold numbers" in said or said.startswith("no experts: ")
        if file is None or file.problem is None or not neither:
            raise
        raise file.problem from None


def request_for(learner: AnyLearner, options: CommandOptions, file: OpenFile | None) -> Request:
    """What the options ask of a learner; `check` has refused options that are not for it."""
    trained = None
    if file is not None and not (options.features or options.interactions or form_of(file) in TEXT):
        trained = trained_features(learner)
    read = replace(
        options.reading, task=options.task if options.labels is None else None,
        losses=bool(options.losses) if options.task is None else None, labels=labels_for(learner, options),
        features=options.features or trained, trained=trained_on(learner) if trained is not None else None,
        bits=bits_of(learner) if options.bits is None else options.bits, text=text_columns(learner, options),
    )  # fmt: skip
    data = shifting_stream(seed=options.seed) if file is None else file
    return Request(learner, data, read=read, play=replace(options.playing, delay=0))


def labels_for(learner: AnyLearner, options: CommandOptions) -> Any:
    """The classes of --labels; or what --classes or --numbers says of them to a learner that may have some."""
    told = options.task is None and options.classes is not None
    if options.labels is not None or not (told and learner.examples and learner.labels):
        return options.labels
    return "classes" if options.classes else False


def text_columns(learner: AnyLearner, options: CommandOptions) -> list[str] | None:
    """The columns of --text; those of a learner that was loaded; None: those that look like words."""
    if options.text is not None:
        return list(options.text)
    return (
        None
        if learner.live is None or not learner.examples
        else list(learner.live.setting.hashed.words)
    )


@contextlib.contextmanager
def parse_once(
    path: str | None, options: CommandOptions, streams: int = 1
) -> Iterator[OpenFile | None]:
    """A file that is parsed once where that can be done; `streams`: how often its rounds will be played."""
    with rereadable(path, streams * options.passes) as there:
        if there is None:
            yield None
            return
        read = ReadOptions(
            format=options.format, on_bad_line=options.on_bad_line, encoding=options.encoding, decimal=options.decimal
        )  # fmt: skip
        file = OpenFile(there, read, keep=streams > 1)
        try:
            yield file
        finally:
            file.close()


@contextlib.contextmanager
def rereadable(file: str | None, times: int) -> Iterator[str | None]:
    """A path that can be read so often: a pipe is kept in a temporary file where once is not enough."""
    pipe = file == "-" or (file is not None and Path(file).exists() and not Path(file).is_file())
    if file is None or times == 1 or not pipe or Path(file).is_dir():
        yield file
        return
    with tempfile.NamedTemporaryFile(prefix="littlestone-") as kept:
        with (
            contextlib.nullcontext(sys.stdin.buffer) if file == "-" else open(file, "rb") as source
        ):
            shutil.copyfileobj(source, kept)
        kept.flush()
        yield kept.name


@contextlib.contextmanager
def errors_name(
    file: OpenFile | None, name: str | None, id_column: str | None = None
) -> Iterator[None]:
    """Add the name of the file, as the user wrote it, to messages about rows.

    `id_column`: the column of --id, which is read as that of the keys, and is none.
    """
    try:
        yield
    except LittlestoneError as problem:
        text = str(problem)
        if id_column is not None and text.startswith("by: "):
            text = f"--id{text.removeprefix('by')}"
        if id_column is not None:
            text = text.replace("the key is missing;", "--id names this column, and it is empty;")
        if file is not None and name is not None:
            text = text.replace(file.path, name) if file.path not in (name, "-") else text
            if text.startswith(("row ", "from row ")):
                text = f"{name}: {text}"
            elif name not in text:
                text = f"{text} (in {name})"
        if isinstance(problem, Stopped):
            raise
        raise type(problem)(text) from None
