"""kill -9 under load: nothing that was acknowledged is lost, and the log replays to the same bits."""

import pytest
from serve.served import Server
from serve.torture import torture

pytestmark = [pytest.mark.usefixtures("plain"), pytest.mark.subprocess]


def test_nothing_acknowledged_is_lost(tmp_path):
    found = torture(tmp_path / "log", 5, 0.4)
    assert (found["cycles"], found["lost"], found["differing"], found["problems"]) == (5, 0, [], [])
    assert found["acknowledged"] > 20


def test_an_answer_before_its_commit_is_seen(tmp_path):
    found = torture(tmp_path / "log", 2, 0.4, fault="answer-before-commit", delay=0.5)
    assert found["lost"] > 0


def test_a_writer_that_dies_ends_the_process(tmp_path):
    with Server(tmp_path / "log") as server:
        client = server.client()
        client("PUT", "/v1/learners/a", {"learner": "exp3", "n": 2})
        assert server.stop() == 0
    with Server(tmp_path / "log") as server:  # asked to end, it has written its snapshots
        status, found = server.client()("GET", "/v1/learners/a")
        assert (status, found["rounds"]) == (200, 0)
