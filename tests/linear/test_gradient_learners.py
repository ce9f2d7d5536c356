"""Gradient descent and its relatives: theorems under attack, worked steps, scale, extreme examples."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.special import betaln

import littlestone as ls
from littlestone.core import losses
from littlestone.core.errors import BadInput
from littlestone.core.learner import measure_symbols
from littlestone.core.outcome import Outcome
from littlestone.engine.memory import copy
from littlestone.games import Shape
from littlestone.linear.adagrad import AdaGrad
from littlestone.linear.arow import AROW
from littlestone.linear.coin_betting import CoinBetting
from littlestone.linear.ftrl_proximal import FTRLProximal
from littlestone.linear.logistic import Logistic
from littlestone.linear.normalized_adaptive import NormalizedAdaptive
from littlestone.linear.ogd import OGD
from littlestone.linear.online_newton import OnlineNewton
from littlestone.linear.parts import descent, feature_rates, implicit, rates
from littlestone.linear.parts.units import Units, fit, second, unseen
from littlestone.linear.passive_aggressive import PassiveAggressive
from littlestone.linear.perceptron import Perceptron
from littlestone.linear.scale_free import KAPPA, ScaleFree


@pytest.fixture(autouse=True)
def engine(monkeypatch):
    """The generic suites compare the engines."""
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")


class Played:
    """A learner's rounds, by its rules alone; y may be a function of the score."""

    def __init__(self, learner, X, y, h=None):
        self.X = np.asarray(X, float)
        self.game, shape = learner.game(False), Shape(self.X.shape[1])
        self.learner = learner.tuned(shape, self.game)
        self.shape, params = shape, self.learner.params
        self.h = np.ones(len(self.X)) if h is None else np.asarray(h, float)
        self.state, self.scores, self.y, self.states = self.learner.begin(shape), [], [], []
        for t, x in enumerate(self.X):
            p = params.decide(self.state, x)
            yt = float(y(p)) if callable(y) else float(y[t])
            self.scores.append(float(p))
            self.y.append(yt)
            self.state = params.learn(self.state, x, p, Outcome(yt, float(self.h[t])))
            self.states.append(copy(self.state))
        self.scores, self.y = np.array(self.scores), np.array(self.y)

    @property
    def w(self):
        s = self.state
        if isinstance(self.learner, Logistic):
            printed = self.learner.eta or self.learner.radius
            s = s.ball if printed else s.own
        return s.w * getattr(s, "c", 1.0)

    def loss(self, scores):
        """The total loss of each row of scores, written down once more."""
        y, name = self.y, type(self.game.loss).__name__
        tau = getattr(self.game.loss, "quantile", 0.5)
        e, short = y - scores, np.maximum(0.0, 1.0 - y * scores)
        return {
            "Hinge": short, "SquaredHinge": short**2, "PerceptronLoss": np.maximum(0.0, -y * scores),
            "Logistic": np.logaddexp(0.0, -y * scores), "Square": e**2, "Absolute": np.abs(e),
            "Pinball": np.maximum(tau * e, (tau - 1.0) * e),
        }[name] @ self.h  # fmt: skip

    def symbols(self, U):
        s, M = (
            measure_symbols(self.learner, self.game, self.shape),
            np.zeros(len(self.learner.diagnostics)),
        )
        self.learner.params.write_diagnostics(self.state, M)
        U = np.atleast_2d(U)
        scores, squares = U @ self.X.T, (self.X**2).sum(1)
        hinge = np.maximum(0.0, 1.0 - self.y * scores)
        zero = 2 * getattr(self.game, "zero", 1) - 1
        wrong = np.where(self.scores == 0, zero, np.sign(self.scores)) != self.y
        s.__dict__.update(
            zip(self.learner.diagnostics, M.tolist(), strict=True),
            T=len(self.y), R2=squares.max(), Rinf=np.abs(self.X).max(), U2=(U**2).sum(1), U1=np.abs(U).sum(1),
            H=hinge @ self.h, H2=hinge**2 @ self.h, Q=(scores**2).sum(1), L=self.loss(scores),
            even=bool((self.h == 1).all()), mistakes=float(wrong @ self.h),
            lightest=self.h.min(), weightiest=self.h.max(),
        )  # fmt: skip
        return s

    def ratios(self, U, weaken=1.0):
        """For each theorem that is about the run: the largest measured/bound over all u; more than 1 breaks it."""
        s, found = self.symbols(U), {}
        own = float(self.loss(self.scores[None])[0])
        for g in self.learner.guarantees:
            about = not g.delayed and (g.when is None or g.when(s))  # nothing is late here
            if not about or any(a.check(s) is not None for a in g.assumptions):
                continue
            bound = np.broadcast_to(np.asarray(g.bound(s), float), s.L.shape)
            assert not np.isnan(bound).any(), (g.id, vars(s))
            measured_ = own - s.L if g.measures == "regret" else getattr(s, g.measures)
            slack = 1e-9 * (1.0 + abs(own) + s.L)
            broken = measured_ - slack > weaken * bound
            at = int(np.argmax(broken))
            what = (g.id, self.learner, U[at], np.broadcast_to(measured_, s.L.shape)[at], bound[at])
            assert not broken.any(), (*what, self.X.tolist(), self.y.tolist())
            found[g.id] = float(np.max(measured_ / np.maximum(bound, 1e-9)))
        return found


