"""`ls.Intervals` and `ls.PredictionSets`: any model, late and missing truths, files, bad input."""

import math

import numpy as np
import pytest

import littlestone as ls
from littlestone.conformal.sets.prediction_sets import aps, lac


@pytest.fixture(autouse=True)
def engine(monkeypatch):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")


def rows(T=300, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(T, 2))
    return x, x @ [1.0, -2.0] + 0.5 * rng.normal(size=T)


def test_without_a_model_it_is_the_learner_itself():
    x, y = rows(60)
    live, learner = ls.Intervals(None, level=0.8), ls.Cover(level=0.8)
    for t in range(60):
        assert live.predict(x[t, 0]) == tuple(learner.predict(x[t, :1]).tolist())
        live.update(x[t, 0], y[t])
        learner.update(x[t, :1], y[t])
    run = ls.intervals(x[:, 0], y, level=0.8)
    assert live.coverage == pytest.approx(run.coverage)


def test_several_forecasters_and_a_season_are_what_intervals_plays():
    x, y = rows(80)
    run = ls.intervals(x, y, mix="mean", season=7)
    live = ls.Intervals(None, season=7, forecasters=2)
    for t in range(80):
        assert live.predict(x[t]) == pytest.approx((run.lower[t], run.upper[t]))
        live.update(x[t], y[t])


def test_a_learner_of_ours_is_predicted_before_it_learns():
    x, y = rows()
    live, model = ls.Intervals(ls.OGD(loss="square", eta=0.05)), ls.OGD(loss="square", eta=0.05)
    sets = ls.Cover()
    for t in range(300):
        z = [model.predict(x[t])]
        assert live.predict(x[t]) == tuple(sets.predict(z).tolist())
        live.update(x[t], y[t])
        sets.update(z, y[t])
        model.update(x[t], y[t])
    assert live.coverage == pytest.approx(0.9, abs=0.05)


def test_a_regressor_of_scikit_learn():
    linear = pytest.importorskip("sklearn.linear_model")
    x, y = rows()
    learning = ls.Intervals(linear.SGDRegressor(random_state=0))
    fixed = ls.Intervals(linear.LinearRegression().fit(x[:100], y[:100]))
    for t in range(300):
        learning.update(x[t], y[t])
        fixed.update(x[t], y[t])
    assert learning.coverage == pytest.approx(0.9, abs=0.05)
    assert fixed.coverage == pytest.approx(0.9, abs=0.05)
    lower, upper = fixed.predict(x[0])
    assert 0 < upper - lower < 5
    with pytest.raises(
        ls.BadInput, match="LinearRegression is not fitted and cannot learn one example"
    ):
        ls.Intervals(linear.LinearRegression()).predict(x[0])


def test_a_regressor_of_river():
    linear = pytest.importorskip("river.linear_model")
    x, y = rows()
    live = ls.Intervals(linear.LinearRegression())
    for t in range(300):
        live.update({"a": x[t, 0], "b": x[t, 1]}, y[t])
    assert live.coverage == pytest.approx(0.9, abs=0.05)
    assert len(live.model.weights) == 2


def test_truths_that_are_late_or_never_come():
    x, y = rows(50)
    live = ls.Intervals(lambda v: v[0], late=3)
    tickets = []
    for t in range(50):
        tickets.append(live.ask(x[t]))
        if t >= 3:
            live.tell(tickets[t - 3], None if t % 10 == 0 else y[t - 3])
    run = ls.intervals(x[:, 0], np.where(np.arange(50) % 10 == 7, np.nan, y), delay=3)
    assert [ticket.prediction for ticket in tickets] == list(zip(run.lower, run.upper, strict=True))
    assert live.known == 43
    with pytest.raises(ls.BadInput, match="is no open ticket of this learner"):
        live.tell(tickets[0], 1.0)
    live.tell(tickets[-1].id, y[-1])
    assert live.known == 44


def test_a_truth_that_is_missing_counts_no_miss():
    live = ls.Intervals(None).update(1.0, 2.0)
    before = live.predict(1.0)
    live.update(1.0, math.nan).update(1.0, None)
    assert live.predict(1.0) == before
    assert (live.known, live.rounds) == (1, 3)


