"""Models that are fitted anew: trees as scikit-learn's, refits in their rounds, estimators as text, files with rows."""

import json
import os
import threading
import time

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.core.python_call import call_by_address, name_of, runs_in_python
from littlestone.refitted import background_fits, boosted_model, boosted_trees
from littlestone.refitted.boosted_trees import (
    ITERATIONS,
    empty_trees,
    fit_classes,
    fit_numbers,
    options_of,
    set_class_probabilities,
    set_scores,
    write_classes,
    write_numbers,
)
from littlestone.refitted.estimator import build_estimator, describe_estimator
from littlestone.refitted.fitted_rows import models
from littlestone.testing.compare import same


def table(T, classes, seed=0):
    r = np.random.default_rng(seed)
    X = r.normal(size=(T, 4))
    return X, (np.abs(X[:, 0] * X[:, 1]) * 2 + (X[:, 2] > 0)).astype(int) % classes


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")


@pytest.mark.parametrize("classes", [2, 4])
def test_class_probabilities_are_those_of_scikit_learn(classes):
    X, y = table(300, classes)
    count = 1 if classes == 2 else classes
    model = HistGradientBoostingClassifier(**options_of(count)).fit(X, y)
    trees = empty_trees(count, np.zeros(classes, np.int64), np.zeros(classes))
    write_classes(fit_classes(X, y.astype(float), np.ones(300)), *trees[:5])
    p, expected = np.zeros(classes), model.predict_proba(X)
    assert expected.max() > 0.99  # it is sure of some rows
    for x, q in zip(X, expected, strict=True):
        set_class_probabilities(trees, x, p)
        assert np.abs(p - q).max() < 1e-12


@pytest.mark.parametrize("scale", [1.0, 1e130, 1e-130])
def test_numbers_are_those_of_scikit_learn(scale):
    X, y = table(300, 7)
    y = y - 3.0
    model = HistGradientBoostingRegressor(max_iter=ITERATIONS, early_stopping=False)
    expected = model.fit(X, (y - y.mean()) / y.std()).predict(X) * y.std() + y.mean()
    trees = empty_trees(1, np.zeros(0, np.int64), np.zeros(1))
    write_numbers(fit_numbers(X, y * scale, np.ones(300)), *trees[:4])
    for x, q in zip(X, expected, strict=True):
        set_scores(trees, x)
        assert abs(trees.scores[0] / scale - q) < (1e-12 if scale == 1.0 else 1e-3)


@pytest.mark.parametrize("key", ["refitted-boosting", "refitted-boosting-regression"])
def test_refits_are_in_their_rounds(key):
    """Fits begin at 40 and 80 of 100 rows, and are used from 42 and 84 on, however the rows come."""
    X, y = table(100, 3)
    y = y if key == "refitted-boosting" else y * 1.5
    made = ls.learner(key, first=40)
    options = {"labels": [0, 1, 2]} if key == "refitted-boosting" else {}
    whole = ls.play(made, X, y, **options)
    model = whole.learner.state.model
    assert (model.refits, model.refit_at) == (2, 160)
    assert (model.trees.links[:, 0] != boosted_trees.NONE).sum() > 50
    for cut in (39, 41, 79, 82, 85):
        half = ls.play(made, X[:cut], y[:cut], **options).learner
        background_fits.begun = background_fits.Begun()  # as in another process
        rest = ls.play(ls.from_bytes(half.to_bytes()), X[cut:], y[cut:], resume=True, **options)
        assert same(whole.learner.state, rest.learner.state)
    one, used = made.start(4, **options), []
    for x, outcome in zip(X, y, strict=True):
        one.predict(x)
        one.update(x, outcome)
        used.append(one.state.model.refits)
    assert (used.index(1), used.index(2)) == (41, 83)
    assert same(whole.learner.state, one.state)
    late, asked = made.start(4, **options), []
    for t in range(105):
        if t < 100:
            asked.append(late.ask(X[t]))
        if t >= 5:
            late.tell(asked[t - 5], y[t - 5])
    delayed = ls.play(made, X, y, delay=5, interleave=False, **options)
    assert same(delayed.learner.state.model.trees[:4], late.state.model.trees[:4])


