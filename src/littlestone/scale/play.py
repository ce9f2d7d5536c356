"""Play a learner for each key of many files: rows are brought together by key, then keys are played in parts."""

from __future__ import annotations

import contextlib
import math
import operator
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..core import registry
from ..core.errors import BadInput, LittlestoneError
from ..live.store import save_by_key
from ..play.play import play as play_here
from .shuffle import Pieces, laid_down, shared_folder, taken_up
from .split import FILE, ROW, parts_for, split
from .tables import arrow, files_of, is_paths, read_table
from .worker_memory import on_worker


@dataclass
class Part:
    """The results of the keys of one part."""

    keys: list[Any]
    rounds: Any
    loss: Any
    # one entry for each row:
    file: Any = None  # the number of its file
    row: Any = None  # its number in that file
    predictions: Any = None
    losses: Any = None


@dataclass(repr=False)
class ScaledRuns:
    """What `scale.play` returns: totals by key, and where no folder was named, each row's prediction and loss."""

    loss_by_key: dict[Any, float]
    rounds_by_key: dict[Any, int]
    predictions: (
        Any  # in the order of the rows, file after file; None where they were written to a folder
    )
    losses: Any

    @property
    def loss(self) -> float:
        return math.fsum(self.loss_by_key.values())

    @property
    def rounds(self) -> int:
        return sum(self.rounds_by_key.values())

    def __len__(self) -> int:
        return len(self.loss_by_key)

    def __repr__(self) -> str:
        return f"<ScaledRuns: {len(self):,} keys, {self.rounds:,} rounds, loss {self.loss:.6g}>"


def refuse_alone(options: dict[str, Any]) -> None:
    """Refuse options of a single run."""
    for name in ("certify", "resume", "sink", "progress", "seeds"):
        if name in options:
            raise BadInput(
                f"{name}: scale.play does not take it; play one key by itself with ls.play"
            )


def count_parts(parts: int | None, size: int) -> int:
    """Into how many parts keys are split; `size`: the bytes of the data."""
    many = parts_for(size) if parts is None else parts
    if not isinstance(many, int) or many < 1:
        raise BadInput(f"parts must be a whole number, 1 or more, not {parts!r}")
    return many


def play(
    learner: Any,
    data: Any,
    *,
    by: str,
    client: Any = None,
    parts: int | None = None,
    out: str | os.PathLike[str] | None = None,
    save: str | os.PathLike[str] | None = None,
    **options: Any,
) -> ScaledRuns:
    """Play a learner for each key; the same bits with a client and without, and after a worker was lost.

    Each key gets what `ls.play` gives for its rows alone, without a certificate.

    data: a pattern such as "data/*.parquet" (or .csv), a list of files, or a frame. Files are read in the order of
        their names, and the rows of a key are played in that order.
    by: the column of keys.
    client: a `dask.distributed.Client`; None: here. Below some ten seconds of work one process is faster.
    parts: into how many parts the keys are split; by default so that each has about 256 MB of data.
    out: a folder that workers can write to: one Parquet file a part, with file, row, key, prediction and loss. Without
        it all predictions come back to the caller.
    save: a folder for the learners, one file a part; `ls.load` reads each as a dict by key.
    options: those of `ls.play`, such as outcome=, experts= and interval=.

    >>> import littlestone as ls, pyarrow as pa
    >>> shops = {
    ...     "a": [0.0, 0.0, 1.0],
    ...     "b": [1.0, 1.0, 0.0],
    ...     "y": [0.0, 0.0, 1.0],
    ...     "shop": ["N", "S", "N"],
    ... }
    >>> ls.scale.play("ml-poly", pa.table(shops), by="shop", outcome="y", engine="plain")
    <ScaledRuns: 2 keys, 3 rounds, loss 0.5>
    """
    made = registry.learner(learner)
    refuse_alone(options)
    folders = [None if f is None else os.fspath(f) for f in (out, save)]
    for folder in folders:
        if folder is not None:
            Path(folder).mkdir(parents=True, exist_ok=True)
    files = files_of(data) if is_paths(data) else None
    table: Any = None if files is not None else arrow(data)
    size = table.nbytes if files is None else sum(os.path.getsize(path) for path in files)
    many = count_parts(parts, size)
    given: Any = (made, by, *folders, files, options)
    if client is None:
        splits = (
            [split(table, 0, by, many)]
            if files is None
            else [split_file(path, i, by, many, None) for i, path in enumerate(files)]
        )
        counts = [one[0] for one in splits]
        found = [play_part([one.pop(1) for one in splits], p, *given) for p in range(many)]
    else:
        found, counts = on_cluster(client, files, table, by, many, given)
    return gathered(found, counts)


