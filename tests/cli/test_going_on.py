"""Learners that were saved go on: with late feedback, one for each key, after a stop in a later pass."""

import csv
import io
import random
import signal

import numpy as np
import pandas as pd
import pytest
from cli.test_cli import call, here, refused, rows_of  # noqa: F401 - a fixture that every test uses

import littlestone as ls
from littlestone.cli.checkpoint import Checkpoints, Stopped
from littlestone.cli.command_options import CommandOptions
from littlestone.core.errors import BadInput

pytestmark = pytest.mark.usefixtures("plain")
QUIET = ["--report", "", "--no-certify"]


@pytest.fixture
def sales(tmp_path):
    rng, draw = np.random.default_rng(0), random.Random(0)
    y = rng.normal(10, 2, 120)
    frame = pd.DataFrame({"shop": [draw.choice("ABC") for _ in y], "y": y})
    frame["a"], frame["b"] = y + rng.normal(0, 0.5, 120), y + rng.normal(0.3, 0.5, 120)
    frame.to_csv(tmp_path / "all.csv", index=False)
    frame[:70].to_csv(tmp_path / "may.csv", index=False)
    frame[70:].to_csv(tmp_path / "june.csv", index=False)
    return frame


@pytest.mark.usefixtures("sales")
def test_a_saved_learner_goes_on_with_late_feedback():
    words = ["--outcome", "y", "--experts", "a", "--experts", "b", *QUIET, "--delay", 3]
    call("run", "may.csv", *words, "--save", "m.ls")
    rows = rows_of("run", "june.csv", *words, "--load", "m.ls", "--save", "m.ls")
    assert [(r["delay"], r["rounds"]) for r in rows] == [(0, 50), (3, 50)]
    learner = ls.load("m.ls")
    assert learner.live.t == 120


def test_late_feedback_goes_on_as_a_live_learner_does(sales):
    X, y = sales[["a", "b"]].to_numpy(), sales.y.to_numpy()
    first = ls.play("tracker", X[:70], y[:70], engine="plain", certify=False).learner
    options = {"engine": "plain", "certify": False, "resume": True}
    late = ls.play(first, X[70:], y[70:], delay=2, **options)
    each = ls.play(first, X[70:], y[70:], delay=[2] * 50, **options)
    live, open_, said = first.replace().attach(first.live.copied()), [], []
    for x, outcome in zip(X[70:], y[70:], strict=True):
        open_.append((live.ask(x), outcome))
        said.append(open_[-1][0].prediction)
        if len(open_) > 2:
            live.tell(*open_.pop(0))
    assert late.predictions.tolist() == each.predictions.tolist() == said
    with pytest.raises(BadInput, match="one learner goes on"):
        ls.play(first, X, y, delay=2, interleave=True, **options)


def test_learners_of_keys_are_saved_and_go_on(sales):
    words = ["--outcome", "y", "--by", "shop", *QUIET]
    call("run", "all.csv", *words, "--save", "whole.ls")
    call("run", "may.csv", *words, "--save", "m.ls")
    call("run", "june.csv", *words, "--load", "m.ls", "--save", "m.ls")
    ours, whole = ls.load("m.ls"), ls.load("whole.ls")
    assert set(ours) == set(whole) == {"A", "B", "C"}
    assert {k: v.live.t for k, v in ours.items()} == sales.shop.value_counts().to_dict()
    may = ls.play("tracker", sales[:70], outcome="y", by="shop", engine="plain")
    june = ls.play(may.learners, sales[70:], outcome="y", by="shop", resume=True, engine="plain")
    assert {k: v.digest() for k, v in june.learners.items()} == {
        k: v.digest() for k, v in ours.items()
    }
    assert "holds 3 learners, one for each key" in refused(
        "run", "june.csv", "--outcome", "y", "--load", "m.ls"
    )
    with pytest.raises(BadInput, match="by= and resume=True"):
        ls.play(may.learners, sales, outcome="y", by="shop")


def test_predictions_of_learners_by_key(sales, tmp_path):
    call("run", "may.csv", "--outcome", "y", "--by", "shop", *QUIET, "--save", "m.ls")
    out = call("predict", "m.ls", "june.csv", "--by", "shop").stdout.replace('"', "").splitlines()
    assert out[0] == "row,shop,prediction,cold_start"
    learners, row = ls.load("m.ls"), sales.iloc[70]
    said = learners[row.shop].predict({"a": row.a, "b": row.b})
    assert out[1] == f"1,{row.shop},{said!r},false"
    (tmp_path / "new.csv").write_text("shop,a,b\nZ,1,2\n", encoding="utf-8")
    out = call("predict", "m.ls", "new.csv", "--by", "shop").stdout.replace('"', "").splitlines()
    assert out[1] == "1,Z,1.5,true"  # all experts alike


