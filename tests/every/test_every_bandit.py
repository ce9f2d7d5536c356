"""Generic checks of bandits: propensities, arms that are away, intervals, rewards, hard streams, late losses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from support.bandits import features, offers, table
from support.rounds import leaves, same, subject
from support.rows import BANDIT_KEYS as KEYS
from support.rows import row

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.core.numeric import draw, uniform
from littlestone.engine.compile import has_numba
from littlestone.live import store
from littlestone.testing.late import interleaved_copies_are_learners, late_is_ask_and_tell
from littlestone.testing.subject import using

T, N = 40, 4
ENGINES = ["plain", "compiled"]


def made(key, **parameters):
    return ls.learner(key, **parameters)


def started(key, rounds=T, n=N, seed=0, interval=None, **parameters):
    x = features(key, 1, n)
    wide = 0 if x is None else x[0].size
    return made(key, **parameters).start(
        n, rounds=rounds, features=wide, seed=seed, interval=interval
    )


def context(x, t):
    return None if x is None else x[t]


def lived(learner, Y, x=None, on=None):
    """Arms and propensities of the rounds, one at a time."""
    arms, chances = [], []
    for t in range(len(Y)):
        there = None if on is None else on[t]
        chances.append(learner.propensities(context(x, t), there))
        arms.append(learner.predict(context(x, t), there))
        learner.update(context(x, t), arms[-1], Y[t, arms[-1]], available=there)
    return np.array(arms), np.array(chances)


# Arms that are away, in both engines.


@pytest.mark.skipif(not has_numba(), reason="numba is not installed: compiled rules not tested")
@pytest.mark.parametrize("key", KEYS)
def test_a_compiled_step_is_a_plain_step_with_arms_away(key):
    Y, x, on = table(24, N), features(key, 24, N), offers(24, N)
    with using("compiled"):
        learner = started(key, 24)
        for t in range(24):
            there = on[t] if t % 2 else None
            file = store.to_bytes(learner)
            with using("plain"):
                both = [store.from_bytes(file)]
            both.append(store.from_bytes(file))
            first = [twin.propensities(context(x, t), there) for twin in both]
            assert first[0] == pytest.approx(first[1], rel=1e-12, abs=1e-12)
            arm = int(np.argmax(first[0] > 0)) if t % 3 else int(np.argmax(first[0]))
            for twin in [*both, learner]:
                twin.update(context(x, t), arm, Y[t, arm], available=there)
            after = [twin.propensities(context(x, t)) for twin in both]
            assert after[0] == pytest.approx(after[1], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("key", KEYS)
def test_realised_and_expected_losses(key, plain):
    Y, x = table(T, N), features(key, T, N)
    run = ls.play(made(key), Y, features=x, seed=5, interval=(0, 1))
    assert run.realised == pytest.approx(Y[np.arange(T), run.arms])
    assert run.losses == pytest.approx((run.propensities * Y).sum(axis=1))


# Propensities.


@pytest.mark.parametrize("key", KEYS)
def test_propensities_sum_to_one(key, engine):
    run = ls.play(made(key), table(T, N), features=features(key, T, N), available=offers(T, N))
    p = run.propensities
    assert (p >= 0).all()
    assert p.sum(axis=1) == pytest.approx(np.ones(T), abs=1e-9)


@pytest.mark.parametrize("key", KEYS)
def test_arms_that_are_not_there_are_never_drawn(key, engine):
    on = offers(T, N)
    x = features(key, T, N)
    run = ls.play(made(key), table(T, N), features=x, available=on)
    assert (run.propensities[~on] == 0).all()
    assert on[np.arange(T), run.arms].all()
    arms, chances = lived(started(key), table(T, N), x, on)
    assert (arms == run.arms).all()
    assert (chances == run.propensities).all()


def off(counts, p):
    """Is a count too far from its mean for chance, once in 30,000?"""
    seeds = counts.sum()
    return bool((np.abs(counts - seeds * p) > 4.0 * np.sqrt(seeds * p * (1 - p)) + 1e-9).any())


@pytest.mark.parametrize("key", KEYS)
def test_what_is_drawn_has_the_propensity_that_is_told(key, plain):
    x = features(key, 7, N)
    p, counts = None, np.zeros(N)
    for seed in range(3000):
        if seed < 20:  # the others draw alike: from the same propensities, with their seed
            learner = started(key, seed=seed)
            for t in range(6):  # all are told the same, so that all decide the same
                arm = int(np.argmax(learner.propensities(context(x, t))))
                learner.update(context(x, t), arm, table(6, N)[t, arm])
            p = learner.propensities(context(x, 6))
            assert learner.predict(context(x, 6)) == draw(p, uniform(seed, 6, 0))
        counts[draw(p, uniform(seed, 6, 0))] += 1
    assert not off(counts, p)
    if p.max() < 0.9:
        assert off(counts, np.roll(p, 1)) or np.allclose(p, np.roll(p, 1), atol=0.1)


def test_the_test_of_frequencies_can_fail():
    counts = np.bincount([draw(np.array([0.3, 0.7]), uniform(s, 0, 0)) for s in range(3000)])
    assert not off(counts, np.array([0.3, 0.7]))
    assert off(counts, np.array([0.35, 0.65]))


@pytest.mark.parametrize("key", KEYS)
def test_a_run_draws_as_often_as_it_says(key):
    rounds = 3000
    run = ls.play(made(key), table(rounds, N), features=features(key, rounds, N), seed=1)
    p = run.propensities
    drawn = np.eye(N)[run.arms]
    spread = np.sqrt((p * (1 - p)).sum(axis=0))
    assert (np.abs((drawn - p).sum(axis=0)) <= 4.5 * spread + 1e-6).all()


# Losses in any interval, and rewards.


@pytest.mark.parametrize("key", KEYS)
def test_any_interval(key, plain):
    Y, x = table(T, N), features(key, T, N)
    unit = ls.play(made(key), Y, features=x, interval=(0, 1), seed=4)
    wide = ls.play(made(key), 16 * Y - 8, features=x, interval=(-8, 8), seed=4)
    assert (unit.propensities == wide.propensities).all()
    assert (unit.arms == wide.arms).all()
    assert wide.loss == pytest.approx(16 * unit.loss - 8 * T)
    a = lived(started(key, seed=4, interval=(-8, 8)), 16 * Y - 8, x)
    assert (a[1] == wide.propensities).all()
    for one, other in zip(unit.certificate, wide.certificate, strict=True):
        if one.guarantee.measures in ("regret", "pseudo-regret") and math.isfinite(one.bound):
            assert other.bound == pytest.approx(16 * one.bound)


@pytest.mark.parametrize("key", KEYS)
def test_rewards(key, plain):
    Y, x = table(T, N), features(key, T, N)
    losses = ls.play(made(key), Y, features=x, interval=(0, 1), seed=4)
    rewards = ls.play(made(key), 1 - Y, rewards=True, features=x, interval=(0, 1), seed=4)
    assert (losses.propensities == rewards.propensities).all()
    assert losses.loss == rewards.loss
    a, b = started(key), started(key)
    arm = a.predict(context(x, 0))
    a.update(context(x, 0), arm, 0.25)
    b.update(context(x, 0), arm, reward=0.75)
    assert same(a.state, b.state)


# Bad input: one message, and nothing has changed.


def round_of(learner, x):
    """The round that comes next."""
    return store.from_bytes(store.to_bytes(learner)).ask(x).round


BAD = [
    ({"arm": N, "loss": 0.5}, "arm"),
    ({"arm": -1, "loss": 0.5}, "arm"),
    ({"arm": 0.5, "loss": 0.5}, "arm"),
    ({"arm": None, "loss": 0.5}, "arm"),
    ({"arm": "first", "loss": 0.5}, "arm"),
    ({"loss": 1.5}, "loss"),
    ({"loss": -0.1}, "loss"),
    ({"loss": math.nan}, "loss"),
    ({"loss": math.inf}, "loss"),
    ({"loss": "much"}, "loss"),
    ({"loss": [0.5, 0.5]}, "loss"),
    ({}, "loss"),
    ({"loss": 0.5, "reward": 0.5}, "loss"),
    ({"reward": math.nan}, "reward"),
    ({"reward": "much"}, "reward"),
    ({"loss": 0.5, "available": [True] * (N - 1)}, "available"),
    ({"loss": 0.5, "available": [2.0] * N}, "available"),
    ({"loss": 0.5, "available": [False] * N}, "available"),
    ({"loss": 0.5, "available": np.ones((2, N))}, "available"),
    ({"loss": 0.5, "available": []}, "available"),
    ({"loss": 0.5, "x": [1.0] * 3}, "features"),
    ({"loss": 0.5, "x": [[math.nan] * N] * 3}, "features"),
    ({"loss": 0.5, "x": []}, "features"),
]


@pytest.mark.parametrize("key", KEYS)
def test_bad_rounds_are_refused_and_nothing_changes(key, plain):
    x = features(key, 3, N)
    learner = started(key)
    lived(learner, table(3, N), x)
    arm = learner.predict(context(x, 2))
    before, rounds = [np.copy(v) for v in leaves(learner.state)], round_of(learner, context(x, 2))
    for bad, word in BAD:
        if "x" in bad and x is None and len(bad["x"]) == 0:
            continue
        given = {"x": context(x, 2), "arm": arm} | bad
        with pytest.raises(BadInput, match=word) as problem:
            learner.update(given.pop("x"), given.pop("arm"), given.pop("loss", None), **given)
        assert "\n" not in str(problem.value)
        after = leaves(learner.state)
        assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True)), bad
    assert round_of(learner, context(x, 2)) == rounds


@pytest.mark.parametrize("key", KEYS)
def test_an_arm_that_cannot_have_been_drawn_is_refused(key, plain):
    x = features(key, 1, N)
    learner = started(key)
    there = np.array([True, True, False, False])
    with pytest.raises(BadInput, match="arm 3 had probability 0"):
        learner.update(context(x, 0), 3, 0.5, available=there)


@pytest.mark.parametrize("key", KEYS)
def test_bad_streams_are_refused(key, plain):
    x, Y = features(key, T, N), table(T, N)
    for at in (math.nan, math.inf, 7.0):
        bad = Y.copy()
        bad[5, 2] = at
        with pytest.raises(BadInput, match=r"row 6.*arm 2"):
            ls.play(made(key), bad, features=x, interval=(0, 1))
    with pytest.raises(BadInput):
        ls.play(made(key), np.empty((0, N)), features=x)
    with pytest.raises(BadInput, match="available must be"):
        ls.play(made(key), Y, features=x, available=np.ones((T, N - 1)))
    on = np.ones((T, N))
    on[2] = 0
    with pytest.raises(BadInput, match="row 3: no arm is there"):
        ls.play(made(key), Y, features=x, available=on)
    if x is None:
        with pytest.raises(BadInput, match="looks at no features"):
            ls.play(made(key), Y, features=np.zeros((T, 2)))
    else:
        with pytest.raises(BadInput, match="needs features"):
            ls.play(made(key), Y)
        with pytest.raises(BadInput, match="rows; there are"):
            ls.play(made(key), Y, features=x[:-1])
        bad = x.copy()
        bad[3, ..., 0] = math.nan
        with pytest.raises(BadInput, match="features"):
            ls.play(made(key), Y, features=bad)


# Long and hard.


@pytest.mark.parametrize("key", KEYS)
def test_no_nan_over_many_adversarial_rounds(key):
    """The best arm becomes the worst, again and again, and rates are far too large."""
    rounds = 100_000 if has_numba() else 2_000
    t = np.arange(rounds)
    Y = np.column_stack([(t // 5000) % 2, 1 - (t // 5000) % 2, np.ones(rounds)]).astype(float)
    run = ls.play(
        made(key, **row(key).extreme), Y, features=features(key, rounds, 3), certify=False
    )
    assert np.isfinite(run.loss)
    assert 0 <= run.loss <= rounds
    for leaf in leaves(run.learner.state):
        assert not np.isnan(leaf).any()
    x = features(key, 1, 3)
    p = run.learner.propensities(context(x, 0))
    assert p.sum() == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("key", KEYS)
def test_the_least_likely_arm_told_again_and_again(key, plain):
    learner, x = started(key, n=3, **row(key).extreme), features(key, 60, 3)
    for t in range(60):
        p = learner.propensities(context(x, t))
        assert p.sum() == pytest.approx(1, abs=1e-9)
        arm = int(np.argmin(np.where(p > 0, p, np.inf)))
        learner.update(context(x, t), arm, 1.0 if t % 4 else 0.0)
    for leaf in leaves(learner.state):
        assert np.isfinite(leaf[~np.isinf(leaf)]).all()
        assert not np.isnan(leaf).any()


@pytest.mark.parametrize("key", KEYS)
def test_one_arm(key, plain):
    x = features(key, 5, 1)
    run = ls.play(made(key), np.full((5, 1), 0.5), features=x)
    assert (run.propensities == 1).all()
    assert run.loss == 2.5
    assert "broken" not in {v.verdict for v in run.certificate}


# Late feedback.


# the loops of late feedback are compiled for a few: those for all would take minutes, and rules are the same
@pytest.mark.skipif(not has_numba(), reason="numba is not installed: compiled rules not tested")
@pytest.mark.parametrize("key", ["exp3", "exp4", "tsallis-inf", "ucb1"])
def test_late_compiled(key):
    with using("compiled"):
        late_is_ask_and_tell(subject(key), "compiled")


@pytest.mark.skipif(not has_numba(), reason="numba is not installed: compiled rules not tested")
@pytest.mark.parametrize("key", KEYS)
def test_interleaved_compiled(key):
    with using("compiled"):
        interleaved_copies_are_learners(subject(key), "compiled")


@pytest.mark.parametrize("key", KEYS)
def test_nothing_is_learned_before_the_first_loss_is_told(key, plain):
    Y, x = table(T, N), features(key, T, N)
    run = ls.play(made(key), Y, features=x, delay=3, interleave=False)
    assert (run.propensities[:4] == run.propensities[0]).all() or x is not None


@pytest.mark.parametrize("key", KEYS)
def test_out_of_order_and_never(key, plain):
    Y, x = table(12, N), features(key, 12, N)
    learner = started(key, seed=1)
    tickets = [learner.ask(context(x, t)) for t in range(12)]
    for t in np.random.default_rng(0).permutation(12)[:9]:
        learner.tell(tickets[t], Y[t, tickets[t].prediction])
    p = learner.propensities(context(x, 0))
    assert p.sum() == pytest.approx(1, abs=1e-9)
    first, *_, last = np.random.default_rng(0).permutation(12)
    state = [np.copy(v) for v in leaves(learner.state)]
    with pytest.raises(BadInput, match="told before"):
        learner.tell(tickets[first], 0.5)
    with pytest.raises(BadInput, match="loss"):
        learner.tell(tickets[last], 1.5)
    learner.tell(tickets[last])  # it will never be known
    assert len(learner.tickets) == 2
    assert all(np.array_equal(a, b) for a, b in zip(state, leaves(learner.state), strict=True))
