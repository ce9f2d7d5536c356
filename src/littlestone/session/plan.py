"""How a run is to be played."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import BadInput

if TYPE_CHECKING:
    from ..core.costs import Costs
    from ..core.learner import Learner
    from .delay import KeyDelays

    AnyLearner = Learner[Any, Any, Any, Any]

RECORDS = ("auto", "all", "none")
WHOLE = (int, np.integer)  # types of whole numbers
Progress = Callable[[int, float], None]


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
    checkpoint: Callable[[Any, Any, int], None] | None = (
        None  # is given learner, live learner, rounds
    )
    engine: str | None = None
    costs: Costs | None = None  # what decisions cost that are made by probabilities
    outcome: str = "outcome"  # what is predicted, by its name


def refuse_options(
    learner: AnyLearner, record: Any, asleep: Any, seed: Any, engine: Any, passes: Any
) -> None:
    """Refuse what no run can be played with, and passes where the learner does not go over rounds again."""
    if record not in RECORDS:
        raise BadInput(f"record must be one of {', '.join(RECORDS)}, not {record!r}")
    if asleep not in ("error", "last"):
        raise BadInput(f'asleep must be "error" or "last", not {asleep!r}')
    if not isinstance(seed, WHOLE) or not 0 <= seed < 2**63:
        raise BadInput(f"seed must be a whole number from 0 to 2^63 - 1, not {seed!r}")
    if engine not in (None, "plain", "compiled"):
        raise BadInput(f'engine must be "plain" or "compiled", not {engine!r}')
    if not isinstance(passes, WHOLE) or passes < 1:
        raise BadInput(f"passes must be a whole number, 1 or more, not {passes!r}")
    if passes > 1 and not learner.examples:
        raise BadInput("passes: only learners over examples go over the same rounds again")
