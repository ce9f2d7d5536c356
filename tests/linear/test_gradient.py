"""Gradient learners: the notes' numbers, errata shown false, streams and scales that try to break them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import littlestone as ls
from littlestone.core.outcome import Outcome
from littlestone.core.registry import learners
from littlestone.games import Shape

LABELS = [
    ("ogd", {}), ("ogd", {"normalise": True}), ("ogd", {"eta": 0.3}),
    ("ogd", {"loss": "logistic", "normalise": True}), ("ogd", {"radius": 2.0}),
    ("ogd", {"loss": "squared-hinge", "implicit": True, "eta": 0.2}),
    ("ogd", {"conservative": True, "normalise": True}), ("logistic", {}), ("logistic", {"normalise": True}),
    ("logistic", {"eta": 0.5}), ("logistic", {"radius": 3.0}), ("adagrad", {}), ("adagrad", {"normalise": True}),
    ("adagrad", {"loss": "hinge", "eta": 1.0}), ("normalized-adaptive", {}), ("ftrl-proximal", {}),
    ("ftrl-proximal", {"normalise": True}), ("ftrl-proximal", {"alpha": 0.5}), ("online-newton", {}),
    ("online-newton", {"normalise": True}), ("passive-aggressive", {"variant": "II", "normalise": True}),
    ("passive-aggressive", {"variant": "I"}), ("passive-aggressive", {}), ("passive-aggressive", {"normalise": True}),
    ("arow", {}), ("arow", {"normalise": True}), ("arow", {"full": True}),
    ("arow", {"full": True, "normalise": True}), ("coin-betting", {}), ("scale-free", {}),
]  # fmt: skip
NUMBERS = [
    ("ogd", {"loss": "square", "normalise": True}), ("ogd", {"loss": "absolute", "normalise": True}),
    ("ogd", {"loss": "pinball:0.9", "normalise": True}), ("adagrad", {"loss": "square", "normalise": True}),
    ("normalized-adaptive", {"loss": "square"}), ("online-newton", {"loss": "square", "normalise": True}),
    ("passive-aggressive", {"loss": "absolute", "variant": "II", "normalise": True}),
    ("ogd", {"loss": "absolute"}), ("adagrad", {"loss": "square"}), ("online-newton", {"loss": "square"}),
]  # fmt: skip
SEVERAL = [
    ("softmax", {}), ("softmax", {"normalise": True}), ("softmax", {"eta": 0.5}), ("multiclass-perceptron", {}),
    ("multiclass-passive-aggressive", {"variant": "II", "normalise": True}), ("multiclass-passive-aggressive", {}),
    ("multiclass-perceptron", {"normalise": True}),
]  # fmt: skip


def named(case):
    return f"{case[0]} {case[1]}" if isinstance(case, tuple) else None


def made(case):
    return learners()[case[0]](**case[1])


def played(learner, X, y, **options):
    return ls.play(learner, np.asarray(X, float), np.asarray(y), engine="plain", **options)


# The notes' numbers.


@pytest.mark.parametrize(
    ("T", "regret"), [(1, 1.0), (4, 1.5), (25, 3.0), (100, 5.5), (10_000, 50.5)]
)
def test_x_ogd(T, regret):
    """X-OGD: x = y = 1, U = R = 1; the comparator u = 1 loses nothing, and T-OGD says sqrt(T)."""
    run = played(
        ls.OGD(loss="hinge", eta=1 / math.sqrt(T)), np.ones((T, 1)), np.ones(T, int), certify=False
    )
    assert run.loss == pytest.approx(regret)
    assert run.loss <= math.sqrt(T) + 1e-9


def test_not_for_any_u():
    """E-OGD-ANYU: with U = 0.1 in the rate, the regret to u = 1 is 50.5, not 1."""
    T, U = 100, 0.1
    run = played(
        ls.OGD(loss="hinge", eta=U / math.sqrt(T)), np.ones((T, 1)), np.ones(T, int), certify=False
    )
    assert run.loss == pytest.approx(50.5)
    assert run.loss > U * math.sqrt(T)
    assert run.loss <= 1 / (2 * 0.01) + 0.01 * T / 2 + 1e-9  # |u|^2/(2 eta) + eta T/2


def test_the_implicit_step_is_not_the_explicit_one():
    """E-PROX: argmin hinge + |w - w_t|^2/(2 eta) stops at the margin; the printed step goes beyond."""
    x, eta = np.array([2.0]), 10.0
    one = ls.OGD(loss="hinge", eta=eta, implicit=True).update(x, 1).state.w[0]
    grid = np.linspace(-1, 30, 310_001)
    best = grid[np.argmin(np.maximum(0, 1 - grid * 2.0) + grid**2 / (2 * eta))]
    assert one == pytest.approx(best, abs=1e-3)
    assert one == pytest.approx(0.5)
    assert ls.OGD(loss="hinge", eta=eta).update(x, 1).state.w[0] == pytest.approx(20.0)


def test_conservative_is_the_perceptron():
    """A-OGD-CONS is A-PERC-UCL with step eta."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=80) > 0, 1, -1)
    a = played(ls.OGD(loss="hinge", eta=0.7, conservative=True), X, y)
    b = played(ls.Perceptron(eta=0.7), X, y)
    assert a.scores == pytest.approx(b.scores, abs=1e-9)


