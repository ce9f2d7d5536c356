"""Backup, restore and upgrade: a log is copied while it is in use, and checked; one of version 0.14 is read."""

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from serve.model import Machine

from littlestone.cli.main import main
from littlestone.core.errors import BadInput
from littlestone.serve.copy_log import check_log, copy_log, opened
from littlestone.serve.service import Service
from littlestone.serve.sqlite_store import FILE, SQLiteStore

pytestmark = pytest.mark.usefixtures("plain")
GOLDEN = Path(__file__).parent.parent / "golden" / "service"


def whole(store):
    """Every row of a log."""
    tables = ("engine", "learner", "event", "open", "snapshot", "api_key", "audit")
    return {table: sorted(store.rows(f"select * from {table}"), key=repr) for table in tables}


@pytest.fixture
def used(postgres_log):
    """A log that a service is at work on."""
    machine = Machine(postgres_log, 5)
    for _ in range(25):
        machine.step()
    return machine.store


def test_a_copy_holds_all_and_goes_back(used, postgres, tmp_path):
    """From a database into a file, from there into another database, and checked there."""
    backup = SQLiteStore(tmp_path / "backup", durable=False)
    copied = copy_log(used, backup)
    assert whole(backup) == whole(used)
    assert copied.learners == used.count_learners()
    assert copied.events == used.number("select count(*) from event") > 30
    restored = opened(postgres.new_log())
    copy_log(backup, restored)
    assert whole(restored) == whole(used)
    found = check_log(restored)
    assert (found.wrong, found.events) == ([], copied.events)
    for store in (backup, restored):
        with pytest.raises(BadInput, match="holds a log already"):
            copy_log(used, store)
        store.close()


def test_a_copy_that_fails_leaves_nothing(used, tmp_path, monkeypatch):
    backup = SQLiteStore(tmp_path / "backup", durable=False)
    monkeypatch.setattr(backup, "insert", lambda table, rows: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        copy_log(used, backup)
    assert not any(whole(backup).values())
    backup.close()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("update event set cost=cost, ticket=substr(ticket, 2) where kind=1 and seq=1", "not a Littlestone file"),
        ("delete from open", "other decisions are open"),
        ("update snapshot set body=substr(body, 2)", "is damaged"),
        ("update event set body=replace(body, '\"reward\":', '\"loss\":') where kind=2", "another state"),
    ],
)  # fmt: skip
def test_a_check_sees_what_is_wrong(tmp_path, change, said):
    machine = Machine(lambda: SQLiteStore(tmp_path / "log", durable=False), 6)
    for _ in range(20):
        machine.step()
    machine.service.snapshot_all()
    machine.commit()
    assert check_log(machine.store).wrong == []
    machine.store.do(change)
    assert any(said in line for line in check_log(machine.store).wrong)
    machine.store.close()


@pytest.fixture
def old_log(tmp_path):
    """A log that version 0.14 has written; a service has left it without being asked to."""
    (tmp_path / "old").mkdir()
    raw = gzip.decompress((GOLDEN / "log-0.14.db.gz").read_bytes())
    (tmp_path / "old" / FILE).write_bytes(raw)
    return tmp_path / "old"


def test_a_log_of_0_14_is_read_and_every_answer_stays(old_log):
    expected = json.loads((GOLDEN / "log-0.14.json").read_text(encoding="utf-8"))
    store = SQLiteStore(old_log)
    assert check_log(store).wrong == []
    service = Service(store)
    for name, told in expected["learners"].items():
        found = service.read(name)[1]
        assert {k: found[k] for k in told} == told
    for key, answer in expected["answers"].items():
        found = service.look_up(*key.split())[1]
        assert {k: found[k] for k in answer} == answer
    store.close()


def test_the_drill_by_commands(old_log, tmp_path):
    """The commands of the page on backups, in their order."""
    call = CliRunner().invoke
    copy, back = tmp_path / "copy", tmp_path / "back"
    found = call(main, ["log", "copy", str(old_log), str(copy)])
    assert found.output == "copied: 5 learners, 165 events\n"
    assert "nothing wrong" in call(main, ["log", "check", str(copy)]).output
    assert call(main, ["log", "copy", str(copy), str(back)]).exit_code == 0
    store = SQLiteStore(back)
    store.do("delete from open")
    store.close()
    found = call(main, ["log", "check", str(back)])
    assert found.exit_code == 1
    assert "other decisions are open than its log says" in found.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "nowhere"], "nowhere holds no log"),
        (["copy", "nowhere", "there"], "nowhere holds no log"),
        (["check", "postgresql://app@127.0.0.1:1/none"], "--postgres cannot be reached"),
    ],
)
def test_mistakes_are_one_line(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as found:
        main(["log", *arguments])
    assert found.value.code == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "there").exists()
