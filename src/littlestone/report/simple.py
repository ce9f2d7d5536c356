"""Simple answers that look at no feature: baselines that a learner over examples should beat."""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import losses
from ..hindsight.search.conjugates import terms
from ..run.run import Run
from .each_round import kept_rounds

NONE = math.nan
BEFORE = "the label of the round before"


@dataclass
class Reference:
    """One simple answer: its total loss over all rounds and, where labels are predicted, its mistakes."""

    kind: str
    name: str
    loss: float = NONE
    mistakes: float = NONE


class LabelTally:
    """Answers that look at no feature, counted as labels come: for streams that are not kept in memory.

    >>> tally = LabelTally()
    >>> tally.add(np.array([0.0, 1.0, 1.0]), np.ones(3))
    >>> tally.add(np.array([1.0, np.nan, 0.0]), np.ones(3))
    >>> tally.counts.tolist(), tally.changed
    ([2.0, 3.0], 3.0)
    """

    def __init__(self) -> None:
        self.counts: Any = np.zeros(1)
        self.changed, self.last = 0.0, NONE  # the first round counts as a change

    def add(self, y: Any, h: Any) -> None:
        known = np.isfinite(y) & (h > 0.0)
        y, h = y[known], h[known]
        if not len(y):
            return
        before = np.concatenate([[self.last], y[:-1]])
        self.changed, self.last = self.changed + float(h[y != before].sum()), float(y[-1])
        found: Any = np.bincount(y.astype(int), h, minlength=len(self.counts))
        found[: len(self.counts)] += self.counts
        self.counts = found

    def references(self, names: Sequence[object], counted: bool) -> list[Reference]:
        """The most frequent label, and the label of the round before (which is wrong in the first round)."""
        top = int(np.argmax(self.counts))
        wrong = float(self.counts.sum() - self.counts[top]), self.changed
        labels = f"always {names[top] if top < len(names) else top}", BEFORE
        kinds = "most_frequent", "previous"
        return [
            Reference(kind, name, total if counted else NONE, total)
            for kind, name, total in zip(kinds, labels, wrong, strict=True)
        ]


_tallies: weakref.WeakKeyDictionary[Run, LabelTally] = weakref.WeakKeyDictionary()


def keep_tally(run: Run, tally: LabelTally) -> None:
    """Keep what was counted while a run was played."""
    _tallies[run] = tally


tell = keep_tally  # its earlier name


def tallied(run: Run) -> LabelTally | None:
    """What was counted while a run was played, if anything was."""
    return _tallies.get(run)


def simple_answers(run: Run, y: Any, h: Any) -> list[tuple[str, Any]]:
    """Two answers that look at no feature, each with its mistakes round by round, times importance."""
    totals = np.bincount(y.astype(int), h, minlength=1)
    top, names = int(np.argmax(totals)), run.stream.labels or ()
    again = np.concatenate([[True], y[1:] != y[:-1]])
    return [
        (f"always {names[top] if top < len(names) else top}", h * (y != top)),
        (BEFORE, h * again),
    ]


def simple(run: Run) -> list[tuple[str, Any]]:
    """Mistakes of answers that look at no feature, in each of the rounds that were kept."""
    rounds = kept_rounds(run)
    assert rounds is not None
    known, found = rounds.known, []
    for name, wrong in simple_answers(run, rounds.y[known], rounds.h[known]) if known.any() else []:
        each = np.zeros(len(known))
        each[known] = wrong
        found.append((name, each))
    return found


def of_numbers(run: Run, y: Any, h: Any) -> list[Reference]:
    """The best constant, and the outcome of the round before (0 before the first)."""
    loss = run.traits.loss
    if isinstance(loss, losses.Square):
        best = float(np.average(y, weights=h))
    elif isinstance(loss, losses.Absolute):
        best = quantile(y, h, 0.5)
    elif isinstance(loss, losses.Pinball):
        best = quantile(y, h, loss.quantile)
    else:
        return []
    charged = terms(loss, y, h)
    before = np.concatenate([[0.0], y[:-1]])
    return [
        Reference("constant", f"always {best:.5g}", charged.value(np.full(len(y), best))),
        Reference("previous", "the outcome of the round before", charged.value(before)),
    ]


def quantile(y: Any, h: Any, q: float) -> float:
    """The smallest outcome with the share q of the importance at or below it."""
    order = np.argsort(y)
    share = np.cumsum(h[order])
    return float(y[order][np.searchsorted(share, q * share[-1])])
