"""Files that version 0.11 wrote: its grids were not on trial.

`saved-0.11/grids.json` holds the rounds that followed, and what 0.11 decided in them as it went on.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import littlestone as ls

FOLDER = Path(__file__).parent / "saved-0.11"
GRIDS = json.loads((FOLDER / "grids.json").read_text(encoding="utf-8"))

pytestmark = pytest.mark.usefixtures("plain")


def test_every_file_has_an_expectation():
    assert {path.stem for path in FOLDER.glob("*.ls")} == {*GRIDS["decisions"]}


@pytest.mark.parametrize("name", GRIDS["decisions"])
def test_it_goes_on_as_0_11_did(name, tmp_path):
    learner = ls.load(FOLDER / f"{name}.ls")
    assert not learner.state.cells.tiles.worth.any()
    for x, y, decision in zip(GRIDS["x"], GRIDS["y"][name], GRIDS["decisions"][name], strict=True):
        assert np.ravel(learner.ask(x).decision) == pytest.approx(decision, rel=1e-12)
        learner = learner.update(x, y)
    assert not learner.state.cells.tiles.born.any()
    again = ls.load(learner.save(tmp_path / "again.ls"))
    assert again.digest() == learner.digest()
