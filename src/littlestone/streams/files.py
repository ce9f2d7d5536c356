"""A file on disk or standard input, opened and parsed once -> Streams of its rounds."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from littlestone.core.errors import BadInput, LittlestoneError
from littlestone.core.stream import Batch
from littlestone.encode.stream import Stream

from ..encode.labels import LabelEncoder
from .csv.arff_file import ArffFile
from .csv.csv_file import CsvFile
from .encodings import checked_encoding
from .formats import format_of
from .options import ReadOptions
from .source import Source
from .tables import table_rounds
from .tables.coded_outcomes import UncodedRounds
from .tables.columns import choose
from .tables.forecasters import Scale
from .tables.parquet_file import ParquetFile
from .tables.record_fields import stand_alone
from .tables.table_rounds import TableFile, TableRounds
from .tables.times import SMALL
from .text.json_lines import JsonLines
from .text.record_files import Records

TEXT = {"libsvm": "a libsvm file", "vw": "a Vowpal Wabbit file"}
ADVICE = ("csv", "parquet")  # formats whose columns are experts unless the caller says otherwise
AS_DECLARED = ReadOptions()


class OpenFile(os.PathLike[str]):
    """A file that `open_stream` takes as data, and that is opened and parsed once where that can be done.

    `holds_classes` may look at the outcomes first; the stream that is made afterwards begins with the rows that were
    read then. All rows of a small file are kept, and any number of streams can be made of them. A file on disk is
    opened again

    - for the second stream, if it is large;
    - for a stream of other columns than were looked at; or of fewer, if the file is large, or if lines were skipped
      because of what the other columns hold.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        options: ReadOptions = AS_DECLARED,
        keep: bool = True,
    ) -> None:
        """`options`: of them how the file itself is read; `keep`: more than one stream may be asked for."""
        self.path, self.options, self.keep = os.fspath(path), options, keep
        self.dates = False  # are dates read of a long file too?
        checked_encoding(options.encoding)
        self.why = ""  # outcomes look like classes, or like numbers: the reason
        self.classes = 0  # how many there are in the rows that were looked at
        self.alone = False  # is there nothing to learn from but the outcomes of earlier rows?
        self.scale: Scale | None = None  # which columns may be forecasts, where that was looked at
        self.problem: LittlestoneError | None = None  # why it cannot be read as examples
        self._form = ""
        self._source: Source | None = None
        self._begun = False  # has something been taken from the source?
        self._file: TableFile | None = None  # the columns, where the format has columns
        self._rounds: TableRounds | UncodedRounds | None = (
            None  # the rows, as far as they were read
        )
        self._key: tuple[object, ...] = ()  # of the request for which uncoded rounds were read
        self._failure: LittlestoneError | None = None  # why no more can be read from a pipe

    def __fspath__(self) -> str:
        return self.path

    @property
    def format(self) -> str | None:
        """The format, where it was said."""
        return self.options.format

    @property
    def regular(self) -> bool:
        """Is it a file on disk, which can be opened again, and not a pipe?"""
        return self.path != "-" and Path(self.path).expanduser().is_file()

    @property
    def form(self) -> str:
        """The format, one of `formats.FORMATS`."""
        if self._failure is not None:
            raise self._failure
        if not self._form:
            try:
                if self._source is None:
                    self._source = Source(self.path, self.options.encoding)
                self._form = format_of(self._source, self.options.format)
            except LittlestoneError as problem:
                self._forget(problem)  # the first bytes of a pipe are gone
                raise
        return self._form

    def holds_classes(self, request: ReadOptions) -> bool:
        """Are the outcomes classes? Raises LittlestoneError if the file cannot be read as examples."""
        request = self._with_times(replace(request, examples=True, labels="auto"))
        try:
            rounds = self._parse_rows(request)
            if isinstance(rounds, TableRounds):
                found = rounds.hold_classes(with_declared_classes(rounds.file, request))
                self.scale, self.alone = rounds.scale, rounds.alone
            elif (
                self._file is not None and with_declared_classes(self._file, request) is not request
            ):
                return True
            else:
                found = rounds.hold_classes()
            self.why, self.classes = rounds.why, rounds.classes
            return found
        except LittlestoneError as problem:
            if not self._untouched:
                self._forget(problem)
            raise

    def stream(self, request: ReadOptions) -> Stream:
        """`request.examples`: None leaves it to the format: CSV and Parquet hold advice, the others hold examples."""
        examples, batch_rows = request.examples, request.batch_rows
        try:
            if examples is None:
                examples = self.form not in ADVICE and not request.losses
            request = self._with_times(replace(request, examples=examples))
            rounds = self._parse_rows(request)
            if isinstance(rounds, TableRounds):
                file = rounds.file
                if isinstance(file, Records) and examples:
                    request = file.read_as_table(request)
                stream = rounds.stream(with_declared_classes(file, request), batch_rows)
                stream.records = isinstance(file, Records) and bool(examples)
                reusable = rounds.reusable
            else:
                known = (
                    request if self._file is None else with_declared_classes(self._file, request)
                )
                stream = rounds.make_stream(known.coding, batch_rows)
                reusable = self.keep and stream.whole
        except BaseException:
            self.close()
            raise
        if self.regular and not stream.whole:
            stream.again = Reopened(self, request)
        if not reusable:  # the stream closes the source when it ends
            self._source = self._file = self._rounds = None
        return stream

    def _with_times(self, request: ReadOptions) -> ReadOptions:
        """The request, which asks for dates where they are wanted, or the file is small enough for a chart."""
        small = self.regular and Path(self.path).expanduser().stat().st_size <= SMALL
        return replace(request, times=self.form in ADVICE and (self.dates or small))

    def close(self) -> None:
        """Close what was opened and not given out."""
        if self._source is not None:
            self._source.close()
        self._source = self._file = self._rounds = None

    @property
    def _untouched(self) -> bool:
        """The columns are known, and no row has been read."""
        rounds = self._rounds
        read = rounds is not None and not (isinstance(rounds, TableRounds) and rounds.types is None)
        return self._file is not None and not read

    def _forget(self, problem: LittlestoneError) -> None:
        if not self.regular:
            self._failure = problem
        self.close()

    def _begin(self) -> Source:
        """The source, from which nothing has been taken; opened again if something has."""
        if self._failure is not None:
            raise self._failure
        if self._source is None or self._begun:
            if self._begun and not self.regular:
                raise BadInput(f"{self.path} can be read only once")
            self.close()
            self._source = Source(self.path, self.options.encoding)
        self._begun = True
        return self._source

    def _parse_rows(self, request: ReadOptions) -> TableRounds | UncodedRounds:
        """The rows as far as they were read, if they serve this request; else the file is opened again."""
        if self.form in TEXT:
            key = request.of_rows
            if self._rounds is None or self._key != key:
                self._rounds, self._key = text_rounds(self._begin(), self.form, request), key
            return self._rounds
        if self._file is None:
            self._open()
        if request.examples and isinstance(self._file, Records) and not self._as_table(request):
            key = replace(request, categories=None).of_rows
            if not isinstance(self._rounds, UncodedRounds) or self._key != key:
                if self._rounds is not None:
                    self._open()
                self._rounds, self._key = self._records(request), key
            return self._rounds
        file = self._file
        assert file is not None
        choice = choose(file.columns, with_declared_classes(file, request))
        if isinstance(self._rounds, TableRounds) and self._rounds.serves(choice):
            return self._rounds
        if self._rounds is not None:
            self._open()
        assert self._file is not None
        self._rounds = TableRounds(self._file, self.keep)
        return self._rounds

    def _open(self) -> None:
        source, form = self._begin(), self.form
        self._rounds = None
        if form == "parquet":
            self._file = ParquetFile(source)
        elif form == "jsonl":
            self._file = Records(JsonLines(source, self.options.on_bad_line))
        elif form == "arff":
            arff = ArffFile(source, self.options.on_bad_line)
            self._file = Records(arff, arff.columns, arff.labels) if arff.sparse else arff
        else:
            self._file = CsvFile(source, self.options.on_bad_line, self.options.decimal)

    def _as_table(self, request: ReadOptions) -> bool:
        """Are records read as the rows of a table: for learners that look for curves, where they are like one?"""
        read = self._rounds is not None and not self.regular  # a pipe goes on as it was begun
        if read or not isinstance(self._file, Records):
            return False
        if request.categories is None and not stand_alone(self._file.fields, request):
            return False
        known = request.categories is not None and request.categories.columns
        return self._file.form_table or bool(known)

    def _records(self, request: ReadOptions) -> UncodedRounds:
        assert isinstance(self._file, Records)
        return self._file.examples(request, table_rounds.WHOLE)