def grid(d):
    corners = np.array(list(itertools.product((-1.0, 0.0, 1.0), repeat=d)))
    return np.unique(np.concatenate([c * corners for c in (0, 0.01, 0.1, 0.5, 1, 3, 20)]), axis=0)


def against(score):
    """ADV-FLIP."""
    return -1.0 if score > 0 else 1.0


def attacks(numbers=False, seed=0, n=18, scales=((1.0,), (1e-3, 1.0, 50.0), (1e-6, 1e6))):
    """Few different rounds in blocks, at one scale or several, some of them extreme; and all short sequences."""
    rng = np.random.default_rng(seed)
    if not numbers:
        for X in ([[1.0]], [[1.0, 1.0], [1.0, -1.0]]):
            for y in itertools.product((-1.0, 1.0), repeat=4):
                yield [X[t % len(X)] for t in range(4)], list(y), grid(len(X[0])), None
    for r in range(n):
        d, rows, scale = int(rng.integers(1, 3)), int(rng.integers(1, 4)), scales[r % len(scales)]
        pool = rng.choice([-1.0, 0.0, 1.0, 0.5, 2.0], size=(rows, d)) * rng.choice(scale, size=d)
        if r % 5 == 0:
            pool[0] *= 1e3
        order = np.repeat(rng.integers(0, rows, 12), rng.choice([1, 1, 2, 3, 9], 12))[
            : (3, 10, 30)[r % 3]
        ]
        X = pool[order]
        if numbers:
            y = rng.choice([0.0, 1.0, -2.0, 10.0], rows)[order] * rng.choice([1.0, 100.0])
            y = y + rng.normal(size=len(y)) * (r % 3 == 0)
        else:
            y = against if r % 3 == 0 else rng.choice([-1.0, 1.0], rows)[order]
        sizes = np.abs(X).max(0)
        U = grid(d)
        U = np.concatenate([U, U / np.where(sizes > 0, sizes, 1.0), 10 * U])
        h = rng.choice([0.1, 1.0, 5.0], len(X)) if r % 4 == 1 else None
        yield X, y, U, h


def attained(make, numbers=False, **options):
    worst = {}
    for X, y, U, h in attacks(numbers, **options):
        for name, ratio in Played(make(), X, y, h).ratios(U).items():
            worst[name] = max(worst.get(name, 0.0), ratio)
    return worst


