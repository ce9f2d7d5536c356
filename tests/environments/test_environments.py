"""Natures: generators with the laws they state, adversaries that reach what theory allows, and the notes' errata."""

import math
import runpy
from pathlib import Path

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.core.guarantee import Symbols
from littlestone.environments import adversaries as adv
from littlestone.environments.adversaries import Past, contest, duel
from littlestone.environments.drifting import drifting_experts, drifting_stream
from littlestone.environments.exhaustive import worst_case, worst_hedge
from littlestone.environments.iid import (
    coin_labels,
    coin_losses,
    coin_stream,
    iid_losses,
    iid_stream,
)
from littlestone.environments.shifting import shifting_experts, shifting_stream

ln = math.log


def near_mean(x, mean):
    """Is the mean of independent numbers within five standard errors of what it should be?"""
    x = np.asarray(x, float).ravel()
    return abs(x.mean() - mean) <= 5 * max(x.std(), 1e-12) / math.sqrt(x.size)


def plain(learner, *data, **options):
    return ls.play(learner, *data, engine="plain", **options)


def divergence(u, v):
    """d(u, v) = sum u ln(u / v), with 0 ln 0 = 0."""
    on = u > 0
    with np.errstate(divide="ignore"):
        return float((u[on] * np.log(u[on] / v[on])).sum())


def simplex(rng, n, count=4):
    """Points of the simplex, its corners among them."""
    return [*np.eye(n), *rng.dirichlet(np.ones(n), count), *rng.dirichlet(np.full(n, 0.1), count)]


# Generators.


def test_shifting_experts_have_the_losses_of_the_notes():
    advice, outcomes, best = shifting_experts()
    assert advice.shape == (800, 64)
    assert (outcomes == 0).all()
    assert (np.flatnonzero(np.diff(best)) + 1).tolist() == [200, 400, 600]
    assert len(set(best.tolist())) == 4
    ours = advice[np.arange(800), best]
    others = np.delete(advice, np.unique(best), axis=1)
    assert near_mean(ours**2, 1 / 120)
    assert near_mean(others**2, 1 / 12)
    assert near_mean(ours, math.sqrt(1 / 40) / 2)
    assert others.max() <= 0.5 < others.max() + 1e-3
    assert ours.max() <= math.sqrt(1 / 40)
    for i in np.unique(best):  # outside its segment the best expert is an ordinary one
        assert near_mean(advice[best != i, i] ** 2, 1 / 12)


@pytest.mark.parametrize(("typical", "best"), [(1 / 3, 1 / 100), (0.05, 0.05), (0.2, 0.0)])
def test_shifting_experts_with_other_rates(typical, best):
    advice, _, who = shifting_experts(3000, 5, 7, typical, best, seed=3)
    ours = advice[np.arange(3000), who]
    assert near_mean(ours**2, best)
    assert (np.diff(who) != 0).sum() == 7
    assert advice.min() >= 0
    assert advice.max() <= 1


def test_seeds_are_repeated_and_differ():
    one, two, other = (shifting_experts(seed=s)[0] for s in (1, 1, 2))
    assert (one == two).all()
    assert (one != other).any()


@pytest.mark.parametrize(
    "wrong",
    [
        {"typical": 0.5},
        {"best": 0.2},
        {"rounds": 3},
        {"experts": 1},
        {"shifts": -1},
    ],
)
def test_shifting_experts_refuses(wrong):
    with pytest.raises(BadInput, match="shifting_experts"):
        shifting_experts(**wrong)


def test_streams_say_what_they_are():
    s = shifting_stream(seed=4)
    assert s.names[0] == "expert 1"
    assert s.names[-1] == "expert 64"
    assert (s.outcome, s.source, s.rounds, s.whole) == (
        "outcome",
        "built-in: shifting experts",
        800,
        True,
    )
    (batch,) = s.batches
    assert (batch.x == shifting_experts(seed=4)[0]).all()
    assert plain("hedge", iid_stream(means=[0.1, 0.6], rounds=30)).rounds == 30
    assert plain("hedge", coin_stream(rounds=30, experts=3)).rounds == 30
    labels = coin_stream(rounds=30, experts=3, labels=True)
    assert plain(ls.Hedge(loss="zero-one"), labels).rounds == 30
    for s in (drifting_stream(rounds=30), shifting_stream(rounds=40)):
        assert plain(ls.WeightedAverage(), s, interval=(0, 1)).certificate.verdict == "kept"


