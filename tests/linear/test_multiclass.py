"""Several classes: theorems under attack, worked steps, later classes, scale, extreme examples."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.core.learner import measure_symbols
from littlestone.core.outcome import Outcome
from littlestone.games import Shape
from littlestone.linear import multiclass_perceptron, softmax
from littlestone.linear.multiclass_passive_aggressive import MulticlassPassiveAggressive
from littlestone.linear.multiclass_perceptron import MulticlassPerceptron
from littlestone.linear.perceptron import Perceptron
from littlestone.linear.softmax import Softmax


@pytest.fixture(autouse=True)
def engine(monkeypatch):
    """The generic suites compare the engines."""
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")


class Played:
    """A learner's rounds, by its rules alone."""

    def __init__(self, learner, X, y, K, h=None):
        self.X, self.y, self.learner = np.asarray(X, float), np.asarray(y, int), learner
        self.h = np.ones(len(self.y)) if h is None else np.asarray(h, float)
        self.shape, params = Shape(self.X.shape[1], classes=K), learner.params
        self.state, self.scores = learner.begin(self.shape), []
        for x, yt, ht in zip(self.X, self.y, self.h, strict=True):
            s = params.decide(self.state, x)
            self.scores.append(s.copy())
            self.state = params.learn(self.state, x, s, Outcome(float(yt), float(ht)))
        self.scores = np.array(self.scores)

    def right(self, S):
        return np.take_along_axis(S, np.broadcast_to(self.y[:, None], (*S.shape[:-1], 1)), -1)[
            ..., 0
        ]

    def log_loss(self, S):
        top = S.max(-1, keepdims=True)
        return (np.log(np.exp(S - top).sum(-1)) + top[..., 0] - self.right(S)) @ self.h

    def hinge(self, S):
        others = np.where(np.arange(S.shape[-1]) == self.y[:, None], -np.inf, S)
        return np.maximum(0.0, 1.0 - self.right(S) + others.max(-1)) @ self.h

    def ratios(self, U, weaken=1.0):
        """For each theorem: the largest measured/bound over all matrices U; more than 1 breaks it."""
        game, found = self.learner.game(False), {}
        s, M = (
            measure_symbols(self.learner, game, self.shape),
            np.zeros(len(self.learner.diagnostics)),
        )
        self.learner.params.write_diagnostics(self.state, M)
        S = np.einsum("td,udk->utk", self.X, U)
        s.__dict__.update(
            zip(self.learner.diagnostics, M.tolist(), strict=True), U2=(U**2).sum((1, 2)), Rinf=np.abs(self.X).max(),
            H=self.hinge(S), even=bool((self.h == 1).all()), lightest=self.h.min(), weightiest=self.h.max(),
        )  # fmt: skip
        for g in self.learner.guarantees:
            if any(a.check(s) is not None for a in g.assumptions):
                continue
            bound = np.broadcast_to(np.asarray(g.bound(s), float), s.U2.shape)
            if g.measures == "regret":
                value = self.log_loss(self.scores) - self.log_loss(S)
            else:
                value = np.full(len(U), getattr(s, g.measures))
            broken = value > weaken * bound + 1e-9 * (1 + np.abs(value))
            assert not broken.any(), (
                g.id,
                self.learner,
                self.X.tolist(),
                self.y.tolist(),
                U[np.argmax(broken)],
            )
            found[g.id] = float(np.max(value / np.maximum(bound, 1e-9)))
        return found


def attacks(seed=0, n=40):
    """All short sequences of labels, and few different rounds in blocks, at one scale or several."""
    rng = np.random.default_rng(seed)
    for y in itertools.product(range(3), repeat=4):
        U = rng.choice([-1.0, 0.0, 1.0], size=(60, 1, 3)) * rng.choice(
            [0.1, 0.5, 1.0, 3.0], size=(60, 1, 1)
        )
        yield [[1.0]] * 4, y, 3, U, None
    for r in range(n):
        d, K, rows = int(rng.integers(1, 4)), int(rng.integers(2, 4)), int(rng.integers(1, 4))
        pool = rng.choice([-1.0, 0.0, 1.0, 0.5, 2.0], size=(rows, d))
        pool *= rng.choice(((1.0,), (1e-3, 1.0, 50.0), (1e-6, 1e6))[r % 3], size=d)
        if r % 7 == 0:
            pool[0] *= 1e3
        order = np.repeat(rng.integers(0, rows, 12), rng.choice([1, 1, 2, 3, 9], 12))[
            : (3, 10, 40)[r % 3]
        ]
        X = pool[order]
        y = rng.integers(0, K, len(order)) if r % 3 == 0 else rng.integers(0, K, rows)[order]
        U = rng.choice([-1.0, 0.0, 1.0], size=(100, d, K)) * rng.choice(
            [0.1, 0.5, 1.0, 3.0, 10.0], size=(100, 1, 1)
        )
        sizes = np.abs(X).max(0)
        U = np.concatenate(
            [U, U / np.where(sizes > 0, sizes, 1.0)[None, :, None], np.zeros((1, d, K))]
        )
        yield X, y, K, U, rng.choice([0.1, 1.0, 5.0], len(order)) if r % 4 == 1 else None


