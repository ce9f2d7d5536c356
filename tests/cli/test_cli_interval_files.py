"""Intervals that are saved go on: from one file to the next, in bounded memory, and into the rows that come next."""

import csv
import gc
import signal

import numpy as np
import pytest
from cli.test_cli import call, refused
from cli.test_cli_intervals import rounds as many_rounds
from cli.test_cli_intervals import written

import littlestone as ls
from littlestone.cli.checkpoint import Checkpoints
from littlestone.conformal.sets.interval_run import runs_of

ROWS, SPLIT = 96, 56  # rows of all, and of the first file


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Every command runs in a folder of its own, on plain Python, beside whole.csv, may.csv and june.csv."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    files("whole", 0, ROWS)
    files("may", 0, SPLIT)
    files("june", SPLIT, ROWS)
    return tmp_path


def rounds():
    x, y = many_rounds()
    return x[:ROWS], y[:ROWS]


def files(name, begin, end):
    x, y = rounds()
    start = np.datetime64("2024-01-01T00")
    with open(f"{name}.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["time", "zone", "y", "A", "B"])
        for t in range(begin, end):
            when = str(start + np.timedelta64(t, "h")).replace("T", " ") + ":00:00"
            writer.writerow([when, "NO" if t % 3 else "DE", "" if t == 37 else y[t], *x[t]])


def run(name, *words):
    result = call(
        "intervals", f"{name}.csv", "--outcome", "y", "--report", "", *map(str, words),
        "--predictions", f"{name}-out.csv",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    return [{k: v for k, v in row.items() if k != "round"} for row in written(f"{name}-out.csv")]


@pytest.mark.parametrize(
    "words",
    [
        ("--level", "0.5,0.9"),
        ("--level", "0.9", "--delay", 24),
        ("--level", "0.9", "--by", "zone", "--season", 8),
        ("--level", "0.8", "--learner", "aci", "--experts", "A"),
    ],
    ids=["levels", "late", "keys", "one forecaster"],
)
def test_a_saved_run_goes_on_as_if_it_had_not_stopped(words):
    whole = run("whole", *words)
    first = run("may", *words, "--save", "m.ls")
    by = words[2:4] if "--by" in words else ()
    second = run("june", "--load", "m.ls", "--save", "n.ls", *by)
    assert first + second == whole
    run("whole", *words, "--save", "w.ls")
    with open("n.ls", "rb") as ours, open("w.ls", "rb") as theirs:
        assert ours.read() == theirs.read()


@pytest.mark.parametrize("delay", [0, 24])
def test_a_long_file_is_read_in_pieces_and_its_numbers_are_the_same(monkeypatch, delay):
    words = ("--level", "0.5,0.9", "--season", 24, "--delay", delay)
    whole = run("whole", *words)
    table = call(
        "intervals", "whole.csv", "--outcome", "y", "--report", "", *map(str, words)
    ).stdout
    rounds_ = "littlestone.streams.tables.table_rounds"
    monkeypatch.setattr(f"{rounds_}.WHOLE", 0)
    monkeypatch.setattr(f"{rounds_}.PIECE", 60)
    monkeypatch.setattr("littlestone.conformal.sets.last_intervals.ROOM", 50)
    assert run("whole", *words) == whole
    pieces = call(
        "intervals", "whole.csv", "--outcome", "y", "--report", "p.html", *map(str, words)
    )
    said = pieces.stdout.replace("the last 20,000", "all the past   ")
    assert [line.split() for line in said.splitlines()[:6]] == [
        line.split() for line in table.splitlines()[:6]
    ]
    with open("p.html", encoding="utf-8") as page:
        assert "96 rounds, of which the last" in page.read()


def test_the_season_of_a_long_file_is_that_of_its_first_rows(monkeypatch):
    monkeypatch.setattr("littlestone.streams.tables.table_rounds.WHOLE", 0)
    monkeypatch.setattr("littlestone.streams.tables.table_rounds.PIECE", 60)
    said = call("intervals", "whole.csv", "--outcome", "y", "--level", "0.9", "--report", "").stdout
    assert "seasons: 24, 168 rounds, from the column of times" in said


def test_a_run_that_was_stopped_goes_on(monkeypatch):
    monkeypatch.setattr("littlestone.streams.tables.table_rounds.WHOLE", 0)
    monkeypatch.setattr("littlestone.streams.tables.table_rounds.PIECE", 60)  # 20 rows
    between = Checkpoints.between

    def stopping(self, write, done):
        self.stopped = signal.SIGTERM if done >= 60 else 0
        between(self, write, done)

    words = [
        "intervals",
        "whole.csv",
        "--outcome",
        "y",
        "--report",
        "",
        "--level",
        "0.9",
        "--delay",
        "5",
        "--season",
        "0",
    ]
    call(*words, "--save", "w.ls")
    with monkeypatch.context() as patch:
        patch.setattr(Checkpoints, "between", stopping)
        told = call(*words, "--save", "m.ls", code=128 + signal.SIGTERM).stderr
    gc.collect()  # a file that was left open would be a warning now, and so an error
    assert "stopped after 60 rows" in told
    assert "--load m.ls --skip 60 and" in told
    again = [
        "intervals",
        "whole.csv",
        "--outcome",
        "y",
        "--report",
        "",
        "--skip",
        "60",
        "--load",
        "m.ls",
    ]
    call(*again, "--save", "m.ls")
    with open("m.ls", "rb") as ours, open("w.ls", "rb") as theirs:
        assert ours.read() == theirs.read()


def test_what_comes_next_is_predicted_with_every_truth():
    run("may", "--level", "0.5,0.9", "--save", "m.ls")
    out = call("predict", "m.ls", "june.csv", "--id", "time", "-o", "out.csv")
    assert out.exit_code == 0, out.output
    rows = written("out.csv")
    assert list(rows[0]) == [
        "row", "time", "forecast", "lower 0.5", "upper 0.5", "lower 0.9", "upper 0.9",
    ]  # fmt: skip
    assert len(rows) == ROWS - SPLIT
    first = run("june", "--load", "m.ls")[0]
    assert {k: rows[0][k] for k in first if k != "outcome"} == {
        k: v for k, v in first.items() if k != "outcome"
    }
    # with truths that are late, those of the file are all told before the next rows are predicted
    run("may", "--level", "0.9", "--delay", 24, "--season", 24, "--save", "late.ls")
    call("predict", "late.ls", "june.csv", "-o", "late.csv")
    x, y = rounds()
    y[37] = np.nan
    found = ls.intervals(x[:SPLIT], y[:SPLIT], delay=24, season=24)
    mixed = float(written("late.csv")[0]["forecast"])
    said = found.learner.predict([mixed, x[SPLIT].std(), SPLIT])
    assert [float(written("late.csv")[0][k]) for k in ("lower", "upper")] == pytest.approx(said)


def test_each_key_is_predicted_by_its_own():
    run("may", "--level", "0.9", "--by", "zone", "--season", 0, "--save", "m.ls")
    call("predict", "m.ls", "june.csv", "--by", "zone", "-o", "out.csv")
    chains = ls.load("m.ls")
    x, _ = rounds()
    rows = written("out.csv")
    for zone, chain in chains.items():
        own = [r for r, row in enumerate(rows) if row["zone"] == zone]
        said = chain.predict(x[SPLIT:][own])
        assert [float(rows[r]["lower"]) for r in own] == pytest.approx(said.lower[0.9].tolist())
    with open("new.csv", "w", encoding="utf-8") as file:
        file.write("zone,A,B\nSE,50,51\nDE,50,51\nSE,,\n")
    said = call("predict", "m.ls", "new.csv", "--by", "zone", "-o", "out.csv")
    assert (
        "nothing was learned of zone 'SE': 2 rows with cold_start true have the mean" in said.stderr
    )
    cold, known, empty = written("out.csv")
    first = [cold[name] for name in ("forecast", "lower", "upper", "cold_start")]
    assert first == ["50.5", "-inf", "inf", "true"]
    assert known["cold_start"] == "false"
    assert float(known["lower"]) == pytest.approx(
        chains["DE"].predict([[50.0, 51.0]]).lower[0.9][0]
    )
    assert empty["forecast"] == empty["lower"] == "nan"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--level", "0.5"), "--load and --level 0.5: m.ls has intervals at 0.9"),
        (("--delay", "7"), "--load and --delay 7: m.ls was made with outcomes 0 rounds late"),
        (("--learner", "aci"), "--load and --learner: m.ls brings what it began with"),
        (("--season", "24"), "--load and --season: m.ls brings what it began with"),
        (("--by", "zone"), "--load and --by: m.ls holds intervals of all rows"),
    ],
)
def test_what_a_file_brings_cannot_be_said_again(words, message):
    run("may", "--level", "0.9", "--save", "m.ls")
    assert message in refused("intervals", "june.csv", "--outcome", "y", "--load", "m.ls", *words)


