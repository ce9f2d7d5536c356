"""Frames (pandas, polars, pyarrow: what narwhals knows) -> batches. None of them is required."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from littlestone.core.errors import BadInput, on_one_line
from littlestone.core.stream import Array, Batch
from littlestone.encode.categories import NO_TEXT, Categories

from ...encode.stream import Stream
from ..options import ReadOptions
from .arrays import floats, keys
from .check import check, check_weights
from .choice import Choice
from .coding import taken_for
from .forecasters import COLUMNS as COLUMNS_THAT_TELL
from .forecasters import ROWS as ROWS_THAT_TELL
from .forecasters import Scale, doubts, scale_of
from .kinds import values_of
from .remarks import notes_on_copies, notes_on_marks

if TYPE_CHECKING:  # narwhals takes 0.1 s to import: it is imported only for a frame
    import narwhals as nw

    Frame = nw.DataFrame[Any]

ROWS = 512  # rows transposed at a time: 7 times as fast as column by column, as it stays in cache


def is_frame(data: object) -> bool:
    """Whether it looks like a table with named columns; imports nothing."""
    kind = type(data)  # not the object: a lazy frame would have to look for its columns
    has_columns = hasattr(kind, "columns") or hasattr(kind, "column_names")
    return (has_columns and hasattr(kind, "shape")) or hasattr(kind, "collect_schema")


def eager(data: Any) -> Frame:
    """Any frame through narwhals; what is lazy is collected."""
    import narwhals as nw

    if type(data).__name__ == "RecordBatch":
        import pyarrow as pa

        data = pa.Table.from_batches([data])
    try:
        native: Any = nw.from_native(data)
        frame: Frame = native.collect() if isinstance(native, nw.LazyFrame) else native
        if len(set(frame.columns)) < len(frame.columns):  # pandas allows columns of equal names
            raise BadInput("two columns of the frame have the same name")
    except (nw.exceptions.NarwhalsError, TypeError) as error:
        raise BadInput(f"the frame cannot be read: {on_one_line(error)}") from None
    return frame


def first_rows(frames: Iterable[Frame]) -> list[Frame]:
    """The first rows, which tell what columns are."""
    heads: list[Frame] = []
    left = ROWS_THAT_TELL
    for frame in frames:
        if left <= 0:
            break
        heads.append(frame.head(left))
        left -= heads[-1].shape[0]
    return heads


def transpose(columns: Sequence[Array], rows: int) -> Array:
    """The matrix of these columns."""
    x = np.empty((rows, len(columns)))
    for i in range(0, rows, ROWS):
        block = x[i : i + ROWS]
        for j, column in enumerate(columns):
            block[:, j] = column[i : i + ROWS]
    return x


class Reader:
    """Turns frames that have the chosen columns into batches, and checks them."""

    def __init__(
        self,
        names: Sequence[Any],
        choice: Choice,
        request: ReadOptions,
        outcome: str = "outcome",
    ) -> None:
        self.request, coding = request, request.coding
        # pandas may call a column 7: keep its own name to find it again, and its text to show
        self.experts = [names[i] for i in choice.experts]
        self.names = tuple(str(name) for name in self.experts)
        self.numbers = self.experts  # those that may be forecasts of the outcomes
        self.features = self.names  # what x holds
        self.target = None if choice.outcome is None else names[choice.outcome]
        self.outcome = outcome if choice.outcome is None else str(self.target)
        self.by = None if choice.by is None else names[choice.by]
        self.weights = None if choice.weights is None else names[choice.weights]
        self.examples = False
        self.hashed = False  # is there text, which is hashed?
        self.categories: Categories = NO_TEXT  # or text of few values, which is read as numbers?
        self.classes = [names[i] for i in choice.classes]
        self.written = {names[i]: style for i, style in choice.written}
        self.coding = coding
        self.why = ""  # outcomes were taken for classes, or for numbers: the reason
        self.missing = ""  # of examples: what stands for numbers that are missing
        self.gaps: NDArray[np.bool_] | None = (
            None  # and where means stand, of the frame that was read last
        )
        self.coder = coding.labels if coding else None

    @property
    def hashed_columns(self) -> tuple[tuple[tuple[str, bool], ...], tuple[str, ...]]:
        """Each column and whether it holds text, and what was crossed, where names of columns are hashed."""
        return (), ()

    def learn_labels(self, frames: Iterable[Frame], apart: Sequence[NDArray[Any]] = ()) -> None:
        """Unless the caller gave the labels: find them in these frames, and know no others."""
        if self.coding is not None and self.coder is None:
            frames = list(frames)
            columns = (self._values(frame, c) for frame in frames for c in self.classes)
            self.coder, self.why = self.coding.decide(
                [*columns, *apart], lambda: self.scale(frames, apart).forecasts
            )

    def notes_on_columns(
        self, frames: Iterable[Frame], apart: Sequence[NDArray[Any]] = ()
    ) -> tuple[str, ...]:
        """What is to be said of the columns: a copy of the outcome; experts that nobody named, and that are none."""
        heads = first_rows(frames)
        y = self._outcomes(heads, apart)
        if y is None or not heads or self.request.losses:
            return ()
        columns = {str(c): self._joined(heads, c) for c in self.experts[:COLUMNS_THAT_TELL]}
        found = notes_on_copies(self.outcome, y, columns, self.request.role)
        found += notes_on_marks(columns, self.request.role)
        if self.request.examples or self.request.columns is not None or self.coding:
            return found
        return found + doubts(self.outcome, self.scale(heads, apart))

    def scale(self, frames: Iterable[Frame], apart: Sequence[NDArray[Any]] = ()) -> Scale:
        """Which columns of numbers are on the scale of the outcomes, in the first rows of these frames."""
        heads = first_rows(frames)
        y = self._outcomes(heads, apart)
        if y is None:
            return Scale((), ())
        names = self.numbers[:COLUMNS_THAT_TELL]
        columns = {str(c): floats(self._joined(heads, c), [str(c)]) for c in names}
        return scale_of(floats(y, [self.outcome]), columns)

    def _outcomes(
        self, heads: Sequence[Frame], apart: Sequence[NDArray[Any]]
    ) -> NDArray[Any] | None:
        """The outcomes of the first rows, as they are written; None where there are none."""
        if self.target is not None:
            return self._joined(heads, self.target)
        return np.concatenate(apart)[: sum(head.shape[0] for head in heads)] if apart else None

    def _joined(self, heads: Sequence[Frame], name: Any) -> NDArray[Any]:
        return np.concatenate([np.empty(0), *(self._values(head, name) for head in heads)])

    @property
    def labels(self) -> Sequence[object] | None:
        return None if self.coder is None else self.coder.known

    @property
    def notes_on_outcome(self) -> tuple[str, ...]:
        asked = self.coding is not None and self.coding.auto
        return taken_for(self.outcome, self.labels) if asked else ()

    def stream(self, batches: Iterable[Batch], rounds: int | None, source: str) -> Stream:
        """A stream of what was read, which knows how it was read."""
        made = Stream(batches, self.features, self.outcome, rounds, source=source)
        made.features = bool(self.request.examples)
        made.bare = made.features and not self.experts
        made.labels, made.why = self.labels, self.why
        made.bits = self.request.places if self.hashed else None
        made.ngram = self.request.ngram
        if self.hashed:
            made.columns, made.interactions = self.hashed_columns
            made.words = self.words
        made.categories = self.categories
        made.missing = self.missing
        return made

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about what was noticed while frames were read."""
        return ()

    @property
    def words(self) -> tuple[str, ...]:
        """The columns of text that are read as words."""
        return ()

    def look_for_text(self, frames: Iterable[Frame]) -> None:
        """Find in the first rows which columns of text are words, and the values of others; experts have none."""

    def batch(
        self,
        frame: Frame,
        first: int = 0,
        *,
        losses: bool = False,
        outcomes: NDArray[Any] | None = None,
        by: NDArray[np.object_] | None = None,
        weights: Array | None = None,
    ) -> Batch:
        """`outcomes`, `by` and `weights`: where they do not come from the frame."""
        rows = frame.shape[0]
        self._look(frame, first)
        x, width = self.inputs(frame, first)
        key, h = by, weights
        if self.by is not None:
            column = frame.get_column(self.by)
            whole = column.dtype.is_integer() and not column.null_count()
            listed = column.to_numpy() if whole else column.to_list()
            key = keys(listed, rows, first, str(self.by))
        if self.weights is not None:
            h = np.ascontiguousarray(self._column(frame, self.weights, first))
            check_weights(h, str(self.weights), first)
        if losses:
            batch = Batch(None, x, first, key)
        else:
            if outcomes is None and self.target is None:  # there are none: they are to be predicted
                y = np.full(rows, np.nan)
            elif outcomes is None:
                y = self._column(frame, self.target, first)
            else:
                y = self._floats(outcomes, self.outcome, first, coded=True)
            batch = Batch(x, np.ascontiguousarray(y), first, key, h, width, self.gaps)
        check(batch, self.features, self.outcome, examples=self.examples)
        return batch

    def inputs(self, frame: Frame, first: int) -> tuple[Any, int]:
        """The advice, or the features; and the width of what is sparse."""
        return transpose([self._column(frame, c, first) for c in self.experts], frame.shape[0]), 0

    def _look(self, frame: Frame, first: int) -> None:
        there = set(frame.columns)
        for name in (*self.experts, self.target, self.by, self.weights):
            if name is not None and name not in there:
                raise BadInput(f"from row {first + 1} on there is no column {str(name)!r} any more")

    def _column(self, frame: Frame, name: Any, first: int) -> Array:
        values = self._values(frame, name)
        return self._floats(values, str(name), first, coded=name in self.classes)

    def _values(self, frame: Frame, name: Any) -> NDArray[Any]:
        """The values of a column; numbers that are written as text are numbers."""
        values = values_of(frame.get_column(name))
        style = self.written.get(name)
        if style is None:
            return values
        return np.array(
            [style.number(v) if isinstance(v, str) else v for v in values.tolist()], dtype=object
        )

    def _floats(self, values: NDArray[Any], name: str, first: int, *, coded: bool) -> Array:
        if coded and self.coder is not None:
            return self.coder.code_cells(values, [name], first)
        return floats(values, [name], first)