CLASSIFIERS = {
    "ogd": (lambda: OGD(normalise=True), 0.9),
    "ogd falling": (lambda: OGD(), 0.5),
    "ogd falling implicit": (lambda: OGD(loss="logistic", implicit=True), 0.5),
    "ogd falling conservative": (lambda: OGD(conservative=True), 0.4),
    "ogd eta": (lambda: OGD(eta=0.3), 0.99),
    "ogd logistic": (lambda: OGD(loss="logistic", normalise=True), 0.5),
    "ogd squared-hinge": (lambda: OGD(loss="squared-hinge", eta=0.3), 0.7),
    "ogd perceptron": (lambda: OGD(loss="perceptron", eta=2.0), 0.9),
    "ogd implicit": (lambda: OGD(implicit=True, normalise=True), 0.7),
    "ogd implicit eta": (lambda: OGD(loss="logistic", implicit=True, eta=0.5), 0.9),
    "ogd ball": (lambda: OGD(radius=1.0), 0.8),
    "ogd ball eta": (lambda: OGD(radius=1.0, eta=0.5), 0.99),
    "ogd ball implicit": (lambda: OGD(radius=2.0, implicit=True), 0.8),
    "ogd conservative": (lambda: OGD(conservative=True, normalise=True), 0.4),
    "ogd conservative eta": (lambda: OGD(conservative=True, eta=0.5), 0.99),
    "logistic": (lambda: Logistic(normalise=True), 0.7),
    "logistic falling": (lambda: Logistic(), 0.5),
    "logistic eta": (lambda: Logistic(eta=0.5), 0.9),
    "logistic ball": (lambda: Logistic(radius=1.0), 0.8),
    "adagrad": (lambda: AdaGrad(loss="hinge", normalise=True), 0.9),
    "adagrad unset": (lambda: AdaGrad(loss="hinge"), 0.9),
    "adagrad eta": (lambda: AdaGrad(eta=0.5), 0.9),
    "normalized-adaptive": (lambda: NormalizedAdaptive(), 0.7),
    "normalized-adaptive squared-hinge": (lambda: NormalizedAdaptive(loss="squared-hinge"), 0.6),
    "ftrl": (lambda: FTRLProximal(normalise=True), 0.6),
    "ftrl unset": (lambda: FTRLProximal(l1=0.0), 0.5),
    "ftrl alpha": (lambda: FTRLProximal(loss="hinge", alpha=0.5, beta=0.0, l1=1.0, l2=0.5), 0.9),
    "newton": (lambda: OnlineNewton(normalise=True), 0.9),
    "newton squared-hinge": (
        lambda: OnlineNewton(loss="squared-hinge", a=1.0, limit=2.0, normalise=True),
        0.8,
    ),
    "pa 0": (lambda: PassiveAggressive(variant="0", normalise=True), 0.9),
    "pa I": (lambda: PassiveAggressive(variant="I", normalise=True), 0.9),
    "pa II": (lambda: PassiveAggressive(variant="II", normalise=True), 0.9),
    "pa I printed": (lambda: PassiveAggressive(variant="I", C=1.0), 0.99),
    "pa II printed": (lambda: PassiveAggressive(variant="II", C=1.0), 0.9),
    "arow": (lambda: AROW(normalise=True), 0.8),
    "arow full": (lambda: AROW(full=True, normalise=True), 0.99),
    "newton printed": (lambda: OnlineNewton(), 0.5),
    "newton squared-hinge printed": (
        lambda: OnlineNewton(loss="squared-hinge", a=1.0, limit=2.0),
        0.5,
    ),
    "pa 0 printed": (lambda: PassiveAggressive(), 0.9),
    "arow printed": (lambda: AROW(), 0.5),
    "arow full printed": (lambda: AROW(full=True), 0.9),
    "coin": (lambda: CoinBetting(), 0.25),
    "coin hinge": (lambda: CoinBetting(loss="hinge", wealth=0.01), 0.6),
    "scale-free": (lambda: ScaleFree(), 0.2),
    "scale-free hinge": (lambda: ScaleFree(loss="hinge", wealth=100.0), 0.3),
}
REGRESSORS = {
    "ogd square": (lambda: OGD(loss="square", normalise=True), 0.4),
    "ogd absolute": (lambda: OGD(loss="absolute", implicit=True, normalise=True), 0.5),
    "ogd absolute falling": (lambda: OGD(loss="absolute"), 0.3),
    "newton square printed": (lambda: OnlineNewton(loss="square", a=1.0), 0.5),
    "ftrl square unset": (lambda: FTRLProximal(loss="square"), 0.3),
    "ogd pinball eta": (lambda: OGD(loss="pinball:0.8", eta=0.1), 0.9),
    "adagrad square": (lambda: AdaGrad(loss="square", normalise=True), 0.3),
    "normalized-adaptive square": (lambda: NormalizedAdaptive(loss="square"), 0.3),
    "normalized-adaptive pinball": (lambda: NormalizedAdaptive(loss="pinball:0.8"), 0.3),
    "ftrl square": (lambda: FTRLProximal(loss="square", normalise=True), 0.3),
    "newton square": (lambda: OnlineNewton(loss="square", normalise=True), 0.9),
    "pa": (
        lambda: PassiveAggressive(loss="absolute", epsilon=0.1, variant="II", normalise=True),
        0.6,
    ),
    "pa I printed": (
        lambda: PassiveAggressive(loss="absolute", variant="I"),
        0.9,
    ),
    "coin": (lambda: CoinBetting(loss="absolute"), 0.3),
    "scale-free": (lambda: ScaleFree(loss="absolute"), 0.3),
}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_no_labels_beat_the_theorem(name):
    """For every u of a grid; and the worst case comes close to the bound, so that a smaller one would be broken."""
    make, close = CLASSIFIERS[name]
    assert max(attained(make).values()) >= close


@pytest.mark.parametrize("name", REGRESSORS)
def test_no_numbers_beat_the_theorem(name):
    make, close = REGRESSORS[name]
    assert max(attained(make, True).values()) >= close


def test_half_a_bound_is_broken():
    def every(make):
        for X, y, U, h in attacks():
            Played(make(), X, y, h).ratios(U, weaken=0.5)

    for name in ("ogd", "adagrad", "normalized-adaptive", "pa II printed", "arow full", "newton"):
        with pytest.raises(AssertionError, match=r"T-"):
            every(CLASSIFIERS[name][0])


def unpaid(state, i, G, scale):
    """New rates, without what the bound pays for them."""
    return unpaid.__wrapped__(state, i, G, scale)[0], 0.0, 0.0, 0.0


