"""Several learners over the same rounds, in Python: the table, its order, the page, and what is refused."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import littlestone as ls
from littlestone.cli.main import main
from littlestone.core.errors import FileReplaced

pytestmark = pytest.mark.usefixtures("plain")
NAMES = ["tracker", "boa", "fixed-share:alpha=0.1"]


@pytest.fixture
def plain(monkeypatch, tmp_path):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = rng.random(120)
    x = np.clip(y[:, None] + rng.normal(size=(120, 3)) * [0.1, 0.2, 0.3], 0.0, 1.0)
    return pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "y": y})


def test_python_and_the_command_line_compare_alike(table, tmp_path):
    table.to_csv("t.csv", index=False)
    names = [word for name in NAMES for word in ("--learner", name)]
    said = CliRunner().invoke(main, ["compare", "t.csv", "--outcome", "y", "--json", *names])
    rows = json.loads(said.stdout)
    for data in ("t.csv", tmp_path / "t.csv", table):
        found = ls.compare(NAMES, data, outcome="y")
        assert list(found) == [row["label"] for row in rows]
        assert [run.loss for run in found.values()] == pytest.approx(
            [row["loss"] for row in rows], rel=1e-12
        )
        assert [run.bound for run in found.values()] == pytest.approx(
            [row["bound"] for row in rows], rel=1e-9
        )


def test_the_table_has_a_row_for_each_learner_the_best_first(table):
    found = ls.compare(NAMES, table, outcome="y")
    losses = [run.loss for run in found.values()]
    assert losses == sorted(losses)
    assert found.best.loss == losses[0]
    text, page = repr(found), found._repr_html_()
    assert text.startswith("pandas: 120 rounds, 3 experts, square loss\n")
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("learner "))
    assert [line.split()[0] for line in lines[at + 1 :]] == list(found)
    assert page.count("<tr") == 1 + len(NAMES)
    for name, run in found.items():
        assert f"{name}: {run.sentence}" in text
        assert f"<td style='text-align:left'>{name}</td>" in page
        assert f"{run.loss:.4f}" in text
        assert f"{run.loss:.4f}" in page


def test_learners_may_be_objects_and_have_names_of_the_users(table):
    x, y = table[["a", "b", "c"]].to_numpy(), table["y"].to_numpy()
    slow, quick = ls.FixedShare(alpha=0.01, loss="square"), ls.FixedShare(alpha=0.5, loss="square")
    assert set(ls.compare([slow, quick], x, y)) == {"fixed-share", "fixed-share (2)"}
    found = ls.compare({"<slow>": slow, "quick": quick, "boa": "boa"}, x, y)
    assert set(found) == {"<slow>", "quick", "boa"}
    assert found["quick"].loss == ls.play(quick, x, y).loss
    assert "&lt;slow&gt;" in found._repr_html_()
    assert "<slow>" not in found._repr_html_()


def test_losses_that_cannot_be_compared_are_said(table):
    x, y = table[["a", "b", "c"]].to_numpy(), table["y"].to_numpy()
    found = ls.compare(["boa", ls.Tracker(loss="absolute")], x, y)
    assert "the learners were charged different losses: do not compare them" in repr(found)
    assert "different losses" in found._repr_html_()
    alike = ls.compare(["boa", "tracker"], x, y, loss="absolute")
    assert "absolute loss" in alike.title
    assert "different losses" not in repr(alike)


def test_classes_come_by_their_accuracy():
    x = np.random.default_rng(1).normal(size=(150, 3))
    found = ls.compare(["perceptron", "logistic", "winnow-eg"], x, np.where(x[:, 0] > 0, "a", "b"))
    right = [run.accuracy for run in found.values()]
    assert right == sorted(right, reverse=True)
    assert "accuracy" in repr(found)


def test_each_key_apart_and_in_sum(table):
    table["shop"] = ["north", "south"] * 60
    found = ls.compare(["tracker", "boa"], table, outcome="y", by="shop")
    assert found["boa"]["north"].rounds == 60
    by, learner, loss = (column.texts for column in found.columns[:3])
    assert by == ["north", "north", "south", "south", "all", "all"]
    assert learner[:2] == learner[2:4] == learner[4:] == list(found)
    assert float(loss[-2]) == pytest.approx(found.best.loss, abs=1e-4)


def test_without_certificates_there_are_losses_alone(table):
    found = ls.compare(["tracker", "boa"], table, outcome="y", certify=False)
    assert [c.title for c in found.columns] == ["learner", "loss", "a round", "certificate"]
    assert "not asked for" in repr(found)


def test_bandits(table):
    found = ls.compare(["exp3", "ucb1"], ls.Arms([0.1, 0.6]), rounds=100)
    assert "2 arms" in found.title
    assert len(found) == 2


def test_the_page_holds_every_run_and_says_when_it_replaces_another(table):
    found = ls.compare(NAMES, table, outcome="y")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page = found.report("page.html")
    text = page.read_text(encoding="utf-8")
    assert "3 runs compared" in text
    assert all(name in text for name in NAMES)
    with pytest.warns(FileReplaced, match=r"page.html was there before, and is replaced") as said:
        found.report("page.html")
    assert said[0].filename == __file__
    with pytest.warns(FileReplaced):
        found.best.report("page.html")


def test_the_command_line_says_when_a_page_replaces_another():
    asked = ["run", "--learner", "hedge", "--report", "p.html"]
    first, second = (CliRunner().invoke(main, asked) for _ in range(2))
    assert (first.exit_code, first.stderr) == (0, "")
    assert second.stderr == "note: p.html was there before, and is replaced\n"
    assert second.stdout == first.stdout


@pytest.mark.parametrize(
    ("learners", "more", "said"),
    [
        ("tracker", {}, "learners: compare takes several, in a list, not 'tracker'"),
        ([], {}, "learners: there are none"),
        (["tracker", "exp3"], {}, "some are bandits and some see every loss"),
        (["tracker", "perceptron"], {}, "some learn from examples and some combine experts"),
        (["trackr"], {}, "there is no learner 'trackr'; did you mean tracker"),
        (["fixed-share:alfa=1"], {}, "parameter alfa=1: fixed-share has no parameter 'alfa'"),
        (["perceptron"], {"loss": "square"}, "loss='square': none of perceptron takes a loss"),
        (["tracker"], {"seeds": 3}, "seeds=3: compare makes one run of each learner"),
    ],
)
def test_what_cannot_be_compared_is_refused(learners, more, said):
    with pytest.raises(ls.BadInput, match=said.replace("(", r"\(")):
        ls.compare(learners, [[0.0, 1.0]] * 4, [0.0, 1.0, 0.0, 1.0], **more)


def test_data_that_can_be_read_once_are_refused():
    pieces = iter([pd.DataFrame({"a": [0.0], "y": [1.0]})])
    with pytest.raises(ls.BadInput, match="an iterator can be read once"):
        ls.compare(["tracker", "boa"], pieces, outcome="y")