@pytest.mark.parametrize("uniform", [False, True])
def test_iid_losses_have_the_means_asked_for(uniform):
    means = [0.0, 0.1, 0.5, 0.8, 1.0]
    losses = iid_losses(means, 4000, uniform, seed=5)
    for i, m in enumerate(means):
        assert near_mean(losses[:, i], m)
    assert (np.isin(losses, (0.0, 1.0)).all()) == (not uniform)
    assert losses.min() >= 0
    assert losses.max() <= 1
    with pytest.raises(BadInput, match="means"):
        iid_losses([0.5, 1.5])


def test_coins_are_fair_and_independent():
    x, y = coin_labels(4000, 3, seed=1)
    for bits in (*x.T, y, *(x == y[:, None]).T, x[1:, 0] == x[:-1, 0]):
        assert near_mean(bits, 0.5)
    assert near_mean(coin_losses(1000, 8), 0.5)


@pytest.mark.parametrize("wave", [False, True])
def test_drifting_experts_err_as_much_as_they_say(wave):
    advice, y, error = drifting_experts(20000, 4, wave, 0.01, seed=2)
    assert near_mean((advice - y[:, None]) ** 2 - error**2 / 6, 0.0)
    assert error.min() >= 0
    assert error.max() <= 1
    assert error.max() - error.min() > 0.9
    assert advice.min() >= 0
    assert advice.max() <= 1
    step = np.abs(np.diff(error, axis=0))
    if wave:
        assert step.max() <= math.pi * 0.01 + 1e-12
        assert len(set(error[:100].argmin(axis=1).tolist())) == 4  # best in turn
    else:
        assert step.max() < 6 * 0.01  # also where it is reflected
        assert near_mean(step[np.abs(error[:-1] - 0.5) < 0.4], 0.01 * math.sqrt(2 / math.pi))


# Adversaries.


def memory(n=4, seed=0):
    return Past(np.zeros(n), np.random.default_rng(seed))


def test_adversaries_do_as_the_ledger_says():
    p = np.array([0.2, 0.4, 0.3, 0.1])
    assert adv.heavy(p, 0, memory()).tolist() == [0, 1, 0, 0]
    assert adv.half(p, 0, memory()).tolist() == [0, 1, 1, 0]
    assert adv.half(np.full(4, 0.25), 0, memory()).tolist() == [1, 1, 0, 0]
    assert adv.half(np.array([0.1] * 10), 0, memory()).sum() == 5  # ten tenths, half of them five
    assert adv.half(np.array([0.1, 0.9]), 0, memory()).tolist() == [0, 1]
    assert adv.constant(2)(p, 0, memory()).tolist() == [1, 1, 0, 1]
    assert set(adv.coin(np.full(99, 1 / 99), 0, memory()).tolist()) == {0.0, 1.0}
    x, y = adv.flip()(p, 0, memory())
    assert (x.tolist(), y) == ([0, 1, 0, 1], 0)  # the mean is 0.5: predicts 1
    x, y = adv.flip(np.array([[1.0, 0.0, 0.0, 0.2]]))(p, 0, memory())
    assert y == 1
    follow = adv.segments([2, 5])
    for t, leader in enumerate([0, 0, 1, 1, 1, 2, 2]):
        x, y = follow(p, t, memory(seed=t))
        assert y == x[leader]


def test_an_adversary_remembers_what_everybody_lost():
    _, losses = duel(ls.Hedge(), ADVERSARIES["grudge"], 12, 4)
    assert losses.argmax(axis=1).tolist() == [0, 1, 2, 3] * 3


def test_an_adversary_that_cheats_is_caught():
    with pytest.raises(BadInput, match=r"losses in \[0, 1\]"):
        duel(ls.Hedge(), lambda p, t, past: np.full(3, 2.0), 2, 3)
    with pytest.raises(BadInput, match="3 losses"):
        duel(ls.Hedge(), lambda p, t, past: np.zeros(2), 2, 3)
    with pytest.raises(BadInput, match="draw"):
        contest(ls.Hedge(loss="zero-one"), adv.opposite, np.zeros((3, 2)))