unpaid.__wrapped__ = feature_rates.rate
BUGS = {
    "a step in the wrong direction": (
        "normalized-adaptive", rates, "aware", lambda k, q, p, y, s: 2 * p - implicit.aware(k, q, p, y, s)
    ),
    "rates that fall for nothing": ("ogd", descent, "pay", lambda *_: None),
    "rates of a feature that fall for nothing": ("normalized-adaptive", feature_rates, "rate", unpaid),
    "bets that are too large": ("coin hinge", CoinBetting.Params, "bet", lambda self, theta, S: 1.9 * theta / S),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_a_learner_with_a_bug_is_caught(bug, monkeypatch):
    name, module, function, wrong = BUGS[bug]
    monkeypatch.setattr(module, function, wrong)
    with pytest.raises(AssertionError, match=r"T-"):
        attained(CLASSIFIERS[name][0])


# Worked steps.


@pytest.mark.parametrize(("m", "regret"), [(1, 1), (4, 1.5), (25, 3), (100, 5.5)])
def test_x_ogd(m, regret):
    run = Played(OGD(eta=1 / math.sqrt(m)), [[1.0]] * m, [1.0] * m)
    assert run.loss(run.scores[None])[0] == pytest.approx(regret)  # u = 1 loses nothing
    assert run.ratios(np.array([[1.0]]))["T-OGD"] <= 1.0
    assert regret <= math.sqrt(m)


def test_e_ogd_anyu():
    """At a rate tuned to U = 0.1 the regret to u = 1 exceeds U R sqrt(m) = 1, and not what T-OGD says of u = 1."""
    run = Played(OGD(eta=0.1 / 10), [[1.0]] * 100, [1.0] * 100)
    assert run.loss(run.scores[None])[0] == pytest.approx(50.5)
    assert run.ratios(np.array([[1.0]]))["T-OGD"] == pytest.approx(50.5 / (50 + 0.5))


def test_e_prox():
    """lambda = 0.1 is eta = 5: the printed step goes to 5, the minimiser is 1."""
    assert Played(OGD(eta=5.0, implicit=True), [[1.0]], [1]).w.tolist() == [1.0]
    assert Played(OGD(eta=5.0), [[1.0]], [1]).w.tolist() == [5.0]


def sample(T=120, d=4, seed=0, noise=0.3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(T, d))
    s = X @ np.arange(1.0, d + 1)
    return (
        X,
        np.where(s + noise * rng.normal(size=T) > 0, 1.0, -1.0),
        s + noise * rng.normal(size=T),
    )


def test_conservative_ogd_is_the_perceptron():
    X, y, _ = sample()
    ours = Played(OGD(conservative=True, eta=0.1), X, y)
    theirs = Played(Perceptron(), X, y)
    assert ours.w == pytest.approx(0.1 * theirs.w)
    assert ours.state.updates == theirs.state.updates


def test_implicit_ogd_with_the_hinge_loss_is_passive_aggressive():
    X, y, numbers = sample()
    pa = PassiveAggressive(variant="I", C=0.2)
    assert Played(OGD(eta=0.2, implicit=True), X, y).w == pytest.approx(Played(pa, X, y).w)
    pa = PassiveAggressive(variant="I", C=0.2, loss="absolute")
    ogd = OGD(eta=0.2, implicit=True, loss="absolute")
    assert Played(ogd, X, numbers).w == pytest.approx(Played(pa, X, numbers).w)


def test_projection_onto_the_ball():
    """Against projected gradient descent as it is printed, which projects all weights in every round."""
    X, y, _ = sample()
    run, w = Played(Logistic(radius=0.7, eta=0.5), X, y), np.zeros(4)
    for x, yt in zip(X, y, strict=True):
        w = w + 0.5 * yt / (1 + math.exp(yt * (w @ x))) * x
        w *= min(1.0, 0.7 / np.linalg.norm(w))
    assert run.w == pytest.approx(w)
    free = Played(OGD(radius=0.7, loss="logistic"), X, y)
    for some in (run, free):
        last = [s.ball if isinstance(some.learner, Logistic) else s for s in some.states]
        assert max(np.linalg.norm(s.c * s.w) for s in last) <= 0.7 + 1e-12


def test_the_rate_in_a_ball():
    """Gradients of length 1, 1, 1: eta = sqrt(2) radius / sqrt(updates)."""
    run = Played(OGD(radius=10.0), np.eye(3), [1, 1, 1])
    assert run.w == pytest.approx([math.sqrt(2) * 10 / math.sqrt(t) for t in (1, 2, 3)], abs=10)
    small = Played(OGD(radius=0.1), np.eye(3), [1, 1, 1])
    assert np.linalg.norm(small.w) == pytest.approx(0.1)


def test_lazy_scaling_does_not_run_out_of_digits():
    """Every round shrinks the ball's weights a little: c would underflow after 10^5 of them."""
    learner = OGD(radius=1.0, eta=1e3)
    params, state = learner.params, learner.begin(Shape(2))
    for t in range(200):
        x = np.array([1.0, 0.0]) if t % 2 else np.array([0.0, 1.0])
        y = -1.0 if params.decide(state, x) > 0 else 1.0
        state = params.learn(state, x, params.decide(state, x), Outcome(y, 1.0))
    assert state.c > 1e-101
    assert np.linalg.norm(state.c * state.w) == pytest.approx(1.0)


def test_adagrad_as_printed():
    X, y, _ = sample()
    w, G = np.zeros(4), np.zeros(4)
    for x, yt in zip(X, y, strict=True):
        g = -yt / (1 + math.exp(yt * (w @ x))) * x
        G += g * g
        w -= 0.3 * g / np.sqrt(G)
    assert Played(AdaGrad(eta=0.3), X, y).w == pytest.approx(w)


def test_ftrl_proximal_as_printed():
    X, y, _ = sample()
    alpha, beta, l1, l2 = 0.3, 1.0, 0.7, 0.1
    z, n, w = np.zeros(4), np.zeros(4), np.zeros(4)
    for x, yt in zip(X, y, strict=True):
        w = np.where(
            np.abs(z) <= l1, 0, -(z - np.sign(z) * l1) / ((beta + np.sqrt(n)) / alpha + l2)
        )
        g = -yt / (1 + math.exp(yt * (w @ x))) * x
        # McMahan et al. (2013) leave beta out of the first sigma: with w = 0 there it changes nothing
        sigma = (np.sqrt(n + g * g) - np.sqrt(n)) / alpha
        z, n = z + g - sigma * w, n + g * g
    w = np.where(np.abs(z) <= l1, 0, -(z - np.sign(z) * l1) / ((beta + np.sqrt(n)) / alpha + l2))
    run = Played(FTRLProximal(alpha=alpha, beta=beta, l1=l1, l2=l2), X, y)
    assert run.w == pytest.approx(w)


def test_ftrl_proximal_without_penalties_is_adagrad():
    X, y, _ = sample()
    ftrl = FTRLProximal(alpha=0.3, beta=0.0, l1=0.0)
    assert Played(ftrl, X, y).w == pytest.approx(Played(AdaGrad(eta=0.3), X, y).w)


def test_ftrl_proximal_keeps_weights_at_zero():
    """One feature of 30 says something."""
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(300, 30))
    run = Played(FTRLProximal(l1=10.0), X, X[:, 0])
    assert np.flatnonzero(run.w).tolist() == [0]
    assert np.count_nonzero(Played(FTRLProximal(l1=0.0), X, X[:, 0]).w) == 30


