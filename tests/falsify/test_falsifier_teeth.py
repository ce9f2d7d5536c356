"""Bounds that are false by a percent or less fall.

Each test does a fixed amount of work. docs/falsify/index.md says how long the same searches take by the clock.
"""

import numpy as np
import pytest

from littlestone.engine.compile import has_numba
from littlestone.falsify import exact
from littlestone.falsify.attack import one
from littlestone.falsify.attackers import balance
from littlestone.falsify.attackers.balance import balanced
from littlestone.falsify.hunt import Hunt
from littlestone.falsify.target import Target
from littlestone.falsify.theorems import falsify_theorem


def compiled():
    if not has_numba():
        pytest.skip("numba is not installed")


# The adversary of exponential weights.


def test_halves_lose_in_turn_and_then_one_expert_is_spared():
    ell = balanced(100, 8, 0.2, 40)
    assert ell[:60].sum(axis=1).tolist() == [4.0] * 60
    assert np.array_equal(ell[0] + ell[1], np.ones(8))
    assert ell[60:, 0].max() == 0.0
    assert ell.sum(axis=0).argmin() == 0


@pytest.mark.parametrize(("T", "n", "least"), [(100, 4, 0.96), (400, 8, 0.981), (1000, 16, 0.988)])
def test_hedge_comes_as_close_to_its_bound_as_that(T, n, least, plain):
    target = Target("hedge", "T-EWA", "sqrt(T*log(n)/2)")
    case = next(balance.cases(Hunt(target), T, n))
    assert least <= target.trial(case).ratio < 1.0


def test_two_percent_below_the_bound_of_hedge_falls():
    compiled()
    found = falsify_theorem("hedge", bound="0.98*sqrt(T*log(n)/2)", runs=40, using=["balance"])
    assert found.broken
    assert found.check.arithmetic == "50 digits"


def test_a_rate_of_8_05_in_place_of_8_falls():
    compiled()
    target = Target("hedge", "T-EWA", "log(n)/eta + eta*T/8.05")
    cases = [c for c in balance.cases(Hunt(target), 10_000, 4) if c.parameters]
    best = max(cases, key=lambda c: target.ratios(one(c))[0])
    checked = exact.check(target, best)
    assert checked.broken
    assert checked.measured > 1.001 * checked.bound
    assert Target("hedge", "T-EWA").ratios(one(best))[0] < 1.0  # and 8 itself stands


def test_winnow2_with_a_natural_logarithm_falls(plain):
    found = falsify_theorem(
        "winnow2", theorem="T-WINNOW2", bound="3*k*(log(d) + 1) + 2", runs=60, using=["literature"]
    )
    assert found.broken
    assert found.case.n == 256
    right = "3*k*(lg(d) + 1) + 2"
    assert not falsify_theorem(
        "winnow2", theorem="T-WINNOW2", bound=right, runs=60, using=["literature"]
    ).broken
