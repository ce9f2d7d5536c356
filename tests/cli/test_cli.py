"""The command line, as a person meets it: what it prints, writes, refuses, and leaves behind."""

import csv
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import littlestone as ls
from littlestone.cli import status as status_module
from littlestone.cli import write
from littlestone.cli.main import main

PRICES = "Forecasts_NP_DNN_LEAR_ensembles.csv"
EIGHT = ["--experts", "!*Ensemble", "--outcome", "Real price"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Every command runs in a folder of its own, on plain Python unless a test says otherwise."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    monkeypatch.delenv("COLUMNS", raising=False)
    return tmp_path


@pytest.fixture
def compiled(monkeypatch):
    monkeypatch.delenv("LITTLESTONE_ENGINE")


def call(*words, stdin=None, code=0):
    """Run a command in this process; its result, with what it printed."""
    result = CliRunner().invoke(main, [str(w) for w in words], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def refused(*words, stdin=None):
    """A user's mistake: exit code 2, nothing on standard output, one line on standard error."""
    result = call(*words, stdin=stdin, code=2)
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("littlestone: ")
    return result.stderr


def rows_of(*words, stdin=None):
    """The JSON list of a command."""
    return json.loads(call(*words, "--json", stdin=stdin).stdout)


def table(path, rows=60, experts=3, keys=None, seed=0, text="{:.6g}"):
    """Experts e1, e2, … around an outcome y; returns advice and outcomes as they were written."""
    rng = np.random.default_rng(seed)
    y = rng.normal(size=rows).round(3)
    x = (y[:, None] + rng.normal(size=(rows, experts)) * np.arange(1, experts + 1)).round(3)
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(["key"] if keys else []), *(f"e{i + 1}" for i in range(experts)), "y"])
        for t in range(rows):
            key = [keys[t % len(keys)]] if keys else []
            writer.writerow([*key, *map(text.format, x[t]), y[t]])
    return x, y


# ---- results


def test_run_without_a_file_prints_the_table_and_writes_the_page(here, compiled):
    out = call("run").stdout
    first = out.splitlines()[0]
    assert first == "built-in: shifting experts: 800 rounds, 64 experts, square loss"
    for word in ("learner", "loss", "best comparator", "regret", "bound", "certificate"):
        assert word in out
    assert re.search(r"^tracker +8\.\d+ .*3 shifts.*kept \(T-TRACKER", out, re.M)
    assert "all experts alike" in out
    assert out.endswith("report: littlestone-report.html\n")
    assert (here / "littlestone-report.html").stat().st_size < 400_000


def test_the_seed_chooses_the_built_in_stream():
    same = [rows_of("run", "--learner", "hedge", "--seed", s)[0]["loss"] for s in (1, 1, 2)]
    assert same[0] == same[1] != same[2]


def test_prices_show_late_feedback_beside_prompt_feedback(data_dir, compiled):
    out = call("run", data_dir / PRICES, *EIGHT, "--delay", 24, "--report", "").stdout
    task, out = out.split("\n", 1)
    assert task.startswith("task: forecasting 'Real price' with 8 experts")
    assert out.startswith(f"{PRICES}: 17,472 rounds, 8 experts, square loss")
    rungs = {
        name.strip(): float(loss)
        for loss, name in re.findall(r"^ +(\d+\.\d{3,4})  (.+?) *$", out, re.M)
    }
    assert rungs["tracker"] <= 7.8
    assert rungs["tracker, 24 rounds late"] < rungs["all experts alike"]
    assert rungs["all experts alike"] == pytest.approx(10.638, abs=1e-3)
    assert rungs["best expert (DNN 3)"] == pytest.approx(11.286, abs=1e-3)
    assert rungs["best fixed mixture"] == pytest.approx(10.325, abs=1e-3)
    assert list(rungs.values()) == sorted(rungs.values())
    assert "negative: the learner did better" in out
    assert "--delay" not in out


def test_prompt_feedback_alone_says_so():
    table("a.csv")
    out = call("run", "a.csv", "--outcome", "y", "--learner", "hedge").stdout
    assert "add --delay ROUNDS" in " ".join(out.split())


def test_json_is_one_list_and_nothing_else_on_standard_output():
    x, y = table("a.csv")
    result = call("run", "a.csv", "--outcome", "y", "--learner", "fixed-share", "--json")
    (row,) = json.loads(result.stdout)
    run = ls.play("fixed-share", x, y)
    assert row["learner"] == "fixed-share"
    assert row["rounds"] == 60
    for name in ("loss", "regret", "bound", "mean_loss"):
        assert row[name] == pytest.approx(getattr(run, name), rel=1e-12)
    assert row["certificate"].startswith("T-FS-ANYTIME: kept")
    assert row["verdict"] == "kept"
    assert row["seconds"] > 0
    uniform = ((x.mean(axis=1) - y) ** 2).sum()
    assert row["references"]["uniform"] == pytest.approx(uniform, rel=1e-12)
    assert row["parameters"]["alpha"] is None
    assert "interval" in result.stderr
    assert "interval=" not in result.stderr  # the command line has its own words
    assert not Path("littlestone-report.html").exists()


