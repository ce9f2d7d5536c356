"""Units of features after values that mislead: tiny ones, extreme ones, and rounds of enormous importance."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.engine import has_numba
from littlestone.linear.units import pull


def test_the_matrix_stays_symmetric_to_the_last_bit_as_units_grow():
    rng = np.random.default_rng(0)
    half = np.eye(6) + 0.5 * rng.normal(size=(6, 6))
    K, w, k = half @ half.T, rng.normal(size=6), np.empty(6)
    assert (K == K.T).all()
    for t in range(60):
        pull(w, K, k, t % 6, 10.0 ** rng.uniform(-2, 1))
    assert (K == K.T).all()
    assert np.linalg.eigvalsh(K).min() > 0.0


@pytest.mark.parametrize("engine", ["plain", "compiled"])
@pytest.mark.parametrize(("loss", "most"), [("square", 0.15), ("squared-hinge", 0.5)])
def test_newton_recovers_from_tiny_beginnings(loss, most, engine):
    if engine == "compiled" and not has_numba():
        pytest.skip("numba is not installed")
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 6))
    y = X @ rng.normal(size=6) + 0.3 * rng.normal(size=400)
    X[:50] *= 1e-9
    if loss != "square":
        y = np.where(y > 0, 1, -1)
    run = ls.play(ls.learner("online-newton", loss=loss), X, y, engine=engine)
    assert np.mean(run.losses[200:]) < most
    K = run.learner.state.K
    assert (K == K.T).all()


SLOW = {"online-newton": {"loss": "logistic"}, "arow": {"full": True}}
KEYS = [
    "ogd", "logistic", "adagrad", "normalized-adaptive", "ftrl-proximal", "passive-aggressive", "coin-betting",
    "scale-free", "multiclass-perceptron", "multiclass-passive-aggressive", "softmax", "online-newton", "arow",
]  # fmt: skip


def separable(seed, T=500):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(T, 4))
    return X, np.where(X @ rng.normal(size=4) > 0, 1, -1)


def errors(key, change):
    """The share of errors in the last 150 rounds, over three samples, as they are and changed."""
    learner, found = ls.learner(key, **SLOW.get(key, {})), []
    for seed in range(3):
        X, y = separable(seed)
        for Z in (X, change(X.copy())):
            run = ls.play(learner, Z, y, engine="plain")
            found.append(np.mean(run.predictions[350:] != y[350:]))
            assert "broken" not in {v.verdict for v in run.certificate}
    return np.mean(found[::2]), np.mean(found[1::2])


@pytest.mark.parametrize("key", KEYS)
def test_a_tiny_first_example_is_soon_forgotten(key):
    """Units that grow by a tenth a round need 290 rounds for 12 decimal places."""

    def tiny(X):
        X[0] *= 1e-12
        return X

    good, found = errors(key, tiny)
    assert found <= good + 0.03


@pytest.mark.parametrize("key", KEYS)
def test_two_extreme_examples_in_a_row_do_little(key):
    def extreme(X):
        X[200:202] *= 1e9
        return X

    good, found = errors(key, extreme)
    assert found <= good + 0.03


WEIGHTED = [
    ("softmax", {}),
    ("logistic", {}), ("adagrad", {"loss": "logistic"}), ("adagrad", {"loss": "perceptron"}),
    ("normalized-adaptive", {"loss": "hinge"}),
    ("normalized-adaptive", {"loss": "perceptron"}), ("normalized-adaptive", {"loss": "square"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("key", "given"), WEIGHTED, ids=lambda v: v if isinstance(v, str) else v.get("loss", "default")
)
def test_one_enormous_importance_does_not_end_learning(key, given):
    """Its squared slope, counted whole, made rates a thousand times smaller for good.

    Later, where the loss has no end, it also takes a score of ln(10^6) back, which may take longer than the run.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    y = X @ [1.0, -2.0, 1.5, 0.5] + 0.3 * rng.normal(size=500)
    if given.get("loss") != "square":
        y = np.where(y > 0, 1, -1)
    lost = []
    for at in (-1, 1) if "logistic" in (key, given.get("loss")) else (-1, 1, 20):
        h = np.ones(500)
        if at >= 0:
            h[at] = 1e6
        run = ls.play(ls.learner(key, **given), X, y, importance=h, engine="plain")
        assert "broken" not in {v.verdict for v in run.certificate}
        wrong = run.losses if given.get("loss") == "square" else run.predictions != y
        lost.append(np.mean(wrong[-200:]))
    assert max(lost[1:]) <= lost[0] + 0.04


@pytest.mark.parametrize("key", ["adagrad", "normalized-adaptive"])
def test_the_perceptron_loss_is_learned_at_any_importance(key):
    """A path along this loss ends at 0, where it also begins: a step beyond is needed."""
    X, y = separable(0, 200)
    run = ls.play(
        ls.learner(key, loss="perceptron"), X, y, importance=2.0 * np.ones(200), engine="plain"
    )
    assert np.mean(run.predictions[100:] != y[100:]) < 0.1


def test_a_whole_importance_is_nearly_so_many_rounds():
    X, y = separable(1, 120)
    twice = ls.play(
        ls.learner("normalized-adaptive"), X, y, importance=2.0 * np.ones(120), engine="plain"
    )
    rounds = ls.play(ls.learner("normalized-adaptive"), X.repeat(2, 0), y.repeat(2), engine="plain")
    one, other = twice.learner.weights, rounds.learner.weights
    assert np.abs(one - other).max() <= 0.1 * np.abs(other).max()
