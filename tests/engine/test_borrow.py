"""Arrays that are lent to compiled code keep their owners; lanes are put into a rule as they are."""

from typing import NamedTuple

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from littlestone.engine.compile import jit, with_helpers  # noqa: E402
from littlestone.engine.compiled_borrow import borrow, keep  # noqa: E402
from littlestone.engine.lanes import lanes, total  # noqa: E402


class Pair(NamedTuple):
    a: np.ndarray
    b: np.ndarray
    n: int


@numba.njit
def handed_back(pair, how):
    p = borrow(pair)
    if how == 0:
        q = Pair(p.a, p.b, p.n + 1)
    elif how == 1:
        q = Pair(p.b, p.a, p.n)
    elif how == 2:
        q = Pair(p.a + 1.0, p.b, p.n)
    else:
        q = Pair(p.b[:2], p.b, p.n)
    return keep(q, pair)


@pytest.mark.parametrize("how", range(4))
def test_every_array_that_comes_back_has_an_owner(how):
    pair = Pair(np.arange(3.0), np.arange(3.0, 7.0), 0)
    a, b = pair.a.copy(), pair.b.copy()
    back = handed_back(pair, how)
    del pair
    rubbish = [np.full(4, 9.0) for _ in range(100)]
    wanted = [(a, b), (b, a), (a + 1.0, b), (b[:2], b)][how]
    assert [v.tolist() for v in back[:2]] == [v.tolist() for v in wanted]
    assert back.n == (how == 0)
    assert len(rubbish) == 100


def test_the_same_array_comes_back_where_nothing_was_made():
    pair = Pair(np.arange(3.0), np.arange(4.0), 0)
    back = handed_back(pair, 0)
    assert np.shares_memory(back.a, pair.a)
    assert np.shares_memory(back.b, pair.b)


def side_by_side(x):
    return total(lanes(x, 2.0, 3.0, 4.0))


def test_lanes_are_put_into_a_rule_as_they_are():
    assert jit(side_by_side)(1.0) == side_by_side(1.0) == 10.0
    assert with_helpers(side_by_side).__globals__["lanes"] is not lanes