def test_files_hold_the_model_the_sets_and_the_open_rounds(tmp_path):
    x, y = rows(60)
    live = ls.Intervals(ls.OGD(loss="square", eta=0.05), late=2, season=7)
    for t in range(40):
        live.update(x[t], y[t])
    ticket = live.ask(x[40])
    live.save(tmp_path / "i.ls")
    again = ls.load(tmp_path / "i.ls")
    assert isinstance(again, ls.Intervals)
    for each in (live, again):
        each.tell(ticket.id, y[40])
        for t in range(41, 60):
            each.update(x[t], y[t])
    assert again.predict(x[0]) == live.predict(x[0])
    assert (again.coverage, again.rounds) == (live.coverage, live.rounds)


def test_a_model_of_another_library_is_given_again(tmp_path):
    x, y = rows(30)

    def model(v):
        return v[0]

    live = ls.Intervals(model)
    for t in range(30):
        live.update(x[t], y[t])
    live.save(tmp_path / "i.ls")
    with pytest.raises(
        ls.LittlestoneError, match=r"model of another library: Intervals.load\(path, model\)"
    ):
        ls.load(tmp_path / "i.ls")
    assert ls.Intervals.load(tmp_path / "i.ls", model).predict(x[0]) == live.predict(x[0])
    with pytest.raises(ls.LittlestoneError, match="does not hold PredictionSets"):
        ls.PredictionSets.load(tmp_path / "i.ls")


def test_a_pair_of_quantile_forecasts():
    x, y = rows()
    live = ls.Intervals((lambda v: v[0] - 1.0, lambda v: v[0] + 1.0), score="cqr", level=0.8)
    pair = np.c_[x[:, 0] - 1.0, x[:, 0] + 1.0]
    run = ls.play(ls.Cover(level=0.8), pair, y)
    for t in range(100):
        assert live.predict(x[t]) == pytest.approx(tuple(run.predictions[t]))
        live.update(x[t], y[t])
    with pytest.raises(
        ls.BadInput, match="the lower quantile forecast, 2, is above the upper one, 1"
    ):
        ls.Intervals(None, score="cqr").predict([2.0, 1.0])


