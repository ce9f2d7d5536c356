"""Generic checks of bandits, crossed with the registry: one that has a file and a row is tested by these."""

from __future__ import annotations

import inspect
import math
import sys

import numpy as np
import pytest
from support.bandit_rows import KEYS, ROWS, features, made, offers, row, table
from support.rows import leaves, same

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.core.guarantee import Symbols
from littlestone.core.numeric import draw, uniform
from littlestone.core.registry import learners
from littlestone.engine.compile import has_numba
from littlestone.engine.memory import copy
from littlestone.games import bandit as games_bandit
from littlestone.session import worlds

T, N = 40, 4
ENGINES = ["plain", "compiled"]
COPY = 0x9E3779B1  # what the seeds of interleaved copies differ by


def use(which, monkeypatch):
    if which == "plain":
        monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    else:
        if not has_numba():
            pytest.skip("numba is not installed: compiled rules not tested")
        monkeypatch.delenv("LITTLESTONE_ENGINE", raising=False)


@pytest.fixture(params=ENGINES)
def engine(request, monkeypatch):
    use(request.param, monkeypatch)
    return request.param


@pytest.fixture
def plain(monkeypatch):
    use("plain", monkeypatch)


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


# The rows.


@pytest.mark.parametrize("key", KEYS)
def test_every_bandit_has_a_row(key):
    assert row(key).key == key


def test_every_row_has_a_bandit():
    assert sorted(r.key for r in ROWS) == KEYS


@pytest.mark.parametrize("key", KEYS)
def test_the_worked_row(key, engine):
    r = row(key)
    n = len(r.chances[0])
    learner = made(key, **r.parameters).start(n, features=0 if r.x is None else np.size(r.x))
    assert learner._live.which == engine
    for (arm, loss), p in zip(r.told, r.chances[:-1], strict=True):
        assert learner.propensities(r.x) == pytest.approx(np.array(p), abs=2e-6)
        learner.update(r.x, arm, loss)
    assert learner.propensities(r.x) == pytest.approx(np.array(r.chances[-1]), abs=2e-6)


@pytest.mark.parametrize("key", KEYS)
def test_it_carries_its_theorem(key):
    r, found = row(key), learners()[key].guarantees
    if r.theorem is None:
        assert not found
        return
    for g in found:
        assert "<=" in g.statement or "at most" in g.statement
        assert g.source
        assert g.mode in ("surely", "in expectation", "with probability 1 - delta")
    g = next(g for g in found if g.id == r.theorem)
    if r.bound is not None:
        symbols, value = r.bound
        assert float(g.bound(Symbols(**symbols))) == pytest.approx(value, rel=1e-6)


# One rule, two engines, several ways to play.


@pytest.mark.skipif(not has_numba(), reason="numba is not installed: compiled rules not tested")
@pytest.mark.parametrize("key", KEYS)
def test_a_compiled_step_is_a_plain_step(key, plain):
    Y, x, on = table(24, N), features(key, 24, N), offers(24, N)
    live = started(key, 24)._live
    for t in range(24):
        there = on[t] if t % 2 else None
        both = [
            type(live)(live.learner, live.game, live.shape, state=copy(live.state), t=live.t,
                       which=which, **live.more())
            for which in ENGINES
        ]  # fmt: skip
        first = [twin.chances(context(x, t), there) for twin in both]
        assert first[0] == pytest.approx(first[1], rel=1e-12, abs=1e-12)
        arm = int(np.argmax(first[0] > 0)) if t % 3 else int(np.argmax(first[0]))
        for twin in [*both, live]:
            twin.update(context(x, t), arm, Y[t, arm], there)
        after = [twin.chances(context(x, t)) for twin in both]
        assert after[0] == pytest.approx(after[1], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("key", KEYS)
def test_one_at_a_time_is_play(key, engine):
    Y, x = table(T, N), features(key, T, N)
    run = ls.play(made(key), Y, features=x, seed=5, interval=(0, 1))
    learner = started(key, seed=5)
    arms, chances = lived(learner, Y, x)
    assert (arms == run.arms).all()
    assert (chances == run.propensities).all()
    assert same(learner.state, run.learner.state)
    assert run.realised == pytest.approx(Y[np.arange(T), arms])
    assert run.losses == pytest.approx((chances * Y).sum(axis=1))


@pytest.mark.parametrize("key", KEYS)
def test_chunks_and_resumed_are_the_whole(key, plain):
    Y, x = table(T, N), features(key, T, N)
    whole = ls.play(made(key), Y, features=x, seed=3, horizon=T)
    half = ls.play(made(key), Y[:17], features=None if x is None else x[:17], seed=3, horizon=T)
    rest = ls.play(
        half.learner, Y[17:], features=None if x is None else x[17:], seed=3, resume=True
    )
    assert (np.r_[half.arms, rest.arms] == whole.arms).all()
    assert same(rest.learner.state, whole.learner.state)


@pytest.mark.parametrize("key", KEYS)
def test_saved_in_the_middle(key, plain, tmp_path):
    Y, x = table(T, N), features(key, T, N)
    learner = started(key, seed=2)
    lived(learner, Y[:11], x)
    again = ls.load(learner.save(tmp_path / "bandit.ls"))
    rest = slice(11, T)
    later = None if x is None else x[rest]
    a, b = lived(learner, Y[rest], later), lived(again, Y[rest], later)
    assert (a[0] == b[0]).all()
    assert (a[1] == b[1]).all()
    assert same(learner.state, again.state)


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
    learner, x = started(key), features(key, 7, N)
    lived(learner, table(6, N), x)
    live = learner._live
    p = learner.propensities(context(x, 6))
    counts = np.zeros(N)
    for seed in range(3000):
        live.seed = seed
        # what predict does, without computing the same propensities again
        arm = draw(p, uniform(seed, live.t, 0))
        if seed < 20:
            assert learner.predict(context(x, 6)) == arm
        counts[arm] += 1
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
    ({"reward": math.nan}, "loss"),
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
    before, rounds = [np.copy(v) for v in leaves(learner.state)], learner._live.t
    for bad, word in BAD:
        if "x" in bad and x is None and len(bad["x"]) == 0:
            continue
        given = {"x": context(x, 2), "arm": arm} | bad
        with pytest.raises(BadInput, match=word) as problem:
            learner.update(given.pop("x"), given.pop("arm"), given.pop("loss", None), **given)
        assert "\n" not in str(problem.value)
        after = leaves(learner.state)
        assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True)), bad
        assert learner._live.t == rounds


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
    run = ls.play(made(key, **row(key).harsh), Y, features=features(key, rounds, 3), certify=False)
    assert np.isfinite(run.loss)
    assert 0 <= run.loss <= rounds
    for leaf in leaves(run.learner.state):
        assert not np.isnan(leaf).any()
    x = features(key, 1, 3)
    p = run.learner.propensities(context(x, 0))
    assert p.sum() == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("key", KEYS)