def on_cluster(
    client: Any, files: list[str] | None, table: Any, by: str, parts: int, given: tuple[Any, ...]
) -> tuple[list[Part], list[int]]:
    """Play on a cluster: a task splits a file, another plays a part; the results of a lost worker are made again."""
    out = given[2]
    with shared_folder(client, out) as folder:
        if files is None:
            found = split(table, 0, by, parts)
            whole: list[Any] = [laid_down(found, f"{folder}/0.arrow")] if folder else [found]
            splits = whole if folder else [client.scatter(found[1:])]
        else:
            whole = client.map(
                on_worker, [split_file] * len(files), files, range(len(files)), by=by, parts=parts, folder=folder,
                pure=False,
            )  # fmt: skip
            splits = (
                whole
                if folder
                else [[submitted(client, operator.getitem, one, p + 1) for p in range(parts)] for one in whole]
            )  # fmt: skip
        tasks = [
            submitted(client, play_part, [one if folder else one[p] for one in splits], p, *given)
            for p in range(parts)
        ]
        counts = [submitted(client, operator.getitem, one, 0) for one in whole]
        return client.gather(tasks), client.gather(counts)


def submitted(client: Any, call: Any, *given: Any) -> Any:
    return client.submit(on_worker, call, *given, pure=False)


def split_file(path: str, number: int, by: str, parts: int, folder: str | None) -> Any:
    """Read a file and split it: the pieces, or where they are."""
    try:
        found = split(read_table(path), number, by, parts)
    except BadInput as problem:
        raise BadInput(f"{path}: {problem}") from None
    return laid_down(found, f"{folder}/{number}.arrow") if folder else found


def play_part(
    pieces: list[Any],
    number: int,
    learner: Any,
    by: str,
    out: str | None,
    save: str | None,
    files: list[str] | None,
    options: Any,
) -> Part:
    """Play the keys of one part."""
    import pyarrow as pa

    tables = [taken_up(one, number) if isinstance(one, Pieces) else one for one in pieces]
    table = pa.concat_tables(tables, promote_options="permissive")
    if not table.num_rows:
        none = np.zeros(0, int)
        return Part([], none, np.zeros(0), none, none, None, np.zeros(0))
    where = [table.column(name).to_numpy() for name in (FILE, ROW)]
    with errors_name_rows(files, *where):
        runs = play_here(
            learner, table.drop_columns([FILE, ROW]), by=by, certify=False, **options
        )  # fmt: skip
    losses, rounds = runs.loss_by_key, runs.rounds_by_key
    if save is not None:
        save_by_key(runs.learners, Path(save) / f"part-{number:04}.ls")
    done = Part(list(losses), np.array(list(rounds.values())), np.array(list(losses.values())))
    said = np.asarray(runs.predictions)
    if out is None:
        done.file, done.row = where
        done.predictions, done.losses = said, runs.losses
        return done
    from pyarrow import parquet

    columns = {"file": where[0], "row": where[1] + 1, by: table.column(by), "loss": runs.losses}
    each = {"prediction": said} if said.ndim == 1 else {}
    each |= (
        {f"prediction {j + 1}": said[:, j] for j in range(said.shape[1])} if said.ndim > 1 else {}
    )
    parquet.write_table(pa.table(columns | each), Path(out) / f"part-{number:04}.parquet")
    return done


@contextlib.contextmanager
def errors_name_rows(files: list[str] | None, file: Any, row: Any) -> Iterator[None]:
    """Rewrite messages about a row of a part, so that they name the user's own file and row."""
    try:
        yield
    except LittlestoneError as problem:
        found = re.match(r"row ([0-9]+)", text := str(problem))
        if found is None:
            raise
        at = int(found[1]) - 1
        name = "" if files is None else f"{files[file[at]]}: "
        raise type(problem)(f"{name}row {row[at] + 1}{text[found.end() :]}") from None


def gathered(found: list[Part], counts: list[int]) -> ScaledRuns:
    """The parts as one, rows in the order of the files."""
    losses: dict[Any, float] = {}
    rounds: dict[Any, int] = {}
    for part in found:
        losses.update(zip(part.keys, part.loss.tolist(), strict=True))
        rounds.update(zip(part.keys, part.rounds.tolist(), strict=True))
    if not losses:
        raise BadInput("there are no rounds to play")
    kept = [part for part in found if part.predictions is not None]
    if not kept:
        return ScaledRuns(losses, rounds, None, None)
    first = np.concatenate([[0], np.cumsum(counts)])
    place = np.concatenate([first[part.file] + part.row for part in kept])
    predictions, costs = (
        placed([getattr(part, name) for part in kept], place) for name in ("predictions", "losses")
    )
    return ScaledRuns(losses, rounds, predictions, costs)


def placed(parts: list[Any], place: Any) -> Any:
    """The rows of all parts, each in its place."""
    joined = np.concatenate(parts)
    rows = np.empty_like(joined)
    rows[place] = joined
    return rows