def test_rows_of_a_fit_are_there_when_it_is_used_from_a_file():
    """A window of 64 rows is full: what came since the fit began has not replaced any of them."""
    X, y = table(400, 2)
    made = ls.RefittedBoosting(first=40, window=64)
    whole = made.start(4, labels=[0, 1])
    files, fits = [], 0
    for x, outcome in zip(X, y, strict=True):
        whole.update(x, outcome)
        if whole.state.model.begun_at == len(files) + 1 > 64:
            fits += 1
        files.append(whole.to_bytes())
    assert fits == 3  # at 80, 160 and 320 rows
    for cut in (81, 162, 322):
        background_fits.begun = background_fits.Begun()
        again = ls.from_bytes(files[cut - 1])
        assert again.state.model.begun_at > 0
        for x, outcome in zip(X[cut:], y[cut:], strict=True):
            again.update(x, outcome)
        assert again.digest() == whole.digest()


def test_features_that_come_while_a_fit_is_begun_do_not_change_it():
    """Nothing is fitted twice, and the trees are those of a learner that knew the feature from the first row on."""
    X, y = table(70, 2)
    known, late = ls.RefittedBoosting(first=60), ls.RefittedBoosting(first=60)
    for t in range(70):
        row = {"a": X[t, 0], "b": X[t, 1]}
        known.update(row | {"c": X[t, 2] if t > 60 else 0.0}, int(y[t]))
        late.update(row | ({"c": X[t, 2]} if t > 60 else {}), int(y[t]))
        if t == 61:
            assert known.state.model.begun_at == 60
            assert known.state.model[2:] == late.state.model[2:]
    assert same(known.state.model.trees[:4], late.state.model.trees[:4])
    assert known.state.model.refits == 1


def test_no_decision_waits_for_a_fit(monkeypatch):
    """While the fit goes on rounds are played; the round in which it is used waits, and only that one."""
    done, seconds = threading.Event(), []

    def slow(*given):
        assert done.wait(60.0)
        return fit(*given)

    fit = boosted_model.fit
    monkeypatch.setattr(boosted_model, "fit", slow)
    X, y = table(110, 2)
    learner = ls.RefittedBoosting(first=100).start(4, labels=[0, 1])
    for t in range(104):
        learner.update(X[t], int(y[t]))
    assert (learner.state.model.begun_at, learner.state.model.refits) == (100, 0)
    threading.Timer(0.2, done.set).start()
    before = time.monotonic()
    learner.update(X[104], int(y[104]))
    seconds.append(time.monotonic() - before)
    assert learner.state.model.refits == 1
    assert seconds[0] > 0.1


def test_fits_that_nobody_takes_make_room_and_a_fork_has_none():
    begun = background_fits.begun = background_fits.Begun()
    for k in range(3 * background_fits.MOST):
        background_fits.begin(k, lambda k=k: k)
        begun.thread.submit(int).result()  # what was begun before is done
    assert len(begun.fits) == background_fits.MOST
    assert background_fits.take(1, lambda: "done now") == "done now"
    assert background_fits.take(3 * background_fits.MOST - 1, lambda: "done now") != "done now"
    begun.process = -1
    assert background_fits.take(3 * background_fits.MOST - 2, lambda: "done now") == "done now"
    assert background_fits.begun is not begun


def test_a_model_that_is_new_is_followed():
    X, y = table(400, 2)
    y = (X[:, 0] > 0.3).astype(int)
    run = ls.play(ls.RefittedBoosting(first=100), X, y)
    assert np.mean(run.predictions[:100] != y[:100]) > 0.3
    assert np.mean(run.predictions[100:] != y[100:]) < 0.05
    assert run.certificate.verdict == "kept"
    assert run.certificate.verdicts[0].bound == pytest.approx(np.log(4) + np.log(400))


