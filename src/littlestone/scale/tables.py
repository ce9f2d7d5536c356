"""Tables of rows: files by a pattern, or frames, as Arrow tables."""

from __future__ import annotations

import functools
import glob
import os
from pathlib import Path
from typing import Any

from ..core.errors import BadInput

KINDS = (".parquet", ".pq", ".csv")


def files_of(data: Any) -> list[str]:
    """The files that a pattern, a path or a list of paths stands for, in the order of their names."""
    if isinstance(data, (str, os.PathLike)):
        found = sorted(glob.glob(os.fspath(data), recursive=True))
        if not found:
            raise BadInput(
                f"no file is called {os.fspath(data)!r}; a pattern is written as in 'data/*.parquet'"
            )
    else:
        found = [os.fspath(path) for path in data]
    for path in found:
        if Path(path).suffix.lower() not in KINDS:
            raise BadInput(
                f"{path}: files must be Parquet (.parquet, .pq) or CSV with names (.csv)"
            )
    return found


def is_paths(data: Any) -> bool:
    """Are these paths of files, and no rows?"""
    if isinstance(data, (str, os.PathLike)):
        return True
    listed = isinstance(data, (list, tuple)) and len(data) > 0
    return listed and all(isinstance(one, (str, os.PathLike)) for one in data)


def read_table(path: str) -> Any:
    """One file as an Arrow table."""
    if Path(path).suffix.lower() == ".csv":
        from pyarrow import csv

        return csv.read_csv(path)
    from pyarrow import parquet

    return parquet.read_table(path)


@functools.lru_cache(maxsize=1)
def read_once(paths: tuple[str, ...]) -> Any:
    """Files as one table, which this process keeps: many configurations are played over it."""
    import pyarrow as pa

    return pa.concat_tables([read_table(path) for path in paths], promote_options="permissive")


def arrow(frame: Any) -> Any:
    """A pandas, polars or Arrow frame as an Arrow table."""
    import narwhals as nw

    try:
        return nw.from_native(frame, eager_only=True).to_arrow()
    except TypeError:
        raise BadInput(
            f"data of type {type(frame).__name__}: give a frame, or files such as 'data/*.parquet'"
        ) from None
