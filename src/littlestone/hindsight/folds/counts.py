"""What happened in the rounds of a run over examples, added up: answers, losses, mistakes, and a thinned trace."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.outcome import Outcome
from ...core.rows import are_units
from .totals import Trace

if TYPE_CHECKING:
    from ...engine.loops import Out


class Counts:
    """Answered rounds, their importance, their losses and mistakes."""

    def __init__(self) -> None:
        self.T, self.loss, self.mistakes, self.importance = 0, 0.0, 0.0, 0.0
        self.reserve = 0.0  # what a probability kept for classes that were not declared has cost
        self.lightest, self.weightiest = math.inf, 0.0  # the importance of answered rounds

    @property
    def even(self) -> bool:
        """Has every answered round the importance 1?"""
        return self.T == 0 or self.lightest == self.weightiest == 1.0

    def add(self, out: Out, h: Any, alike: bool, marks: Any) -> dict[str, Any]:
        """Fold a chunk; costs are NaN where there was no answer; `alike`: all importances are 1.

        Returns the loss and the mistakes after each marked row.
        """
        cost = float(out.costs.sum())
        whole = not math.isnan(cost)
        wrong = out.realised if len(out.realised) else out.costs
        if whole:
            C, W = out.costs, wrong
        else:
            known = ~np.isnan(out.costs)
            C, W = np.where(known, out.costs, 0.0), np.where(known, wrong, 0.0)
            h = np.where(known, h, 0.0)
        traced = {}
        if len(marks):
            traced = {
                "loss": self.loss + np.cumsum(C)[marks],
                "mistakes": self.mistakes + np.cumsum(W)[marks],
            }
        answered = len(C) - (0 if whole else int(np.isnan(out.costs).sum()))
        self.T += answered
        self.loss += cost if whole else float(C.sum())
        self.mistakes += cost if W is C and whole else float(W.sum())
        if answered and alike:
            self.lightest, self.weightiest = min(self.lightest, 1.0), max(self.weightiest, 1.0)
        elif answered:
            self.lightest = min(self.lightest, float(h[h > 0.0].min()))
            self.weightiest = max(self.weightiest, float(h.max()))
        if whole and alike:
            self.importance += len(h)
            return traced
        self.importance += float(h.sum())
        return traced


class ExampleFolds:
    """Counts of all copies together and of each, and a thinned trace for the charts."""

    totals = Counts  # where the rounds of one copy are added up
    sequences = mixture = linear = uniform = None  # there are no experts to compare with

    def __init__(self, game: Any, n: int, *, rounds: int, **_: Any) -> None:
        """The arguments are those of `ExpertFolds`; only `rounds` matters for examples."""
        self.trace = Trace(expected=rounds)
        self.together = Counts()

    def fold(self, copies: list[Counts], t: int, x: Any, y: Outcome, out: Out, marks: Any) -> None:
        """Fold in a chunk that starts after t rounds; the copies take its rounds in turn."""
        c, h, alike = len(copies), y.h, are_units(y.h)
        traced = (copies[0] if c == 1 else self.together).add(out, h, alike, marks)
        if c > 1:
            for j, one in enumerate(copies):
                own = slice((j - t) % c, None, c)
                mine = out._replace(costs=out.costs[own], realised=out.realised[own])
                one.add(mine, h[own], alike, np.empty(0, np.int64))
        if len(marks):
            if len(out.notes):
                traced["notes"] = out.notes
            self.trace.add(t + 1 + marks, traced)
