"""Numbers that floating point cannot work with: features whose products vanish, decisions that are no numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import BadInput
from ..core.rows import count, flat, part
from ..core.vectors import row
from ..engine.checks import row_name
from ..hindsight.folds.totals import SMALL

if TYPE_CHECKING:
    from ..engine.loops import Out
    from ..settings import Setting

ROWS = 256  # are looked at in search of a feature of ordinary size


class Size:
    """The largest feature of a run, as long as it is so small that products of such numbers vanish.

    Of ordinary examples the first rows are looked at, and no more.
    """

    def __init__(self) -> None:
        self.small, self.ordinary = 0.0, False

    def see(self, x: Any) -> None:
        """Look at more examples."""
        at, rows = 0, ROWS
        while not self.ordinary and at < count(x):
            v = flat(part(x, at, min(at + rows, count(x))))
            top = float(np.fmax(np.fmax.reduce(v, initial=0.0), -np.fmin.reduce(v, initial=0.0)))
            if top >= SMALL:
                self.small, self.ordinary = 0.0, True
            else:
                self.small = max(self.small, top)
            at, rows = at + rows, 4 * rows


def refuse_nan(s: Setting, y: Any, first: Any, out: Out, kept: Any, t: int) -> None:
    """Refuse a slice in which the learner decided something that is not a number.

    Costs are looked at in every round, decisions at the end of the slice: a state that has a NaN keeps it.
    """
    if np.isnan(out.C.sum()):
        for i in np.flatnonzero(np.isnan(out.C)):
            if s.game.known(row(y, int(i))):
                raise BadInput(no_number(s, row_name(first, int(i))))
    alone = s.given == "examples"  # experts that sleep may have no weight
    if len(out.W) and np.isnan(out.W[-1]).any() and (alone or np.isnan(out.W[-1]).all()):
        bad = int(np.argmax(np.isnan(out.W).any(axis=1)))
        raise BadInput(no_number(s, row_name(first, int(kept[bad] - t))))


def no_number(s: Setting, where: str) -> str:
    return (
        f"{where}: {s.learner.key} decided something that is not a number: numbers before it are too large, or too "
        "small, to compute with; divide features and outcomes, or losses, by a constant"
    )
