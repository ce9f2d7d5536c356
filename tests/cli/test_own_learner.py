"""A learner of the user's own at the command line, FILE.py:CLASS."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "add-a-learner.md"


@pytest.fixture
def own(tmp_path, monkeypatch):
    """The learner of the documentation, in a file of its own."""
    monkeypatch.chdir(tmp_path)
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)[1]
    (tmp_path / "own_leader.py").write_text(
        code.replace("FollowTheExpert", "OwnLeader"), encoding="utf-8"
    )
    return tmp_path


def asked(*words):
    """In another process: a class that was imported here would be among the learners of all tests that follow."""
    return subprocess.run(
        [sys.executable, "-m", "littlestone", *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "LITTLESTONE_ENGINE": "plain"},
        timeout=120,
    )


def test_it_is_attacked_and_its_worst_run_played_again(own):
    found = asked("falsify", "own_leader.py:OwnLeader", "--runs", "12", "--out", "w.csv")
    assert found.returncode == 0, found.stderr
    assert "T-FTL-CHANGES" in found.stdout
    assert "survived" in found.stdout
    command = shlex.split(found.stdout.partition("play it again: littlestone ")[2])
    assert "own_leader.py:OwnLeader" in command
    again = asked(*command, "--report", "")
    assert again.returncode == 0, again.stderr
    assert "kept" in again.stdout


def test_a_bound_of_ones_own_that_is_wrong_is_broken(own):
    found = asked("falsify", "own_leader.py:OwnLeader", "--bound", "T/8", "--runs", "40")
    assert found.returncode == 1, found.stderr
    assert "broken" in found.stdout


def test_it_is_compared_with_others(own):
    name = "own_leader.py:OwnLeader:loss=square"
    said = asked("compare", "--learner", name, "--learner", "boa", "--report", "")
    assert said.returncode == 0, said.stderr
    assert name in said.stdout


@pytest.mark.parametrize(
    ("learner", "said"),
    [
        ("own_leader.py:Nobody", "own_leader.py has no learner called 'Nobody'; its learners: OwnLeader"),
        ("own_leader.py", "own_leader.py: which class of this file? Write own_leader.py:MyLearner"),
        ("none.py:OwnLeader", "none.py: there is no such file"),
        ("bad.py:X", "bad.py cannot be imported: ZeroDivisionError: division by zero"),
        ("json.py:X", "json.py: another module is called 'json'; rename the file"),
    ],
)  # fmt: skip
def test_what_is_no_learner_is_one_line(own, learner, said):
    (own / "bad.py").write_text("1 / 0\n", encoding="utf-8")
    folder = own / "apart"
    folder.mkdir()
    (folder / "json.py").write_text("", encoding="utf-8")
    learner = learner.replace("json.py", "apart/json.py")
    found = asked("falsify", learner)
    assert found.returncode == 2
    assert found.stderr == f"littlestone: {said.replace('json.py', 'apart/json.py')}\n"
