"""Totals of the experts: compiled code and NumPy add up in the same order, and chunks change no last bit."""

from __future__ import annotations

import numpy as np
import pytest

from littlestone.hindsight.folds import totals
from littlestone.hindsight.folds.totals import Totals

NONE = np.empty((0, 0))


def rounds(T: int = 700, n: int = 5, scale: float = 1.0):
    rng = np.random.default_rng(7)
    return scale * rng.random(T), scale * rng.standard_normal((T, n)) ** 3


def added(monkeypatch, many: int, C, E, F, marks):
    monkeypatch.setattr(totals, "MANY", many)
    found = Totals(E.shape[1])
    traced = [found.add(C, E, F, marks), found.add(C[::-1], E[::-1], F[::-1], marks)]
    return found, traced


@pytest.mark.parametrize("shown", [False, True])
@pytest.mark.parametrize("scale", [1.0, 1e-160, 1e160])
def test_compiled_code_adds_up_what_numpy_does(monkeypatch, shown, scale):
    pytest.importorskip("numba")
    C, E = rounds(scale=scale)
    C[[3, 99]] = np.nan  # rounds without an answer
    F = E - 0.25 * scale if shown else NONE
    marks = np.arange(6, 700, 7)
    slow, slow_trace = added(monkeypatch, 1 << 62, C, E, F, marks)
    fast, fast_trace = added(monkeypatch, 0, C, E, F, marks)
    for name, value in vars(slow).items():
        np.testing.assert_array_equal(getattr(fast, name), value, err_msg=name)
    for one, other in zip(slow_trace, fast_trace, strict=True):
        assert list(one) == list(other)
        for name, column in one.items():
            np.testing.assert_array_equal(other[name], column, err_msg=name)


def test_an_infinite_loss_is_added_up_as_numpy_does(monkeypatch):
    pytest.importorskip("numba")
    C, E = rounds(T=20)
    E[4, 2] = np.inf
    slow, _ = added(monkeypatch, 1 << 62, C, E, NONE, np.empty(0, np.int64))
    fast, _ = added(monkeypatch, 0, C, E, NONE, np.empty(0, np.int64))
    for name, value in vars(slow).items():
        np.testing.assert_array_equal(getattr(fast, name), value, err_msg=name)
    assert np.isposinf(fast.L[2])
