"""Decisions from probabilities at the command line: the Brier score, calibration, --threshold and --cost."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from cli.test_cli import call, refused
from cli.test_cli_examples import examples, libsvm, signs, table, written

import littlestone as ls

SCALED = ls.Logistic(normalise=True)  # which the command line plays
LEARN = ("--learner", "logistic", "--report", "")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    monkeypatch.delenv("COLUMNS", raising=False)
    x, y = examples(90)
    table("a.csv", x, y)
    return x, y


def json_of(*words):
    return json.loads(call("run", "a.csv", "--outcome", "answer", *words, "--json").stdout)


def test_a_run_says_how_reliable_its_probabilities_are(here):
    run = ls.play(SCALED, *here)
    out = " ".join(call("run", "a.csv", "--outcome", "answer", *LEARN).stdout.split())
    assert f"probabilities of logistic: Brier score {run.brier:.4f} (0 is best; always" in out
    assert f"calibration error {run.calibration('yes').error:.4f}" in out
    (row,) = json_of(*LEARN)
    assert row["brier"] == run.brier
    assert "cost" not in row
    out = call("run", "a.csv", "--outcome", "answer", *LEARN, "--no-certify").stdout
    assert f"Brier score {run.brier:.4f}" in out


def test_a_learner_without_probabilities_says_nothing_of_them():
    out = call(
        "run", "a.csv", "--outcome", "answer", "--learner", "perceptron", "--report", ""
    ).stdout
    assert "Brier" not in out
    assert "probabilities" not in out


def test_the_page_has_the_reliability_diagram(here):
    call("run", "a.csv", "--outcome", "answer", "--learner", "logistic", "--report", "r.html")
    page = Path("r.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="data"[^>]*>(.*?)</script>', page, re.S)[1])
    shown = data["runs"][0]["calibration"]
    bins = ls.play(SCALED, *here).calibration("yes").rows
    np.testing.assert_allclose(shown["bins"], [list(b) for b in bins], rtol=1e-6)
    assert shown["of"] == "yes"
    assert "Are the probabilities right?" in page
    call("run", "a.csv", "--outcome", "answer", "--learner", "perceptron", "--report", "r2.html")
    assert "Are the probabilities right?" not in Path("r2.html").read_text(encoding="utf-8")


def test_a_threshold_decides_and_its_cost_stands_beside_simple_answers(here):
    x, y = here
    run = ls.play(SCALED, x, y, threshold=0.2)
    out = call(
        "run",
        "a.csv",
        "--outcome",
        "answer",
        *LEARN,
        "--threshold",
        "0.2",
        "--predictions",
        "p.csv",
    ).stdout
    assert re.search(r"^learner +loss +a round +accuracy +cost ", out, re.M)
    assert re.search(rf"^ +{run.mean_cost:.4f} +logistic *$", out, re.M)
    no, yes = (y == "no").mean(), (y == "yes").mean()
    top, cost = ("no", 4 * yes) if no > yes else ("yes", no)
    assert re.search(rf"^ +{cost:.4f} +always {top}, the most frequent *$", out, re.M)
    assert "the most probable label of logistic" in out
    assert "threshold 0.2: a false alarm costs 1, a miss 4" in " ".join(out.split())
    rows = written("p.csv")
    assert [row["decision"] for row in rows] == run.decisions.tolist()
    assert [row["prediction"] for row in rows] == run.predictions.tolist()
    (row,) = json_of(*LEARN, "--threshold", "yes=0.2")
    assert row["cost"] == run.cost
    assert row["mean_cost"] == run.mean_cost
    assert row["reference_costs"]["most_frequent"] == pytest.approx(90 * cost)


def test_costs_by_name(here):
    x, y = here
    run = ls.play(SCALED, x, y, costs={("no", "yes"): 5, ("yes", "no"): 2})
    (row,) = json_of(*LEARN, "--cost", "no,yes=5", "--cost", "yes,no=2")
    assert row["cost"] == run.cost
    out = call(
        "run", "a.csv", "--outcome", "answer", *LEARN, "--cost", "no,yes=5", "--no-certify"
    ).stdout
    assert re.search(r"^learner +loss +a round +accuracy +cost *$", out, re.M)
    assert "cost a round, beside simple answers" in out


def test_numbers_are_classes_as_they_are_written():
    x, y = examples(90)
    libsvm("a.libsvm", x, signs(y))
    run = ls.play(SCALED, x, signs(y), threshold=0.3)
    said = json.loads(call("run", "a.libsvm", *LEARN, "--threshold", "0.3", "--json").stdout)
    assert said[0]["cost"] == pytest.approx(run.cost)
    said = json.loads(call("run", "a.libsvm", *LEARN, "--cost", "-1,1=5", "--json").stdout)
    assert said[0]["cost"] == pytest.approx(ls.play(SCALED, x, signs(y), costs={(-1, 1): 5}).cost)


def test_each_key_decides_for_itself(here):
    x, y = here
    shop = np.where(np.arange(90) % 3 == 0, "s", "n")
    table("k.csv", x, y, shop=shop)
    words = ("run", "k.csv", "--outcome", "answer", *LEARN, "--by", "shop", "--threshold", "0.3")
    rows = json.loads(call(*words, "--json").stdout)
    for row in rows:
        mine = shop == row["key"]
        alone = ls.play(SCALED, x[mine], y[mine], threshold=0.3)
        assert row["cost"] == alone.cost
        assert row["brier"] == alone.brier
    out = call(*words, "--predictions", "p.csv").stdout
    total = sum(row["cost"] for row in rows)
    assert re.search(rf"^ +{total / 90:.4f} +logistic *$", out, re.M)
    assert "Brier score" in out
    by_key = {key: [r["decision"] for r in written("p.csv") if r["shop"] == key] for key in "sn"}
    for key in "sn":
        mine = shop == key
        assert by_key[key] == ls.play(SCALED, x[mine], y[mine], threshold=0.3).decisions.tolist()


def test_a_comparison_says_it_of_each_learner():
    words = ("--learner", "logistic", "--learner", "softmax", "--threshold", "0.3", "--report", "")
    out = " ".join(call("compare", "a.csv", "--outcome", "answer", *words).stdout.split())
    assert "probabilities of logistic: Brier" in out
    assert "probabilities of softmax: Brier" in out
    assert "the most probable label of softmax" in out


def test_predict_decides_with_a_saved_learner(here):
    call("run", "a.csv", "--outcome", "answer", *LEARN, "--save", "m.ls")
    out = call(
        "predict", "m.ls", "a.csv", "--threshold", "0.2", "--probabilities"
    ).stdout.splitlines()
    head, *rows = [line.replace('"', "").split(",") for line in out]
    at = {name: i for i, name in enumerate(head)}
    assert {"prediction", "decision", "p(yes)"} <= set(at)
    for row in rows:
        assert (row[at["decision"]] == "yes") == (float(row[at["p(yes)"]]) >= 0.2)
    said = refused("predict", "m.ls", "a.csv", "--threshold", "maybe=0.2")
    assert "threshold: no class is called 'maybe'; there are 'no', 'yes'" in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--threshold", "2"), "threshold must be a probability, above 0 and below 1, not 2"),
        (("--threshold", "much"), "--threshold must be a probability, 0.2, or one of a class, yes=0.2; not 'much'"),
        (("--threshold", "maybe=0.2"), "no class is called 'maybe'; there are 'no', 'yes'"),
        (("--threshold", "0.2", "--cost", "no,yes=5"), "leave one of them out"),
        (("--cost", "no=5"), "--cost must be DECIDED,TRUE=NUMBER, as no,yes=5"),
        (("--cost", "no,yes=many"), "not 'no,yes=many'"),
        (("--cost", "no,perhaps=5"), "no class is called 'perhaps'"),
        (("--learner", "perceptron", "--threshold", "0.2"), "perceptron has no probabilities of classes"),
        (("--learner", "hedge", "--threshold", "0.2"), "--threshold: hedge combines experts"),
    ],
)  # fmt: skip
def test_what_is_no_cost_is_refused(words, says):
    learner = () if "--learner" in words else ("--learner", "logistic")
    assert says in refused("run", "a.csv", "--outcome", "answer", *learner, *words)
