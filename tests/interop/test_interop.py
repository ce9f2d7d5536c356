"""The facades: scikit-learn's own checks, River's own checks, and models as experts."""

import copy
import functools
import inspect
import os
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

import littlestone as ls
from littlestone.core.learner import Learner
from littlestone.core.registry import learners
from littlestone.interop.facades import offered
from littlestone.live import store

sklearn = pytest.importorskip("sklearn")
river = pytest.importorskip("river")

from river import checks, linear_model, preprocessing, tree  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.datasets import make_classification, make_regression  # noqa: E402
from sklearn.dummy import DummyClassifier  # noqa: E402
from sklearn.linear_model import LogisticRegression, SGDClassifier, SGDRegressor  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.svm import LinearSVC  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

from littlestone.interop import river as on_river  # noqa: E402
from littlestone.interop import sklearn as on_sklearn  # noqa: E402
from littlestone.interop.models_as_experts import forecasts  # noqa: E402


def ours(facades):
    """The names of those that stand for learners of the package, and not for those of other test files."""
    return sorted(n for n, c in facades.items() if c._learner.__module__.startswith("littlestone."))


ESTIMATORS = ours(on_sklearn.estimators())
MODELS = ours(on_river.models())
# The facades are one class each, whatever the learner: the checks of scikit-learn and River (some seconds each) go
# over one of each kind here, and over all of them with `make facades`.
KINDS = {
    "AveragedPerceptronClassifier", "KernelPerceptronClassifier", "LogisticClassifier", "OGDRegressor",
    "OnlineLinearClassifier", "OnlineLinearRegressor", "SoftmaxClassifier", "Winnow2Classifier",
}  # fmt: skip
EACH = bool(os.environ.get("LITTLESTONE_EVERY_FACADE"))
ORDER = "twice the weight is not twice the example, for a learner that depends on their order"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": ORDER,
    "check_sample_weight_equivalence_on_sparse_data": ORDER,
}


pytestmark = pytest.mark.usefixtures("plain")


def quick(facade):
    """A facade whose random features, if it has any, are few: hundreds of them take long in plain Python."""
    if "frequencies" in inspect.signature(facade).parameters:
        return functools.partial(facade, frequencies=5)
    return facade


def robust(name):
    """What the checks of scikit-learn ask for: features of any scale, weights a million times apart, noise."""
    known = inspect.signature(on_sklearn.estimators()[name]).parameters
    wanted = {"normalise": True, "variant": "II"}
    return {k: v for k, v in wanted.items() if k in known}


@pytest.fixture
def engine_of(plain, name, monkeypatch):
    """Online-linear runs compiled, as its users have it: in plain Python its rounds take longest."""
    if name.startswith("OnlineLinear"):
        monkeypatch.delenv("LITTLESTONE_ENGINE")


def test_every_linear_and_kernel_learner_is_offered():
    there = {on_sklearn.estimators()[name]._learner.key for name in ESTIMATORS}
    asked = {
        key
        for key, cls in learners().items()
        if cls.__module__.startswith(("littlestone.linear", "littlestone.kernels."))
    }
    assert there >= asked - {"convex"}
    here = [cls for cls in offered() if cls.__module__.startswith("littlestone.")]
    assert {cls.key for cls in here if cls.sparse} == {
        on_river.models()[name]._learner.key for name in MODELS
    }


# scikit-learn.