def test_estimators_are_played_in_place_of_learners():
    X, y = table(120, 2)
    names = np.array(["no", "yes"])[y]
    run = ls.play(KNeighborsClassifier(3), X, names)
    assert run.learner.key == "refitted"
    assert run.learner.state.fitted.rows.shape == (120, 4)  # 20, 40, ... 120 rows
    again = KNeighborsClassifier(3).fit(X, names)
    found = np.array([run.learner.predict(x) for x in X])
    assert np.mean(found == again.predict(X)) > 0.9 > np.mean(found == "no")
    pipeline = make_pipeline(StandardScaler(), LinearSVC())
    assert ls.play(pipeline, X, names).learner.predict(X[0]) in ("no", "yes")
    numbers = ls.play(LinearRegression(), X, X @ [1.0, 2.0, 3.0, 4.0])
    assert numbers.learner.key == "refitted-regression"
    assert np.median(numbers.losses[20:]) < 1e-20 < np.median(numbers.losses[:20])


def test_a_file_holds_text_and_rows_and_the_model_is_fitted_again():
    X, y = table(60, 2)
    learner = ls.play(KNeighborsClassifier(3), X, y).learner
    raw = learner.to_bytes()
    assert b"KNeighborsClassifier" in raw
    assert b"pickle" not in raw
    expected = [learner.predict_proba(x) for x in X[:5]]
    models.clear()
    assert [ls.from_bytes(raw).predict_proba(x) for x in X[:5]] == expected
    assert len(models) == 1


def test_the_rows_of_a_fit_are_the_last_ones_in_their_order():
    learner = ls.RefittedRegression(estimator=Ridge(), first=3, every=1, window=4)
    for t in range(9):
        learner = learner.update([float(t)], 2.0 * t)
    assert learner.state.fitted.rows[:, 0].tolist() == [4, 5, 6, 7, 8]
    assert learner.state.refits == 7


class Unknown:
    def get_params(self, deep=True):
        return {}


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (KNeighborsClassifier, "is a class: play a learner of it, as in KNeighborsClassifier()"),
        (KNeighborsClassifier(metric=lambda a, b: 0.0), "parameters must be numbers, text"),
        (Unknown(), "there is no learner"),
        (KMeans(2), "KMeans learns from no outcomes: take a classifier or a regressor"),
    ],
)
def test_what_is_no_estimator_is_refused(estimator, message):
    with pytest.raises(BadInput, match=message.replace("(", r"\(").replace(")", r"\)")):
        ls.play(estimator, *table(10, 2))


@pytest.mark.parametrize("text", ["5", "{", '{"a": 1}', '{"estimator": 3}', "nothing"])
def test_what_describes_no_estimator_is_refused(text):
    with pytest.raises(BadInput, match="estimator"):
        ls.Refitted(estimator=text)


def test_a_text_names_estimators_alone():
    """No other class, of scikit-learn or of a module that nobody imported, is made of a text."""
    for where, message in (
        ("sklearn.utils:Bunch", "is not an estimator"),
        ("antigravity:Estimator", "import that module first"),
        ("os:system", "is not an estimator"),
    ):
        with pytest.raises(BadInput, match=message):
            build_estimator(json.dumps({"estimator": where, "parameters": {}}))


def test_estimators_draw_with_a_seed_and_use_one_core():
    from sklearn.ensemble import RandomForestClassifier

    made = build_estimator(describe_estimator(RandomForestClassifier(5, n_jobs=2)))
    assert (made.random_state, made.n_jobs, made.n_estimators) == (0, None, 5)
    kept = build_estimator(describe_estimator(RandomForestClassifier(random_state=7)))
    assert kept.random_state == 7


def test_what_an_estimator_refuses_is_said_and_leaves_no_trace():
    X, y = table(30, 2)
    with pytest.raises(BadInput, match="KNeighborsClassifier cannot predict: Expected"):
        ls.play(KNeighborsClassifier(50), X, y)
    learner = ls.Refitted(estimator=KNeighborsClassifier(1), first=3).start(4, labels=[0, 1])
    learner.update(X[0], 0).update(X[1], 1)
    before = learner.digest()
    with pytest.raises(BadInput, match="KNeighborsClassifier takes no importances"):
        learner.update(X[2], 0, importance=2.0)
    assert learner.digest() == before
    with pytest.raises(BadInput, match=r"NaN|nan|not a number"):
        learner.update([np.nan] * 4, 0)
    assert learner.digest() == before


