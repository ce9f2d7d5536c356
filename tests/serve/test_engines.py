"""A log that one engine has written, on a processor target that computes other bits: every answer stays."""

import pytest
from serve.served import Server

from littlestone.engine.target import architecture
from littlestone.serve.sqlite_store import SQLiteStore

pytestmark = [pytest.mark.compiled, pytest.mark.subprocess]
SPEC = {"learner": "exp3", "n": 3, "interval": [0, 1], "seed": 5}
PATH = "/v1/learners/a/decisions/"


def test_another_target_replays_the_log_and_keeps_every_answer(tmp_path):
    with Server(tmp_path / "log") as server:
        client = server.client()
        client("PUT", "/v1/learners/a", SPEC)
        answers = [client("PUT", f"{PATH}{i}", {})[1] for i in range(40)]
        for i in range(0, 40, 2):
            client("PUT", f"{PATH}{i}/outcome", {"reward": 0.1 * (i % 7)})
        before = client("GET", "/v1/learners/a?digest")[1]
        assert server.stop() == -15  # with a snapshot
    other = "x86-64-v2" if architecture() == "x86-64" else "host"
    with Server(tmp_path / "log", LITTLESTONE_ENGINE="", LITTLESTONE_TARGET=other) as server:
        client = server.client()
        assert [client("PUT", f"{PATH}{i}", {})[1] for i in range(40)] == answers
        after = client("GET", "/v1/learners/a?digest")[1]
        assert [after[k] for k in ("rounds", "open", "told", "mean")] == [
            before[k] for k in ("rounds", "open", "told", "mean")
        ]
        assert client("PUT", f"{PATH}1/outcome", {"reward": 1.0})[0] == 201
        assert client("PUT", f"{PATH}new", {})[0] == 201
        assert "littlestone_replayed_events_total 60" in client("GET", "/metrics")[1]
        server.stop()
    store = SQLiteStore(tmp_path / "log")
    engines = [name for (name,) in store.rows("select name from engine order by id")]
    assert len(engines) == 2
    assert "plain" in engines[0]
    assert other in engines[1]
    assert {e for (e,) in store.rows("select engine from event where seq>60")} == {2}
    store.close()