@pytest.mark.usefixtures("engine_of")
@pytest.mark.parametrize("name", [n for n in ESTIMATORS if EACH or n in KINDS])
def test_scikit_learn_checks_it(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(
            quick(on_sklearn.estimators()[name])(**robust(name)),
            expected_failed_checks=EXPECTED,
            on_skip=None,
            on_fail=None,
        )
    failed = {r["check_name"]: repr(r["exception"]) for r in found if r["status"] == "failed"}
    assert not failed
    assert {r["check_name"] for r in found if r["status"] == "xfail"} <= set(EXPECTED)
    # skipped for scikit-learn's own estimators as well, unless an environment variable is set
    assert {r["check_name"] for r in found if r["status"] == "skipped"} <= {"check_array_api_input"}
    assert sum(r["status"] == "passed" for r in found) > 55


def test_only_special_targets_are_tagged_as_poor():
    """The tag takes the score out of scikit-learn's checks: nobody else may have it."""
    poor = set()
    for name, made in on_sklearn.estimators().items():
        tags = made().__sklearn_tags__()
        if (tags.classifier_tags or tags.regressor_tags).poor_score:
            poor.add(name)
    special = {
        "DNFWinnow",
        "Elimination",
        "EliminationConjunction",
        "Winnow1",
        "Winnow2",
        "WinnowEG",
    }
    assert poor == {f"{name}Classifier" for name in special}


def test_a_learner_that_takes_both_kinds_of_loss_is_there_twice():
    for name in "AdaGrad", "CoinBetting", "OGD", "PassiveAggressive", "ScaleFree":
        assert {f"{name}Classifier", f"{name}Regressor"} <= set(ESTIMATORS)
        assert {f"{name}Classifier", f"{name}Regressor"} <= set(MODELS)


@pytest.mark.parametrize("made", [on_sklearn, on_river], ids=["sklearn", "river"])
def test_a_loss_of_the_other_kind_is_refused(made):
    X, y = make_classification(20, 5, random_state=0)
    for model, said in (
        (made.OGDClassifier(loss="square"), "OGDClassifier learns labels.*see OGDRegressor"),
        (made.OGDRegressor(loss="hinge"), "OGDRegressor learns numbers.*see OGDClassifier"),
    ):
        with pytest.raises(ValueError, match=said):
            model.fit(X, y) if made is on_sklearn else model.learn_one({"a": 1.0}, 1)


def test_a_class_of_ones_own():
    class Mine(on_sklearn.LogisticClassifier):
        pass

    X, y = data("LogisticClassifier")
    assert same_scores(Mine().fit(X, y), on_sklearn.LogisticClassifier().fit(X, y), X)


def test_parameters_are_judged_by_fit_alone():
    model = on_sklearn.OGDClassifier(loss="no such")
    assert not hasattr(model, "predict_proba")
    assert model.__sklearn_tags__().classifier_tags.multi_class is False
    with pytest.raises(ValueError, match="loss must be one of"):
        model.fit([[0.0], [1.0]], [0, 1])


CLASSIFIERS = [name for name in ESTIMATORS if name.endswith("Classifier")]


def written(model):
    """The parameters of an estimator; one that is a learner as it is written, since a copy of a learner is another."""
    return {k: repr(v) if isinstance(v, Learner) else v for k, v in model.get_params().items()}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_it_is_the_learner(name):
    """`fit` is `play` with as many passes; `partial_fit` goes on; dense and sparse agree; coef_ is the line."""
    made = quick(on_sklearn.estimators()[name])
    X, y = data(name)
    model = made(passes=2).fit(X, y)
    live = model.learner_.live
    assert live.t == 2 * len(y)
    other = made().partial_fit(X, y, **({"classes": np.unique(y)} if name in CLASSIFIERS else {}))
    other.partial_fit(X, y)
    assert same_scores(model, other, X)
    again = pickle.loads(pickle.dumps(model))
    assert same_scores(model, again, X)
    assert same_scores(model, copy.deepcopy(model), X)
    assert written(clone(model)) == written(model)
    if model._learner.sparse and not model._learner.boolean:
        assert np.allclose(scores(model, csr_matrix(X)), scores(model, X))


NO_LINE = {
    *("DNFWinnowClassifier", "EliminationClassifier", "EliminationConjunctionClassifier"),
    *("FourierOGDClassifier", "FourierPerceptronClassifier", "KernelOGDClassifier"),
    *("MixtureClassifier", "MixtureRegressor"),
    *(
        "RefittedBoostingClassifier",
        "RefittedBoostingRegressor",
        "RefittedClassifier",
        "RefittedRegressor",
    ),
    "WindowNeighboursClassifier",
    *("MondrianForestClassifier", "MondrianForestRegressor"),
    *("KernelPerceptronClassifier", "OnlineKernelClassifier", "OnlineKernelRegressor"),
    *("OnlineLinearClassifier", "OnlineLinearRegressor"),
    *("VotedPerceptronClassifier", "Winnow1Classifier", "Winnow2Classifier", "WinnowEGClassifier"),
    "PerceptronDisjunctionClassifier",  # a line, but of other features
}
CHOICES = {
    "eta": {"eta": 0.1}, "radius": {"eta": 0.1, "radius": 0.2}, "alpha": {"alpha": 0.1}, "p": {"p": 3.0},
    "normalise": {"normalise": True}, "scale": {"scale": False}, "full": {"full": True},
    "fit_intercept": {"fit_intercept": False},
}  # fmt: skip


@pytest.mark.parametrize("name", ESTIMATORS)
def test_coef_is_the_line(name):
    """X @ coef_.T + intercept_ is the score, with every kind of rate; where there is no line, there is no coef_."""
    made = quick(on_sklearn.estimators()[name])
    X, y = data(name)
    if name in NO_LINE:
        if "Fourier" not in name:
            assert not hasattr(made(passes=1).fit(X[:20], y[:20]), "coef_")
        return
    # within what it learned from: longer values are cut, so that none is extreme
    short, given = X / 100, made().get_params()
    for choice in ({}, *(c for key, c in CHOICES.items() if key in given)):
        model = made(**choice).fit(X, y)
        found = scores(model, short)
        if name in CLASSIFIERS:
            assert model.coef_.shape == (1, 5)
            line = (short @ model.coef_.T + model.intercept_)[:, 0]
        else:
            assert model.coef_.shape == (5,)
            line = short @ model.coef_ + model.intercept_
        assert model.intercept_.shape == (1,)
        assert np.abs(found).max() > 0
        assert np.allclose(line, found, rtol=1e-9, atol=1e-9 * np.abs(found).max()), choice


@pytest.mark.parametrize("name", ["Softmax", "MulticlassPerceptron", "MulticlassPassiveAggressive"])
def test_coef_has_a_row_a_class(name):
    X, y = make_classification(90, 5, n_informative=4, n_redundant=0, n_classes=3, random_state=0)
    model = on_sklearn.estimators()[f"{name}Classifier"]().fit(X, np.array(["a", "b", "c"])[y])
    assert model.coef_.shape == (3, 5)
    assert model.intercept_.shape == (3,)
    line = X / 100 @ model.coef_.T + model.intercept_
    assert np.allclose(line, model.decision_function(X / 100), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "name", [n for n in ESTIMATORS if "Classifier" in n and "Fourier" not in n]
)
def test_predictions_are_those_of_the_learner(name):
    """Also at a score of 0, where Winnow says yes."""
    rng = np.random.default_rng(0)
    X = (rng.random((60, 6)) < 0.3).astype(float)
    y = (X[:, 0] + X[:, 3] > 0).astype(int)
    model = on_sklearn.estimators()[name](passes=1).fit(X, y)
    assert np.array_equal(model.predict(X), model.learner_.live.many(X)[1])
    found = model.decision_function(X)
    assert np.array_equal(found > 0, model.predict(X) == 1)


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
        model.partial_fit(np.tile([[-1.0, -1.0]], (60, 1)), np.array(["c"] * 60))
        assert model.predict([[-1.0, -1.0]]).tolist() == ["c"], name
        assert sorted(model.classes_) == ["a", "b", "c"]


def test_classes_are_sorted_whenever_they_came():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]] * 20)
    y = np.array(["n", "z", "a"] * 20)
    early = y != "a"
    for name in "SoftmaxClassifier", "OnlineLinearClassifier", "MulticlassPerceptronClassifier":
        model = on_sklearn.estimators()[name]().partial_fit(X[early], y[early]).partial_fit(X, y)
        assert model.classes_.tolist() == ["a", "n", "z"]
        assert model.predict(X[:3]).tolist() == ["n", "z", "a"], name
        found = model.decision_function(X[:3])
        assert found.argmax(axis=1).tolist() == [1, 2, 0]
        if hasattr(model, "coef_"):
            assert np.allclose(X[:3] @ model.coef_.T + model.intercept_, found)


