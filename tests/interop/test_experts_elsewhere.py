"""Experts and bandits in scikit-learn and River, certificates of fits, weights of classes, a name that was too long."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

sklearn = pytest.importorskip("sklearn")
river = pytest.importorskip("river")

from river import bandit, dummy, linear_model, preprocessing, stats  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.datasets import make_classification, make_regression  # noqa: E402
from sklearn.ensemble import StackingRegressor  # noqa: E402
from sklearn.linear_model import Ridge  # noqa: E402
from sklearn.neighbors import KNeighborsRegressor  # noqa: E402
from sklearn.utils.estimator_checks import check_class_weight_classifiers, check_estimator  # noqa: E402

import littlestone as ls  # noqa: E402
from littlestone.core.errors import BadInput  # noqa: E402
from littlestone.interop import river as on_river  # noqa: E402
from littlestone.interop import sklearn as on_sklearn  # noqa: E402
from littlestone.interop.sklearn_experts import mixtures  # noqa: E402

pytestmark = pytest.mark.usefixtures("plain")


# scikit-learn.


@pytest.mark.parametrize("name", ["TrackerRegressor", "BOARegressor", "WeightedAverageRegressor"])
def test_scikit_learn_checks_mixtures(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(mixtures()[name](), on_skip=None, on_fail=None)
    assert not {r["check_name"]: repr(r["exception"]) for r in found if r["status"] == "failed"}
    assert sum(r["status"] == "passed" for r in found) > 40


def forecasts():
    rng = np.random.default_rng(0)
    y = rng.normal(size=200)
    return pd.DataFrame({"good": y + 0.1 * rng.normal(size=200), "bad": rng.normal(size=200)}), y


def test_a_mixture_is_the_same_as_play():
    X, y = forecasts()
    model = on_sklearn.TrackerRegressor(certify=True).fit(X, y)
    run = ls.play("tracker", X, y)
    assert model.weights_ == pytest.approx(run.learner.weights)
    assert str(model.certificate_) == str(run.certificate)
    assert model.predict(X[:3]) == pytest.approx(X[:3].to_numpy() @ model.weights_)
    half = on_sklearn.TrackerRegressor().fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    assert half.weights_ == pytest.approx(model.weights_)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(X).tolist() == model.predict(X).tolist()
    with pytest.raises(AttributeError, match="fit with certify=True"):
        again.certificate_  # noqa: B018
    holes = X.copy()
    holes.iloc[:3, 1] = np.nan
    assert on_sklearn.TrackerRegressor().fit(holes, y).predict(holes[:1])[0] == holes.good[0]


def test_the_tracker_stacks_regressors():
    X, y = make_regression(200, 4, noise=5.0, random_state=0)
    models = [("ridge", Ridge()), ("near", KNeighborsRegressor())]
    stack = StackingRegressor(models, final_estimator=on_sklearn.TrackerRegressor()).fit(X, y)
    assert stack.score(X, y) > 0.97
    assert stack.final_estimator_.weights_[0] > 0.9


def test_certificate_of_a_fit():
    X, y = make_classification(60, 4, random_state=0)
    model = on_sklearn.PerceptronClassifier(certify=True, passes=1).fit(X, y)
    run = ls.play(model.learner(), X, y)
    assert [v.verdict for v in model.certificate_] == [v.verdict for v in run.certificate]
    assert model.run_.mistakes == run.mistakes
    with pytest.raises(AttributeError, match="PerceptronClassifier has no certificate_: fit with"):
        on_sklearn.PerceptronClassifier().fit(X, y).certificate_  # noqa: B018
    with pytest.raises(AttributeError, match="certify=True"):
        model.partial_fit(X, y).certificate_  # noqa: B018
    assert not hasattr(clone(model), "run_")


@pytest.mark.parametrize(
    "name", ["LogisticClassifier", "OnlineLinearClassifier", "SoftmaxClassifier"]
)
def test_scikit_learn_checks_class_weights(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = {} if "Online" in name else {"normalise": True}  # weights are a million times apart
        check_class_weight_classifiers(name, on_sklearn.estimators()[name](**given))
    assert on_sklearn.estimators()[name]().class_weight is None


def test_a_class_counts_as_much_as_examples_of_that_weight():
    X, y = make_classification(80, 4, weights=[0.8], random_state=0)
    names = np.array(["rare" if v else "usual" for v in y])
    made = on_sklearn.LogisticClassifier
    a = made(class_weight={"rare": 4.0, "usual": 1.0}).fit(X, names)
    b = made().fit(X, names, sample_weight=np.where(y, 4.0, 1.0))
    assert a.decision_function(X).tolist() == b.decision_function(X).tolist()
    both = made(class_weight={"rare": 2.0}).fit(X, names, sample_weight=np.where(y, 2.0, 1.0))
    assert both.decision_function(X).tolist() == b.decision_function(X).tolist()
    with pytest.raises(ValueError, match="'balanced' needs all examples at once"):
        made(class_weight="balanced").partial_fit(X, names)


@pytest.mark.parametrize("made", [on_sklearn, on_river])
def test_the_long_name_is_kept_as_another_name(made):
    assert made.OnlineLinearRegressionRegressor is made.OnlineLinearRegressor
    assert made.OnlineLinearRegressor.__name__ == "OnlineLinearRegressor"


# River.


def test_models_of_river_as_experts():
    def models():
        return [
            preprocessing.StandardScaler() | linear_model.LinearRegression(),
            dummy.StatisticRegressor(stats.Mean()),
        ]

    rng = np.random.default_rng(0)
    X = [{"a": float(v), "b": 1.0} for v in rng.normal(size=150)]
    mixed = on_river.ExpertsRegressor(models(), learner=ls.Tracker())
    alone, advice = models(), []
    said = []
    for x in X:
        y = 3.0 * x["a"] + 1.0
        advice.append([m.predict_one(x) for m in alone])
        said.append(mixed.predict_one(x))
        mixed.learn_one(x, y)
        for m in alone:
            m.learn_one(x, y)
    run = ls.play("tracker", advice, [3.0 * x["a"] + 1.0 for x in X])
    assert said == pytest.approx(run.predictions.tolist())
    assert mixed.weights[0] > 0.9
    again = pickle.loads(pickle.dumps(mixed))
    assert again.predict_one(X[0]) == mixed.predict_one(X[0])
    assert mixed.clone()._live is None
    with pytest.raises(BadInput, match="ucb1 does not mix forecasts"):
        on_river.ExpertsRegressor(models(), learner="ucb1").predict_one(X[0])


@pytest.mark.parametrize("learner", ["ucb1", "exp3", ls.Thompson()])
def test_bandits_are_policies_of_river(learner):
    policy = on_river.BanditPolicy(learner, interval=(0.0, 10.0), seed=3)
    pulled = []
    for _ in range(300):
        arm = policy.pull(["a", "b", "c"])
        policy.update(arm, 10.0 * (arm == "b"))
        pulled.append(arm)
    assert pulled.count("b") > 150
    assert policy.ranking[0] == "b"
    assert isinstance(policy, bandit.base.Policy)
    again = pickle.loads(pickle.dumps(policy))
    assert again.pull(["a", "b", "c"]) == policy.pull(["a", "b", "c"])
    assert policy.pull(["a", "c"]) in ("a", "c")
    with pytest.raises(BadInput, match="arm 'd' was not among"):
        policy.pull(["a", "d"])
    with pytest.raises(BadInput, match="hedge is no bandit"):
        on_river.BanditPolicy("hedge").pull(["a", "b"])
