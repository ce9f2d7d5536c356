"""Peak memory while a stream is played, of a Parquet file or of small batches: it must not grow with the stream."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from .clock import PEAK, child
from .figure import Figure

EXPERTS, GROUP = 64, 65_536  # rows a row group
TARGET = 50e6

PLAY = (
    PEAK
    + """
import json, sys, time
import littlestone as ls

began = time.perf_counter()
hedge = ls.learner("hedge", loss="square")
run = ls.play(hedge, sys.argv[1], outcome="y", interval=(0.0, 1.0), record="auto")
took = time.perf_counter() - began
print(json.dumps({"peak": peak(), "rounds": run.rounds, "seconds": took}))
"""
)

FEW = 50  # rows a batch, as a queue hands them over
BATCHES = (
    PEAK
    + """
import json, sys
import numpy as np
import littlestone as ls

rounds, rows = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(1)
batches = ((rng.random((rows, 8)), rng.random(rows)) for _ in range(rounds // rows))
run = ls.play(ls.learner("hedge", loss="square"), batches, interval=(0.0, 1.0))
print(json.dumps({"peak": peak(), "rounds": run.rounds}))
"""
)


def measure(quick: bool) -> Iterator[Figure]:
    short, long = (100_000, 300_000) if quick else (100_000, 1_000_000)
    with tempfile.TemporaryDirectory(prefix="littlestone-bench-") as folder:
        small, large = Path(folder, "small.parquet"), Path(folder, "large.parquet")
        write(small, short)
        write(large, long)
        child(PLAY, small)  # compiles, so that no compiler's memory is counted
        low, high = (json.loads(child(PLAY, path)) for path in (small, large))
        growth = large.stat().st_size - small.stat().st_size
    assert (low["rounds"], high["rounds"]) == (short, long)
    words = f"{long:,} rounds x {EXPERTS} from Parquet"
    more = max(0.0, high["peak"] - low["peak"])
    yield Figure(f"{words}: more memory than {short:,}", more, "B", "the file", growth, TARGET)
    size = long * (EXPERTS + 1) * 8
    yield Figure(f"{words}: peak memory", high["peak"], "B", "as one array", size)
    each = high["seconds"] / long
    yield Figure(f"{words}: a round, certified", each, "s", "no peer", float("nan"))
    yield in_batches(20_000, 50_000 if quick else 200_000)


def in_batches(short: int, long: int) -> Figure:
    """The memory that more rounds take, when they come in small batches."""
    child(BATCHES, short, FEW)
    low, high = (json.loads(child(BATCHES, rounds, FEW)) for rounds in (short, long))
    assert (low["rounds"], high["rounds"]) == (short, long)
    words = f"{long:,} rounds x 8 in batches of {FEW}: more memory than {short:,}"
    more = max(0.0, high["peak"] - low["peak"])
    return Figure(words, more, "B", "as one array", (long - short) * 9 * 8, TARGET)


def write(path: Path, rounds: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(1)
    names = ["y", *(f"expert {i + 1}" for i in range(EXPERTS))]
    schema = pa.schema([(name, pa.float64()) for name in names])
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as out:
        for first in range(0, rounds, GROUP):
            block = rng.random((len(names), min(GROUP, rounds - first)))
            out.write_table(pa.table(list(map(pa.array, block)), schema=schema), GROUP)
