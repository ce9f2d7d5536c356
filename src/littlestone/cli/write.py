"""Outputs: check that they can be written before the work begins, and write predictions as they are made."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import BadFile, BadInput
from ..core.files import replace_file
from ..core.stream import Batch
from .command_options import CommandOptions
from .follow import Chunk, Followed


class Unwritten(BadFile):
    """An output could not be written; all others are there."""

    code = 1


DECISION = "decision"
OWN = ("round", "pass", "prediction", "loss", DECISION)  # these columns are not keys


def page_for(options: CommandOptions) -> str | None:
    """Where the page goes; None for no page. That the default page cannot be written is not an error."""
    written = "page" in options.written
    if not options.certify:
        if written and options.page:
            raise BadInput(
                "--report and --no-certify: the page is about certificates; leave one of them out"
            )
        return None
    if not options.page or (options.as_json and not written):
        return None
    if not written and why_unwritable(options.page):
        return None
    return options.page


def check_outputs(inputs: dict[str, str | None], outputs: dict[str, str | None]) -> None:
    """Refuse what cannot be written, or would overwrite the data or another output."""
    taken = {
        os.path.realpath(file): what for what, file in inputs.items() if file not in (None, "-")
    }
    for flag, path in outputs.items():
        if path is None or (flag == "--predictions" and path == "-"):
            continue
        table = flag == "--predictions" or (flag == "--output" and "MODEL" in inputs)
        if table and Path(path).suffix.lower() not in (".csv", ".parquet"):
            raise BadInput(f"{flag} {path}: the name must end in .csv or .parquet")
        problem = why_unwritable(path)
        if problem:
            raise BadFile(f"{flag} {path} cannot be written: {problem}")
        whole = os.path.realpath(path)
        # a learner may be read, go on, and be written to the same file
        if whole in taken and (flag, taken[whole]) != ("--save", "--load"):
            raise BadInput(f"{flag} {path} would overwrite {taken[whole]}: choose another name")
        taken[whole] = flag


def why_unwritable(path: str) -> str | None:
    """Why a file cannot be written at this path; None where it can."""
    target = Path(path)
    if not path:
        return "it has no name"
    if target.is_dir():
        return "it is a folder"
    if target.exists() and not target.is_file():
        return "it is not a regular file"
    if not target.parent.is_dir():
        return f"there is no folder {str(target.parent)!r}"
    try:
        with tempfile.TemporaryFile(dir=target.parent):
            return None
    except OSError as problem:
        return problem.strerror or str(problem)


class Predictions:
    """Predictions as they are made, to CSV or Parquet, in bounded memory; the file appears when all is written."""

    def __init__(
        self, path: str | None, by: str | None, passes: int = 1, id: str | None = None
    ) -> None:
        self.id = id
        self.path, self.by, self.passes = path, by, passes
        self.part: Path | None = None
        self.writer: Any = None
        self.schema: Any = None

    def __enter__(self) -> Predictions | None:
        return None if self.path is None else self

    def __exit__(self, kind: type[BaseException] | None, *problem: object) -> None:
        if self.failure is not None and self.writer is None and kind is None:
            raise Unwritten(
                f"--predictions {self.path} cannot be written: {self.failure.strerror or self.failure}"
            )
        if self.writer is None or self.path is None:
            return
        if self.part is None:  # standard output
            self.writer.close()
            sys.stdout.flush()
            return
        try:
            with self.refused():
                self.writer.close()
                if kind is None and self.failure is None:
                    replace_file(self.part, self.path)
        finally:
            self.part.unlink(missing_ok=True)
        if self.failure is not None and kind is None:
            raise Unwritten(
                f"--predictions {self.path} cannot be written: {self.failure.strerror or self.failure}"
            )

    @contextlib.contextmanager
    def refused(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            if self.path == "-":  # the reader of the pipe closed it
                raise
            self.failure = problem

    def follow(self, followed: Followed) -> None:
        """Write the predictions of each batch that `followed` gives out, when the batch was played."""
        parts: list[Chunk] = []

        def write(batch: Batch, number: int) -> None:
            every = [
                join_parts(parts, name, followed.order)
                for name in ("predictions", "losses", "p", "decided")
            ]
            predictions, losses, p, decided = every
            parts.clear()
            stream = followed.stream
            experts = stream.names if batch.x is None else None
            labels = None if stream.labels is None else followed.names
            more: dict[str, Any] = {}
            if decided is not None:
                more[DECISION] = [followed.names[place] for place in decided.tolist()]
            more |= {} if p is None else columns_of(p, followed.classes or [])
            self.write(
                batch, number, predictions, losses, experts or labels, experts is not None,
                followed.id, more,
            )  # fmt: skip

        followed.listeners.append(parts.append)
        followed.done.append(write)

    def write(
        self,
        batch: Batch,
        number: int,
        predictions: Any,
        losses: Any,
        names: Any,
        experts: bool = False,
        ids: Any = None,
        more: dict[str, Any] | None = None,
    ) -> None:
        """Rows of one batch; `names` says what codes stand for, `more` are columns behind the others."""
        import pyarrow as pa

        columns: dict[str, Any] = {"round": np.arange(len(predictions)) + batch.first + 1}
        if self.passes > 1:
            columns["pass"] = np.full(len(predictions), number)
        if batch.key is not None:
            name = "key" if self.by in (None, *OWN) else self.by
            columns[str(name)] = pa.array(batch.key.tolist())
        if ids is not None:
            columns["id" if self.id in OWN else str(self.id)] = pa.array(as_one_type(ids.tolist()))
        if names is not None:  # over losses the prediction is an expert, drawn by weight
            labels = pa.array(as_one_type(names))
            what = "expert" if experts else "prediction"
            columns[what] = labels.take(pa.array(predictions.astype(np.int64)))
        else:
            columns["prediction"] = predictions
        if losses is not None:
            columns["loss"] = pa.array(losses, mask=np.isnan(losses))
        columns |= more or {}
        self.put(columns)

    def put(self, columns: dict[str, Any]) -> None:
        """Rows of these columns."""
        import pyarrow as pa

        def column(values: Any) -> Any:
            return (
                pa.array(as_one_type(list(values)))
                if isinstance(values, list) or values.dtype == object
                else values
            )

        if self.failure is not None:
            return
        table = pa.table(
            {n: v if isinstance(v, pa.Array) else column(v) for n, v in columns.items()}
        )
        with self.refused():
            writer = self.opened(table.schema)
            try:
                table = table.cast(self.schema)
            except (pa.ArrowInvalid, pa.ArrowTypeError):
                raise BadInput(
                    f"--predictions {self.path}: labels of another kind came later; write them alike"
                ) from None
            writer.write_table(table)

    failure: OSError | None = None  # the error after which no more could be written

    def opened(self, schema: Any) -> Any:
        if self.writer is None:
            import pyarrow.csv
            import pyarrow.parquet

            self.schema = schema
            if self.path == "-":
                sys.stdout.flush()
                self.writer = pyarrow.csv.CSVWriter(sys.stdout.buffer, schema)
                return self.writer
            path = Path(str(self.path))
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
            os.close(handle)
            self.part = Path(name)
            if path.suffix.lower() == ".csv":
                self.writer = pyarrow.csv.CSVWriter(name, schema)
            else:
                self.writer = pyarrow.parquet.ParquetWriter(name, schema)
            umask = os.umask(0)
            os.umask(umask)
            self.part.chmod(0o666 & ~umask)  # a temporary file is readable by its owner only
        return self.writer


def join_parts(parts: list[Chunk], name: str, order: Any) -> Any:
    """What chunks have by this name, row by row of their batch; `order`: in which its rows were played."""
    each = [chunk._asdict()[name] for chunk in parts]
    if each[0] is None:
        return None
    values = np.concatenate(each)
    if order is None:
        return values
    back = np.empty_like(values)
    back[order] = values
    return back


def columns_of(p: Any, classes: list[Any]) -> dict[str, Any]:
    """A column of probabilities for each class; empty where no class was known yet."""
    import pyarrow as pa

    from .probabilities import column

    names = [column(label) for label in classes]
    return {n: pa.array(p[:, j], mask=np.isnan(p[:, j])) for j, n in enumerate(names)}


def as_one_type(names: list[Any]) -> list[Any]:
    """Names of one type: numbers as they are, all as text where some are."""
    kinds = {type(name) for name in names if name is not None}
    if len(kinds) < 2:
        return list(names)
    kind = float if kinds == {int, float} else str
    return [None if name is None else kind(name) for name in names]
