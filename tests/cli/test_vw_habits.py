"""What users of Vowpal Wabbit and of notebooks look for at the command line."""

import csv
import io
import random

import numpy as np
import pytest
from cli.test_cli import call, here, refused  # noqa: F401 - a fixture that every test uses
from support.reading import open_stream

import littlestone as ls

pytestmark = pytest.mark.usefixtures("plain")


@pytest.fixture
def visits(tmp_path):
    draw = random.Random(0)
    lines = ["visit,user,hour,label"]
    for i in range(200):
        user, hour = draw.choice(["ann", "bob", "cem"]), draw.randrange(24)
        label = "click" if user == "ann" else ("late" if hour > 18 else "no")
        lines.append(f"v{i},{user},{hour},{label}")
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def table_of(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.usefixtures("visits")
def test_predictions_carry_probabilities_and_an_id():
    words = ["run", "t.csv", "--outcome", "label", "--no-certify", "--id", "visit", "-b", 8]
    result = call(*words, "--probabilities", "--predictions", "-")
    rows = table_of(result.stdout)
    assert [r["visit"] for r in rows[:3]] == ["v0", "v1", "v2"]
    assert rows[0]["prediction"] == rows[0]["p(no)"] == ""  # no class was known yet
    run = ls.play(
        "online-linear",
        "t.csv",
        outcome="label",
        features=["!visit"],
        bits=8,
        engine="plain",
        record="all",
    )
    for t in (50, 199):
        p = np.array([float(rows[t][f"p({label})"]) for label in run.learner.classes])
        e = np.exp(run.scores[t] - run.scores[t].max())
        assert p == pytest.approx(e / e.sum() * (1 - 1 / (t + 1) ** 2))  # the rest: a new class
        assert rows[t]["prediction"] == run.predictions[t] == run.learner.classes[p.argmax()]
    assert "task: classification" in result.stderr  # the table is beside, not among them
    assert "accuracy" in result.stderr
    call(*words, "--probabilities", "--predictions", "out.csv")
    with open("out.csv", encoding="utf-8") as file:
        assert table_of(file.read()) == rows


@pytest.mark.usefixtures("visits")
def test_probabilities_with_keys_are_in_the_order_of_the_file():
    words = ["run", "t.csv", "--outcome", "label", "--no-certify", "--by", "user", "-b", 8]
    rows = table_of(
        call(*words, "--features", "hour", "--probabilities", "--predictions", "-").stdout
    )
    assert [r["round"] for r in rows] == [str(i + 1) for i in range(200)]
    ann = [r for r in rows if r["user"] == "ann"]
    for t, r in enumerate(ann[1:], 2):  # of ann one class occurs; 1/t^2 is kept for another
        assert float(r["p(click)"]) == pytest.approx(1 - 1 / t**2)


@pytest.mark.usefixtures("visits")
def test_what_cannot_be_written_is_refused():
    words = ["run", "t.csv", "--outcome", "label"]
    assert "--id needs --predictions FILE" in refused(*words, "--id", "visit")
    assert "both would go to standard output" in refused(*words, "--predictions", "-", "--json")
    out = ["--predictions", "o.csv"]
    assert "--id and --by" in refused(*words, *out, "--id", "visit", "--by", "user")
    assert "the scores of perceptron are none" in refused(
        "run", "t.csv", "--outcome", "label", *out, "--probabilities", "--learner", "perceptron"
    )
    assert "combines forecasts" in refused(
        "run", "t.csv", "--outcome", "hour", *out, "--probabilities", "--learner", "tracker"
    )


@pytest.mark.usefixtures("visits")
def test_columns_are_kept_and_ignored():
    def features(*words):
        call("run", "t.csv", "--outcome", "label", "-b", 8, "--no-certify", "-f", "m.ls", *words)
        return {name for name, _ in ls.load("m.ls").live.setting.hashed.columns}

    assert features("--ignore", "visit") == {"user", "hour"}
    assert features("--keep", "u*") == {"user"}
    assert features("--keep", "user", "--keep", "hour") == {"user", "hour"}
    assert "say it once" in refused(
        "run", "t.csv", "--outcome", "label", "--ignore", "visit", "--features", "user"
    )


def test_namespaces_of_vw_text_are_kept_and_ignored(tmp_path):
    (tmp_path / "t.vw").write_text("1 |a x y |b z\n-1 |b z:2 |c w\n", encoding="utf-8")
    index = {
        spec: open_stream("t.vw", features=list(spec), examples=True).batches[0].x.index.tolist()
        for spec in (("a", "b", "c"), ("!a",), ("bc",), ("a",))
    }
    every = index["a", "b", "c"]
    assert every == open_stream("t.vw", examples=True).batches[0].x.index.tolist()
    assert index["!a",] == index["bc",] == every[2:]
    assert index["a",] == every[:2]
    crossed = open_stream("t.vw", features=["!a"], interactions=["ab"], examples=True)
    assert crossed.batches[0].x.index.tolist() == every[2:]
    result = call("run", "t.vw", "--ignore", "x", "--no-certify")
    assert "no namespace begins with 'x'" in result.stdout


@pytest.mark.usefixtures("visits")
def test_penalties_and_crosses():
    words = ["run", "t.csv", "--outcome", "hour", "--loss", "square", "--no-certify", "-b", 8]
    words += ["--ignore", "visit"]
    rows = [table_of(weights(*words, "--l1", l1)) for l1 in ("0", "1000")]
    assert len(rows[1]) < len(rows[0])
    assert "ftrl-proximal" in call(*words, "--l2", "0.5").stdout
    assert "has no parameter 'l1'" in refused(*words, "--l1", "1", "--learner", "ogd")
    crossed = table_of(weights(*words, "--l2", "0", "-q", "user:label"))
    assert len(crossed) > len(rows[0])
    names = {r["feature"] for r in crossed}
    assert {"user=ann", "label=click:user=ann"} <= names  # products by the names of their parts
    assert not any(name.isdigit() for name in names)


def weights(*words):
    call(*words, "--readable-model", "w.csv")
    with open("w.csv", encoding="utf-8") as file:
        return file.read()


@pytest.mark.usefixtures("visits")
def test_a_readable_model_has_names():
    words = ["run", "t.csv", "--outcome", "label", "--no-certify", "--ignore", "visit", "-b", 8]
    rows = table_of(weights(*words))
    assert {r["feature"] for r in rows} == {"user=ann", "user=bob", "user=cem", "hour"}
    assert {r["class"] for r in rows} == {"click", "late", "no"}
    best = max((r for r in rows if r["class"] == "click"), key=lambda r: float(r["weight"]))
    assert best["feature"] == "user=ann"


def test_a_readable_model_of_experts_and_of_dense_examples(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)).round(3)
    lines = ["y,good,bad", *(f"{a:.3f},{a:.3f},{b:.3f}" for a, b in X)]
    (tmp_path / "n.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    experts = table_of(
        weights("run", "n.csv", "--outcome", "y", "--task", "forecasting", "--no-certify")
    )
    assert [r["expert"] for r in experts] == ["good", "bad"]
    dense = table_of(
        weights("run", "n.csv", "--outcome", "y", "--task", "regression", "--no-certify")
    )
    assert dense[0]["feature"] == "good"