def test_probabilities_of_learners_by_key(tmp_path):
    """A column for each class that some key knows; empty where the key of a row does not know it."""
    labels = {"A": ("yes", "no"), "B": ("no", "later")}
    lines = [f"{s},{t % 5},{labels[s][t % 2]}" for t in range(30) for s in "AB"]
    (tmp_path / "v.csv").write_text("\n".join(["shop,a,label", *lines]) + "\n", encoding="utf-8")
    words = ["--learner", "online-linear", "--outcome", "label", "--by", "shop"]
    call("run", "v.csv", *words, *QUIET, "--save", "m.ls")
    out = call("predict", "m.ls", "v.csv", "--by", "shop", "--probabilities").stdout
    rows = list(csv.DictReader(io.StringIO(out)))
    names = ["row", "shop", "prediction", "p(yes)", "p(no)", "p(later)", "cold_start"]
    assert list(rows[0]) == names
    for row in rows[:4]:
        assert sum(float(row[f"p({y})"]) for y in labels[row["shop"]]) == pytest.approx(
            1 - 1 / 31**2
        )
        assert sum(row[f"p({y})"] == "" for y in ("yes", "no", "later")) == 1
    assert "leave --id out" in refused("predict", "m.ls", "v.csv", "--by", "shop", "--id", "a")


def test_rows_without_a_column_of_the_training(sales, tmp_path):
    call(
        "run",
        "may.csv",
        "--outcome",
        "y",
        "--experts",
        "a",
        "--experts",
        "b",
        *QUIET,
        "--save",
        "m.ls",
    )
    (tmp_path / "new.csv").write_text("shop,c\nZ,1\n", encoding="utf-8")
    said = refused("predict", "m.ls", "new.csv")
    assert "tracker was trained on a column that is not here: no column is called 'a'" in said
    assert "--id: tracker predicts from 'a'; name another column" in refused(
        "predict", "m.ls", "may.csv", "--id", "a"
    )


def test_keys_are_saved_on_the_way(sales, monkeypatch):
    monkeypatch.setattr("littlestone.streams.tables.table_rounds.WHOLE", 0)
    monkeypatch.setattr("littlestone.streams.tables.table_rounds.PIECE", 60)  # 20 rows
    seen = []
    of_keys = Checkpoints.of_keys

    def stopping(self, sessions, done):
        seen.append(done)
        self.stopped = signal.SIGTERM if done >= 60 else 0
        of_keys(self, sessions, done)

    monkeypatch.setattr(Checkpoints, "of_keys", stopping)
    words = ["run", "all.csv", "--outcome", "y", "--by", "shop", *QUIET, "--save"]
    told = call(*words, "m.ls", "--save-every", 20, code=128 + signal.SIGTERM).stderr
    assert "stopped after 60 rows" in told
    assert "--load m.ls --skip 60 and" in told
    monkeypatch.setattr(Checkpoints, "of_keys", of_keys)
    call(*words, "m.ls", "--load", "m.ls", "--skip", 60)
    call(*words, "whole.ls")
    ours, whole = ({k: v.digest() for k, v in ls.load(f).items()} for f in ("m.ls", "whole.ls"))
    assert ours == whole


@pytest.mark.parametrize(
    ("options", "rounds", "said"),
    [
        ({}, 30, "--skip 30 and"),
        ({"skip": 20}, 30, "--skip 50 and"),
        ({"delay": 7}, 30, "--skip 30 and"),
        ({"passes": 3}, 30, "--skip 30 and"),
        ({"passes": 3}, 130, "--skip 30 --passes 2 and"),
        ({"passes": 3}, 200, "--skip 0 --passes 1 and"),
        ({"passes": 3, "skip": 20}, 130, "--skip 50 --passes 2 and"),
    ],
)
def test_a_stopped_run_says_which_rows_are_left(tmp_path, options, rounds, said):
    keep = Checkpoints(CommandOptions(save=str(tmp_path / "m.ls"), **options))
    run = ls.play("perceptron", [[0.0, 1.0]] * 100, [1] * 100, engine="plain", certify=False)
    keep.stream, keep.stopped = run.stream, signal.SIGINT
    keep.stream.rounds = 100 - options.get("skip", 0)
    with pytest.raises(Stopped, match=said):
        keep(run.learner, run.learner.live, rounds)


def test_a_later_pass_goes_on_where_it_was(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(label=np.where(X[:, 0] > 0, "p", "n"))
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ["run", "t.csv", "--outcome", "label", "--learner", "perceptron", *QUIET]
    call(*words, "--passes", 3, "--save", "whole.ls")
    call(*words, "--passes", 1, "--save", "m.ls")
    frame[:25].to_csv(tmp_path / "part.csv", index=False)
    call("run", "part.csv", "--outcome", "label", *QUIET, "--load", "m.ls", "--save", "m.ls")
    more = ["--load", "m.ls", "--save", "m.ls", "--skip", 25, "--passes", 2]
    call("run", "t.csv", "--outcome", "label", *QUIET, *more)
    ours, whole = (ls.load(name).live for name in ("m.ls", "whole.ls"))
    assert ours.t == whole.t == 180
    assert ours.state.w.tolist() == whole.state.w.tolist()
