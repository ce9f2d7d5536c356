"""Tests by betting: a worked row, the capital is a supermartingale, false alarms under optional stopping, limits."""

import math

import numpy as np
import pytest

from littlestone.core.e_process import (
    SIZES,
    Evidence,
    Sums,
    add,
    bet,
    found_at,
    limits,
    log_capital,
    p_value,
)
from littlestone.core.intervals import adaptive
from littlestone.offpolicy.baseline import beside, mixed, probability, widest
from tools.false_alarms import LAWS, false_alarms, guard_alarms


def test_the_worked_row_of_x_betting():
    """X-BETTING: z = 1, -1, 1 with reach 1, by hand: one gambler for each size of a bet, and what joins."""
    money = dict.fromkeys(SIZES, 1 / 2)
    evidence, capitals = Evidence(), []
    for t, z in enumerate([1.0, -1.0, 1.0], start=1):
        money = {c: v * (1 + c * z) + 1 / ((t + 1) * (t + 2)) for c, v in money.items()}
        capitals.append(sum(money.values()) / len(money) + 1 / (t + 2))
        evidence = bet(evidence, z, 1.0)
        assert math.exp(log_capital(evidence)) == pytest.approx(capitals[-1], rel=1e-12)
    assert [round(v, 4) for v in capitals] == [1.05, 0.9667, 1.0289]
    assert p_value(evidence) == pytest.approx(1 / max(capitals), rel=1e-12)


@pytest.mark.parametrize("before", [[], [1.0, 1.0], [-0.5, 1.0, -0.5]])
@pytest.mark.parametrize(
    ("z", "p"), [((-0.5, 1.0), 1 / 3), ((-0.25, 0.25), 0.5), ((-0.5, 0.1), 0.1)]
)
def test_the_capital_does_not_grow_on_average(before, z, p):
    e = Evidence()
    for v in before:
        e = bet(e, v, 0.5)
    after = [math.exp(log_capital(bet(e, v, 0.5))) for v in z]
    assert (1 - p) * after[0] + p * after[1] <= math.exp(log_capital(e)) * (1 + 1e-12)


@pytest.mark.parametrize("law", LAWS)
def test_false_alarms_keep_their_level_when_one_looks_after_every_round(law):
    alarms = false_alarms(law, level=0.1, rounds=150, runs=60, seed=1)
    assert alarms <= 12  # 6 on average at most: P(Binomial(60, .1) > 12) < 0.01


def test_the_guard_keeps_its_level_with_learners_that_are_as_good():
    alarms = guard_alarms(share=0.2, level=0.1, rounds=150, runs=60, seed=2)
    assert alarms <= 12


def test_a_test_that_may_bet_too_much_rings_too_often():
    """What the level rests on: with a reach that is too small the gamblers bet on what is no fair game."""
    alarms = false_alarms("skewed", level=0.1, rounds=150, runs=60, seed=1, reach=-1.0)
    assert alarms > 30


def test_a_change_after_a_long_good_time_is_found():
    e = Evidence()
    for _ in range(5000):
        e = bet(e, -0.1, 0.2)
    late = 0
    while not found_at(e, 0.01) and late < 400:
        e, late = bet(e, 0.3, 0.2), late + 1
    assert late < 60


def test_limits_are_those_of_all_rounds_at_once():
    u = np.random.default_rng(0).random(500)
    s = Sums()
    for v in u:
        s = add(s, v)
    assert limits(s, 0.05) == pytest.approx(adaptive(u, 0.0, 1.0, 0.05))


def test_contrasts_are_right_on_average_and_within_their_reach():
    r = np.random.default_rng(3)
    for _ in range(200):
        p, rewards = r.dirichlet(np.ones(3)), r.random(3)
        if r.random() < 0.3:
            p = np.eye(3)[r.integers(3)]
        share, centre, b = r.uniform(0.05, 0.9), r.random(), 0
        found, q = [], []
        for a in range(3):
            q.append(probability(p[a], a == b, share))
            if not q[a]:
                continue
            c = mixed(rewards[a], a == b, p[a], p[b], share, centre)
            found.append(q[a] * c.low)
            assert c.low == c.high
            assert c.low >= -c.reach_low - 1e-12
            assert -c.high >= -c.reach_high - 1e-12
            assert abs(c.low) <= widest(share) + 1e-12
        assert sum(q) == pytest.approx(1.0)
        assert sum(found) == pytest.approx(p @ rewards - rewards[b])
        today = r.dirichlet(np.ones(3))
        sides = [beside(rewards[a], p[a], today[a], 5.0) for a in range(3)]
        truth = p @ rewards - today @ rewards
        low = sum(t * c.low for t, c in zip(today, sides, strict=True))
        high = sum(t * c.high for t, c in zip(today, sides, strict=True))
        assert low <= truth + 1e-12 <= high + 2e-12
        assert all(c.low >= -1.0 and -c.high >= -1.0 for c in sides)
