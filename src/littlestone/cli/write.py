"""Outputs: whether they can be written, before the work begins; and predictions as they are made."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import BadFile, BadInput
from ..core.stream import Batch, Stream

Sink = Callable[[int, Any, Any], None]


def page_for(o: dict[str, Any], said: set[str]) -> str | None:
    """Where the page goes, if anywhere; that nobody asked for one where none can be written is no mistake."""
    asked = "page" in said
    if not o["page"] or (o["as_json"] and not asked):
        return None
    if not asked and unwritable(o["page"]):
        return None
    return str(o["page"])


def check_outputs(file: str | None, outputs: dict[str, str | None]) -> None:
    """Refuse what cannot be written, or would overwrite the data or another output."""
    taken = {} if file in (None, "-") else {os.path.realpath(str(file)): "FILE"}
    for flag, path in outputs.items():
        if path is None:
            continue
        if flag == "--predictions" and Path(path).suffix.lower() not in (".csv", ".parquet"):
            raise BadInput(f"--predictions {path}: the name must end in .csv or .parquet")
        problem = unwritable(path)
        if problem:
            raise BadFile(f"{flag} {path} cannot be written: {problem}")
        whole = os.path.realpath(path)
        if whole in taken:
            raise BadInput(f"{flag} {path} would overwrite {taken[whole]}: choose another name")
        taken[whole] = flag


def unwritable(path: str) -> str | None:
    """Why a file cannot be put there."""
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

    def __init__(self, path: str | None, by: str | None) -> None:
        self.path, self.by = path, by
        self.part: Path | None = None
        self.writer: Any = None

    def __enter__(self) -> Predictions | None:
        return None if self.path is None else self

    def __exit__(self, kind: type[BaseException] | None, *problem: object) -> None:
        if self.writer is None or self.part is None or self.path is None:
            return
        try:
            with self.refused():
                self.writer.close()
                if kind is None:
                    self.part.replace(self.path)
        finally:
            self.part.unlink(missing_ok=True)

    @contextlib.contextmanager
    def refused(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            raise BadFile(
                f"--predictions {self.path} cannot be written: {problem.strerror or problem}"
            ) from None

    def attached(self, stream: Stream, count: Sink) -> tuple[Stream, Sink]:
        """The stream and the sink to play with: what is predicted in a batch is written when it is over."""
        parts: list[tuple[Any, Any]] = []

        def sink(t: int, predictions: Any, losses: Any) -> None:
            count(t, predictions, losses)
            parts.append((predictions, losses))

        def write(batch: Batch) -> None:
            if parts:  # else the batch was only looked at
                predictions, losses = (
                    np.concatenate(column) for column in zip(*parts, strict=True)
                )
                parts.clear()
                self.write(stream, batch, predictions, losses)

        return replace(stream, batches=Watched(stream.batches, write)), sink

    def write(self, stream: Stream, batch: Batch, predictions: Any, losses: Any) -> None:
        import pyarrow as pa

        order = played_order(batch)
        if order is not None:
            back = np.empty_like(order)
            back[order] = np.arange(len(order))
            predictions, losses = predictions[back], losses[back]
        columns: dict[str, Any] = {"round": np.arange(len(losses)) + batch.first + 1}
        if batch.key is not None:
            name = "key" if self.by in (None, "round", "prediction", "loss") else self.by
            columns[str(name)] = pa.array(batch.key.tolist())
        if batch.x is None:  # over losses the prediction is an expert, drawn by weight
            columns["expert"] = pa.array(np.array(stream.names)[predictions.astype(int)])
        elif stream.labels is not None:
            labels = pa.array(list(stream.labels))
            columns["prediction"] = labels.take(pa.array(predictions.astype(np.int64)))
        else:
            columns["prediction"] = predictions
        columns["loss"] = pa.array(losses, mask=np.isnan(losses))
        table = pa.table(columns)
        with self.refused():
            self.opened(table.schema).write_table(table)

    def opened(self, schema: Any) -> Any:
        if self.writer is None:
            import pyarrow.csv
            import pyarrow.parquet

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
            self.part.chmod(0o666 & ~umask)  # temporary files are for their owner only
        return self.writer


class Watched:
    """Batches, as they are; `after` is called with each once it has been played."""

    def __init__(self, batches: Any, after: Callable[[Batch], None]) -> None:
        self.batches, self.after = batches, after

    def __iter__(self) -> Iterator[Batch]:
        for batch in self.batches:
            yield batch
            self.after(batch)


def played_order(batch: Batch) -> Any:
    """With keys, `play` takes the rows of a batch key by key."""
    if batch.key is None:
        return None
    keys = dict.fromkeys(batch.key.tolist())
    return np.concatenate([np.flatnonzero(batch.key == key) for key in keys])