def test_the_newton_step_on_squares_is_least_squares():
    """Of all rounds but the first, which brings the features: (a I + 2 X'X) w = 2 X'y for features of unit 1."""
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(40, 3))
    y = X @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=40)
    y[:2] = 3.0  # the unit: nothing is cut
    run = Played(OnlineNewton(loss="square", a=4.0, normalise=True), X, y)
    w = np.linalg.solve(4.0 * np.eye(3) + 2 * X[1:].T @ X[1:], 2 * X[1:].T @ y[1:])
    assert run.w == pytest.approx(w)


def test_the_newton_step_pulls_as_units_grow():
    """The penalty a unit^2 w^2 / 2 follows the unit, as if it had always been there."""
    X, y = np.array([[1.0], [1.0], [2.0], [2.0], [1.0]]), np.array([2.0, 2.0, 3.0, 3.0, 2.0])
    run = Played(OnlineNewton(loss="square", a=1.0, normalise=True), X, y)
    assert run.state.units.q == pytest.approx([0.5])
    assert run.w == pytest.approx([2 * X[1:, 0] @ y[1:] / (4.0 + 2 * X[1:, 0] @ X[1:, 0])])


def test_curvature_is_below_the_loss():
    for which, loss in (
        (implicit.LOGISTIC, losses.Logistic()), (implicit.SQUARED_HINGE, losses.SquaredHinge()),
        (implicit.SQUARE, losses.Square()),
    ):  # fmt: skip
        from littlestone.linear.online_newton import curvature

        for far, p, y in itertools.product((0.5, 2.0, 10.0), np.linspace(-1, 1, 9), (-1.0, 1.0)):
            H = curvature(which, far * p, y, far)
            for s in far * np.linspace(-1, 1, 21):
                tangent = loss.at(far * p, y) + loss.slope(far * p, y) * (s - far * p)
                assert loss.at(s, y) >= tangent + 0.5 * H * (s - far * p) ** 2 - 1e-12


def test_full_arow_is_ridge_regression_on_its_updates():
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(40, 3))
    y = np.where(X @ [1.0, 2.0, 0.0] + rng.normal(size=40) > 0, 1.0, -1.0)
    run = Played(AROW(full=True, r=2.0, normalise=True), X, y)
    learned = np.flatnonzero(np.diff([0, *[s.updates for s in run.states]]))
    assert len(learned) < 39
    A, b = X[learned], y[learned]
    assert run.w == pytest.approx(np.linalg.solve(np.eye(3) + A.T @ A / 2, A.T @ b / 2))


def test_passive_aggressive_satisfies_the_round():
    """Variant 0 ends on the margin; C limits the step of I; II stops short."""
    X, y, _ = sample()
    for x, yt in zip(X[:20], y[:20], strict=True):
        free, one, two = [
            Played(PassiveAggressive(variant=v, C=0.01), [x], [yt]).w for v in ("0", "I", "II")
        ]
        assert yt * (free @ x) == pytest.approx(1.0)
        assert one == pytest.approx(min(0.01, 1 / (x @ x)) * yt * x)
        assert two == pytest.approx(yt * x / (x @ x + 50))


# Bets.


