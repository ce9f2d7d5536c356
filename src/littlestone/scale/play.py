"""Play a learner for each key of many files: rows are brought together by key, then keys are played in parts."""

from __future__ import annotations

import math
import operator
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..core import registry
from ..core.errors import BadInput
from ..door.play import play as play_here
from ..live.store import save_by_key
from .split import FILE, ROW, parts_for, split
from .tables import arrow, files_of, is_paths, read


@dataclass
class Part:
    """What became of the keys of one part."""

    keys: list[Any]
    rounds: list[int]
    loss: list[float]
    file: Any = None  # of each row: the number of its file, its number there,
    row: Any = None
    predictions: Any = None  # what was predicted,
    losses: Any = None  # and what it cost


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
    for name in ("certify", "resume", "sink", "progress", "seeds"):
        if name in options:
            raise BadInput(
                f"{name}: scale.play does not take it; play one key by itself with ls.play"
            )
    folders = [None if f is None else os.fspath(f) for f in (out, save)]
    for folder in folders:
        if folder is not None:
            Path(folder).mkdir(parents=True, exist_ok=True)
    files = files_of(data) if is_paths(data) else None
    table: Any = None if files is not None else arrow(data)
    size = table.nbytes if files is None else sum(os.path.getsize(path) for path in files)
    many = parts_for(size) if parts is None else parts
    if not isinstance(many, int) or many < 1:
        raise BadInput(f"parts must be a whole number, 1 or more, not {parts!r}")
    given: Any = (made, by, *folders, options)
    if client is None:
        tables = [table] if files is None else map(read, files)
        splits = [split(one, i, by, many) for i, one in enumerate(tables)]
        counts = [one[0] for one in splits]
        found = [play_part([one[p + 1] for one in splits], p, *given) for p in range(many)]
    else:
        found, counts = on_cluster(client, files, table, by, many, given)
    return gathered(found, counts)


def on_cluster(
    client: Any, files: list[str] | None, table: Any, by: str, parts: int, given: tuple[Any, ...]
) -> tuple[list[Part], list[int]]:
    """The same on a cluster: a task splits a file, another plays a part; what a lost worker held is made again."""
    if files is None:
        count, *pieces = split(table, 0, by, parts)
        splits, counts = [client.scatter(pieces)], [count]
    else:
        whole = client.map(split_file, files, range(len(files)), by=by, parts=parts, pure=False)
        counts = client.gather(
            [client.submit(operator.getitem, one, 0, pure=False) for one in whole]
        )
        splits = [
            [client.submit(operator.getitem, one, p + 1, pure=False) for p in range(parts)] for one in whole
        ]  # fmt: skip
    tasks = [
        client.submit(play_part, [one[p] for one in splits], p, *given, pure=False)
        for p in range(parts)
    ]
    return client.gather(tasks), list(counts)


def split_file(path: str, number: int, by: str, parts: int) -> list[Any]:
    """Read a file and split it."""
    return split(read(path), number, by, parts)


def play_part(
    pieces: list[Any], number: int, learner: Any, by: str, out: str | None, save: str | None, options: Any
) -> Part:  # fmt: skip
    """Play the keys of one part."""
    import pyarrow as pa

    table = pa.concat_tables(pieces, promote_options="permissive")
    if not table.num_rows:
        return Part([], [], [], *(np.zeros(0, int), np.zeros(0, int), None, np.zeros(0)))
    where = [table.column(name).to_numpy() for name in (FILE, ROW)]
    runs = play_here(
        learner, table.drop_columns([FILE, ROW]), by=by, certify=False, **options
    )  # fmt: skip
    losses, rounds = runs.loss_by_key, runs.rounds_by_key
    if save is not None:
        save_by_key(runs.learners, Path(save) / f"part-{number:04}.ls")
    done = Part(list(losses), list(rounds.values()), list(losses.values()))
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


def gathered(found: list[Part], counts: list[int]) -> ScaledRuns:
    """The parts as one, rows in the order of the files."""
    losses = {key: loss for part in found for key, loss in zip(part.keys, part.loss, strict=True)}
    rounds = {key: many for part in found for key, many in zip(part.keys, part.rounds, strict=True)}
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
