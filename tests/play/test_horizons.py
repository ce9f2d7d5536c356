"""Several horizons in one table: each key has its own delay."""

import csv
import json

import numpy as np
import pandas as pd
import pytest
from cli.test_cli import call, refused

import littlestone as ls
from littlestone.core.errors import BadInput


def forecasts(times=60, horizons=(1, 2, 3), seed=0):
    """Long form: a row for each time and horizon, two forecasts of what comes so many days later."""
    rng = np.random.default_rng(seed)
    y = 0.5 + 0.3 * np.sin(np.arange(times + max(horizons)) / 5)
    rows = [
        (t, h, *(y[t + h] + h * s * rng.normal() for s in (0.02, 0.05)), y[t + h])
        for t in range(times)
        for h in horizons
    ]
    return pd.DataFrame(rows, columns=["day", "ahead", "good", "bad", "demand"])


def examples(times=60, seed=0):
    rng = np.random.default_rng(seed)
    frame = forecasts(times)[["ahead"]]
    frame["a"], frame["b"] = rng.normal(size=(2, len(frame)))
    frame["y"] = np.where(frame.a + rng.normal(size=len(frame)) > 0, "yes", "no")
    return frame


def same(run, alone):
    assert run.predictions.tolist() == alone.predictions.tolist()
    assert run.losses.tolist() == alone.losses.tolist()
    assert run.learner.digest() == alone.learner.digest()
    assert str(run.certificate) == str(alone.certificate)
    assert run.transcript.delay == alone.transcript.delay


@pytest.mark.parametrize("interleave", [True, False])
@pytest.mark.parametrize("key", ["tracker", "hedge", "ml-poly"])
def test_each_horizon_of_forecasts_is_played_as_if_alone(key, interleave):
    frame = forecasts()
    runs = ls.play(
        key, frame, outcome="demand", experts=["good", "bad"], by="ahead", delay="ahead",
        interleave=interleave, engine="plain",
    )  # fmt: skip
    assert list(runs) == [1, 2, 3]
    for h in (1, 2, 3):
        mine = frame[frame.ahead == h]
        late = {"delay": h, "interleave": interleave, "engine": "plain"}
        same(runs[h], ls.play(key, mine[["good", "bad"]], mine.demand, **late))


@pytest.mark.parametrize("key", ["logistic", "softmax", "perceptron"])
def test_each_horizon_of_examples_is_played_as_if_alone(key):
    frame = examples()
    late = {1: 0, 2: 5, "3": 1}  # any delays; keys by how they are written
    runs = ls.play(key, frame, outcome="y", by="ahead", delay=late, engine="plain")
    for h, delay in ((1, 0), (2, 5), (3, 1)):
        mine = frame[frame.ahead == h].drop(columns="ahead")
        same(runs[h], ls.play(key, mine, outcome="y", delay=delay, engine="plain"))


def test_horizons_of_a_file_and_several_passes(tmp_path):
    frame, path = examples(), tmp_path / "a.csv"
    frame.to_csv(path, index=False)
    runs = ls.play(
        "logistic", str(path), outcome="y", by="ahead", delay="ahead", passes=2, engine="plain"
    )
    for h in (1, 2, 3):
        mine = tmp_path / "one.csv"
        frame[frame.ahead == h].drop(columns="ahead").to_csv(mine, index=False)
        same(
            runs[h], ls.play("logistic", str(mine), outcome="y", delay=h, passes=2, engine="plain")
        )


def test_horizons_go_on_from_learners_by_key():
    frame = forecasts(40)
    options = {"outcome": "demand", "experts": ["good", "bad"], "by": "ahead", "delay": "ahead"}
    options |= {"interleave": False, "engine": "plain", "interval": (0.0, 1.5)}
    whole = ls.play("tracker", frame, **options)
    first = ls.play("tracker", frame[frame.day < 25], **options)
    rest = ls.play(first.learners, frame[frame.day >= 25], resume=True, **options)
    for h in (1, 2, 3):
        assert rest[h].predictions.tolist() == whole[h].predictions.tolist()[25:]
        assert rest[h].learner.state.w.tolist() == whole[h].learner.state.w.tolist()