@pytest.mark.parametrize("cls", [CoinBetting, ScaleFree])
def test_wealth_is_what_was_won_and_never_below_its_potential(cls):
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0, 0.5, 0.1], size=(200, 2))
    X[:2] = 1.0  # the units
    y = np.where(X[:, 0] + rng.normal(size=200) > 0, 1.0, -1.0)
    y[150:] *= -1  # the bets turn bad
    run = Played(cls(wealth=2.0), X, y)
    won = np.zeros(2)
    w = np.zeros(2)
    for x, yt, s in zip(X, y, run.states, strict=True):
        g = -yt / (1 + math.exp(yt * (w @ x)))
        won -= g * x * w
        w = s.w.copy()
        start = 2.0 / math.sqrt(2)
        assert pytest.approx(start + won) == s.W
        if cls is CoinBetting:
            G = s.S - 1
            potential = (
                G * math.log(2)
                + betaln((G + s.theta + 1) / 2, (G - s.theta + 1) / 2)
                - math.log(math.pi)
            )
        else:
            z = np.abs(s.theta) / np.sqrt(s.S)
            potential = np.where(z <= 1, z * z / 4, z / 2 - 0.25) - KAPPA * np.log(s.S)
        assert (np.log(s.W / start) >= potential - 1e-9).all()


# Steps that never overshoot.


@pytest.mark.parametrize("cls", implicit.KINDS)
def test_proximal_steps_minimise(cls):
    rng = np.random.default_rng(0)
    loss = cls(quantile=0.8) if cls is losses.Pinball else cls()
    for _ in range(60):
        p, s = rng.normal() * 10 ** rng.uniform(-1, 1.5), 10 ** rng.uniform(-3, 3)
        y = rng.choice([-1.0, 1.0])
        q = implicit.proximal(implicit.KINDS[cls], 0.8, p, y, s)

        def objective(v, p=p, y=y, s=s):
            return loss.at(v, y) + (v - p) ** 2 / (2 * s)

        for near in (1e-4, 1e-2, 1.0):
            assert objective(q) <= min(objective(q - near), objective(q + near)) + 1e-9


@pytest.mark.parametrize("cls", [c for c in implicit.KINDS if c is not losses.PerceptronLoss])
def test_importance_aware_steps_are_many_small_ones(cls):
    rng = np.random.default_rng(0)
    loss = cls(quantile=0.8) if cls is losses.Pinball else cls()
    for _ in range(15):
        p, s, y = rng.normal() * 3, 10 ** rng.uniform(-2, 0.7), rng.choice([-1.0, 1.0])
        q = p
        for _ in range(4000):
            q -= s / 4000 * loss.slope(q, y)
        assert implicit.aware(implicit.KINDS[cls], 0.8, p, y, s) == pytest.approx(q, abs=5e-3)


def test_the_logistic_path_is_solved_at_any_size():
    for m, s in itertools.product(
        (-1e6, -800, -31, -29, 0, 5, 35, 37, 1e5), (0, 1e-9, 1, 1e6, 1e300)
    ):
        z = implicit.climb(m, s)
        assert math.isfinite(z)
        assert z >= m
        if -30 < m < 38 and s < 1e8:
            assert z + math.exp(z) == pytest.approx(m + math.exp(m) + s, rel=1e-13)
        assert m <= implicit.soft(m, s) <= m + s


def test_the_logistic_path_is_exact_from_either_start():
    """Steps of up to 1/2 begin from a series, longer ones from the tangent or from a logarithm."""
    for m, d in itertools.product((-20.0, -3.0, 0.0, 2.0, 20.0, 36.5), (1e-7, 1e-3, 0.2, 0.6, 3.0)):
        s = d + math.exp(m) * math.expm1(d)
        assert implicit.climb(m, s) - m == pytest.approx(d, rel=1e-12, abs=1e-14 * abs(m))


# Units.


def test_units_are_second_largest_values():
    u = unseen(1)
    seen, units = [3.0, 1.0, 2.0, 5.0, 4.0, 1e12, 6.0], []
    for a in seen:
        if u.q[0] < 0 or a * u.q[0] > 1:
            fit(u, 0, a)
        units.append(1 / abs(u.q[0]))
    assert units == pytest.approx([3, 3, 3, 3, 4, 4.4, 6])  # 1e12 is not believed
    low, most = 0.0, 0.0
    for a in seen:
        low, most = second(low, most, a)
    assert (low, most) == pytest.approx((6.0, 1e12))


def test_an_extreme_first_value_is_not_the_unit():
    u = Units(np.array([-1.0]), np.zeros(1))
    assert fit(u, 0, 1e12) == 0.0
    assert fit(u, 0, 2.0) == pytest.approx(1e12 / 2)
    assert u.q[0] == 0.5


def test_many_extreme_values_do_little():
    u = unseen(1)
    for a in (1.0, 1.0, *[1e12, 1.0] * 6):
        if u.q[0] < 0 or a * u.q[0] > 1:
            fit(u, 0, a)
    assert 1 / u.q[0] == pytest.approx(1.1**5)