def test_the_second_of_two_classes_may_come_later():
    X = np.array([[1.0, 0.0], [0.0, 1.0]] * 20)
    y = np.array(["yes", "no"] * 20)
    for name in "PerceptronClassifier", "LogisticClassifier", "KernelPerceptronClassifier":
        model = on_sklearn.estimators()[name]().partial_fit(X[:1], y[:1])
        assert model.classes_.tolist() == ["yes"]
        assert model.predict(X[:2]).tolist() == ["yes", "yes"]
        model.partial_fit(X, y)
        assert model.classes_.tolist() == ["no", "yes"]
        assert model.predict(X[:2]).tolist() == ["yes", "no"]
        assert model.decision_function(X[:1])[0] > 0 > model.decision_function(X[1:2])[0]
        if hasattr(model, "coef_"):
            assert model.coef_[0, 0] > 0 > model.coef_[0, 1]
        with pytest.raises(
            ValueError, match="tells two classes apart, 'no', 'yes'; y has 'so', too"
        ):
            model.partial_fit(X[:1], ["so"])
        with pytest.raises(ValueError, match="only one class: 'yes'"):
            model.fit(X[:1], y[:1])


def test_classes_that_change_are_refused():
    X, y = np.eye(2), np.array(["a", "b"])
    for name in "PerceptronClassifier", "SoftmaxClassifier":
        model = on_sklearn.estimators()[name]().partial_fit(X, y, classes=["a", "b"])
        with pytest.raises(ValueError, match="is not the same as on the last call to partial_fit"):
            model.partial_fit(X, y, classes=["a", "c"])
        with pytest.raises(ValueError, match="y has classes that `classes` has not: 'b'"):
            on_sklearn.estimators()[name]().partial_fit(X, y, classes=["a", "c"])
        assert model.partial_fit(X, y, classes=["b", "a"]).classes_.tolist() == ["a", "b"]
    assert model.partial_fit(X, y, classes=["a", "b", "c"]).decision_function(X).shape == (2, 3)


