"""`littlestone warm`: learners are compiled beforehand, in child processes."""

import json
import subprocess

import numpy as np
import pytest
from click.testing import CliRunner

from littlestone.cli import warm as command
from littlestone.cli.main import main
from littlestone.core import registry
from littlestone.engine.compile import has_numba
from littlestone.play import warm

compiles = pytest.mark.skipif(not has_numba(), reason="rules run plain here")


def warmed(*words):
    return CliRunner().invoke(main, ["warm", *words])


def test_every_learner_can_be_warmed(monkeypatch):
    """Each is played with all that it takes; in plain Python, as what is played is in question here."""
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    for key, cls in registry.learners().items():
        if not cls.__module__.startswith("littlestone."):
            continue
        done = warm.warm(key)
        assert done[-1] == "one round at a time", key
        kinds = {"arms"} if cls.bandit else {"examples"} if cls.examples else {"advice", "losses"}
        assert kinds & set(done), key
        assert ("sparse examples" in done) is (cls.examples and cls.sparse), key


@compiles
def test_a_child_fills_the_cache(tmp_path, monkeypatch):
    """The compiled code of the learner lies in the folder, and a second child does not add to it."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(command, "CHILD", command.CHILD.replace("warm(sys", "only_losses(sys"))
    stub = "from littlestone.play import warm as w\nonly_losses = lambda k: [w.losses(w.make_learner(k)), k][1:]\n"
    monkeypatch.setattr(command, "CHILD", stub + command.CHILD)
    result = warmed("hedge", "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)[0]["played"] == ["hedge"]
    kept = {path.name for path in tmp_path.rglob("*Hedge*.code")}
    assert kept
    warmed("hedge")
    assert {path.name for path in tmp_path.rglob("*Hedge*.code")} == kept


@compiles
def test_unknown_learner_is_refused_before_anything_is_compiled(monkeypatch):
    monkeypatch.setattr(command, "child", lambda key: pytest.fail("it was called"))
    result = warmed("hedge", "trakcer")
    assert result.exit_code == 2
    assert "there is no learner 'trakcer'; did you mean tracker" in result.stderr


@compiles
def test_each_learner_once_and_failures_are_named(monkeypatch):
    asked = []

    def run(words, **options):
        asked.append(words[-1])
        out, err, code = '{"played": ["losses"]}\n', "", 0
        if words[-1] == "boa":
            out, err, code = "", "Traceback\nMemoryError: too much", 1
        return subprocess.CompletedProcess(words, code, out, err)

    monkeypatch.setattr(command.subprocess, "run", run)
    result = warmed("hedge", "boa", "hedge", "--jobs", "2")
    assert sorted(asked) == ["boa", "hedge"]
    assert result.exit_code == 1
    assert "compiled 1 learner in" in result.stdout
    assert "boa: the process that compiles it failed: MemoryError: too much" in result.stderr
    asked.clear()
    assert warmed().exit_code == 1
    assert sorted(asked) == sorted(registry.learners())


def test_nothing_to_compile(monkeypatch):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    result = warmed("hedge")
    assert result.exit_code == 2
    assert "rules run plain here" in result.stderr


def test_help_teaches():
    said = " ".join(warmed("--help").stdout.split())
    for words in ("first run", "NUMBA_CACHE_DIR", "littlestone warm tracker", "--jobs"):
        assert words in said
    assert np.array_equal(warm.Y, warm.X[:, 0])
