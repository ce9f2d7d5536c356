"""One trunk: what play, a live learner and a resumed run must agree on, whatever kind of rounds they get."""

import itertools

import numpy as np
import pandas as pd
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.play import session

pytestmark = pytest.mark.usefixtures("plain")


def table(rows=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, 3))
    label = np.where(X @ [2.0, -1.0, 0.1] > 0, "yes", "no")
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "label": label})


def test_resume_reads_features_by_the_names_that_it_was_trained_on(tmp_path):
    frame = table()
    trained = ls.play("logistic", frame, outcome="label").learner
    again = ls.play(trained, frame, outcome="label", resume=True)
    assert again.rounds == len(frame)
    shuffled = frame.assign(e=1.0)[["c", "e", "label", "b", "a"]]
    shuffled.to_csv(tmp_path / "f.csv", index=False)
    for data in (shuffled, tmp_path / "f.csv"):
        other = ls.play(trained, data, outcome="label", resume=True)
        assert other.learner.digest() == again.learner.digest()
        assert other.notes[0] == "not used: 'e', which logistic was not trained on"
    renamed = frame.rename(columns={"c": "d"})
    with pytest.raises(
        BadInput,
        match="trained on a column that is not here: no column is called 'c'; the columns are 'a', 'b', 'd'",
    ):
        ls.play(trained, renamed, outcome="label", resume=True)


def test_resume_takes_arrays_where_names_were_only_counted():
    frame = table()
    X, y = frame[["a", "b", "c"]].to_numpy(), frame["label"].to_numpy()
    trained = ls.play("logistic", X, y).learner
    assert ls.play(trained, X, y, resume=True).rounds == len(y)


def test_a_resumed_run_draws_with_the_seed_it_began_with():
    rng = np.random.default_rng(1)
    L = rng.random((80, 4))
    whole = ls.play("exp3", L, seed=7, horizon=80)
    half = ls.play("exp3", L[:40], seed=7, horizon=80)
    rest = ls.play(half.learner, L[40:], resume=True)
    assert [*half.arms, *rest.arms] == whole.arms.tolist()
    assert rest.transcript.seed == 7
    live = half.learner
    assert live.predict() == whole.arms[40]


def test_numbers_do_not_depend_on_the_clock(monkeypatch):
    """Calls of the loop last about 50 ms, however long that is; what is folded does not follow them."""
    rng = np.random.default_rng(2)
    A, X = rng.random((6000, 5)), rng.standard_normal((6000, 4))
    y, labels = rng.random(6000), rng.integers(0, 2, 6000)
    monkeypatch.setattr(session, "BLOCK", 1 << 12)  # several chunks

    def numbers(ticks):
        times = itertools.accumulate(itertools.chain([0.0], itertools.cycle(ticks)))
        monkeypatch.setattr(session.time, "perf_counter", lambda: next(times))
        found = []
        for run in (
            ls.play("fixed-share", A, y),
            ls.play("perceptron", X, labels),
            ls.play("hedge", A),
        ):
            trace = [np.asarray(v).tolist() for k, v in run.trace.items() if k != "notes"]
            found.append((run.loss, run.regret, run.bound, trace, run.losses.tolist()))
        return found

    steady = numbers([0.001])
    assert numbers([0.3, 0.2]) == steady
    assert numbers([0.0, 0.15, 0.0, 0.002]) == steady


def test_a_learner_from_a_table_of_numbers_is_served_by_name():
    frame = table()
    learner = ls.play("logistic", frame, outcome="label").learner
    row = frame.iloc[3]
    by_place = learner.predict([row["a"], row["b"], row["c"]])
    assert learner.predict({"c": row["c"], "a": row["a"], "b": row["b"]}) == by_place
    with pytest.raises(BadInput, match="'d' is not one of those it was trained on: a, b, c"):
        learner.predict({"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0})
    with pytest.raises(BadInput, match="feature 'b' is missing"):
        learner.predict({"a": 1.0, "c": 1.0})


def test_a_learner_from_a_table_with_text_hashes_names_as_the_table_did():
    rng = np.random.default_rng(3)
    user = np.array(["ann", "bob", "cid"])[rng.integers(0, 3, 300)]
    frame = pd.DataFrame(
        {"user": user, "hour": rng.random(300), "label": np.where(user == "bob", "stay", "click")}
    )
    run = ls.play("online-linear", frame, outcome="label")
    said = [
        run.learner.predict({"user": u, "hour": h})
        for u, h in zip(user[:40], frame["hour"][:40], strict=True)
    ]
    assert said == frame["label"][:40].tolist()
    frozen = run.learner.frozen()
    assert frozen({"hour": 0.3, "user": "bob"}) == "stay"


@pytest.mark.parametrize("key", ["perceptron", "softmax", "online-linear", "multiclass-perceptron"])
def test_play_and_a_live_learner_that_knows_the_labels_say_the_same(key):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((50, 3))
    two = key == "perceptron"
    y = np.where(X[:, 0] > 0, "p", "q") if two else np.array(["u", "v", "w"])[np.argmax(X, axis=1)]
    labels = tuple(sorted(set(y.tolist())))
    run = ls.play(key, X, y, labels=labels)
    learner = ls.learner(key).start(3, rounds=50, labels=labels)
    said = []
    for x, label in zip(X, y, strict=True):
        said.append(learner.predict(x))
        learner.update(x, label)
    assert said == run.predictions.tolist()
    assert learner.digest() == run.learner.digest()


def test_evaluation_charges_what_the_game_charges():
    """Of a convex game, too: it was one loss a row before."""
    from littlestone.live.evaluate import evaluate

    rng = np.random.default_rng(5)
    X = rng.standard_normal((40, 2))
    y = X @ [0.5, -0.2]
    learner = ls.play(ls.ProjectedGradient(family="square"), X, y).learner
    theta = learner.weights
    rows, importance, loss, mistakes = evaluate(learner, ls.Stream([ls.Batch(X, y)], ("1", "2")))
    assert (rows, importance, mistakes) == (40, 40.0, None)
    assert loss == pytest.approx(float(((X @ theta - y) ** 2).sum()), rel=1e-12)
