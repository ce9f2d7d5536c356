"""Learners over examples refuse losses without outcomes, all in the same words."""

from __future__ import annotations

import re

import pytest

from littlestone.core.errors import BadInput
from littlestone.core.registry import learners

OVER_EXAMPLES = sorted(key for key, cls in learners().items() if cls.examples)


def test_there_are_learners_over_examples_in_every_package():
    modules = (learners()[key].__module__ for key in OVER_EXAMPLES)
    packages = {m.split(".")[1] for m in modules if m.startswith("littlestone.")}
    assert {"experts", "linear", "kernels", "convex", "matrices"} <= packages


@pytest.mark.parametrize("key", OVER_EXAMPLES)
def test_losses_alone_are_refused(key):
    said = re.escape(f"{key} needs examples and outcomes, not losses alone")
    with pytest.raises(BadInput, match=f"^{said}$"):
        learners()[key]().game(True)
    assert learners()[key]().game(False) is not None


def test_a_loss_without_an_interval_is_shown_without_one():
    import littlestone as ls
    from littlestone.core.losses import Absolute, Pinball, Square

    assert repr(ls.Hedge(loss="square")) == "Hedge(eta=None, loss=Square(), draw=False)"
    assert repr(Square(0.0, 2.0)) == "Square(low=0.0, high=2.0)"
    assert (repr(Absolute()), repr(Pinball(quantile=0.9))) == (
        "Absolute()",
        "Pinball(quantile=0.9)",
    )
    for bad in (Square("a", "b"), Square(None, 1.0), Absolute(0.0, 10**400)):
        with pytest.raises(BadInput, match="hedge: the loss must hold numbers"):
            ls.Hedge(loss=bad)
    for bad in (Square(2.0, 1.0), Square(0.0), Square(0.0, float("inf"))):
        with pytest.raises(BadInput, match="low < high"):
            ls.Hedge(loss=bad)
