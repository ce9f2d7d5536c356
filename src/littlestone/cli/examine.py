"""`--test`: predict examples that are not learned from, and say how well."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.stream import Batch
from ..encode.stream import Stream
from ..play.lagged import refuse_gaps
from ..play.rounds import open_table
from ..streams.files import OpenFile
from ..streams.tables.columns import OUTCOMES
from .command_options import CommandOptions
from .learner_spec import AnyLearner
from .play import errors_name, request_for
from .status import Status
from .write import Predictions

NONE = "\0"  # a name that no column has


@dataclass
class Tested:
    """How well a learner predicts examples that it did not learn from."""

    file: str
    rows: int
    answered: float  # the importance of the rows with an answer
    loss: float
    mistakes: float | None  # None: outcomes are numbers
    learner: str = ""

    @property
    def accuracy(self) -> float | None:
        if self.mistakes is None:
            return None
        return 1.0 - self.mistakes / self.answered if self.answered else math.nan

    @property
    def mean_loss(self) -> float | None:
        """The loss a row, where outcomes are numbers; None for labels, whose mistakes are counted."""
        if self.mistakes is not None:
            return None
        return self.loss / self.answered if self.answered else math.nan

    def row(self) -> dict[str, Any]:
        found = {"file": self.file, "rows": self.rows, "answered": self.answered}
        if self.mistakes is None:
            return found | {"loss": self.loss, "mean_loss": self.mean_loss}
        return found | {"mistakes": self.mistakes, "accuracy": self.accuracy}

    def __str__(self) -> str:
        start = f"test {Path(self.file).name}: {self.rows:,} row{'s' * (self.rows != 1)}"
        if not self.answered:
            return f"{start} without an answer, predicted"
        if self.accuracy is None:
            return f"{start}, loss {self.mean_loss:.5g} a row"
        return f"{start}, accuracy {self.accuracy:.4f} ({1.0 - self.accuracy:.2%} errors)"


def check_readable(file: OpenFile) -> None:
    """Refuse a file that does not exist or is empty, before anything is learned; a pipe is left alone."""
    if file.path != "-" and (file.regular or not Path(file.path).exists()):
        file.form  # noqa: B018 - which opens the file


def examine(
    learner: AnyLearner,
    file: OpenFile,
    options: CommandOptions,
    status: Status,
    trained: Stream | None = None,
    predictions: Predictions | None = None,
) -> Tested:
    """Predict a file with the learner as it is now; it learns nothing.

    `trained`: the stream that it has just learned from, whose outcome is that of the file as well.
    """
    from ..live.evaluate import evaluate
    from ..streams.text.text_rows import TextStream

    name = "standard input" if file.path == "-" else file.path
    status.now(f"reading {name}")
    request = request_for(learner, options, file).read_with(by=None, optional=True)
    if trained is not None and not isinstance(trained, TextStream) and options.outcome is None:
        request = request.read_with(outcome=trained.outcome)
    lags = learner.begun().setting.lags
    if lags is not None:
        outcome = request.read.outcome or lags.outcome
        request = request.read_with(lags=lags.rows, outcome=outcome).play_with(resume=True)
    with errors_name(file, name):
        stream = open_table(request)
        if lags is not None:
            refuse_gaps(stream, lags, learner.key)
        if request.read.outcome is None and file.regular and outcome_is_foreign(learner, stream):
            stream = open_table(request.read_with(outcome=NONE))
        learner.begun().setting.same_names(stream.names)
        if predictions is not None:
            stream.batches = write_predictions(learner, stream.batches, predictions)
        status.now(f"predicting {name}")
        return Tested(name, *evaluate(learner, stream), learner=learner.key)


def outcome_is_foreign(learner: AnyLearner, stream: Stream) -> bool:
    """Whether the last column was taken for the outcome but holds no class that the learner knows."""
    from ..streams.text.text_rows import TextStream

    coder = learner.begun().coder
    usual_name = stream.outcome.strip().lower() in OUTCOMES
    if coder is None or usual_name or isinstance(stream, TextStream):
        return False
    return not set(coder.codes) & set(stream.labels or ())


def write_predictions(
    learner: AnyLearner, batches: Iterable[Batch], predictions: Predictions
) -> Iterator[Batch]:
    """The batches; the predictions of each are written before it is handed on."""
    live = learner.begun()
    for batch in batches:
        _, said = live.many(live.setting.fill_in(batch).x)
        names = (
            None if live.coder is None else [live.coder.label(c) for c in range(len(live.coder))]
        )
        predictions.write(batch, 1, said, None, names)
        yield batch
