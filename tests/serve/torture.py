"""Kill a server with SIGKILL under load, again and again: nothing that it acknowledged may be lost.

python -m serve.torture [CYCLES [SECONDS OF LOAD]]       from the folder tests
"""

from __future__ import annotations

import http.client
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from serve.served import Client, Server

from littlestone.serve.service import Service
from littlestone.serve.sqlite_store import SQLiteStore
from littlestone.serve.store import ALL, Store

Ask = Callable[[str, str, Any], tuple[int, Any]]
LEARNERS: dict[str, dict[str, Any]] = {
    "arms": {"learner": "tsallis-inf", "names": list("abcd"), "seed": 7, "interval": [0, 1]},
    "context": {
        "learner": "linucb",
        "names": list("abcd"),
        "features": list("uvw"),
        "interval": [0, 1],
    },
    "advice": {"learner": "tracker", "n": 4, "interval": [0, 1], "books": True},
    "losses": {
        "learner": "hedge",
        "names": list("ab"),
        "interval": [0, 1],
        "losses": True,
        "books": True,
    },
    "examples": {"learner": "online-linear"},
    "intervals": {"learner": "cover", "n": 1},
    "guarded": {
        "learner": "exp3",
        "names": list("ab"),
        "interval": [0, 1],
        "baseline": {"arm": "a", "share": 0.4, "level": 0.5},
        "alarm": {"level": 0.3, "claimed": 0.5},
    },
}


def question(name: str, r: random.Random) -> dict[str, Any]:
    """A question that a client may ask."""
    match name:
        case "arms":
            return {} if r.random() < 0.9 else {"arm": "b", "propensity": 0.7}
        case "guarded":
            if r.random() < 0.7:
                return {"baseline": r.choice("ab")} if r.random() < 0.3 else {}
            return {"arm": r.choice("ab"), "propensity": 0.1 + 0.9 * r.random()}
        case "context":
            return {"x": {"u": r.random(), "v": r.random(), "w": 1.0}}
        case "advice":
            return {"x": [r.random() if r.random() < 0.9 else None for _ in range(3)] + [0.5]}
        case "examples":
            return {
                "x": {"age": r.random(), f"word {r.randrange(300)}": 1.0, "city": r.choice("abc")}
            }
        case "intervals":
            return {"x": [r.gauss(0, 1)]}
    return {}


def outcome(name: str, r: random.Random) -> dict[str, Any]:
    """What became of it."""
    if r.random() < 0.05:
        return {"never": True}
    match name:
        case "arms" | "context" | "guarded":
            return {"reward": r.random()}
        case "losses":
            return {"loss": {"a": r.random(), "b": r.random()}}
        case "examples":
            return {"y": r.choice(["yes", "no", "maybe"])}
    return {"y": r.random()}


