"""With Numba's private parts switched off everything works: a sample of learners, in every way of playing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from littlestone.engine import probe
from littlestone.engine.compile import has_numba, numba_imports

HERE = Path(__file__).parent.parent
pytestmark = pytest.mark.skipif(
    not has_numba(), reason="numba is not installed: compiled rules not tested"
)

# The generic checks of one learner that need compiled rules.
CHECKS = """
import json, sys
sys.path.insert(0, sys.argv[1])
from support.rows import made, row
import littlestone as ls
from littlestone.testing import checks
done = []
for name, check in checks(made(sys.argv[2]), row(sys.argv[2])):
    if name == "compiled is plain" or name.endswith("resumed (compiled)"):
        check()
        done.append(name)
print(json.dumps({"done": done, "id": ls.engine_id(), "inside": "littlestone.engine.numba_internals" in sys.modules}))
"""


@pytest.mark.parametrize("key", ["hedge", "perceptron", "ucb1"])
def test_a_learner_plays_by_public_ways(key, tmp_path):
    env = os.environ | {
        probe.SWITCH: "off",
        "LITTLESTONE_ENGINE": "",
        "NUMBA_CACHE_DIR": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-c", CHECKS, str(HERE), key],
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert len(told["done"]) == 2
    assert told["id"].endswith("public Numba")
    assert told["inside"] is False
    assert any(tmp_path.rglob("*.nbc"))  # Numba's own cache


@pytest.fixture
def untested(monkeypatch, tmp_path):
    """A version of Numba that nobody has run; what is tried is counted, and nothing is remembered yet."""
    import numba

    monkeypatch.setattr(numba, "__version__", "99.1")
    monkeypatch.delenv(probe.SWITCH, raising=False)
    monkeypatch.setattr(probe, "remembered", lambda version: [tmp_path / "no" / version])
    probe.verdict.cache_clear()
    yield tmp_path / "no" / "99.1"
    probe.verdict.cache_clear()


def test_a_version_is_tried_once_and_remembered(untested, monkeypatch):
    calls = []
    monkeypatch.setattr(probe, "tried", lambda: calls.append(1) or probe.PUBLIC)
    for _ in range(2):
        probe.verdict.cache_clear()
        assert probe.verdict() == probe.PUBLIC
        assert not probe.used()
    assert len(calls) == 1
    assert untested.read_text(encoding="utf-8") == "public\n"
    untested.write_text("half a wo", encoding="utf-8")
    probe.verdict.cache_clear()
    assert probe.verdict() == probe.PUBLIC
    assert len(calls) == 2


@pytest.mark.parametrize(
    ("works", "found"), [("on", "internals"), ("off", "public"), ("", "nothing")]
)
def test_what_is_tried_may_fail_or_abort(works, found, monkeypatch):
    class Done:
        stdout = ""

    def run(command, env, **_):
        done = Done()
        done.stdout = "works\n" if env[probe.SWITCH] == works else ""
        return done

    monkeypatch.setattr(probe.subprocess, "run", run)
    assert probe.tried() == found


def test_where_nothing_works_rules_run_plain(untested, monkeypatch):
    monkeypatch.setattr(probe, "tried", lambda: probe.NOTHING)
    monkeypatch.delenv("LITTLESTONE_ENGINE", raising=False)
    numba_imports.cache_clear()
    try:
        assert not has_numba()
    finally:
        numba_imports.cache_clear()


def test_the_rules_that_are_tried_work_here(tmp_path):
    """As the child process of a probe plays them."""
    env = os.environ | {
        probe.SWITCH: "on",
        "LITTLESTONE_ENGINE": "",
        "NUMBA_CACHE_DIR": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-c", probe.RULES],
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.stdout == "works\n", done.stderr[-3000:]


def test_a_switch_is_obeyed(monkeypatch):
    for said, found in (("off", probe.PUBLIC), ("on", probe.INTERNALS)):
        monkeypatch.setenv(probe.SWITCH, said)
        probe.verdict.cache_clear()
        assert probe.verdict() == found
    probe.verdict.cache_clear()
