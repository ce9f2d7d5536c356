"""Files with missing numbers at the command line: run, save, predict, examine, refuse."""

import csv

import numpy as np
import pytest
from click.testing import CliRunner

import littlestone as ls
from littlestone.cli.main import main

pytestmark = pytest.mark.usefixtures("plain")


def write(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return str(path)


def rows(count, seed=0):
    rng = np.random.default_rng(seed)
    for t in range(count):
        a, b = rng.normal(size=2).round(3)
        gone = rng.random(2) < 0.3
        yield [
            "" if gone[0] and t > 5 else a,
            "" if gone[1] and t > 5 else b,
            "yes" if a > b else "no",
        ]


@pytest.fixture
def files(tmp_path):
    every = list(rows(90))
    head = ["a", "b", "y"]
    return (
        write(tmp_path / "t.csv", [head, *every[:60]]),
        write(tmp_path / "later.csv", [head, *every[60:]]),
        tmp_path,
    )


def call(*arguments, code=0):
    done = CliRunner().invoke(main, [*map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.output


def run_in_one_line(*arguments):
    """What `run` says, however wide the terminal is taken to be; it writes no page."""
    return " ".join(call("run", *arguments, "--report", "").split())


def test_a_run_says_what_was_filled_in_and_its_file_goes_on_with_the_means(files):
    first, later, folder = files
    learner = ("--learner", "logistic", "--outcome", "y")
    said = run_in_one_line(first, *learner, "--save", folder / "m.ls")
    assert (
        "missing numbers in 2 columns (a, b): filled in by the mean of the earlier values" in said
    )
    run = ls.play("logistic", first, outcome="y")
    saved = ls.load(folder / "m.ls")
    assert saved.live.setting.more()["missing"] == run.learner.live.setting.more()["missing"]

    lines = call("predict", folder / "m.ls", later).splitlines()
    found = [line.split(",")[1].strip('"') for line in lines if line[:1].isdecimal()]
    with open(later, encoding="utf-8") as file:
        table = [
            {k: float(row[k]) if row[k] else None for k in "ab"} for row in csv.DictReader(file)
        ]
    assert found == [str(saved.predict(row)) for row in table]

    said = run_in_one_line(first, *learner, "--test", later)
    wrong = np.mean(np.array(found) != [row[2] for row in list(rows(90))[60:]])
    assert f"({wrong:.2%} errors)" in said


def test_missing_refuse_stops_with_the_row_and_code_2(files):
    said = call("run", files[0], "--outcome", "y", "--missing", "refuse", code=2)
    assert "the number is missing" in said
    assert "column '" in said


def test_missing_zero_is_said(files):
    said = run_in_one_line(files[0], "--learner", "logistic", "--outcome", "y", "--missing", "zero")
    assert "(a, b): read as 0" in said