def test_examples_that_are_refused_leave_no_class_behind():
    X, y = np.eye(2), np.array(["a", "b"])
    model = on_sklearn.SoftmaxClassifier().partial_fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="row 2, column '0': feature is 1e\\+200"):
        model.partial_fit([[0.0, 1.0], [1e200, 0.0]], ["a", "c"])
    assert model.classes_.tolist() == ["a", "b"]
    assert np.array_equal(model.predict_proba(X), before)
    assert model.partial_fit(X, y).classes_.tolist() == ["a", "b"]


def test_examples_are_not_copied():
    X = np.random.default_rng(0).normal(size=(20, 3))
    assert np.shares_memory(on_sklearn.examples(X), X)
    sparse = csr_matrix(X)
    rows = on_sklearn.examples(sparse)
    assert np.shares_memory(rows.index, sparse.indices)
    assert np.shares_memory(rows.value, sparse.data)
    before = sparse.copy()
    on_sklearn.Winnow2Classifier(passes=1).fit(sparse, X[:, 0] > 0)
    assert (before != sparse).nnz == 0


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


@pytest.mark.usefixtures("engine_of")
@pytest.mark.parametrize("name", [n for n in MODELS if EACH or n in KINDS])
def test_river_checks_it(name):
    model = quick(on_river.models()[name])(**robust(name))
    count = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for check in checks.yield_checks(model):
            check(model.clone())
            count += 1
    assert count > 20


@pytest.mark.parametrize("name", MODELS)
def test_learn_many_is_the_loop_of_learn_one(name):
    made = quick(on_river.models()[name])
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(20, 3)), columns=list("abc"))
    y = pd.Series(rng.random(20) > 0.5 if name.endswith("Classifier") else rng.normal(size=20))
    many, single = made(), made()
    many.learn_many(X, y)
    for x, one in zip(X.to_dict("records"), y, strict=True):
        single.learn_one(x, one)
    assert store.to_bytes(many._live) == store.to_bytes(single._live)
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


def test_one_label_alone():
    """Probabilities sum to 1 when only one class was met, and no label is made up."""
    for name in "PerceptronClassifier", "LogisticClassifier", "SoftmaxClassifier":
        for y in "ripe", 1, 7:
            model = on_river.models()[name]()
            model.learn_one({"a": 1.0}, y)
            assert model.predict_proba_one({"a": -1.0}) == {y: 1.0}
            assert model.predict_one({"a": -1.0}) == y
    model = on_river.LogisticClassifier()
    model.learn_one({"a": 1.0}, True)
    assert set(model.predict_proba_one({"a": 1.0})) == {True, False}


