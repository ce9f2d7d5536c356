"""Coin betting on every feature: no stream makes it lose more to any weights than its theorem allows."""

from __future__ import annotations

import math

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.vectors import Sparse
from littlestone.linear.parts import coin_betting
from littlestone.linear.parts.coin_betting import (
    LOG_PRICE,
    REWARD,
    SPECIAL,
    TOTAL_FIRST_WEALTH,
    WEALTH,
    coin_score,
    coin_to_softmax,
    current_weights,
    first_wealth,
    init_coin,
    regret_bound,
    update_coin,
)
from littlestone.linear.parts.discounted_bayes import MIX_WEIGHTS
from littlestone.linear.parts.stacking import COIN

pytestmark = pytest.mark.usefixtures("plain")


def play_bets(X, slopes):
    """Play rounds whose gradients are given; the bettors, and the sum of gradient times score."""
    coin, paid = init_coin(1, X.shape[1]), 0.0
    for x, slope in zip(X, slopes, strict=True):
        coin.coin_counts[SPECIAL] = 0.0
        paid -= slope * coin_score(coin, 0, x)
        update_coin(coin, 0, x, slope, first_wealth(coin))
    return coin, paid


def streams(rng):
    """Rounds of 6 features: fair coins, one side, changing sides, values that grow without end."""
    T = int(rng.integers(1, 60))
    kind = rng.integers(4)
    X = rng.normal(size=(T, 6)) * 10.0 ** rng.integers(-8, 8, 6)
    if kind == 1:
        X = np.sign(X)
    if kind == 2:
        X *= 3.0 ** np.arange(T)[:, None]
    X[rng.random(X.shape) < 0.2] = 0.0
    slopes = rng.uniform(-1, 1, T) if kind else rng.choice([-1.0, 1.0], T)
    if rng.random() < 0.5:  # all on the side of one feature
        slopes = np.where(X[:, 0] < 0.0, -1.0, 1.0) * np.abs(slopes)
    return X, slopes


@pytest.mark.parametrize("seed", range(40))
def test_no_stream_beats_the_promise(seed):
    rng = np.random.default_rng(seed)
    X, slopes = streams(rng)
    coin, paid = play_bets(X, slopes)
    coins = slopes @ np.column_stack([np.ones(len(X)), X])
    assert coin.bettors[0, :, REWARD] == pytest.approx(
        coins, rel=1e-9, abs=1e-9 * np.abs(coins).max()
    )
    assert paid == pytest.approx(
        coin.coin_counts[TOTAL_FIRST_WEALTH] - coin.bettors[0, :, WEALTH].sum(), abs=1e-6
    )
    with np.errstate(divide="ignore"):
        unit = np.where(coins == 0.0, 0.0, 1.0 / np.abs(coins))
    for size in (0.0, *np.geomspace(1e-3, 1e5, 30)):
        for some in (np.ones(7), rng.random(7) < 0.4):
            u = size * some * np.sign(coins) * unit
            assert paid + u @ coins <= regret_bound(coin, u[None]) * (1 + 1e-9)


def test_the_promise_by_hand():
    """The constant alone, two coins of 1 on heads: r = 1, then 1/4; and |u| sqrt(V) = e^5."""
    coin, _ = play_bets(np.ones((2, 0)), [1.0, 1.0])
    V = (1 / (1 - 0.5) / (1 - 0.5 * 0.25)) ** 2
    assert coin.bettors[0, 0, LOG_PRICE] == pytest.approx(1.25 - 2 * math.log(16))
    a = math.exp(5)
    expected = 16 + 2 * a * (math.log(2 * a / 16) + 1.25 / 2 - 3 / 4)
    assert regret_bound(coin, np.array([[a / math.sqrt(V)]])) == pytest.approx(expected)


def test_four_at_a_time_and_one_by_one_are_the_same():
    rng = np.random.default_rng(0)
    X, slopes = rng.normal(size=(50, 9)), rng.uniform(-1, 1, 50)
    fast = play_bets(X, slopes)[0]
    slow = init_coin(1, 9)
    for x, slope in zip(X, slopes, strict=True):
        coin_score(slow, 0, Sparse(np.arange(9), x))
        first = first_wealth(slow)
        slow.coin_counts[SPECIAL] = 1.0
        update_coin(slow, 0, Sparse(np.arange(9), x), slope, first)
    assert slow.bettors == pytest.approx(fast.bettors, rel=1e-12)


def test_a_third_class_halves_the_bets_of_the_first_two():
    rng = np.random.default_rng(0)
    coin, _ = play_bets(rng.normal(size=(30, 4)), rng.uniform(-1, 1, 30))
    before = current_weights(coin)[0]
    bettors = np.concatenate([coin.bettors, np.zeros((2, 5, 4))])
    whole = bettors[0, :, WEALTH].copy()
    coin_to_softmax(bettors)
    after = current_weights(coin._replace(bettors=bettors))
    assert after[1] - after[0] == pytest.approx(before)
    assert bettors[:2, :, WEALTH].sum(axis=0) == pytest.approx(whole)
    first = np.exp(-0.5 * (bettors[:2, :, LOG_PRICE] - coin.bettors[0, :, LOG_PRICE]))
    assert first == pytest.approx(np.full((2, 5), 0.5))


@pytest.mark.parametrize("classes", [2, 3])
def test_the_certificate_names_the_best_linear_predictor(classes):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 2)) * [1e-4, 1e4] + [0.0, 3e4]
    z = X[:, 0] * 1e4 + rng.normal(size=400)
    run = ls.play("online-linear", X, np.digitize(z, [0.0, 1.0][: classes - 1]))
    verdict = next(v for v in run.certificate if v.guarantee.id == "T-ONLINE-LINEAR-BEST")
    assert verdict.verdict == "kept"
    assert verdict.comparator.startswith("linear predictor by log loss")
    assert verdict.comparator_loss < 400 * math.log(classes)


def test_coin_betting_has_its_share_of_the_mixture():
    rng = np.random.default_rng(2)
    run = ls.play("online-linear", rng.normal(size=(100, 3)), rng.integers(0, 2, 100))
    hedge = run.learner.state.experts[MIX_WEIGHTS, : COIN + 1]
    assert hedge.sum() == pytest.approx(1.0)
    assert hedge[COIN] >= 1 / 256 / 101


def test_a_value_beyond_all_before_becomes_the_unit():
    """v = 4 where the largest was 1: the scale is 1/4, the coin 2, r = (2/4)^2, and the scale times 1 - r/2."""
    row = np.zeros(8)
    row[coin_betting.INVERSE_SCALE], row[coin_betting.WEALTH] = 1.0, 3.0
    coin_betting.update_feature(row, 0.5, 4.0, 0.5, 1.0, 0.0)
    assert row[coin_betting.INVERSE_SCALE] == 0.25 * (1 - 0.25 / 2)
    assert (row[coin_betting.REWARD], row[coin_betting.WEALTH], row[coin_betting.LOG_PRICE]) == (
        2.0,
        4.0,
        0.25,
    )
