"""Requests to the service: every kind of learner, refusals, bounds, keys, deadlines, the log."""

import json
import time
from pathlib import Path

import pytest
from serve.inside import Inside
from serve.torture import LEARNERS

from littlestone.core.errors import BadInput
from littlestone.serve import keys
from littlestone.serve.keys import LOOK_EVERY, Keys, add_key, revoke_key
from littlestone.serve.problems import Problem
from littlestone.serve.run import application, serve
from littlestone.serve.service import Limits
from littlestone.serve.sqlite_store import SQLiteStore

pytestmark = pytest.mark.usefixtures("plain")
ROUNDS = {
    "arms": ({}, {"reward": 1.0}),
    "context": ({"x": {"u": 1.0, "v": 0.5, "w": 1.0}}, {"loss": 0.5}),
    "advice": ({"x": [0.1, None, 0.5, 1.0]}, {"y": 0.5}),
    "losses": ({}, {"loss": {"a": 0.0, "b": 1.0}}),
    "examples": ({"x": {"age": 3.0, "city": "Rome"}}, {"y": "yes"}),
    "intervals": ({"x": [1.0]}, {"y": 1.5}),
    "guarded": ({}, {"reward": 0.5}),
}


@pytest.fixture(scope="module")
def client(tmp_path_factory, plain_module):
    """A service in this process; test_client.py and test_kill.py have real servers."""
    with Inside(tmp_path_factory.mktemp("serve") / "log", limits=Limits(in_memory=3)) as service:
        for name, spec in LEARNERS.items():
            assert service("PUT", f"/v1/learners/{name}", spec)[0] == 201
        yield service


@pytest.mark.parametrize("name", LEARNERS)
def test_each_kind_is_asked_and_told(client, name):
    (asked, told), path = ROUNDS[name], f"/v1/learners/{name}/decisions/first"
    status, answer = client("PUT", path, asked)
    assert (status, answer["id"]) == (201, "first")
    assert client("PUT", path, asked) == (200, answer)
    assert client("PUT", path + "/outcome", told)[0] == 201
    assert client("PUT", path + "/outcome", told)[0] == 200
    assert client("PUT", path + "/outcome", {"never": True})[0] == 409
    assert client("PUT", path, asked) == (200, answer)
    assert client("GET", path)[1]["outcome"] is not None
    status, answer = client(
        "POST", f"/v1/learners/{name}/rounds", {"id": "second", "outcome": told, **asked}
    )
    assert (status, answer["id"]) == (201, "second")
    status, found = client("GET", f"/v1/learners/{name}?digest")
    assert (status, found["told"], found["open"], len(found["digest"])) == (200, 2, 0, 64)
    status, found = client("GET", f"/v1/learners/{name}/certificate")
    assert status == 200
    assert found["verdict"] == ("kept" if LEARNERS[name].get("books") else None)
    lines = client("GET", f"/v1/learners/{name}/log.ndjson")[1].splitlines()
    assert [json.loads(line)["event"] for line in lines] == ["decision", "outcome"] * 2
    assert client("GET", f"/v1/learners/{name}/history")[0] == 200


