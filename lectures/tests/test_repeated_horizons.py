"""Bandits are attacked at horizons where their bounds are near."""

import math

import pytest
from littlestone_lectures.horizons import biting, ceiling, needle

import littlestone as ls
from littlestone.engine.compile import has_numba


def compiled():
    if not has_numba():
        pytest.skip("numba is not installed")


def nearest(key, id_, seeds):
    found = []
    for w in biting(id_, seeds):
        run = ls.play(key, w.rounds, seeds=w.seeds, seed=0, **w.options)
        found += [v.measured / v.bound for v in run.certificate if v.guarantee.id == id_]
    return max(found)


@pytest.mark.parametrize(("key", "id_"), [("exp3", "T-EXP3"), ("tsallis-inf", "T-TSALLIS-INF")])
def test_a_needle_among_many_arms_is_near_the_bound(key, id_):
    compiled()
    assert nearest(key, id_, 40) >= 0.3


def test_ucb1_comes_up_to_the_quarter_that_its_constant_leaves():
    compiled()
    assert 0.2 <= nearest("ucb1", "T-UCB", 8) <= 0.3


def test_kl_ucb_comes_up_to_what_its_bound_leaves():
    compiled()
    assert 0.08 <= nearest("kl-ucb", "T-KL-UCB", 4) <= 1.3 * ceiling(1e5)


def test_what_kl_ucb_may_reach_grows_with_the_horizon():
    reach = [ceiling(10.0**e) for e in (5, 9, 30, 60)]
    assert reach == sorted(reach)
    assert reach[0] < 0.15
    assert reach[2] < 0.3 < reach[3] + 0.01
    assert math.isclose(needle(3, 2).sum(), 4.0)
