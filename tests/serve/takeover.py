"""Kill or stop the process that works on a log in PostgreSQL, again and again: the standby takes over, nothing is lost.

python -m serve.takeover [CYCLES [SECONDS OF THE LEASE]]       from the folder tests
"""

from __future__ import annotations

import http.client
import random
import signal
import statistics
import sys
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from serve.served import Client, Server
from serve.torture import LEARNERS, Acknowledged, differing, lost, make_learners, outcome, question

PATIENCE = 0.4  # seconds until a client that hears nothing asks the other process


@dataclass
class Pair:
    """The two processes as clients see them: which one to ask, and which one has answered last."""

    ports: list[int]
    asked: int = 0
    ended: bool = False
    acknowledged: Acknowledged = field(default_factory=Acknowledged)
    last: dict[int, float] = field(default_factory=dict)  # when each port has acknowledged last


class Caller:
    """A client that asks the other process where one says nothing."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.clients: dict[int, Client] = {}

    def __call__(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        while not self.pair.ended:
            port = self.pair.ports[self.pair.asked]
            try:
                status, found = self.client(port)(method, path, body)
            except (OSError, http.client.HTTPException):
                self.clients.pop(port).close()
                status, found = 503, {}
            if status != 503:
                self.pair.last[port] = time.monotonic()
                return status, found
            self.pair.asked = 1 - self.pair.ports.index(port) if port in self.pair.ports else 0
            time.sleep(0.02)
        raise OSError("ended")

    def client(self, port: int) -> Client:
        if port not in self.clients:
            self.clients[port] = Client(port, PATIENCE)
        return self.clients[port]

    def close(self) -> None:
        for client in self.clients.values():
            client.close()


def load(pair: Pair, seed: int, prefix: str) -> None:
    """Ask and tell until it is enough; the same operation again where nothing was heard of it."""
    r, call, i = random.Random(seed), Caller(pair), 0
    done = pair.acknowledged
    try:
        while True:
            name, i = r.choice(list(LEARNERS)), i + 1
            id_, asked, told = f"{prefix}-{i}", question(name, r), outcome(name, r)
            path = f"/v1/learners/{name}/decisions/{id_}"
            status, found = call("PUT", path, asked)
            if status not in (200, 201):
                done.problems.append(f"{status} {found}")
                continue
            done.answers[name, id_] = asked, found
            if r.random() < 0.8:
                status, found = call("PUT", path + "/outcome", told)
                if status in (200, 201):
                    done.outcomes[name, id_] = told
                else:
                    done.problems.append(f"{status} {found}")
    except OSError:
        return
    finally:
        call.close()


def until_other_answers(pair: Pair, port: int, began: float) -> float:
    """Seconds until the process behind this port has acknowledged something."""
    while pair.last.get(port, 0.0) < began:
        time.sleep(0.005)
        assert time.monotonic() < began + 60, "nobody took over"
    return pair.last[port] - began


def takeovers(
    url: str, cycles: int, lease: float = 1.0, seconds: float = 0.3, seed: int = 0
) -> dict[str, Any]:
    """So many takeovers under load; what was lost or done twice, how long they took, how the old process ended."""
    r = random.Random(seed)
    took: list[float] = []
    codes: set[int] = set()
    servers = [Server(url, 0.002, lease=lease)]
    make_learners(servers[0].client())
    servers.append(Server(url, 0.002, lease=lease))
    pair = Pair([server.port for server in servers])
    threads = [
        threading.Thread(target=load, args=(pair, seed + c, f"{seed}-{c}")) for c in range(3)
    ]

    def replace(which: int) -> None:
        codes.add(servers[which].end())
        servers[which] = Server(url, 0.002, lease=lease)
        pair.ports[which] = servers[which].port

    try:
        for thread in threads:
            thread.start()
        for cycle in range(cycles):
            time.sleep(seconds * (0.5 + r.random()))
            for which in range(2):  # a process that was not run for as long as the lease has ended
                if servers[which].process.poll() is not None:
                    replace(which)
            working = max((0, 1), key=lambda which: pair.last.get(pair.ports[which], 0.0))
            began = time.monotonic()
            servers[working].process.send_signal(signal.SIGSTOP if cycle % 2 else signal.SIGKILL)
            took.append(until_other_answers(pair, pair.ports[1 - working], began))
            if cycle % 2:
                time.sleep(seconds * r.random())
                servers[working].process.send_signal(signal.SIGCONT)
            replace(working)
        time.sleep(seconds)
        pair.ended = True
        for thread in threads:
            thread.join()
        pair.ended = False
        with closing(Caller(pair)) as call:
            missing = lost(call, pair.acknowledged)
    finally:
        pair.ended = True
        for server in servers:
            server.__exit__()
    return {
        "takeovers": len(took),
        "acknowledged": len(pair.acknowledged.answers) + len(pair.acknowledged.outcomes),
        "lost": missing,
        "differing": differing(url),
        "problems": pair.acknowledged.problems[:5],
        "codes": sorted(codes),
        "median": round(statistics.median(took), 2),
        "longest": round(max(took), 2),
    }


def main() -> None:
    from serve.postgres import PostgresServer, binaries

    cycles, lease = [*map(float, sys.argv[1:]), *(100.0, 1.0)[len(sys.argv) - 1 :]]
    programs = binaries()
    if programs is None:
        print("PostgreSQL is not installed: no takeover was tried")
        return
    server = PostgresServer(programs)
    try:
        print(takeovers(server.new_log(), int(cycles), lease, seed=random.randrange(1 << 30)))
    finally:
        server.stop()


if __name__ == "__main__":
    main()