def test_json_has_null_for_what_is_not_a_number():
    table("a.csv")
    rows = rows_of(
        *("run", "a.csv", "--outcome", "y", "--learner", "fixed-share"), "--delay", 2, "--one-copy"
    )
    assert [row["delay"] for row in rows] == [0, 2]
    assert rows[0]["bound"] > 0
    assert rows[1]["bound"] is None  # no theorem speaks of one copy that learns late
    assert rows[1]["verdict"] == "vacuous"


def test_a_vacuous_theorem_is_explained():
    table("a.csv")
    out = call(
        *("run", "a.csv", "--outcome", "y", "--learner", "fixed-share", "-p", "alpha=0.1"),
        *("--set", "eta=9"),
    ).stdout
    text = " ".join(out.split())
    assert "kept (T-FS-ALLOC)" in text
    assert "vacuous: an assumption of the theorem fails" in text
    assert "T-FIXED-SHARE: vacuous: eta is at most" in text
    assert "eta is 9, the limit" in text


def test_experts_by_glob_and_by_taking_away():
    table("a.csv", experts=4)
    for words, count in (
        (["--experts", "e[12]"], 2),
        (["--experts", "!e4"], 3),
        (["--experts", "e1", "--experts", "e4"], 2),
    ):
        out = call("run", "a.csv", "--outcome", "y", "--learner", "hedge", *words).stdout
        assert f"60 rounds, {count} experts" in out


def test_losses_alone():
    rng = np.random.default_rng(0)
    losses = rng.uniform(size=(50, 3)).round(4)
    np.savetxt("l.csv", losses, delimiter=",", header="a,b,c", comments="")
    (row,) = rows_of(
        "run", "l.csv", "--losses", "--learner", "hedge", "--predictions", "p.parquet", "--seed", 3
    )
    assert row["loss"] == pytest.approx(ls.play("hedge", losses).loss, rel=1e-12)
    assert row["references"]["uniform"] == pytest.approx(losses.mean(axis=1).sum(), rel=1e-9)
    drawn = pq.read_table("p.parquet")
    assert drawn.column_names == ["round", "expert", "loss"]
    assert set(drawn["expert"].to_pylist()) <= {"a", "b", "c"}
    assert sum(drawn["loss"].to_pylist()) == pytest.approx(row["loss"])
    out = call("run", "l.csv", "--losses", "--learner", "hedge").stdout
    assert "losses as given" in out
    assert "--delay" not in out


def test_quantiles_from_the_command_line():
    x, y = table("a.csv")
    (row,) = rows_of(
        "run", "a.csv", "--outcome", "y", "--learner", "hedge", "--loss", "pinball:0.9"
    )
    assert row["loss"] == pytest.approx(ls.play(ls.Hedge(loss="pinball:0.9"), x, y).loss, rel=1e-12)
    p = x.mean(axis=1)
    uniform = np.where(y >= p, 0.9 * (y - p), 0.1 * (p - y)).sum()
    assert row["references"]["uniform"] == pytest.approx(uniform, rel=1e-12)


def test_gzip_and_standard_input_are_read():
    table("a.csv")
    text = Path("a.csv").read_bytes()
    Path("a.csv.gz").write_bytes(gzip.compress(text))
    words = ["--outcome", "y", "--learner", "hedge"]
    expected = rows_of("run", "a.csv", *words)[0]["loss"]
    assert rows_of("run", "a.csv.gz", *words)[0]["loss"] == expected
    piped = rows_of("run", "-", *words, stdin=text)[0]
    assert (piped["loss"], piped["source"]) == (expected, "standard input")
    packed = rows_of("run", "-", *words, stdin=gzip.compress(text))[0]
    assert packed["loss"] == expected


def test_standard_input_is_read_as_often_as_it_is_needed():
    table("a.csv")
    text = Path("a.csv").read_bytes()
    words = ["--outcome", "y", "--learner", "hedge", "--delay", 3]
    assert [r["loss"] for r in rows_of("run", "-", *words, stdin=text)] == [
        r["loss"] for r in rows_of("run", "a.csv", *words)
    ]
    message = refused("run", "-", "--outcome", "z", "--delay", 3, stdin=text)
    assert "no column is called 'z'" in message
    bad = text.replace(b"\n", b"\n1e999,1,1,1\n", 1)
    message = refused("run", "-", *words, stdin=bad)
    assert "standard input: row 1, column 'e1'" in message
    assert "littlestone-" not in message  # the file it was kept in
    assert "standard input is empty" in refused("run", "-", *words, stdin=b"")


def test_a_round_with_nobody_awake():
    Path("a.csv").write_text("a,b,y\n1,2,1\n,,2\n3,,3\n", encoding="utf-8")
    message = refused("run", "a.csv", "--outcome", "y", "--learner", "hedge")
    assert "a.csv: row 2: every expert is asleep" in message
    assert "--asleep last" in message
    out = call("run", "a.csv", "--outcome", "y", "--learner", "hedge", "--asleep", "last").stdout
    assert "an expert without advice is charged what the learner lost" in out


