"""A learner's plain rules, one round at a time, for adversaries that look at its answer before they choose."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.game import Shape
from ..core.outcome import Outcome
from ..games import make_scratch
from ..settings.fit import first_state


class Opponent:
    """A learner over examples that an adversary plays against; it learns each truth `late` rounds later."""

    def __init__(self, learner: Any, n: int = 1, classes: int = 2, late: int = 0) -> None:
        self.params, self.game, self.late = learner.params, learner.game(False), late
        shape = Shape(n, classes=classes)
        self.state = first_state(learner, shape)
        self.scratch = make_scratch(shape, 2)
        self.waiting: list[tuple[Any, ...]] = []

    def answer(self, x: Any) -> Any:
        """Its prediction for an example: a label, or the two limits of an interval."""
        d = self.params.decide(self.state, x)
        return self.game.act(self.params, d, x, 0.0, self.scratch)

    def learn(self, x: Any, y: float) -> None:
        """Take the truth y of the round, as the game codes it, and learn from the round `late` rounds ago."""
        d = self.params.decide(self.state, x)
        d = d.copy() if isinstance(d, np.ndarray) else d
        a = self.game.act(self.params, d, x, 0.0, self.scratch)
        self.waiting.append((x, d, a.copy() if isinstance(a, np.ndarray) else a, Outcome(y, 1.0)))
        if len(self.waiting) > self.late:
            then, d, a, truth = self.waiting.pop(0)
            shown = self.game.feedback(d, a, then, truth, self.scratch)
            self.state = self.params.learn(self.state, then, d, shown)
