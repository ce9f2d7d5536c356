"""`littlestone run` on a file of dates and one number, and --lags."""

import json

import numpy as np
import pandas as pd
import pytest
from cli.test_cli import call, here, refused  # noqa: F401 - a fixture that every test uses

import littlestone as ls

QUIET = ("--report", "")


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")


def write_series(name="air.csv", rows=slice(None)):
    table = ls.datasets.table("air-passengers").to_pandas()[rows]
    table.to_csv(name, index=False)
    return table


def first_lines(out):
    return " ".join(out.split())


def predictions(name):
    return pd.read_csv(name)["prediction"].to_numpy()


def test_dates_and_one_number_are_forecast_from_their_past():
    table = write_series()
    out = call("run", "air.csv", *QUIET, "--predictions", "p.csv").output
    assert first_lines(out).startswith(
        "task: regression of 'passengers' from what it was 1, 2, 3, 12 and 13 rows before, as there is nothing else to "
        "learn from (--lags 1,2 takes other rows) air.csv: 144 rounds, 5 features, square loss "
        "online-linear: better than the value before ("
    )
    assert "the best lag (12 rounds before)" in out
    assert "--lags 1,2 takes other rows" in out
    assert "1 round without an outcome or without an earlier one: predicted, not counted" in out
    run = ls.play("online-linear", table, outcome="passengers")
    assert np.array_equal(predictions("p.csv"), run.predictions)
    (row,) = json.loads(call("run", "air.csv", *QUIET, "--json").stdout)
    assert row["loss"] == run.loss


def test_the_sentence_says_when_the_value_before_would_have_been_better():
    steps = np.random.default_rng(4).choice([-1.0, 1.0], 300)
    when = pd.date_range("2024-01-01", periods=300, freq="D")
    pd.DataFrame({"day": when, "y": np.cumsum(steps)}).to_csv("walk.csv", index=False)
    out = call("run", "walk.csv", *QUIET).output
    assert "from what it was 1, 2, 3, 7 and 8 rows before" in first_lines(out)
    assert "the value before would have been better (1 against 1." in first_lines(out)


def test_it_goes_on_and_predicts_the_next_row():
    write_series()
    write_series("old.csv", slice(100))
    new = write_series("new.csv", slice(100, None))
    call("run", "air.csv", *QUIET, "--predictions", "all.csv")
    call("run", "old.csv", *QUIET, "--save", "m.ls", "--predictions", "a.csv")
    call("run", "new.csv", *QUIET, "--load", "m.ls", "--predictions", "b.csv")
    both = np.concatenate([predictions("a.csv"), predictions("b.csv")])
    assert np.array_equal(both, predictions("all.csv"))
    new[["month"]].iloc[:1].to_csv("next.csv", index=False)
    call("predict", "m.ls", "next.csv", "--output", "n.csv")
    assert predictions("n.csv").tolist() == predictions("b.csv")[:1].tolist()
    new[["month"]].iloc[:2].to_csv("next.csv", index=False)
    said = refused("predict", "m.ls", "next.csv")
    assert (
        "row 2: online-linear-regression predicts from 'passengers' 1 row before, which is missing in row 1"
        in said
    )
    tested = call("run", "old.csv", *QUIET, "--test", "new.csv").output
    alone = call("run", "--load", "m.ls", "--test", "new.csv").output
    assert "test new.csv: 44 rows, loss 288.84 a row" in tested
    assert "test new.csv: 44 rows, loss 288.84 a row" in alone


def test_lags_that_are_named_and_lags_that_are_refused():
    write_series()
    out = first_lines(call("run", "air.csv", *QUIET, "--lags", "12,1").output)
    assert (
        "regression of 'passengers' from what it was 1 and 12 rows before, as it holds numbers"
        in out
    )
    assert "--lags 1,2 takes" not in out
    for lags, what in (
        ("0", "'0' is none"),
        ("1,x", "'x' is none"),
        ("500", "500 rows back, and there are 144"),
    ):
        assert f"--lags: {what}" in refused("run", "air.csv", *QUIET, "--lags", lags)
    late = refused("run", "air.csv", *QUIET, "--lags", "2,12", "--delay", "3")
    assert "the outcome 2 rows before is not known yet with delay=3; the least lag is 4" in late
    said = refused(
        "run", "air.csv", *QUIET, "--outcome", "passengers", "--learner", "tracker", "--lags", "1"
    )
    assert "--lags: tracker combines experts" in said


def test_keys_have_seasons_of_their_own():
    days = pd.date_range("2024-01-01", periods=60, freq="D")
    week = np.tile(np.arange(7.0), 9)[:60]
    shops = [
        pd.DataFrame({"day": days, "shop": k, "sales": (i + 1) * week + 0.5})
        for i, k in enumerate("abc")
    ]
    pd.concat(shops).sort_values(["day", "shop"]).to_csv("s.csv", index=False)
    out = call("run", "s.csv", *QUIET, "--by", "shop").output
    assert "from what it was 1, 2, 3, 7 and 8 rows before" in first_lines(out)
    assert "the best lag (7 rounds before), of each key" in out
