"""Predictions as they are made, to a CSV or Parquet file, in bounded memory."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..core.errors import BadFile, BadInput


@contextlib.contextmanager
def sink_for(path: str | None) -> Iterator[Callable[[int, Any, Any], None] | None]:
    """A function that takes (first round, predictions, losses); the file appears when all is written."""
    if path is None:
        yield None
        return
    kind = Path(path).suffix.lower()
    if kind not in (".csv", ".parquet"):
        raise BadInput(f"--predictions {path}: the name must end in .csv or .parquet")
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    schema = pa.schema(
        [("round", pa.int64()), ("prediction", pa.float64()), ("loss", pa.float64())]
    )
    part = Path(f"{path}.part")
    try:
        if kind == ".csv":
            writer: Any = pyarrow.csv.CSVWriter(str(part), schema)
        else:
            writer = pyarrow.parquet.ParquetWriter(str(part), schema)
    except OSError as problem:
        raise BadFile(f"{path} cannot be written: {problem.strerror or problem}") from None

    def sink(t0: int, predictions: Any, losses: Any) -> None:
        rounds = np.arange(t0 + 1, t0 + 1 + len(predictions))
        losses = pa.array(losses, mask=np.isnan(losses))
        writer.write_table(
            pa.table([pa.array(rounds), pa.array(predictions), losses], schema=schema)
        )

    try:
        yield sink
        writer.close()
        part.replace(path)
    except BaseException:
        with contextlib.suppress(Exception):
            writer.close()
        part.unlink(missing_ok=True)
        raise
