"""Requests that nobody would write by hand: made from the OpenAPI document by schemathesis, and broken ones of our own.

No answer may be a fault of the server (5xx other than 503), the process must stay, and its memory must not grow.

python -m serve.generated [CASES]       from the folder tests
"""

from __future__ import annotations

import http.client
import json
import random
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, seed, settings
from serve.served import Client, Server
from serve.torture import LEARNERS, make_learners, outcome, question

BUSY = 503
IDS = [f"d{i}" for i in range(6)]
ENDLESS = ("/v1/events",)
WORDS = [
    "",
    "a",
    "arms",
    "é" * 60,
    "\x00",
    "../..",
    "%2e%2e",
    "x" * 300,
    "NaN",
    "💥",
    " ",
    "-",
    "null",
]
NUMBERS = [0, -1, 1, 0.5, 1e308, -1e308, 1e-320, 2**63, 2**64, -(2**63), 1 << 53]


def document(server: Server) -> dict[str, Any]:
    """The service's own, in which names of learners and decisions are often those that are there."""
    found: dict[str, Any] = server.client()("GET", "/openapi.json")[1]
    found.pop("security")
    for path in ENDLESS:
        found["paths"].pop(path)
    known = {"name": list(LEARNERS), "id": IDS, "key": ["exp3", "hedge"]}
    for methods in found["paths"].values():
        for operation in methods.values():
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "path":
                    some = {"enum": known.get(parameter["name"], IDS)}
                    parameter["schema"] = {"anyOf": [some, some, parameter["schema"]]}
    schemas = found["components"]["schemas"]
    found["components"] = {
        "schemas": {k: v for k, v in schemas.items() if not k.startswith("kind.")}
    }
    return found


def read_all(server: Server) -> None:
    """Each page once, so that what they need is loaded before memory is looked at."""
    client = server.client()
    for path, methods in document(server)["paths"].items():
        if "get" in methods:
            client.connection.request("GET", path.format(name="arms", id=IDS[0], key="exp3"))
            client.connection.getresponse().read()


def from_document(server: Server, cases: int, start: int) -> Counter[int]:
    """Requests that the document allows, and some that it does not; how often each status was answered."""
    import schemathesis

    schema, statuses = schemathesis.openapi.from_dict(document(server)), Counter[int]()
    address = f"http://127.0.0.1:{server.port}"

    @seed(start)
    @settings(
        max_examples=cases, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(schema.as_strategy())
    def call(case: Any) -> None:
        response = case.call(base_url=address)
        statuses[response.status_code] += 1
        refuse_fault(response.status_code, case.method, case.formatted_path, response.text)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call()
    return statuses


def refuse_fault(status: int, method: str, path: str, said: object) -> None:
    """Stop where the server says that it is at fault."""
    assert status < 500 or status == BUSY, f"{method} {path}: {status} {said!s:.500}"


def broken(r: random.Random, depth: int = 0) -> Any:
    """Any value of JSON."""
    kind = r.randrange(8 if depth < 3 else 5)
    if kind == 5:
        return [broken(r, depth + 1) for _ in range(r.randrange(4))]
    if kind >= 6:
        return {r.choice(WORDS): broken(r, depth + 1) for _ in range(r.randrange(4))}
    return [None, r.random() < 0.5, r.choice(NUMBERS), r.choice(WORDS), r.gauss(0, 1)][kind]


def changed(body: Any, r: random.Random) -> Any:
    """A body of which one value is another one, or which lacks it."""
    if not isinstance(body, dict) or not body:
        return broken(r)
    key = r.choice(list(body))
    return (
        {**body, key: broken(r)}
        if r.random() < 0.8
        else {k: v for k, v in body.items() if k != key}
    )


def hurt(raw: bytes, r: random.Random) -> bytes:
    """Bytes that were cut off, or of which one is another one."""
    at = r.randrange(len(raw) + 1)
    return raw[:at] if r.random() < 0.5 else raw[:at] + r.randbytes(1) + raw[at + 1 :]


def one_request(r: random.Random) -> tuple[str, str, bytes]:
    """A request that is nearly right."""
    name, id_ = r.choice(list(LEARNERS)), r.choice([*IDS, f"new{r.randrange(1 << 30)}"])
    path = f"/v1/learners/{name}"
    told = outcome(name, r)
    method, path, body = r.choice(
        [
            ("PUT", path, dict(LEARNERS[name])),
            ("PUT", f"/v1/learners/{id_}", dict(LEARNERS[name])),
            ("PUT", f"{path}/decisions/{id_}", question(name, r)),
            ("PUT", f"{path}/decisions/{id_}/outcome", told),
            ("POST", f"{path}/rounds", {"id": id_, "outcome": told, **question(name, r)}),
            ("POST", f"{path}/fork?seq={r.choice(NUMBERS)}", {"name": id_}),
        ]
    )
    if r.random() < 0.5:
        body = changed(body, r)
    raw = json.dumps(body).encode()
    return method, path, hurt(raw, r) if r.random() < 0.2 else raw


def nearly_right(server: Server, cases: int, start: int) -> Counter[int]:
    """Requests of our own; how often each status was answered."""
    r, statuses, client = random.Random(start), Counter[int](), server.client()
    for _ in range(cases):
        method, path, raw = one_request(r)
        status, said = send(client, method, path, raw)
        statuses[status] += 1
        refuse_fault(status, method, path, f"{said} to {raw!r}")
    return statuses


def send(client: Client, method: str, path: str, raw: bytes) -> tuple[int, str]:
    """One request, as it is."""
    try:
        client.connection.request(method, path, raw, {"content-type": "application/json"})
        response = client.connection.getresponse()
        return response.status, response.read().decode()
    except http.client.InvalidURL:  # our own client refuses to send it
        return 0, ""


def megabytes(server: Server) -> float:
    """The memory of a server; 0 where the system does not say."""
    status = Path(f"/proc/{server.process.pid}/status")
    text = status.read_text(encoding="utf-8") if status.exists() else "VmRSS: 0 kB"
    return int(text.partition("VmRSS:")[2].split()[0]) / 1024


def generated(folder: Path, cases: int, start: int = 0) -> dict[str, Any]:
    """Half of the cases from the document, half of our own, in four rounds; the memory after each."""
    statuses, memory = Counter[int](), []
    with Server(folder) as server:
        make_learners(server.client())
        read_all(server)
        for i in range(4):
            statuses += from_document(server, cases // 8, start + i)
            statuses += nearly_right(server, cases // 8, start + i)
            memory.append(megabytes(server))
        assert server.client()("GET", "/healthz")[0] == 200, server.said()
        assert server.process.poll() is None
        assert "Traceback" not in server.said(), server.said()
    return {
        "cases": sum(statuses.values()),
        "statuses": dict(sorted(statuses.items())),
        "memory": memory,
    }


def main() -> None:
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        print(generated(Path(folder) / "log", cases, random.randrange(1 << 30)))


if __name__ == "__main__":
    main()
