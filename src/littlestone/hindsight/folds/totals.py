"""Totals over the rounds so far, which theorems are checked against, and a thinned trace of them for the charts.

All are folds over chunks. `Totals` keeps three numbers an expert: its loss, the regret to it in the losses that the
learner was shown, and the sum of the squares of that regret. `Counts` is for examples, where there are no experts:
answers, losses, mistakes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.outcome import Outcome
from ...core.rows import are_units
from ...engine.compile import has_numba

if TYPE_CHECKING:
    from ...engine.loops import Out

SMALL, LARGE = 1e-140, 1e140  # squares of such numbers have all their digits
MANY = 1 << 17  # numbers: so many are worth the import of compiled code
POINTS = 4096  # rounds that a trace keeps at most


class Trace:
    """Numbers at every `step`-th round; when there are too many, every other one is dropped."""

    def __init__(self, points: int = POINTS, expected: int = 0) -> None:
        self.points, self.step = points, 1
        while expected // self.step > points:
            self.step *= 2
        self.blocks: list[Block] = []
        self.pending: list[Callable[[], None]] = []  # calls that compute columns of blocks, put off

    def marks(self, t0: int, rounds: int) -> Any:
        """Which rows of a chunk that starts after t0 rounds end at a multiple of the step?"""
        while (t0 + rounds) // self.step > self.points:
            self.drop_every_other()
        return np.arange(self.step - 1 - t0 % self.step, rounds, self.step, dtype=np.int64)

    def drop_every_other(self) -> None:
        """Keep every other one of the rounds that are kept."""
        self.step *= 2
        for block in self.blocks:
            block.keep(block.t % self.step == 0)
        self.blocks = [block for block in self.blocks if len(block.t)]

    def add(self, t: Any, columns: dict[str, Any]) -> Block:
        """Keep numbers of the rounds t, a column of them for each name; of no rounds, nothing is kept."""
        block = Block(t, columns)
        if len(t):
            self.blocks.append(block)
        return block

    def fold_pending(self) -> None:
        """Compute the columns that were put off."""
        while self.pending:
            self.pending.pop(0)()

    @property
    def t(self) -> list[int]:
        """The rounds that are kept."""
        return [int(t) for block in self.blocks for t in block.t]

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        self.fold_pending()
        return next((list(block.columns) for block in self.blocks if len(block.t)), [])

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The numbers of each round that is kept, by name."""
        names = self.names
        columns = [self.column(name) for name in names]
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def column(self, name: str) -> Any:
        """The numbers of this name, a row for each round that is kept."""
        self.fold_pending()
        return np.concatenate([block.columns[name] for block in self.blocks if len(block.t)])


@dataclass
class Block:
    """The part of a trace that comes from one chunk."""

    t: Any  # the rounds that are kept
    columns: dict[str, Any]  # an array of as many rows for each name

    def keep(self, which: Any) -> None:
        """Keep the rows `which`, and drop the others."""
        self.t = self.t[which]
        self.columns = {name: v[which] for name, v in self.columns.items()}


