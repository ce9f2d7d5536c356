"""Learners of other distributions, which name them as entry points: listed, shown, made and played."""

import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LEARNER = '''
from typing import NamedTuple
import numpy as np
from littlestone.core.learner import Learner
from littlestone.experts.exponential_weights import Hedge

class LateHedge(Hedge):
    """Hedge, under the name of another distribution."""
'''


@pytest.fixture
def distribution(tmp_path):
    """Make a distribution with one module, as pip leaves it in a folder."""

    def make(name, module, text):
        (tmp_path / f"{module}.py").write_text(text, encoding="utf-8")
        info = tmp_path / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {name}\nVersion: 1.0\n", encoding="utf-8")
        entries = f"[littlestone.learners]\n{module} = {module}\n"
        (info / "entry_points.txt").write_text(entries, encoding="utf-8")

    return make


@pytest.fixture
def run(tmp_path):
    def call(*args):
        path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
        return subprocess.run(
            [sys.executable, *args],
            env=os.environ | {"PYTHONPATH": path, "LITTLESTONE_ENGINE": "plain"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    return call


def test_a_learner_of_another_distribution_is_one_of_them(distribution, run):
    distribution("late-learners", "late_learners", LEARNER)
    listed = json.loads(run("-m", "littlestone", "list", "--json").stdout)
    found = {row["learner"]: row["family"] for row in listed}
    assert found["late-hedge"] == "late-learners"
    assert found["hedge"] == "experts"
    shown = run("-m", "littlestone", "show", "late-hedge").stdout
    assert "late-hedge  (late_learners.LateHedge)" in shown
    script = "import littlestone as ls; print(ls.play('late-hedge', [[0.0, 1.0]]).loss)"
    assert run("-c", script).stdout == "0.5\n"


def test_a_game_of_another_distribution_is_played_in_python_and_refused_in_tables(
    distribution, run, tmp_path
):
    page = (ROOT / "docs" / "add-a-game.md").read_text(encoding="utf-8")
    game, learner = re.findall(r"```python\n(.*?)```", page, flags=re.S)[:2]
    (tmp_path / "probabilities.py").write_text(game, encoding="utf-8")
    distribution("frequencies", "class_frequencies", learner)
    (tmp_path / "t.csv").write_text("x,y\n1,sun\n2,rain\n3,sun\n", encoding="utf-8")
    listed = json.loads(run("-m", "littlestone", "list", "--json").stdout)
    assert "class-frequencies" in [row["learner"] for row in listed]
    script = "import littlestone as ls; print(ls.play('class-frequencies', [[0.0]] * 3, [0, 1, 1]).certificate.verdict)"
    assert run("-c", script).stdout == "kept\n"
    done = run(
        "-m", "littlestone", "run", "t.csv", "--outcome", "y", "--learner", "class-frequencies"
    )
    assert done.returncode == 2
    assert "acts by a number for each class" in done.stderr
    assert "Traceback" not in done.stderr


def test_one_that_cannot_be_imported_is_left_out_with_a_warning(distribution, run):
    distribution("late-learners", "late_learners", LEARNER)
    distribution("broken-learners", "broken_learners", "import no_such_module\n")
    done = run("-m", "littlestone", "list", "--json")
    keys = [row["learner"] for row in json.loads(done.stdout)]
    assert "late-hedge" in keys
    assert "broken-learners: the learners of broken_learners are left out" in done.stderr
    assert "No module named 'no_such_module'" in done.stderr


def test_the_class_here_is_what_the_page_says():
    """docs/add-a-learner.md tells how to offer learners of one's own."""
    page = Path(__file__).resolve().parents[2] / "docs" / "add-a-learner.md"
    assert '[project.entry-points."littlestone.learners"]' in page.read_text(encoding="utf-8")
    assert textwrap.dedent(LEARNER).count("class LateHedge(Hedge)") == 1