def test_intervals_are_answered_without_infinities(client):
    client("PUT", "/v1/learners/fresh", {"learner": "cover", "n": 1})
    assert client("PUT", "/v1/learners/fresh/decisions/1", {"x": [1.0]})[1]["prediction"] == [
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "title"),
    [
        ("PUT", "/v1/learners/arms", {"learner": "exp3", "n": 2}, 409, "another learner has this name"),
        ("PUT", "/v1/learners/x", {"learner": "nothing"}, 422, "refused by the learner"),
        ("PUT", "/v1/learners/x", {"learner": "exp3", "n": 2, "wrong": 1}, 422, "not as the schema says"),
        ("PUT", "/v1/learners/x", {"learner": "exp3"}, 422, "refused by the learner"),
        ("PUT", "/v1/learners/x", {"learner": "exp3", "n": 2, "labels": ["a"]}, 422, "refused by the learner"),
        ("PUT", "/v1/learners/..%2Fetc", {"learner": "exp3", "n": 2}, 404, "no such route"),
        ("PUT", "/v1/learners/-a", {"learner": "exp3", "n": 2}, 422, "bad name"),
        ("PUT", "/v1/learners/nobody/decisions/1", {}, 404, "unknown learner"),
        ("PUT", "/v1/learners/arms/decisions/1", {"x": [1.0]}, 422, "refused by the learner"),
        ("PUT", "/v1/learners/context/decisions/1", {"x": {"u": 1.0}}, 422, "refused by the learner"),
        ("PUT", "/v1/learners/arms/decisions/none/outcome", {"reward": 1.0}, 404, "unknown decision"),
        ("PUT", "/v1/learners/arms/decisions/none/outcome", {}, 422, "no outcome"),
        ("PUT", "/v1/learners/arms/decisions/none/outcome", {"y": 1, "loss": 1}, 422, "several outcomes"),
        ("GET", "/v1/learners/arms/decisions?limit=x", None, 422, "bad limit"),
        ("POST", "/v1/learners/arms/fork?seq=99999", {"name": "new"}, 422, "no such event"),
        ("DELETE", "/v1/learners/arms", None, 405, "no such method"),
        ("GET", "/v2", None, 404, "no such route"),
        ("PUT", "/v1/learners/x", {"learner": "x" * (1 << 20)}, 413, "body too large"),
    ],
)  # fmt: skip
def test_refusals_are_problems(client, method, path, body, status, title):
    found = client(method, path, body)
    assert (found[0], found[1]["title"]) == (status, title)


def test_a_refusal_names_field_and_value(client):
    client("PUT", "/v1/learners/arms/decisions/field", {})
    status, found = client("PUT", "/v1/learners/arms/decisions/field/outcome", {"reward": 7})
    assert (status, found["field"], found["value"]) == (422, "reward", 7.0)
    status, found = client("PUT", "/v1/learners/arms/decisions/field/outcome", {"reward": 1})
    assert status == 201


@pytest.mark.parametrize(
    "raw", [b"{", b"\xff", b'{"x": 1e999}', b'{"x": NaN}', b"[" * 5000, b'{"x":[[1]]}']
)
def test_bad_json_is_refused(client, raw):
    status, found = client("PUT", "/v1/learners/arms/decisions/j", raw)
    assert (status, found["title"]) == (422, "not as the schema says")


def test_other_hosts_and_forms_are_refused_without_keys(client):
    assert client("GET", "/v1/learners", None, host="evil.example")[0] == 403
    assert client("PUT", "/v1/learners/f", {}, **{"content-type": "text/plain"})[0] == 415
    status, headers, raw = client.answer("GET", "/")
    assert "default-src 'none'" in headers["content-security-policy"]
    assert (status, b"<html" in raw) == (200, True)


def test_a_fork_begins_where_it_was_told(client):
    for i in range(3):
        client(
            "POST",
            "/v1/learners/losses/rounds",
            {"id": f"f{i}", "outcome": {"loss": {"a": 0.0, "b": 1.0}}},
        )
    before = client("GET", "/v1/learners/losses?digest")[1]
    assert client("POST", "/v1/learners/losses/fork", {"name": "fork-now"})[0] == 201
    assert client("POST", "/v1/learners/losses/fork?seq=3", {"name": "fork-3"})[0] == 201
    assert client("GET", "/v1/learners/fork-now?digest")[1]["digest"] == before["digest"]
    found = client("GET", "/v1/learners/fork-3?digest")[1]
    assert (found["events"], found["open"], found["digest"] == before["digest"]) == (3, 1, False)


