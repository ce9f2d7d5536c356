"""Logs, estimates of other policies' values, and replay: unbiased by enumeration, limits by simulation."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.offpolicy.importance_weights import importance_weights, policy
from littlestone.offpolicy.intervals import Interval, adaptive, bernstein, binomial, normal
from littlestone.offpolicy.logged import LoggedDecisions
from littlestone.offpolicy.off_policy import METHODS, direct, doubly_robust, ips, off_policy_value
from littlestone.offpolicy.replay import replay
from littlestone.offpolicy.reward_models import predictions

# Logs ----------------------------------------------------------------------------------------------------------------

GOOD = {"arms": [0, 2, 1], "rewards": [0.0, 1.0, 0.5], "propensities": [0.5, 0.25, 0.25]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"propensities": [0.5, 0.0, 0.2]}, "propensity, row 2: 0 is not in (0, 1]"),
        ({"propensities": [0.5, 0.2, 1.2]}, "propensity, row 3: 1.2 is not in (0, 1]"),
        ({"propensities": [0.5, 0.2]}, "propensity: 2 values for 3 rows; there must be one a row"),
        ({"propensities": [0.5, np.nan, 1]}, "propensity, row 2: nan is not a finite number"),
        ({"rewards": [0.0, np.inf, 0.0]}, "reward, row 2: inf is not a finite number"),
        (
            {"rewards": [0.0, 2.0, 0.0]},
            "reward, row 2: 2 is not in [0, 1]; say interval=(low, high)",
        ),
        ({"rewards": [0.0, 1.0]}, "reward: 2 values for 3 rows; there must be one a row"),
        ({"arms": [0, -1, 1]}, "arm, row 2: -1 is not an arm in 0, ..., 1"),
        ({"arms": [0, 1.5, 1]}, "arm, row 2: 1.5 is not a whole number"),
        ({"n": 2}, "arm, row 2: 2 is not an arm in 0, ..., 1"),
        ({"arms": []}, "no rows in the log"),
        ({"losses": [0, 0, 0]}, "a log holds rewards or losses: give one of the two"),
        ({"contexts": [[1.0], [np.nan], [0.0]]}, "context, row 2, column 1: nan is not finite"),
        ({"contexts": [[1.0], [0.0]]}, "context: 2 rows for 3 rows of the log"),
        ({"positions": [1, 2, 2.5]}, "position, row 3: 2.5 is not a whole number"),
        ({"interval": (1.0, 0.0)}, "interval must be two numbers, low < high, not (1.0, 0.0)"),
    ],
)
def test_bad_logs_are_refused_by_name(change, message):
    with pytest.raises(BadInput) as error:
        LoggedDecisions(**(GOOD | change))
    assert str(error.value) == message


CSV = """when,item,click,score,slot,colour,size
10:01,b,0,0.5,1,red,2.5
10:02,a,1,0.25,2,blue,1.5
10:03,b,1,0.5,1,red,0
"""
COLUMNS = {"arm": "item", "reward": "click", "propensity": "score"}


@pytest.mark.parametrize("source", ["file", "pandas", "pyarrow"])
def test_a_log_is_read_by_the_names_of_its_columns(source, tmp_path):
    file = tmp_path / "log.csv"
    file.write_text(CSV, encoding="utf-8")
    data = file
    if source == "pandas":
        data = pytest.importorskip("pandas").read_csv(file)
    elif source == "pyarrow":
        from pyarrow import csv

        data = csv.read_csv(file)
    log = LoggedDecisions.read(data, **COLUMNS, position="slot", context=["colour", "size"])
    assert log.names == ("a", "b")
    assert log.arms.tolist() == [1, 0, 1]
    assert log.outcomes.tolist() == [0.0, 1.0, 1.0]
    assert log.propensities.tolist() == [0.5, 0.25, 0.5]
    assert log.positions.tolist() == [1, 2, 1]
    assert sorted(log.contexts[0].tolist()) == [0.0, 1.0, 2.5]  # blue, red, size in some order
    assert log.where(log.positions == 1).arms.tolist() == [1, 1]
    numbers = LoggedDecisions.read(
        data, arm="slot", loss="click", propensity=0.5, n=3, context="size"
    )
    assert numbers.arms.tolist() == [1, 2, 1]
    assert numbers.losses.tolist() == [0.0, 1.0, 1.0]
    assert numbers.contexts.tolist() == [[2.5], [1.5], [0.0]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arm": "itm"}, "arm: no column is called 'itm'; did you mean 'item'?"),
        ({"reward": "clik"}, "log: no column is called 'clik'; did you mean 'click'?"),
        ({"context": "nothing*"}, "context: no column matches 'nothing*'"),
        ({"propensity": "click"}, "click, row 1: 0 is not in (0, 1]"),
        ({"reward": "size"}, "size, row 1: 2.5 is not in [0, 1]; say interval=(low, high)"),
        ({"reward": None}, "name the column of the outcomes: reward= or loss=, one of the two"),
    ],
)
def test_columns_that_are_not_there_are_named(change, message, tmp_path):
    file = tmp_path / "log.csv"
    file.write_text(CSV, encoding="utf-8")
    with pytest.raises(BadInput) as error:
        LoggedDecisions.read(file, **(COLUMNS | change))
    assert str(error.value).startswith(message)


# The policy ----------------------------------------------------------------------------------------------------------


def test_a_policy_may_be_given_in_many_ways():
    log = LoggedDecisions(**GOOD, contexts=[[0.0], [1.0], [2.0]])
    same = [[0.5, 0.25, 0.25]] * 3
    assert policy(log, same[0]).tolist() == same
    assert policy(log, same).tolist() == same
    assert policy(log, 2).tolist() == [[0.0, 0.0, 1.0]] * 3
    greedy = policy(log, lambda x: np.eye(3)[int(x[0])])
    assert greedy.tolist() == np.eye(3).tolist()
    assert (
        policy(LoggedDecisions(**GOOD), lambda x: same[0] if x is None else None).tolist() == same
    )


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ([0.5, 0.5], "target: shape (2,); it must be 3 probabilities, or 3 x 3"),
        ([0.5, 0.5, 0.5], "target, row 1: [0.5 0.5 0.5] is no distribution; its sum is 1.5"),
        ([1.5, -0.5, 0.0], "target, row 1: [ 1.5 -0.5  0. ] is no distribution; its sum is 1"),
        ([0.5, np.nan, 0.5], "target, row 1: [0.5 nan 0.5] is no distribution; its sum is nan"),
        (3, "target: 3 is not an arm in 0, ..., 2"),
    ],
)
def test_what_is_no_policy_is_refused(target, message):
    with pytest.raises(BadInput) as error:
        off_policy_value(LoggedDecisions(**GOOD), target)
    assert str(error.value) == message


def test_options_out_of_range_are_refused():
    log = LoggedDecisions(**GOOD)
    for options, message in (
        ({"delta": 1.0}, "delta must be a number in (0, 1), not 1.0"),
        ({"floor": 0.3}, "floor must be in (0, 0.25], the smallest propensity, not 0.3"),
        ({"clip": 0}, "clip must be a positive number, not 0"),
        ({"folds": 1}, "folds must be a whole number from 2 to the number of rows, not 1"),
        ({"model": "tree"}, "model 'tree': one of mean, logistic, linear, or T x n predictions"),
        ({"model": "linear"}, "model 'linear' needs contexts, and this log has none; take 'mean'"),
        ({"methods": ["oops"]}, "there is no method 'oops'; the methods are " + ", ".join(METHODS)),
        ({"model": np.full((3, 3), 2.0)}, "model, row 1, arm 0: 2 is not in [0, 1]"),
    ):
        with pytest.raises(BadInput) as error:
            off_policy_value(log, 0, **options)
        assert str(error.value) == message


# By hand -------------------------------------------------------------------------------------------------------------


def test_five_estimates_by_hand():
    """Weights of always arm 0: 2, 0, 4, 0; rewards 1, 0, 0, 1."""
    log = LoggedDecisions([0, 1, 0, 1], [1.0, 0.0, 0.0, 1.0], [0.5, 0.5, 0.25, 0.75])
    q = np.array([[0.5, 0.0], [0.25, 0.0], [0.5, 0.0], [0.75, 0.0]])
    e = off_policy_value(log, 0, clip=3.0, model=q)
    assert e["ips"].value == pytest.approx(2 / 4)
    assert e["snips"].value == pytest.approx(2 / 6)
    assert e["clipped"].value == pytest.approx(2 / 4)
    assert e["direct"].value == pytest.approx(2 / 4)
    assert e["dr"].value == pytest.approx(2 / 4 + (2 * 0.5 - 4 * 0.5) / 4)
    assert (e.effective, e.largest) == (pytest.approx(36 / 20), 4.0)
    assert "1 weights cut" in e["clipped"].note
    assert "terms in [0, 4] (if no arm had less than 0.25)" in e["ips"].note
    text = str(e)
    assert all(f"\n{m}" in text for m in METHODS)
    assert "A-DR" in text


def test_losses_stay_losses():
    log = LoggedDecisions([0, 1], losses=[-1.0, 3.0], propensities=0.5, interval=(-1.0, 3.0))
    assert off_policy_value(log, 1)["snips"].value == 3.0
    assert log.losses.tolist() == [0.0, 1.0]
    rewards = LoggedDecisions([0, 1], [-1.0, 3.0], 0.5, interval=(-1.0, 3.0))
    assert rewards.losses.tolist() == [1.0, 0.0]


# Unbiased, by enumeration --------------------------------------------------------------------------------------------


def worlds(logging, means):
    """Every log of arms and coin rewards, with its probability: `logging` and `means` are T x n."""
    T, n = logging.shape
    for arms in itertools.product(range(n), repeat=T):
        p = np.prod([logging[t, a] for t, a in enumerate(arms)])
        for rewards in itertools.product((0.0, 1.0), repeat=T):
            chance = p
            for t, r in enumerate(rewards):
                mu = means[t, arms[t]]
                chance *= mu if r else 1.0 - mu
            propensities = [logging[t, a] for t, a in enumerate(arms)]
            yield chance, LoggedDecisions(arms, rewards, propensities, n=n)


@st.composite
def cases(draw, T=3, n=2):
    """Logging policy, means and target: each row has its own."""
    number = st.floats(0.05, 1.0)
    table = st.lists(st.lists(number, min_size=n, max_size=n), min_size=T, max_size=T)
    logging, target = (np.array(draw(table)) for _ in range(2))
    means = np.array(draw(table))
    norm = logging.sum(axis=1, keepdims=True), target.sum(axis=1, keepdims=True)
    return logging / norm[0], means, target / norm[1]


@given(cases())
@settings(max_examples=25)
def test_ips_and_dr_are_unbiased(case):
    """T-IPS-UNBIASED, T-DR-UNBIASED: whatever a given model says, and with a model fitted on the other fold."""
    logging, means, target = case
    value = (target * means).sum(axis=1).mean()
    q = np.array([[0.2, 0.9]] * 3)
    total = {"ips": 0.0, "given": 0.0, "fitted": 0.0, "all": 0.0}
    for chance, log in worlds(logging, means):
        v = importance_weights(log, target)
        total["ips"] += chance * ips(v).value
        total["given"] += chance * doubly_robust(v, q).value
        total["fitted"] += chance * doubly_robust(v, "mean").value
        total["all"] += chance
    assert total["all"] == pytest.approx(1.0, abs=1e-12)
    for name in ("ips", "given", "fitted"):
        assert total[name] == pytest.approx(value, abs=1e-11), name


def test_a_model_that_saw_its_own_rows_is_biased():
    """So the enumeration can tell: the same estimate, fitted on all rows, is off."""
    logging = np.full((3, 2), 0.5)
    means, target = np.array([[0.9, 0.1]] * 3), np.array([[0.8, 0.2]] * 3)
    value, off = (target * means).sum(axis=1).mean(), 0.0
    for chance, log in worlds(logging, means):
        own = (np.bincount(log.arms, log.outcomes, 2) + log.outcomes.mean()) / (
            np.bincount(log.arms, minlength=2) + 1.0
        )
        off += chance * doubly_robust(importance_weights(log, target), np.tile(own, (3, 1))).value
    assert abs(off - value) > 0.01


def test_a_log_of_a_learner_is_weighed_without_bias_too():
    """The policy of the log looks at what it has seen; the model of a row may not have seen what came of it."""
    means, target, T = np.array([0.9, 0.2]), np.array([0.3, 0.7]), 4
    total = {"ips": 0.0, "dr": 0.0, "both sides": 0.0, "all": 0.0}
    for arms in itertools.product(range(2), repeat=T):
        for rewards in itertools.product((0.0, 1.0), repeat=T):
            learner, chance, propensities = EpsilonGreedy(2, 0.4), 1.0, []
            for a, r in zip(arms, rewards, strict=True):
                p = learner.propensities(None)[a]
                chance *= p * (means[a] if r else 1.0 - means[a])
                propensities.append(p)
                learner.update(None, a, 1.0 - r)
            for adaptive_, name in ((True, "dr"), (False, "both sides")):
                log = LoggedDecisions(arms, rewards, propensities, n=2, adaptive=adaptive_)
                v = importance_weights(log, target)
                total[name] += chance * doubly_robust(v, "mean").value
            total["ips"] += chance * ips(v).value
            total["all"] += chance
    value = float(target @ means)
    assert total["all"] == pytest.approx(1.0, abs=1e-12)
    assert total["ips"] == pytest.approx(value, abs=1e-12)
    assert total["dr"] == pytest.approx(value, abs=1e-12)
    assert abs(total["both sides"] - value) > 1e-3


# Models --------------------------------------------------------------------------------------------------------------


def simulated(T, seed, n=3, d=2, logging=None, contexts=False, coin=True):
    """A log, and the means of each arm in each row."""
    rng = np.random.default_rng(seed)
    logging = np.full(n, 1.0 / n) if logging is None else np.asarray(logging)
    x = rng.normal(size=(T, d))
    means = np.tile(np.linspace(0.2, 0.6, n), (T, 1))
    if contexts:
        means = 1.0 / (1.0 + np.exp(-np.column_stack([x[:, 0] * s for s in np.linspace(-2, 2, n)])))
    arms = rng.choice(n, size=T, p=logging)
    mu = means[np.arange(T), arms]
    rewards = (rng.random(T) < mu).astype(float) if coin else mu
    return LoggedDecisions(
        arms, rewards, logging[arms], contexts=x if contexts else None, n=n
    ), means


@pytest.mark.parametrize("model", ["mean", "logistic", "linear"])
def test_no_row_has_a_part_in_its_own_prediction(model):
    log, _ = simulated(60, 1, contexts=True)
    q = predictions(log, model, 3)
    for t in (0, 31):
        log.outcomes[t] = 1.0 - log.outcomes[t]
        changed = predictions(log, model, 3)
        log.outcomes[t] = 1.0 - log.outcomes[t]
        same = np.arange(60) % 3 == t % 3
        assert np.array_equal(changed[same], q[same])
        assert not np.array_equal(changed[~same], q[~same])
    assert ((q >= 0.0) & (q <= 1.0)).all()


def test_a_model_of_contexts_is_better_than_none():
    log, means = simulated(1500, 2, contexts=True)
    error = {m: ((predictions(log, m, 2) - means) ** 2).mean() for m in ("mean", "logistic")}
    assert error["logistic"] < error["mean"] / 2
    best = np.eye(3)[means.argmax(axis=1)]
    value = (best * means).sum(axis=1).mean()
    e = off_policy_value(log, best, methods=["ips", "dr"])
    assert e["dr"].normal.low <= value <= e["dr"].normal.high
    widths = {m: e[m].normal.high - e[m].normal.low for m in ("ips", "dr")}
    assert widths["dr"] < 0.85 * widths["ips"]


def test_the_direct_method_knows_how_much_its_model_varies():
    log, _ = simulated(400, 3)
    e = direct(importance_weights(log, [0.0, 0.0, 1.0]))
    p = e.value
    rows = (log.arms == 2).sum()
    expected = 2 * 1.96 * np.sqrt(p * (1 - p) / rows)
    assert 0.4 * expected < e.normal.high - e.normal.low < 2.0 * expected
    assert np.isnan(e.bernstein.low)


# Limits, by simulation -----------------------------------------------------------------------------------------------

RUNS, DELTA = 300, 0.2


def misses(intervals, values):
    return sum(not i.low <= v <= i.high for i, v in zip(intervals, values, strict=True))


def too_many(count, delta=DELTA, runs=RUNS):
    """Would chance bring so many misses less than once in 10^5, if each had probability delta?"""
    return binom.sf(count - 1, runs, delta) < 1e-5


def too_few(count, delta=DELTA, runs=RUNS):
    return binom.cdf(count, runs, delta) < 1e-5


@pytest.fixture(scope="module")
def repeated():
    """Estimates of one policy from many logs of a skewed policy, with the true value."""
    target = np.array([0.1, 0.2, 0.7])
    found = []
    for seed in range(RUNS):
        log, means = simulated(1000, seed, logging=[0.5, 0.3, 0.2])
        e = off_policy_value(
            log, target, methods=["ips", "snips", "clipped", "dr"], delta=DELTA, clip=2.0
        )
        found.append((e, float((target * means).sum(axis=1).mean())))
    return found


@pytest.mark.parametrize("method", ["ips", "snips", "dr"])
def test_normal_limits_hold_about_as_often_as_they_say(repeated, method):
    values = [v for _, v in repeated]
    limits = [e[method].normal for e, _ in repeated]
    count = misses(limits, values)
    assert not too_many(count)
    assert not too_few(count)
    half = [Interval((3 * i.low + i.high) / 4, (i.low + 3 * i.high) / 4) for i in limits]
    assert too_many(misses(half, values))  # so the test can tell


@pytest.mark.parametrize("method", ["ips", "snips", "clipped", "dr"])
def test_bernstein_limits_hold_at_least_as_often_as_they_say(repeated, method):
    """T-BERNSTEIN, T-SNIPS-BERNSTEIN, T-CLIPPED-BERNSTEIN, T-DR-BERNSTEIN."""
    values = [v for _, v in repeated]
    limits = [e[method].bernstein for e, _ in repeated]
    assert not too_many(misses(limits, values))
    assert np.mean([i.high - i.low for i in limits]) < 0.5  # and they say something
    middle = [(i.low + i.high) / 2 for i in limits]
    eighth = [
        Interval((7 * m + i.low) / 8, (7 * m + i.high) / 8)
        for m, i in zip(middle, limits, strict=True)
    ]
    assert too_many(misses(eighth, values))  # so the test can tell


def test_limits_hold_for_the_log_of_a_learner():
    """T-BERNSTEIN-ADAPTIVE for ips and clipped, where rows depend on each other."""
    means, target = np.array([0.2, 0.4, 0.6]), np.array([0.6, 0.2, 0.2])
    found = []
    for seed in range(100):
        rng, learner = np.random.default_rng(seed), EpsilonGreedy(3, 0.6, 1000 + seed)
        arms, rewards, propensities = [], [], []
        for _ in range(300):
            arm = learner.predict(None)
            propensities.append(learner.propensities(None)[arm])
            arms.append(arm)
            rewards.append(float(rng.random() < means[arm]))
            learner.update(None, arm, 1.0 - rewards[-1])
        log = LoggedDecisions(arms, rewards, propensities, adaptive=True)
        found.append(off_policy_value(log, target, delta=DELTA, floor=0.2, clip=2.0, model="mean"))
    value = [float(target @ means)] * 100
    for method in ("ips", "clipped"):
        limits = [e[method].bernstein for e in found]
        assert not too_many(misses(limits, value), runs=100)
        assert np.mean([i.high - i.low for i in limits]) < 0.7
    for method in ("ips", "dr"):
        assert not too_many(misses([e[method].normal for e in found], value), runs=100)
    for method in ("snips", "dr"):
        assert np.isnan(found[0][method].bernstein.low)


def test_bernstein_holds_for_few_rows_that_matter_where_normal_does_not():
    """One row in 50 has a reward: T = 30 rows often show none, and their spread is 0."""
    rng = np.random.default_rng(0)
    samples = [(rng.random(30) < 0.02).astype(float) for _ in range(RUNS)]
    assert too_many(misses([normal(z, 0.05) for z in samples], [0.02] * RUNS), 0.05)
    assert not too_many(misses([bernstein(z, 1.0, 0.05) for z in samples], [0.02] * RUNS), 0.05)
    assert not too_many(
        misses([binomial(z.mean(), 30, 0.05) for z in samples], [0.02] * RUNS), 0.05
    )


def test_bernstein_is_the_published_formula():
    """Maurer and Pontil, theorem 11, with ln(2/(delta/2)) on each side."""
    z = np.array([0.0, 1.0, 1.0, 0.0, 1.0])
    half = np.sqrt(2 * 0.3 * np.log(4 / 0.1) / 5) + 7 * np.log(4 / 0.1) / (3 * 4)
    assert bernstein(z, 1.0, 0.1) == pytest.approx((0.6 - half, 0.6 + half))
    assert bernstein(2 * z, 2.0, 0.1) == pytest.approx((1.2 - 2 * half, 1.2 + 2 * half))


def test_limits_of_each_estimate_by_their_formulas():
    """A log so long that no limit is cut off at the ends of the outcomes."""
    log, _ = simulated(6000, 4, logging=[0.5, 0.3, 0.2])
    target = np.array([0.1, 0.2, 0.7])
    e = off_policy_value(
        log, target, methods=["ips", "clipped", "dr"], delta=DELTA, floor=0.1, clip=2.0
    )

    def half(z, length, delta):
        L, T = np.log(2 / delta), len(z)
        return np.sqrt(2 * z.var(ddof=1) * L / T) + 7 * length * L / (3 * (T - 1))

    w = (target / np.array([0.5, 0.3, 0.2]))[log.arms]
    r, s = log.outcomes, np.minimum(w, 2.0)
    mean, more = (w * r).mean(), half(w * r, 7.0, DELTA / 2)
    assert e["ips"].bernstein == pytest.approx((mean - more, mean + more))
    below, above = s * r, s * (1 - r)
    low = below.mean() - half(below, 2.0, DELTA / 2)
    high = 1 - above.mean() + half(above, 2.0, DELTA / 2)
    assert e["clipped"].bernstein == pytest.approx((low, high))
    q = predictions(log, "mean", 2)
    z = q @ target + w * (r - q[np.arange(6000), log.arms])
    more = 0.0
    for k in range(2):  # the model of a fold is the same in all of its rows
        u = q[k]
        length = (7 * (1 - u[2])).max() + (7 * u[2]).max()  # arm 2 has by far the largest weight
        more += half(z[k::2], length, DELTA / 4) / 2
    assert e["dr"].bernstein == pytest.approx((z.mean() - more, z.mean() + more))
    assert 0.2 < e["dr"].bernstein.low < e["dr"].bernstein.high < 0.8


def test_adaptive_limits_hold_for_numbers_that_depend_on_the_past():
    """T-BERNSTEIN-ADAPTIVE: a nature that moves its mean away from what has been seen."""
    count, narrow = 0, 0
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        z, mu = np.empty(200), np.empty(200)
        mean = 0.5
        for t in range(200):
            mu[t] = 0.1 if mean > 0.3 else 0.6
            z[t] = rng.random() < mu[t]
            mean += (z[t] - mean) / (t + 1)
        found = adaptive(z, 0.0, 1.0, DELTA)
        count += not found.low <= mu.mean() <= found.high
        narrow += not abs(z.mean() - mu.mean()) <= (found.high - found.low) / 12
    assert not too_many(count)
    assert too_many(narrow)


def test_adaptive_limits_use_how_far_numbers_could_reach():
    """The same numbers in [-1, 3], of which most could only have been in [-0.1, 0.3]."""
    count, narrow, widths = 0, 0, []
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        z, mu, reach = np.empty(200), np.empty(200), np.empty(200)
        for t in range(200):
            reach[t] = 0.3 if t and z[t - 1] > 0.8 else 0.1
            p = 0.2 + 0.3 * (t and z[t - 1] > 0)
            mu[t] = reach[t] * (4 * p - 1)
            z[t] = reach[t] * (3.0 if rng.random() < p else -1.0)
        found = adaptive(z, -1.0, 3.0, DELTA, reach)
        count += not found.low <= mu.mean() <= found.high
        narrow += not abs(z.mean() - mu.mean()) <= (found.high - found.low) / 12
        plain = adaptive(z, -1.0, 3.0, DELTA)
        widths.append((found.high - found.low) / (plain.high - plain.low))
    assert not too_many(count)
    assert too_many(narrow)
    assert np.mean(widths) < 0.6
    full = adaptive(z, -1.0, 3.0, DELTA, np.ones(200))
    assert full.high - full.low == pytest.approx(plain.high - plain.low, rel=0.25)


def test_snips_limits_are_where_the_test_turns():
    """Every value outside the limits is ruled out by T-BERNSTEIN, those just inside are not."""
    log, _ = simulated(400, 5, logging=[0.5, 0.3, 0.2])
    v = importance_weights(log, [0.1, 0.2, 0.7], DELTA)
    found = off_policy_value(log, [0.1, 0.2, 0.7], methods=["snips"], delta=DELTA)[
        "snips"
    ].bernstein

    def possible(u):
        limits = bernstein(v.w * (v.r - u), v.top, DELTA)
        return limits.low <= 0.0 <= limits.high

    assert 0.0 < found.low < found.high < 1.0
    for u in np.linspace(0.0, 1.0, 101):
        assert possible(u) == (found.low <= u <= found.high)


def test_the_run_of_a_bandit_is_a_log():
    costs = np.random.default_rng(0).random((200, 3)) * [1.0, 2.0, 3.0]
    run = ls.play("exp3", costs, interval=(0.0, 3.0), engine="plain")
    log = LoggedDecisions.of(run)
    assert (log.n, log.interval, log.adaptive, log.gains) == (3, (0.0, 3.0), True, False)
    assert np.array_equal(log.outcomes, costs[np.arange(200), run.arms])
    e = off_policy_value(
        log, run.propensities, methods=["ips"]
    )  # what it did itself: every weight is 1
    assert e["ips"].value == pytest.approx(run.realised.mean())
    with pytest.raises(
        BadInput, match="a log is made of the run of a bandit, not of a run of hedge"
    ):
        LoggedDecisions.of(ls.play("hedge", costs, interval=(0.0, 3.0), engine="plain"))


# Replay --------------------------------------------------------------------------------------------------------------


class Fixed:
    """Always one arm."""

    def __init__(self, arm, n=3):
        self.arm, self.n, self.told = arm, n, []

    def predict(self, x):
        return self.arm

    def update(self, x, arm, loss):
        self.told.append((arm, loss))

    def propensities(self, x):
        return np.eye(self.n)[self.arm]


class EpsilonGreedy:
    """The arm with the least mean loss, or any."""

    def __init__(self, n, epsilon, seed=0):
        self.n, self.epsilon, self.rng = n, epsilon, np.random.default_rng(seed)
        self.total, self.count = np.zeros(n), np.zeros(n)

    def propensities(self, x):
        best = int(np.argmin(self.total / np.maximum(self.count, 1)))
        return self.epsilon / self.n + (1 - self.epsilon) * np.eye(self.n)[best]

    def predict(self, x):
        return int(self.rng.choice(self.n, p=self.propensities(x)))

    def update(self, x, arm, loss):
        self.total[arm] += loss
        self.count[arm] += 1


def test_replay_counts_and_teaches_the_rows_that_agree():
    log = LoggedDecisions([0, 1, 1, 0, 1], [1.0, 0.0, 1.0, 0.0, 1.0], 0.5)
    one = Fixed(1, 2)
    found = replay(log, {"one": one})["one"]
    assert (found.earned, found.counted, found.learned) == (2.0, 3, 3)
    assert found.rate == pytest.approx(2 / 3)
    assert one.told == [(1, 1.0), (1, 0.0), (1, 0.0)]
    weighted = replay(log, {"one": Fixed(1, 2)}, method="weighted")["one"]
    assert (weighted.rate, weighted.counted, weighted.learned) == (4 / 5, 5, 3)
    nobody = replay(LoggedDecisions([0], [1.0], 0.5, n=2), Fixed(1, 2))["policy"]
    assert (nobody.counted, nobody.binomial, nobody.bernstein) == (0, (0.0, 1.0), (0.0, 1.0))


def live(T, means, learner, rng):
    """What a learner earns in T rounds of its own."""
    total = 0.0
    for _ in range(T):
        arm = learner.predict(None)
        reward = float(rng.random() < means[arm])
        learner.update(None, arm, 1.0 - reward)
        total += reward
    return total


@pytest.mark.parametrize(
    ("method", "logging"),
    [("match", None), ("match", [0.5, 0.3, 0.2]), ("reject", [0.5, 0.3, 0.2])],
)
def test_replay_is_distributed_as_live_rounds(method, logging):
    """T-REPLAY-LIVE: the first 20 rounds of epsilon-greedy, replayed and live, in mean and in spread."""
    means, rounds, runs = [0.1, 0.4, 0.8], 20, 250
    p = np.full(3, 1 / 3) if logging is None else np.array(logging)
    rng = np.random.default_rng(7)
    replayed, played = [], []
    for seed in range(runs):
        arms = rng.choice(3, size=200, p=p)
        rewards = (rng.random(200) < np.array(means)[arms]).astype(float)
        learner, book = EpsilonGreedy(3, 0.3, seed), []
        teach = learner.update
        learner.update = lambda x, a, loss, teach=teach, book=book: (
            book.append(1 - loss),
            teach(x, a, loss),
        )
        replay(LoggedDecisions(arms, rewards, p[arms]), learner, method=method, seed=seed)
        assert len(book) >= rounds
        replayed.append(sum(book[:rounds]))
        played.append(live(rounds, means, EpsilonGreedy(3, 0.3, 1000 + seed), rng))
    error = np.sqrt((np.var(replayed) + np.var(played)) / runs)
    assert abs(np.mean(replayed) - np.mean(played)) < 4.5 * error
    assert 0.6 < np.std(replayed) / np.std(played) < 1.6
    # had it learned from all rows it would have known the best arm: the test can tell
    assert abs(np.mean(replayed) - rounds * (0.7 * 0.8 + 0.3 * np.mean(means))) > 4.5 * error


@pytest.mark.parametrize("method", ["match", "reject", "weighted"])
def test_replay_of_a_policy_that_never_learns_is_its_value(method):
    mixed = np.array([0.2, 0.2, 0.6])
    value = float(mixed @ np.linspace(0.2, 0.6, 3))

    class Mixed(EpsilonGreedy):
        def propensities(self, x):
            return mixed

    found = [
        replay(
            simulated(150, seed, logging=[0.5, 0.3, 0.2])[0],
            Mixed(3, 0.0, 1000 + seed),
            method=method,
            delta=DELTA,
            seed=seed,
        )["policy"]
        for seed in range(100)
    ]
    count = misses([f.binomial for f in found], [value] * 100)
    assert not too_many(count, runs=100)
    assert not too_many(misses([f.bernstein for f in found], [value] * 100), runs=100)
    rates = np.array([f.rate for f in found])
    assert abs(rates.mean() - value) < 4.5 * rates.std() / 10
    if method == "reject":  # 0.6/0.2 is the largest ratio: a third of the rows, against a fifth
        assert 0.28 < np.mean([f.counted for f in found]) / 150 < 0.39


def test_contexts_do_not_bias_rejection():
    """A policy that is sure for some contexts and mixes for others: rows are not picked by their contexts."""
    rng = np.random.default_rng(3)
    x = rng.integers(0, 2, size=2000).astype(float)[:, None]
    log = LoggedDecisions(rng.integers(0, 2, size=2000), x[:, 0], 0.5, contexts=x)

    class Sure(EpsilonGreedy):
        def propensities(self, x):
            return np.array([1.0, 0.0]) if x[0] else np.array([0.5, 0.5])

    for method in ("match", "reject", "weighted"):
        found = replay(log, Sure(2, 0.0), method=method)["policy"]
        assert found.binomial.low < 0.5 < found.binomial.high


def test_learners_of_the_package_are_replayed():
    log, _ = simulated(300, 8, contexts=True)
    for method in ("match", "reject", "weighted"):
        found = replay(
            log, {"even": ls.learner("epsilon-greedy", epsilon=1.0), "ucb1": "ucb1"}, method=method
        )
        again = replay(log, ["epsilon-greedy", ls.learner("ucb1")], method=method)["ucb1"]
        assert found["ucb1"] == again  # each begins afresh, and the seed decides
        assert 60 < found["ucb1"].learned < 140
        assert str(found).count("\n") == 3
    assert replay(log, {"even": ls.learner("epsilon-greedy", epsilon=1.0)}, method="reject")[
        "even"
    ].counted == len(log)


def test_the_example_says_what_is_missing_and_replays_what_is_there(tmp_path, capsys):
    from examples.replay_obd import main

    assert main(["--data", str(tmp_path)]) == 2
    assert "all.csv is not there" in capsys.readouterr().err
    rng = np.random.default_rng(0)
    lines = ["item_id,position,click,propensity_score,user_feature_0"]
    for _ in range(200):
        lines.append(
            f"{rng.integers(4)},{rng.integers(3) + 1},{rng.integers(2)},0.25,u{rng.integers(2)}"
        )
    (tmp_path / "all.csv").write_text("\n".join(lines), encoding="utf-8")
    assert main(["--data", str(tmp_path), "--learner", "ucb1"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("LoggedDecisions(200 rows, 4 arms, 2 context features")
    assert told.count("ucb1") == 3


DATA = Path(__file__).parents[3] / "shared" / "data" / "obd_random_all" / "all.csv"


@pytest.mark.skipif(not DATA.is_file(), reason="no ../shared/data")
def test_the_open_bandit_log_is_read():
    names = {"arm": "item_id", "reward": "click", "propensity": "propensity_score"}
    log = LoggedDecisions.read(DATA, **names, position="position", context="user_feature_*")
    assert (len(log), log.n, log.contexts.shape[1], log.uniform) == (10_000, 80, 24, True)
    assert np.array_equal(log.contexts.sum(axis=1), np.full(10_000, 4.0))
    uniform = off_policy_value(log, np.full(80, 1 / 80), methods=["ips", "snips"])
    assert uniform["ips"].value == pytest.approx(0.0038)
    assert uniform.effective == pytest.approx(10_000)


def test_what_cannot_be_replayed_is_refused():
    log = LoggedDecisions([0, 1], [1.0, 0.0], 0.5)

    class Silent:
        def predict(self, x):
            return 0

        def update(self, x, arm, loss):
            pass

    assert replay(log, Silent())["policy"].counted == 1
    for given_, options, message in (
        (Silent(), {"method": "weighted"}, "policy tells no propensities: only method='match'"),
        (Silent(), {"method": "oops"}, "there is no method 'oops'; the methods are match"),
        (3.0, {}, "policy: a policy has predict(x) and update(x, arm, loss); 3.0 has not"),
        (Silent(), {"floor": 0.6}, "floor must be in (0, 0.5], the smallest propensity, not 0.6"),
        ("hedge", {}, "hedge is no bandit: it needs more than the loss of one arm"),
    ):
        with pytest.raises(BadInput) as error:
            replay(log, given_, **options)
        assert str(error.value).startswith(message)
