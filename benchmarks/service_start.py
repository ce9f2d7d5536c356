"""How soon `littlestone serve` answers with many learners and events in its log, and what it holds in memory.

    python -m benchmarks.service_start [LEARNERS [EVENTS]]

The log is written by the service itself, in large commits. Then: seconds from the start of the process to its first
answer, the time of the first use of learners that are not in memory, the memory of the process after as many of them as
the cache holds and after five times as many, and how long a snapshot of a learner with 100,000 open decisions takes
beside one with none.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from littlestone.serve.requests import Outcome, Question, Spec
from littlestone.serve.service import Limits, Service
from littlestone.serve.sqlite_store import SQLiteStore

SERVER = (
    "import sys; from pathlib import Path; from littlestone.serve.run import serve; "
    "from littlestone.serve.service import Limits; "
    "serve(Path(sys.argv[1]), port=0, limits=Limits(in_memory=int(sys.argv[2])))"
)
CACHE = 500  # learners in memory
OPEN = 100_000  # decisions


def write_log(folder: Path, learners: int, events: int) -> None:
    """Learners that have each had as many rounds as the others."""
    store = SQLiteStore(folder, durable=False)
    service = Service(store, Limits(learners=learners, in_memory=CACHE))
    rounds = max(1, events // 2 // learners)
    for i in range(learners):
        name = f"l{i}"
        service.make(name, Spec("tsallis-inf", names=list("abcd"), interval=(0.0, 1.0), seed=i))
        for t in range(rounds):
            service.decide(name, str(t), Question())
            service.tell(name, str(t), Outcome(reward=0.5))
        if i % 100 == 99 or i == learners - 1:
            store.commit(service.take_batch()[0])
    store.close()


def resident(process: int) -> float:
    """Megabytes of memory of a process; 0 where the system does not say."""
    status = Path(f"/proc/{process}/status")
    if not status.exists():
        return 0.0
    line = next(
        line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith("VmRSS")
    )
    return int(line.split()[1]) / 1024


def start(folder: Path) -> tuple[subprocess.Popen[str], http.client.HTTPConnection, float]:
    """A server on this log, a connection to it, and the seconds until it answered."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(folder), str(CACHE)], stdout=subprocess.PIPE, encoding="utf-8",
        env=dict(os.environ),
    )  # fmt: skip
    assert process.stdout is not None
    port = int(process.stdout.readline().split()[1].rstrip("/").rpartition(":")[2])
    client = http.client.HTTPConnection("127.0.0.1", port)
    client.request("GET", "/readyz")
    assert client.getresponse().read()
    return process, client, time.perf_counter() - began


def use(client: http.client.HTTPConnection, name: str) -> float:
    """Seconds of a question to this learner."""
    began = time.perf_counter()
    headers = {"content-type": "application/json"}
    client.request("PUT", f"/v1/learners/{name}/decisions/new", json.dumps({}), headers)
    response = client.getresponse()
    assert response.status in (200, 201), response.read()
    response.read()
    return time.perf_counter() - began


def snapshot_seconds(open_: int) -> float:
    """CPU seconds of a snapshot of a learner with so many open decisions, the least of five."""
    with tempfile.TemporaryDirectory() as folder:
        store = SQLiteStore(Path(folder), durable=False)
        service = Service(store, Limits(snapshot_every=1 << 40))
        service.make("a", Spec("tsallis-inf", names=list("abcd"), interval=(0.0, 1.0)))
        for i in range(open_):
            service.decide("a", str(i), Question())
            if i % 5000 == 4999:
                store.commit(service.take_batch()[0])
        entry = service.entry("a")
        found = cpu_seconds(lambda: service.snapshot(entry))
        store.close()
        return found


def cpu_seconds(call: Callable[[], object], times: int = 5) -> float:
    """CPU seconds of a call, the least of some."""
    taken = []
    for _ in range(times):
        began = time.process_time()
        call()
        taken.append(time.process_time() - began)
    return min(taken)


def main() -> None:
    learners, events = [*map(int, sys.argv[1:]), *(10_000, 100_000)[len(sys.argv) - 1 :]]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "log"
        write_log(folder, learners, events)
        ready = []
        for _ in range(3):
            process, client, seconds = start(folder)
            ready.append(seconds)
            client.close()
            process.kill()
            process.wait()
        process, client, _ = start(folder)
        names = [f"l{i}" for i in range(learners)]
        random.Random(0).shuffle(names)
        use(client, names.pop())  # the code is loaded with the first
        first, memory = [use(client, name) for name in names[:CACHE]], [resident(process.pid)]
        first += [use(client, name) for name in names[CACHE : 5 * CACHE]]
        memory.append(resident(process.pid))
        process.kill()
        process.wait()
        size = sum(file.stat().st_size for file in folder.iterdir()) / 1e6
    first.sort()
    print(f"log: {learners:,} learners, {events:,} events, {size:,.0f} MB")
    print(f"ready after {statistics.median(ready):.2f} s")
    print(f"first use of a learner: median {1e3 * statistics.median(first):.1f} ms, "
          f"99% {1e3 * first[int(0.99 * len(first))]:.1f} ms")  # fmt: skip
    print(
        f"memory with a cache of {CACHE}: {memory[0]:.0f} MB, after five times as many {memory[1]:.0f} MB"
    )
    none, many = snapshot_seconds(0), snapshot_seconds(OPEN)
    print(f"snapshot: {1e3 * none:.2f} ms, with {OPEN:,} open decisions {1e3 * many:.2f} ms")


if __name__ == "__main__":
    main()
