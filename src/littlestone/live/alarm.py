"""An alarm of a live learner: its loss is larger than was claimed, or than it was in a reference period.

A test by betting (`core/e_process.py`): one may look after every round, and the alarm is false with probability at
most its level. Losses are folded in the order of the rounds, up to the oldest one that is still open: which outcomes
come first may depend on what they are.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.e_process import Evidence, Sums, add, bet, checked_level, found_at, limits, p_value
from ..core.errors import BadInput
from ..core.named_tuples import field_or_none

if TYPE_CHECKING:
    from .live import Live


class Alarm:
    """Whether the loss of a learner has gone up, and since when that is known.

        claimed     nobody expects a loss above `claimed`, in any round; the alarm says that it is
        reference   so many outcomes are a reference period: the claim is the upper limit of its expected loss, at half
                    the level, and the rounds after it are tested at the other half

    If the claim holds, the alarm ever rings with probability at most `level`. A loss is 1 for a wrong label or a
    missed interval, the loss of an arm or a mixture as a share of its interval, and the absolute error of a forecast
    as a share of the interval, or of `largest`, above which it counts as 1.
    """

    def __init__(
        self, level: float, claimed: float | None, reference: int, largest: float | None
    ) -> None:
        self.level, self.claimed, self.reference, self.largest = level, claimed, reference, largest
        self.evidence, self.sums = Evidence(), Sums()
        self.next = 0  # the first round that is not folded yet
        self.waiting: dict[int, float] = {}  # losses of rounds behind one that is open
        self.tested, self.total = 0, 0.0  # rounds after the reference period, and their losses
        self.rang: int | None = None  # the round after which the alarm rang

    @property
    def claim(self) -> float | None:
        """The loss that is claimed not to be exceeded; None within a reference period."""
        if self.claimed is not None:
            return self.claimed
        if self.sums.rounds < self.reference:
            return None
        return min(limits(self.sums, self.level).high, 1.0)

    @property
    def p_value(self) -> float:
        """The smallest level at which the alarm would have rung so far, at any time."""
        found = p_value(self.evidence)
        return found if self.claimed is not None else min(1.0, 2.0 * found)

    @property
    def mean(self) -> float:
        """The mean loss of the rounds that were tested."""
        return self.total / self.tested if self.tested else math.nan

    def __repr__(self) -> str:
        claim = self.claim
        state = "quiet" if self.rang is None else f"rang after round {self.rang + 1}"
        about = "reference period" if claim is None else f"claimed loss {claim:.4g}"
        return f"Alarm({state}, {about}, mean {self.mean:.4g} of {self.tested} rounds, p-value {self.p_value:.3g})"

    def settle(self, live: Live, t: int, loss: float | None) -> None:
        """The loss of round t is known; None: it never will be. Fold the rounds before the oldest open one."""
        if loss is not None:
            self.waiting[t] = loss
        last = live.tickets.oldest(max(live.t, t + 1))
        while self.next < last:
            found = self.waiting.pop(self.next, None)
            if found is not None:
                self.test(found)
            self.next += 1

    def test(self, loss: float) -> None:
        """Fold one loss in [0, 1]."""
        claim = self.claim
        if claim is None:
            self.sums = add(self.sums, loss)
            return
        self.tested, self.total = self.tested + 1, self.total + loss
        if not claim < 1.0:
            return  # no loss is above it
        self.evidence = bet(self.evidence, loss - claim, claim)
        level = self.level if self.claimed is not None else 0.5 * self.level
        if self.rang is None and found_at(self.evidence, level):
            self.rang = self.next

    # Files.

    def body(self) -> dict[str, Any]:
        """What a file holds of it."""
        found = dict(vars(self))
        found["waiting"] = [[t, loss] for t, loss in self.waiting.items()]
        return found | {"evidence": list(self.evidence), "sums": list(self.sums)}

    @classmethod
    def revive(cls, body: dict[str, Any]) -> Alarm:
        """The alarm again, of a file."""
        made = cls(0.5, None, 0, None)
        vars(made).update(body)
        made.waiting = {int(t): float(loss) for t, loss in body["waiting"]}
        rounds, money, most = body["evidence"]
        made.evidence, made.sums = Evidence(rounds, tuple(money), most), Sums(*body["sums"])
        return made


def alarm_of(live: Live, level: Any, claimed: Any, reference: Any, largest: Any) -> Alarm:
    """An alarm for a learner, checked."""
    level = checked_level(level)
    refuse_numbers(claimed, reference, largest)
    refuse_learner(live, largest)
    made = Alarm(level, None if claimed is None else float(claimed), reference or 0, largest)
    made.next = live.tickets.oldest(live.t)
    return made


def refuse_numbers(claimed: Any, reference: Any, largest: Any) -> None:
    """Refuse a claim, a reference period or a largest loss that is none."""
    if (claimed is None) == (reference is None):
        raise BadInput(
            "alarm needs claimed=, a loss in (0, 1), or reference=, a number of outcomes: one of the two",
            field="claimed", value=claimed,
        )  # fmt: skip
    if claimed is not None and not (is_number(claimed) and 0.0 < claimed < 1.0):
        raise BadInput(
            f"claimed must be a loss between 0 and 1, not {claimed!r:.60}", field="claimed", value=claimed
        )  # fmt: skip
    if reference is not None and not (type(reference) is int and reference >= 1):
        raise BadInput(
            f"reference must be a number of outcomes, at least 1, not {reference!r:.60}",
            field="reference", value=reference,
        )  # fmt: skip
    if largest is not None and not (is_number(largest) and 0.0 < largest < math.inf):
        raise BadInput(
            f"largest must be a number above 0, not {largest!r:.60}", field="largest", value=largest
        )


def refuse_learner(live: Live, largest: Any) -> None:
    """Refuse a learner that has no loss in an interval; `largest`: the end of it, where the user says one."""
    key, traits = live.learner.key, live.traits
    if traits.action in ("point", "distribution") and not traits.kind.losses_alone:
        raise BadInput(
            f"{key} has no loss that an alarm could test: its action is a {traits.action}"
        )
    if largest is None and counts_errors(live) and not spread(live) < math.inf:
        raise BadInput(
            f"the errors of {key} have no largest value: say largest=, above which an error counts as 1",
            field="largest", value=None,
        )  # fmt: skip


def is_number(v: Any) -> bool:
    return isinstance(v, (int, float, np.number)) and not isinstance(v, bool)


def counts_errors(live: Live) -> bool:
    """Is its action a number, and a loss the distance to the outcome?"""
    traits = live.traits
    return not traits.kind.shows_losses and traits.action != "set" and not traits.classes


def spread(live: Live) -> float:
    """The length of the interval that was declared; infinite where none was."""
    loss, s = live.traits.loss, live.setting
    low, high = field_or_none(loss, "low"), field_or_none(loss, "high")
    length = float(s.high - s.low) if low is None or high is None else float(high - low)
    return length if length < 1e100 else math.inf


def loss_of(live: Live, prediction: Any, decision: Any, y: Any) -> float | None:
    """The loss of the round in the buffers, a number in [0, 1]; y: the outcome as it was told. None: it has none."""
    traits, s, alarm = live.traits, live.setting, live.alarm
    assert alarm is not None
    if traits.kind.has_arms:
        return clipped((float(y) - s.low) / spread(live))
    if traits.kind.losses_alone:
        costs = s.Y[0]
        here = ~np.isnan(costs)
        return clipped((float(np.asarray(decision)[here] @ costs[here]) - s.low) / spread(live))
    if y is None or y != y:
        return None
    if traits.action == "set":
        low, high = np.asarray(prediction, float).tolist()
        return float(not (low == math.inf or low <= y <= high))
    if traits.classes:
        return float(prediction != y)
    return clipped(abs(float(prediction) - float(y)) / (alarm.largest or spread(live)))


def clipped(v: float) -> float:
    return min(1.0, max(0.0, v))
