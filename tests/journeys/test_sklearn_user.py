"""A user of scikit-learn, from a frame to a model in production: one script, with nothing from inside Littlestone."""

import pickle

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("sklearn")

from sklearn.compose import make_column_transformer
from sklearn.ensemble import StackingRegressor
from sklearn.linear_model import Ridge
from sklearn.metrics import balanced_accuracy_score, mean_squared_error
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

import littlestone as ls
from littlestone.interop.sklearn import (
    LogisticClassifier,
    OnlineLinearClassifier,
    TrackerRegressor,
)

pytestmark = pytest.mark.usefixtures("plain")


def clicks(rows=600):
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(
        {
            "hour": rng.integers(0, 24, rows),
            "price": rng.gamma(2.0, 50.0, rows),
            "device": rng.choice(["phone", "desktop"], rows),
        }
    )
    z = 0.02 * (frame.price - 150) + 1.5 * (frame.device == "phone") - 1.0
    frame["click"] = np.where(rng.random(rows) < 1 / (1 + np.exp(-2 * z)), "yes", "no")
    return frame


def test_from_a_frame_to_production(tmp_path):
    frame = clicks()
    X, y = frame.drop(columns="click"), frame.click
    train, test, y_train, y_test = train_test_split(X, y, random_state=0, shuffle=False)

    # 1. a pipeline, as with any other estimator
    encode = make_column_transformer((OneHotEncoder(), ["device"]), remainder="passthrough")
    model = make_pipeline(encode, OnlineLinearClassifier(passes=1, class_weight="balanced"))
    model.fit(train, y_train)
    assert balanced_accuracy_score(y_test, model.predict(test)) > 0.75
    assert model.predict_proba(test).sum(axis=1) == pytest.approx(np.ones(len(test)))

    # 2. parameters are searched for
    offered = {"logisticclassifier__class_weight": [None, "balanced"]}
    search = GridSearchCV(
        make_pipeline(encode, LogisticClassifier(passes=1, normalise=True)), offered, cv=2
    )
    assert search.fit(train, y_train).best_score_ > 0.7

    # 3. what was promised, and was it kept?
    numbers = train[["hour", "price"]]
    certified = LogisticClassifier(passes=1, certify=True).fit(numbers, y_train)
    assert certified.certificate_.verdict == "kept"

    # 4. why: by the names of the columns
    why = certified.learner_.explain({"hour": 3.0, "price": 400.0})
    assert why.prediction == "yes"
    assert why.effects[0].feature == "price"
    assert set(certified.learner_.named_weights()) == {"hour", "price"}

    # 5. in production it goes on learning, from a pickle or from a file of its own
    served = pickle.loads(pickle.dumps(certified))
    served.partial_fit(test[["hour", "price"]], y_test)
    served.learner_.save(tmp_path / "clicks.ls")
    again = ls.load(tmp_path / "clicks.ls", ls.Logistic)
    row = test[["hour", "price"]].iloc[0]
    assert again.predict(row.to_numpy(float)) == served.predict(row.to_frame().T)[0]


def test_forecasts_are_stacked_and_tracked():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = X @ [1.0, -2.0, 0.5] + np.sin(3 * X[:, 0]) + 0.1 * rng.normal(size=400)
    models = [("ridge", Ridge()), ("tree", DecisionTreeRegressor(max_depth=4, random_state=0))]
    stack = StackingRegressor(models, TrackerRegressor(certify=True)).fit(X[:300], y[:300])
    assert stack.final_estimator_.certificate_.verdict == "kept"
    alone = [mean_squared_error(y[300:], m.predict(X[300:])) for m in stack.estimators_]
    assert mean_squared_error(y[300:], stack.predict(X[300:])) < max(alone)

    # what each model says is a frame of forecasts: the run tells the rest, under the same index
    days = pd.date_range("2025-01-01", periods=100, name="day")
    ridge, tree = (m.predict(X[300:]) for m in stack.estimators_)
    advice = pd.DataFrame({"ridge": ridge, "tree": tree}, index=days)
    run = ls.play("tracker", advice.assign(truth=y[300:]), outcome="truth")
    table = run.to_frame(weights=True)
    assert table.index.equals(days)
    assert table[["ridge", "tree"]].sum(axis=1).to_numpy() == pytest.approx(np.ones(100))
    assert "T-TRACKER" in run._repr_html_()