def test_what_never_hears_back_gets_its_default(client):
    spec = {"learner": "exp3", "n": 2, "interval": [0, 1], "wait": 0.2, "default": {"reward": 0.0}}
    assert client("PUT", "/v1/learners/late", spec)[0] == 201
    client("PUT", "/v1/learners/late/decisions/1", {})
    assert len(client("GET", "/v1/learners/late/decisions?open")[1]["decisions"]) == 1
    until = time.monotonic() + 10
    while client("GET", "/v1/learners/late")[1]["expired"] == 0 and time.monotonic() < until:
        time.sleep(0.1)
    found = client("GET", "/v1/learners/late")[1]
    assert (found["told"], found["expired"], found["open"]) == (1, 1, 0)
    assert client("PUT", "/v1/learners/late/decisions/1/outcome", {"reward": 0.0})[0] == 200
    status, found = client("PUT", "/v1/learners/late/decisions/1/outcome", {"reward": 1.0})
    assert (status, "default was told" in found["detail"]) == (409, True)


def test_openapi_has_every_route(client):
    document = client("GET", "/openapi.json")[1]
    assert document["openapi"] == "3.1.0"
    assert document["components"]["schemas"]["kind.exp3"]["title"] == "exp3"
    for path in document["paths"]:
        method = next(iter(document["paths"][path])).upper()
        url = path.replace("{name}", "nobody").replace("{id}", "1").replace("{key}", "exp3")
        if path != "/v1/events":
            assert client(method, url)[0] != 405
    assert client("GET", "/v1/kinds")[1]["kinds"]
    assert client("GET", "/readyz") == (200, {"status": "ok"})
    assert b"littlestone_commits_total" in client("GET", "/metrics")[1]


# Keys.


def refused(store, header, scope):
    with pytest.raises(Problem) as found:
        Keys(store).check(header, scope)
    return found.value.status


def check_keys(store):
    key, other = add_key(store, "app", ("decide",)), add_key(store, "boss", ("admin",))
    assert Keys(store).check(f"Bearer {key}", "decide") == "app"
    assert Keys(store).check(f"bearer {other}", "read") == "boss"
    assert refused(store, f"Bearer {key}", "admin") == 403
    for wrong in (key[:-1], key[:-1] + "g", key[:12], "", key.upper(), f"ls_{key[3:11]}_"):
        assert refused(store, f"Bearer {wrong}", "decide") == 401
    assert refused(store, key, "decide") == 401
    assert key.encode() not in Path(store.path).read_bytes()
    revoke_key(store, key[3:11])
    assert refused(store, f"Bearer {key}", "decide") == 401


def test_keys(tmp_path):
    check_keys(SQLiteStore(tmp_path))
    for call in (lambda s: add_key(s, "a", ("everything",)), lambda s: revoke_key(s, "nobody")):
        with pytest.raises(BadInput):
            call(SQLiteStore(tmp_path))


def test_a_key_compared_by_prefix_is_seen(tmp_path, monkeypatch):
    class Loose:
        compare_digest = staticmethod(lambda a, b: a[:0] == b[:0])

    monkeypatch.setattr(keys, "hmac", Loose)
    with pytest.raises(pytest.fail.Exception):
        check_keys(SQLiteStore(tmp_path))


def test_a_running_server_notices_keys(tmp_path):
    with Inside(tmp_path / "log") as own:
        assert own("GET", "/v1/learners")[0] == 200
        key = add_key(SQLiteStore(tmp_path / "log"), "reader", ("read",))
        time.sleep(LOOK_EVERY)
        assert own("GET", "/v1/learners")[0] == 401
        assert own("GET", "/v1/learners", authorization=f"Bearer {key}")[0] == 200
        spec = {"learner": "exp3", "n": 2}
        assert own("PUT", "/v1/learners/a", spec, authorization=f"Bearer {key}")[0] == 403
        assert own("GET", "/healthz")[0] == 200


def test_other_machines_are_served_with_keys_only(tmp_path):
    with pytest.raises(BadInput, match="there is no key") as found:
        serve(tmp_path, "0.0.0.0", 0)
    assert found.value.field == "host"


def test_one_service_works_on_a_folder(tmp_path):
    first = application(tmp_path)
    with pytest.raises(BadInput, match="in use by another service"):
        application(tmp_path)
    first.close()
    application(tmp_path).close()