ADVERSARIES = {
    "coin": adv.coin,
    "heavy": adv.heavy,
    "half": adv.half,
    "constant": adv.constant(1),
    "flip": adv.flip(),
    "segments": adv.segments([20, 45]),
    "grudge": lambda p, t, past: np.eye(len(p))[past.L.argmin()],  # follow the leader dies
}


@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize("name", ADVERSARIES)
@pytest.mark.parametrize(
    "learner",
    [ls.Hedge(), ls.Hedge(eta=1.3), ls.FixedShare(loss="absolute", alpha=0.05), ls.Tracker()],
    ids=lambda learner: f"{learner.key}-{getattr(learner, 'eta', None)}",
)
def test_duels_are_replayed_and_theorems_kept(learner, name, n):
    weights, losses = duel(learner, ADVERSARIES[name], 70, n, seed=8)
    again = duel(learner, ADVERSARIES[name], 70, n, seed=8)
    assert (weights == again[0]).all()
    assert (losses == again[1]).all()
    run = plain(learner, losses, interval=(0, 1))
    assert (run.weights == weights).all()
    assert run.certificate.verdict == "kept", run.certificate


# Lower bounds: no learner can do better.


@pytest.mark.parametrize("T", [1, 2, 7, 30])
@pytest.mark.parametrize("c", [1.0, 1.5])
@pytest.mark.parametrize(
    "learner",
    [
        ls.WeightedMajority(beta=0.5),
        ls.WeightedMajority(always=False, tie=0),
        ls.WeightedMajority(),
        ls.WeightedAverage(),
        ls.AggregatingAlgorithm(),
        ls.ExponentialWeights(),
        ls.FixedShare(alpha=0.1),
    ],
    ids=lambda learner: learner.key,
)
# T-DET-LB
def test_t_det_lb_every_deterministic_learner_errs_always(learner, T, c):
    advice = np.tile([0.0, 1.0], (T, 1))
    predictions, outcomes = contest(learner, adv.opposite, advice)
    mistakes = ((predictions >= 0.5) != (outcomes == 1)).sum()
    best = (advice != outcomes[:, None]).sum(axis=0).min()
    assert mistakes == T
    assert best <= T // 2
    assert mistakes - best >= math.ceil(T / 2)
    assert mistakes - c * best >= T * (1 - c / 2)  # T-CREGRET-LB


@pytest.mark.parametrize("n", [2, 8, 32])
# T-PERFECT-LB
def test_t_perfect_lb_bits_of_the_index_force_lg_n_mistakes(n):
    lg = n.bit_length() - 1
    bits = (np.arange(n) >> np.arange(lg)[:, None] & 1).astype(float)
    for learner in (ls.Halving(), ls.Halving(always=False), ls.WeightedMajority(beta=0.5)):
        predictions, outcomes = contest(learner, adv.opposite, bits)
        assert (predictions != outcomes).sum() == lg
        assert (bits != outcomes[:, None]).sum(axis=0).min() == 0
    weights, losses = duel(ls.Hedge(), adv.flip(bits), lg, n)
    assert (weights * losses).sum() >= lg / 2 - 1e-12
    assert losses.sum(axis=0).min() == 0


EXACT = [  # X-HEDGE-EXACT: n, T, worst regret at sqrt(8 ln n / T), its bound, at sqrt(2 ln n / T), its bound
    (2, 4, 1.000000, 1.177410, 1.238476, 2.354820),
    (2, 10, 1.636792, 1.861649, 2.052565, 3.723297),
    (2, 30, 2.945560, 3.224470, 3.693486, 6.448940),
    (3, 10, 2.131224, 2.343728, 2.680211, 4.687456),
    (4, 8, 2.177075, 2.354820, 2.717174, 4.709640),
]


@pytest.mark.parametrize(("n", "T", "sharp", "bound", "notes", "loose"), EXACT)
def test_x_hedge_exact(n, T, sharp, bound, notes, loose):
    for c, regret, limit, theorem in ((8, sharp, bound, "T-EWA"), (2, notes, loose, "T-HEDGE")):
        eta = math.sqrt(c * ln(n) / T)
        value, losses = worst_hedge(T, n, eta)
        assert value == pytest.approx(regret, abs=5e-7)
        run = plain(ls.Hedge(eta=eta), losses, interval=(0, 1))  # the path it found does it
        (verdict,) = [v for v in run.certificate if v.guarantee.id == theorem]
        assert verdict.verdict == "kept"
        assert verdict.bound == pytest.approx(limit, abs=5e-7)
        assert run.loss - losses.sum(axis=0).min() == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(("n", "T"), [(2, 1), (2, 5), (3, 3), (4, 2)])
