"""A user of River: a stream of dicts, a progressive score, experts, a bandit, and back from a file."""

import pickle

import numpy as np
import pytest

pytest.importorskip("river")

from river import evaluate, linear_model, metrics, preprocessing, tree

import littlestone as ls
from littlestone.interop.models_as_experts import forecasts
from littlestone.interop.river import (
    BanditPolicy,
    ExpertsRegressor,
    OnlineLinearClassifier,
    OnlineLinearRegressor,
)

pytestmark = pytest.mark.usefixtures("plain")


def trips(rows=400):
    rng = np.random.default_rng(3)
    for i in range(rows):
        km, rush = float(rng.gamma(2.0, 3.0)), bool(rng.random() < 0.3)
        minutes = 2.0 * km * (2.0 if rush else 1.0) * (1.5 if i > rows // 2 else 1.0) + rng.normal()
        yield {"km": km, "rush": float(rush), "city": "Rome" if i % 3 else "Oslo"}, float(minutes)


def test_a_stream_from_the_first_dict_to_a_file(tmp_path):
    # 1. a model in place of another: no scaler, text as it is
    model = OnlineLinearRegressor()
    score = evaluate.progressive_val_score(trips(), model, metrics.MAE())
    usual = preprocessing.StandardScaler() | linear_model.LinearRegression()
    numbers = ((({k: v for k, v in x.items() if k != "city"}), y) for x, y in trips())
    assert score.get() < evaluate.progressive_val_score(numbers, usual, metrics.MAE()).get()

    # 2. models as experts: the mixture is about as good as the best of them
    def models():
        return [OnlineLinearRegressor(), tree.HoeffdingTreeRegressor(), usual.clone()]

    def plain():
        return ((({k: v for k, v in x.items() if k != "city"}), y) for x, y in trips())

    mixed = ExpertsRegressor(models())
    of_mixture = evaluate.progressive_val_score(plain(), mixed, metrics.MSE()).get()
    each = [evaluate.progressive_val_score(plain(), m, metrics.MSE()).get() for m in models()]
    assert of_mixture < 1.2 * min(each)
    assert mixed.weights.sum() == pytest.approx(1.0)

    # 3. the same with a certificate
    X, y = map(list, zip(*plain(), strict=True))
    run = ls.play("tracker", forecasts(models(), X, y))
    assert run.certificate.verdict == "kept"
    assert run.mean_loss == pytest.approx(of_mixture, rel=1e-6)

    # 4. why, by name; and back from a pickle
    why = model.live.learner.replace().attach(model.live).explain({"km": 30.0, "rush": 1.0})
    assert why.effects[0].feature == "km"
    again = pickle.loads(pickle.dumps(mixed))
    assert again.predict_one(X[0]) == mixed.predict_one(X[0])


def test_labels_come_and_go():
    model, metric = OnlineLinearClassifier(), metrics.Accuracy()
    for i, (x, minutes) in enumerate(trips()):
        label = "long" if minutes > 20 else "short"
        if i > 5:
            metric.update(label, model.predict_one(x))
        model.learn_one(x, label)
    assert metric.get() > 0.85
    assert sum(model.predict_proba_one({"km": 3.0}).values()) == pytest.approx(1.0)


def test_a_bandit_chooses_which_page_to_show():
    rng = np.random.default_rng(0)
    policy, shown = BanditPolicy("thompson"), []
    for _ in range(400):
        page = policy.pull(["old", "new"])
        policy.update(page, float(rng.random() < (0.6 if page == "new" else 0.2)))
        shown.append(page)
    assert shown[200:].count("new") > 150
    assert policy.ranking == ["new", "old"]
