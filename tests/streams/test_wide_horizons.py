"""Forecasts of several horizons in one row: each horizon is played as if it had been a table of its own."""

import csv
import itertools
import json

import numpy as np
import pandas as pd
import pytest
from cli.test_cli import call, refused

import littlestone as ls
from littlestone.core.errors import BadInput

AHEAD = (1, 2, 5)


def wide(times=60, seed=0):
    rng = np.random.default_rng(seed)
    y = 0.5 + 0.3 * np.sin(np.arange(times + max(AHEAD)) / 5)
    columns = {
        f"{who}_h{h}": y[h : times + h] + h * scale * rng.normal(size=times)
        for who, scale in (("good", 0.02), ("bad", 0.05))
        for h in AHEAD
    }
    frame = pd.DataFrame({"day": np.arange(times) % 7, "demand": y[:times], **columns})
    return frame, y


def alone(frame, h, **options):
    """One horizon as a table of its own: forecasts of a row, the outcome h rows later, the last ones unknown."""
    y = np.concatenate([frame.demand.to_numpy()[h:], np.full(h, np.nan)])
    mine = frame[[f"good_h{h}", f"bad_h{h}"]].rename(columns=lambda name: name.partition("_")[0])
    return ls.play("tracker", mine, y, delay=h, engine="plain", **options)


def same(run, expected):
    assert np.array_equal(run.predictions, expected.predictions, equal_nan=True)
    assert np.array_equal(run.losses, expected.losses, equal_nan=True)
    assert run.learner.state.P.tolist() == expected.learner.state.P.tolist()
    assert str(run.certificate) == str(expected.certificate)


@pytest.mark.parametrize("form", ["frame", "csv", "parquet", "batches"])
@pytest.mark.parametrize("interleave", [False, True])
def test_each_horizon_is_played_as_if_alone(form, interleave, tmp_path):
    frame, _ = wide()
    data = frame
    if form == "csv":
        frame.to_csv(data := tmp_path / "wide.csv", index=False)
    elif form == "parquet":
        frame.to_parquet(data := tmp_path / "wide.parquet")
    elif form == "batches":  # shorter and longer than the farthest horizon
        cuts = [0, 3, 4, 20, 60]
        data = [frame.iloc[a:b] for a, b in itertools.pairwise(cuts)]
    runs = ls.play(
        "tracker", data, outcome="demand", delay="*_h{}", interleave=interleave, engine="plain"
    )
    assert list(runs) == list(AHEAD)
    for h in AHEAD:
        same(runs[h], alone(frame, h, interleave=interleave))
        assert runs[h].learner.begun().names == ("good", "bad")


def test_the_last_rows_are_predicted_and_not_scored():
    frame, y = wide()
    runs = ls.play("tracker", frame, outcome="demand", delay="*_h{}", engine="plain")
    for h, run in runs.items():
        assert np.isnan(run.losses[-h:]).all()
        assert np.isfinite(run.losses[:-h]).all()
        assert abs(run.predictions[-h:] - y[60 : 60 + h]).max() < 0.2 * h


def test_a_frame_keeps_what_it_calls_its_rows():
    frame, _ = wide()
    frame.index = pd.date_range("2024-01-01", periods=60)
    runs = ls.play("tracker", frame, outcome="demand", delay="*_h{}", engine="plain")
    for run in runs.values():
        assert list(run.to_frame().index) == list(frame.index)


def test_a_forecaster_without_a_column_for_a_horizon_sleeps_there():
    frame, _ = wide()
    runs = ls.play(
        "tracker", frame.drop(columns="bad_h2"), outcome="demand", delay="*_h{}", engine="plain"
    )
    assert runs[2].predictions[5] == frame.good_h2[5]


def test_one_forecaster_needs_no_star():
    frame, _ = wide()
    frame = frame[["demand", "good_h1", "good_h2"]].rename(
        columns=lambda n: n.removeprefix("good_")
    )
    runs = ls.play("tracker", frame, outcome="demand", delay="h{}", engine="plain")
    assert list(runs) == [1, 2]
    assert runs[1].learner.begun().names == ("h",)


