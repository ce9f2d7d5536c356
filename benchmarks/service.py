"""Durable operations a second of `littlestone serve`, at 1, 8 and 32 connections, the commits synced or not.

    python -m benchmarks.service [SECONDS]

Loopback only. An operation is a decision or an outcome; half are each. Without synced commits means synchronous=OFF:
the same transactions, which are not waited for. Where redis-server is installed, its SET with appendfsync=always is
beside them, which stores bytes and learns nothing. The load is made by one asyncio client beside the server, so both
share the machine.
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
from collections.abc import Awaitable, Callable
from pathlib import Path

SERVER = (
    "import sys; from pathlib import Path; from littlestone.serve.run import serve; "
    "serve(Path(sys.argv[1]), port=0, durable=sys.argv[2] == 'durable')"
)
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


def measure(seconds: float) -> dict[tuple[str, int], float]:
    """The median of each row and column; the two rows take turns."""
    found: dict[tuple[str, int], list[float]] = {}
    for turn in range(ROUNDS):
        for how in ("durable", "not synced"):
            with tempfile.TemporaryDirectory() as folder:
                process = subprocess.Popen(
                    [sys.executable, "-c", SERVER, str(Path(folder) / "log"), how],
                    stdout=subprocess.PIPE, encoding="utf-8", env=dict(os.environ),
                )  # fmt: skip
                assert process.stdout is not None
                port = int(process.stdout.readline().split()[1].rstrip("/").rpartition(":")[2])
                asyncio.run(prepare(port))
                for n in CONNECTIONS:
                    rate = asyncio.run(load(port, n, seconds, f"{turn}-{n}"))
                    found.setdefault((how, n), []).append(rate)
                process.kill()
                process.wait()
                process.stdout.close()
    return {key: statistics.median(rates) for key, rates in found.items()}


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
    found = measure(seconds)
    print("operations a second   " + "".join(f"{n:>10}" for n in CONNECTIONS) + "  connections")
    for how in ("durable", "not synced"):
        print(f"{how:<22}" + "".join(f"{found[how, n]:>10,.0f}" for n in CONNECTIONS))
    redis = measure_redis(seconds)
    if redis:
        print(f"{'Redis, synced':<22}" + "".join(f"{redis[n]:>10,.0f}" for n in CONNECTIONS))
    ratios = [found["durable", n] / found["not synced", n] for n in CONNECTIONS]
    print(f"{'ratio':<22}" + "".join(f"{r:>10.2f}" for r in ratios))


if __name__ == "__main__":
    main()
