"""Fewer steps to compiled code: Numba's contexts are as they were afterwards, and arrays keep their owners."""

import gc
from typing import NamedTuple

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from numba.core import event, postproc  # noqa: E402
from numba.core.registry import cpu_target  # noqa: E402

from littlestone.engine import compiled_inner, compiled_lowering  # noqa: E402
from littlestone.engine.compile import jit, with_helpers  # noqa: E402
from littlestone.engine.compiled_borrow import borrow, keep  # noqa: E402
from littlestone.engine.lanes import lanes, total  # noqa: E402


def tripled(x):
    return x + 2 * x


def test_contexts_are_as_they_were_when_a_function_is_compiled():
    assert jit(tripled)(2.0) == 6.0
    assert jit(tripled)(2) == 6  # integers: another signature of the same operators
    for context in (cpu_target.typing_context, cpu_target.target_context):
        assert not {"refresh", "resolve_function_type"} & set(vars(context))


def test_contexts_are_as_they_were_when_a_function_cannot_be_compiled():
    def wrong(x):
        return x.no_such_attribute

    with pytest.raises(numba.core.errors.TypingError):
        jit(wrong)(2.0)
    assert "refresh" not in vars(cpu_target.typing_context)


def test_numba_and_the_garbage_collector_are_as_they_were_when_a_function_is_compiled():
    before = gc.get_threshold(), event.install_timer, postproc.PostProcessor.run
    seen = []

    @numba.extending.overload(looked)
    def typed():
        seen.append((gc.get_threshold(), event.install_timer, postproc.PostProcessor.run))
        return lambda: 1

    def looks():
        return looked()

    assert jit(looks)() == 1
    assert all(a != b for a, b in zip(seen[0], before, strict=True))
    assert (gc.get_threshold(), event.install_timer, postproc.PostProcessor.run) == before


def looked():
    return 1


looked.twinned = True  # `inner` is not to compile it


def test_what_is_registered_while_a_function_is_compiled_is_found():
    typing, target = cpu_target.typing_context, cpu_target.target_context
    quick = compiled_lowering.Quick(typing, target)
    refreshed = []
    quick.refreshes = (lambda: refreshed.append(1),)
    quick.refresh()
    assert refreshed == []
    quick.seen = [*quick.seen, 0]
    quick.refresh()
    assert refreshed == [1]


def test_another_version_of_numba_goes_its_own_way(monkeypatch):
    assert compiled_lowering.known()
    monkeypatch.setitem(
        compiled_lowering.USED, compiled_lowering.Typing, ("a_method_that_is_gone",)
    )
    assert not compiled_lowering.known()
    assert not compiled_inner.known()


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
