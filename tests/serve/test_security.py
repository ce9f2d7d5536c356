"""Threats to the service, each with what stands against it: docs/service/security.md lists them."""

import json
import sys
import sysconfig
from pathlib import Path

import pytest
from serve.inside import Inside

from littlestone.serve import log_table, past
from littlestone.serve.feed import LISTENERS
from littlestone.serve.keys import add_key
from littlestone.serve.openapi import ROUTES
from littlestone.serve.requests import MOST_BYTES
from littlestone.serve.service import Limits

pytestmark = pytest.mark.usefixtures("plain")
SCOPES = ("read", "decide", "admin")
NEEDED = {  # the scope of each route that is no GET; a GET needs read
    "put /v1/learners/{name}": "admin",
    "put /v1/learners/{name}/decisions/{id}": "decide",
    "put /v1/learners/{name}/decisions/{id}/outcome": "decide",
    "put /v1/learners/{name}/decisions/{id}/activate": "decide",
    "post /v1/learners/{name}/rounds": "decide",
    "post /v1/learners/{name}/batch": "decide",
    "post /v1/learners/{name}/fork": "admin",
    "post /v1/learners/{name}/resume": "admin",
    "post /v1/learners/{name}/remove": "admin",
    "get /v1/audit": "admin",
    "get /healthz": None,
    "get /readyz": None,
}


@pytest.fixture(scope="module")
def service(tmp_path_factory, plain_module):
    limits = Limits(learners=5, open=3)
    with Inside(tmp_path_factory.mktemp("inside"), limits=limits) as found:
        found("PUT", "/v1/learners/a", {"learner": "exp3", "n": 2, "interval": [0, 1]})
        yield found


@pytest.fixture(scope="module")
def guarded(tmp_path_factory, plain_module):
    """A service that other machines reach, and a key of each scope."""
    with Inside(tmp_path_factory.mktemp("guarded"), loopback=False) as found:
        store = found.app.service.store
        found.keys = {scope: add_key(store, scope, (scope,)) for scope in SCOPES}
        yield found


def calls():
    """Every route, with a path that can be asked for; streams that do not end are left out."""
    for method, path, _, _ in ROUTES:
        if path != "/v1/events":
            yield (
                method,
                path,
                path.replace("{name}", "a").replace("{id}", "1").replace("{key}", "exp3"),
            )


@pytest.mark.parametrize(("method", "route", "path"), list(calls()))
def test_every_route_needs_its_scope(guarded, method, route, path):
    needed = NEEDED.get(f"{method} {route}", "read")
    method = method.upper()
    if needed is None:
        assert guarded(method, path)[0] == 200
        return
    assert guarded(method, path)[0] == 401
    assert guarded(method, path, authorization="Bearer ls_00000000_" + 64 * "0")[0] == 401
    for scope in SCOPES:
        status, found = guarded(method, path, authorization=f"Bearer {guarded.keys[scope]}")
        assert (status == 403) == (scope not in (needed, "admin")), (scope, status, found)
        assert status not in (401, 500)


@pytest.mark.parametrize(
    ("method", "route", "path"), [*calls(), ("get", "", "/v9/nothing"), ("get", "", "/")]
)
def test_every_answer_has_the_headers(service, method, route, path):
    status, headers, _ = service.answer(method.upper(), path)
    assert status < 500
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert not [name for name in headers if name.startswith("access-control")]
    assert "server" not in headers
    if path == "/":
        assert headers["content-security-policy"].startswith("default-src 'none'")
    if status >= 400:
        assert headers["content-type"] == "application/problem+json"


def test_no_path_of_a_request_reaches_the_file_system(service):
    words = [
        "..%2f..%2fetc%2fpasswd",
        "..",
        "%2e%2e%2fx",
        "%00",
        "a%00b",
        "C:%5cwindows",
        "~root",
        "etc-passwd-marker",
    ]
    opened = []
    watching = [True]

    def note(event, arguments):
        if watching[0] and event in (
            "open",
            "os.listdir",
            "os.mkdir",
            "os.rename",
            "os.remove",
            "shutil.copyfile",
        ):
            opened.append(str(arguments[0]))

    sys.addaudithook(note)
    try:
        for word in words:
            for method, path, _, _ in ROUTES:
                if "{" not in path:
                    continue
                asked = path.replace("{name}", word).replace("{id}", word).replace("{key}", word)
                status, found = service(method.upper(), asked, {})
                assert 400 <= status < 500, (asked, status, found)
            for asked in (f"/page/{word}", f"/{word}", f"/v1/learners/a/decisions/{word}"):
                assert 400 <= service("GET", asked)[0] < 500
        service("GET", f"/v1/learners/a/log.ndjson?after=../{words[-1]}")
    finally:
        watching[0] = False
    package = Path(sysconfig.get_paths()["stdlib"]).parents[1]
    ours = (
        str(service.folder),
        str(package),
        str(Path(__file__).parents[2]),
        sys.prefix,
        "/dev/null",
    )
    assert [p for p in opened if not p.startswith(ours) and not p.isdecimal()] == []
    assert [p for p in opened if "passwd" in p or ".." in p] == []