def test_learners_by_horizon_go_on():
    frame, _ = wide()
    options = {"outcome": "demand", "delay": "*_h{}", "interleave": False, "engine": "plain"}
    options["interval"] = (0.0, 2.0)
    first = ls.play("tracker", frame[:40], **options)
    rest = ls.play(first.learners, frame[40:], resume=True, **options)
    assert list(rest) == list(AHEAD)
    for h in AHEAD:
        assert rest[h].learner.begun().t == 60


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"delay": "*_h{}{}"}, "write * for the forecaster, once, and {} for the number of rows"),
        ({"delay": "{}"}, "write * for the forecaster"),
        ({"delay": "*_x{}"}, "no column matches '*_x*'"),
        (
            {"delay": "d{}"},
            "no column fits 'd{}', where {} is a number of rows ahead; columns: 'day'",
        ),
        ({"delay": "*_h{}", "by": "day"}, "each horizon is a key; leave one of them out"),
        ({"delay": "*_h{}", "learner": "logistic"}, "tracker does"),
    ],
)
def test_what_names_no_horizons_is_refused(options, says):
    frame, _ = wide()
    with pytest.raises(BadInput) as found:
        ls.play(**{"learner": "tracker", "data": frame, "outcome": "demand", **options})
    assert says in str(found.value)


def test_a_column_twice_and_a_forecast_of_its_own_row_are_refused():
    frame, _ = wide()
    with pytest.raises(BadInput, match=r"'good_h1' and 'good_h01' are both 'good', 1 rows ahead"):
        ls.play("tracker", frame.assign(good_h01=0.0), outcome="demand", delay="*_h{}")
    with pytest.raises(BadInput, match=r"column 'good_h0' is 0 rows ahead"):
        ls.play("tracker", frame.assign(good_h0=0.0), outcome="demand", delay="*_h{}")


# ---- the command line


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    frame, _ = wide()
    frame.to_csv("wide.csv", index=False)
    return frame


RUN = ("run", "wide.csv", "--outcome", "demand", "--horizon", "*_h{}", "--report", "")


def test_a_row_for_each_horizon_and_predictions_of_new_rows(file):
    rows = json.loads(call(*RUN, "--json").stdout)
    assert [(row["key"], row["delay"]) for row in rows] == [(h, h) for h in AHEAD]
    for row in rows:
        assert row["loss"] == alone(file, row["key"]).loss
    out = " ".join(
        call(*RUN, "--one-copy", "--save", "m.ls", "--predictions", "p.csv").stdout.split()
    )
    assert "columns '*_h{}' are forecasts of 1, 2 and 5 rows ahead" in out
    assert "row 1 for 5 rows ahead is scored by the outcome of row 6" in out
    assert "8 rounds without an outcome: predicted, not counted" in out
    file.tail(2).drop(columns="demand").to_csv("today.csv", index=False)
    said = list(
        csv.DictReader(
            call("predict", "m.ls", "today.csv", "--horizon", "*_h{}").stdout.splitlines()
        )
    )
    learners = ls.load("m.ls")
    assert [(row["row"], row["horizon"]) for row in said] == [
        (str(r), str(h)) for h in AHEAD for r in (1, 2)
    ]
    for row in said:
        h, at = int(row["horizon"]), 57 + int(row["row"])
        forecasts = [file[f"good_h{h}"][at], file[f"bad_h{h}"][at]]
        assert float(row["prediction"]) == pytest.approx(learners[h].predict(forecasts), rel=1e-12)


def test_the_command_line_refuses_what_names_no_horizons(file):
    assert "no column matches '*_x*'" in refused(*RUN[:5], "*_x{}")
    assert "--horizon and --by" in refused(*RUN, "--by", "day")
