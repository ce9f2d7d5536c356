"""A random client beside a model, with crashes; and bugs that are planted, each of which it must see."""

import contextlib
import io

import pytest
from serve.faults import FAULTS
from serve.model import Machine, Wrong

from littlestone.serve.service import Service

pytestmark = pytest.mark.usefixtures("plain")
ELSEWHERE = {  # which test sees them
    "answer-before-commit": "test_kill.py",
    "key-compared-by-prefix": "test_http.py",
    "writer-dies-silently": "test_writer.py",
    "failed-commit-is-ignored": "test_writer.py",
    "lease-is-not-fenced": "test_lease.py",
    "lease-is-taken-from-a-live-worker": "test_lease.py",
}

OF_STORES = ["decisions-stay-open", "first-snapshot-is-kept-for-ever", "fork-ignores-its-event"]


def play(open_log, steps, seed):
    with contextlib.redirect_stderr(
        io.StringIO()
    ):  # exceptions that are planted print their tracebacks
        machine = Machine(open_log, seed)
        try:
            machine.play(steps)
        finally:
            machine.store.close()
    return machine


def check_play(open_log, steps, seed):
    machine = play(open_log, steps, seed)
    assert len(machine.answers) > 0.8 * steps
    assert len(machine.outcomes) > 0.7 * steps


def test_memory_is_what_the_log_says(sqlite):
    check_play(sqlite, 250, 1)


def test_memory_is_what_the_log_in_postgresql_says(postgres_log):
    check_play(postgres_log, 60, 2)


@pytest.mark.parametrize("name", [name for name in FAULTS if name not in ELSEWHERE])
def test_planted_bugs_are_seen(sqlite, planted, name):
    see(sqlite, planted, name)


@pytest.mark.parametrize("name", OF_STORES)
def test_planted_bugs_of_postgresql_are_seen(postgres_log, planted, name):
    see(postgres_log, planted, name)


def see(open_log, planted, name):
    planted(name)
    with pytest.raises((Wrong, Exception)) as found:
        play(open_log, 300, 1)
    assert not isinstance(found.value, AttributeError)


def test_a_damaged_snapshot_is_passed_over(sqlite, capfd):
    machine = play(sqlite, 60, 3)
    store = sqlite()
    store.do("update snapshot set body=substr(body, 2)")
    rows = store.learners()
    assert store.number("select count(*) from snapshot")
    for row in rows:
        found = Service(store).load(row)
        assert found.seq == store.number(
            "select coalesce(max(seq), 0) from event where learner=?", (row.id,)
        )
    assert "is damaged" in capfd.readouterr().err
    assert machine.answers
    store.close()


def test_another_engine_replays_the_log_and_keeps_every_answer(sqlite, monkeypatch):
    machine = play(sqlite, 60, 4)
    store = sqlite()
    store.do("update engine set name='another one'")
    other = Service(store)
    row = store.learner("arms")
    entry = other.load(row)
    assert entry.engine == 2
    assert other.replayed == entry.seq
    for (name, id_), (_, answer) in machine.answers.items():
        _, found = other.look_up(name, id_)
        assert {k: v for k, v in found.items() if k != "outcome"} == answer
    store.close()
