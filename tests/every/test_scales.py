"""Where multiplying all numbers by a constant changes nothing, that is true of every constant, or the run is refused.

A learner whose loss is the same (or multiplied by the constant as well) at 1e-3 of the scale must be so at 1e-150 and
1e-300. Before, learners went on in silence with squares of 0, and their certificates said "kept".
"""

import math
import warnings

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.registry import learners

SCALES = (1e-100, 1e-150, 1e-300)
T = 30


def rounds(kind):
    rng = np.random.default_rng(0)
    X = rng.random((T, 3)) if kind in ("losses", "advice") else rng.standard_normal((T, 3))
    noise = rng.standard_normal(T)
    y = {"labels": (X[:, 0] + noise > 0).astype(int), "numbers": X @ [1.0, -1.0, 0.5] + noise}
    return X, y.get(kind, 0.5 * X[:, 0])


def loss_at(cls, kind, scale):
    """The loss of a run whose numbers are multiplied by the scale."""
    X, y = rounds(kind)
    if kind == "losses":
        more = {"interval": (0.0, scale)} if cls.bounded else {}
        one, two = (
            ls.play(cls(), scale * X, engine="plain", certify=c, **more).loss for c in (False, True)
        )
        assert one == pytest.approx(two, rel=1e-12)
        return one
    if kind == "advice":
        return ls.play(cls(), scale * X, scale * y, engine="plain").loss
    run = ls.play(cls(), scale * X, y, engine="plain")
    if run.classifies != (kind == "labels"):
        raise ls.BadInput("it predicts something else")
    return run.loss


def kinds(cls):
    return (
        ("labels", "numbers")
        if cls.examples
        else ("losses",)
        if cls.bandit
        else ("losses", "advice")
    )


OURS = [k for k, c in learners().items() if c.__module__.startswith("littlestone.")]


@pytest.mark.parametrize("key", sorted(OURS))
def test_multiplying_changes_nothing_or_is_refused(key):
    cls = learners()[key]
    for kind in kinds(cls):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                first, small = loss_at(cls, kind, 1.0), loss_at(cls, kind, 1e-3)
            except (ls.LittlestoneError, TypeError):
                continue  # it needs more, or other rounds
            degree = next(
                (g for g in (0, 1, 2) if math.isclose(small, first * 1e-3**g, rel_tol=1e-9)), None
            )
            if degree is None:
                continue  # its rate is made for one scale
            for scale in SCALES:
                expected = first * scale**degree
                if (found := tried(cls, kind, scale)) is not None:
                    assert found == pytest.approx(expected, rel=1e-6, abs=1e-307), (kind, scale)


def tried(cls, kind, scale):
    """The loss at this scale; None where it is refused, which must say what to do."""
    try:
        return loss_at(cls, kind, scale)
    except ls.LittlestoneError as problem:
        said = str(problem)
    assert "multiply all of them by a constant" in said
    return None