def attained(make, weaken=1.0):
    worst = {}
    for X, y, K, U, h in attacks():
        for name, ratio in Played(make(), X, y, K, h).ratios(U, weaken).items():
            worst[name] = max(worst.get(name, 0.0), ratio)
    return worst


LEARNERS = {
    "softmax": (lambda: Softmax(normalise=True), 0.7),
    "softmax falling": (lambda: Softmax(), 0.5),
    "softmax eta": (lambda: Softmax(eta=0.5), 0.9),
    "perceptron": (lambda: MulticlassPerceptron(normalise=True), 0.9),
    "perceptron printed": (lambda: MulticlassPerceptron(), 0.99),
    "pa 0": (lambda: MulticlassPassiveAggressive(variant="0", normalise=True), 0.7),
    "pa I": (lambda: MulticlassPassiveAggressive(variant="I", normalise=True), 0.9),
    "pa II": (lambda: MulticlassPassiveAggressive(variant="II", normalise=True), 0.8),
    "pa 0 printed": (lambda: MulticlassPassiveAggressive(variant="0"), 0.9),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_no_stream_beats_the_theorem(name):
    """For every matrix of a sample; the worst case comes close to the bound, so that a smaller one would be broken."""
    make, close = LEARNERS[name]
    assert max(attained(make).values()) >= close


@pytest.mark.parametrize("name", ["softmax", "perceptron printed", "pa I"])
def test_half_a_bound_is_broken(name):
    with pytest.raises(AssertionError, match=r"T-"):
        attained(LEARNERS[name][0], weaken=0.5)


def test_a_learner_with_a_bug_is_caught(monkeypatch):
    right = softmax.errors
    with monkeypatch.context() as m:  # as if the next class had come
        m.setattr(softmax, "errors", lambda s, e, y: right(s, e, (y + 1) % len(s)))
        with pytest.raises(AssertionError, match="T-SOFTMAX"):
            attained(LEARNERS["softmax eta"][0])
    with monkeypatch.context() as m:  # learns from the first class whatever it did
        m.setattr(multiclass_perceptron, "rival", lambda s, y: 0 if y else 1)
        m.setattr(multiclass_perceptron, "transfer", lambda *_: None)
        with pytest.raises(AssertionError, match="T-MULTI-PERC"):
            attained(LEARNERS["perceptron printed"][0])


# Worked steps.


def sample(T=150, d=4, K=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(T, d))
    return X, np.argmax(X[:, :K] + 0.3 * rng.normal(size=(T, K)), axis=1)


def test_softmax_as_printed():
    X, y = sample()
    W = np.zeros((4, 3))
    for x, yt in zip(X, y, strict=True):
        P = np.exp(x @ W - (x @ W).max())
        P /= P.sum()
        P[yt] -= 1.0
        W -= 0.3 * np.outer(x, P)
    assert pytest.approx(W) == Played(Softmax(eta=0.3), X, y, 3).state.W


def test_softmax_in_units_by_hand():
    """G = 1/2 + |(2, -1, -1)|^2 / 9, and the rate is 0.4 times 3 classes."""
    state = Played(Softmax(normalise=True), [[1.0]], [0], 3).state
    assert state.W[0] == pytest.approx(np.array([2, -1, -1]) / 3 * 1.2 / math.sqrt(1 / 2 + 2 / 3))


def test_two_classes_are_a_perceptron():
    """W_1 - W_0 is twice the weights of the perceptron that counts a tie as a mistake."""
    X, y = sample(K=2)
    two = Played(MulticlassPerceptron(), X, y, 2)
    learner = Perceptron()
    params, state = learner.params, learner.begin(Shape(4))
    for x, yt in zip(X, 2.0 * y - 1.0, strict=True):
        state = params.learn(state, x, params.decide(state, x), Outcome(yt, 1.0))
    assert two.state.W[:, 1] - two.state.W[:, 0] == pytest.approx(2 * state.w)
    assert two.state.updates == state.updates


def test_perceptron_in_units_by_hand():
    """Every score ties: class 1 gives way to 0, 0 to 1, 0 to 2."""
    state = Played(MulticlassPerceptron(), [(1, 0), (0, 1), (1, 1)], [0, 1, 2], 3).state
    assert state.W.tolist() == [[0, -1, 1], [-2, 1, 1]]


def test_passive_aggressive_leads_its_rival_by_one_after_a_step():
    X, y = sample(20)
    for x, yt in zip(X, y, strict=True):
        W = Played(MulticlassPassiveAggressive(variant="0"), [x], [yt], 3).state.W
        s = x @ W
        assert s[yt] - s.min() == pytest.approx(1.0)  # over the rival, the only one that moved
        limited = Played(MulticlassPassiveAggressive(variant="I", C=1e-3), [x], [yt], 3).state.W
        assert limited[:, yt] == pytest.approx(min(1e-3, 1 / (2 * x @ x)) * x)


def test_passive_aggressive_in_units_by_hand():
    """2 |x|^2 + 1/(2C) = 7: tau = loss/7. In the third round the rival is class 2."""
    state = Played(
        MulticlassPassiveAggressive(variant="II", normalise=True),
        [(1, 0), (0, 1), (1, 0), (0, 1)],
        [0, 1, 0, 2],
        3,
    ).state
    assert (
        pytest.approx(np.array([(13 / 49, -1 / 7, -6 / 49), (-1 / 7, 1 / 7 - 8 / 49, 8 / 49)]))
        == state.W
    )


def test_importance():
    for make, C in (
        (Softmax, {}),
        (MulticlassPassiveAggressive, {"variant": "I", "C": 1e-3}),
        (MulticlassPerceptron, {}),
    ):
        once, twice = [
            np.abs(Played(make(**C), [[1.0]], [0], 3, [h]).state.W).sum() for h in (1.0, 2.0)
        ]
        assert once < twice, make
    one, two = [Played(MulticlassPerceptron(), [[1.0]], [0], 3, [h]).state.W for h in (1.0, 2.0)]
    assert two == pytest.approx(2 * one)


# Classes and features that come later.

KEYS = ["softmax", "multiclass-perceptron", "multiclass-passive-aggressive"]


@pytest.mark.parametrize("key", KEYS)
def test_one_class_teaches_nothing(key):
    learner = ls.learner(key)
    for _ in range(5):
        learner.update([1.0, 2.0], "a")
    assert not learner.state.W.any()
    assert learner.predict([1.0, 2.0]) == "a"


@pytest.mark.parametrize("key", KEYS)
def test_a_class_and_a_feature_that_come_later(key):
    """Known from the start or not: the weights end up the same."""
    X, y = sample(200)
    X[:100, 3] = 0.0
    y[:60] = np.minimum(y[:60], 1)
    late, early = ls.learner(key), Played(ls.learner(key), X, y, 3)
    seen = y[:60].tolist()
    if seen.index(0) > seen.index(1):  # names are coded as they come
        X, y = X[seen.index(0) :], y[seen.index(0) :]
        early = Played(ls.learner(key), X, y, 3)
    for x, yt in zip(X, y, strict=True):
        late.update({f"f{i}": v for i, v in enumerate(x) if v}, int(yt))
    found = late.state.W[:4]
    right = [np.argmax(x @ found) == yt for x, yt in zip(X[-100:], y[-100:], strict=True)]
    assert found.shape == (4, 3)
    assert np.mean(right) > 0.7
    assert np.mean(np.argmax(early.scores, 1)[-100:] == y[-100:]) == pytest.approx(
        np.mean(right), abs=0.15
    )


# Scale.


def scaled(key):
    return ls.learner(key, normalise=True, **({"variant": "II"} if "aggressive" in key else {}))


@pytest.mark.parametrize("key", KEYS)
def test_no_unit_matters(key):
    X, y = sample(80)
    scales = 2.0 ** np.array([-20, 0, 20, 5])  # powers of 2 round alike
    assert Played(scaled(key), X * scales, y, 3).scores == pytest.approx(
        Played(scaled(key), X, y, 3).scores, rel=1e-6, abs=1e-12
    )


@pytest.mark.parametrize("where", [0, 1, 200])
@pytest.mark.parametrize("key", KEYS)
def test_one_extreme_example_is_forgotten(key, where):
    X, y = sample(500)
    alone = (Played(scaled(key), X, y, 3).scores.argmax(1) == y)[-200:].mean()
    for bad in ([1e12, 1e12, -1e12, 1e12], [0.3, 1e12, -0.2, 0.1]):
        run = Played(scaled(key), np.insert(X, where, bad, 0), np.insert(y, where, 2), 3)
        assert np.isfinite(run.scores).all()
        assert (run.scores.argmax(1)[-200:] == y[-200:]).mean() >= alone - 0.06


def test_as_printed_it_is_not_forgotten():
    X, y = sample(500)
    bad = np.insert(X, 200, [1e12, 1e12, -1e12, 1e12], 0), np.insert(y, 200, 2)
    for learner in (MulticlassPerceptron(), Softmax(eta=0.1)):
        run = Played(learner, *bad, 3)
        assert (run.scores.argmax(1)[-200:] == y[-200:]).mean() < 0.75


def test_probabilities_of_any_size():
    run = Played(Softmax(eta=1.0), [[1e150], [1e150], [-1e150]], [0, 1, 2], 3)
    assert np.isfinite(run.scores).all()


def test_losses_are_refused():
    for key in KEYS:
        with pytest.raises(BadInput, match=f"{key} needs examples and outcomes"):
            ls.learner(key).game(True)
