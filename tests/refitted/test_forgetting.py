"""Rows that are forgotten: they are in no state and no file, and models are those of the rows that are left."""

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier

import littlestone as ls
from littlestone.cli.main import main
from littlestone.core import registry
from littlestone.refitted import background_fits
from littlestone.refitted.boosted_trees import NONE
from littlestone.refitted.fitted_rows import models
from littlestone.refitted.forgetting import KeepsRows
from littlestone.testing.compare import same

SECRET = [0.123456789, -7.654321987, 3.14]
MAKERS = {
    "refitted": lambda: ls.Refitted(estimator=KNeighborsClassifier(3), first=10),
    "refitted-regression": lambda: ls.RefittedRegression(estimator=Ridge(), first=10),
    "refitted-boosting": lambda: ls.RefittedBoosting(first=40),
    "refitted-boosting-regression": lambda: ls.RefittedBoostingRegression(first=40),
    "window-neighbours": lambda: ls.WindowNeighbours(neighbours=3),
    "mixture": lambda: ls.Mixture(
        kernel=ls.OnlineKernel(frequencies=1), forest=ls.MondrianForest(trees=1),
        boosting=ls.RefittedBoosting(first=40),
    ),
    "mixture-regression": lambda: ls.MixtureRegression(
        kernel=ls.OnlineKernelRegression(frequencies=1), boosting=ls.RefittedBoostingRegression(first=40)
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")


def table(T=60):
    r = np.random.default_rng(3)
    X = r.normal(size=(T, 3))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def taught(key, secret=True, T=60):
    """A learner after T rows; the 21st is the secret one, or is not there."""
    learner = MAKERS[key]()
    for t, (x, y) in enumerate(zip(*table(T), strict=True)):
        if t == 20 and secret:
            learner.update(SECRET, 1)
        learner.update(x, int(y))
    return learner


def holds(learner):
    """Are the numbers of the secret row in the learner's file, next to each other?"""
    return np.array(SECRET).tobytes() in learner.to_bytes()


@pytest.mark.parametrize("key", MAKERS)
def test_no_file_holds_a_row_that_was_forgotten(key):
    learner = taught(key)
    assert holds(learner)
    before = learner.digest()
    assert learner.forget([[9.0, 9.0, 9.0]]) == 0
    assert learner.digest() == before
    assert learner.forget(np.array([SECRET, SECRET])) == 1
    assert not holds(learner)
    assert learner.forget([SECRET]) == 0
    again = ls.from_bytes(learner.to_bytes())
    for x, y in zip(*table(70), strict=True):
        learner.update(x, int(y))
        again.update(x, int(y))
    assert learner.digest() == again.digest()
    assert not holds(learner)


@pytest.mark.parametrize("key", ["refitted-boosting", "refitted-boosting-regression"])
def test_trees_are_those_of_the_rows_that_are_left(key):
    learner, never = taught(key), taught(key, secret=False)
    assert learner.forget([SECRET]) == 1
    found, expected = learner.state.model, never.state.model
    assert same(found.window[:3], expected.window[:3])
    assert found.window.seen == 60
    fresh = MAKERS[key]().replace(first=60)  # fitted to the 60 rows at once
    for x, y in zip(*table(63), strict=True):
        fresh.update(x, int(y))
    assert fresh.state.model.refits == 1
    assert same(found.trees[:4], fresh.state.model.trees[:4])
    assert (found.trees.links[:, 0] != NONE).sum() > 10


def test_a_fit_that_is_begun_is_dropped():
    background_fits.begun = background_fits.Begun()
    learner = taught("refitted-boosting", T=40)
    assert (learner.state.model.begun_at, len(background_fits.begun.fits)) == (40, 1)
    assert learner.forget([SECRET]) == 1
    assert learner.state.model.begun_at == 0
    assert not background_fits.begun.fits


def test_an_estimator_is_fitted_to_the_rows_that_are_left():
    models.clear()
    learner = taught("refitted")
    assert learner.forget([SECRET]) == 1
    left = learner.state.fitted.rows
    assert len(models) >= 1
    assert len(left) + 1 == len(taught("refitted").state.fitted.rows)
    expected = KNeighborsClassifier(3).fit(left, learner.state.fitted.outcomes)
    assert learner.predict([0.1, 0.2, 0.3]) == expected.predict([[0.1, 0.2, 0.3]])[0]


def test_when_all_rows_are_forgotten_the_frequencies_are_left():
    for key in ("refitted", "refitted-boosting", "window-neighbours"):
        learner = taught(key, secret=False)
        X, y = table()
        assert learner.forget(X) == 60
        p = learner.predict_proba(X[0])  # 1/61^2 is kept for a class that has not occurred
        assert p[1] / (p[0] + p[1]) == pytest.approx((y.sum() + 0.5) / 61.0)


def test_rows_with_names_and_text_are_found():
    learner = ls.WindowNeighbours(neighbours=1)
    for t in range(12):
        learner.update({"size": float(t % 4), "colour": "red" if t % 2 else "blue"}, "ab"[t % 2])
    assert learner.forget([{"size": 1.0, "colour": "red"}]) == 3
    assert learner.forget([{"size": 2.0, "colour": "red"}]) == 0


def test_a_forest_begins_anew_with_the_mixture_that_forgets():
    learner = taught("mixture")
    rounds = learner.state.t
    assert learner.forget([SECRET]) == 1
    assert (learner.state.forest.t, learner.state.t) == (0, rounds)
    p = learner.predict_proba(SECRET)
    assert 0.1 < p[0] / p[1] < 10.0


def test_learners_that_keep_rows_say_so():
    for key, made in registry.learners().items():
        assert made.keeps_rows == issubclass(made, KeepsRows), key


def test_who_saves_rows_is_told(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("a,y\n" + "1,x\n2,z\n" * 4, encoding="utf-8")
    for learner, told in (("window-neighbours", True), ("online-linear", False)):
        saved = tmp_path / f"{learner}.ls"
        words = ["run", str(table), "--learner", learner, "--report", "", "--save", str(saved)]
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 0, result.output
        assert (f"note: {saved} holds rows of the data" in result.output) == told
