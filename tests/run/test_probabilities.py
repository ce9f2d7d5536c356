"""How reliable the probabilities of a run are, and decisions that are made by them."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput, NotKept

KEYS = ("logistic", "softmax", "online-linear")


def two(rows=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    return X, np.where(X[:, 0] + rng.normal(size=rows) > 0.7, "yes", "no")


def three(rows=120, seed=1):
    X, _ = two(rows, seed)
    rng = np.random.default_rng(seed + 1)
    return X, np.array(["a", "b", "c"])[
        np.digitize(X[:, 0] + 0.5 * rng.normal(size=rows), [-1, 0.5])
    ]


def play(key, X, y, **options):
    return ls.play(key, X, y, engine="plain", **options)


def by_hand(p, hit, h=None):
    """Ten bins: rounds, mean probability, share that came true."""
    h = np.ones(len(p)) if h is None else h
    rows = []
    for j in range(10):
        mine = (np.minimum((p * 10).astype(int), 9) == j) & (h > 0)
        if mine.any():
            w = h[mine]
            rows.append(
                (j / 10, w.sum(), np.average(p[mine], weights=w), np.average(hit[mine], weights=w))
            )
    return rows


def same_bins(found, expected):
    got = [(b.low, b.rounds, b.said, b.observed) for b in found.rows]
    np.testing.assert_allclose(got, expected, rtol=1e-9)


@pytest.mark.parametrize("key", KEYS)
def test_the_brier_score_of_two_classes_is_the_mean_square(key):
    X, y = two()
    run = play(key, X, y, labels=["no", "yes"])
    p = run.probabilities[:, run.learner.classes.index("yes")]
    assert run.brier == pytest.approx(np.mean((p - (y == "yes")) ** 2), rel=1e-12)
    same_bins(run.calibration(), by_hand(p, y == "yes"))
    same_bins(run.calibration("yes"), by_hand(p, y == "yes"))


def test_the_probabilities_of_a_run_are_those_of_the_learner():
    X, y = two(60)
    run, learner = play("logistic", X, y), play("logistic", X[:59], y[:59]).learner
    assert run.probabilities[59].tolist() == pytest.approx(
        list(learner.predict_proba(X[59]).values())
    )


@pytest.mark.parametrize("key", ["softmax", "online-linear"])
def test_several_classes_are_measured_one_against_the_rest_and_by_the_label_predicted(key):
    X, y = three()
    run = play(key, X, y, labels=["a", "b", "c"])
    p, names = run.probabilities, run.learner.classes
    hit = np.array([[label == name for name in names] for label in y])
    assert run.brier == pytest.approx(0.5 * np.mean(((p - hit) ** 2).sum(axis=1)), rel=1e-12)
    for j, name in enumerate(names):
        same_bins(run.calibration(name), by_hand(p[:, j], hit[:, j]))
    top = np.array([names.index(label) for label in run.predictions])
    rows = np.arange(len(y))
    same_bins(run.calibration(), by_hand(p[rows, top], hit[rows, top]))
    assert "the label predicted" in repr(run.calibration())


def test_a_class_that_was_not_declared_is_measured_by_what_was_kept_for_it():
    X, y = three()
    run = play("softmax", X, y)
    p, names = run.probabilities, run.learner.classes
    kept, first = 1.0 / (np.arange(len(y)) + 1.0) ** 2, [list(y).index(name) for name in names]
    total = 0.0
    for t in range(1, len(y)):  # in the first round no class was known
        known = [j for j, at in enumerate(first) if at < t]
        new = names.index(y[t]) not in known
        away = sum((p[t, j] - (names[j] == y[t])) ** 2 for j in known)
        total += 0.5 * (away + (kept[t] - new) ** 2)
    assert run.brier == pytest.approx(total / (len(y) - 1), rel=1e-9)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "late", [{}, {"delay": 3, "interleave": True}, {"delay": 3, "interleave": False}]
)
def test_a_stream_in_pieces_measures_what_the_whole_does(key, late):
    X, y = two(120)
    whole = play(key, X, y, threshold=0.3, **late)
    thin = play(key, X, y, threshold=0.3, record="none", **late)
    assert thin.brier == whole.brier
    assert thin.cost == whole.cost
    assert np.array_equal(thin.calibration().sums, whole.calibration().sums)
    p, there = whole.probabilities, ~np.isnan(whole.actions)
    j = whole.learner.classes.index("yes")
    if key == "logistic":
        assert whole.brier == pytest.approx(np.mean((p[there, j] - (y[there] == "yes")) ** 2))
    decided = whole.decisions
    assert all(d is None or d in ("yes", "no") for d in decided)
    miss, alarm = (decided == "no") & (y == "yes"), (decided == "yes") & (y == "no")
    none = np.array([d is None for d in decided])
    assert whole.cost == pytest.approx(miss.sum() * 7 / 3 + alarm.sum() + none.sum())
    said = p[:, j] > 0.3 + 1e-9
    sure = there & (np.abs(p[:, j] - 0.3) > 0.05) & (np.arange(len(y)) > 60)
    assert np.array_equal(said[sure], (decided == "yes")[sure])


def test_rounds_without_an_outcome_do_not_count_and_importance_does():
    X, y = two(200)
    h = np.where(np.arange(200) % 3 == 0, 2.0, 1.0)
    h[7] = 0.0
    some = np.where(np.arange(200) % 5 == 4, np.nan, y == "yes")
    run = play("logistic", X, some, importance=h, labels=[0, 1], costs={(0, 1): 3})
    p, there = run.probabilities[:, 1], ~np.isnan(some) & (h > 0)
    assert run.brier == pytest.approx(np.average((p - some)[there] ** 2, weights=h[there]))
    same_bins(run.calibration(), by_hand(p[there], some[there], h[there]))
    decided = run.decisions
    cost = np.where((decided == 0) & (some == 1), 3.0, (decided == 1) & (some == 0))
    assert run.cost == pytest.approx((h * cost)[there].sum())
    assert run.mean_cost == pytest.approx(run.cost / h[there].sum())


def test_costs_of_three_classes_decide_by_the_least_expected_cost():
    X, y = three()
    costs = {("a", "c"): 10.0, ("b", "c"): 4.0, ("c", "a"): 0.5}
    run = play("softmax", X, y, labels=["a", "b", "c"], costs=costs)
    p, names = run.probabilities, run.learner.classes
    M = np.array([[costs.get((s, t), float(s != t)) for t in names] for s in names])
    best = [names[j] for j in (p @ M.T).argmin(axis=1)]
    assert np.mean(np.array(best) == run.decisions) > 0.99  # but for ties
    paid = sum(M[names.index(d), names.index(t)] for d, t in zip(run.decisions, y, strict=True))
    assert run.cost == pytest.approx(paid)
    assert run.cost < run.reliability.cost_of_labels  # what the most probable labels cost
    always_b = run.reliability.cost_of_always("b")
    assert always_b == pytest.approx(sum(M[names.index("b"), names.index(t)] for t in y))
    assert (
        run.predictions.tolist()
        == play("softmax", X, y, labels=["a", "b", "c"]).predictions.tolist()
    )


def test_costs_do_not_change_what_is_learned():
    X, y = two()
    plain, with_costs = play("logistic", X, y), play("logistic", X, y, threshold=0.2)
    assert plain.losses.tolist() == with_costs.losses.tolist()
    assert plain.learner.digest() == with_costs.learner.digest()


def test_a_threshold_is_about_the_class_that_it_names():
    X, y = two()
    for threshold in (0.2, {"yes": 0.2}):
        run = play("logistic", X, y, threshold=threshold)
        p = run.probabilities[:, run.learner.classes.index("yes")]
        assert np.mean((p >= 0.2) == (run.decisions == "yes")) == 1.0
    run = play("logistic", X, y, threshold={"no": 0.2})
    p = run.probabilities[:, run.learner.classes.index("no")]
    assert np.mean((p >= 0.2) == (run.decisions == "no")) == 1.0


def test_each_key_is_measured_by_itself_and_all_together():
    import pandas as pd

    X, y = two(200)
    shop = np.where(np.arange(200) % 3 == 0, "s", "n")
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "shop": shop, "y": y})
    runs = ls.play("logistic", frame, outcome="y", by="shop", engine="plain", threshold=0.3)
    sums = 0.0
    for key in ("s", "n"):
        mine = shop == key
        alone = play("logistic", X[mine][:, :2], y[mine], threshold=0.3)
        assert runs[key].brier == alone.brier
        assert runs[key].cost == alone.cost
        assert np.array_equal(runs[key].calibration("yes").sums, alone.calibration("yes").sums)
        sums = sums + alone.calibration("yes").sums
    weights = [(shop == key).mean() for key in ("s", "n")]
    assert runs.brier == pytest.approx(np.dot(weights, [runs["s"].brier, runs["n"].brier]))
    np.testing.assert_allclose(runs.calibration("yes").sums, sums)
    assert runs.cost == runs["s"].cost + runs["n"].cost
    with pytest.raises(BadInput, match="no key has a class called 'maybe'"):
        runs.calibration("maybe")


def test_a_run_that_goes_on_measures_its_own_rounds():
    X, y = two()
    first = play("logistic", X[:100], y[:100])
    later = ls.play(first.learner, X[100:], y[100:], resume=True, engine="plain")
    whole = play("logistic", X, y)
    p = whole.probabilities[100:, 1]
    assert later.brier == pytest.approx(np.mean((p - (y[100:] == whole.learner.classes[1])) ** 2))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"threshold": 1.0}, "threshold must be a probability, above 0 and below 1, not 1"),
        ({"threshold": "0.2"}, "threshold: it must be a number, not '0.2'"),
        ({"threshold": {"yes": 0.2, "no": 0.3}}, "it is about one class, not 2"),
        ({"threshold": {"maybe": 0.2}}, "no class is called 'maybe'; there are 'no', 'yes'"),
        ({"threshold": 0.2, "costs": {("no", "yes"): 5}}, "leave one of them out"),
        ({"costs": 5}, "costs must be a dict such as"),
        ({"costs": {"no": 5}}, "costs must be a dict such as"),
        ({"costs": {("no", "yes"): float("inf")}}, "it must be a finite number, not inf"),
        ({"costs": {("no", "yess"): 5}}, "no class is called 'yess'"),
    ],
)
def test_costs_that_mean_nothing_are_refused(options, says):
    X, y = two(20)
    with pytest.raises(BadInput, match=says.replace("(", r"\(")):
        play("logistic", X, y, **options)


def test_costs_need_probabilities_and_a_threshold_two_classes():
    X, y = two(20)
    with pytest.raises(BadInput, match="threshold: perceptron has no probabilities of classes"):
        play("perceptron", X, y, threshold=0.2)
    with pytest.raises(BadInput, match="costs: hedge has no probabilities"):
        ls.play("hedge", [[0.0, 1.0]], costs={(0, 1): 5})
    with pytest.raises(BadInput, match="it is for two classes, and there are more"):
        play("softmax", *three(50), threshold=0.2)
    with pytest.raises(BadInput, match="is it about 'left' or 'right'"):
        play("logistic", X, np.where(y == "yes", "left", "right"), threshold=0.2)


def test_what_was_not_measured_says_how_to_measure_it():
    X, y = two(20)
    with pytest.raises(NotKept, match="perceptron has no probabilities of classes"):
        play("perceptron", X, y).brier  # noqa: B018
    with pytest.raises(NotKept, match="play with certify=True"):
        play("logistic", X, y, certify=False, record="none").brier  # noqa: B018
    with pytest.raises(NotKept, match="play with costs= or threshold="):
        play("logistic", X, y).cost  # noqa: B018
    with pytest.raises(BadInput, match="no class is called 'maybe'; there are 'no', 'yes'"):
        play("logistic", X, y).calibration("maybe")
