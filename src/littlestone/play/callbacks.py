"""Whoever wants to know of the rounds as they are played: records, sinks, progress, checkpoints, measures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np

from ..core.game import ONE
from .measure import measure

if TYPE_CHECKING:
    from ..core.stream import Batch
    from ..engine.loops import Out
    from ..hindsight.folds.reliability import Reliability
    from ..run.keyed import KeyedRuns
    from .options import Checkpoint, PlayOptions, Progress
    from .session import Session


class Wants(NamedTuple):
    """What a callback wants."""

    slices: bool = (
        False  # to be called after each call of the loop, about 50 ms, and not after each chunk
    )
    decisions: bool = False  # the decision of every round, whether it is recorded or not
    draws: bool = False  # what was drawn, even where a draw changes nothing but the transcript


class Played(NamedTuple):
    """Rounds that were played."""

    first: int  # the number of the first one
    rows: int  # how many there are: of a slice, those of its chunk so far
    y: Any
    out: Out  # what the loop wrote down
    kept: Any  # the rounds whose decisions are in it


class Callback(Protocol):
    """Is called with rounds that were played."""

    wants: ClassVar[Wants]

    def on_rounds(self, session: Session, played: Played) -> None: ...


class KeyedSink(ABC):
    """A sink that can take all rows of all keys at once, where they were played together."""

    @abstractmethod
    def __call__(self, t: int, predictions: Any, losses: Any) -> None:
        """Take what was predicted and lost, piece by piece, from round t on."""

    @abstractmethod
    def together(self, runs: KeyedRuns, batches: list[Batch]) -> None:
        """Take what was predicted and lost in all rows of these batches."""

    @abstractmethod
    def handed(self, batches: list[Batch]) -> Iterable[Batch]:
        """These batches once more: they were only looked at, and are going to be played."""


def make_callbacks(options: PlayOptions, reliability: Reliability | None) -> list[Callback]:
    """What a session calls, beside its records, in this order."""
    found: list[Callback] = []
    if reliability is not None:
        found.append(Measure(reliability))
    if options.decisions is not None:
        found.append(PassDecisions(options.decisions))
    if options.sink is not None:
        found.append(PassResults(options.sink))
    if options.checkpoint is not None:
        found.append(Save(options.checkpoint))
    if options.progress is not None:
        found.append(Report(options.progress))
    return found


@dataclass
class Measure:
    """Measures probabilities against what came."""

    reliability: Reliability
    wants: ClassVar[Wants] = Wants(decisions=True)

    def on_rounds(self, session: Session, played: Played) -> None:
        measure(session, self.reliability, played.y, played.out)


@dataclass
class PassDecisions:
    """Passes the decisions of each chunk on."""

    function: Callable[[Any], None]
    wants: ClassVar[Wants] = Wants(decisions=True)

    def on_rounds(self, session: Session, played: Played) -> None:
        self.function(played.out.decisions)


@dataclass
class PassResults:
    """Passes what was predicted and lost on."""

    sink: Callable[[int, Any, Any], None]
    wants: ClassVar[Wants] = Wants(draws=True)

    def on_rounds(self, session: Session, played: Played) -> None:
        A, C = played.out.actions, played.out.costs
        self.sink(played.first, A[:, 0] if session.setting.traits.width == ONE else A, C)


@dataclass
class Save:
    """Lets a checkpoint have the learner as it is, where there is a single copy of it."""

    checkpoint: Checkpoint
    wants: ClassVar[Wants] = Wants(slices=True)

    def on_rounds(self, session: Session, played: Played) -> None:
        if len(session.copies) == 1:
            live = session.live_after(played.first + played.rows)
            self.checkpoint(session.learner, live, live.t - session.started)


@dataclass
class Report:
    """Reports how many rounds are over, and what was lost in them."""

    progress: Progress
    wants: ClassVar[Wants] = Wants(slices=True)

    def on_rounds(self, session: Session, played: Played) -> None:
        lost = session.loss + float(np.nansum(played.out.costs[: played.rows]))
        self.progress(played.first + played.rows - session.started, lost)
