"""Experiments as functions: seeds decide them, pictures are drawn, and bad sizes are refused."""

from __future__ import annotations

import littlestone_lectures as notes
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from littlestone.core.errors import BadInput

SMALL = {
    "bias_variance": {"samples": 5},
    "bootstrap_share": {"sizes": (2, 5), "draws": 20},
    "few_labels": {"labels": (1,), "draws": 1},
    "knn_consistency": {"sizes": (30,), "draws": 2, "test": 50},
    "model_selection": {"samples": 2, "degrees": (0, 2)},
    "no_free_lunch": {"sizes": (2, 3), "targets": 5},
    "perceptron_or_winnow": {"sizes": (4, 8)},
    "polynomial_fitting": {"samples": 3, "degrees": (1, 3)},
    "share_simulation": {"rounds": 30, "experts": 3, "shifts": 1, "seeds": 2},
    "support_vector_errors": {"sizes": (10,), "draws": 3, "test": 50},
    "unit_balls": {"points": 51},
}


@pytest.mark.parametrize("name", SMALL)
def test_a_seed_decides_it_and_it_is_drawn(name):
    run = getattr(notes, name)(**SMALL[name])
    again = getattr(notes, name)(**SMALL[name])
    assert run.rows == again.rows
    assert str(run).splitlines()[0] == run.title
    assert run.table()[0]["label"] == run.rows[0].label
    assert run.value(run.rows[-1].label) == run.rows[-1].mean
    axes = run.plot().axes[0]
    assert len(axes.lines) == len(run.curves) > 0
    assert axes.get_title() == run.title
    with pytest.raises(BadInput, match="no row 'nothing'; rows"):
        run.value("nothing")


@pytest.mark.parametrize("name", sorted(set(SMALL) - {"unit_balls"}))
def test_another_seed_is_another_run(name):
    one = getattr(notes, name)(**SMALL[name])
    if name in ("perceptron_or_winnow",):  # the matrix is fixed
        assert one.rows == notes.perceptron_or_winnow(seed=7, **SMALL[name]).rows
    else:
        assert one.rows != getattr(notes, name)(seed=7, **SMALL[name]).rows


def test_noise_bias_and_variance_are_the_error():
    from sklearn.linear_model import LinearRegression
    from sklearn.neighbors import KNeighborsRegressor

    models = {"line": LinearRegression(), "three": KNeighborsRegressor(3)}
    run = notes.bias_variance(models, lambda x: np.abs(x - 0.5), noise=0.2, samples=150)
    for name in models:
        parts, measured = (next(r for r in run.rows if r.label == f"{name}, {what}")
                           for what in ("noise + bias^2 + variance", "measured error"))  # fmt: skip
        assert abs(parts.mean - measured.mean) < 4 * measured.error


def test_a_constant_chance_has_the_limits_of_the_lecture():
    run = notes.knn_consistency(lambda X: np.full(len(X), 0.9), sizes=(3000,), draws=5)
    assert abs(run.value("3000 rows, 1 neighbour") - 0.18) < 0.02
    assert abs(run.value("3000 rows, sqrt(m) neighbours") - 0.1) < 0.015


def test_a_model_is_chosen_on_data_of_ones_own():
    from sklearn.neighbors import KNeighborsClassifier

    def draw(rng, rows):
        X = rng.normal(size=(rows, 2))
        return X, (X[:, 0] > 0).astype(int) ^ (rng.random(rows) < 0.2)

    models = {"1": KNeighborsClassifier(1), "9": KNeighborsClassifier(9)}
    run = notes.model_selection(models, draw=draw, rows=40, samples=8, test=400)
    assert [row.label for row in run.rows] == ["hold-out 2/3", "5-fold", "10-fold", "leave-one-out"]
    assert all(0 <= row.mean < 0.2 for row in run.rows)
    alone = notes.model_selection({"9": models["9"]}, draw=draw, rows=40, samples=2, test=100)
    assert all(row.mean == 0 for row in alone.rows)  # one candidate: nothing to choose


def test_whoever_remembers_its_rows_errs_as_the_theorem_says():
    from sklearn.linear_model import LogisticRegression

    run = notes.no_free_lunch({"line": LogisticRegression()}, sizes=(4,), targets=150)
    (line, least) = run.rows
    assert least.mean == 0.5 * (7 / 8) ** 4
    assert line.mean > least.mean - 3 * line.error


def test_areas_are_those_of_geometry():
    run = notes.unit_balls(points=1001)
    for name, area in (("sum of sizes", 2.0), ("Euclidean", np.pi), ("largest size", 4.0),
                       ("M = diag(1, 3)", np.pi / np.sqrt(3))):  # fmt: skip
        assert abs(run.value(name) - area) < 0.05
    curve = next(c for c in run.curves if c.label == "Euclidean")
    assert np.hypot(curve.x, curve.y) == pytest.approx(1.0)


def test_a_classifier_that_forgets_errs_more_than_the_bound():
    from sklearn.dummy import DummyClassifier
    from sklearn.neighbors import KNeighborsClassifier

    exact = notes.no_free_lunch_for(KNeighborsClassifier(1), m=2)
    assert exact.exact
    assert exact.average == pytest.approx(exact.bound)  # it remembers
    assert notes.no_free_lunch_for(DummyClassifier(), m=2).average > exact.bound + 0.01
    with pytest.raises(BadInput, match=r"cannot be fitted to 1 rows|cannot be fitted to 2 rows"):
        notes.no_free_lunch_for(KNeighborsClassifier(5), m=2)


class Nearest(BaseEstimator, ClassifierMixin):
    """The label of the nearest point; of equally near ones the first."""

    def fit(self, X, y):
        self.X_, self.y_ = np.asarray(X), np.asarray(y)
        return self

    def predict(self, X):
        return self.y_[np.abs(np.asarray(X)[:, None, 0] - self.X_[None, :, 0]).argmin(axis=1)]


def test_the_search_finds_nearly_the_worst_labels(monkeypatch):
    from littlestone_lectures.experiments import no_free_lunch as lunch

    exact = notes.no_free_lunch_for(Nearest(), m=3)
    assert exact.exact
    monkeypatch.setattr(lunch, "EXACT", 0)
    found = notes.no_free_lunch_for(Nearest(), m=3, tries=16)
    assert not found.exact
    assert exact.average < found.worst <= exact.worst + 0.03  # 200 samples: their mean errs by .01
    assert found.worst > 0.9 * exact.worst
    monkeypatch.setattr(lunch, "SAMPLES", 4)
    assert notes.no_free_lunch_for(Nearest(), m=9, tries=4).worst > 0.2  # 2^18 labelings


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("bias_variance", {"samples": 1}, "samples 1: it must be at least 2"),
        ("polynomial_fitting", {"rows": 5}, "rows 5: it must be at least 10"),
        ("bootstrap_share", {"draws": 0}, "draws 0: it must be at least 1"),
        ("few_labels", {"X": [[0.0]]}, "X and y go together"),
        ("few_labels", {"labels": (1000,), "draws": 1}, "labels: 1000 of class 0 asked for"),
        ("unit_balls", {"points": 3}, "points 3: it must be at least 11"),
    ],
)
def test_bad_sizes_are_refused(name, given, says):
    with pytest.raises(BadInput, match=says):
        getattr(notes, name)(**given)


def test_an_unknown_name_lists_what_there_is():
    with pytest.raises(
        AttributeError,
        match="littlestone_lectures has no 'lunch'; it has HardMargin, answer_key, bias_variance",
    ):
        _ = notes.lunch