class Reopened:
    """Reads the batches of a file on disk once more."""

    def __init__(self, file: OpenFile, request: ReadOptions) -> None:
        self.path, self.options, self.request = file.path, file.options, request

    def __call__(self) -> Iterable[Batch]:
        return OpenFile(self.path, self.options, keep=False).stream(self.request).batches


def with_declared_classes(file: TableFile, request: ReadOptions) -> ReadOptions:
    """The request, with the classes of the outcome where the file declares them."""
    coding = request.coding
    if coding is None or coding.labels is not None or coding.advice or not file.labels:
        return request
    outcome = request.outcome or choose(file.columns, request).outcome
    name = file.names[outcome] if isinstance(outcome, int) else outcome
    if name is None or name not in file.labels:
        return request
    labels = LabelEncoder.declare(file.labels[name], fixed=not coding.grow)
    return replace(request, declared=labels)


def text_rounds(source: Source, form: str, request: ReadOptions) -> UncodedRounds:
    """libsvm and VW text: sparse examples, whose labels are numbers as they are written."""
    name = TEXT[form]
    if not request.examples:
        raise BadInput(
            f"{source.name} is {name}: it holds examples, not the advice of experts; "
            "play a learner over examples"
        )
    named = {
        "outcome": request.outcome,
        "features": request.columns,
        "by": request.by,
        "weights": request.weights,
    }
    if form == "vw":
        named.pop("features")  # they are the first letters of namespaces
    for role, column in named.items():
        if column is not None:
            raise BadInput(f"{role}: {source.name} is {name}, which has no columns to name")
    if form == "libsvm":
        from .text.svmlight import svmlight_stream

        if request.products:
            raise BadInput(f"interactions: {source.name} is {name}, whose features have no names")
        fold = request.places if request.fold else None
        stream = svmlight_stream(source, on_bad_line=request.on_bad_line, bits=fold)
    else:
        from .text.vw_text import vw_stream

        stream = vw_stream(
            source,
            bits=request.places,
            interactions=request.products,
            namespaces=request.columns or (),
            on_bad_line=request.on_bad_line,
        )
    stream.bits = request.places if form == "vw" or request.fold else None
    stream.interactions = tuple(request.products)
    limit = 1 << 62 if stream.whole else -1
    stream.whole = False
    return UncodedRounds(stream, iter(stream.batches), limit=limit)