def test_the_round_by_round_lemma():
    """T-OGD-ROUND: an inequality and an identity in every round, for any u."""
    rng = np.random.default_rng(1)
    eta, learner = 0.4, ls.OGD(loss="hinge", eta=0.4)
    params, state = learner.params, learner.begin(Shape(2))
    for _ in range(60):
        x, y, u = rng.normal(size=2), float(rng.choice((-1, 1))), rng.normal(size=2)
        w, p = state.w.copy(), params.decide(state, x)
        state = params.learn(state, x, p, Outcome(y, 1.0))
        z = -y * x * (y * p < 1)
        assert max(0, 1 - y * p) - max(0, 1 - y * (u @ x)) <= (w - u) @ z + 1e-12
        gap = (w - u) @ (w - u) - (state.w - u) @ (state.w - u) + eta**2 * (z @ z)
        assert (w - u) @ z == pytest.approx(gap / (2 * eta), abs=1e-9)


# Theorems.


@pytest.mark.parametrize("case", LABELS + NUMBERS + SEVERAL, ids=named)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_no_stream_beats_the_theorems(case, data):
    """A few examples in blocks; outcomes that oppose the learner, or not; scales apart; an extreme value."""
    learner = made(case)
    game, unit = type(learner.game(False)).__name__, data.draw(st.sampled_from((1.0, 1e-4, 1e4)))
    value = st.sampled_from((-2.0, -1.0, 0.0, 0.5, 1.0, 1e3))
    pool = np.array(data.draw(st.lists(st.tuples(value, value), min_size=1, max_size=3))) * [
        1.0,
        unit,
    ]
    order = data.draw(st.lists(st.tuples(st.integers(0, len(pool) - 1), st.integers(1, 8), st.booleans()),
                               min_size=1, max_size=5))  # fmt: skip
    tuned = learner.tuned(Shape(2, 0, 1.0, 3), learner.game(False))
    params, state = tuned.params, tuned.begin(Shape(2, 0, 1.0, 3))
    X, y = [], []
    for i, times, against in order:
        for _ in range(times):
            d = params.decide(state, pool[i])
            if game == "Classes":
                code = float(np.argmin(d)) if against else 1.0
                label = int(code)
            elif game == "Regression":
                code = label = (-3.0 if d > 0 else 3.0) if against else 1.0
            else:
                code = (-1.0 if d > 0 else 1.0) if against else 1.0
                label = int(code)
            state = params.learn(state, pool[i], d, Outcome(code, 1.0))
            X.append(pool[i])
            y.append(label)
    run = played(learner, X, y)
    for v in run.certificate:
        assert v.verdict != "broken", f"{v}"


@pytest.mark.parametrize("case", LABELS, ids=named)
def test_every_theorem_is_checked_somewhere(case):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2))
    run = played(made(case), X, np.where(X[:, 0] > 0, 1, -1))
    assert "kept" in {v.verdict for v in run.certificate}, str(run.certificate)


@pytest.mark.parametrize("case", [("ogd", {"eta": 0.3}), ("logistic", {"eta": 0.5}), ("passive-aggressive", {}),
                                  ("softmax", {"eta": 0.5}), ("adagrad", {"loss": "hinge", "eta": 1.0})],
                         ids=named)  # fmt: skip
def test_a_planted_bug_is_caught(case, monkeypatch):
    """Steps up the slope instead of down break a theorem."""
    rules = learners()[case[0]].Params
    rule = rules.learn_now  # what a loop calls in the round of the decision
    classes = case[0] == "softmax"

    def wrong(self, state, x, d, f):
        return rule(self, state, x, d, Outcome(1.0 - f.y if classes else -f.y, f.h))

    monkeypatch.setattr(rules, "learn_now", wrong)
    X = np.tile([[1.0, 0.2], [-1.0, 0.1]], (300, 1))
    run = played(made(case), X, np.tile([1, 0 if classes else -1], 300))
    assert "broken" in {v.verdict for v in run.certificate}, str(run.certificate)


# Scale.


DEFAULTS = ["ogd", "logistic", "adagrad", "normalized-adaptive", "ftrl-proximal", "online-newton",
            "passive-aggressive", "arow", "coin-betting", "scale-free", "online-linear"]  # fmt: skip


def scaled(key):
    """The learner that scales features as they come; some do by themselves."""
    made = learners()[key]
    return made(normalise=True) if "normalise" in made().parameters else made()


def stream(T=1500, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(T, 4))
    return X, np.where(X @ [1.0, -1.0, 0.5, 2.0] + 0.2 * rng.normal(size=T) > 0, 1, -1)


@pytest.mark.parametrize("key", DEFAULTS)
def test_scale_does_not_matter(key):
    X, y = stream()
    even = played(scaled(key), X, y, certify=False).accuracy
    apart = played(scaled(key), X * [1e-6, 1.0, 1e3, 1e6], y, certify=False).accuracy
    assert even > 0.88
    assert apart > even - 0.03


@pytest.mark.parametrize("key", DEFAULTS)
def test_one_extreme_example_does_not_poison(key):
    X, y = stream()
    wild = X.copy()
    wild[300] *= 1e12
    quiet = played(scaled(key), X, y, certify=False)
    run = played(scaled(key), wild, y, certify=False)
    late = slice(600, None)
    assert np.isfinite(run.scores[late]).all()  # a class has no score before it first came
    assert (
        np.mean(run.predictions[late] == y[late])
        > np.mean(quiet.predictions[late] == y[late]) - 0.04
    )


def test_l1_makes_weights_sparse():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 30))
    y = np.where(X[:, 0] - X[:, 1] > 0, 1, -1)
    zeros = [
        int(
            (
                played(ls.FTRLProximal(l1=l1, normalise=True), X, y, certify=False).learner.state.w
                == 0
            ).sum()
        )
        for l1 in (0.0, 2.0, 20.0)
    ]
    assert zeros[0] == 0
    assert zeros[0] < zeros[1] <= zeros[2]
