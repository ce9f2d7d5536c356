"""kill -9 under load: nothing that was acknowledged is lost, and the log replays to the same bits."""

import time

import pytest
from serve.served import Server
from serve.torture import torture

from littlestone.serve.sqlite_store import SQLiteStore

pytestmark = [pytest.mark.usefixtures("plain"), pytest.mark.subprocess]


def test_nothing_acknowledged_is_lost(tmp_path):
    """At the end it is asked to end, and writes its snapshots."""
    found = torture(tmp_path / "log", 3, 0.4)
    assert (found["cycles"], found["lost"], found["differing"], found["problems"]) == (3, 0, [], [])
    assert found["acknowledged"] > 20
    store = SQLiteStore(tmp_path / "log")
    last = store.rows("select learner, max(seq) from event group by learner")
    assert dict(last) == {row.id: store.snapshots(row.id)[0].seq for row in store.learners()}
    store.close()


def test_an_answer_before_its_commit_is_seen(tmp_path):
    found = torture(tmp_path / "log", 1, 0.4, fault="answer-before-commit", delay=0.5)
    assert found["lost"] > 0


@pytest.mark.compiled
def test_a_new_kind_is_compiled_by_a_child(tmp_path):
    with Server(tmp_path / "log", LITTLESTONE_ENGINE="") as server:
        client = server.client()
        spec = {"learner": "exp3", "n": 2, "interval": [0, 1]}
        status, found = client("PUT", "/v1/learners/a", spec)
        assert (status, found["title"]) == (503, "not compiled yet")
        until = time.monotonic() + 120
        while client("PUT", "/v1/learners/a", spec)[0] == 503 and time.monotonic() < until:
            assert client("GET", "/healthz")[0] == 200
            time.sleep(0.2)
        assert client("PUT", "/v1/learners/a/decisions/1", {})[0] == 201
        assert client("PUT", "/v1/learners/b", spec)[0] == 201
