"""Intervals in the form of scikit-learn and of River, and what their checkers say."""

import pickle
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.linear_model import Ridge, SGDRegressor
from sklearn.utils.estimator_checks import check_estimator

import littlestone as ls
from littlestone.interop.sklearn import IntervalRegressor


@pytest.fixture(autouse=True)
def engine(monkeypatch):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")


def rows(T=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(T, 3))
    return X, X @ [1.0, 2.0, 0.0] + rng.normal(size=T)


def test_scikit_learn_checks_it():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(IntervalRegressor(), on_skip=None, on_fail=None)
    assert not {r["check_name"]: repr(r["exception"]) for r in found if r["status"] == "failed"}
    assert sum(r["status"] == "passed" for r in found) > 40


def test_the_intervals_of_a_fitted_regressor():
    X, y = rows(600)
    model = IntervalRegressor(Ridge(), level=0.8).fit(X[:400], y[:400])
    limits = model.predict_interval(X[400:])
    assert limits.shape == (200, 2)
    assert np.mean((limits[:, 0] <= y[400:]) & (y[400:] <= limits[:, 1])) == pytest.approx(
        0.8, abs=0.1
    )
    assert not hasattr(model, "partial_fit")
    with pytest.raises(ls.BadInput, match="calibration must be a share between 0 and 1, not 2"):
        IntervalRegressor(calibration=2).fit(X, y)


def test_it_goes_on_row_by_row():
    X, y = rows(60)
    whole = IntervalRegressor(SGDRegressor(random_state=0)).partial_fit(X, y)
    parts = IntervalRegressor(SGDRegressor(random_state=0))
    for t in range(0, 60, 7):
        parts.partial_fit(X[t : t + 7], y[t : t + 7])
    assert np.isfinite(whole.predict_interval(X)).all()
    # the first row of each part is predicted too, but the very first
    assert parts.predict_interval(X) == pytest.approx(whole.predict_interval(X))


def test_river_checks_it():
    checks = pytest.importorskip("river.checks")
    from littlestone.interop.river import IntervalRegressor as OnRiver

    count = 0
    for given in OnRiver._unit_test_params():
        model = OnRiver(**given)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for check in checks.yield_checks(model):
                check(model.clone())
                count += 1
    assert count > 10


def test_the_intervals_of_a_river_regressor():
    linear = pytest.importorskip("river.linear_model")
    from littlestone.interop.river import IntervalRegressor as OnRiver

    X, y = rows()
    model, alone = (
        OnRiver(linear.LinearRegression(), 0.8),
        ls.Intervals(linear.LinearRegression(), 0.8),
    )
    held = 0
    for t in range(200):
        x = dict(zip("abc", X[t].tolist(), strict=True))
        found = model.predict_one(x, with_interval=True)
        assert (found.lower, found.upper) == alone.predict(x)
        held += y[t] in found
        model.learn_one(x, y[t])
        alone.update(x, y[t])
    assert held == 200 - alone.missed
    again = pickle.loads(pickle.dumps(model))
    assert again.predict_one(x, with_interval=True) == model.predict_one(x, with_interval=True)
