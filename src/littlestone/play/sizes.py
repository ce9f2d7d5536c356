"""Numbers that floating point cannot work with: features whose products vanish, decisions that are no numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import BadInput, not_finite, undeclared_action
from ..core.vectors import row
from ..engine.checks import row_name
from ..hindsight.folds.totals import SMALL

if TYPE_CHECKING:
    from ..engine.loops import Out
    from ..settings import Setting
    from .session import Session

FIRST = 4096  # numbers are looked at first, in search of one of ordinary size


@dataclass
class Size:
    """The largest feature of a run, as long as it is so small that products of such numbers vanish.

    With ordinary examples it looks at the first numbers, and at no more.
    """

    small: float = 0.0
    ordinary: bool = False

    def see(self, numbers: Any) -> None:
        """Look at the numbers of more examples."""
        at, size = 0, FIRST
        while not self.ordinary and at < len(numbers):
            v = numbers[at : at + size]
            top = float(np.fmax(np.fmax.reduce(v, initial=0.0), -np.fmin.reduce(v, initial=0.0)))
            if top >= SMALL:
                self.small, self.ordinary = 0.0, True
            else:
                self.small = max(self.small, top)
            at, size = at + size, 4 * size


def refuse_nan(
    s: Setting, y: Any, first: Any, out: Out, kept: Any, t: int, fine: bool, strange: Any
) -> None:
    """Refuse a slice, from round t on, in which the learner decided what is no finite number, or was not declared.

    Actions and costs are looked at in every round, decisions at the end of the slice: a state that has a NaN keeps it.
    `fine`: all costs are known to be finite. `strange`: which actions the game did not declare, if any.
    """
    key = s.learner.key
    with np.errstate(invalid="ignore"):  # limits of both signs may be infinite
        total = out.actions.sum()
    if not np.isfinite(total):
        wrong = np.isnan(out.actions) if s.traits.infinite else ~np.isfinite(out.actions)
        bad = wrong.any(axis=1)
        if bad.any():
            r = int(np.argmax(bad))
            raise not_finite(key, t + r, out.actions[r], row_name(first, r))
    if strange is not None and s.action_count is not None:
        r = int(np.argmax(strange))
        action, where = float(out.actions[r, 0]), row_name(first, r)
        raise undeclared_action(key, t + r, action, s.action_count, where)
    if not fine:
        for i in np.flatnonzero(np.isnan(out.costs)).tolist():
            if s.game.known(row(y, i)):
                raise not_finite(key, t + i, out.costs[i : i + 1], row_name(first, i))
    alone = s.traits.kind.has_examples  # experts that sleep may have no weight
    if (
        len(out.decisions)
        and np.isnan(out.decisions[-1]).any()
        and (alone or np.isnan(out.decisions[-1]).all())
    ):
        at = int(np.argmax(np.isnan(out.decisions).any(axis=1)))
        r = int(kept[at] - t)
        raise not_finite(key, t + r, out.decisions[at], row_name(first, r))


def refuse_small(session: Session) -> None:
    """Refuse a run in which nothing was learned, as all numbers were so small that their products vanish."""
    least = session.learner.smallest
    if session.setting.traits.kind.has_examples:
        top, what = session.size.small, "no feature is above"
    elif not session.how.certify:
        top, what = session.size.small, f"no number of the {session.setting.kind.name} is above"
    else:
        totals = session.folds.together if len(session.copies) > 1 else session.copies[0].totals
        top, what = float(totals.r), "no regret of a round is above"
        if top == 0.0 and session.size.small:  # the losses themselves vanished
            top, what = session.size.small, "no advice is above"
    if 0.0 < top < least:
        raise BadInput(
            f"{what} {top:.3g} in the whole run: squares of such numbers vanish in floating point, and "
            f"{session.learner.key} learned nothing; multiply all of them by a constant"
        )
