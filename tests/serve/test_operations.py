"""Activation, batches, Idempotency-Key, certificates of the past, the log as a table, removal."""

import io
import json

import numpy as np
import pytest
from serve.inside import Inside, digests
from serve.torture import LEARNERS, outcome, question

import littlestone as ls
from littlestone.offpolicy import LoggedDecisions, off_policy_value
from littlestone.serve.removal import remove
from littlestone.serve.requests import Outcome, Question, Removal, Spec
from littlestone.serve.service import Limits, Service

pytestmark = pytest.mark.usefixtures("plain")


@pytest.fixture(scope="module")
def service(tmp_path_factory, plain_module):
    with Inside(tmp_path_factory.mktemp("inside"), limits=Limits(snapshot_every=30)) as found:
        yield found


@pytest.fixture
def arms(service, request):
    """A bandit of its own, and its path."""
    name = request.node.name.translate(str.maketrans("[]", "..")).rstrip(".")
    path = f"/v1/learners/{name}"
    spec = {"learner": "exp3", "names": ["a", "b"], "interval": [0, 1], "wait": 1000}
    assert service("PUT", path, spec)[0] == 201
    yield path
    digests(service, name)


def test_a_deferred_decision_waits_until_it_is_activated(service, arms):
    one = arms + "/decisions/1"
    assert service("PUT", one, {"deferred": True})[0] == 201
    status, found = service("PUT", one + "/outcome", {"reward": 1.0})
    assert (status, found["title"]) == (409, "not activated")
    assert service("GET", arms)[1]["told"] == 0
    assert service("PUT", one + "/activate")[0] == 201
    assert service("PUT", one + "/activate")[0] == 200
    assert service("PUT", one + "/outcome", {"reward": 1.0})[0] == 201
    assert service("PUT", arms + "/decisions/none/activate")[0] == 404
    service("PUT", arms + "/decisions/2", {})
    assert service("PUT", arms + "/decisions/2/activate")[0] == 200  # it was never deferred
    kinds = [
        json.loads(line)["event"] for line in service("GET", arms + "/log.ndjson")[1].splitlines()
    ]
    assert kinds == ["decision", "activation", "outcome", "decision"]


def test_what_was_not_shown_is_closed_without_its_default(service, tmp_path):
    spec = {"learner": "exp3", "n": 2, "interval": [0, 1], "wait": 1e-6, "default": {"reward": 1.0}}
    service("PUT", "/v1/learners/hidden", spec)
    service("PUT", "/v1/learners/hidden/decisions/1", {"deferred": True})
    service.run(service.app.writer.do(lambda s: s.expire("hidden", "1"), "hidden"))
    found = service("GET", "/v1/learners/hidden")[1]
    assert (found["told"], found["never"], found["expired"], found["mean"]) == (1, 1, 1, None)
    status, found = service("PUT", "/v1/learners/hidden/decisions/1/activate")
    assert (status, found["title"]) == (409, "too late")
    digests(service, "hidden")


def test_many_operations_are_one_commit(service, arms):
    batches = service.app.writer.batches
    many = [
        {"id": "1", "decide": {}},
        {"id": "1", "tell": {"reward": 1.0}},
        {"id": "1", "tell": {"reward": 0.0}},
        {"id": "2", "decide": {}, "tell": {"reward": 0.5}},
        {"id": "3", "decide": {"deferred": True}},
        {"id": "3", "activate": True},
        {"id": "nobody", "tell": {"never": True}},
        {"id": "4", "decide": {"x": [1.0]}},
        {"id": "5", "decide": {}, "tell": {"reward": 7.0}},
        {"id": "6"},
        {"id": "-", "decide": {}},
    ]
    status, found = service("POST", arms + "/batch", {"operations": many})
    assert status == 200
    assert [one["status"] for one in found["results"]] == [
        201,
        201,
        409,
        201,
        201,
        201,
        404,
        422,
        422,
        422,
        422,
    ]
    assert [one["id"] for one in found["results"]] == [one["id"] for one in many]
    assert found["results"][0]["prediction"] in ("a", "b")
    assert found["results"][8]["field"] == "reward"
    assert service.app.writer.batches == batches + 1
    assert service("GET", arms + "/decisions/5")[0] == 404
    found = service("GET", arms)[1]
    assert (found["events"], found["open"]) == (6, 1)
    again = service("POST", arms + "/batch", {"operations": many[:2]})[1]
    assert [one["status"] for one in again["results"]] == [200, 200]


