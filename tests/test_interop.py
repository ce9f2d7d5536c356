"""The facades: scikit-learn's own checks, River's own checks, and models as experts."""

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

import littlestone as ls
from littlestone.core.registry import learners
from littlestone.interop.facades import offered

sklearn = pytest.importorskip("sklearn")
river = pytest.importorskip("river")

from river import checks, linear_model  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.datasets import make_classification, make_regression  # noqa: E402
from sklearn.linear_model import LogisticRegression, SGDRegressor  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

from littlestone.interop import river as on_river  # noqa: E402
from littlestone.interop import sklearn as on_sklearn  # noqa: E402
from littlestone.interop.models_as_experts import forecasts  # noqa: E402

ESTIMATORS = sorted(on_sklearn.estimators())
MODELS = sorted(on_river.models())
ORDER = "twice the weight is not twice the example, for a learner that depends on their order"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": ORDER,
    "check_sample_weight_equivalence_on_sparse_data": ORDER,
}


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")


def test_every_linear_and_kernel_learner_is_offered():
    there = {on_sklearn.estimators()[name]._learner.key for name in ESTIMATORS}
    asked = {
        key
        for key, cls in learners().items()
        if cls.__module__.startswith(("littlestone.linear", "littlestone.kernel."))
    }
    assert there >= asked - {"convex"}
    ours = [cls for cls in offered() if cls.__module__.startswith("littlestone.")]
    assert {cls.key for cls in ours if cls.sparse} == {
        on_river.models()[name]._learner.key for name in MODELS
    }


# scikit-learn.


