"""What happened in a run: all that its certificate, its report and its numbers are made of. Nothing here plays."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .game import Game, Shape, Traits
from .losses import KINDS, has_interval


@dataclass
class Rounds:
    """The rounds of a run, where they were kept."""

    x: Any  # advice, or examples (dense or sparse, without the constant of an intercept); None: losses alone
    y: Any  # outcomes (labels are coded as in their stream), or losses
    h: Any = None  # importance weights of examples; None: all are 1

    @functools.cached_property
    def weights(self) -> Any:
        """The importance of each round."""
        return np.ones(len(self.y)) if self.h is None else self.h


@dataclass
class Copy:
    """One copy of the learner: all rounds are its own, unless late feedback is met by interleaving several."""

    live: Any  # live.Live
    totals: Any  # what happened in its rounds, added up
    notes: Any  # the numbers that the learner noted (`Learner.diagnostics`) after its last round


@dataclass
class Transcript:
    """What happened in a run."""

    learner: Any  # tuned
    requested: Any  # the learner as the user gave it, before it was tuned
    setting: Any  # settings.Setting
    names: tuple[str, ...]  # of the experts, arms or features
    copies: list[Copy]
    folds: Any  # comparators that were folded as rounds went by, and a trace
    actions: Any  # records (play.record.Record), one row a round: what was done,
    costs: Any  # what it cost, in expectation where the game draws,
    realised: Any  # what it cost as it was drawn, or whether the label was wrong; None: the same as costs,
    decisions: Any  # and the decision behind it
    facts: dict[str, Any] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    t: int = 0  # the number of the round after the last one
    started: int = 0  # rounds before this run, where it goes on from an earlier one
    resumed: bool = False
    seconds: float = 0.0  # of playing
    delay: int = 0  # the longest delay of an outcome
    delays: Any = None  # one for each round, where they differ
    interleaved: bool = False  # is late feedback met by interleaved copies?
    waiting: dict[str, int] = field(default_factory=dict)  # what theorems about late feedback use
    certify: bool = True
    seed: int = 0
    engine: str = "plain"
    data: Rounds | None = None
    passes: int = 1
    small: float = 0.0  # the largest feature or advice, where products of such numbers vanish in floating point
    interval: tuple[float, float] | None = (
        None  # in which losses, or advice and outcomes, were declared to lie
    )
    slept: int = 0  # rounds in which an arm was not there
    asleep: Any = (
        None  # of each expert, rounds with an answer in which it gave no advice; None: always awake
    )
    compiling: float = 0.0  # seconds of compiling, which is done once and not counted in `seconds`
    last_weights: list[Any] = field(default_factory=list)  # linear predictors that the run came to
    reliability: Any = (
        None  # hindsight.folds.reliability.Reliability, where the learner has probabilities
    )

    @property
    def game(self) -> Game:
        return self.setting.game

    @property
    def traits(self) -> Traits:
        traits: Traits = self.setting.traits
        return traits

    @property
    def shape(self) -> Shape:
        shape: Shape = self.setting.shape
        return shape

    @property
    def labels(self) -> Any:
        return self.setting.labels

    @property
    def intercept(self) -> bool:
        return bool(self.setting.intercept)

    @property
    def sparse(self) -> bool:
        return bool(self.setting.sparse)

    @property
    def declared(self) -> bool:
        """Did the user declare the interval of losses, or of advice and outcomes, where it matters?"""
        if self.interval is not None:
            return True
        loss = self.requested.parameters.get("loss")
        return not self.traits.kind.losses_alone and (
            not isinstance(loss, KINDS) or has_interval(loss)
        )

    @property
    def rounds(self) -> int:
        return self.t - self.started

    @property
    def late(self) -> bool:
        """Did a single copy learn late?"""
        return self.delay > 0 and not self.interleaved

    @property
    def totals(self) -> Any:
        """What happened in the rounds of all copies together."""
        return self.folds.together if len(self.copies) > 1 else self.copies[0].totals

    @property
    def loss(self) -> float:
        return float(self.totals.loss)

    @property
    def codes(self) -> Any:
        """Outcomes of the rounds kept, as the learner is shown them.

        Classes as it codes them (a stream may code them otherwise); numbers less the feature that predictions start
        from, where there is one.
        """
        if self.data is None:
            return None
        if self.traits.offset >= 0:
            return self.data.y - self.data.x[:, self.traits.offset - int(self.intercept)]
        return self.setting.recode_outcomes(self.data.y)

    @property
    def feature_count(self) -> int:
        """Features, the constant of an intercept left out."""
        return self.shape.n - int(self.intercept)

    @property
    def how_late(self) -> str:
        """The delay in words: "24 rounds late", or "up to 24 rounds late"."""
        text = f"{self.delay} round{'s' * (self.delay > 1)} late"
        if self.delays is None:
            return text
        never = int(np.sum(self.delays < 0))
        return f"up to {text}" + (f", {never:,} of {len(self.delays):,} never" if never else "")
