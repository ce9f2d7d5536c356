"""Open the data, as often as they are needed, and play every learner over them."""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.errors import BadInput, LittlestoneError
from ..core.stream import Batch, Stream
from ..door.play import bits_of, for_outcomes, open_table
from ..door.request import Request
from ..report.simple import keep_tally
from ..run.run import Run, Runs
from ..run.run_examples import ExampleRun
from ..session.play import play
from .console import count
from .follow import Followed
from .learner_spec import AnyLearner, form_of
from .status import Status
from .write import Predictions

SHOWN = 6  # columns that a message names


@dataclass
class Played:
    """A run, and which one it is."""

    run: Run
    learner: str  # as the user wrote it
    delay: int
    key: Any = None  # with --by

    @property
    def name(self) -> str:
        return self.learner + (f", {count(self.delay, 'rounds')} late" if self.delay else "")


def play_all(
    learners: list[tuple[str, AnyLearner]],
    o: dict[str, Any],
    status: Status,
    predictions: Predictions | None = None,
    resume: bool = False,
) -> list[Played]:
    """Late feedback is never shown alone: beside it stands what prompt feedback would have given."""
    delays = [0, o["delay"]] if o["delay"] else [0]
    name = "standard input" if o["file"] == "-" else o["file"]
    played: list[Played] = []
    times = len(learners) * len(delays) * o["passes"]
    with rereadable(o["file"], times) as file, named(file, name):
        for delay in delays:
            for spec, learner in learners:
                if file is not None:
                    status.now(f"reading {name}")
                stream = opened(learner, file, o)
                learner = for_outcomes(learner, stream)
                if resume and learner.examples:
                    check_columns(learner, stream, name)
                status.play(spec, stream.rounds and stream.rounds * o["passes"], file)
                followed = Followed(stream, learner, resume)
                followed.listeners.append(status.count)
                if predictions is not None and delay == o["delay"]:
                    predictions.follow(followed)
                result = play(
                    learner,
                    stream,
                    allocation=o["losses"],
                    seed=o["seed"],
                    delay=delay,
                    interleave=None if o["one_copy"] is None else not o["one_copy"],
                    asleep=o["asleep"],
                    interval=o["interval"] or None,
                    resume=resume,
                    passes=o["passes"],
                    sink=followed.sink,
                )
                stream.source = name or stream.source
                runs = result if isinstance(result, Runs) else {None: result}
                for key, run in runs.items():
                    run.label = run.label.replace(run.key, spec, 1)
                    if isinstance(run, ExampleRun) and key in followed.tallies:
                        keep_tally(run, followed.tallies[key])
                    played.append(Played(run, spec, delay, key))
    return played


def opened(
    learner: AnyLearner, file: str | None, o: dict[str, Any], optional: bool = False
) -> Stream:
    """`optional`: a file without outcomes is read as well."""
    if file is None:
        from ..natures.shifting import shifting_stream

        return shifting_stream(seed=o["seed"])
    given: dict[str, Any] = {"format": o["format"], "on_bad_line": o["on_bad_line"]}
    if learner.examples:
        given |= {
            "features": list(o["features"]) or trained_on(learner, file, o),
            "optional": optional,
            "weights": o["weights"],
            "bits": bits_of(learner) if o["bits"] is None else o["bits"],
            "interactions": o["interact"],
        }
        if o["classes"] is not None and learner.labels:
            given["labels"] = "grow" if o["classes"] else False
    else:
        given["experts"] = list(o["experts"]) or None

    def once() -> Stream:
        columns = {"outcome": o["outcome"], "by": o["by"], "losses": o["losses"]}
        return open_table(Request(learner, file, **columns, **given))

    def again() -> Iterable[Batch]:
        return once().batches

    stream = once()
    if o["bits"] is None and stream.bits and getattr(learner._live, "bits", None) == 0:
        raise BadInput(
            "the learner was saved by an earlier version, which did not write down to how many "
            "places names were hashed: add the -b that it was trained with, -b 18 if there was none"
        )
    if stream.again is None and file != "-":
        stream.again = again
    return stream


def trained_on(learner: AnyLearner, file: str, o: dict[str, Any]) -> list[str] | None:
    """The columns that a learner knows by name: another table may have them in another order, or more of them."""
    known = learner._live.names if learner._live is not None else None
    if not known or o["interact"] or form_of(file, o["format"]) in ("libsvm", "vw"):
        return None
    return list(known)


def check_columns(learner: AnyLearner, stream: Stream, file: str | None) -> None:
    """A matrix has no names for its columns: those of another file must be the same, in the same order."""
    live = learner._live
    known = live.names if live is not None else None
    if known and stream.names and tuple(known) != tuple(stream.names):
        raise BadInput(
            f"{file} has the columns {listed(stream.names)}; the learner was trained on "
            f"{listed(known)}, in that order: --features names columns"
        )


def listed(names: Iterable[object]) -> str:
    every = [repr(name) for name in names]
    return ", ".join(every[:SHOWN]) + (", …" if len(every) > SHOWN else "")


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
def named(file: str | None, name: str | None) -> Iterator[None]:
    """Messages about rows say of which file, by the name that the user knows."""
    try:
        yield
    except LittlestoneError as problem:
        text = str(problem)
        if file is not None and name is not None:
            text = text.replace(file, name) if file != name and len(file) > 1 else text
            if text.startswith(("row ", "from row ")):
                text = f"{name}: {text}"
            elif name not in text:
                text = f"{text} (in {name})"
        raise type(problem)(text) from None