def test_a_batch_that_is_too_large_is_refused(service, arms):
    many = {"operations": [{"id": "a", "decide": {}}] * 1001}
    status, found = service("POST", arms + "/batch", many)
    assert (status, found["field"]) == (413, "operations")
    assert service("GET", arms)[1]["events"] == 0
    assert service("POST", "/v1/learners/nobody/batch", {"operations": []})[0] == 404


def test_a_request_under_one_key_is_done_once(service, arms):
    body = {"outcome": {"reward": 1.0}}
    first = service("POST", arms + "/rounds", body, idempotency_key="k1")
    assert first[0] == 201
    assert first[1]["id"] == "k1"
    assert service("POST", arms + "/rounds", body, idempotency_key="k1") == first
    service.crash()
    assert service("POST", arms + "/rounds", body, idempotency_key="k1") == first
    status, found = service(
        "POST", arms + "/rounds", {"outcome": {"reward": 0.0}}, idempotency_key="k1"
    )
    assert (status, found["title"], found["field"]) == (422, "key was used", "Idempotency-Key")
    many = {"operations": [{"id": "x", "decide": {}}]}
    found = service("POST", arms + "/batch", many, idempotency_key="k2")
    assert found[1]["results"][0]["status"] == 201
    assert service("POST", arms + "/batch", many, idempotency_key="k2") == found
    assert service("POST", arms + "/batch", many)[1]["results"][0]["status"] == 200
    bad = service("POST", arms + "/rounds", {"outcome": {"reward": 9.0}}, idempotency_key="k3")
    assert bad[0] == 422
    assert (
        service("POST", arms + "/rounds", body, idempotency_key="k3")[0] == 201
    )  # a refusal is not kept
    assert service("POST", arms + "/rounds", body)[0] == 422  # no id at all
    assert service("POST", arms + "/rounds", body, idempotency_key="no key!")[0] == 422
    assert len(service("GET", arms + "/log.ndjson")[1].splitlines()) == 5


def test_a_fork_has_keys_of_its_own(service, arms):
    body = {"outcome": {"reward": 1.0}}
    service("POST", arms + "/rounds", body, idempotency_key="k")
    assert service("POST", arms + "/fork", {"name": "keys-fork"})[0] == 201
    found = service(
        "POST", "/v1/learners/keys-fork/rounds", body | {"id": "new"}, idempotency_key="k"
    )
    assert (found[0], found[1]["id"]) == (201, "new")


@pytest.mark.parametrize("name", ["advice", "arms"])
def test_a_certificate_of_the_past_is_what_was_said_then(service, name):
    import random

    r, path = random.Random(5), f"/v1/learners/past-{name}"
    assert service("PUT", path, LEARNERS[name])[0] == 201
    then = {}
    for i in range(30):
        told = {"reward": 0.5} if name == "arms" else {"y": 0.5}
        body = {"id": str(i), "outcome": told, "x": question(name, r).get("x")}
        assert service("POST", path + "/rounds", body)[0] == 201
        if i in (3, 20):
            found = service("GET", path + "/certificate")[1]
            then[found["event"]] = found
    assert list(then) == [8, 42]
    for at, found in then.items():
        assert service("GET", f"{path}/certificate?at={at}") == (200, found)
    status, found = service("GET", path + "/certificate?at=999")
    assert (status, found["field"]) == (422, "at")
    assert service("GET", "/v1/learners/nobody/certificate?at=1")[0] == 404
    digests(service, f"past-{name}")


# The log as a table.


def table(service, path, folder):
    status, headers, raw = service.answer("GET", path + "/log.parquet")
    assert (status, headers["content-type"]) == (200, "application/vnd.apache.parquet")
    file = folder / "log.parquet"
    file.write_bytes(raw)
    return file


