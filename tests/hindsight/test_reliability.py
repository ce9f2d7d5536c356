"""Probabilities are counted by bins, by NumPy and by compiled code alike."""

import numpy as np
import pytest

from littlestone.hindsight.folds import reliability
from littlestone.hindsight.folds.reliability import BINS, Reliability


def rounds(n, seed):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    p[:4] = 0.0, 1.0, 0.3, 1.0 - 1e-16  # the ends, and where bins meet
    return p, rng.integers(0, 2, n), rng.random(n) * 3.0


@pytest.mark.compiled
def test_compiled_code_counts_what_numpy_does_to_the_last_bit():
    pytest.importorskip("numba")
    for seed in range(5):
        p, truth, h = rounds(2000, seed)
        for one, other in zip(
            reliability.counts_of_two(p, truth, h, True),
            reliability.counts_of_two(p, truth, h, False),
            strict=True,
        ):
            assert np.array_equal(one, other)


def test_each_round_is_counted_in_its_bin():
    counts, said = reliability.counts_of_two(
        np.array([0.0, 0.05, 0.95, 1.0, 0.95]), np.array([0, 1, 1, 0, 1]), np.array([1.0, 2.0, 1.0, 1.0, 3.0]), False
    )  # fmt: skip
    assert counts[0].tolist() == [1.0, *[0.0] * (BINS - 2), 1.0]
    assert counts[1].tolist() == [2.0, *[0.0] * (BINS - 2), 4.0]
    assert said[0] == 0.1
    assert said[-1] == pytest.approx(0.95 + 1.0 + 3 * 0.95)


def test_compiled_code_is_for_many_rounds(monkeypatch):
    monkeypatch.setattr(reliability, "has_numba", lambda: True)
    assert Reliability(None, reliability.MANY).compiled
    assert not Reliability(None, reliability.MANY - 1).compiled
    monkeypatch.setattr(reliability, "has_numba", lambda: False)
    assert not Reliability(None, reliability.MANY).compiled
