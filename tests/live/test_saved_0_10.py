"""Files that version 0.10 wrote, of learners that know more now.

`saved-0.10/rates.json` holds, for learners with a rate a feature, the rounds that followed and the scores that 0.10 had
in them as it went on.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import littlestone as ls

FOLDER = Path(__file__).parent / "saved-0.10"
RATES = json.loads((FOLDER / "rates.json").read_text(encoding="utf-8"))

pytestmark = pytest.mark.usefixtures("plain")


def test_every_file_has_an_expectation():
    assert {path.stem for path in FOLDER.glob("*.ls")} == {*RATES["scores"]}


@pytest.mark.parametrize("name", RATES["scores"])
def test_it_goes_on_as_0_10_did(name):
    learner, scores = ls.load(FOLDER / f"{name}.ls"), []
    for x, y in zip(RATES["x"], RATES["y"], strict=True):
        scores.append(learner.ask(x).decision)
        learner = learner.update(x, y)
    assert scores == pytest.approx(RATES["scores"][name], rel=1e-12)