@pytest.mark.parametrize(
    "learner", ["cover", "aci", "quantile-tracker", "conformal-pid", "decaying-tracker"]
)
def test_the_certificate_counts_from_the_first_round_of_all(learner):
    x, y = rounds()
    whole = ls.intervals(x, y, learner=learner, delay=2)
    first = ls.intervals(x[:SPLIT], y[:SPLIT], learner=learner, delay=2)
    first.save("m.ls")
    chain = ls.load("m.ls")
    again = runs_of(chain, chain.feed(x[SPLIT:], y[SPLIT:]), y[SPLIT:], None, "", alone=True)
    assert [(v.guarantee.id, v.verdict) for v in again.certificate] == [
        (v.guarantee.id, "kept") for v in whole.certificate
    ]
    for ours, theirs in zip(again.certificate, whole.certificate, strict=True):
        assert (ours.measured, ours.bound) == pytest.approx((theirs.measured, theirs.bound))


def test_a_file_of_another_kind_is_refused():
    call("run", "may.csv", "--outcome", "y", "--report", "", "--save", "t.ls")
    words = ("intervals", "june.csv", "--outcome", "y", "--load", "t.ls", "--level", "0.9")
    assert "t.ls holds a learner, and no intervals" in refused(*words)
    run("may", "--level", "0.9", "--save", "m.ls")
    assert "m.ls holds intervals, not a learner" in refused("report", "m.ls", "june.csv")
    said = refused("run", "june.csv", "--outcome", "y", "--load", "m.ls")
    assert "go on with `littlestone intervals FILE --load m.ls`" in said


def test_the_library_saves_and_goes_on(tmp_path):
    x, y = rounds()
    whole = ls.intervals(x, y, delay=3)
    first = ls.intervals(x[:SPLIT], y[:SPLIT], delay=3)
    first.save(tmp_path / "m.ls")
    again = ls.load(tmp_path / "m.ls").feed(x[SPLIT:], y[SPLIT:])
    assert again.lower[0.9].tolist() == whole.lower[SPLIT:].tolist()
    assert again.upper[0.9].tolist() == whole.upper[SPLIT:].tolist()