@pytest.mark.parametrize("name", ESTIMATORS)
def test_scikit_learn_checks_it(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(
            on_sklearn.estimators()[name](),
            expected_failed_checks=EXPECTED,
            on_skip=None,
            on_fail=None,
        )
    failed = {r["check_name"]: repr(r["exception"]) for r in found if r["status"] == "failed"}
    assert not failed
    assert sum(r["status"] == "passed" for r in found) > 40


CLASSIFIERS = [name for name in ESTIMATORS if name.endswith("Classifier")]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_it_is_the_learner(name):
    """`fit` is `play` with as many passes; `partial_fit` goes on; dense and sparse agree; coef_ is the line."""
    made = on_sklearn.estimators()[name]
    X, y = data(name)
    model = made(passes=2).fit(X, y)
    live = model.learner_._live
    assert live.t == 2 * len(y)
    other = made().partial_fit(X, y, **({"classes": np.unique(y)} if name in CLASSIFIERS else {}))
    other.partial_fit(X, y)
    assert same_scores(model, other, X)
    again = pickle.loads(pickle.dumps(model))
    assert same_scores(model, again, X)
    assert same_scores(model, copy.deepcopy(model), X)
    assert clone(model).get_params() == model.get_params()
    if made._learner.sparse and not made._learner.boolean:
        assert np.allclose(scores(model, csr_matrix(X)), scores(model, X))
    try:
        w, b = model.coef_, model.intercept_
    except AttributeError:
        return
    if not made._learner.boolean:
        X = X / 100  # within what it learned from: longer values are cut, so that none is extreme
    line = X @ w.T + b if not made._learner.boolean else (X > 0).astype(float) @ w.T + b
    found = scores(model, X)
    assert np.allclose(line if found.ndim == 2 else line[:, 0], found, rtol=1e-6, atol=1e-6), name


def data(name):
    if name in CLASSIFIERS:
        X, y = make_classification(80, 5, random_state=0)
        return X, np.array(["no", "yes"])[y]
    return make_regression(80, 5, random_state=0)


def scores(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


def same_scores(a, b, X):
    return np.array_equal(scores(a, X), scores(b, X))


def test_in_a_pipeline_and_a_grid():
    X, y = make_classification(200, 6, random_state=1)
    model = make_pipeline(StandardScaler(), on_sklearn.PerceptronClassifier())
    search = GridSearchCV(model, {"perceptronclassifier__passes": [1, 3]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.7


def test_a_later_class_is_learned():
    several = [n for n in CLASSIFIERS if on_sklearn.estimators()[n]()._several()]
    assert several
    X = np.array([[1.0, 0.0], [0.0, 1.0]] * 30)
    for name in several:
        model = on_sklearn.estimators()[name]()
        model.partial_fit(X, np.array(["a", "b"] * 30))
        model.partial_fit(np.tile([[-1.0, -1.0]], (30, 1)), np.array(["c"] * 30))
        assert model.predict([[-1.0, -1.0]]).tolist() == ["c"], name
        assert sorted(model.classes_) == ["a", "b", "c"]


def test_importance_weights_count():
    X, y = np.array([[1.0], [1.0]] * 20), np.array([0, 1] * 20)
    model = on_sklearn.LogisticClassifier(passes=1)
    one, other = (
        model.fit(X, y, sample_weight=np.tile(w, 20)).decision_function([[1.0]])[0]
        for w in ([1, 9], [9, 1])
    )
    assert one > 0 > other


def test_unknown_names():
    with pytest.raises(AttributeError, match="NoSuchClassifier"):
        on_sklearn.NoSuchClassifier  # noqa: B018
    with pytest.raises(TypeError, match="no parameter 'size'"):
        on_sklearn.PerceptronClassifier(size=3)
    assert "PerceptronClassifier" in dir(on_sklearn)


# River.


@pytest.mark.parametrize("name", MODELS)
def test_river_checks_it(name):
    model = on_river.models()[name]()
    count = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for check in checks.yield_checks(model):
            check(model.clone())
            count += 1
    assert count > 20


@pytest.mark.parametrize("name", MODELS)
def test_learn_many_is_the_loop_of_learn_one(name):
    made = on_river.models()[name]
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(20, 3)), columns=list("abc"))
    y = pd.Series(rng.random(20) > 0.5 if name.endswith("Classifier") else rng.normal(size=20))
    many, single = made(), made()
    many.learn_many(X, y)
    for x, one in zip(X.to_dict("records"), y, strict=True):
        single.learn_one(x, one)
    assert ls.core.store.to_bytes(many._live) == ls.core.store.to_bytes(single._live)
    assert list(many.predict_many(X)) == [single.predict_one(x) for x in X.to_dict("records")]


def test_features_come_and_go():
    model = on_river.PerceptronClassifier()
    assert model.predict_proba_one({"a": 1.0}) == {False: 0.5, True: 0.5}
    for _ in range(5):
        model.learn_one({"a": 1.0, "colour": "red"}, True)
        model.learn_one({"b": 1.0, "colour": "blue"}, False)
    assert model.predict_one({"colour": "red", "unknown": 4.0}) is True
    assert model.predict_one({"colour": "blue"}) is False
    again = pickle.loads(pickle.dumps(model))
    assert again.predict_one({"colour": "red"}) is True


# Models as experts.


def test_models_are_experts():
    X, y = make_regression(300, 4, noise=5.0, random_state=0)
    static = SGDRegressor(random_state=0).fit(X[:50], y[:50])
    models = {
        "static": static.predict and _Fixed(static),
        "moving": SGDRegressor(random_state=0).partial_fit(X[:1], y[:1]),
        "river": linear_model.LinearRegression(),
        "zero": lambda x: 0.0,
    }
    run = ls.play("ml-poly", forecasts(models, X, y, batch=25))
    assert run.names == ("static", "moving", "river", "zero")
    assert run.experts.L[3] == pytest.approx((y**2).sum())
    assert run.experts.L[0] < run.experts.L[3]
    assert run.loss < run.experts.L[3]
    for bad, said in (({}, "there are none"), ({"a": 3}, "forecasts nothing")):
        with pytest.raises(ls.BadInput, match=said):
            forecasts(bad, X, y)
    with pytest.raises(ls.BadInput, match="X has 300 rows"):
        forecasts({"zero": lambda x: 0.0}, X, y[:3])


class _Fixed:
    """A model without partial_fit: it stays as it was fitted."""

    def __init__(self, model):
        self.predict = model.predict


def test_classifiers_forecast_probabilities():
    X, y = make_classification(120, 4, random_state=0)
    batch = LogisticRegression().fit(X[:60], y[:60])
    online = linear_model.LogisticRegression()
    stream = forecasts({"batch": batch, "online": online}, X[60:], y[60:], batch=20, learn=True)
    advice = np.concatenate([b.x for b in stream.batches])
    assert advice.shape == (60, 2)
    assert ((advice >= 0) & (advice <= 1)).all()
    assert np.array_equal(advice[:, 0], batch.predict_proba(X[60:])[:, 1])
    assert len(set(advice[:, 1])) > 10  # it learned
