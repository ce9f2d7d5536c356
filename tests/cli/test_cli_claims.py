"""`littlestone certify`: several models, groups, weights and parts from the columns of a file."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import littlestone as ls
from littlestone.cli.main import main


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    rng = np.random.default_rng(0)
    patient = np.repeat([f"{i:03d}" for i in range(30)], 20)
    y = rng.integers(0, 2, 600)
    frame = pd.DataFrame({
        "patient": patient, "region": rng.choice(["north", "south"], 600), "y": y, "w": rng.integers(1, 4, 600),
        "tree": np.where(rng.random(600) < 0.1, 1 - y, y), "coin": rng.integers(0, 2, 600),
        "sick": np.where(np.isin(patient, ["003", "017", "020"]), 1 - y, y), "word": np.where(y, "1.0", "zero"),
        "late": np.where(np.arange(600) == 7, np.nan, y), "score": rng.random(600),
    })  # fmt: skip
    where = tmp_path_factory.mktemp("claims") / "p.csv"
    frame.to_csv(where, index=False)
    return str(where), frame


def called(*arguments):
    return CliRunner().invoke(main, ["certify", *arguments])


def told(*arguments):
    found = called(*arguments, "--json")
    assert found.exit_code == 0, found.stderr
    return json.loads(found.stdout)


def test_groups_of_a_file(file):
    where, frame = file
    found = told(where, "--truth", "y", "--prediction", "sick", "--groups", "patient")
    claim = ls.certify(frame["sick"], None, frame["y"], groups=frame["patient"])
    assert (found["groups"], found["verdict"]) == (30, "promised")
    assert found["claim"] == pytest.approx(claim.upper)
    assert found["hoeffding"] == pytest.approx(claim.hoeffding)
    assert "errors cluster by group" in " ".join(found["notes"])
    plain = called(where, "--truth", "y", "--prediction", "sick")
    assert plain.exit_code == 0
    assert "say what they share with --groups" in plain.stdout


def test_several_models_of_a_file(file, tmp_path):
    where, frame = file
    columns = ["--truth", "y", "--prediction", "coin", "--prediction", "tree"]
    page = tmp_path / "claim.html"
    found = told(where, *columns, "--by", "region", "--report", str(page))
    claim = ls.certify(
        {k: frame[k] for k in ("coin", "tree")}, None, frame["y"], by=frame["region"]
    )
    assert (found["model"], found["selected_from"]) == ("tree", 2)
    assert found["claim"] == pytest.approx(claim.upper)
    assert set(found["models"]) == {"coin", "tree"}
    assert found["versus"]["coin"]["verdict"] == "better"
    assert {k: v["errors"] for k, v in found["by"].items()} == {
        k: v.errors for k, v in claim.by.items()
    }
    text = called(where, *columns).stdout
    assert "tree and coin: better than coin" in text
    assert "2 models; what is claimed" in page.read_text(encoding="utf-8")
    rival = told(where, *columns, "--rival", "coin")
    assert rival["rival"]["among"] == 1
    assert told(where, *columns, "--selected-from", "9")["selected_from"] == 9


def test_the_selection_counts_for_the_rival(file):
    where, _ = file
    columns = ["--truth", "y", "--prediction", "tree", "--rival", "coin"]
    alone, among = told(where, *columns), told(where, *columns, "--selected-from", "1000")
    assert among["rival"]["p"] == pytest.approx(1000 * alone["rival"]["p"])
    assert among["rival"]["difference"][0] < alone["rival"]["difference"][0]


def test_weights_and_intervals(file):
    where, frame = file
    found = told(where, "--truth", "y", "--prediction", "tree", "--weights", "w")
    wrong = frame["tree"] != frame["y"]
    assert found["loss"] == pytest.approx(np.average(wrong, weights=frame["w"]))
    once = told(
        where, "--truth", "y", "--prediction", "sick", "--groups", "patient", "--each-group-once"
    )
    assert once["claim"] == pytest.approx(
        ls.certify(frame["sick"], None, frame["y"], groups=frame["patient"], weights="group").upper
    )
    squares = told(
        where, "--truth", "y", "--prediction", "score", "--loss", "square", "--interval", "0", "1"
    )
    assert squares["mean_loss"] == pytest.approx(((frame["score"] - frame["y"]) ** 2).mean())


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--prediction", "tree", "--groups", "patent"], "no column 'patent'"),
        (["--prediction", "tree", "--range", "0", "1"], "no such option '--range'"),
        (["--prediction", "score", "--loss", "square"], "--interval LOW HIGH"),
        (["--prediction", "score"], "--interval LOW HIGH"),
        (["--prediction", "word"], "write '1.0' (row 1) and the outcomes 1"),
        (["--prediction", "late"], "the predictions: row 8 is missing"),
        (["--prediction", "tree", "--each-group-once"], "with --groups"),
        (["--prediction", "tree", "--weights", "region"], "weights must be numbers"),
        (["--prediction", "tree", "--groups", "patient", "--each-group-once", "--weights", "w"], "one of the two"),
        (["--prediction", "tree", "--prediction", "coin", "--selected-from", "1"], "--selected-from 1: these rows"),
    ],
)  # fmt: skip
def test_bad_input(file, more, said):
    found = called(file[0], "--truth", "y", *more)
    assert found.exit_code == 2
    assert said in found.stderr
