"""Corners of rules, worked by hand: what happens where a budget, a limit, a cut or rounding begins to matter."""

import copy
import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.outcome import Outcome
from littlestone.core.vectors import Sparse
from littlestone.games import Shape
from littlestone.kernels.learners.expansion import SQUARE, TOP
from littlestone.kernels.learners.expansion import M as SUPPORT
from littlestone.kernels.learners.kernel_gradient import KernelOGD
from littlestone.kernels.learners.kernel_perceptron import KernelPerceptron
from littlestone.linear.arow import AROW
from littlestone.linear.averaged_perceptron import AveragedPerceptron
from littlestone.linear.coin_betting import CoinBetting
from littlestone.linear.eg_plus_minus import EGPlusMinus
from littlestone.linear.ftrl_proximal import FTRLProximal
from littlestone.linear.online_newton import OnlineNewton, curvature
from littlestone.linear.winnow2 import Winnow2
from littlestone.linear.winnow_eg import WinnowEG

pytestmark = pytest.mark.usefixtures("plain")


def played(learner, rounds, n):
    """Copies of the state after each round; a round is x, y and its importance."""
    params, state, found = learner.params, learner.begin(Shape(n)), []
    for x, y, h in rounds:
        x = np.asarray(x, float)
        state = params.learn(state, x, params.decide(state, x), Outcome(float(y), float(h)))
        found.append(copy.deepcopy(state))
    return found


def test_the_line_of_an_average_is_the_one_it_predicts_with():
    rng = np.random.default_rng(0)
    learner = AveragedPerceptron()
    X = rng.normal(size=(30, 3))
    *_, state = played(learner, [(x, 1 if x[0] > 0 else -1, 1) for x in X], 3)
    for x in X:
        assert learner.params.decide(state, x) == pytest.approx(learner.coefficients(state) @ x)


def test_a_full_covariance_counts_importance():
    """w += a y K x, K -= K x x' K / (x' K x + r/h), a = (1 - y p) / (x' K x + r/h)."""
    rng = np.random.default_rng(1)
    first = [((1, 1), 1, 1)]  # says how long features are, and is not learned from
    rest = [(rng.choice((-1.0, 1.0), 2), rng.choice((-1, 1)), h) for h in (1, 4, 0.25, 3, 2, 0.5)]
    learner = AROW(r=2.0, full=True, normalise=True)
    w, K = np.zeros(2), np.eye(2)
    state = played(learner, first, 2)[-1]
    for x, y, h in rest:
        p = learner.params.decide(state, x)
        assert p == pytest.approx(w @ x)
        state = learner.params.learn(state, x, p, Outcome(float(y), float(h)))
        if y * p < 1:
            spread = x @ K @ x + 2.0 / h
            w = w + (1 - y * p) / spread * y * (K @ x)
            K = K - np.outer(K @ x, K @ x) / spread
        assert state.w == pytest.approx(w)
        assert np.linalg.inv(state.R.T @ state.R) == pytest.approx(K)
    assert abs(K[0, 1]) > 0.05


def test_a_move_is_cut_to_twice_the_largest_before():
    """Slopes 1 and 10: the second moves q by 2, and 8 are written down as cut."""
    learner = EGPlusMinus(loss="absolute", U=1.0, normalise=True)
    one, two = played(learner, [([1.0], 5.0, 1.0), ([1.0], 5.0, 10.0)], 1)
    assert (one.G, one.cut) == (1.0, 0.0)
    assert (two.q.tolist(), two.G, two.cut) == ([3.0], 2.0, 8.0)


def test_a_heavy_round_becomes_the_unit_of_coins():
    """Coins 1 and 1, a bet of 1/2; then importances are counted in units of 2, and the coins so far in halves."""
    learner = CoinBetting(loss="hinge", wealth=1.0)
    one, two = played(learner, [([1.0], 1, 1.0), ([1.0], 1, 3.0)], 1)
    assert (one.W[0], one.theta[0], one.S[0], one.w[0], one.weight) == (1.0, 1.0, 2.0, 0.5, 1.0)
    # wealth 1 + 1/2; theta 2 * 1/2; w = wealth theta / (S weight)
    assert (two.W[0], two.theta[0], two.S[0], two.w[0], two.weight) == (1.5, 1.0, 3.0, 0.25, 2.0)


