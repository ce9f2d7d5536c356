"""What each feature does to a prediction, and weights by name."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import littlestone as ls
from littlestone.core.errors import BadInput

pytestmark = pytest.mark.usefixtures("plain")


def houses(rounds=300):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(rounds, 3)), columns=["size", "age", "noise"])
    return frame.assign(price=3.0 * frame["size"] - 2.0 * frame.age)


def test_effects_of_a_linear_learner_are_weight_times_value():
    run = ls.play(ls.OGD(loss="square"), houses(), outcome="price")
    learner, x = run.learner, {"size": 2.0, "age": -1.0, "noise": 0.5}
    why, weights = learner.explain(x), learner.named_weights()
    assert why.prediction == pytest.approx(learner.predict(x))
    for e in why:
        assert e.effect == pytest.approx(weights[e.feature] * x[e.feature])
    assert [e.feature for e in why][:2] == ["size", "age"]
    assert why.score == pytest.approx(sum(e.effect for e in why))
    assert str(why).splitlines()[1].endswith("size = 2")
    before = learner.digest()
    learner.explain(list(x.values()))
    assert learner.digest() == before


@pytest.mark.parametrize("several", [False, True])
def test_online_linear_tells_which_features_matter(several):
    frame = houses(400)
    label = np.where(frame.price > 0, "up", "down")
    frame["price"] = np.where(np.abs(frame.price) < 1, "same", label) if several else label
    learner = ls.play("online-linear", frame, outcome="price").learner
    why = learner.explain({"size": 2.0, "age": -1.0, "noise": 0.5})
    assert why.prediction == "up"
    effect = {e.feature: e.effect for e in why}
    assert effect["size"] > effect["age"] > abs(effect["noise"])
    named = learner.named_weights()
    up = named["up"] if several else named
    if several:
        assert set(named) == {"up", "down", "same"}
    else:  # towards the class that is second
        up = {k: v if learner.live.labels[1] == "up" else -v for k, v in up.items()}
    assert up["size"] > 0 > up["age"]
    assert abs(up["noise"]) < 0.5 * abs(up["age"])


def test_weights_of_online_linear_regression_are_in_the_users_units():
    frame = houses(600)
    frame["size"] *= 100.0
    learner = ls.play("online-linear", frame, outcome="price").learner
    named = learner.named_weights()
    assert named["size"] == pytest.approx(0.03, rel=0.2)
    assert named["age"] == pytest.approx(-2.0, rel=0.2)


def test_named_features_that_come_and_go():
    learner = ls.Logistic()
    for _ in range(30):
        learner.update({"offer": 1.0, "from": "bob"}, "spam").update({"hello": 1.0}, "ham")
    why = learner.explain({"offer": 1.0, "from": "bob", "new": 1.0})
    effect = {e.feature: e.effect for e in why}
    assert why.prediction == "spam"
    assert effect["offer"] > 0.0
    assert effect["from"] > 0.0
    assert effect["new"] == 0.0
    assert set(learner.named_weights()) >= {"offer", "from=bob", "hello"}


def test_rows_of_a_table_with_text_are_explained(tmp_path):
    """A table's columns are all there: a value is taken out by leaving it empty."""
    path = tmp_path / "m.csv"
    lines = [
        f"{user},{hour},{'yes' if user == 'ann' else 'no'}"
        for hour in range(20)
        for user in ("ann", "bob")
    ]
    path.write_text("user,hour,label\n" + "\n".join(lines) + "\n", encoding="utf-8")
    learner = ls.play("online-linear", path, outcome="label", bits=8, engine="plain").learner
    row = {"user": "ann", "hour": 3.0}
    why = learner.explain(row)
    assert why.prediction == "yes"
    assert why.effects[0].feature == "user"
    assert why.effects[0].effect > 0.0
    assert learner.explain(pd.Series(row)) == why


def test_sparse_rows_are_explained_by_their_indices():
    learner = ls.play("perceptron", sp.csr_array(np.eye(4)), [0, 1, 1, 0], engine="plain").learner
    why = learner.explain(sp.csr_array([[0.0, 1.0, 0.0, 2.0]]))
    assert [(e.feature, e.value, e.effect) for e in why] == [("3", 2.0, 2.0), ("1", 1.0, -1.0)]


def test_what_cannot_be_explained_is_refused():
    with pytest.raises(BadInput, match="has not seen a round yet"):
        ls.OGD().explain([1.0])
    with pytest.raises(BadInput, match=r"explain: hedge learns from no features; learner\.weights"):
        ls.Hedge().start(2).explain([1.0, 2.0])
    kernel = ls.play("kernel-perceptron", [[0.0, 1.0], [1.0, 0.0]] * 5, [0, 1] * 5).learner
    with pytest.raises(BadInput, match="no sum over features"):
        kernel.named_weights()
    assert len(kernel.explain([0.0, 1.0])) == 2
    run = ls.play("hedge", pd.DataFrame({"a": [0.0, 0.0], "b": [1.0, 1.0]}), losses=True)
    named = run.learner.named_weights()
    assert named["a"] > named["b"]
