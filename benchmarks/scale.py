"""Keys in Parquet files, here and on two workers; a sweep; what starting workers costs.

Wall time means something only where two cores are idle. The CPU time of all processes together can be measured on any
machine: two cores are 1.6 times faster than one only where it is at most 1.25 times that of one process.

The keyed work takes one process more than 20 s, and 2.5 GB of memory: 16 million rows, which are 1.3 GB.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import littlestone as ls

from .figure import Figure
from .keyed import EXPERTS, ROWS, table

NAMES = [f"model {i}" for i in range(EXPERTS)]
PARTS, FILES = 16, 10
FASTER = 1.6  # times, with two workers


def measure(quick: bool) -> Iterator[Figure]:
    distributed = installed()
    keys = 20_000 if quick else 800_000
    given: dict[str, Any] = {"by": "product", "outcome": "sold", "experts": NAMES, "parts": PARTS}
    configurations = {f"alpha {a:.3f}": ls.FixedShare(alpha=a) for a in np.linspace(0.01, 0.2, 40)}
    with tempfile.TemporaryDirectory() as folder:
        for i in range(FILES):  # each has some rows of every key
            table(keys, ROWS // FILES, i).to_parquet(Path(folder) / f"{i}.parquet", index=False)
        pattern = str(Path(folder) / "*.parquet")
        one = table(1000, 200 if quick else 1000)[[*NAMES, "sold"]]
        one.to_parquet(Path(folder) / "one.pq", index=False)

        def keyed(client: Any) -> Any:
            out = Path(folder) / "predictions"
            return ls.scale.play("tracker", pattern, client=client, out=out, **given)

        def swept(client: Any) -> Any:
            path = str(Path(folder) / "one.pq")
            return ls.scale.sweep(configurations, path, outcome="sold", client=client)

        began = time.perf_counter()
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        )
        with cluster, distributed.Client(cluster) as client:
            started = time.perf_counter() - began
            yield Figure("two workers started", started, "s", "", float("nan"))
            memory = client.run(resident)
            yield Figure(
                "memory of a worker that does nothing", max(memory.values()), "B", "", float("nan")
            )
            for name, call, work in (
                (f"tracker, {keys:,} keys of {ROWS} rows in Parquet: a row", keyed, keys * ROWS),
                ("40 configurations over one file: a round", swept, 40 * len(one)),
            ):
                client.run(call_ready, name)  # the workers import
                call(client)  # and load what is compiled
                if call is swept:  # the other loads it in less than a second of 20
                    call(None)
                (here, alone), (there, together) = timed(call, None), timed(call, client)
                yield Figure(
                    f"{name}, two workers", there / work, "s", "one process", here / work, FASTER, "faster",
                    note="wall time: two idle cores are needed",
                )  # fmt: skip
                yield Figure(
                    f"{name}, CPU of all processes", together / work, "s", "one process", alone / work, 2 / FASTER,
                    "ratio",
                )  # fmt: skip


def installed() -> Any:
    try:
        import distributed
    except ImportError:
        raise FileNotFoundError("littlestone[scale] is not installed") from None
    return distributed


def timed(call: Callable[[Any], Any], client: Any) -> tuple[float, float]:
    """Wall time, and the CPU time of all processes; the least of two."""
    found = []
    for _ in range(2):
        before, began = clocks(client), time.perf_counter()
        call(client)
        took = time.perf_counter() - began
        found.append((took, sum(clocks(client)) - sum(before)))
    return min(a for a, _ in found), min(b for _, b in found)


def clocks(client: Any) -> list[float]:
    """The CPU time of this process, and of each worker."""
    there = {} if client is None else client.run(time.process_time)
    return [time.process_time(), *(there[name] for name in sorted(there))]


def resident() -> int:
    """The memory of this process."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))


def call_ready(name: str) -> str:
    """Import what a task needs."""
    import littlestone.scale  # noqa: F401

    return name
