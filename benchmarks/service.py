"""Durable operations a second of `littlestone serve`, at 1, 8 and 32 connections, the commits synced or not.

    python -m benchmarks.service [SECONDS]

Loopback only. An operation is a decision or an outcome; half are each. Without synced commits means synchronous=OFF:
the same transactions, which are not waited for. Where redis-server is installed, its SET with appendfsync=always is
beside them, which stores bytes and learns nothing; where PostgreSQL is, the service on it, and `pgbench -N`: an update,
a query and an insert, each transaction on the disk. The load is made by one asyncio client beside the server, so both
share the machine: on a busy one look at the processor time that the server takes for a request.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from tests.serve.postgres import PostgresServer, binaries

SERVER = (
    "import sys; from pathlib import Path; from littlestone.serve.run import serve; "
    "log = sys.argv[1]; postgres = log if log.startswith('postgresql:') else None; "
    "serve(Path(log), port=0, durable=sys.argv[2] != 'not synced', postgres=postgres)"
)
SYNCED, ON_POSTGRES = ("durable", "not synced"), "on PostgreSQL"
Table = dict[tuple[str, int], float]  # by row and connections
Client = Callable[[int, str, float], Awaitable[int]]
CONNECTIONS = (1, 8, 32)
ROUNDS = 5  # the median of them is printed


async def request(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, body: bytes
) -> int:
    """One PUT; its status."""
    head = f"PUT {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
    answer = await reader.readuntil(b"\r\n\r\n")
    length = int(answer.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
    await reader.readexactly(length)
    return int(answer[9:12])


async def client(port: int, name: str, end: float) -> int:
    """Ask and tell in turns until the time is over; how many operations were acknowledged."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    done = 0
    while time.perf_counter() < end:
        path = f"/v1/learners/bench/decisions/{name}-{done}"
        for suffix, body in (("", b"{}"), ("/outcome", b'{"reward": 1}')):
            assert await request(reader, writer, path + suffix, body) == 201
        done += 2
    writer.close()
    return done


async def load(
    port: int, connections: int, seconds: float, name: str, one: Client = client
) -> float:
    """Operations a second."""
    began = time.perf_counter()
    clients = [one(port, f"{name}-{i}", began + seconds) for i in range(connections)]
    done = sum(await asyncio.gather(*clients))
    return done / (time.perf_counter() - began)


def processor_seconds(process: int) -> float:
    """The processor time of a process so far; 0 where the system does not say."""
    status = Path(f"/proc/{process}/stat")
    if not status.exists():
        return 0.0
    fields = status.read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(seconds: float, database: PostgresServer | None) -> tuple[Table, Table]:
    """The medians of each row and column, which take turns: operations a second, and microseconds of the server's."""
    rates: dict[tuple[str, int], list[float]] = {}
    costs: dict[tuple[str, int], list[float]] = {}
    for turn in range(ROUNDS):
        for how in SYNCED if database is None else (*SYNCED, ON_POSTGRES):
            with tempfile.TemporaryDirectory() as folder:
                on_database = database is not None and how == ON_POSTGRES
                log = database.new_log() if on_database else str(Path(folder) / "log")
                process = subprocess.Popen(
                    [sys.executable, "-c", SERVER, log, how],
                    stdout=subprocess.PIPE, encoding="utf-8", env=dict(os.environ),
                )  # fmt: skip
                assert process.stdout is not None
                port = int(process.stdout.readline().split()[1].rstrip("/").rpartition(":")[2])
                asyncio.run(prepare(port))
                for n in CONNECTIONS:
                    before, began = processor_seconds(process.pid), time.perf_counter()
                    rate = asyncio.run(load(port, n, seconds, f"{turn}-{n}"))
                    done = rate * (time.perf_counter() - began)
                    rates.setdefault((how, n), []).append(rate)
                    spent = processor_seconds(process.pid) - before
                    costs.setdefault((how, n), []).append(1e6 * spent / done)
                process.kill()
                process.wait()
                process.stdout.close()
    return medians(rates), medians(costs)


def medians(found: dict[tuple[str, int], list[float]]) -> Table:
    """The median of each place."""
    return {key: statistics.median(values) for key, values in found.items()}


