"""How one learner is played over its rounds: the options, and what the learner and the data make of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .delay import KeyDelays

if TYPE_CHECKING:
    from ..core.costs import Costs
    from .options import PlayOptions


@dataclass(frozen=True)
class Plan:
    """What a session is to do."""

    options: PlayOptions
    losses: bool = False  # do rounds bring losses, and no outcomes?
    expected: int | None = None  # rounds, where that is known
    delay: int = 0  # the longest
    delays: Any = None  # one for each round, where they differ
    interleave: bool = False  # with a delay: do copies take turns?
    whole: bool = False  # are all rounds in memory?
    kept: bool = False  # and do they stay there, with the run?
    costs: Costs | None = None  # what decisions cost that are made by probabilities
    outcome: str = "outcome"  # what is predicted, by its name

    def for_key(self, key: Any, rows: int | None) -> Plan:
        """The plan of one key, which has this number of rows in each pass (None: that is not known)."""
        how = self.options
        late = how.delay.of(key) if isinstance(how.delay, KeyDelays) else self.delay
        expected = how.horizon or (rows and rows * how.passes)
        return replace(self, expected=expected, kept=False, delay=late)
