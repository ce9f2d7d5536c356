"""Rows on their way from files to parts: in a folder that all workers see, else in the memory of the workers.

A worker that has split a file writes its pieces, one after the other, into one Arrow file, and the worker that plays a
part maps that file into memory and reads its own piece. So rows are copied once, and never pass through a socket; there
is one task a file and one a part. Without such a folder each piece is a result that dask moves.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..core.files import replace_file


class Pieces(NamedTuple):
    """A file with the pieces of a table; the batches from number starts[p] up to starts[p + 1] are piece p."""

    rows: int
    path: str
    starts: list[int]


def laid_down(found: list[Any], path: str) -> Pieces:
    """Write what `split` has found. The file appears when it is whole, so a worker may be killed while it writes."""
    import pyarrow as pa

    rows, *pieces = found
    starts = [0]
    handle, part = tempfile.mkstemp(dir=os.path.dirname(path))
    try:
        with os.fdopen(handle, "wb") as file, pa.ipc.new_file(file, pieces[0].schema) as writer:
            for piece in pieces:
                for batch in piece.to_batches():
                    writer.write_batch(batch)
                starts.append(writer.stats.num_record_batches)
        replace_file(part, path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise
    return Pieces(rows, path, starts)


def taken_up(pieces: Pieces, p: int) -> Any:
    """Piece p as a table; its columns lie in the mapped file."""
    import pyarrow as pa

    file = pa.ipc.open_file(pa.memory_map(pieces.path))
    batches = [file.get_batch(i) for i in range(pieces.starts[p], pieces.starts[p + 1])]
    return pa.Table.from_batches(batches, file.schema)


@contextlib.contextmanager
def shared_folder(client: Any, out: str | None) -> Iterator[str | None]:
    """A folder that every worker sees, for a while: below `out`, or among temporary files; None: there is none."""
    folder = tempfile.mkdtemp(prefix="littlestone-", dir=out)
    try:
        probe = os.path.join(folder, "probe")
        Path(probe).touch()
        seen = client.run(os.path.isfile, probe, on_error="ignore")  # a worker may be lost just now
        yield folder if seen and all(seen.values()) else None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