def test_the_second_penalty_makes_steps_shorter_and_their_price_lower():
    """alpha = 1, beta = 0, l1 = 0, l2 = 1: A = 1, w = 1/(1 + 1), and the step costs 1/(1 + 1)."""
    learner = FTRLProximal(loss="hinge", alpha=1.0, beta=0.0, l1=0.0, l2=1.0)
    (state,) = played(learner, [([1.0], 1, 1)], 1)
    noted = np.zeros(len(learner.diagnostics))
    learner.params.write_diagnostics(state, noted)
    assert state.w.tolist() == [0.5]
    assert dict(zip(learner.diagnostics, noted, strict=True))["steps"] == 0.5


def test_sums_that_rounding_leaves_a_little_below():
    """1/2 + 1/4 + … + 2^-53 and four times 2^-55 are 1 exactly; added one by one in floats the last four get lost."""
    e = np.array([*range(-1, -54, -1), -55, -55, -55, -55], np.int64)
    assert sum(Fraction(2) ** int(k) for k in e) == 1
    total = 0.0
    for k in e:
        total += 2.0 ** float(k)
    assert total == 1.0 - 2.0**-53
    learner = Winnow2(threshold=1)
    state = learner.begin(Shape(len(e)))
    state.e[:] = e
    state.w[:] = 2.0 ** e.astype(float)
    for x in (np.ones(len(e)), Sparse(np.arange(len(e)), np.ones(len(e)))):
        assert learner.params.decide(state, x) == 0.0  # reached: a +
    state.e[-1] = -56
    state.w[-1] = 2.0**-56
    assert learner.params.decide(state, np.ones(len(e))) < 0.0


@pytest.mark.parametrize("y", [1.0, -1.0])
def test_newton_first_moves_a_score_back_to_the_limit(y):
    """A = R^2: from w = 3 with limit 2, w = 2 - g / (A + H), g and H those of the score 2."""
    learner = OnlineNewton(limit=2.0)
    *_, state = played(learner, [([1.0], 1, 1)] * 3, 1)
    state.w[0] = 3.0
    k, x = float(state.R[0, 0]) ** -2, np.array([1.0])
    p = learner.params.decide(state, x)
    assert p == 2.0
    g, H = learner.loss.slope(2.0, y), curvature(state.which, 2.0, y, 2.0)
    after = learner.params.learn(state, x, p, Outcome(y, 1.0))
    assert after.w[0] == pytest.approx(2.0 - g * k / (1.0 + H * k))
    assert after.R[0, 0] ** 2 == pytest.approx(1.0 / k + H)


def test_only_what_rounding_could_do_is_a_tie():
    """Weights e^d and 1 on x = (1, -1): the score is about d/2, a tie at d = 1e-13, and none at 1e-10."""
    learner = WinnowEG(eta=1.0)
    state, x = learner.begin(Shape(2)), np.array([1.0, -1.0])
    for d, score in ((1e-13, 0.0), (1e-10, 5e-11), (-1e-10, -5e-11)):
        state.q[:] = (d, 0.0)
        assert learner.params.decide(state, x) == pytest.approx(score, rel=1e-5)


def test_what_a_weighted_round_costs_kernel_descent():
    """eta h^2 K(x, x) for an update of importance h: (1/2) 9 4."""
    learner = KernelOGD(kernel="linear", eta=0.5)
    (state,) = played(learner, [([2.0], 1, 3.0)], 1)
    noted = np.zeros(len(learner.diagnostics))
    learner.params.write_diagnostics(state, noted)
    assert dict(zip(learner.diagnostics, noted, strict=True))["V"] == 18.0


