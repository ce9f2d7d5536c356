"""A verdict that more seeds would tell says how many, and so many do tell."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import littlestone as ls
from littlestone.run.seeds import seeds_to_tell

LOSSES = np.tile([0.9, 0.1, 0.5], (60, 1))


def test_so_many_seeds_tell():
    few = ls.play("exp3", LOSSES, seeds=8, engine="plain").certificate.verdicts[0]
    assert few.verdict == "unknown"
    many = re.search(r"at most about ([\d,]+) seeds would tell$", few.why)
    assert many
    needed = int(many[1].replace(",", ""))
    assert 8 < needed < 2000
    assert (
        ls.play("exp3", LOSSES, seeds=needed, engine="plain").certificate.verdicts[0].verdict
        == "kept"
    )


def test_a_smaller_gap_takes_more():
    values = np.random.default_rng(0).random(50)
    assert seeds_to_tell(values, 1.0, 0.1) < seeds_to_tell(values, 1.0, 0.01)
    assert seeds_to_tell(values, 1.0, 0.0) == math.inf
    assert seeds_to_tell(values, math.inf, 1.0) == math.inf
    # the spread alone: 2 V ln(2/level) / gap^2 for a range of 0
    assert seeds_to_tell([0.0, 2.0], 0.0, 0.5) == pytest.approx(
        math.ceil(2 * math.log(2000) / 0.25)
    )