def test_the_third_far_value_in_a_row_doubles_the_unit():
    """Two tell nothing, ten that nothing else comes between are what values are like."""
    for one_number in (False, True):
        u, low, most, units = unseen(1), 0.0, 0.0, []
        for a in (1.0, 1.0, 1e12, 1e12, 1e12, 1e12, 0.5, 1e12, *[1e-12] * 3, 1e12):
            if u.q[0] < 0 or a * u.q[0] > 1:
                fit(u, 0, a)
            low, most = second(low, most, a)
            units.append(low if one_number else 1 / abs(u.q[0]))
        assert [abs(unit) for unit in units] == pytest.approx(
            [1, 1, 1, 1.1, 2.2, 4.4, 4.4, 4.84, 4.84, 4.84, 4.84, 5.324]
        )


DEFAULTS = {
    "ogd": lambda: OGD(normalise=True),
    "ogd implicit": lambda: OGD(implicit=True, normalise=True),
    "ogd logistic": lambda: OGD(loss="logistic", normalise=True),
    "ogd squared-hinge": lambda: OGD(loss="squared-hinge", normalise=True),
    "logistic": lambda: Logistic(normalise=True),
    "adagrad": lambda: AdaGrad(normalise=True),
    "normalized-adaptive": lambda: NormalizedAdaptive(),
    "normalized-adaptive squared-hinge": lambda: NormalizedAdaptive(loss="squared-hinge"),
    "ftrl-proximal": lambda: FTRLProximal(normalise=True),
    "online-newton": lambda: OnlineNewton(normalise=True),
    "passive-aggressive": lambda: PassiveAggressive(variant="II", normalise=True),
    "arow": lambda: AROW(normalise=True),
    "arow full": lambda: AROW(full=True, normalise=True),
    "coin-betting": lambda: CoinBetting(),
    "scale-free": lambda: ScaleFree(),
}
NUMBERS = {
    "ogd": lambda: OGD(loss="square", normalise=True),
    "ogd absolute": lambda: OGD(loss="absolute", normalise=True),
    "adagrad": lambda: AdaGrad(loss="square", normalise=True),
    "normalized-adaptive": lambda: NormalizedAdaptive(loss="square"),
    "normalized-adaptive absolute": lambda: NormalizedAdaptive(loss="absolute"),
    "ftrl-proximal": lambda: FTRLProximal(loss="square", normalise=True),
    "online-newton": lambda: OnlineNewton(loss="square", normalise=True),
    "passive-aggressive": lambda: PassiveAggressive(loss="absolute", variant="II", normalise=True),
    "coin-betting": lambda: CoinBetting(loss="absolute"),
    "scale-free": lambda: ScaleFree(loss="absolute"),
}
BAD = {  # an extreme example: everywhere, or in one feature
    "all": np.array([1e12, -1e12, 1e12, 1e12]),
    "one": np.array([0.3, 1e12, -0.2, 0.1]),
}


@pytest.mark.parametrize("name", [*DEFAULTS, *[f"{name} (numbers)" for name in NUMBERS]])
def test_no_unit_matters(name):
    """Features multiplied by constants, 10^12 apart: every score stays the same."""
    X, y, numbers = sample(60)
    make = DEFAULTS.get(name) or NUMBERS[name.removesuffix(" (numbers)")]
    y = y if name in DEFAULTS else numbers
    scales = 2.0 ** np.array([-20, 0, 20, 5])  # powers of 2 round alike
    assert Played(make(), X * scales, y).scores == pytest.approx(
        Played(make(), X, y).scores, rel=1e-6
    )


@pytest.mark.parametrize("name", NUMBERS)
def test_the_unit_of_the_outcomes_does_not_matter(name):
    X, _, y = sample(60)
    small, large = (Played(NUMBERS[name](), X, y * c).scores / c for c in (2.0**-30, 2.0**30))
    assert small == pytest.approx(large, rel=1e-6)


@pytest.mark.parametrize("where", [0, 1, 200])
@pytest.mark.parametrize("name", DEFAULTS)
def test_one_extreme_example_is_forgotten(name, where):
    X, y, _ = sample(400)
    alone = (np.sign(Played(DEFAULTS[name](), X, y).scores) == y)[-150:].mean()
    for bad in BAD.values():
        wrong = -np.sign(bad @ np.arange(1.0, 5.0))
        run = Played(DEFAULTS[name](), np.insert(X, where, bad, 0), np.insert(y, where, wrong))
        assert np.isfinite(run.scores).all()
        assert (np.sign(run.scores[-150:]) == y[-150:]).mean() >= alone - 0.05


@pytest.mark.parametrize("where", [0, 1, 200])
@pytest.mark.parametrize("name", NUMBERS)
def test_one_extreme_number_is_forgotten(name, where):
    X, _, y = sample(400)
    alone = np.abs(Played(NUMBERS[name](), X, y).scores - y)[-150:].mean()
    for bad, outcome in ((BAD["all"], 1.0), (BAD["one"], 1.0), (X[0], 1e12), (X[0], -1e12)):
        run = Played(NUMBERS[name](), np.insert(X, where, bad, 0), np.insert(y, where, outcome))
        assert np.isfinite(run.scores).all()
        assert np.abs(run.scores[-150:] - y[-150:]).mean() <= 1.5 * alone + 0.2