def test_an_outcome_that_is_missing_is_predicted_and_not_counted():
    Path("a.csv").write_text("a,b,y\n1,2,1\n3,4,\n3,4,3\n", encoding="utf-8")
    out = call(
        *("run", "a.csv", "--outcome", "y", "--learner", "hedge", "--predictions", "p.csv")
    ).stdout
    assert "1 round without an outcome: predicted, not counted" in out
    with open("p.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [r["loss"] == "" for r in rows] == [False, True, False]
    assert float(rows[1]["prediction"]) == pytest.approx(3.5, abs=0.5)


def test_no_outcome_at_all():
    Path("a.csv").write_text("a,b,y\n1,2,\n3,4,\n", encoding="utf-8")
    words = ["run", "a.csv", "--outcome", "y", "--learner", "hedge", "--interval", 0, 5]
    (row,) = rows_of(*words)
    assert (row["loss"], row["mean_loss"], row["verdict"]) == (0.0, None, "unknown")
    assert "2 rounds without an outcome" in call(*words).stdout


# ---- keys


def test_one_row_a_key_and_their_sum():
    x, y = table("a.csv", rows=90, keys=["north", "south", "east"])
    words = ["run", "a.csv", "--outcome", "y", "--by", "key", "--learner", "hedge"]
    rows = rows_of(*words)
    assert [r["key"] for r in rows] == ["north", "south", "east"]
    for i, row in enumerate(rows):
        assert row["loss"] == pytest.approx(ls.play("hedge", x[i::3], y[i::3]).loss, rel=1e-12)
    out = call(*words).stdout
    assert "90 rounds, 3 experts" in out
    total = re.search(r"^all +hedge +([\d.,]+)", out, re.M)
    assert float(total[1].replace(",", "")) == pytest.approx(sum(r["loss"] for r in rows), rel=1e-4)
    assert "best expert of each key" in out


def test_predictions_of_keys_keep_the_order_of_the_file():
    x, y = table("a.csv", rows=30, keys=["b", "a", "b", "c"])
    words = ["run", "a.csv", "--outcome", "y", "--by", "key", "--learner", "hedge"]
    call(*words, "--delay", 2, "--predictions", "p.csv", "--report", "")
    with open("p.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    keys = [r["key"] for r in rows]
    assert keys == [["b", "a", "b", "c"][t % 4] for t in range(30)]
    assert [int(r["round"]) for r in rows] == list(range(1, 31))
    mine = np.array([k == "b" for k in keys])
    late = ls.play("hedge", x[mine], y[mine], delay=2)
    written = np.array([float(r["prediction"]) for r in rows])[mine]
    np.testing.assert_allclose(written, late.predictions, rtol=1e-12)


@pytest.mark.parametrize("losses", [False, True])
@pytest.mark.parametrize(("small", "limit"), [(True, 1 << 30), (False, 1 << 30), (False, 1500)])
def test_many_keys_are_played_together_and_written_in_the_order_of_the_file(
    losses, small, limit, monkeypatch
):
    """With --no-certify; files in one piece and in several; beyond the limit one key after the other."""
    from littlestone.cli import play as cli_play
    from littlestone.play import by_key
    from littlestone.streams.csv import csv_rows
    from littlestone.streams.tables import table_rounds

    table("a.csv", rows=90, keys=["north", "south", "south", "east"])
    what = ["--losses", "--experts", "e*"] if losses else ["--outcome", "y"]
    words = ["run", "a.csv", *what, "--by", "key", "--learner", "hedge", "--interval", -30, 30]
    words += ["--no-certify", "--predictions", "p.csv"]
    if not small:
        monkeypatch.setattr(table_rounds, "PIECE", 120)
        monkeypatch.setattr(table_rounds, "WHOLE", 0)
        monkeypatch.setattr(csv_rows, "BLOCK", 400)
    pieces, stacked = [], []
    put = write.Predictions.put
    monkeypatch.setattr(
        write.Predictions, "put", lambda self, columns: (pieces.append(columns), put(self, columns))
    )
    apart, text = rows_of(*words), Path("p.csv").read_text(encoding="utf-8")
    assert (len(pieces) == 1) is small
    together = cli_play.KeyedRuns.totals
    monkeypatch.setattr(
        cli_play.KeyedRuns, "totals", lambda self: (stacked.append(self), together(self))[1]
    )
    printed = call(*words).stdout
    monkeypatch.setattr(by_key, "FEW", 1)
    monkeypatch.setattr(by_key, "KEYED", limit)
    found = rows_of(*words)
    assert len(stacked) == (limit > 1500)
    assert Path("p.csv").read_text(encoding="utf-8") == text
    assert call(*words).stdout == printed
    for one, other in zip(found, apart, strict=True):
        for name in ("loss", "mean_loss"):  # rounds are added up in another order
            assert one[name] == pytest.approx(other[name], rel=1e-12)
            one[name] = other[name]
        one["seconds"] = other["seconds"]
    assert found == apart


def test_many_keys_are_cut_and_the_page_stays_small(here):
    table("a.csv", rows=140, keys=[f"k{i}" for i in range(70)])
    out = call("run", "a.csv", "--outcome", "y", "--by", "key", "--learner", "hedge").stdout
    assert "and 10 rows more: --json has them all" in out
    assert out.count("note:") == 5
    page = (here / "littlestone-report.html").read_text(encoding="utf-8")
    assert len(page) < 400_000
    assert "32 of 70 runs are shown" in page


# ---- predictions, saving, going on


@pytest.mark.parametrize("name", ["p.csv", "p.parquet"])
def test_predictions_are_those_of_the_run(name):
    x, y = table("a.csv")
    call("run", "a.csv", "--outcome", "y", "--learner", "hedge", "--predictions", name)
    found = pyarrow.csv.read_csv(name) if name.endswith("csv") else pq.read_table(name)
    assert found.column_names == ["round", "prediction", "loss"]
    run = ls.play("hedge", x, y)
    np.testing.assert_allclose(found["prediction"].to_numpy(), run.predictions, rtol=1e-12)
    np.testing.assert_allclose(found["loss"].to_numpy(), run.losses, rtol=1e-12)
    assert found["round"].to_pylist() == list(range(1, 61))


def test_predictions_with_a_delay_are_those_that_were_made_late():
    x, y = table("a.csv")
    out = call(
        *("run", "a.csv", "--outcome", "y", "--learner", "hedge", "--delay", 5),
        *("--predictions", "p.parquet"),
    ).stdout
    late = ls.play("hedge", x, y, delay=5).predictions
    np.testing.assert_allclose(pq.read_table("p.parquet")["prediction"], late, rtol=1e-12)
    assert "predictions: p.parquet" in out


def test_predicted_labels_are_written_as_the_user_wrote_them():
    Path("a.csv").write_text(
        "a,b,y\nhot,cold,hot\ncold,cold,cold\nhot,cold,hot\n", encoding="utf-8"
    )
    call(
        *("run", "a.csv", "--outcome", "y", "--learner", "weighted-majority"),
        *("--predictions", "p.csv"),
    )
    with open("p.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {r["prediction"] for r in rows} <= {"hot", "cold"}
    assert [float(r["loss"]) for r in rows] == [
        float(r["prediction"] != want) for r, want in zip(rows, ["hot", "cold", "hot"], strict=True)
    ]


def test_a_saved_learner_goes_on_where_it_was():
    table("all.csv", rows=80)
    lines = Path("all.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("may.csv").write_text("".join(lines[:51]), encoding="utf-8")
    Path("june.csv").write_text("".join([lines[0], *lines[51:]]), encoding="utf-8")
    words = ["--outcome", "y", "--learner", "hedge", "--interval", -20, 20, "-p", "eta=0.01"]
    whole = rows_of("run", "all.csv", *words)[0]["loss"]
    (may,) = rows_of("run", "may.csv", *words, "--save", "m.ls")
    (june,) = rows_of(
        *("run", "june.csv", "--outcome", "y", "--load", "m.ls", "--predictions", "p.parquet")
    )
    assert may["loss"] + june["loss"] == pytest.approx(whole, rel=1e-12)
    assert june["rounds"] == 30
    assert june["verdict"] != "broken"
    assert pq.read_table("p.parquet")["round"].to_pylist() == list(range(1, 31))  # rows of FILE
    before = Path("m.ls").read_bytes()
    out = call("report", "m.ls", "june.csv", "--outcome", "y", "--output", "june.html").stdout
    assert out == "report: june.html\n"
    assert "june.csv, 30 rounds" in Path("june.html").read_text(encoding="utf-8")
    assert Path("m.ls").read_bytes() == before


def test_a_learner_saved_over_losses_is_loaded_for_losses():
    np.savetxt("l.csv", np.tile(np.eye(3), (7, 1)), delimiter=",", header="a,b,c", comments="")
    call("run", "l.csv", "--losses", "--learner", "hedge", "--save", "m.ls", "--seed", 7)
    (row,) = rows_of("run", "l.csv", "--load", "m.ls")
    assert row["rounds"] == 21
    drawn = []
    for more in ([], ["--seed", 7]):
        call("run", "l.csv", "--load", "m.ls", "--predictions", "p.parquet", *more)
        drawn.append(pq.read_table("p.parquet")["expert"].to_pylist())
    assert drawn[0] == drawn[1]  # the seed is saved, too
    said = refused("run", "l.csv", "--load", "m.ls", "--seed", 8)
    assert "--seed 8: m.ls goes on with the seed that it began with, 7" in said
    assert "trained on losses" in refused("run", "l.csv", "--load", "m.ls", "--outcome", "a")


def test_a_late_copy_is_saved_and_interleaved_ones_are_refused():
    x, y = table("a.csv")
    words = ["run", "a.csv", "--outcome", "y", "--learner", "ml-poly"]  # its losses are tangents
    words += ["--delay", 4, "--save", "m.ls"]
    assert "leave --interleave or --save out" in refused(*words, "--interleave")
    assert not Path("m.ls").exists()
    call(*words)
    late, prompt = (ls.play("ml-poly", x, y, delay=delay).learner.weights for delay in (4, 0))
    np.testing.assert_allclose(ls.load("m.ls").weights, late, rtol=1e-12)
    assert not np.allclose(late, prompt)


# ---- compare, list, show


def test_compare_scores_all_with_one_loss_the_best_first():
    table("a.csv", rows=200)
    words = ["compare", "a.csv", "--outcome", "y", "--report", "c.html"]
    given = ["--learner", "hedge", "--learner", "fixed-share:alpha=0.2", "--learner", "fixed-share"]
    rows = rows_of(*words, *given)
    assert len(rows) == 3
    assert [r["loss"] for r in rows] == sorted(r["loss"] for r in rows)
    assert {r["label"] for r in rows} == {"hedge", "fixed-share:alpha=0.2", "fixed-share"}
    assert all("quare" in r["parameters"]["loss"] for r in rows)
    alphas = {r["label"]: r["parameters"].get("alpha") for r in rows}
    assert alphas["fixed-share:alpha=0.2"] == 0.2
    rows = rows_of(*words, *given, "--loss", "absolute", "-p", "alpha=0.5")
    assert all("bsolute" in r["parameters"]["loss"] for r in rows)
    alphas = {r["label"]: r["parameters"].get("alpha") for r in rows}
    assert (alphas["fixed-share:alpha=0.2"], alphas["fixed-share"]) == (0.2, 0.5)
    out = call(*words, *given, "-p", "alpha=0.5").stdout
    assert "square loss" in out
    assert "fixed-share:alpha=0.2" in out
    assert Path("c.html").exists()


def test_learners_that_are_charged_different_losses_are_not_ranked_with_simple_answers():
    Path("a.csv").write_text("a,b,y\n0,1,1\n1,1,1\n0,1,0\n", encoding="utf-8")
    out = call(
        "compare", "a.csv", "--outcome", "y", "--learner", "hedge", "--learner", "weighted-majority"
    ).stdout
    assert "do not compare them" in out
    assert "all experts alike" not in out


def test_list_names_every_learner_and_fits_100_columns():
    from littlestone.core.registry import learners

    out = call("list").stdout
    for key, cls in learners().items():
        assert f"\n  {key}\n" in out
        for g in cls.guarantees:
            assert g.id in out
    assert max(map(len, out.splitlines())) <= 100
    assert out.startswith("Prediction with expert advice")
    rows = json.loads(call("list", "--json").stdout)
    assert {r["learner"] for r in rows} == set(learners())
    share = next(r for r in rows if r["learner"] == "fixed-share")
    assert share["plays"] == ["losses", "advice"]
    assert share["parameters"]["substitution"] is False


def test_show_tells_rule_parameters_and_theorems():
    out = call("show", "fixed-share").stdout
    for text in (
        "littlestone.FixedShare",
        "p_i = (1-alpha) v_i + alpha (1 - v_i) / (n-1)",
        "alpha = unset  (0 to 1; left out: as the theorem says)",
        "T-FIXED-SHARE  fixed share",
        "Herbster & Warmuth 1998",
        "k: shifts of the comparator",
        "littlestone run FILE --outcome COLUMN --learner fixed-share",
    ):
        assert text in out
    assert max(map(len, out.splitlines())) <= 120


def test_every_learner_can_be_shown():
    from littlestone.core.registry import learners

    for key in learners():
        assert call("show", key).stdout.startswith(key)


# ---- help and start-up


def test_help_teaches_with_examples_and_groups(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out = call("--help").stdout
    commands = re.search(r"Commands:\n(.*)", out, re.S)[1].split("\n")
    assert [line.split()[0] for line in commands if line.strip()] == [
        *(
            "run",
            "predict",
            "compare",
            "intervals",
            "bandit",
            "replay",
            "report",
            "list",
            "show",
            "falsify",
            "certify",
            "plan",
            "data",
            "lecture",
            "warm",
            "serve",
            "keys",
            "log",
        )
    ]
    for command in (
        "run",
        "compare",
        "intervals",
        "bandit",
        "replay",
        "report",
        "list",
        "show",
        "falsify",
        "serve",
    ):
        text = call(command, "--help").stdout
        assert f"\n  littlestone {command}" in text
        assert "..." not in text.split("Usage")[1].split("\n", 1)[1]
        assert max(map(len, text.splitlines())) <= 80
    text = call("run", "--help").stdout
    groups = re.findall(r"^(\w[\w ,]*):$", text, re.M)
    assert groups == [
        "Which part of the data is what",
        "Features and labels of examples",
        "How a file is read",
        "Learner",
        "How to play",
        "Feedback",
        "Decisions",
        "Results",
        "Files that are written",
        "Many files, many processes",
        "Other",
    ]
    flat = " ".join(text.split())
    assert (
        "[default: tracker for experts; for examples the mixture (auto) where the table is " in flat
    )
    assert text.count("[FILE]") == 1
    assert call().stdout == out


def test_help_imports_nothing_heavy():
    code = (
        "import sys\n"
        "from littlestone.cli.main import main\n"
        "try:\n    main(['run', '--help'])\nexcept SystemExit:\n    pass\n"
        "print(sorted({'numba', 'pyarrow', 'scipy', 'numpy', 'rich', 'pandas'} & set(sys.modules)))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert out.stdout.splitlines()[-1] == "[]"


def test_the_table_fits_80_columns(monkeypatch):
    table("a.csv", keys=["north", "south"])
    monkeypatch.setenv("COLUMNS", "80")
    words = ["run", "a.csv", "--outcome", "y", "--learner", "hedge", "--delay", 24]
    for more in ([], ["--by", "key"]):
        out = call(*words, *more).stdout
        assert max(map(len, out.splitlines())) <= 80
        for word in ("learner", "loss", "best comparator", "regret", "bound", "certificate"):
            assert word in out
        assert "…" not in out.replace("best …", "")


# ---- what is refused


def bad_files():
    x, _ = table("ok.csv")
    Path("empty.csv").write_text("", encoding="utf-8")
    Path("header.csv").write_text("a,b,y\n", encoding="utf-8")
    Path("words.csv").write_text("day,who\n2020-01-01,me\n2020-01-02,you\n", encoding="utf-8")
    Path("nan.csv").write_text("a,b\n0,1\n,1\n", encoding="utf-8")
    Path("text.csv").write_text("a,b,y\n" + "1,2,1\n" * 20 + "1,x,1\n", encoding="utf-8")
    Path("bad.ls").write_bytes(b"LITTLESTONE\nrubbish")
    ls.play("hedge", x, np.zeros(60), interval=(-20, 20)).learner.save("m.ls")
    Path("cut.ls").write_bytes(Path("m.ls").read_bytes()[:-40])
    Path("wide.csv").write_text("a,b,c,d,y\n1,2,3,4,1\n", encoding="utf-8")
    rng = np.random.default_rng(0)
    packed = gzip.compress(b"a,b,y\n" + b"".join(b"%f,1,2\n" % v for v in rng.uniform(size=9999)))
    Path("cut.csv.gz").write_bytes(packed[: len(packed) // 2])
    Path("folder").mkdir()


OK = ("run", "ok.csv", "--outcome", "y", "--learner")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        # files
        (("run", "okk.csv", "--outcome", "y"), "no file 'okk.csv'; did you mean 'ok.csv'"),
        (("run", "folder", "--outcome", "y"), "folder is a folder"),
        (("run", "empty.csv", "--outcome", "y"), "empty.csv is empty"),
        (("run", "header.csv", "--outcome", "y"), "header.csv has a header and nothing else"),
        (("run", "words.csv", "--losses"), "no numbers among the columns 'day' (date)"),
        (("run", "cut.csv.gz", "--outcome", "y"), "cut.csv.gz is cut off"),
        # columns
        (
            ("run", "ok.csv"),
            "Name it with --outcome, or say --losses where columns hold losses; the columns that could be: 'e1'",
        ),
        (("run", "ok.csv", "--outcome", "Y"), "did you mean 'y'?"),
        (("run", "ok.csv", "--outcome", "y", "--experts", "q*"), "no column matches 'q*'"),
        (("run", "ok.csv", "--outcome", "y", "--by", "key"), "by: no column is called 'key'"),
        (("run", "text.csv", "--outcome", "y", "--experts", "b"), "'b' (text: row 21 is 'x')"),
        (("run", "nan.csv", "--losses"), "nan.csv: row 2, column 'a': missing (NaN)"),
        (("run", "--outcome", "y"), "--outcome needs a FILE"),
        (("run", "ok.csv", "--outcome", "y", "--losses"), "--losses and --outcome"),
        # learners and their parameters
        ((*OK, "hegde"), "no learner 'hegde'; did you mean hedge"),
        ((*OK, "fixed-share", "-p", "alhpa=1"), "no parameter 'alhpa'; did you mean alpha?"),
        ((*OK, "fixed-share", "-p", "alpha=2"), "alpha must be a number in [0, 1]"),
        ((*OK, "fixed-share", "-p", "alpha"), "-p alpha: write NAME=VALUE"),
        ((*OK, "fixed-share", "-p", "alpha=x"), "not 'x'"),
        ((*OK, "fixed-share", "-p", "substitution=maybe"), "write true or false"),
        ((*OK, "fixed-share:alpha"), "-p alpha: write NAME=VALUE"),
        ((*OK, "hedge", "--loss", "sqare"), "not 'sqare'"),
        ((*OK, "halving", "--loss", "square"), "halving takes no loss"),
        (("run", "ok.csv", "--losses", "--loss", "square"), "--losses and --loss"),
        (("compare", "ok.csv", "--outcome", "y", "-p", "zeta=1"), "has a parameter 'zeta'"),
        (("show", "hegde"), "did you mean hedge"),
        # numbers
        ((*OK, "hedge", "--delay", "-1"), "'-1' is not a whole number, 0 or more"),
        ((*OK, "hedge", "--seed", "1.5"), "'1.5' is not a whole number, 0 or more"),
        (
            (*OK, "hedge", "--interval", "2", "1"),
            "--interval must be two finite numbers, low < high, not (2.0, 1.0)",
        ),
        ((*OK, "hedge", "--interval", "0", "nan"), "--interval must be two finite numbers"),
        ((*OK, "hedge", "--interval", "-0.1", "0.1"), "declare a wider one with --interval LOW"),
        ((*OK, "hedge", "--one-copy"), "add --delay"),
        # saved learners
        ((*OK[:-1], "--load", "nothing.ls"), "nothing.ls cannot be read"),
        ((*OK[:-1], "--load", "bad.ls"), "bad.ls is cut off or damaged"),
        ((*OK[:-1], "--load", "cut.ls"), "cut.ls is cut off or damaged"),
        ((*OK[:-1], "--load", "ok.csv"), "ok.csv is not a Littlestone file"),
        (("run", "wide.csv", "--outcome", "y", "--load", "m.ls"), "trained on 3 experts"),
        ((*OK, "hedge", "--load", "m.ls"), "--load and --learner"),
        (
            (*OK[:-1], "--load", "m.ls", "--delay", "2", "--interleave"),
            "resume and delay: one learner goes on",
        ),
        ((*OK[:-1], "--load", "m.ls", "--interval", "0", "1"), "--load and --interval"),
        (
            (*OK[:-1], "--load", "m.ls", "--by", "e1"),
            "m.ls holds one learner, not one for each key",
        ),
        (("report", "bad.ls", "ok.csv", "--outcome", "y"), "bad.ls is cut off or damaged"),
        # outputs
        (
            (*OK, "hedge", "--save", "no/m.ls"),
            "--save no/m.ls cannot be written: there is no folder",
        ),
        ((*OK, "hedge", "--save", "/dev/null"), "it is not a regular file"),
        ((*OK, "hedge", "--report", "folder"), "--report folder cannot be written: it is a folder"),
        ((*OK, "hedge", "--report", "/proc/r.html"), "--report /proc/r.html cannot be written"),
        ((*OK, "hedge", "--predictions", "no/p.csv"), "there is no folder 'no'"),
        ((*OK, "hedge", "--predictions", "p.txt"), "must end in .csv or .parquet"),
        ((*OK, "hedge", "--predictions", "ok.csv"), "would overwrite FILE"),
        (
            (*OK, "hedge", "--predictions", "a.csv", "--report", "./a.csv"),
            "would overwrite --report",
        ),
        # words
        (("rnu",), "no such command 'rnu'"),
        (("run", "--lerner", "hedge"), "see littlestone run --help"),
        (("run", "ok.csv", "more.csv"), "unexpected extra argument (more.csv)"),
        (("show",), "missing argument 'LEARNER|ID'; see littlestone show --help"),
        (("--wat",), "no such option"),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, tuple) else None,
)
def test_mistakes_are_named_on_one_line(words, said):
    bad_files()
    before = sorted(os.listdir())
    message = refused(*words)
    assert said.lower() in message.lower()
    assert sorted(os.listdir()) == before


def test_outputs_are_checked_before_anything_is_played(monkeypatch):
    table("a.csv")

    def never(*_, **__):
        raise AssertionError("played first")

    monkeypatch.setattr("littlestone.cli.play.play_all", never)
    for flag in ("--save", "--report", "--predictions"):
        refused("run", "a.csv", "--outcome", "y", flag, "nowhere/out.csv")


def test_no_page_is_no_mistake_where_none_was_asked_for(monkeypatch):
    table("a.csv")
    monkeypatch.setattr(write, "why_unwritable", lambda path: "read-only file system")
    out = call("run", "a.csv", "--outcome", "y", "--learner", "hedge").stdout
    assert "report:" not in out
    assert "kept" in out


def test_a_full_disk_is_no_traceback(monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("littlestone.cli.play.play_all", full)
    assert call("run", code=1).stderr == "littlestone: No space left on device\n"


def test_a_bug_is_not_hidden_as_a_users_mistake(monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("littlestone.cli.play.play_all", broken)
    with pytest.raises(ZeroDivisionError):
        call("run")


# ---- nothing half-written


def test_a_mistake_in_a_late_row_leaves_no_file():
    table("a.csv", rows=300)
    with open("a.csv", "a", encoding="utf-8") as file:
        file.write("inf,1,1,1\n")
    words = ["--save", "m.ls", "--predictions", "p.csv", "--report", "r.html"]
    message = refused("run", "a.csv", "--outcome", "y", "--learner", "hedge", *words)
    assert "a.csv: row 301, column 'e1'" in message
    assert os.listdir() == ["a.csv"]


def test_an_interrupt_leaves_no_file(monkeypatch):
    table("a.csv")
    write_one = write.Predictions.write

    def interrupted(self, *words):
        write_one(self, *words)
        assert len(os.listdir()) == 2  # so there is something to remove
        raise KeyboardInterrupt

    monkeypatch.setattr(write.Predictions, "write", interrupted)
    words = ["--save", "m.ls", "--predictions", "p.csv"]
    result = call("run", "a.csv", "--outcome", "y", "--learner", "hedge", *words, code=130)
    assert result.stderr.strip() == "littlestone: stopped"
    assert os.listdir() == ["a.csv"]


def test_control_c_in_a_real_process(here):
    os.mkfifo("pipe.csv")
    words = ["run", "pipe.csv", "--outcome", "y", "--learner", "hedge", "--predictions", "p.csv"]
    process = subprocess.Popen(
        [sys.executable, "-m", "littlestone.cli.main", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # tests that run in the background are told to ignore it, and so would their children be
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with open("pipe.csv", "wb") as pipe:  # waits until the process reads
        pipe.write(b"a,b,y\n1,2,1\n")
        pipe.flush()
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, b"")
    assert err.strip() == b"littlestone: stopped"
    assert os.listdir(here) == ["pipe.csv"]


def test_predictions_replace_a_file_only_when_they_are_complete(monkeypatch):
    table("a.csv")
    Path("p.csv").write_text("mine", encoding="utf-8")
    words = ["run", "a.csv", "--outcome", "y", "--learner", "hedge", "--predictions", "p.csv"]
    with monkeypatch.context() as m:
        m.setattr(write.Predictions, "write", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        call(*words, code=130)
    assert Path("p.csv").read_text(encoding="utf-8") == "mine"
    call(*words)
    assert Path("p.csv").read_text(encoding="utf-8").startswith('"round"')
    assert os.stat("p.csv").st_mode & 0o777 == 0o666 & ~umask()


def umask():
    found = os.umask(0)
    os.umask(found)
    return found


# ---- what is said while it lasts


def test_a_pipe_sees_neither_bar_nor_escape_codes():
    table("a.csv")
    out = subprocess.run(
        [
            *(sys.executable, "-m", "littlestone.cli.main", "run", "a.csv", "--outcome", "y"),
            *("--learner", "hedge"),
        ],
        capture_output=True,
        check=True,
    )
    assert out.stderr == b""
    assert b"\x1b" not in out.stdout


def test_compiling_is_announced_once_it_lasts(monkeypatch, capsys):
    monkeypatch.setattr(status_module, "compiling", lambda thread: True)
    monkeypatch.setattr(status_module.announcer, "now", None)
    told = "once on this machine (about 5 s, longer where it is busy)"
    with status_module.Status() as status:
        status.play("tracker", 100)
        time.sleep(0.8)
        for now in (
            "Tracker",
            "Tracker with late feedback",
            "Tracker",
        ):  # what is said once is enough
            status_module.announcer.now = now
            time.sleep(0.2)
    assert capsys.readouterr().err == (
        f"compiling tracker, {told}\ncompiling tracker with late feedback, {told}\n"
    )
    with status_module.Status() as status:
        status.play("tracker", 100)
        time.sleep(0.2)
    assert capsys.readouterr().err == ""


def test_compiling_is_seen_in_numbas_own_stack():
    numba = pytest.importorskip("numba")
    go, done = threading.Event(), threading.Event()

    def work():
        go.wait()
        while not done.is_set():  # a fresh function compiles each time
            numba.njit(lambda v: [x * 2.0 for x in range(v)])(3)

    thread = threading.Thread(target=work)
    thread.start()
    assert not status_module.compiling(thread.ident)
    go.set()
    until = time.monotonic() + 60
    try:
        while not status_module.compiling(thread.ident):
            assert time.monotonic() < until, "numba compiled, and nobody saw it"
    finally:
        done.set()
        thread.join()


def test_a_terminal_sees_a_bar_after_a_second_and_then_the_table(here):
    pty = pytest.importorskip("pty")
    table("a.csv")
    code = (
        "import time\nfrom littlestone.play import session as s\n"
        "feed = s.Session.write\n"
        "def slow(self, *a):\n    feed(self, *a); time.sleep(0.05)\n"
        "s.Session.write = slow\ns.BLOCK = 1\n"
        "from littlestone.cli.main import main\n"
        "main(['run', 'b.csv', '--outcome', 'y', '--learner', 'hedge', '--report', ''])"
    )
    table("b.csv", rows=4000)
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=follower,
        env=os.environ | {"COLUMNS": "100", "TERM": "xterm"},
    )
    os.close(follower)
    seen = b""
    while True:
        try:
            piece = os.read(leader, 4096)
        except OSError:  # the end, on Linux
            break
        if not piece:
            break
        seen += piece
    out = process.communicate(timeout=60)[0]
    os.close(leader)
    assert process.returncode == 0, out
    text = re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", seen).decode()
    assert re.search(
        r"\d+% +\d:\d\d left +loss [\d.]+ a round +[\d,]+ rounds/s +[\d,]+ of 4,000", text
    )
    assert b"certificate" in out
    assert b"\x1b" not in out