class Totals:
    """Per expert: its loss (L), the regret to it as shown (R), the sum of its squares (V); and the largest (r)."""

    def __init__(self, n: int) -> None:
        self.T, self.loss, self.r = 0, 0.0, 0.0
        self.L, self.R, self.V = np.zeros(n), np.zeros(n), np.zeros(n)

    def add(self, C: Any, E: Any, F: Any, marks: Any) -> dict[str, Any]:
        """Fold a chunk of costs, experts' losses and shown regrets; the totals after each marked row.

        Blocks of rows end at the marks. Each is summed by itself, row after row; `np.add.reduceat` adds up in another
        order, and compiled code, which adds up many numbers, could not do the same.
        """

        def running(rows: Any) -> Any:
            sizes = np.diff(np.append(starts, len(rows)))
            longest = int(sizes.max())
            if longest > len(starts):  # few blocks, and long ones
                blocks = zip(starts, starts + sizes, strict=True)
                return np.cumsum([np.cumsum(rows[i:j], axis=0)[-1] for i, j in blocks], axis=0)
            total = rows[starts]
            for k in range(1, longest):
                more = sizes > k
                total[more] += rows[starts[more] + k]
            return np.cumsum(total, axis=0)

        known = ~np.isnan(C)
        if not known.all():  # rounds without an answer are not counted
            E, C = np.where(known[:, None], E, 0.0), np.where(known, C, 0.0)
            F = np.where(known[:, None], F, 0.0) if len(F) else F
        with np.errstate(invalid="ignore", over="ignore"):
            starts = np.concatenate([[0], marks + 1])
            starts = starts[starts < len(C)]
            T = self.T + np.cumsum(np.add.reduceat(known, starts, dtype=np.int64))
            before = self.loss, self.L, self.R, self.V
            sums = add_up(C, E, F, starts, *before) if E.size >= MANY and has_numba() else None
            if sums is None:
                regrets = F if len(F) else C[:, None] - E
                squares = regrets * regrets
                rows = (C, E, regrets, squares)
                sums = tuple(v + running(each) for v, each in zip(before, rows, strict=True))
                peaks = np.maximum.reduceat(squares.max(axis=1, initial=0.0), starts)
                sums = *sums, np.sqrt(peaks)
            loss, L, R, V, peaks = sums
            if not SMALL < peaks[-1] < LARGE:  # their squares may have vanished, or be infinite
                regrets = F if len(F) else C[:, None] - E
                peaks = np.maximum.reduceat(np.abs(regrets).max(axis=1, initial=0.0), starts)
            r = np.maximum.accumulate(np.maximum(self.r, peaks))
        self.T, self.loss, self.r = int(T[-1]), float(loss[-1]), float(r[-1])
        self.L, self.R, self.V = L[-1], R[-1], V[-1]
        return {
            name: v[: len(marks)]
            for name, v in {"T": T, "loss": loss, "L": L, "R": R, "V": V, "r": r}.items()
        }


def add_up(
    C: Any, E: Any, F: Any, starts: Any, loss: float, L: Any, R: Any, V: Any
) -> tuple[Any, ...] | None:
    """Add up by compiled code, in one pass: the sums of `Totals.add` to the last bit; None where one is NaN."""
    from .compiled_folds import add_up as compiled

    costs, after, peaks = np.empty(m := len(starts)), np.empty((3, m, E.shape[1])), np.empty(m)
    C, E, F = map(np.ascontiguousarray, (C, E, F))  # those of one of several copies lie apart
    ends = np.append(starts[1:], len(C))
    compiled(C, E, F, ends, loss, np.array([L, R, V]), costs, after, peaks)
    return (costs, *after, np.sqrt(peaks)) if np.isfinite(after[:, -1]).all() else None


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

    def add(self, out: Out, h: Any, unweighted: bool, marks: Any) -> dict[str, Any]:
        """Fold a chunk; costs are NaN where there was no answer; `unweighted`: all importances are 1.

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
        if answered and unweighted:
            self.lightest, self.weightiest = min(self.lightest, 1.0), max(self.weightiest, 1.0)
        elif answered:
            self.lightest = min(self.lightest, float(h[h > 0.0].min()))
            self.weightiest = max(self.weightiest, float(h.max()))
        if whole and unweighted:
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
        c, h, unweighted = len(copies), y.h, are_units(y.h)
        traced = (copies[0] if c == 1 else self.together).add(out, h, unweighted, marks)
        if c > 1:
            for j, one in enumerate(copies):
                own = slice((j - t) % c, None, c)
                mine = out._replace(costs=out.costs[own], realised=out.realised[own])
                one.add(mine, h[own], unweighted, np.empty(0, np.int64))
        if len(marks):
            if len(out.notes):
                traced["notes"] = out.notes
            self.trace.add(t + 1 + marks, traced)
