"""How a run is to be played."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..core.costs import Costs
    from .delay import KeyDelays
    from .options import Checkpoint, Progress


@dataclass(frozen=True)
class Plan:
    """How a run is to be played: what a user asked for, checked."""

    losses: bool = False  # do rounds bring losses, and no outcomes?
    expected: int | None = None  # rounds, where that is known
    certify: bool = True
    seed: int = 0
    record: str = "auto"
    delay: int = 0  # the longest
    delays: Any = None  # one for each round, where they differ
    key_delays: KeyDelays | None = None  # one for each key, where they differ
    interleave: bool = True
    asleep: str = "error"
    interval: tuple[float, float] | None = None
    shifts: int | None = None
    whole: bool = False  # are all rounds in memory?
    kept: bool = False  # and do they stay there, with the run?
    progress: Progress | None = None
    # Is given what was predicted and lost in each chunk. One with the method `together(runs, batches)` is given all
    # rows of all keys at once, where they were played together; `handed(batches)` says that they are read once more.
    sink: Callable[[int, Any, Any], None] | None = None
    decisions: Callable[[Any], None] | None = (
        None  # is given the decisions of a chunk, before `sink`
    )
    checkpoint: Checkpoint | None = None
    engine: str | None = None
    costs: Costs | None = None  # what decisions cost that are made by probabilities
    outcome: str = "outcome"  # what is predicted, by its name
