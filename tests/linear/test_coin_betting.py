"""A gambler on every feature: no stream makes it lose more to any weights than its theorem allows."""

from __future__ import annotations

import math

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.vectors import Sparse
from littlestone.linear.parts import wagers
from littlestone.linear.parts.memories import HEDGE
from littlestone.linear.parts.opinions import BETS
from littlestone.linear.parts.wagers import (
    GIVEN,
    ODD,
    SPENT,
    SUM,
    WEALTH,
    beginners,
    broke,
    pay,
    price,
    two_sides,
    wager,
    weights,
)

pytestmark = pytest.mark.usefixtures("plain")


def gamble(X, slopes):
    """Play rounds whose gradients are given; the gambler, and the sum of gradient times score."""
    g, paid = broke(1, X.shape[1]), 0.0
    for x, slope in zip(X, slopes, strict=True):
        g.purse[ODD] = 0.0
        paid -= slope * wager(g, 0, x)
        pay(g, 0, x, slope, beginners(g))
    return g, paid


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
    g, paid = gamble(X, slopes)
    coins = slopes @ np.column_stack([np.ones(len(X)), X])
    assert g.bets[0, :, SUM] == pytest.approx(coins, rel=1e-9, abs=1e-9 * np.abs(coins).max())
    assert paid == pytest.approx(g.purse[GIVEN] - g.bets[0, :, WEALTH].sum(), abs=1e-6)
    with np.errstate(divide="ignore"):
        unit = np.where(coins == 0.0, 0.0, 1.0 / np.abs(coins))
    for size in (0.0, *np.geomspace(1e-3, 1e5, 30)):
        for some in (np.ones(7), rng.random(7) < 0.4):
            u = size * some * np.sign(coins) * unit
            assert paid + u @ coins <= price(g, u[None]) * (1 + 1e-9)


def test_the_promise_by_hand():
    """The constant alone, two coins of 1 on heads: r = 1, then 1/4; and |u| sqrt(V) = e^5."""
    g, _ = gamble(np.ones((2, 0)), [1.0, 1.0])
    V = (1 / (1 - 0.5) / (1 - 0.5 * 0.25)) ** 2
    assert g.bets[0, 0, SPENT] == pytest.approx(1.25 - 2 * math.log(16))
    a = math.exp(5)
    expected = 16 + 2 * a * (math.log(2 * a / 16) + 1.25 / 2 - 3 / 4)
    assert price(g, np.array([[a / math.sqrt(V)]])) == pytest.approx(expected)


def test_four_at_a_time_and_one_by_one_are_the_same():
    rng = np.random.default_rng(0)
    X, slopes = rng.normal(size=(50, 9)), rng.uniform(-1, 1, 50)
    fast = gamble(X, slopes)[0]
    slow = broke(1, 9)
    for x, slope in zip(X, slopes, strict=True):
        wager(slow, 0, Sparse(np.arange(9), x))
        first = beginners(slow)
        slow.purse[ODD] = 1.0
        pay(slow, 0, Sparse(np.arange(9), x), slope, first)
    assert slow.bets == pytest.approx(fast.bets, rel=1e-12)


def test_a_third_class_halves_the_bets_of_the_first_two():
    rng = np.random.default_rng(0)
    g, _ = gamble(rng.normal(size=(30, 4)), rng.uniform(-1, 1, 30))
    before = weights(g)[0]
    bets = np.concatenate([g.bets, np.zeros((2, 5, 4))])
    whole = bets[0, :, WEALTH].copy()
    two_sides(bets)
    after = weights(g._replace(bets=bets))
    assert after[1] - after[0] == pytest.approx(before)
    assert bets[:2, :, WEALTH].sum(axis=0) == pytest.approx(whole)
    first = np.exp(-0.5 * (bets[:2, :, SPENT] - g.bets[0, :, SPENT]))
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


def test_the_gambler_has_its_share_of_the_mixture():
    rng = np.random.default_rng(2)
    run = ls.play("online-linear", rng.normal(size=(100, 3)), rng.integers(0, 2, 100))
    hedge = run.learner.state.experts[HEDGE, : BETS + 1]
    assert hedge.sum() == pytest.approx(1.0)
    assert hedge[BETS] >= 1 / 256 / 101


def test_a_value_beyond_all_before_becomes_the_unit():
    """v = 4 where the largest was 1: the scale is 1/4, the coin 2, r = (2/4)^2, and the scale times 1 - r/2."""
    row = np.zeros(8)
    row[wagers.SCALE], row[wagers.WEALTH] = 1.0, 3.0
    wagers.pay_one(row, 0.5, 4.0, 0.5, 1.0, 0.0)
    assert row[wagers.SCALE] == 0.25 * (1 - 0.25 / 2)
    assert (row[wagers.SUM], row[wagers.WEALTH], row[wagers.SPENT]) == (2.0, 4.0, 0.25)
