"""Frames -> examples: a matrix where every feature is a number or one of few values, else sparse rows, text hashed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from littlestone.core.csr import sum_duplicates
from littlestone.core.errors import BadInput
from littlestone.core.rows import BIG
from littlestone.core.stream import Batch
from littlestone.core.vectors import Rows
from littlestone.encode.categories import NO_TEXT, SPARE, Categories
from littlestone.encode.words import are_words, features, note
from littlestone.engine.checks import refuse

from ...encode.category_columns import encode_column, find_categories
from ...encode.hashing import Hashes, hash_product, hashes
from ...encode.interactions import pairs
from ...encode.values import as_label, missing, name_cell
from ..options import ReadOptions
from .arrays import floats
from .check import check
from .choice import Choice
from .columns import names_of
from .frames import Reader, transpose

if TYPE_CHECKING:
    import narwhals as nw

    Frame = nw.DataFrame[Any]


LOOK = 4096  # rows that decide whether text is sentences
NAMED = 5  # columns with missing values that a note names
FILLED = "filled in by the mean of the earlier values"
REFUSED = (
    "the number is missing, and missing='refuse' (--missing refuse) fills none in; fill it in, leave such rows out, "
    "or say missing='mean'"
)


class ExampleReader(Reader):
    """Turns frames into examples (x, y), with weights where a column has them.

    Numbers only (true and false are 1 and 0): x is a matrix. With a column of text: x is sparse,
    a number is the feature that its column's name is hashed to, and text is the feature
    "column=text", of value 1. A missing value is counted: in a matrix a missing number is 0 and a gap, which the
    learner fills in (`settings.one_example`); in sparse rows it is absent.
    Where the request asks for `categories`, and columns of text have few values: x is a matrix, too.
    """

    def __init__(
        self, names: Sequence[Any], choice: Choice, request: ReadOptions, outcome: str = "outcome"
    ) -> None:
        super().__init__(names, choice, request, outcome)
        self.examples = True
        self.bits = request.places
        text = frozenset(choice.text)
        self.text = [i in text for i in choice.experts]
        numbers = [c for c, text in zip(self.experts, self.text, strict=True) if not text]
        self.numbers = numbers if request.vocabulary is None else []
        self.hashed = any(self.text) and request.vocabulary is None
        self.categories: Categories = NO_TEXT
        self.interactions = request.products if request.interactions else ()
        self.crossed = pairs(self.interactions, self.names, self.text) if self.interactions else []
        self.wordy = [False] * len(self.names)  # columns of text that are read as words
        self.notes_on_text: tuple[str, ...] = ()
        if request.words:
            self.read_as_words(request.words)
        self.missing = request.missing or ""
        self.absent = np.zeros(len(self.names), dtype=np.int64)  # missing text
        self.without = np.zeros(len(self.names), dtype=np.int64)  # missing numbers
        self.gone: dict[
            int, NDArray[np.bool_]
        ] = {}  # where columns of the frame lack numbers, by their places
        self.unknown = np.zeros(
            len(self.names), dtype=np.int64
        )  # values that first rows, or the training, did not have
        if self.hashed:
            self._own = hashes(self.names)
            self.features: tuple[str, ...] = ()
        else:
            products = (":".join(self.names[i] for i in places) for places in self.crossed)
            self.features = (*self.names, *products)
        if request.categories is not None and request.categories.columns:
            self.order_as_in(request.categories)
            self.take(request.categories)

    def read_as_words(self, columns: Sequence[str]) -> None:
        """Read the text of these columns as words."""
        for name in columns:
            if name not in self.names or not self.text[self.names.index(name)]:
                there = [n for n, t in zip(self.names, self.text, strict=True) if t]
                raise BadInput(
                    f"text: no column of text is called {name!r}; those of text: {there or 'none'}"
                )
            self.wordy[self.names.index(name)] = True

    @property
    def hashed_columns(self) -> tuple[tuple[tuple[str, bool], ...], tuple[str, ...]]:
        return tuple(zip(self.names, self.text, strict=True)), self.interactions

    @property
    def words(self) -> tuple[str, ...]:
        """The columns that are read as words."""
        return tuple(n for n, w in zip(self.names, self.wordy, strict=True) if w)

    def look_for_text(self, frames: Iterable[Frame]) -> None:
        """Find in the first rows which columns of text are words, and the values of others."""
        heads = list(frames)
        if self.request.words is None:
            self._look_for_words(heads[0])
        if self.request.categories is not None and not any(self.wordy):
            self._look_for_categories(heads)

    def _look_for_words(self, frame: Frame) -> None:
        """Columns of sentences are words, in these first rows."""
        for j, name in enumerate(self.names):
            if self.text[j]:
                texts = [
                    v
                    for v in frame.get_column(self.experts[j]).head(LOOK).to_list()
                    if isinstance(v, str)
                ]
                self.wordy[j] = are_words(texts) and not any(j in parts for parts in self.crossed)
                said = note(name, texts, self.wordy[j])
                self.notes_on_text += (said,) if said else ()

    def _look_for_categories(self, frames: Iterable[Frame]) -> None:
        """Read text as numbers, where columns and values are not too many in these rows."""
        columns = [c if text else None for c, text in zip(self.experts, self.text, strict=True)]
        found = find_categories(frames, self.names, columns)
        if found is not None:
            self.take(found)

    def order_as_in(self, categories: Categories) -> None:
        """Read the columns in the order of the training; others, or fewer of them, are refused."""
        known = categories.names
        for name in self.names:
            if name not in known:
                raise BadInput(
                    f"features: column {name!r} is not one of those of the training: {names_of(known)}"
                )
        for name in known:
            if name not in self.names:
                raise BadInput(
                    f"features: column {name!r} of the training is not here; the columns are {names_of(self.names)}"
                )
        order = [self.names.index(name) for name in known]
        self.experts, self.text = [self.experts[i] for i in order], [self.text[i] for i in order]
        self.names = known

    def take(self, categories: Categories) -> None:
        """Read text as numbers from now on."""
        self.categories, self.hashed, self.features = categories, False, categories.features
        self.notes_on_text = tuple(
            f"{c.name!r} has many values: they share {c.hashed} places, and curves do not look at them"
            for c in categories.columns
            if not c.has_code
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on text, on missing values, and on values of text that are not known."""
        notes = self.notes_on_text
        if self.hashed and (self.absent + self.without).any():
            notes += self._tell(self.absent + self.without, "values", "taken as absent")
        elif self.without.any():
            notes += self._tell(
                self.without, "numbers", FILLED if self.missing == "mean" else "read as 0"
            )
        if not self.hashed and self.absent.any():
            notes += self._tell(self.absent, "values of text", "taken as absent")
        some = [(name, int(k)) for name, k in zip(self.names, self.unknown, strict=True) if k]
        return notes + tuple(
            f"{name!r}: {k:,} {'row has a value' if k == 1 else 'rows have values'} that the first rows, or the "
            f"training, did not have; such values share {SPARE} places"
            for name, k in some
        )

    def _tell(self, counts: NDArray[np.int64], what: str, done: str) -> tuple[str, ...]:
        """How many are missing in which columns, and what was done about it."""
        total, names = int(counts.sum()), [self.names[j] for j in np.flatnonzero(counts)]
        some = ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")
        columns = "1 column" if len(names) == 1 else f"{len(names)} columns"
        what = what if total > 1 else what.replace("values", "value").replace("numbers", "number")
        return (f"{total:,} missing {what} in {columns} ({some}): {done}",)

    def inputs(self, frame: Frame, first: int) -> tuple[Any, int]:
        self.gone, self.gaps = {}, None
        if self.request.vocabulary is not None:
            names = frame.get_column(self.experts[0]).to_list()
            try:
                found = self.request.vocabulary.numbers(names, first)
            except BadInput as problem:
                raise BadInput(
                    f"{problem} (of column {self.names[0]!r}; name another with features= (--features))"
                ) from None
            return found[:, None].astype(np.float64), 0
        if self.hashed:
            return self._sparse(frame, first)
        if self.categories.columns:
            return self._coded(frame, first), 0
        columns = [self._numbers(frame, j, first, j) for j in range(len(self.names))]
        for places in self.crossed:  # a product is missing where one of its numbers is
            gone = [self.gone[i] for i in places if i in self.gone]
            if gone:
                self.gone[len(columns)] = np.logical_or.reduce(gone)
            columns.append(np.prod([columns[i] for i in places], axis=0))
        if self.gone and self.missing == "mean":
            self.mark_gaps(frame.shape[0], len(columns))
        return transpose(columns, frame.shape[0]), 0

    def mark_gaps(self, rows: int, columns: int) -> None:
        """Where the numbers of the frame that is read are missing, in so many columns of numbers."""
        self.gaps = np.zeros((rows, columns), bool)
        for place, gone in self.gone.items():
            self.gaps[:, place] = gone

    def _coded(self, frame: Frame, first: int) -> NDArray[np.float64]:
        """Numbers, the codes of text, and a column for each of its values."""
        columns: list[Any] = []
        more: list[Any] = []
        for j, column in enumerate(self.categories.columns):
            name = column.name
            if column.values is None:
                if self.text[j]:
                    v = next(
                        v for v in frame.get_column(self.experts[j]).to_list() if not missing(v)
                    )
                    raise BadInput(
                        f"column {name!r} must be numbers, as in training, not {v!r:.60}"
                    )
                columns.append(self._numbers(frame, j, first, len(columns)))
                continue
            codes, distinct = number_values(frame.get_column(self.experts[j]))
            code, own = encode_column(codes, distinct, column)
            self.absent[j] += int((code == 0.0).sum())
            if column.has_code:
                self.unknown[j] += int((code > len(column.values)).sum())
                columns.append(code)
            more += own
        if self.gone and self.missing == "mean":
            self.mark_gaps(frame.shape[0], len(columns))
        return transpose(columns + more, frame.shape[0])

    def _numbers(self, frame: Frame, j: int, first: int, place: int) -> NDArray[np.float64]:
        """A column of numbers, 0 in its gaps; they are kept by its place in the matrix."""
        values = floats(self._values(frame, self.experts[j]), [self.names[j]], first)
        gaps = np.isnan(values)
        if gaps.any():
            if self.missing == "refuse":
                where = name_cell(first + int(gaps.argmax()), self.names[j])
                raise BadInput(f"{where}: {REFUSED}")
            self.without[j] += int(gaps.sum())
            self.gone[place] = gaps
            return np.where(gaps, 0.0, values)
        return values

    def _sparse(self, frame: Frame, first: int) -> tuple[Rows, int]:
        """Every feature has one place a row: its hash, and its value, 0 where it is absent."""
        rows, n = frame.shape[0], len(self.names)
        place = np.empty((rows, n + len(self.crossed)), dtype=np.uint32)
        value = np.empty((rows, n + len(self.crossed)))
        for j in range(n):
            if self.wordy[j]:
                place[:, j], value[:, j] = 0, 0.0
            elif self.text[j]:
                place[:, j], value[:, j] = self._words(frame, j)
            else:
                place[:, j], value[:, j] = self._own[j], self._numbers(frame, j, first, j)
                # here, where the column has its name still
                own, name = value[:, j : j + 1], self.names[j]
                check(Batch(own, np.empty(0), first), [name], examples=True)
                refuse(own, -BIG, BIG, first, (name,), "feature", False)
        for k, parts in enumerate(self.crossed, n):
            place[:, k] = hash_product([place[:, i] for i in parts])
            value[:, k] = np.prod(value[:, parts], axis=1)
        there = value != 0.0
        indptr = np.zeros(rows + 1, dtype=np.int64)
        np.cumsum(there.sum(axis=1), out=indptr[1:])
        index = (place & np.uint32((1 << self.bits) - 1)).astype(np.int32)[there]
        x = Rows(indptr, index, value[there])
        for j in range(n):
            if self.wordy[j]:
                x = append_features(x, *self._sentences(frame, j))
        return sum_duplicates(x), 1 << self.bits

    def _sentences(self, frame: Frame, j: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The row and the place of every word of a column."""
        ids: dict[str, int] = {}
        rows: list[int] = []
        at: list[int] = []
        for t, text in enumerate(frame.get_column(self.experts[j]).to_list()):
            if missing(text):
                self.absent[j] += 1
                continue
            for name in features(self.names[j], str(text), self.request.ngram):
                at.append(ids.setdefault(name, len(ids)))
                rows.append(t)
        found = (
            hashes(list(ids)) & np.uint32((1 << self.bits) - 1) if ids else np.empty(0, np.uint32)
        )
        return np.array(rows, np.int64), found.astype(np.int32)[np.array(at, np.int64)]

    def _words(self, frame: Frame, j: int) -> tuple[Hashes, NDArray[np.bool_]]:
        """The hash of "column=text" a row, and whether there is a text."""
        codes, distinct = number_values(frame.get_column(self.experts[j]))
        there = np.array([v is not None for v in distinct], dtype=bool)
        found = hashes([text_feature(self.names[j], v) for v in distinct])
        present = there[codes]
        self.absent[j] += int(len(codes) - present.sum())
        return found[codes], present


def append_features(x: Rows, rows: NDArray[np.int64], index: NDArray[np.int32]) -> Rows:
    """The rows, with more features of value 1."""
    own = np.repeat(np.arange(len(x.indptr) - 1), np.diff(x.indptr))
    order = np.argsort(np.concatenate([own, rows]), kind="stable")
    counts = np.diff(x.indptr) + np.bincount(rows, minlength=len(x.indptr) - 1)
    return Rows(
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        np.concatenate([x.index, index])[order],
        np.concatenate([x.value, np.ones(len(index))])[order],
    )


def text_feature(column: str, value: object) -> str | bytes:
    """The name of the feature for a text in a column; whole numbers are written the same way in every format.

    >>> text_feature("colour", "red"), text_feature("size", 3.0)
    ('colour=red', 'size=3')
    """
    if isinstance(value, str):
        return f"{column}={value}"
    if isinstance(value, bytes):
        return column.encode() + b"=" + value
    known = as_label(value)
    return f"{column}={value if known is None else known}"


def number_values(column: nw.Series[Any]) -> tuple[NDArray[np.int64], list[Any]]:
    """Codes and what they stand for; text is encoded by pyarrow, anything else one by one."""
    import narwhals as nw

    if isinstance(column.dtype, nw.String):
        import pyarrow as pa

        array: Any = column.to_arrow()
        if isinstance(array, pa.ChunkedArray):
            array = pa.concat_arrays(array.chunks) if array.num_chunks != 1 else array.chunk(0)
        array = array.dictionary_encode(null_encoding="encode")
        codes = array.indices
        at = np.frombuffer(codes.buffers()[1], np.int32, len(codes), 4 * codes.offset)
        return at.astype(np.int64), array.dictionary.to_pylist()
    seen: dict[Any, int] = {}
    values = (None if missing(v) else v for v in column.to_list())
    found = np.fromiter((seen.setdefault(v, len(seen)) for v in values), dtype=np.int64)
    return found, list(seen)
