"""Files that version 0.5 wrote: each loads, predicts what 0.5 predicted, and learns on.

`saved-0.5/expected.json` holds, for each file, an example and what 0.5 predicted for it.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import littlestone as ls

FOLDER = Path(__file__).parent / "saved-0.5"
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
ROUNDS = {
    "hedge": ([0.0, 1.0, 1.0, 1.0],),
    "tracker": ([0.2, 0.5, 0.9], 0.9),
    "perceptron": ([0.3, -0.2, 0.1, 0.5], "no"),
    "kernel-perceptron": ([0.3, -0.2, 0.1, 0.5], "no"),
    "meg-imcsi": ([1, 1], -1),
}  # a round that contradicts what was learned, so that learning shows


pytestmark = pytest.mark.usefixtures("plain")


def predicted(learner, x):
    return learner.predict() if x is None else learner.predict(x)


def test_every_file_has_an_expectation_and_a_round():
    assert {path.stem for path in FOLDER.glob("*.ls")} == set(EXPECTED) == set(ROUNDS)


@pytest.mark.parametrize("name", EXPECTED)
def test_it_predicts_what_0_5_predicted(name):
    x, expected = EXPECTED[name]["x"], EXPECTED[name]["predict"]
    found = predicted(ls.load(FOLDER / f"{name}.ls"), x)
    if isinstance(expected, (str, int)):
        assert found == expected
        assert isinstance(found, type(expected))
    else:
        assert found == pytest.approx(np.array(expected), rel=0, abs=1e-12)


@pytest.mark.parametrize("name", EXPECTED)
def test_it_learns_on_and_is_saved_again(name, tmp_path):
    learner, x = ls.load(FOLDER / f"{name}.ls"), EXPECTED[name]["x"]
    before = learner.ask(x).decision
    for _ in range(30):
        learner.update(*ROUNDS[name])
    assert not np.array_equal(learner.ask(x).decision, before)
    if learner.labels:
        assert predicted(learner, x) == ROUNDS[name][1]
    again = ls.load(learner.save(tmp_path / "again.ls"))
    for one in (learner, again):
        one.update(*ROUNDS[name])
    assert np.array_equal(predicted(again, x), predicted(learner, x))
    assert np.array_equal(again.ask(x).decision, learner.ask(x).decision)