def test_many_at_once():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(30, 3)), columns=list("abc"), index=range(100, 130))
    y = pd.Series(np.where(X["a"] > 0, "up", "down"), index=X.index)
    w = pd.Series(np.linspace(0.5, 2.0, 30), index=X.index)
    for name in "LogisticClassifier", "SoftmaxClassifier", "PerceptronClassifier":
        made = quick(on_river.models()[name])
        many, single = made(), made()
        many.learn_many(X, y, w)
        for x, one, h in zip(X.to_dict("records"), y, w, strict=True):
            single.learn_one(x, one, h)
        assert store.to_bytes(many._live) == store.to_bytes(single._live)
        p = many.predict_proba_many(X)
        assert sorted(p.columns) == ["down", "up"]
        assert p.index.equals(X.index)
        assert p.to_dict("records") == [single.predict_proba_one(x) for x in X.to_dict("records")]
        assert sorted(many.predict_proba_many(X[:0]).columns) == ["down", "up"]


def test_a_value_that_is_missing_is_absent():
    gone = {"a": 1.0, "b": float("nan"), "c": pd.NA, "d": None}
    for name in "LogisticClassifier", "Winnow2Classifier":
        made = quick(on_river.models()[name])
        with_, without = made(), made()
        with_.learn_one(gone, True)
        without.learn_one({"a": 1.0}, True)
        assert store.to_bytes(with_._live) == store.to_bytes(without._live)
        assert with_.predict_proba_one(gone) == without.predict_proba_one({"a": 1.0})
        with pytest.raises(ls.BadInput, match="feature 'a' must be a number or text"):
            with_.learn_one({"a": []}, True)
    with pytest.raises(ls.BadInput, match="feature 'a' is inf"):
        on_river.LogisticClassifier().learn_one({"a": float("inf")}, True)


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


def test_classifiers_forecast_the_mean_of_their_classes():
    X, y = make_classification(120, 4, random_state=0)
    batch = LogisticRegression().fit(X[:60], 2 * y[:60] - 1)
    one = DummyClassifier().fit(X[:2], [0, 0])
    stream = forecasts({"batch": batch, "one": one}, X[60:], 2 * y[60:] - 1, batch=20)
    advice = np.concatenate([b.x for b in stream.batches])
    assert np.allclose(advice[:, 0], 2 * batch.predict_proba(X[60:])[:, 1] - 1)
    assert (advice[:, 1] == 0.0).all()  # it knows one class only, and that is 0


def test_labels_of_two_classes():
    X, y = make_classification(120, 4, random_state=0)
    named = np.array(["no", "yes"])[y]
    models = {
        "batch": LogisticRegression().fit(X[:60], named[:60]),
        "labels": LinearSVC().fit(X[:60], named[:60]),
        "fresh": SGDClassifier(loss="log_loss", random_state=0),
        "two": linear_model.LogisticRegression(),
        "more": tree.HoeffdingTreeClassifier(),
        "always": lambda x: "yes",
    }
    batches = list(forecasts(models, X[60:], named[60:], batch=20).batches)
    advice = np.concatenate([b.x for b in batches])
    assert np.array_equal(np.concatenate([b.y for b in batches]), y[60:])
    assert np.array_equal(advice[:, 0], models["batch"].predict_proba(X[60:])[:, 1])
    assert np.array_equal(advice[:, 1], models["labels"].predict(X[60:]) == "yes")
    assert np.isnan(advice[:20, 2]).all()  # it sleeps until it has learned
    assert np.isfinite(advice[20:]).all()
    assert (advice[:, 5] == 1.0).all()
    with pytest.raises(ls.BadInput, match="y has 3 labels, 'a', 'b', 'c'"):
        forecasts({"zero": lambda x: 0.0}, X[:3], ["a", "b", "c"])
    with pytest.raises(
        ls.BadInput, match=r"model 'batch' failed in round 1: .*class 'no', and y has numbers"
    ):
        list(forecasts({"batch": models["batch"]}, X, y).batches)