def test_off_policy_estimates_read_the_table_of_a_bandit(service, arms, tmp_path):
    rewards = np.random.default_rng(0).random(40)
    for i, reward in enumerate(rewards):
        service("POST", arms + "/rounds", {"id": str(i), "outcome": {"reward": reward}})
    service("PUT", arms + "/decisions/open", {})
    file = table(service, arms, tmp_path)
    columns = {"arm": "arm", "reward": "reward", "propensity": "propensity"}
    log = LoggedDecisions.read(str(file), **columns)
    assert len(log) == 40
    assert log.outcomes.tolist() == rewards.tolist()
    lines = [json.loads(s) for s in service("GET", arms + "/log.ndjson")[1].splitlines()]
    answers = [line["answer"] for line in lines if line["event"] == "decision"][:40]
    assert log.propensities.tolist() == [a["probability"] for a in answers]
    assert [log.names[a] for a in log.arms] == [a["prediction"] for a in answers]
    found = off_policy_value(str(file), "a", methods=["ips"], **columns)["ips"].value
    direct = [
        r / a["probability"] * (a["prediction"] == "a")
        for r, a in zip(rewards, answers, strict=True)
    ]
    assert found == pytest.approx(np.mean(direct))


def test_play_reads_the_table_of_experts_and_examples(service, tmp_path):
    r = np.random.default_rng(1)
    spec = {
        "learner": "hedge",
        "parameters": {"loss": "square"},
        "names": ["u", "v"],
        "interval": [0, 1],
        "rounds": 30,
    }
    service("PUT", "/v1/learners/table-experts", spec)
    for i in range(30):
        body = {"id": str(i), "x": {"u": r.random(), "v": r.random()}, "outcome": {"y": r.random()}}
        assert service("POST", "/v1/learners/table-experts/rounds", body)[0] == 201
    file = table(service, "/v1/learners/table-experts", tmp_path)
    run = ls.play(
        ls.Hedge(loss="square"), str(file), outcome="y", experts=["!log.*"], interval=(0, 1)
    )
    found = service("GET", "/v1/learners/table-experts")[1]
    assert len(run.losses) == 30
    assert run.loss / 30 == pytest.approx(found["mean"])
    service("PUT", "/v1/learners/table-examples", {"learner": "online-linear"})
    for i in range(30):
        body = {
            "id": str(i),
            "x": {"age": r.random(), "city": "Rome"},
            "outcome": {"y": "yes" if i % 3 else "no"},
        }
        assert service("POST", "/v1/learners/table-examples/rounds", body)[0] == 201
    file = table(service, "/v1/learners/table-examples", tmp_path)
    run = ls.play("online-linear", str(file), outcome="y", features=["!log.*"])
    assert run.loss > 0.0
    import pyarrow.parquet as pq

    assert pq.read_table(io.BytesIO(file.read_bytes())).column("log.id").to_pylist() == [
        str(i) for i in range(30)
    ]
    assert service("GET", "/v1/learners/nobody/log.parquet")[0] == 404


# Removal.


@pytest.mark.parametrize("name", LEARNERS)
def test_what_is_removed_is_in_no_file_and_was_never_learned(service, name, tmp_path):
    import random

    def play(path, r, heard):
        """Rounds of several people; of those that are not heard nobody ever tells the outcome."""
        for i in range(50):
            who = f"mallory-{name}" if i % 4 == 1 else "bob"
            asked = question(name, r)
            if name == "examples" and who != "bob":
                asked["x"]["secret-word"] = 1.0
            told = outcome(name, r)
            assert service("PUT", f"{path}/decisions/{who}.{i}", asked)[0] == 201
            if i < 45:
                told = told if who == "bob" or heard else {"never": True}
                assert service("PUT", f"{path}/decisions/{who}.{i}/outcome", told)[0] == 201

    path = f"/v1/learners/removal-{name}"
    service("PUT", path, LEARNERS[name])
    play(path, random.Random(3), True)
    one = {"id": f"mallory-{name}.x", "decide": question(name, random.Random(1))}
    key = service("POST", path + "/batch", {"operations": [one]}, idempotency_key="key")
    assert key[0] == 200
    before = service("GET", path)[1]
    status, found = service("POST", path + "/remove", {"prefix": f"mallory-{name}."})
    assert (status, found["removed"]) == (200, 14)
    after = service("GET", path)[1]
    assert (after["rounds"], after["open"]) == (before["rounds"], before["open"] - 3)
    assert service("GET", f"{path}/decisions/mallory-{name}.1")[0] == 404
    assert service("GET", path + "/decisions/bob.0")[0] == 200
    digests(service, f"removal-{name}")
    text = service("GET", path + "/log.ndjson")[1]
    assert b"mallory" not in text
    assert b"secret-word" not in text
    files = {f.name: f.read_bytes() for f in service.folder.iterdir() if f.is_file()}
    assert any(b"bob.0" in raw for raw in files.values())
    assert [
        f for f, raw in files.items() if f"mallory-{name}".encode() in raw or b"secret-word" in raw
    ] == []
    # what it has learned is what it would have, had the outcomes never come: answers given meanwhile stay
    assert after["told"] == before["told"] + 3
    assert (
        service("PUT", f"{path}/decisions/mallory-{name}.1", question(name, random.Random(2)))[0]
        == 201
    )
    service.crash()
    digests(service, f"removal-{name}")


