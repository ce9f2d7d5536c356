"""What a search for comparators is given: the rounds that were kept, and how they were played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import losses
from ...core.game import PER_CLASS, Shape, Traits
from ...core.transcript import Transcript


@dataclass(frozen=True)
class KeptRounds:
    """Rounds over examples, one entry each, and what comparators depend on beside them.

    >>> from littlestone.games import Labels
    >>> two = np.array([0.0, 1.0])
    >>> rounds = KeptRounds(np.eye(2), two, np.ones(2), two, Labels().traits(), Shape(2))
    >>> rounds.signed.tolist(), rounds.loss, rounds.width
    ([-1.0, 1.0], ZeroOne(low=0.0, high=1.0), 2)
    """

    x: Any  # examples, dense or sparse, without the constant of an intercept
    # outcomes: numbers as the learner is shown them, or classes as the stream codes them; NaN where it is missing
    y: Any
    h: Any  # importance
    codes: Any  # outcomes: numbers, or classes as the learner codes them
    traits: Traits
    shape: Shape
    intercept: bool = False
    learner: Any = None  # with the parameters that were used
    passes: int = 1  # how often the rounds were played
    states: tuple[Any, ...] = ()  # the last state of each copy of the learner
    own_constant: bool = False  # does the learner learn a constant that its examples do not hold?

    @classmethod
    def of(cls, transcript: Transcript) -> KeptRounds | None:
        """The rounds that a transcript kept; None where it kept none."""
        t, data = transcript, transcript.data
        if data is None:
            return None
        y = t.codes if t.traits.offset >= 0 else data.y
        states = tuple(copy.live.row.state for copy in t.copies)
        return cls(
            data.x, y, data.weights, t.codes, t.traits, t.shape, t.intercept, t.learner, t.passes, states,
            t.learner.own_constant,
        )  # fmt: skip

    @property
    def width(self) -> int:
        """The number of features, without the constant."""
        return self.shape.n - int(self.intercept)

    @property
    def constant(self) -> bool:
        """Has the best linear predictor a constant? It has one where the learner has."""
        return self.intercept or self.own_constant

    @property
    def known(self) -> Any:
        """Which rounds have an outcome and an importance above 0."""
        return np.isfinite(self.y) & (self.h > 0.0)

    @property
    def signed(self) -> Any:
        """Outcomes as losses take them: -1 and +1 for two classes, numbers as they are."""
        return 2.0 * self.codes - 1.0 if self.traits.classes else self.y

    @property
    def loss(self) -> Any:
        """The loss of a prediction; None where the game has none and counts no mistakes either."""
        if self.traits.loss is None and self.traits.counts_mistakes:
            return losses.ZeroOne()
        return self.traits.loss

    @property
    def several(self) -> bool:
        """Is there a score for each class?"""
        return self.traits.decision == PER_CLASS

    @property
    def probabilities(self) -> bool:
        """Are scores turned into probabilities of the classes, and charged their log loss?"""
        return self.traits.scores == "softmax"