def test_the_generic_game_tree_agrees_with_the_remembered_one(n, T):
    eta = math.sqrt(8 * ln(n) / T)
    value, losses = worst_case(ls.Hedge(), T, n)
    assert value == pytest.approx(worst_hedge(T, n, eta)[0], abs=1e-12)
    run = plain(ls.Hedge(), losses, interval=(0, 1))
    assert run.loss - losses.sum(axis=0).min() == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("learner", [ls.FixedShare(loss="absolute", alpha=0.1), ls.Tracker()])
def test_no_game_of_zeros_and_ones_breaks_a_theorem(learner):
    for n, T in ((2, 4), (3, 3)):
        value, losses = worst_case(learner, T, n)
        run = plain(learner, losses, interval=(0, 1))
        assert run.loss - losses.sum(axis=0).min() == pytest.approx(value, abs=1e-12)
        assert run.certificate.verdict == "kept"


# Exponential weights: T-EWA, T-EWA-POT, T-HEDGE-PROG, T-HOEFFDING.


def test_t_ewa_coins_come_close_to_the_bound():
    ratios = []
    for seed in range(10):
        run = ls.play(ls.Hedge(), coin_losses(1000, 64, seed), interval=(0, 1))
        assert run.bound == pytest.approx(math.sqrt(500 * ln(64)))
        ratios.append(run.regret / run.bound)
    assert max(ratios) <= 1
    assert 0.75 < np.mean(ratios) < 0.95


@pytest.mark.parametrize("name", ADVERSARIES)
@pytest.mark.parametrize("eta", [0.1, 0.7, 3.0])
def test_t_ewa_pot_and_t_hedge_prog_round_by_round(name, eta):
    n, T, rng = 5, 40, np.random.default_rng(1)
    p, ell = duel(ls.Hedge(eta=eta), ADVERSARIES[name], T, n, seed=2)
    W = np.exp(-eta * np.vstack([np.zeros(n), np.cumsum(ell, axis=0)])).sum(axis=1)
    own = (p * ell).sum(axis=1)
    grown = np.diff(np.log(W))
    mixed = np.log((p * np.exp(-eta * ell)).sum(axis=1))
    assert np.abs(grown - mixed).max() < 1e-12
    assert (grown <= -eta * own + eta**2 / 8 + 1e-12).all()
    assert ln(W[-1] / W[0]) >= -eta * ell.sum(axis=0).min() - ln(n) - 1e-12
    for t in range(T - 1):
        for u in simplex(rng, n):
            assert progress(u, p[t], p[t + 1], ell[t], eta) <= 1e-9


def progress(u, v, after, ell, eta):
    """Left side less right side of T-HEDGE-PROG: at most 0 where losses are not negative."""
    gain = (divergence(u, v) - divergence(u, after)) / eta
    return v @ ell - u @ ell - gain - eta / 2 * (v @ ell**2)


def test_t_hedge_prog_needs_no_upper_bound():
    rng, eta = np.random.default_rng(3), 0.8
    losses = rng.exponential(3.0, (50, 4))
    p = plain(ls.Hedge(eta=eta), losses, interval=(0, 100)).weights
    for t in range(49):
        for u in simplex(rng, 4):
            assert progress(u, p[t], p[t + 1], losses[t], eta) <= 1e-9


# X-HEDGE-NEG
def test_x_hedge_neg_t_hedge_prog_is_false_for_negative_losses():
    ell = np.array([-0.288, -9.990])
    losses = [[0.0, ln(0.99882 / 0.00118) / 3], ell, [0.0, 0.0]]
    _, v, after = plain(ls.Hedge(eta=3.0), losses, interval=(-10, 10)).weights
    assert v == pytest.approx([0.99882, 0.00118], abs=1e-12)
    u = np.array([0.0, 1.0])
    left = v @ ell - u @ ell
    right = (divergence(u, v) - divergence(u, after)) / 3 + 1.5 * (v @ ell**2)
    assert (left, right) == pytest.approx((9.691, 2.548), abs=5e-4)
    assert progress(u, v, after, ell, 3) == pytest.approx(left - right)


