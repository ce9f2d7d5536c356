"""What `littlestone run FILE --outcome Y` says first: the task, why, and what would have been better."""

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


def diamonds(rows=300):
    """An ordinary table: a price, what it depends on in numbers and words, and the number of each row."""
    rng = np.random.default_rng(1)
    carat, cut = rng.uniform(0.2, 2.0, rows), rng.choice(["fair", "good", "ideal"], rows)
    depth = rng.normal(61.0, 1.5, rows)
    worth = pd.Series(cut).map({"fair": -900.0, "good": 0.0, "ideal": 900.0}).to_numpy()
    price = 4000.0 * carat + worth + rng.normal(0, 200, rows)
    columns = {"id": rng.permutation(90_000)[:rows], "carat": carat, "cut": cut, "depth": depth}
    return pd.DataFrame({**columns, "price": price.round()})


def polls(rows=300):
    rng = np.random.default_rng(2)
    y = 40.0 + np.cumsum(rng.normal(0, 0.5, rows))
    good = {name: y + rng.normal(0, 0.4, rows) for name in ("gallup", "ipsos", "yougov")}
    return pd.DataFrame({"y": y, **good, "day": rng.normal(0, 1, rows)})


def test_a_table_with_a_price_is_regression_from_its_features():
    diamonds().to_csv("d.csv", index=False)
    out = call("run", "d.csv", "--outcome", "price", *QUIET).output
    first = " ".join(" ".join(out.splitlines()[:2]).split())
    assert first == (
        "task: regression of 'price' from 3 columns ('carat', 'cut', 'depth'), as it holds numbers and no column of "
        "numbers is on its scale (--task forecasting takes columns for forecasts, --task classification values for "
        "classes)"
    )
    assert "online-linear: better than a constant (" in out
    assert "left out: 'id' (identifier: whole numbers, nearly all different)" in out
    (row,) = json.loads(call("run", "d.csv", "--outcome", "price", *QUIET, "--json").stdout)
    assert row["loss"] < 0.2 * row["references"]["constant"]
    assert set(row["references"]) >= {"constant", "previous"}
    assert row["sentence"].startswith("better than a constant (")


def test_columns_on_the_scale_of_the_outcome_are_forecasts():
    polls().to_csv("p.csv", index=False)
    out = call("run", "p.csv", "--outcome", "y", *QUIET).output
    first = " ".join(" ".join(out.splitlines()[:2]).split())
    assert first == (
        "task: forecasting 'y' with 4 experts: it holds numbers and 3 of 4 columns of numbers are on its scale "
        "('gallup', 'ipsos', 'yougov') (--task regression takes columns for features)"
    )
    for name in ("all experts alike", "always the mean (", "the outcome of the round before"):
        assert name in out
    said = call("run", "p.csv", "--outcome", "y", "--task", "regression", *QUIET).output
    assert said.startswith(
        "task: regression of 'y' from 4 columns ('gallup', 'ipsos', 'yougov', …), as --task says"
    )


def test_one_of_two_columns_on_the_scale_of_the_outcome_is_a_feature():
    rng = np.random.default_rng(4)
    guests = rng.integers(1, 7, 200)
    bill = 8.0 * guests + rng.normal(0.0, 4.0, 200)
    tip = 0.12 * bill + rng.normal(0.0, 0.5, 200)
    day = rng.choice(["Sat", "Sun"], 200)
    frame = pd.DataFrame({"bill": bill, "guests": guests, "day": day, "tip": tip})
    frame.to_csv("t.csv", index=False)
    out = call("run", "t.csv", "--outcome", "tip", *QUIET).output
    assert " ".join(out.split()).startswith(
        "task: regression of 'tip' from 3 columns ('bill', 'guests', 'day'), as it holds numbers and 1 of 2 columns "
        "of numbers is on its scale ('guests')"
    )


