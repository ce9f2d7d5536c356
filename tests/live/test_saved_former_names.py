"""Files that name a class as 0.9 called it (`Books`, `Tally`, `Kept`): each loads, predicts as before and learns on.

`saved-former-names/expected.json` holds what each learner decided when its file was written.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import littlestone as ls
from littlestone.live import store

FOLDER = Path(__file__).parent / "saved-former-names"
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
FORMER = {
    "variable-share": "Kept",
    "ucb1": "Tally",
    "gaussian-thompson": "Tally",
    "quantile-tracker": "Books",
}

pytestmark = pytest.mark.usefixtures("plain")


def decided(learner):
    if isinstance(learner, ls.Intervals):
        return learner.predict(0.0)
    advice = () if learner.bandit else ([0.2, 0.5, 0.9],)
    return learner.ask(*advice).decision


def learn(learner):
    if isinstance(learner, ls.Intervals):
        learner.update(0.0, 5.0)
    elif learner.bandit:
        learner.update(arm=learner.predict(), loss=1.0)
    else:
        learner.update([0.0, 1.0, 1.0], 1.0)


def test_every_renamed_class_has_a_file():
    assert set(FORMER.values()) == set(store.RENAMED)
    assert set(FORMER) == set(EXPECTED) == {path.stem for path in FOLDER.glob("*.ls")}


@pytest.mark.parametrize("name", EXPECTED)
def test_it_loads_and_decides_as_before(name):
    raw = (FOLDER / f"{name}.ls").read_bytes()
    assert FORMER[name].encode() in raw
    assert decided(ls.load(FOLDER / f"{name}.ls")) == pytest.approx(
        np.array(EXPECTED[name]), abs=1e-12
    )


@pytest.mark.parametrize("name", EXPECTED)
def test_it_learns_on_and_is_saved_under_the_new_name(name, tmp_path):
    learner = ls.load(FOLDER / f"{name}.ls")
    learn(learner)
    path = learner.save(tmp_path / "again.ls")
    assert store.RENAMED[FORMER[name]].encode() in path.read_bytes()
    again = ls.load(path)
    for _ in range(3):
        assert np.array_equal(decided(again), decided(learner))
        learn(learner)
        learn(again)