def test_t_hoeffding_on_random_laws():
    rng, worst = np.random.default_rng(4), 0.0
    for _ in range(3000):
        q = rng.dirichlet(np.full(rng.integers(2, 6), rng.choice([0.1, 1.0])))
        x = rng.uniform(-3, 3, q.size)
        s = rng.normal() * 2
        log_moment = np.log(q @ np.exp(s * x))
        slack = s * (q @ x) + s**2 * np.ptp(x) ** 2 / 8 - log_moment
        assert slack >= -1e-12
        worst = max(worst, (log_moment - s * (q @ x)) / (s**2 * np.ptp(x) ** 2 / 8))
    assert worst > 0.95  # a small s on a fair coin reaches it: 1/8 is the right constant


# X-HEDGE-TRACE
def test_x_hedge_trace():
    losses = np.array([[0, 1, 0.5], [1, 0, 0.5], [0, 1, 1]])
    eta = math.sqrt(2 * ln(3) / 3)
    assert eta == pytest.approx(0.855809, abs=5e-7)
    run = plain(ls.Hedge(eta=eta), losses, interval=(0, 1))
    assert run.weights[1] == pytest.approx([0.481507, 0.204611, 0.313882], abs=5e-7)
    assert run.weights[2] == pytest.approx([1 / 3] * 3, abs=1e-12)
    assert run.losses == pytest.approx([0.5, 0.638448, 0.666667], abs=5e-7)
    assert run.loss == pytest.approx(1.805114, abs=1e-6)
    (hedge,) = [v for v in run.certificate if v.guarantee.id == "T-HEDGE"]
    assert (hedge.comparator_loss, hedge.bound) == pytest.approx((1, 2.567426), abs=5e-7)


# Errata about exponential weights.


def lopsided(eta, T):
    """The regret of Hedge when the first of two experts always loses 1 and the second nothing."""
    return plain(ls.Hedge(eta=eta), np.tile([1.0, 0.0], (T, 1)), interval=(0, 1)).regret


# E-EWA-ETA
def test_e_ewa_eta_the_printed_rate_has_linear_regret():
    printed = {T: lopsided(8 * ln(2) / T, T) for T in [*range(1, 42), 100, 1000]}
    for T in range(1, 41):
        assert printed[T] <= math.sqrt(T * ln(2))
    for T, regret, bound in ((41, 5.347, 5.331), (100, 12.68, 8.33), (1000, 124.5, 26.3)):
        assert printed[T] == pytest.approx(regret, rel=5e-4)
        assert math.sqrt(T * ln(2)) == pytest.approx(bound, rel=1.5e-3)
        assert printed[T] > math.sqrt(T * ln(2))
    right = lopsided(math.sqrt(8 * ln(2) / 100), 100)
    assert (right, math.sqrt(50 * ln(2))) == pytest.approx((3.198, 5.887), abs=5e-4)
    assert right == lopsided(None, 100)  # the rate left unset is the right one


# E-EWA-RATE
def test_e_ewa_rate_and_e_limit_the_mean_regret_vanishes_from_above():
    for adversary in (adv.half, adv.coin, adv.heavy):
        before = math.inf
        for T in (10, 160, 2560):
            p, ell = duel(ls.Hedge(), adversary, T, 4)
            mean_regret = ((p * ell).sum() - ell.sum(axis=0).min()) / T
            assert mean_regret <= math.sqrt(ln(4) / (2 * T))  # and not = sqrt(ln 4 / T), as printed
            assert 0 < mean_regret < before  # at no T is L_A / T <= min L_i / T, as E-LIMIT prints
            before = mean_regret


