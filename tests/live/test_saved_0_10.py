"""Files that version 0.10 wrote of learners with a rate a feature: each goes on as it did in 0.10.

`saved-0.10/expected.json` holds the rounds that followed, and the scores that 0.10 had in them as it went on learning.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import littlestone as ls

FOLDER = Path(__file__).parent / "saved-0.10"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())

pytestmark = pytest.mark.usefixtures("plain")


@pytest.mark.parametrize("name", EXPECTED["scores"])
def test_it_goes_on_as_0_10_did(name):
    learner, scores = ls.load(FOLDER / f"{name}.ls"), []
    for x, y in zip(EXPECTED["x"], EXPECTED["y"], strict=True):
        scores.append(learner.ask(x).decision)
        learner = learner.update(x, y)
    assert scores == pytest.approx(EXPECTED["scores"][name], rel=1e-12)
