"""What a bandit knows of a round is read by name: dicts, rows of a frame, frames, one or many."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.testing.compare import same

KEYS = ["linucb", "linear-thompson"]
COLUMNS = ["hour", "age"]


@pytest.fixture(autouse=True)
def _plain(plain):
    """Nothing here needs compiled code."""


def rows(T=25):
    return pd.DataFrame(np.random.default_rng(0).random((T, 2)), columns=COLUMNS)


@pytest.mark.parametrize("key", KEYS)
def test_one_context_is_matched_by_name(key):
    by_place = ls.learner(key).start(3, features=2, seed=1)
    by_name = ls.learner(key).start(3, features=2, seed=1)
    for t, (_, row) in enumerate(rows().iterrows()):
        swapped = row[["age", "hour"]] if t % 2 else dict(row[["hour", "age"]])
        assert by_name.predict(swapped) == by_place.predict(row.to_numpy())
        assert (
            by_name.propensities(swapped).tolist() == by_place.propensities(row.to_numpy()).tolist()
        )
        if t % 3:
            by_place.update(row.to_numpy(), t % 3, 0.3, propensity=0.5)
            by_name.update(swapped, t % 3, 0.3, propensity=0.5)
        else:
            by_place.tell(by_place.ask(row.to_numpy()), 0.7)
            by_name.tell(by_name.ask(swapped), 0.7)
    # the first row with names gave their order: it was "hour, age"
    assert same(by_name.state, by_place.state)


def test_names_that_are_unknown_missing_or_late_are_refused():
    learner = ls.LinUCB().start(2, features=COLUMNS)
    with pytest.raises(BadInput, match="feature 'age' is missing: it was trained on hour, age"):
        learner.predict({"hour": 1.0})
    with pytest.raises(BadInput, match="feature 'day' is not one of those it was trained on"):
        learner.update({"hour": 1.0, "age": 2.0, "day": 3.0}, 0, 0.5)
    learner.update([1.0, 2.0], 0, 0.5)  # by place, as declared
    learner.predict({"age": 2.0, "hour": 1.0})
    unnamed = ls.LinUCB().start(2, features=2).update([1.0, 2.0], 0, 0.5)
    before = unnamed.digest()
    with pytest.raises(BadInput, match=r"these features have names \(hour, age\), and linucb was"):
        unnamed.update({"hour": 1.0, "age": 2.0}, 0, 0.5)
    assert unnamed.digest() == before
    for bad in ([1, 2], ["a", "a"], []):
        with pytest.raises(BadInput):
            ls.LinUCB().start(2, features=bad)


@pytest.mark.parametrize("key", KEYS)
def test_a_frame_of_features_in_play_and_in_serving(key, tmp_path):
    X, losses = rows(), np.random.default_rng(1).random((25, 3))
    run = ls.play(ls.learner(key), losses, features=X)
    assert np.array_equal(
        run.predictions, ls.play(ls.learner(key), losses, features=X.to_numpy()).predictions
    )
    learner = ls.load(run.learner.save(tmp_path / "a.ls"))
    row = X.iloc[3]
    assert learner.predict(row[["age", "hour"]]) == learner.predict(row.to_numpy())
    back = X[["age", "hour"]].assign(more="text")
    expected = [learner.predict(x) for x in X.to_numpy()]
    for many in (X, back, pl.from_pandas(back), [dict(r) for _, r in X.iterrows()], X.to_numpy()):
        assert learner.predict(many).tolist() == expected
        assert learner.frozen()(many).tolist() == expected
    # a frame with its columns in another order goes on as the same frame
    on = ls.play(run.learner, losses, features=back, resume=True)
    same_order = ls.play(run.learner, losses, features=X, resume=True)
    assert same(on.learner.state, same_order.learner.state)
    with pytest.raises(BadInput, match="feature 'age' is missing"):
        ls.play(run.learner, losses, features=X[["hour"]], resume=True)


def test_a_row_for_each_arm():
    arms = ["red", "green"]
    each = {"red": {"price": 1.0, "size": 0.5}, "green": {"size": 0.2, "price": 2.0}}
    frame = pd.DataFrame({"size": [0.2, 0.5], "price": [2.0, 1.0]}, index=["green", "red"])
    by_place = ls.LinUCB(model="shared").start(arms, features=4)
    by_name = ls.LinUCB(model="shared").start(arms, features=["price", "size"])
    by_place.update([[1.0, 0.5], [2.0, 0.2]], "red", 0.5, propensity=0.5)
    by_name.update(each, "red", 0.5, propensity=0.5)
    assert same(by_name.state, by_place.state)
    assert by_name.predict(frame) == by_place.predict([[1.0, 0.5], [2.0, 0.2]])
    with pytest.raises(BadInput, match="arm 'green' is missing"):
        by_name.predict({"red": each["red"]})
    with pytest.raises(BadInput, match="the arms have no names"):
        ls.LinUCB(model="shared").start(2, features=4).predict(each)


def test_advice_of_exp4_is_matched_to_the_arms():
    learner = ls.EXP4(eta=0.5).start(["left", "right"], features=4)
    other = ls.EXP4(eta=0.5).start(2, features=4)
    advice = pd.DataFrame({"right": [0.1, 0.9], "left": [0.9, 0.1]})
    learner.update(advice, "left", 1.0)
    other.update([[0.9, 0.1], [0.1, 0.9]], 0, 1.0)
    assert same(learner.state, other.state)