# E-HEDGE01
def test_e_hedge01_the_printed_update_never_sees_the_label():
    T = 200
    gamma = math.sqrt(2 * ln(2) / T)
    # Printed: the expert that was not drawn is charged. After `ahead` more draws of +1 than of -1 it has weight
    # 1 / (1 + exp(-gamma ahead)); the law of `ahead` is followed exactly.
    law, mistakes = {0: 1.0}, 0.0
    for _ in range(T):
        after: dict[int, float] = {}
        for ahead, q in law.items():
            up = 1 / (1 + math.exp(-gamma * ahead))
            mistakes += q * (1 - up)
            after[ahead + 1] = after.get(ahead + 1, 0.0) + q * up
            after[ahead - 1] = after.get(ahead - 1, 0.0) + q * (1 - up)
        law = after
    bound = math.sqrt(2 * T * ln(2))
    assert mistakes == pytest.approx(T / 2, abs=1e-9)
    assert bound == pytest.approx(16.7, abs=0.06)
    right = plain(ls.Hedge(loss="zero-one", eta=gamma), np.tile([0.0, 1.0], (T, 1)), np.ones(T))
    assert right.loss < bound
    assert right.certificate.verdict == "kept"


# Weighted averages.


def binary_entropic(y, x):
    with np.errstate(divide="ignore", invalid="ignore"):
        a = np.where(y > 0, y * np.log(y / x), 0.0)
        return a + np.where(y < 1, (1 - y) * np.log((1 - y) / (1 - x)), 0.0)


@pytest.mark.parametrize("bits", [True, False])
# T-WA-EN-EQ
def test_t_wa_en_eq_progress_is_regret_for_bits_only(bits):
    rng, T, n = np.random.default_rng(6), 60, 4
    x = rng.uniform(0.02, 0.98, (T, n))
    y = rng.integers(0, 2, T).astype(float) if bits else rng.uniform(0.05, 0.95, T)
    run = plain(ls.WeightedAverage(loss="log"), x, y)
    v, largest = run.weights, 0.0
    for t in range(T - 1):
        ell = binary_entropic(y[t], x[t])
        for u in simplex(rng, n):
            regret = binary_entropic(y[t], v[t] @ x[t]) - u @ ell
            assert run.losses[t] == pytest.approx(binary_entropic(y[t], v[t] @ x[t]))
            gap = divergence(u, v[t]) - divergence(u, v[t + 1]) - regret
            assert gap >= -1e-9
            largest = max(largest, gap)
    if bits:
        assert largest < 1e-9  # equality
    else:
        assert largest > 0.1  # E-WA-EQ: equality is not for labels in between


def mix_gap(y, x, v, eta):
    """How much the square loss of the mean exceeds the mix loss."""
    ell = (np.asarray(y)[..., None] - x) ** 2
    return (y - (v * x).sum(-1)) ** 2 + np.log((v * np.exp(-eta * ell)).sum(-1)) / eta


# T-WA
def test_t_wa_one_half_is_the_largest_rate_for_the_square_loss():
    rng = np.random.default_rng(7)
    x = np.concatenate([rng.random((20000, 3)), rng.integers(0, 2, (20000, 3))])
    v = rng.dirichlet(np.full(3, 0.5), len(x))
    y = rng.choice([0.0, 1.0, 0.3], len(x))
    assert mix_gap(y, x, v, 0.5).max() <= 1e-14
    witness = np.array([0.9852, 1.0]), np.array([0.3325, 0.6675])
    assert mix_gap(0.0, *witness, 0.51) == pytest.approx(3.2e-7, abs=5e-9)
    assert mix_gap(0.0, *witness, 0.5) <= 0
    w, a = np.meshgrid(np.linspace(0, 1, 501), np.linspace(0, 1, 101))
    two = np.stack([a, np.ones_like(a)], axis=-1), np.stack([w, 1 - w], axis=-1)
    most = mix_gap(0.0, *two, 2.0).max()
    assert most == pytest.approx(0.0958, abs=5e-5)
    assert 0.05 < mix_gap(y, x, v, 2.0).max() <= 0.0958


@pytest.mark.parametrize("learner", [ls.WeightedAverage(), ls.AggregatingAlgorithm()])
# T-AA-SQ, T-WA
def test_t_wa_and_t_aa_sq_no_round_costs_more_than_the_mix_loss(learner):
    rng = np.random.default_rng(9)
    x = rng.integers(0, 5, (300, 3)) / 4
    _, y = contest(learner, adv.opposite, x)
    run = plain(learner, x, y, interval=(0, 1))
    eta = run.parameters["eta"]
    assert eta == (0.5 if learner.key == "weighted-average" else 2.0)
    mix = -np.log((run.weights * np.exp(-eta * (y[:, None] - x) ** 2)).sum(axis=1)) / eta
    assert (run.losses - mix).max() <= 1e-12
    assert run.certificate.verdict == "kept"


