"""Rows with names are read by name: dicts, rows of a frame, frames, lines of VW text; one or many."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput

COLUMNS = ["price", "area"]


@pytest.fixture(scope="module")
def regression():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((60, 2)), columns=COLUMNS)
    frame["y"] = 3 * frame["price"] - 2 * frame["area"]
    return ls.play("online-linear-regression", frame, outcome="y").learner, frame


@pytest.fixture(scope="module")
def mixture():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((60, 3)), columns=["red", "green", "blue"])
    frame["y"] = 0.9 * frame["green"]
    return ls.play("tracker", frame, outcome="y").learner, frame


@pytest.fixture(scope="module")
def clicks(tmp_path_factory):
    """A learner that was trained on a file with text: names are hashed."""
    rng = np.random.default_rng(3)
    user = np.array(["ann", "bob", "cid"])[rng.integers(0, 3, 300)]
    label = np.where(user == "bob", "stay", "click")
    frame = pd.DataFrame({"user": user, "hour": rng.random(300), "label": label})
    path = tmp_path_factory.mktemp("clicks") / "m.csv"
    frame.to_csv(path, index=False)
    return ls.play("online-linear", path, outcome="label").learner, frame


def test_features_are_matched_by_name(regression):
    learner, frame = regression
    row = frame[COLUMNS].iloc[5]
    expected = learner.predict(row.to_numpy())
    assert learner.predict(row) == expected
    assert learner.predict(row[["area", "price"]]) == expected
    assert learner.predict(dict(row)) == expected
    swapped = row[["area", "price"]].to_numpy()
    assert learner.predict(swapped) != expected  # without names, by place


def test_unknown_and_missing_names_are_refused(regression):
    learner, frame = regression
    row = frame[COLUMNS].iloc[5]
    with pytest.raises(BadInput, match="feature 'area' is missing: it was trained on price, area"):
        learner.predict(row[["price"]])
    with pytest.raises(BadInput, match="feature 'floor' is not one of those it was trained on"):
        learner.predict(pd.Series({**row, "floor": 2.0}))
    with pytest.raises(BadInput, match="occurs twice"):
        learner.predict(pd.concat([row, row]))
    before = learner.digest()
    with pytest.raises(BadInput, match="'area' is missing"):
        learner.update(row[["price"]], 1.0)
    assert learner.digest() == before


def test_a_row_with_names_for_a_learner_without():
    learner = ls.Perceptron().update([1.0, 2.0], 1)
    with pytest.raises(BadInput, match="this row has names"):
        learner.predict(pd.Series({"b": 1.0, "a": 2.0}))
    assert learner.predict(pd.Series([1.0, 2.0])) == 1  # only numbered


def test_a_live_learner_begins_with_the_names_of_its_first_row():
    learner = ls.OnlineLinear().update(pd.Series({"a": 1.0, "b": 5.0}), "x")
    learner.update(pd.Series({"b": 1.0, "a": 5.0}), "y")
    other = ls.OnlineLinear().update([1.0, 5.0], "x").update([5.0, 1.0], "y")
    assert np.array_equal(learner.state.posterior, other.state.posterior)
    assert ls.Hedge().start(2).predict().tolist() == [0.5, 0.5]
    hedge = ls.Hedge().update(pd.Series({"a": 0.0, "b": 1.0})).update({"b": 1.0, "a": 0.0})
    assert hedge.predict()[0] > 0.5
    with pytest.raises(BadInput, match="expert 'b' is missing"):
        hedge.update({"a": 1.0})


def test_advice_is_matched_by_name(mixture):
    learner, frame = mixture
    row = frame[["red", "green", "blue"]].iloc[3]
    expected = learner.predict(row.to_numpy())
    assert learner.predict(row[["blue", "red", "green"]]) == expected
    assert learner.predict({"green": row.green, "blue": row.blue, "red": row.red}) == expected
    asleep = learner.predict(np.array([row.red, row.green, np.nan]))
    assert learner.predict(row[["red", "green"]]) == asleep
    assert learner.predict({"green": row.green, "red": row.red}) == asleep
    with pytest.raises(BadInput, match="expert 'grey' is not one of those"):
        learner.predict({"red": 0.1, "grey": 0.2})


def test_a_learner_trained_on_a_file_with_text_serves_rows_by_name(clicks):
    learner, _frame = clicks
    row = {"user": "bob", "hour": 0.3}
    assert learner.predict(row) == "stay"
    assert learner.predict({"hour": 0.3, "user": "ann"}) == "click"
    assert learner.predict(pd.Series(row)) == "stay"
    assert learner.predict({"user": None, "hour": 0.3}) in ("stay", "click")
    for bad, words in (
        ({"usr": "bob", "hour": 0.3}, "column 'usr' is not one of those"),
        ({"user": "bob"}, "column 'hour' is missing"),
        ({"user": "bob", "hour": "noon"}, "column 'hour' must be a number"),
    ):
        with pytest.raises(BadInput, match=words):
            learner.predict(bad)


def test_the_columns_are_saved(clicks, tmp_path):
    learner, _frame = clicks
    loaded = ls.load(learner.save(tmp_path / "m.ls"))
    assert loaded.predict({"user": "bob", "hour": 0.3}) == "stay"
    with pytest.raises(BadInput, match="column 'hour' is missing"):
        loaded.predict({"user": "bob"})


def test_many_rows(regression, mixture, clicks):
    for learner, frame in (regression, mixture, clicks):
        inside = frame.drop(columns=frame.columns[-1])
        rows = [dict(row) for _, row in inside.head(6).iterrows()]
        expected = [learner.predict(row) for row in rows]
        before = learner.digest()
        back = inside[list(inside.columns[::-1])]
        for many in (frame.head(6), back.head(6), rows, pl.from_pandas(back.head(6))):
            for predict in (learner.predict, learner.frozen()):
                assert predict(many).tolist() == expected
        assert learner.digest() == before
        with pytest.raises(BadInput, match=f"column {inside.columns[0]!r} is missing"):
            learner.predict(inside[inside.columns[1:]])
    learner, frame = mixture
    X = frame[["red", "green", "blue"]].to_numpy()[:6]
    assert learner.predict(X).tolist() == [learner.predict(x) for x in X]
    assert learner.frozen()(X.tolist()).tolist() == learner.predict(X).tolist()


def test_a_bad_row_among_many_is_named(mixture):
    learner, frame = mixture
    X = frame[["red", "green", "blue"]].to_numpy()[:6].copy()
    X[4, 1] = np.inf
    with pytest.raises(BadInput, match=r"row 5: .*inf"):
        learner.predict(X)


def test_a_learner_trained_on_vw_text_serves_lines(tmp_path):
    rng = np.random.default_rng(1)
    user = np.array(["ann", "bob"])[rng.integers(0, 2, 200)]
    path = tmp_path / "a.vw"
    lines = [f"{1 if u == 'bob' else -1} |who user={u} hour:0.{i % 9}" for i, u in enumerate(user)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    learner = ls.play("online-linear", path).learner
    assert learner.predict("|who user=bob hour:0.3") == 1
    assert learner.predict("|who hour:0.3 user=ann") == -1
    assert [learner.predict(line) for line in lines[-5:]] == [
        1 if u == "bob" else -1 for u in user[-5:]
    ]
    with pytest.raises(BadInput, match="one line such as"):
        learner.predict("user=bob")
    assert ls.load(learner.save(tmp_path / "a.ls")).predict("|who user=bob hour:0.3") == 1


def test_a_line_for_another_learner_is_refused(clicks, regression):
    with pytest.raises(BadInput, match="not trained on VW text"):
        clicks[0].predict("|who user=bob")
    with pytest.raises(BadInput, match="must be numbers"):
        regression[0].predict("|who user=bob")


def test_resume_with_a_renamed_column_is_refused(regression):
    learner, frame = regression
    other = frame.rename(columns={"area": "floor"})
    with pytest.raises(BadInput, match="a column that is not here: no column is called 'area'"):
        ls.play(learner, other, outcome="y", resume=True)
