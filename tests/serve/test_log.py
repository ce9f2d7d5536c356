"""A random client beside a model, with crashes; and bugs that are planted, each of which it must see."""

import contextlib
import io

import pytest
from serve.faults import FAULTS
from serve.model import Machine, Wrong

from littlestone.serve import keys, service, writer
from littlestone.serve.service import Service
from littlestone.serve.store import Store
from littlestone.serve.writer import Writer

pytestmark = pytest.mark.usefixtures("plain")
ELSEWHERE = {  # which test sees them
    "answer-before-commit": "test_kill.py",
    "key-compared-by-prefix": "test_http.py",
    "writer-dies-silently": "test_writer.py",
    "failed-commit-is-ignored": "test_writer.py",
}


@pytest.fixture
def planted():
    """Plant a bug, and mend it after the test."""
    places = [keys, service, writer, Service, Store, Writer]
    before = [dict(vars(place)) for place in places]
    yield lambda name: FAULTS[name]()
    for place, held in zip(places, before, strict=True):
        for name, v in held.items():
            if vars(place).get(name) is not v:
                setattr(place, name, v)


def play(folder, steps, seed):
    with contextlib.redirect_stderr(
        io.StringIO()
    ):  # exceptions that are planted print their tracebacks
        machine = Machine(folder, seed)
        try:
            machine.play(steps)
        finally:
            machine.store.close()
    return machine


@pytest.mark.parametrize("seed", [1, 2])
def test_memory_is_what_the_log_says(tmp_path, seed):
    machine = play(tmp_path / "log", 350, seed)
    assert len(machine.answers) > 300
    assert len(machine.outcomes) > 250


@pytest.mark.parametrize("name", [name for name in FAULTS if name not in ELSEWHERE])
def test_planted_bugs_are_seen(tmp_path, planted, name):
    planted(name)
    with pytest.raises((Wrong, Exception)) as found:
        play(tmp_path / "log", 300, 1)
    assert not isinstance(found.value, AttributeError)


def test_a_damaged_snapshot_is_passed_over(tmp_path, capfd):
    machine = play(tmp_path / "log", 60, 3)
    store = Store(tmp_path / "log")
    store.db.execute("update snapshot set body=zeroblob(length(body))")
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


def test_another_engine_replays_the_log_and_keeps_every_answer(tmp_path, monkeypatch):
    machine = play(tmp_path / "log", 60, 4)
    store = Store(tmp_path / "log")
    store.db.execute("update engine set name='another one'")
    other = Service(store)
    row = store.learner("arms")
    entry = other.load(row)
    assert entry.engine == 2
    assert other.replayed == entry.seq
    for (name, id_), (_, answer) in machine.answers.items():
        _, found = other.look_up(name, id_)
        assert {k: v for k, v in found.items() if k != "outcome"} == answer
    store.close()