@pytest.mark.parametrize("kind", [KernelPerceptron, KernelOGD])
def test_any_support_vector_may_be_drawn(kind):
    """forget="random": of three places each is given up about every third time, the last one too."""
    learner = kind(kernel="delta", budget=3, forget="random")
    states = [s.S[:3, 0] for s in played(learner, [([t], 1, 1) for t in range(1, 124)], 1)]
    gone = [int(np.flatnonzero(a != b)[0]) for a, b in pairwise(states[2:])]
    assert len(gone) == 120
    assert min(np.bincount(gone, minlength=3)) > 20


@pytest.mark.parametrize("kind", [KernelPerceptron, KernelOGD])
def test_a_long_example_that_is_forgotten_is_no_longer_the_longest(kind):
    """What is the longest support vector decides how distances are computed."""
    learner = kind(kernel="gaussian:1", budget=2)
    rounds = [([1e6], 1, 1), ([3.0], 1, 1), ([-40.0], 1, 1), ([500.0], 1, 1)]
    longest = []
    for state in played(learner, rounds, 1):
        longest.append(float(state.N[TOP]))
        assert longest[-1] == max(state.A[SQUARE, : int(state.N[SUPPORT])])
    assert longest == [1e12, 1e12, 1600.0, 250_000.0]


@pytest.mark.parametrize("span", [1.0, 4.0])
def test_the_rate_of_exponential_weights_falls_with_the_rounds(span):
    """Without eta and T the weights of round t are exp(-eta L), normalised, with eta = 2 sqrt(ln n / t) / span."""
    losses = span * np.random.default_rng(0).random((6, 3))
    learner = ls.Hedge().start(3, interval=(0.0, span))
    for t in range(6):
        w = np.exp(-2 * math.sqrt(math.log(3) / (t + 1)) / span * losses[:t].sum(axis=0))
        np.testing.assert_allclose(learner.predict(), w / w.sum())
        learner.update(losses[t])


def test_a_prior_is_what_the_first_round_is_played_with():
    prior, x, y = np.array([0.7, 0.2, 0.1]), np.array([[0.0, 0.5, 1.0]] * 2), [1.0, 1.0]
    learner = ls.WeightedAverage(loss="square", prior=tuple(prior), eta=0.5)
    run = ls.play(learner, x, y, interval=(0.0, 1.0), record="all")
    np.testing.assert_allclose(run.weights[0], prior)
    w = prior * np.exp(-0.5 * (x[0] - 1.0) ** 2)
    np.testing.assert_allclose(run.weights[1], w / w.sum())


@pytest.mark.parametrize("y", [0.5, -0.5])
def test_weights_of_both_signs(y):
    """EG+-: one round moves q by 2 eta y, and the weight is tanh q, below 0 where q is."""
    learner = EGPlusMinus(eta=0.5, U=1.0).update([1.0, 0.0], y)
    assert learner.predict([1.0, 0.0]) == pytest.approx(math.tanh(y))


def test_the_level_of_aci_is_never_clipped():
    """Everything, so a hit: a = 1/2 + 2/2; then nothing, so a miss: a = 3/2 - 2/2."""
    learner = ls.ACI(level=0.5, gamma=2.0, window=5).update([0.0], 1.0)
    assert learner.state.a == 1.5
    assert learner.update([0.0], 1.0).state.a == 0.5


def test_a_threshold_may_fall_below_0():
    learner = ls.learner("sf-ogd", level=0.9).update([3.0], 3.0)  # on the border: a hit
    assert learner.state.steps.q < 0.0


@pytest.mark.parametrize(("y", "missed"), [(10.0, 0.0), (10.5, 1.0), (9.5, 1.0)])
def test_the_border_belongs_to_an_interval(y, missed):
    assert ls.play("quantile-tracker", [[10.0]], [y]).losses.tolist() == [missed]


@pytest.mark.parametrize("tie", [0, 1])
def test_after_a_tie_the_hypotheses_that_were_right_are_left(tie):
    learner = ls.SOA(hypotheses=[[0], [1]], tie=tie).start(1, labels=(0, 1))
    assert learner.predict([0]) == tie
    assert learner.update([0], 1 - tie).predict([0]) == 1 - tie