# X-WA-TRACE
def test_x_wa_trace():
    x = [[0.9, 0.1], [0.8, 0.3], [0.2, 0.7]]
    run = plain(ls.WeightedAverage(loss="log"), x, [1.0] * 3)
    assert run.weights == pytest.approx(np.array([[0.5, 0.5], [0.9, 0.1], [0.96, 0.04]]))
    assert run.learner.weights == pytest.approx([0.872727, 0.127273], abs=5e-7)
    assert run.predictions == pytest.approx([0.5, 0.75, 0.22])


# E-SIM
def test_e_sim_the_weighted_average_at_eta_2_has_linear_regret():
    def regret(learner, T):
        y = np.array([0.75, *(t % 2 for t in range(T - 1))])
        return plain(learner, np.tile([0.0, 1.0], (T, 1)), y, interval=(0, 1))

    wrong = ls.WeightedAverage(eta=2.0)
    for T, expected in ((3, 0.068893), (11, 0.344466), (21, 0.688933), (101, 3.444665)):
        run = regret(wrong, T)  # X-WA-ETA2
        assert run.loss - run.experts.L.min() == pytest.approx(expected, abs=1e-6)
        assert run.certificate.verdict == "vacuous"  # eta is beyond the exp-concavity
    assert regret(wrong, 13).loss - regret(wrong, 13).experts.L.min() > ln(2) / 2
    for right in (ls.WeightedAverage(), ls.AggregatingAlgorithm()):
        run = regret(right, 1001)
        assert run.loss - run.experts.L.min() <= 0
        assert run.certificate.verdict == "kept"


@pytest.mark.parametrize(
    ("alpha", "eta", "bound"),
    [(0.024, 2, 23.557), (0.024, 0.5, 94.229), (3 / 799, 2, 18.168), (3 / 799, 0.5, 72.674)],
)
# X-SIM
def test_x_sim_the_bracket_of_fixed_share(alpha, eta, bound):
    (theorem,) = [g for g in ls.FixedShare.guarantees if g.id == "T-FIXED-SHARE"]
    s = Symbols(T=800, n=64, k=np.array([3]), alpha=alpha, eta=eta)
    assert theorem.bound(s) == pytest.approx([bound], abs=5e-4)


# X-SIM
def test_x_sim_share_beats_static_after_the_first_shift():
    advice, outcomes, best = shifting_experts()
    static, fixed, variable = (
        ls.play(learner, advice, outcomes, interval=(0, 1), shifts=3)
        for learner in (
            ls.AggregatingAlgorithm(),
            ls.FixedShare(alpha=0.024, substitution=True),
            ls.VariableShare(alpha=0.024, substitution=True),
        )
    )
    assert fixed.certificate.verdict == variable.certificate.verdict == "kept"
    comparator = (advice[np.arange(800), best] ** 2).sum()
    assert fixed.loss - comparator <= 23.557
    for share in (fixed, variable):
        first = static.losses[:200].sum(), share.losses[:200].sum()
        after = static.losses[200:].sum(), share.losses[200:].sum()
        assert abs(first[0] - first[1]) < 3
        assert after[1] < after[0] / 2


def test_the_example_prints_its_table_and_draws(tmp_path, monkeypatch, capsys):
    pytest.importorskip(
        "matplotlib", reason="matplotlib is not installed: the picture is not drawn"
    )
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    script = runpy.run_path(str(Path(__file__).parents[2] / "examples/share_simulation.py"))
    script["main"](["--seeds", "1", "--out", str(tmp_path / "share.png")])
    rows = {}
    for line in capsys.readouterr().out.splitlines()[2:11]:
        rows[line[:34].strip()] = [float(v) for v in line[34:].split()[:3]]
    for kind in ("fixed share", "variable share"):
        share, static = (rows[f"{name}, Vovk's prediction"] for name in (kind, "static"))
        assert share[1] < static[1] / 2
    assert (tmp_path / "share.png").read_bytes().startswith(b"\x89PNG")
