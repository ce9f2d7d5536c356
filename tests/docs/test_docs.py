"""What the docs tell people to do works when it is done to the letter."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.S)


def test_a_learner_is_checked_by_the_book(tmp_path, monkeypatch):
    """In plain Python, as compiling is checked for the learners of the package."""
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    learner = blocks("docs/add-a-learner.md")[0]
    script = next(
        b for b in blocks("docs/add-a-learner.md") if "check_learner(FollowTheExpert" in b
    )
    (tmp_path / "follow_the_expert.py").write_text(learner, encoding="utf-8")

    def run(text: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "script.py").write_text(text, encoding="utf-8")
        return subprocess.run(
            [sys.executable, "script.py"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    done = run(script)
    assert done.returncode == 0, done.stderr[-2000:]
    wrong = run(script.replace("loss=3", "loss=2"))
    assert "AssertionError: follow-the-expert: its row (plain): " in wrong.stderr


def test_a_learner_added_by_the_book(tmp_path):
    learner, script, *_ = blocks("docs/add-a-learner.md")
    lines = [line for line in learner.splitlines() if line.strip()]
    assert len(lines) < 60, len(lines)
    (tmp_path / "follow_the_expert.py").write_text(learner, encoding="utf-8")
    more = """
first = ls.play("follow-the-expert", [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
assert (first.loss, first.regret, first.bound) == (3.0, 2.0, 3.0), first
plain = ls.play("follow-the-expert", losses, engine="plain")
assert plain.loss == run.loss or abs(plain.loss - run.loss) < 1e-9
import doctest, follow_the_expert
assert doctest.testmod(follow_the_expert) == (0, 1)
learner = run.learner
assert ls.load(learner.save("f.ls")).predict().tolist() == learner.predict().tolist()
"""
    (tmp_path / "script.py").write_text(script + more, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "T-FTL-CHANGES: kept" in done.stdout
