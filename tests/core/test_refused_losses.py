"""Learners over examples refuse losses without outcomes, all in the same words."""

from __future__ import annotations

import re

import pytest

from littlestone.core.errors import BadInput
from littlestone.core.registry import learners

OVER_EXAMPLES = sorted(key for key, cls in learners().items() if cls.examples)


def test_there_are_learners_over_examples_in_every_room():
    modules = (learners()[key].__module__ for key in OVER_EXAMPLES)
    rooms = {m.split(".")[1] for m in modules if m.startswith("littlestone.")}
    assert {"experts", "linear", "kernel", "convex", "matrices"} <= rooms


@pytest.mark.parametrize("key", OVER_EXAMPLES)
def test_losses_alone_are_refused(key):
    said = re.escape(f"{key} needs examples and outcomes, not losses alone")
    with pytest.raises(BadInput, match=f"^{said}$"):
        learners()[key]().game(True)
    assert learners()[key]().game(False) is not None