WHOLE = "it must be a whole number of rounds, 0 or more, not"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"delay": "ahead"}, "delays of keys need by="),
        ({"delay": {1: 1}}, "delays of keys need by="),
        ({"delay": "day", "by": "ahead"}, "a column of delays is the column of the keys as well"),
        ({"delay": {}, "by": "ahead"}, "it says how late the outcomes of each key are"),
        (
            {"delay": {1: 1, 2: 2}, "by": "ahead"},
            "how late the outcomes of ahead 3 are; known: 1, 2",
        ),
        ({"delay": {1: 1, 2: 2, 3: -1}, "by": "ahead"}, f"delay of ahead 3: {WHOLE} -1"),
        ({"delay": {1: 1, 2: 2.5, 3: 1}, "by": "ahead"}, f"delay of ahead 2: {WHOLE} 2.5"),
        ({"delay": [1] * 180, "by": "ahead"}, "or one for each key"),
    ],
)
def test_delays_that_mean_nothing_are_refused(options, says):
    options = {"outcome": "demand", "experts": ["good", "bad"], "engine": "plain", **options}
    with pytest.raises(BadInput) as found:
        ls.play("tracker", forecasts(), **options)
    assert says in str(found.value)


# ---- the command line


@pytest.fixture
def ahead(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    frame = forecasts(40)
    frame.assign(weekday="mo").to_csv("ahead.csv", index=False)
    return frame


RUN = ("run", "ahead.csv", "--outcome", "demand", "--experts", "good", "--experts", "bad")
RUN = (*RUN, "--learner", "tracker", "--horizon", "ahead", "--report", "")


def test_a_row_and_a_certificate_for_each_horizon(ahead):
    rows = json.loads(call(*RUN, "--json").stdout)
    assert [(row["key"], row["delay"]) for row in rows] == [(1, 1), (2, 2), (3, 3)]
    for row in rows:
        mine = ahead[ahead.ahead == row["key"]]
        alone = ls.play("tracker", mine[["good", "bad"]], mine.demand, delay=row["key"])
        assert row["loss"] == alone.loss
        assert row["certificate"] == str(alone.certificate)
    out = " ".join(call(*RUN, "--predictions", "p.csv").stdout.split())
    assert (
        "horizon: predicted without the outcomes of the last so many rounds of that horizon" in out
    )
    assert "each outcome was known before" not in out
    with open("p.csv", encoding="utf-8", newline="") as file:
        said = list(csv.DictReader(file))
    mine = ahead[ahead.ahead == 3]
    alone = ls.play("tracker", mine[["good", "bad"]], mine.demand, delay=3)
    assert [
        float(row["prediction"]) for row in said if row["ahead"] == "3"
    ] == alone.predictions.tolist()


def test_the_value_before_is_the_last_one_known_at_each_horizon(ahead):
    rows = json.loads(call(*RUN, "--json").stdout)
    for row in rows:
        y, late = ahead[ahead.ahead == row["key"]].demand.to_numpy(), row["key"] + 1
        before = np.concatenate([np.zeros(late), y[:-late]])
        assert row["references"]["previous"] == pytest.approx(((y - before) ** 2).sum())


def test_horizons_are_saved_and_go_on(ahead):
    whole = json.loads(call(*RUN, "--one-copy", "--interval", "0", "1.5", "--json").stdout)
    ahead[ahead.day < 25].to_csv("may.csv", index=False)
    ahead[ahead.day >= 25].to_csv("june.csv", index=False)
    words = ("--outcome", "demand", "--horizon", "ahead", "--experts", "good", "--experts", "bad")
    words = (*words, "--one-copy", "--report", "", "--json")
    begin = ("--learner", "tracker", "--interval", "0", "1.5", "--save", "m.ls")
    first = json.loads(call("run", "may.csv", *words, *begin).stdout)
    rest = json.loads(call("run", "june.csv", *words, "--load", "m.ls").stdout)
    for a, b, c in zip(first, rest, whole, strict=True):
        assert a["loss"] + b["loss"] == pytest.approx(c["loss"], rel=1e-12)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--by", "day"), "--horizon and --by: a horizon is its own key; leave one of them out"),
        (("--delay", "3"), "--horizon and --delay: a horizon is its own delay"),
        (("--save", "m.ls", "--interleave"), "leave --interleave or --save out"),
        (("--horizon", "when"), "no column is called 'when'"),
        (
            ("--horizon", "weekday"),
            "delay of weekday 'mo': it must be a whole number of rounds, 0 or more",
        ),
    ],
)
def test_what_is_no_horizon_is_refused(ahead, words, says):
    assert says in refused(*RUN, *words)