def test_columns_that_are_no_forecasts_are_said_to_be_none():
    frame = diamonds().drop(columns=["cut", "id"])
    frame.to_csv("d.csv", index=False)
    out = call("run", "d.csv", "--outcome", "price", "--learner", "tracker", *QUIET).output
    said = " ".join(out.split())
    assert (
        "note: the columns hardly look like forecasts of 'price': no column of numbers is" in said
    )
    assert "--task regression learns from them" in said
    assert "a constant would have been better (" in said
    run = ls.play("tracker", frame, outcome="price")
    assert any("hardly look like forecasts of 'price'" in note for note in run.notes)
    named = ls.play("tracker", frame, outcome="price", experts=["carat", "depth"])
    assert not any(
        "hardly look like" in note for note in named.notes
    )  # the user says that they are


def test_grades_are_predicted_as_numbers():
    rng = np.random.default_rng(3)
    grade = np.clip(rng.normal(5.6, 0.8, 600).round(), 3, 8).astype(int)
    pd.DataFrame({"acid": grade + rng.normal(20, 1, 600), "grade": grade}).to_csv(
        "w.csv", index=False
    )
    out = call("run", "w.csv", "--outcome", "grade", *QUIET).output
    assert out.startswith(
        "task: regression of 'grade' from 1 column ('acid'), as it holds whole numbers on one scale"
    )


def test_dates_and_labels_have_no_features():
    when = pd.date_range("2024-01-01", periods=40, freq="h")
    pd.DataFrame({"when": when, "flow": ["up", "down"] * 20}).to_csv("f.csv", index=False)
    said = refused("run", "f.csv", "--outcome", "flow", *QUIET)
    assert "no features: no numbers or text among the columns 'when' (timestamp)" in said
    assert "add columns to learn from, or let the outcomes of earlier rows be features" in said


def test_commas_are_asked_for_and_the_option_answers():
    rows = [f'"{1 + i % 3},94{i % 10}",{i % 7}.5' for i in range(60)]
    with open("c.csv", "w", encoding="utf-8") as file:
        file.write("\n".join(["y,a", *rows]) + "\n")
    said = refused("run", "c.csv", "--outcome", "y", *QUIET)
    assert "row 1 is '1,940', which may be 1940 or 1.94" in said
    assert "--decimal . or --decimal ," in said
    out = call("run", "c.csv", "--outcome", "y", "--decimal", ",", *QUIET).output
    assert "always the mean (2.9" in out


def test_late_feedback_is_compared_with_the_last_value_known():
    rng = np.random.default_rng(4)
    y = np.cumsum(rng.normal(size=200))
    frame = pd.DataFrame({"y": y, "a": y + rng.normal(size=200), "b": y + rng.normal(size=200)})
    frame.to_csv("l.csv", index=False)
    words = ("run", "l.csv", "--outcome", "y", "--delay", "5", "--json", *QUIET)
    at_once, late = json.loads(call(*words).stdout)
    assert at_once["references"]["previous"] == pytest.approx(y[0] ** 2 + (np.diff(y) ** 2).sum())
    known = (y[:6] ** 2).sum() + ((y[6:] - y[:-6]) ** 2).sum()
    assert late["references"]["previous"] == pytest.approx(known)


def test_a_long_file_is_compared_with_simple_answers_too(monkeypatch):
    """Of a file that is not kept in memory, what simple answers lose is counted as it is read."""
    frame = diamonds()
    frame.to_csv("d.csv", index=False)
    words = ("run", "d.csv", "--outcome", "price", "--learner", "online-linear", "--json", *QUIET)
    (kept,) = json.loads(call(*words).stdout)
    monkeypatch.setattr("littlestone.streams.tables.table_rounds.WHOLE", 1024)
    monkeypatch.setattr("littlestone.streams.tables.table_rounds.PIECE", 200)
    (streamed,) = json.loads(call(*words).stdout)
    for kind in ("constant", "previous"):
        assert streamed["references"][kind] == pytest.approx(kept["references"][kind])
    assert streamed["sentence"].startswith("better than a constant (")