def test_a_pipeline_that_ends_in_a_regressor():
    X, y = make_regression(60, 3, random_state=0)
    model = preprocessing.StandardScaler() | linear_model.LinearRegression()
    advice = np.concatenate([b.x for b in forecasts({"pipe": model}, X, y).batches])
    assert len(set(advice[:, 0])) > 50


def test_sparse_examples_and_missing_outcomes():
    X, y = make_classification(60, 4, random_state=0)
    y = np.where(np.arange(60) % 7 == 3, np.nan, y)
    found = []
    for some in X, csr_matrix(X), pd.DataFrame(X, columns=list("0123")):
        models = {"sk": SGDClassifier(loss="log_loss", random_state=0), "river": linear_model.LogisticRegression(),
                  "f": lambda x: 0.5}  # fmt: skip
        run = ls.play("hedge", forecasts(models, some, y, batch=20))
        assert np.isfinite(run.experts.L).all()
        advice = np.concatenate([b.x for b in forecasts(models, some, y, learn=False).batches])
        found.append(advice[:, 1:])  # scikit-learn's SGD takes smaller steps on sparse data
    assert np.allclose(found[0], found[1])
    assert np.allclose(found[0], found[2])


class _Faulty:
    def __init__(self, what):
        self.what = what

    def predict(self, X):
        return self.what(len(X))


def _broken(n):
    raise RuntimeError("out of order")


def test_a_model_that_fails_is_named():
    X, y = make_regression(30, 2, random_state=0)
    calm = {"calm": lambda x: 0.0}
    for model, said in (
        (_Faulty(_broken), "model 'bad' failed in round 1: RuntimeError: out of order"),
        (
            lambda x: _broken(1) if x[0] == X[17, 0] else 0.0,
            "model 'bad' failed in round 18: RuntimeError",
        ),
        (_Faulty(lambda n: np.zeros(n - 1)), "model 'bad', from round 1: 10 forecasts are needed"),
        (_Faulty(lambda n: np.full(n, np.inf)), "row 1, column 'bad': advice is inf"),
        (LogisticRegression(), "model 'bad' is not fitted: fit it first"),
        (SGDRegressor, "models: 'bad' is the class SGDRegressor; make one of it"),
    ):
        with pytest.raises(ls.BadInput, match=said):
            ls.play("ml-poly", forecasts({"bad": model, **calm}, X, y, batch=10))
    run = ls.play(
        "ml-poly", forecasts({"nan": _Faulty(lambda n: np.full(n, np.nan)), **calm}, X, y)
    )
    assert np.isfinite(run.predictions).all()  # it sleeps


def test_what_is_no_set_of_models_or_examples_is_refused():
    X, y = make_regression(30, 2, random_state=0)
    calm = {"calm": lambda x: 0.0}
    for models, some, truth, batch, said in (
        (SGDRegressor(), X, y, 10, "models must be a dict or a list of them, not a SGDRegressor"),
        (calm, iter(X), y, 10, "X must be a matrix, a frame or a list of examples"),
        (calm, X, y[:, None], 10, "y must have one outcome a row"),
        (calm, X, y, 1.5, "batch must be a whole number"),
    ):
        with pytest.raises(ls.BadInput, match=said):
            forecasts(models, some, truth, batch=batch)


@pytest.mark.parametrize("name", ["KernelOGDClassifier", "FourierOGDClassifier"])
def test_river_probabilities_of_a_drawn_label_are_the_chances_of_the_draw(name):
    rng, model = np.random.default_rng(0), on_river.models()[name]()
    for x in rng.normal(size=(40, 2)):
        model.learn_one(dict(enumerate(x)), bool(x[0] > 0))
    grid = ({0: v, 1: 0.1} for v in np.linspace(-2, 2, 200).tolist())
    x = next(x for x in grid if 0.1 < abs(model.live.ask_score(x)) < 0.7)
    p, score = model.predict_proba_one(x), model.live.ask_score(x)
    assert p[True] == pytest.approx(np.clip((1 + score) / 2, 0, 1))
    assert p[False] == 1 - p[True]
    assert 0 < p[True] < 1
    said = []
    for t in range(400):  # a draw is a function of the round
        model.live.t = 1000 + t
        said.append(model.predict_one(x))
    assert np.mean(said) == pytest.approx(p[True], abs=0.1)
