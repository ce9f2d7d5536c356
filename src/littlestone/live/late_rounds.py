"""What a run with late outcomes leaves to the run that goes on from it: the rounds whose outcomes had not come."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..core.outcome import Outcome
from ..core.vectors import Rows
from ..games import Offer

# what rounds and outcomes of a file may be made of
HELD = {c.__name__: c for c in (Outcome, Rows, Offer)}


class LateRounds(NamedTuple):
    """The rounds of a late run that were not answered when it ended after round t.

    A run tells its learner all outcomes in the end, those that come after its last round as well. A run that goes on
    late must not know them yet: it goes on from the learner as it was before.
    """

    t: int
    live: Any  # the learner before it was told the last outcomes; None: it has not been told
    rounds: tuple[Any, ...]  # as `play.delay.Outstanding.waiting` gives them
    labels: tuple[Any, ...] | None = None  # which outcomes are places in, where classes come late