def measure_pgbench(seconds: float, database: PostgresServer) -> dict[int, float]:
    """Transactions a second of `pgbench -N`; empty where it is not installed."""
    program = database.programs / "pgbench"
    if not program.exists():
        return {}
    url, found = database.url, {n: list[float]() for n in CONNECTIONS}
    subprocess.run([program, "-i", "-q", url], check=True, capture_output=True)
    for _ in range(ROUNDS):
        for n in CONNECTIONS:
            command = [program, "-N", "-n", "-c", str(n), "-T", str(max(1, round(seconds))), url]
            said = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
            found[n].append(float(said.partition("tps = ")[2].split()[0]))
    return {n: statistics.median(rates) for n, rates in found.items()}


async def redis_client(port: int, name: str, end: float) -> int:
    """SET keys until the time is over; how many were acknowledged."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    done = 0
    while time.perf_counter() < end:
        key = f"{name}-{done}"
        writer.write(f"*3\r\n$3\r\nSET\r\n${len(key)}\r\n{key}\r\n$100\r\n{'x' * 100}\r\n".encode())
        assert await reader.readline() == b"+OK\r\n"
        done += 1
    writer.close()
    return done


def measure_redis(seconds: float) -> dict[int, float]:
    """The median of each column for Redis with appendfsync=always; empty where there is no redis-server."""
    program = os.environ.get("REDIS_SERVER") or shutil.which("redis-server")
    if program is None:
        return {}
    found: dict[int, list[float]] = {n: [] for n in CONNECTIONS}
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        process = subprocess.Popen(
            [program, "--port", str(port), "--bind", "127.0.0.1", "--appendonly", "yes", "--appendfsync", "always",
             "--save", "", "--dir", folder], stdout=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(1.0)
        for turn in range(ROUNDS):
            for n in CONNECTIONS:
                found[n].append(asyncio.run(load(port, n, seconds, f"{turn}-{n}", redis_client)))
        process.terminate()
        process.wait()
    return {n: statistics.median(rates) for n, rates in found.items()}


async def prepare(port: int) -> None:
    """Make the learner, and let it be used once."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    spec = b'{"learner": "tsallis-inf", "names": ["a", "b", "c", "d"], "interval": [0, 1]}'
    while (status := await request(reader, writer, "/v1/learners/bench", spec)) == 503:
        await asyncio.sleep(0.2)  # it is being compiled
    assert status == 201
    assert await request(reader, writer, "/v1/learners/bench/decisions/first", b"{}") == 201
    assert (
        await request(
            reader, writer, "/v1/learners/bench/decisions/first/outcome", b'{"reward": 1}'
        )
        == 201
    )
    writer.close()


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0
    programs = binaries()
    database = None if programs is None else PostgresServer(programs)
    try:
        rates, costs = measure(seconds, database)
        pgbench = {} if database is None else measure_pgbench(seconds, database)
    finally:
        if database is not None:
            database.stop()
    redis = measure_redis(seconds)
    rows = [*SYNCED, *([] if database is None else [ON_POSTGRES])]
    print_row("operations a second", CONNECTIONS, "  connections")
    for how in rows:
        print_row(how, [rates[how, n] for n in CONNECTIONS])
    for name, peer, own in (
        ("Redis, synced", redis, "durable"),
        ("pgbench -N", pgbench, "durable"),
    ):
        if peer:
            print_row(name, [peer[n] for n in CONNECTIONS])
            print_row(
                "  durable over it", [rates[own, n] / peer[n] for n in CONNECTIONS], "", ".2f"
            )
    print_row("processor time of the server, microseconds a request", ())
    for how in rows:
        print_row(how, [costs[how, n] for n in CONNECTIONS])
    ratios = [costs["durable", n] / max(costs["not synced", n], 1e-9) for n in CONNECTIONS]
    print_row("  durable over not synced", ratios, "", ".2f")


def print_row(name: str, values: Sequence[float], rest: str = "", form: str = ",.0f") -> None:
    """One line of the table."""
    print(f"{name:<28}" + "".join(f"{v:>10{form}}" for v in values) + rest)


if __name__ == "__main__":
    main()
