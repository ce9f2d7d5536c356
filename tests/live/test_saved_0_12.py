"""Files that version 0.12 wrote: where no rate was set it scaled features, and there was no word for it.

`saved-0.12/scores.json` holds the rounds that followed, and what 0.12 decided in them as it went on.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import littlestone as ls

FOLDER = Path(__file__).parent / "saved-0.12"
SCORES = json.loads((FOLDER / "scores.json").read_text(encoding="utf-8"))

pytestmark = pytest.mark.usefixtures("plain")


def test_every_file_has_an_expectation():
    assert {path.stem for path in FOLDER.glob("*.ls")} == {*SCORES["scores"]}


@pytest.mark.parametrize("name", SCORES["scores"])
def test_it_goes_on_as_0_12_did(name):
    learner = ls.load(FOLDER / f"{name}.ls")
    assert learner.normalise is not name.endswith(("-eta", "-radius"))
    for x, y, wanted in zip(SCORES["x"], SCORES["y"], SCORES["scores"][name], strict=True):
        assert np.ravel(learner.ask(x).decision) == pytest.approx(wanted, rel=1e-12)
        learner = learner.update(x, y)