@dataclass
class Acknowledged:
    """What the server has answered, and must never take back."""

    answers: dict[tuple[str, str], tuple[Any, Any]] = field(default_factory=dict)
    outcomes: dict[tuple[str, str], Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def load(port: int, seed: int, prefix: str, acknowledged: Acknowledged) -> None:
    """Ask and tell, late and out of order, until the server is gone."""
    r, client, i = random.Random(seed), Client(port), 0
    waiting: list[tuple[str, str]] = []
    try:
        while True:
            name, i = r.choice(list(LEARNERS)), i + 1
            id_, asked = f"{prefix}-{i}", question(name, r)
            path = f"/v1/learners/{name}/decisions/{id_}"
            status, found = client("PUT", path, asked)
            if status != 201:
                acknowledged.problems.append(f"{status} {found}")
                continue
            acknowledged.answers[name, id_] = asked, found
            waiting.append((name, id_))
            if r.random() < 0.8:
                name, id_ = waiting.pop(r.randrange(len(waiting)))
                told = outcome(name, r)
                status, found = client("PUT", f"/v1/learners/{name}/decisions/{id_}/outcome", told)
                if status == 201:
                    acknowledged.outcomes[name, id_] = told
                else:
                    acknowledged.problems.append(f"{status} {found}")
    except (OSError, http.client.HTTPException):
        return
    finally:
        client.close()


def make_learners(client: Client) -> None:
    """Make all learners; a server that waits for its lease is waited for."""
    for name, spec in LEARNERS.items():
        status, found = client("PUT", f"/v1/learners/{name}", spec)
        while status == 503:
            time.sleep(0.02)
            status, found = client("PUT", f"/v1/learners/{name}", spec)
        assert status in (200, 201), found


def lost(ask: Ask, acknowledged: Acknowledged) -> int:
    """How many acknowledged operations the server does not know, or answers otherwise."""
    count = 0
    for (name, id_), (asked, answer) in acknowledged.answers.items():
        status, found = ask("PUT", f"/v1/learners/{name}/decisions/{id_}", asked)
        count += (status, found) != (200, answer)
    for (name, id_), told in acknowledged.outcomes.items():
        status, _ = ask("PUT", f"/v1/learners/{name}/decisions/{id_}/outcome", told)
        count += status != 200
    return count


def open_log(log: Path | str) -> Store:
    """The log in a folder, or in a database."""
    if isinstance(log, Path):
        return SQLiteStore(log)
    from littlestone.serve.postgres_store import PostgresStore

    return PostgresStore(log)


def differing(log: Path | str) -> list[str]:
    """Learners whose state from snapshot and tail is not, bit for bit, that of all events replayed."""
    store, wrong = open_log(log), []
    service = Service(store)
    for row in store.learners():
        short, whole = service.load(row), service.load(row, snapshots=False)
        same = short.learner.digest(tickets=True) == whole.learner.digest(tickets=True)
        if not same or short.totals != whole.totals or short.seq != whole.seq:
            wrong.append(row.name)
        rounds = {t.round for t in whole.learner.tickets}
        if rounds != {o.round for o in store.open(row.id, limit=ALL)}:
            wrong.append(f"{row.name}: open decisions")
    store.close()
    return wrong


def torture(
    log: Path | str,
    cycles: int,
    seconds: float = 0.5,
    seed: int = 0,
    fault: str = "",
    delay: float = 0.002,
    connections: int = 4,
) -> dict[str, Any]:
    """So many cycles of load, SIGKILL and restart; what was lost, and where a replay differs."""
    r, total = random.Random(seed), {"cycles": 0, "acknowledged": 0, "lost": 0}
    starts, problems, before = [], [], Acknowledged()
    for cycle in range(cycles + 1):
        began = time.perf_counter()
        with Server(log, delay, fault) as server:
            starts.append(time.perf_counter() - began)
            client = server.client()
            make_learners(client)
            total["lost"] += lost(client, before)
            if cycle == cycles:
                server.stop()
                break
            now = Acknowledged()
            threads = [
                threading.Thread(
                    target=load, args=(server.port, r.randrange(1 << 30), f"{cycle}-{c}", now)
                )
                for c in range(connections)
            ]
            for thread in threads:
                thread.start()
            time.sleep(seconds * (0.5 + r.random()))
            server.kill()
            for thread in threads:
                thread.join()
        total["cycles"] += 1
        total["acknowledged"] += len(now.answers) + len(now.outcomes)
        problems += now.problems
        before = now
    wrong = differing(log)
    return {
        **total,
        "differing": wrong,
        "problems": problems[:5],
        "slowest start": round(max(starts), 2),
    }


if __name__ == "__main__":
    cycles, seconds = [*map(float, sys.argv[1:]), *(1000.0, 0.5)[len(sys.argv) - 1 :]]
    with tempfile.TemporaryDirectory() as place:
        print(torture(Path(place) / "data", int(cycles), seconds, seed=random.randrange(1 << 30)))