def test_removal_gives_the_state_of_outcomes_that_never_came(service):
    for name, removed in (("gone", True), ("unheard", False)):
        path = f"/v1/learners/{name}"
        service(
            "PUT",
            path,
            {
                "learner": "hedge",
                "n": 2,
                "losses": True,
                "interval": [0, 1],
                "seed": 3,
                "books": True,
            },
        )
        for i in range(12):
            service("PUT", f"{path}/decisions/p{i}", {})
        for i in range(12):
            told = {"loss": [0.05 * i, 0.5]} if i % 3 or removed else {"never": True}
            service("PUT", f"{path}/decisions/p{i}/outcome", told)
    ids = [f"p{i}" for i in range(0, 12, 3)]
    assert service("POST", "/v1/learners/gone/remove", {"ids": ids})[1]["removed"] == 4
    one, other = (service.app.service.entry(name).learner for name in ("gone", "unheard"))
    assert one.state.L.tolist() == other.state.L.tolist()
    assert service("GET", "/v1/learners/gone/certificate")[1]["certified"] == 12
    text = "select actor, action, target from audit where action='remove'"
    audit = list(service.app.service.store.rows(text))
    assert audit[-1] == ("loopback", "remove", "gone: 4 decisions")


@pytest.mark.parametrize(
    ("body", "status"), [({}, 422), ({"ids": ["nobody"]}, 404), ({"ids": ["1", "nobody"]}, 404)]
)
def test_a_removal_that_is_refused_removes_nothing(service, arms, body, status):
    service("POST", arms + "/rounds", {"id": "1", "outcome": {"reward": 1.0}})
    assert service("POST", arms + "/remove", body)[0] == status
    assert service("GET", arms + "/decisions/1")[0] == 200


def test_removal_is_the_same_in_either_store(new_log):
    store = new_log()
    service = Service(store)

    def commit():
        store.commit(service.take_batch()[0])
        service.after_commit()

    service.make("a", Spec("exp3", names=["u", "v"], interval=(0.0, 1.0)))
    for i in range(6):
        service.play_round(
            "a", f"{'zoe' if i % 2 else 'bob'}.{i}", Question(), Outcome(reward=0.1 * i)
        )
    service.snapshot_all()
    commit()
    assert store.snapshots(1)
    assert service.apply(lambda s: remove(s, "a", Removal(prefix="zoe."), "boss"), "a")[0] == 200
    assert service.apply(lambda s: s.read("a"), "a") is None  # in the next batch, from the log
    commit()
    assert store.snapshots(1) == []
    assert not any("zoe" in e.id or b"zoe" in e.body for e in store.events(1))
    assert store.audited(1)[0][1:] == ("boss", "remove", "a: 3 decisions")
    again = new_log()
    found, other = service.entry("a"), Service(again).load(store.learner("a"))
    assert found.learner.digest(tickets=True) == other.learner.digest(tickets=True)
    assert (found.totals.told, found.totals.never) == (6, 3)
    store.close()
    again.close()