def test_without_units_an_extreme_example_is_not_forgotten():
    """What the test above would say of the printed rules."""
    X, y, _ = sample(400)
    for learner, where in ((OGD(eta=0.1), 200), (AdaGrad(eta=0.1), 0)):
        bad = np.insert(X, where, BAD["all"], 0), np.insert(y, where, -1.0)
        run = Played(learner, *bad)
        assert (np.sign(run.scores[-150:]) == y[-150:]).mean() < 0.8


# Importance.


def test_importance_is_length():
    """Twice the importance moves further, and for the hinge loss just twice as far."""
    scaled = (AdaGrad, {"normalise": True})
    for make, more in (scaled, (NormalizedAdaptive, {}), (CoinBetting, {}), (ScaleFree, {})):
        X = np.array([[1.0, 0.5]])
        scores = [
            abs(Played(make(loss="hinge", **more), [*X, *X], [1, 1], [h, 1]).scores[1])
            for h in (0.25, 0.5, 1.0)
        ]
        assert scores[0] < scores[1] < scores[2], make
    steps = [Played(OGD(eta=0.1), [[1.0]], [1], [h]).w[0] for h in (1.0, 2.0)]
    assert steps == pytest.approx([0.1, 0.2])
    pa = [Played(PassiveAggressive(variant="I", C=0.1), [[1.0]], [1], [h]).w[0] for h in (1.0, 2.0)]
    assert pa == pytest.approx([0.1, 0.2])


# Refusals.


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: OGD(loss="log").game(False), "ogd: loss must be one of hinge"),
        (lambda: OGD(loss="square", conservative=True).game(False), "conservative is for two classes"),
        (lambda: OGD(loss="perceptron", implicit=True).game(False), "never leaves w = 0"),
        (lambda: OnlineNewton(loss="hinge").game(False), "online-newton: loss must be one of squared-hinge"),
        (lambda: PassiveAggressive(loss="square").game(False), "passive-aggressive: loss must be one of hinge, abs"),
        (lambda: CoinBetting(loss="square").game(False), "coin-betting: loss must be one of hinge"),
        (lambda: OnlineNewton().begin(Shape(5000)), "online-newton keeps 5,000 x 5,000 numbers"),
        (lambda: AROW(full=True).begin(Shape(5000)), "arow: a full matrix over 5,000 coordinates"),
        (lambda: Logistic().game(True), "logistic needs examples and outcomes"),
        (lambda: OGD(eta=0), "ogd: eta must be a number in"),
    ],
)  # fmt: skip
def test_refusals(make, says):
    with pytest.raises(BadInput, match=says):
        make()


# Real text.


def test_no_worse_than_vw_on_its_own_text(data_dir):
    """Progressive log loss of `vw --loss_function logistic`, 9.11: 0.429393."""
    rows, y = [], []
    for line in (data_dir / "rcv1_small.vw").read_text(encoding="utf-8").splitlines():
        label, _, features = line.partition("|f")
        rows.append(
            {"bias": 1.0}
            | {k: float(v) for k, _, v in (f.partition(":") for f in features.split())}
        )
        y.append(float(label))
    learner, total = NormalizedAdaptive(), 0.0
    for x, yt in zip(rows, y, strict=True):
        total += math.log1p(math.exp(-yt * float(learner.ask(x).decision)))
        learner.update(x, yt)
    assert total / len(y) < 0.4294


def test_through_the_front_door():
    X, y, _ = sample(200)
    run = ls.play("normalized-adaptive", X, y, engine="plain")
    assert run.certificate.verdict == "kept"
    assert run.regret <= run.bound
    assert run.accuracy > 0.85


@pytest.mark.parametrize("key", ["adagrad", "ftrl-proximal", "normalized-adaptive"])
@pytest.mark.parametrize("loss", ["square", "absolute", "pinball:0.7"])
def test_one_enormous_importance_carries_no_score_past_its_outcome(key, loss):
    """A step along the tangent, a million times, left scores a thousand times the outcomes for good."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 3))
    y, h = X @ [1.0, -2.0, 1.5], np.ones(120)
    h[60] = 1e6
    more = {} if key == "normalized-adaptive" else {"normalise": True}
    learner = ls.learner(key, loss=loss, **more)
    run = ls.play(learner, X, y, importance=h, engine="plain")
    after = ls.play(learner, X[:61], y[:61], importance=h[:61], engine="plain")
    score, before = after.learner.predict(X[60]), run.scores[60]
    assert min(before, y[60]) - 1e-9 <= score <= max(before, y[60]) + 1e-9
    assert np.abs(run.scores[61:]).max() <= 5.0 * np.abs(y).max()
    assert "broken" not in {v.verdict for v in run.certificate}


@pytest.mark.parametrize("key", ["adagrad", "ftrl-proximal", "logistic"])
def test_one_enormous_importance_of_a_label_is_not_the_end(key):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 3))
    y, h = np.where(X @ [1.0, -2.0, 1.5] > 0, 1, -1), np.ones(120)
    h[60] = 1e6
    run = ls.play(ls.learner(key, normalise=True), X, y, importance=h, engine="plain")
    assert np.abs(run.scores).max() <= 100.0
    assert "broken" not in {v.verdict for v in run.certificate}
