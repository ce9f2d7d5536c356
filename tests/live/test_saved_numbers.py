"""Files of learners of numbers that 0.8 and 0.9 wrote, which knew no outer mixture: each loads, predicts and learns on.

`saved-0.8/expected.json` and `saved-0.9/expected.json` hold an example for each file, and what was predicted for it.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import littlestone as ls
from littlestone.linear.parts.outer_mixture import BEGUN, CENTRE, HIGH, LOW

FOLDERS = [Path(__file__).parent / name for name in ("saved-0.8", "saved-0.9")]
FILES = [path for folder in FOLDERS for path in sorted(folder.glob("*.ls"))]

pytestmark = pytest.mark.usefixtures("plain")


def named(path):
    return f"{path.parent.name}-{path.stem}"


def expected(path):
    found = json.loads((path.parent / "expected.json").read_text(encoding="utf-8"))[path.stem]
    return found["x"], found["predict"]


def outer(learner):
    state = learner.state
    return getattr(state, "line", state).outer


def test_both_versions_have_three_files():
    assert [path.parent.name for path in FILES] == ["saved-0.8"] * 3 + ["saved-0.9"] * 3


@pytest.mark.parametrize("path", FILES, ids=named)
def test_it_predicts_what_was_predicted(path):
    x, before = expected(path)
    learner = ls.load(path)
    assert learner.predict(x) == pytest.approx(before, rel=1e-12)
    assert outer(learner).book[BEGUN] == 0.0


@pytest.mark.parametrize("path", FILES, ids=named)
def test_its_next_outcome_changes_little(path):
    """The interval is that of the outcomes before, so that what was learned is not cut off."""
    x, before = expected(path)
    learner = ls.load(path)
    units = getattr(learner.state, "line", learner.state).units.copy()
    learner.update(x, before)
    book = outer(learner).book
    assert book[CENTRE] == units[0]
    assert book[HIGH] - book[LOW] == pytest.approx(20 * units[1])
    assert learner.predict(x) == pytest.approx(before, abs=0.1 * units[1])


@pytest.mark.parametrize("path", FILES, ids=named)
def test_it_learns_on_and_is_saved_again(path, tmp_path):
    x, before = expected(path)
    learner = ls.load(path)
    for _ in range(60):
        learner.update(x, before + 1.0)
    assert learner.predict(x) == pytest.approx(before + 1.0, abs=0.1)
    again = ls.load(learner.save(tmp_path / "again.ls"))
    for one in (learner, again):
        one.update(x, before)
    assert np.array_equal(again.predict(x), learner.predict(x))
    assert again.digest() == learner.digest()
