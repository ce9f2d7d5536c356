"""The plugin of pytest: a module that lists learners has a test for each of their checks."""

import subprocess
import sys

import pytest

TESTS = """
from math import log
import littlestone as ls
from littlestone.testing import Row

half, third, fifth = (1 / 2, 1 / 2), (2 / 3, 1 / 3), (4 / 5, 1 / 5)
row = Row(
    y=[(0, 1), (0, 1)], decisions=[half, third, fifth], loss=LOSS, theorem="T-HEDGE", bound=1 + log(2)
)
LEARNERS = [(ls.Hedge(eta=log(2)), row)]

def test_my_learners(learner_check):
    learner_check()
"""


def run_pytest(folder, text, *words):
    file = folder / "test_mine.py"
    file.write_text(text, "utf-8")
    load = 'pytest_plugins = ["littlestone.testing.pytest_plugin"]\n'
    (folder / "conftest.py").write_text(load, encoding="utf-8")
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            *words,
            file,
            "--rootdir",
            folder,
        ],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=folder,
    )


@pytest.mark.subprocess
@pytest.mark.parametrize(("loss", "code"), [("5 / 6", 0), ("4 / 6", 1)])
def test_each_check_is_a_test(tmp_path, loss, code):
    done = run_pytest(tmp_path, TESTS.replace("LOSS", loss), "-rA", "-k", "row or ranges")
    assert done.returncode == code, done.stdout + done.stderr
    said = "PASSED" if code == 0 else "FAILED"
    assert f"{said} test_mine.py::test_my_learners[hedge: its row (plain)]" in done.stdout
    assert "PASSED test_mine.py::test_my_learners[hedge: parameters have ranges]" in done.stdout


@pytest.mark.subprocess
def test_a_module_without_learners_is_told_so(tmp_path):
    text = "def test_my_learners(learner_check):\n    learner_check()\n"
    done = run_pytest(tmp_path, text)
    assert done.returncode == 2
    assert (
        "test_mine has no list of learners: LEARNERS = [(MyLearner(), Row(...)), ...]"
        in done.stdout
    )