def test_importances_reach_an_estimator_that_takes_them():
    learner = ls.RefittedRegression(estimator=LinearRegression(), first=3)
    for x, y, h in ((0.0, 0.0, 1.0), (0.0, 3.0, 2.0), (1.0, 5.0, 1.0)):
        learner = learner.update([x], y, importance=h)
    assert learner.predict([0.0]) == pytest.approx(2.0)


@runs_in_python
def count_numbers(rows, codes, least):
    if rows.shape != (0, 3):
        raise ValueError(f"{rows.shape}")
    return codes.shape[0] + least


def test_an_array_of_no_numbers_can_be_handed_over():
    a, b = np.zeros((0, 3)), np.arange(2)
    numbers = (a.ctypes.data, 0, 3, b.ctypes.data, 2, 0.5)
    assert call_by_address(name_of(count_numbers), "d2 q1 d0", *numbers) == 2.5
    with pytest.raises(ValueError, match="3, 0"):
        call_by_address(name_of(count_numbers), "d2 q1 d0", a.ctypes.data, 3, 0, *numbers[3:])


@pytest.mark.parametrize("importance", [1e3, 1e100])
def test_a_huge_importance_spoils_no_probability(importance, plain):
    """(p / mean)^h overflowed from an importance of 512 on, and all that was predicted later was not a number."""
    learner = ls.WindowNeighbours().start(1, labels=["a", "b"])
    for t in range(6):
        learner = learner.update([float(t)], "ab"[t % 2], importance=importance if t > 3 else 1.0)
    assert sum(learner.predict_proba([1.0]).values()) == pytest.approx(1.0)


def test_a_fit_has_one_thread_and_leaves_the_environment_as_it_was(monkeypatch):
    """Threads of OpenMP that spin while they wait took seventy times as long on two busy cores."""
    from sklearn.ensemble import HistGradientBoostingRegressor  # noqa: F401 - it loads OpenMP
    from threadpoolctl import threadpool_info

    from littlestone.refitted.one_thread import VARIABLE, on_one_thread

    for before in (None, "7"):
        monkeypatch.delenv(VARIABLE, raising=False)
        if before is not None:
            monkeypatch.setenv(VARIABLE, before)
        with on_one_thread():
            found = threadpool_info()
            assert found
            assert {pool["num_threads"] for pool in found} == {1}
            assert os.environ[VARIABLE] == "1"
        assert os.environ.get(VARIABLE) == before


def test_weights_of_calibrations_follow_bayes_rule_and_a_share():
    from littlestone.refitted.calibration import (
        init_calibration,
        mix_calibrations,
        update_calibrations,
    )

    found, weights = init_calibration(3), np.full(4, 0.25)
    for t, (y, h) in enumerate([(0, 1.0), (2, 0.5), (0, 3.0)]):
        p = np.array([0.7, 0.2, 0.1])
        mix_calibrations(found, p, True)
        assert p == pytest.approx(weights @ found.chances)
        weights = weights * found.chances[:, y] ** h
        weights = (1.0 - 1.0 / (t + 2)) * weights / weights.sum() + 0.25 / (t + 2)
        update_calibrations(found, y, h, t)
        assert found.weights == pytest.approx(weights)


def test_as_many_rows_as_features_are_no_numbers_of_features(plain):
    """64 of each: outcomes were laid out as columns of features, which compiled code refuses."""
    learner = ls.WindowNeighbours(neighbours=1)
    for t in range(4):
        learner = learner.update({f"f{i}": 1.0 for i in range(12 * t, 12 * t + 14)}, "ab"[t % 2])
    state = learner.begun().state
    assert len(state.z) == len(state.window.outcomes) == 64
    assert state.window.outcomes.flags.c_contiguous
