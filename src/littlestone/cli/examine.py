"""`--test`: predict examples that are not learned from, and say how well."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.stream import Batch, Stream
from ..live.evaluate import evaluate
from ..streams.source import Source
from ..streams.tables.columns import OUTCOMES
from ..streams.text.text_rows import TextStream
from .learner_spec import AnyLearner
from .play import check_columns, named, opened
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
        """Of numbers; labels are counted."""
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


def look(file: str | None) -> None:
    """A file that is not there, or empty, is told of before anything is learned."""
    if file is not None and file != "-" and (Path(file).is_file() or not Path(file).exists()):
        Source(file).close()


def examine(
    learner: AnyLearner,
    file: str,
    o: dict[str, Any],
    status: Status,
    trained: Stream | None = None,
    predictions: Predictions | None = None,
) -> Tested:
    """Predict a file with the learner as it is now; it learns nothing."""
    name = "standard input" if file == "-" else file
    status.now(f"reading {name}")
    columns = {**o, "by": None}
    if trained is not None and not isinstance(trained, TextStream) and o["outcome"] is None:
        columns["outcome"] = trained.outcome  # whichever column it was there
    with named(file, name):
        stream = opened(learner, file, columns, optional=True)
        if columns["outcome"] is None and file != "-" and strange(learner, stream):
            stream = opened(learner, file, columns | {"outcome": NONE}, optional=True)
        check_columns(learner, stream, name)
        if predictions is not None:
            stream.batches = written(learner, stream.batches, predictions)
        status.now(f"predicting {name}")
        return Tested(name, *evaluate(learner, stream), learner=learner.key)


def strange(learner: AnyLearner, stream: Stream) -> bool:
    """Was the last column taken for the outcome, and does it hold no class that the learner knows? Then it is none."""
    coder = getattr(learner._live, "coder", None)
    named = stream.outcome.strip().lower() in OUTCOMES
    if coder is None or named or isinstance(stream, TextStream):
        return False
    return not set(coder.codes) & set(stream.labels or ())


def written(
    learner: AnyLearner, batches: Iterable[Batch], predictions: Predictions
) -> Iterator[Batch]:
    """The batches, each predicted and written on the way."""
    live: Any = learner._live
    for batch in batches:
        _, said = live.many(batch.x)
        names = (
            None if live.coder is None else [live.coder.label(c) for c in range(len(live.coder))]
        )
        predictions.write(batch, 1, said, None, names)
        yield batch
