"""Estimators by enumeration: the coin (T-IWCOIN), tanks (T-TANK, X-TANK) and sample means (E-SAMPLE-MEAN)."""

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from littlestone_lectures.estimators import (
    adaptive_mean,
    coin,
    largest_seen,
    over_tanks,
    twice_less_one,
)

from littlestone.core.errors import BadInput


@settings(max_examples=40, deadline=None)
@given(st.fractions(Fraction(1, 100), 1), st.lists(st.fractions(-5, 5), min_size=1, max_size=4))
def test_a_coin_keeps_the_mean(p, values):
    """T-IWCOIN, for every distribution of X; given X the mean is X, and over X it is E[X] (E-IW)."""
    for x in values:
        assert p * coin(x, True, p) + (1 - p) * coin(x, False, p) == x
    mean = sum(values) / len(values)
    both = sum(p * coin(x, True, p) + (1 - p) * coin(x, False, p) for x in values) / len(values)
    assert both == mean


def test_tanks():
    """X-TANK, and T-TANK for every n."""
    assert [over_tanks(largest_seen, n) for n in (5, 10)] == [3, Fraction(11, 2)]
    assert [over_tanks(twice_less_one, n) for n in (5, 10)] == [5, 10]
    for n in range(1, 60):
        assert over_tanks(largest_seen, n) == Fraction(n + 1, 2)
        assert over_tanks(twice_less_one, n) == n
    with pytest.raises(BadInput, match="number of tanks"):
        over_tanks(largest_seen, 0)


def test_a_sample_mean_is_biased_where_the_sample_was_looked_at():
    """E-SAMPLE-MEAN: 5/8 instead of 1/2; weighted by the chance of being asked, it is right."""
    assert adaptive_mean(Fraction(1, 2)) == Fraction(5, 8)
    for mu in (Fraction(1, 10), Fraction(9, 10)):
        assert adaptive_mean(mu) > mu
    # the four samples one by one
    half, total = Fraction(1, 2), Fraction(0)
    for first, second in itertools.product((0, 1), repeat=2):
        mean = Fraction(first) if first else Fraction(first + second, 2)
        total += half * half * mean
    assert total == Fraction(5, 8)