def test_one_threshold_for_both_sides():
    live = ls.Intervals(
        None, score="absolute", level=0.75, learner=ls.QuantileTracker(level=0.75, eta=4.0)
    )
    assert live.update(10.0, 12.0).predict(10.0) == (7.0, 13.0)
    assert ls.Intervals(None, score="absolute").sets.key == "aci"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ls.Intervals(None, level=1.0), r"level must be a number in \(0, 1\)"),
        (lambda: ls.Intervals(None, score="aps"), "score must be one of 'signed', 'absolute', 'cqr', not 'aps'"),
        (lambda: ls.Intervals(None, score="absolute", learner="cover"), "cover: score must be"),
        (lambda: ls.Intervals(None, learner="aci"), "aci: score must be 'absolute', not 'signed'"),
        (lambda: ls.Intervals(None, learner="hedge"), "hedge does not make prediction sets"),
        (lambda: ls.Intervals(3), "a model must be a learner, a scikit-learn or River estimator, or a function, not 3"),
        (lambda: ls.Intervals((len, len)), "score='cqr'"),
        (lambda: ls.Intervals(None, season=1), "season must be a number of rounds"),
        (lambda: ls.Intervals(None, forecasters=0), "forecasters must be a whole number"),
        (lambda: ls.Intervals(None).predict(math.nan), "the forecast is nan; it must be a finite number"),
        (lambda: ls.Intervals(None).predict("a"), "the forecast must be a number"),
        (lambda: ls.Intervals(None).predict([1.0, 2.0]), "a round has 2 forecasts; there must be 1"),
        (lambda: ls.Intervals(None).update(1.0, "much"), "the outcome must be a number, not 'much'"),
        (lambda: ls.Intervals(None).update(1.0, math.inf), "the outcome is inf"),
        (lambda: ls.PredictionSets(None, score="absolute"), "score must be one of 'lac', 'aps', 'raps'"),
        (lambda: ls.PredictionSets(None, learner="cover"), "cover follows two tails, and labels have one"),
        (lambda: ls.PredictionSets(None).predict([1.0]), "an example is a dict of probabilities"),
        (lambda: ls.PredictionSets(None).predict({"a": 1.5}), "the probability of 'a' is 1.5"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(make, words):
    with pytest.raises(ls.BadInput, match=words):
        make()


def test_a_refusal_leaves_everything_as_it_was():
    live = ls.Intervals(ls.OGD(loss="square", eta=0.05)).update([1.0, 2.0], 3.0)
    before = live.predict([1.0, 2.0])
    for bad in (([1.0, 2.0, 3.0], 1.0), ([1.0, 2.0], "much"), ([1.0, math.nan], 1.0)):
        with pytest.raises(ls.BadInput):
            live.update(*bad)
    assert live.predict([1.0, 2.0]) == before
    assert (live.rounds, live.known) == (1, 1)


# Labels.


def labels(T=400, seed=1):
    """Probabilities of three classes, and truths that follow them."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([1.0, 1.0, 1.0], T)
    y = [str(rng.choice(["a", "b", "c"], p=row)) for row in p]
    return [dict(zip("abc", row.tolist(), strict=True)) for row in p], y


def test_the_scores_by_hand():
    p = {"a": 0.25, "b": 0.5, "c": 0.25}
    assert lac(p) == {"a": 0.75, "b": 0.5, "c": 0.75}
    assert aps(p) == {"b": 0.5, "a": 0.75, "c": 1.0}
    assert aps(p, 0.5, 1) == {"b": 0.5, "a": 1.25, "c": 2.0}


@pytest.mark.parametrize("score", ["lac", "aps", "raps"])
def test_sets_of_labels_keep_their_coverage(score):
    p, y = labels()
    sets = ls.PredictionSets(None, level=0.8, score=score, learner=ls.ACI(level=0.8, gamma=0.05))
    held, sizes = [], []
    for x, truth in zip(p, y, strict=True):
        found = sets.predict(x)
        held.append(truth in found)
        sizes.append(len(found))
        sets.update(x, truth)
    assert sets.coverage == pytest.approx(np.mean(held))
    # T-ACI: misses - alpha T is at most (alpha + gamma (1 - alpha)) / gamma
    assert 400 - sum(held) - 0.2 * 400 <= (0.2 + 0.05 * 0.8) / 0.05
    assert min(sizes) >= 1
    assert np.mean(sizes) < 3


def test_a_classifier_of_ours_meets_new_classes():
    x, _ = rows(200)
    truth = np.where(x[:, 0] > 0.5, "up", np.where(x[:, 0] < -0.5, "down", "flat"))
    sets = ls.PredictionSets(ls.Softmax(), level=0.8, score="lac")
    assert sets.predict(x[0]) == []
    for t in range(200):
        sets.update(x[t], truth[t])
    assert set(sets.predict(np.array([3.0, 0.0]))) <= {"up", "flat", "down"}
    assert sets.coverage > 0.7


def test_classifiers_of_scikit_learn_and_river():
    linear = pytest.importorskip("sklearn.linear_model")
    x, _ = rows(120)
    y = (x[:, 0] > 0).astype(int)
    fitted = ls.PredictionSets(linear.LogisticRegression().fit(x[:60], y[:60]), level=0.8)
    for t in range(60, 120):
        fitted.update(x[t], y[t])
    assert fitted.predict([3.0, 0.0])[0] == 1
    with pytest.raises(ls.BadInput, match="must know all classes before its first example"):
        ls.PredictionSets(linear.SGDClassifier(loss="log_loss")).update(x[0], y[0])
    river = pytest.importorskip("river.linear_model")
    live = ls.PredictionSets(river.LogisticRegression(), level=0.8)
    for t in range(60):
        live.update({"a": x[t, 0], "b": x[t, 1]}, bool(y[t]))
    assert live.coverage > 0.6


def test_sets_of_labels_late_and_in_a_file(tmp_path):
    p, y = labels(60)
    sets = ls.PredictionSets(None, level=0.8)
    for t in range(50):
        sets.update(p[t], y[t])
    ticket = sets.ask(p[50])
    assert ticket.prediction == sets.predict(p[50])
    sets.save(tmp_path / "s.ls")
    again = ls.load(tmp_path / "s.ls", ls.PredictionSets)
    for each in (sets, again):
        each.tell(ticket.id, y[50])
        each.update(p[51], y[51])
    assert again.predict(p[52]) == sets.predict(p[52])
    assert again.coverage == sets.coverage
