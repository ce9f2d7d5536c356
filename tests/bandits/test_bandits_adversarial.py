"""Bandits against an adversary: by enumeration where small, by confidence limits that can fail elsewhere."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import littlestone as ls
from littlestone.bandits.exp3_exploring import grown, share_for
from littlestone.bandits.exp4 import losses_of_advisers
from littlestone.bandits.importance_weighting import estimate, estimates
from littlestone.bandits.tsallis_inf import spread
from littlestone.core.errors import BadInput
from littlestone.environments.arms import Arms
from littlestone.games import Offer

ANY = Offer(np.empty(0), np.empty(0))


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")


@pytest.fixture
def compiled(monkeypatch, plain):
    """Many seeds take compiled rules; where there are none, the plain ones take longer."""
    monkeypatch.delenv("LITTLESTONE_ENGINE", raising=False)


# Importance weighting (T-IW).


def expected(p, f):
    """The mean of f(arm) over the draw of an arm from p."""
    return sum(w * f(i) for i, w in enumerate(p))


weights = st.lists(st.fractions(Fraction(1, 20), 1), min_size=2, max_size=5)


@settings(max_examples=40, deadline=None)
@given(weights, st.data())
def test_estimates_are_right_on_average(w, data):
    """T-IW: the first and the second moment of every arm, and both sums, exactly."""
    p = [v / sum(w) for v in w]
    ell = [data.draw(st.fractions(0, 1)) for _ in p]

    def e(i, arm):
        return ell[arm] / p[arm] if i == arm else Fraction(0)

    n = range(len(p))
    for i in n:
        assert expected(p, lambda arm, i=i: e(i, arm)) == ell[i]
        assert expected(p, lambda arm, i=i: e(i, arm) ** 2) == ell[i] ** 2 / p[i]
    second = expected(p, lambda arm: sum(p[i] * e(i, arm) ** 2 for i in n))
    assert second == sum(v**2 for v in ell) <= len(p)
    assert expected(p, lambda arm: sum(p[i] * e(i, arm) for i in n)) == sum(
        p[i] * ell[i] for i in n
    )
    floats = np.array(p, float), np.array(ell, float)
    for arm in n:
        assert estimates(floats[1], floats[0], arm) == pytest.approx([float(e(i, arm)) for i in n])


def test_estimates_of_bad_input():
    with pytest.raises(BadInput, match="as many"):
        estimates([0.5], [0.5, 0.5], 0)
    with pytest.raises(BadInput, match="arm 1 cannot have been drawn"):
        estimates([0.5, 0.5], [1.0, 0.0], 1)
    assert estimate(1.0, 5e-324) < 1e300


# EXP3 exactly: over all sequences of draws.


def exactly(learner, Y):
    """The expected loss of a bandit over losses that are known beforehand, by recursion over its draws."""
    T, n = Y.shape
    made = learner.start(n, rounds=T)
    params, first = made.live.params, made.live.state

    def go(state, t):
        if t == T:
            return 0.0
        p = np.array(params.decide(state, ANY))
        total = 0.0
        for i in range(n):
            if p[i] > 0:
                total += p[i] * (
                    Y[t, i]
                    + go(params.learn(fresh(state), ANY, p, pulled(i, Y[t, i], p[i])), t + 1)
                )
        return total

    return go(first, 0)


def fresh(state):
    from littlestone.engine.memory import copy

    return copy(state)


def pulled(arm, loss, p):
    from littlestone.games import Pulled

    return Pulled(arm, float(loss), float(p))


def oracle(Y, eta):
    """E[loss] of EXP3 in a few lines of NumPy, from the notes."""
    T, n = Y.shape

    def go(est, t):
        if t == T:
            return 0.0
        w = np.exp(-eta * (est - est.min()))
        v, total = w / w.sum(), 0.0
        for i in np.flatnonzero(
            v > 1e-300
        ):  # a smaller one adds nothing, and its estimate overflows
            total += v[i] * (Y[t, i] + go(est + np.eye(n)[i] * Y[t, i] / v[i], t + 1))
        return total

    return go(np.zeros(n), 0)


def test_the_worked_example():
    """X-EXP3: two arms, three rounds, arm 1 always right."""
    Y = np.array([[1.0, 0.0]] * 3)
    assert exactly(ls.EXP3(), Y) == pytest.approx(1.191221, abs=1e-6)
    run = ls.play("exp3", Y)
    assert run.parameters["eta"] == pytest.approx(0.480676, abs=1e-6)
    assert run.certificate.verdicts[0].bound == pytest.approx(2.884054, abs=1e-6)
    assert exactly(ls.EXP3(eta=2 * 0.480676), Y) < 1.1  # twice the rate is another number


@pytest.mark.parametrize(
    ("n", "T", "ratio"), [(2, 1, 0.300281), (2, 3, 0.413037), (2, 5, 0.469092), (3, 3, 0.395583)]
)
def test_exp3_keeps_its_bound_against_every_sequence(n, T, ratio):
    """T-EXP3, all 0/1 losses; the worst ratio of all sizes is 0.47."""
    eta, bound = math.sqrt(2 * math.log(n) / (T * n)), math.sqrt(2 * T * n * math.log(n))
    worst = 0.0
    for bits in itertools.product((0.0, 1.0), repeat=n * T):
        Y = np.array(bits).reshape(T, n)
        if Y[:, 0].sum() <= Y.sum(axis=0).min():  # by symmetry the first arm is the best
            worst = max(worst, (oracle(Y, eta) - Y[:, 0].sum()) / bound)
    assert worst == pytest.approx(ratio, abs=1e-6)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_exp3_is_the_rule_of_the_notes(seed):
    rng = np.random.default_rng(seed)
    Y = rng.integers(0, 9, (4, 3)) / 8
    eta = float(rng.uniform(0.05, 2))
    assert exactly(ls.EXP3(eta=eta), Y) == pytest.approx(oracle(Y, eta), rel=1e-10)


SMALL = ["exp3", "exp3-ix", "exp3-exploring", "exp3-s", "tsallis-inf"]


@pytest.mark.parametrize("key", SMALL)
def test_expectations_are_kept_exactly_where_small(key):
    """Every in-expectation theorem, for all 16 orders of four rounds (0, 1) and (1, 0), by enumeration of all draws.

    E-BANDIT-MIN: on average over the orders every learner loses T/2, and the least losses of the rounds sum to 0.
    """
    total = 0.0
    for bits in itertools.product((0.0, 1.0), repeat=4):
        Y = np.column_stack([bits, 1 - np.array(bits)])
        run = ls.play(key, Y)
        loss = exactly(ls.learner(key), Y)
        total += loss / 16
        assert Y.min(axis=1).sum() == 0
        for v in run.certificate:
            if (
                v.guarantee.mode == "in expectation"
                and v.guarantee.against == "expert"
                and v.verdict == "unknown"
            ):
                assert (
                    v.guarantee.measures == "pseudo-regret" or loss - Y.sum(axis=0).min() <= v.bound
                )
    assert total == pytest.approx(2, abs=1e-12)


# Expectations by many seeds: limits that can fail.


@pytest.mark.usefixtures("compiled")
def test_seeds_find_the_exact_expectation_and_see_twice_the_rate():
    Y = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.5], [1.0, 0.0]])
    right = oracle(Y, math.sqrt(2 * math.log(2) / 10))
    runs = ls.play("exp3", Y, seeds=4000)
    low, high = runs.mean_limits
    assert low <= right <= high
    assert high - low < 0.1
    twice = oracle(Y, 2 * math.sqrt(2 * math.log(2) / 10))
    assert not low <= twice <= high
    doubled = ls.play(ls.EXP3(eta=2 * math.sqrt(2 * math.log(2) / 10)), Y, seeds=4000)
    low, high = doubled.mean_limits
    assert low <= twice <= high
    assert not low <= right <= high


def blocks(T, n, k):
    """Losses 0 and 1 by turns: the best arm changes k times."""
    best = (np.arange(T) * (k + 1) // T) % n
    return 1.0 - np.eye(n)[best]


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("key", ["exp3", "exp3-ix", "exp3-exploring", "exp3-s", "tsallis-inf"])
def test_certificates_of_many_seeds(key):
    for Y in (blocks(2000, 3, 0), blocks(2000, 3, 1)):
        runs = ls.play(key, Y, seeds=800)
        told = {v.guarantee.id: v.verdict for v in runs.certificate if v.guarantee.mode != "surely"}
        assert told
        assert set(told.values()) <= {"kept", "vacuous"}, str(runs.certificate)
        assert "kept" in told.values()


@pytest.mark.usefixtures("compiled")
def test_reduced_variance_keeps_its_bound_too():
    runs = ls.play(ls.TsallisINF(estimator="rv"), blocks(2000, 3, 1), seeds=800)
    assert [v.guarantee.id for v in runs.certificate] == ["T-TSALLIS-INF"]
    assert runs.certificate.verdict == "kept"


@pytest.mark.usefixtures("compiled")
def test_a_bound_that_is_too_small_is_seen():
    """A learner that hardly learns breaks the bound of one that does: the limits are no formality."""
    Y = blocks(2000, 3, 0)
    idle = ls.play(ls.EXP3(eta=1e-9), Y, seeds=30)
    promised = math.sqrt(2 * 2000 * 3 * math.log(3))
    assert idle.mean_limits.low > promised  # the best arm loses nothing
    good = ls.play("exp3", Y, seeds=800)
    assert good.mean_limits.high < promised


@pytest.mark.usefixtures("compiled")
def test_a_tail_is_judged_by_the_losses_that_were_drawn():
    """T-EXP3-IX is about what was drawn; delta is its own symbol."""
    runs = ls.play(ls.EXP3IX(delta=0.2), blocks(1000, 2, 1), seeds=60)
    v = runs.certificate.verdicts[0]
    assert v.guarantee.id == "T-EXP3-IX"
    assert v.verdict == "kept"
    assert v.measured == pytest.approx(runs.realised.max())
    assert v.bound == pytest.approx(
        (2 * math.log(2) + math.log(10)) / runs.learner.eta + 2000 * runs.learner.eta + math.log(10)
    )


@pytest.mark.usefixtures("compiled")
def test_implicit_exploration_tames_the_tail():
    """The worst of many runs: EXP3 strays further from its mean than EXP3-IX does."""
    Y = blocks(3000, 2, 1)
    a, b = (ls.play(key, Y, seeds=150).realised for key in ("exp3", "exp3-ix"))
    assert b.std() < a.std()
    assert np.quantile(b, 0.99) - b.mean() < np.quantile(a, 0.99) - a.mean()


@pytest.mark.usefixtures("compiled")
def test_drawn_losses():
    runs = ls.play("tsallis-inf", Arms([0.3, 0.6, 0.7]), rounds=3000, seeds=40)
    told = {v.guarantee.id: v for v in runs.certificate}
    assert told["T-TSALLIS-LOG"].verdict == "kept"
    assert told["T-TSALLIS-LOG"].measured == pytest.approx(runs.pseudo_regret)
    ties = ls.play("tsallis-inf", Arms([0.3, 0.3, 0.7]), rounds=100, seeds=5)
    assert "one arm is the best: there are 2" in str(ties.certificate)
    one = ls.play("tsallis-inf", blocks(100, 2, 0), seeds=5)
    assert "nothing says that they are" in str(one.certificate)


# Surely, for every run: the lemmas.


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans(), st.sampled_from([None, 0.02, 0.5, 3.0]))
def test_the_lemma_of_exp3_holds_in_every_run(seed, sleepers, eta):
    """Blocks of repeated rounds, arms that sleep, rates that fall or are too large: surely."""
    rng = np.random.default_rng(seed)
    Y = np.repeat(rng.integers(0, 3, (8, 3)) / 2, 6, axis=0)
    on = rng.random(Y.shape) < 0.7
    on[:, 0] = True
    run = ls.play(ls.EXP3(eta=eta), Y, available=on if sleepers else None, seed=seed % 1000)
    v = next(v for v in run.certificate if v.guarantee.id == "T-EXP3-LEMMA")
    assert v.verdict == "kept"


def test_the_lemma_where_nobody_knows_how_long():
    Y = blocks(300, 3, 2)
    learner = ls.EXP3().start(3)
    for t in range(300):
        arm = learner.predict()
        learner.update(None, arm, Y[t, arm])
    state = learner.state
    rate = math.sqrt(math.log(3) / 900)
    assert state.own - state.est.min() <= math.log(3) / rate + state.spent


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_the_lemma_of_exp4_holds_in_every_run(seed, sleepers):
    rng = np.random.default_rng(seed)
    Y = np.repeat(rng.integers(0, 3, (8, 3)) / 2, 6, axis=0)
    A = np.repeat(rng.dirichlet(np.full(3, 0.3), (8, 4)), 6, axis=0)
    A[:, 0] = [1, 0, 0]
    on = rng.random(Y.shape) < 0.7
    on[:, 1] = True
    run = ls.play(
        ls.EXP4(eta=0.3), Y, features=A, available=on if sleepers else None, seed=seed % 1000
    )
    v = next(v for v in run.certificate if v.guarantee.id == "T-EXP4-LEMMA")
    assert v.verdict == "kept"


# Late feedback.


def late(Y, eta, delay):
    """E[loss] of EXP3 whose outcomes come so many rounds late, by recursion over its draws, from the definition."""
    T, n = Y.shape

    def go(est, waiting, t):
        if t == T:
            return 0.0
        w = np.exp(-eta * (est - est.min()))
        v, total = w / w.sum(), 0.0
        for i in range(n):
            after, rest = est, [*waiting, (i, Y[t, i] / v[i])]
            if len(rest) > delay:
                (arm, e), *rest = rest
                after = est + np.eye(n)[arm] * e
            total += v[i] * (Y[t, i] + go(after, rest, t + 1))
        return total

    return go(np.zeros(n), [], 0)


@pytest.mark.parametrize("delay", [1, 2])
@pytest.mark.parametrize("eta", [0.2, 0.6, 2.0])
def test_late_exp3_keeps_its_bound_against_every_sequence(delay, eta):
    """T-EXP3-LATE: T = 5, all sequences of (0, 1), (1, 0) and (1, 1), at rates that older proofs do not allow."""
    worst = 0.0
    for turns in itertools.product(((0.0, 1.0), (1.0, 0.0), (1.0, 1.0)), repeat=5):
        Y = np.array(turns)
        if Y[0, 0] <= Y[0, 1]:
            worst = max(worst, late(Y, eta, delay) - Y.sum(axis=0).min())
    lags = sum(min(delay, t) for t in range(5))
    assert worst <= math.log(2) / eta + eta * (5 + lags)
    run = ls.play(ls.EXP3(eta=eta), Y, delay=delay, interleave=False)
    v = next(v for v in run.certificate if v.guarantee.id == "T-EXP3-LATE")
    assert v.bound == pytest.approx(math.log(2) / eta + eta * (5 + lags))
    assert worst > 0.2


@pytest.mark.usefixtures("compiled")
def test_late_exp3_by_many_runs():
    """What `play` does is what the definition says; the mean of runs, and the limits of that."""
    Y = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [0.0, 0.5], [1.0, 0.0]])
    right, at_once = late(Y, 1.0, 2), oracle(Y, 1.0)
    runs = [
        ls.play(ls.EXP3(eta=1.0), Y, delay=2, interleave=False, seed=seed, certify=False).loss
        for seed in range(600)
    ]
    mean, half = np.mean(runs), 3.3 * np.std(runs) / math.sqrt(600)
    assert abs(mean - right) <= half
    assert abs(mean - at_once) > half


def test_exp3_tells_of_lateness_only_where_there_is_any():
    Y = blocks(40, 2, 1)
    assert "T-EXP3-LATE" not in str(ls.play("exp3", Y).certificate)
    assert "T-EXP3-LATE" not in str(ls.play("exp3", Y, seeds=2).certificate)
    late = ls.play("exp3", Y, delay=4, interleave=False)
    told = {v.guarantee.id: v.verdict for v in late.certificate}
    assert told == {"T-EXP3": "vacuous", "T-EXP3-LEMMA": "vacuous", "T-EXP3-LATE": "unknown"}


# EXP4.


@pytest.mark.usefixtures("compiled")
def test_exp4_follows_the_best_adviser():
    """One of four advisers knows the best arm, which changes in every round: no arm is any good."""
    T, n = 3000, 3
    rng = np.random.default_rng(0)
    best = rng.integers(0, n, T)
    Y = 1.0 - np.eye(n)[best]
    A = rng.dirichlet(np.ones(n), (T, 4))
    A[:, 2] = np.eye(n)[best]
    runs = ls.play("exp4", Y, features=A, seeds=400)
    advisers = losses_of_advisers(A, Y)
    bound = math.sqrt(2 * T * n * math.log(4))
    assert advisers.argmin() == 2
    assert runs.mean_limits.high - advisers.min() <= bound
    assert runs.loss < 0.2 * Y.sum(axis=0).min()
    v = runs.certificate.verdicts[0]
    assert (v.guarantee.id, v.verdict) == ("T-EXP4", "unknown")
    assert "has no known range" in v.why  # estimates are losses over probabilities
    assert v.measured <= bound
    assert v.bound == pytest.approx(bound)
    assert (
        v.measured >= runs.loss - advisers.min() - 1e-6
    )  # the least of the estimates is too small on average


def test_advice_must_be_probabilities():
    Y = np.zeros((2, 2))
    with pytest.raises(BadInput, match=r"row 2, adviser 1 says \(0.5, 0.4\)"):
        ls.play("exp4", Y, features=[[[0.5, 0.5]], [[0.5, 0.4]]])
    with pytest.raises(BadInput, match=r"adviser 2 says \(-0.5, 1.5\)"):
        ls.EXP4().start(2, features=4).predict([[0.5, 0.5], [-0.5, 1.5]])
    with pytest.raises(BadInput, match="2 probabilities from each adviser, not 3"):
        ls.EXP4().start(2, features=3).predict([0.5, 0.5, 0.0])


def test_advice_about_arms_that_are_not_there():
    learner = ls.EXP4().start(3, features=6)
    p = learner.propensities([[1.0, 0.0, 0.0], [0.2, 0.2, 0.6]], [False, True, True])
    assert p == pytest.approx(
        [0, 0.5 * (0.5 + 0.25), 0.5 * (0.5 + 0.75)]
    )  # the first adviser has nothing to say


# EXP3.1, EXP3.S and sleeping.


def test_exp3_1_grows_by_fours():
    """g_r = n ln n / (e-1) 4^r, gamma_r = 2^-r; a stretch ends when an estimate exceeds g_r - n / gamma_r."""
    n = 2
    g0 = n * math.log(n) / (math.e - 1)
    assert [share_for(g0 * 4**r, n) for r in range(4)] == pytest.approx([1, 0.5, 0.25, 0.125])
    assert grown(n, g0, 0.0) == pytest.approx(16 * g0)  # the first that is not below n / gamma
    learner = ls.EXP3Exploring().start(n)
    assert learner.state.gamma == pytest.approx(0.25)
    limit, total, t = 16 * g0 - n / 0.25, 0.0, 0
    while learner.state.gamma == pytest.approx(0.25):
        p = learner.propensities()
        learner.update(None, 0, 0.0)
        total += 1 / p[0]
        t += 1
    assert total > limit >= total - 1 / p[0]
    assert learner.state.gamma == pytest.approx(0.125)
    assert learner.state.past[0] == pytest.approx(total)
    assert learner.propensities() == pytest.approx([0.5, 0.5])  # it has started again


def test_exp3_1_has_its_bound():
    Y = blocks(400, 2, 0)
    run = ls.play("exp3-exploring", iter([Y[:200], Y[200:]]), interval=(0, 1))
    v = run.certificate.verdicts[0]
    assert v.guarantee.id == "T-EXP31"
    e1, n = math.e - 1, 2
    assert v.bound == pytest.approx(
        8 * math.sqrt(e1 * 400 * n * math.log(n)) + 8 * e1 * n + 2 * n * math.log(n)
    )


def test_a_reward_that_nobody_reaches_may_be_declared():
    Y = np.full((100, 2), 0.9)
    Y[:, 1] = 0.95
    small = ls.play(ls.EXP3Exploring(g=10.0), Y)
    told = {v.guarantee.id: v for v in small.certificate}
    assert told["T-EXP3-TUNED"].bound == pytest.approx(
        2 * math.sqrt(math.e - 1) * math.sqrt(10 * 2 * math.log(2))
    )
    wrong = ls.play(ls.EXP3Exploring(g=5.0), Y)
    assert "the best arm brought 10, more than 5" in str(wrong.certificate)
    other = ls.play(ls.EXP3Exploring(gamma=0.3), Y)
    assert "gamma is 0.3, not" in str(other.certificate)


def test_exp3_s_doubles():
    learner = ls.EXP3S().start(2)
    sizes = []
    for _ in range(16):
        sizes.append(learner.state.size)
        learner.update(None, 0, 0.0)
    assert sizes == [1] + [2] * 2 + [4] * 4 + [8] * 8 + [16]
    assert learner.state.alpha == 1 / 16
    run = ls.play("exp3-s", iter([blocks(200, 2, 1)]), interval=(0, 1))
    assert [v.guarantee.id for v in run.certificate] == ["T-EXP3-S-DOUBLING"]


@pytest.mark.usefixtures("compiled")
def test_exp3_s_follows_what_exp3_does_not():
    Y = blocks(20_000, 3, 3)
    shifting, fixed = (ls.play(key, Y, seeds=200) for key in ("exp3-s", "exp3"))
    assert shifting.loss < 0.5 * fixed.loss
    v = shifting.certificate.verdicts[0]
    assert (v.guarantee.id, v.verdict, v.comparator) == (
        "T-EXP3-S",
        "kept",
        "best sequence of arms, 3 shifts",
    )
    assert v.comparator_loss == 0.0
    e, n, T = math.e, 3, 20_000
    gamma = shifting.learner.gamma
    assert v.bound == pytest.approx(n * (4 * math.log(n * T) + e) / gamma + (e - 1) * gamma * T)


def test_sleepers_make_theorems_vacuous_or_count_awake_rounds():
    """Where an arm is missing, regret to it is over the rounds in which it was there; most theorems are silent."""
    Y = np.column_stack([np.zeros(60), np.ones(60)])
    on = np.ones((60, 2))
    on[:30, 0] = 0
    run = ls.play("exp3-ix", Y, available=on)
    assert all(v.verdict == "vacuous" for v in run.certificate)
    assert "some were not in 30 rounds" in str(run.certificate)
    run = ls.play("exp3", Y, available=on)
    assert run.losses[:30] == pytest.approx(np.ones(30))
    assert run.experts.L[0] == 30  # charged what the learner paid while it slept
    assert run.experts.L[1] == 60
    runs = ls.play("exp3", Y, available=on, seeds=3)
    assert (runs.regrets[:, -1] >= 0).all()
    assert runs.regrets[0, -1] == pytest.approx(run.loss - 30)
    arms = Arms([0.0, 1.0], kind="constant")
    assert ls.play("exp3", arms, rounds=60).pseudo_regret > 0
    assert math.isnan(ls.play("exp3", arms, rounds=60, available=on).pseudo_regret)
    # the best arm of those that are there: nothing could be lost in the first 30 rounds
    assert ls.play("exp3", arms, rounds=30, available=on[:30], seeds=2).pseudo_regret == 0


def test_an_arm_that_slept_is_no_better_and_no_worse():
    learner = ls.EXP3(eta=0.5).start(3)
    for _ in range(20):
        learner.update(None, 0, 1.0, available=[True, False, False])
    assert learner.propensities() == pytest.approx([1 / 3] * 3)


# Tsallis-INF.


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.floats(0, 1e6), min_size=1, max_size=12),
    st.floats(1e-4, 4),
    st.floats(0, 1e9),
)
def test_the_normalisation_is_found_from_anywhere(est, eta, depth):
    """From any start: the weights sum to one, and 1/sqrt(v) differs as the estimates do."""
    est, v = np.array(est), np.zeros(len(est))
    spread(est, eta, ANY, v, depth)
    assert v.sum() == pytest.approx(1, abs=1e-12)
    r = 1 / np.sqrt(v)
    assert r - r.min() == pytest.approx(eta / 2 * (est - est.min()), rel=1e-6, abs=1e-6)


def test_reduced_variance_by_hand():
    """b = 1/2 where v >= eta^2 = 16/t: from round 16 on at most; estimates are right on average."""
    learner = ls.TsallisINF(estimator="rv").start(2)
    for t in range(100):
        learner.update(None, learner.predict(), 0.5 + 0.1 * (t % 2))
    est, eta = learner.state.est.copy(), 4 / math.sqrt(101)
    p = learner.propensities()
    b = np.where(p >= eta**2, 0.5, 0.0)
    assert b.max() == 0.5
    ell, mean = np.array([0.2, 0.9]), np.zeros(2)
    for arm in range(2):
        twin = ls.TsallisINF(estimator="rv").start(2)
        twin.live.state = fresh(learner.state)
        twin.update(None, arm, ell[arm])
        mean += p[arm] * (twin.state.est - est)
    assert mean == pytest.approx(ell)


@pytest.mark.usefixtures("compiled")
def test_the_best_of_both_worlds():
    """Where losses are drawn Tsallis-INF pays a logarithm; the tuned EXP3 pays a square root."""
    arms = Arms([0.3, 0.6])
    tsallis, exp3 = (ls.play(key, arms, rounds=20_000, seeds=20) for key in ("tsallis-inf", "exp3"))
    assert tsallis.pseudo_regret < 0.4 * exp3.pseudo_regret
    at = np.searchsorted(tsallis.t, 2000)
    mean = tsallis.pseudo_regrets.mean(axis=0)
    assert mean[-1] < 2 * mean[at]  # ten times the rounds
