"""A learner, its game and their shape as `play` would begin with them, for rules that are called directly."""

from __future__ import annotations

from typing import Any

from ..core import losses
from ..core.game import Game, Shape
from ..core.learner import Learner
from ..settings import InitialInfo, fit_setting
from ..settings.fit import fit_learner

AnyLearner = Learner[Any, Any, Any, Any]


def prepare_case(
    learner: AnyLearner,
    allocation: bool,
    n: int,
    rounds: int,
    interval: tuple[float, float] | None,
    classes: int = 2,
) -> tuple[AnyLearner, Game, Shape]:
    """The learner with its theorem's rates, its game, and what it knows before round 1.

    `allocation`: rounds are losses alone. `rounds` is 0 where the learner is not to know their number.
    """
    if learner.examples:
        s = fit_setting(learner, InitialInfo(n=n, rounds=rounds), False)
        return s.learner, s.game, s.shape
    game = learner.game(allocation)
    labels = tuple(range(classes)) if learner.labels and not allocation else None
    return fit_learner(learner, game, n, rounds, declare_interval(learner, game, interval), labels)


def declare_interval(
    learner: AnyLearner, game: Game, interval: tuple[float, float] | None
) -> tuple[float, float] | None:
    """The interval that `play` would declare for rounds in [0, 1], where none is given."""
    traits = game.traits()
    free = traits.loss is not None and not losses.has_interval(traits.loss)
    if interval is None and learner.bounded and (traits.kind.losses_alone or free):
        return 0.0, 1.0
    return interval
