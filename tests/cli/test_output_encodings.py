"""What is printed where the encoding of the output has few characters, and what goes to standard output."""

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from littlestone.cli.main import main

ROWS = "β,b,y\n1.0,2,yes\n0.5,1,no\n2,0,yes\n"


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("t.csv").write_text(ROWS, "utf-8")
    return ["run", "t.csv", "--outcome", "y", "--learner", "online-linear"]


@pytest.mark.subprocess
@pytest.mark.parametrize(
    "more",
    [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "latin-1"}],
    ids=["C", "ascii", "latin-1"],
)  # fmt: skip
def test_an_output_without_the_character_is_no_error(table, tmp_path, more):
    done = subprocess.run(
        [sys.executable, "-m", "littlestone", *table, "--readable-model", "m.csv"],
        env=os.environ | more,
        capture_output=True,
    )
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    assert b"online-linear" in done.stdout
    assert tmp_path.joinpath("m.csv").read_text("utf-8").startswith("feature,weight\nβ,")


def test_weights_may_go_to_standard_output(table, tmp_path):
    done = CliRunner().invoke(main, [*table, "--readable-model", "-"])
    assert done.exit_code == 0
    assert done.stdout.startswith("feature,weight\nβ,")
    assert len(done.stdout.splitlines()) == 3
    assert "certificate" in done.stderr
    assert not tmp_path.joinpath("-").exists()


@pytest.mark.parametrize("more", [["--json"], ["--predictions", "-"]])
def test_one_thing_alone_goes_to_standard_output(table, more):
    done = CliRunner().invoke(main, [*table, "--readable-model", "-", *more])
    assert done.exit_code == 2
    assert done.stderr.endswith(
        f"{' '.join(more)} and --readable-model -: both would go to standard output; name a file\n"
    )