def test_the_least_likely_arm_told_again_and_again(key, plain):
    learner, x = started(key, n=3, **row(key).harsh), features(key, 60, 3)
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


def told_late(learner, Y, x, delay):
    """The outcome of round t comes after round t + delay, and those still outstanding after the last."""
    waiting, arms, chances = [], [], []
    for t in range(len(Y)):
        ticket = learner.ask(context(x, t))
        arms.append(ticket.prediction)
        chances.append(ticket.decision)
        waiting.append(ticket)
        if len(waiting) > delay:
            first = waiting.pop(0)
            learner.tell(first, Y[first.round, first.prediction])
    for ticket in waiting:
        learner.tell(ticket, Y[ticket.round, ticket.prediction])
    return np.array(arms), np.array(chances)


# the loops of late feedback are compiled for a few: those for all would take minutes, and rules are the same
LATE = [("plain", key) for key in KEYS]
LATE += [("compiled", key) for key in ("exp3", "exp4", "tsallis-inf", "ucb1")]


@pytest.mark.parametrize(("which", "key"), LATE)
def test_late_to_one_copy_is_ask_and_tell(which, key, monkeypatch):
    use(which, monkeypatch)
    Y, x = table(T, N), features(key, T, N)
    run = ls.play(made(key), Y, features=x, seed=6, interval=(0, 1), delay=3, interleave=False)
    learner = started(key, seed=6)
    arms, chances = told_late(learner, Y, x, 3)
    assert (arms == run.arms).all()
    assert (chances == run.propensities).all()
    assert same(learner.state, run.learner.state)
    assert (chances[1] == chances[0]).all() or x is not None  # nothing was learned yet


@pytest.mark.parametrize("key", KEYS)
def test_interleaved_copies_are_separate_learners(key, engine):
    Y, x = table(T, N), features(key, T, N)
    run = ls.play(made(key), Y, features=x, seed=6, delay=3, interleave=True)
    for j in range(4):
        own = slice(j, None, 4)
        part = ls.play(made(key), Y[own], features=None if x is None else x[own], seed=6 + COPY * j)
        assert (part.arms == run.arms[own]).all()
        assert (part.propensities == run.propensities[own]).all()


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


# Names.


@pytest.mark.parametrize("key", KEYS)
def test_it_can_be_had_by_name(key):
    cls = learners()[key]
    assert getattr(ls, cls.__name__) is cls
    assert isinstance(ls.learner(key), cls)


def test_no_field_is_called_like_a_method():
    """Numba looks methods up by name alone: one called like a field of any NamedTuple hides that field."""
    modules = [games_bandit, worlds, *{sys.modules[learners()[key].__module__] for key in KEYS}]
    tuples = {
        v
        for module in modules
        for v in vars(module).values()
        if isinstance(v, type) and issubclass(v, tuple) and hasattr(v, "_fields")
    } | {learners()[key].Params for key in KEYS}
    methods = {
        name
        for cls in tuples
        for name, f in vars(cls).items()
        if inspect.isfunction(f) and not name.startswith("_")
    }
    assert {"act", "show", "cost", "decide", "learn", "note", "fill"} <= methods
    for cls in tuples:
        assert not methods & set(cls._fields), cls.__qualname__