def test_bounds_on_bodies_names_and_numbers(service):
    before = service("GET", "/v1/learners/a")[1]
    status, _, raw = service.answer("PUT", "/v1/learners/a/decisions/1", b" " * (MOST_BYTES + 1))
    assert (status, json.loads(raw)["title"]) == (413, "body too large")
    assert service("PUT", "/v1/learners/" + 101 * "n", {"learner": "exp3", "n": 2})[0] == 422
    assert service("PUT", "/v1/learners/b", {"learner": "exp3", "n": 10**9})[0] == 422
    assert (
        service("PUT", "/v1/learners/b", {"learner": "exp3", "n": 2, "rounds": 1 << 60})[0] == 422
    )
    assert service("GET", "/v1/learners?limit=100000")[0] == 422
    assert service("GET", "/v1/learners/a/history?points=" + 400 * "9")[0] == 422
    deep = b'{"x":' + b"[" * 100_000
    assert service("PUT", "/v1/learners/a/decisions/1", deep)[0] == 422
    assert service("GET", "/v1/learners/a")[1] == before


def test_bounds_on_the_past(service, monkeypatch):
    service("PUT", "/v1/learners/past", {"learner": "exp3", "n": 2, "interval": [0, 1]})
    for i in range(4):
        service("POST", "/v1/learners/past/rounds", {"id": f"p{i}", "outcome": {"reward": 1.0}})
    monkeypatch.setattr(past, "MOST_REPLAYED", 3)
    monkeypatch.setattr(log_table, "MOST_EVENTS", 3)
    assert service("GET", "/v1/learners/past/certificate?at=3")[0] == 200
    status, found = service("GET", "/v1/learners/past/certificate?at=4")
    assert (status, found["field"]) == (413, "at")
    status, found = service("GET", "/v1/learners/past/log.parquet")
    assert (status, found["field"]) == (413, "after")
    assert service("GET", "/v1/learners/past/log.parquet?after=5")[0] == 200


def test_too_many_learners_and_open_decisions_are_told_when_to_come_back(service):
    spec = {"learner": "exp3", "n": 2, "interval": [0, 1]}
    for i in range(3):
        assert service("PUT", f"/v1/learners/more{i}", spec)[0] == 201
    status, headers, raw = service.answer("PUT", "/v1/learners/one-too-many", spec)
    assert (status, headers["retry-after"], json.loads(raw)["title"]) == (
        429,
        "1",
        "too many learners",
    )
    for i in range(3):
        assert service("PUT", f"/v1/learners/more0/decisions/{i}", {})[0] == 201
    status, headers, raw = service.answer("PUT", "/v1/learners/more0/decisions/3", {})
    assert (status, headers["retry-after"], json.loads(raw)["title"]) == (
        429,
        "1",
        "too many open decisions",
    )
    assert service("PUT", "/v1/learners/more0/decisions/2", {})[0] == 200  # a repeat is no new one
    service("PUT", "/v1/learners/more0/decisions/0/outcome", {"reward": 1.0})
    assert service("PUT", "/v1/learners/more0/decisions/3", {})[0] == 201


def test_a_full_queue_and_too_many_pages_are_told_when_to_come_back(service, monkeypatch):
    monkeypatch.setattr(service.app.writer, "longest", 0)
    status, headers, _ = service.answer("PUT", "/v1/learners/a/decisions/1", {})
    assert (status, headers["retry-after"]) == (503, "1")
    monkeypatch.setattr(service.app.feed, "listeners", LISTENERS)
    status, headers, _ = service.answer("GET", "/v1/events")
    assert (status, headers["retry-after"]) == (429, "1")


def test_what_administrators_do_is_written_down(guarded):
    def admin(method, path, body=None):
        return guarded(method, path, body, authorization=f"Bearer {guarded.keys['admin']}")

    spec = {"learner": "exp3", "n": 2, "interval": [0, 1], "baseline": {"arm": 0}}
    admin("PUT", "/v1/learners/audited", spec)
    admin("POST", "/v1/learners/audited/rounds", {"id": "person.1", "outcome": {"reward": 0.5}})
    admin("POST", "/v1/learners/audited/fork", {"name": "audited-too"})
    admin("POST", "/v1/learners/audited/remove", {"ids": ["person.1"]})
    assert admin("POST", "/v1/learners/audited/resume")[0] == 409  # refused: nothing is written
    rows = admin("GET", "/v1/audit")[1]["audit"]
    said = [(row["actor"], row["action"], row["target"]) for row in rows if row["actor"] == "admin"]
    assert said[:3] == [
        ("admin", "remove", "audited: 1 decisions"),
        ("admin", "fork", "audited -> audited-too"),
        ("admin", "make", "audited"),
    ]
    assert "person" not in json.dumps(rows)
    assert [row["action"] for row in rows if row["actor"] == "command line"] == ["add key"] * 3


def test_an_unexpected_exception_tells_nothing(service, monkeypatch, capfd):
    def broken(*_):
        raise RuntimeError("a secret of the process")

    monkeypatch.setattr(service.app.reader, "learners", broken)
    status, headers, raw = service.answer("GET", "/v1/learners")
    assert (status, json.loads(raw)["title"]) == (500, "internal error")
    assert b"secret" not in raw
    assert headers["x-frame-options"] == "DENY"
    assert "a secret of the process" in capfd.readouterr().err


def test_no_request_can_set_the_address_of_the_webhook(service):
    spec = {"learner": "exp3", "n": 2, "webhook": "http://127.0.0.1:1/"}
    status, found = service("PUT", "/v1/learners/a-hook", spec)
    assert (status, found["title"]) == (422, "not as the schema says")
