"""Worked examples of the lecture on learning theory: W21 (two sign matrices), W22 (Cover, Sauer)."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from littlestone import theory

W21 = """
++-+-+--+
--++++-++
----+----
++--++-+-
---+-+-++
--++-+---
+-+--++++
--++++---
"""


def matrix(text):
    return np.array([[1 if c == "+" else -1 for c in line] for line in text.split()])


def shattered(H, k):
    """All sets of k points that are shattered, numbered from 1."""
    sets = combinations(range(H.shape[1]), k)
    return [tuple(c + 1 for c in s) for s in sets if len(np.unique(H[:, s], axis=0)) == 2**k]


def test_w21_the_first_matrix():  # X-SIGN-MATRICES
    H = matrix(W21)
    d = theory.vc_dimension(H)
    assert int(d) == 3
    assert sorted(p + 1 for p in d.points) == [3, 5, 8]
    assert shattered(H, 3) == [(3, 5, 8)]
    assert len(shattered(H, 2)) == 19
    assert [int(theory.growth(H, m)) for m in range(1, 10)] == [2, 4, 8, 8, 8, 8, 8, 8, 8]


def test_w21_the_second_matrix():
    H = matrix(W21)
    H[2, 2] = 1  # only this sign differs
    assert int(theory.vc_dimension(H)) == 2
    pairs = "13,14,15,18,19,24,25,28,29,34,35,38,39,45,48,49,58,59,89"
    assert shattered(H, 2) == [(int(p[0]), int(p[1])) for p in pairs.split(",")]
    assert [int(theory.growth(H, m)) for m in range(1, 10)] == [2, 4, 7, 8, 8, 8, 8, 8, 8]
    assert [theory.sauer(m, 2) for m in range(1, 10)] == [2, 4, 7, 11, 16, 22, 29, 37, 46]


def test_w22_cover_and_sauer():  # X-COVER
    share = {
        m: Fraction(theory.cover_count(m, 20), 2**m)
        for m in (20, 21, 25, 30, 35, 40, 45, 50, 60, 80)
    }
    assert share[20] == 1
    assert share[21] == 1 - Fraction(1, 2**20)
    assert share[40] == Fraction(1, 2)
    known = {25: 0.999228, 30: 0.969286, 35: 0.804236, 45: 0.225690, 50: 0.076204, 60: 0.004321}
    for m, value in known.items():
        assert float(share[m]) == pytest.approx(value, abs=5e-7)
    assert float(share[80]) == pytest.approx(2.1e-6, rel=0.05)
    assert theory.sauer(40, 20) / 2**40 == pytest.approx(0.562685, abs=5e-7)
