"""Simple answers that look at no feature and no expert: baselines that a learner should beat."""

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
PREVIOUS = "the outcome of the round before"


GENERAL = {  # general names of simple answers whose own name differs from key to key
    "best_linear": "a good linear predictor",
    "most_frequent": "always the same",
    "constant": "always the same",
    "lag": "the best lag",
}


@dataclass
class Reference:
    """One simple answer: its total loss over all rounds and, where labels are predicted, its mistakes."""

    kind: str
    name: str
    loss: float = NONE
    mistakes: float = NONE


def earlier(y: Any, last: Any) -> tuple[Any, Any]:
    """The outcome that was the last one known in each round, and those that are not known yet after the last round.

    >>> [v.tolist() for v in earlier(np.array([3.0, 4.0, 5.0]), np.array([1.0, 2.0]))]
    [[1.0, 2.0, 3.0], [4.0, 5.0]]
    """
    every = np.concatenate([last, y])
    return every[: len(y)], every[len(every) - len(last) :]


def previous(name: str, delay: int) -> str:
    """The name of the answer that repeats the last outcome known."""
    return name if not delay else name.replace("the round before", f"{delay + 1} rounds before")


class LabelTally:
    """Answers that look at no feature, counted as labels come: for streams that are not kept in memory.

    >>> tally = LabelTally()
    >>> tally.add(np.array([0.0, 1.0, 1.0]), np.ones(3))
    >>> tally.add(np.array([1.0, np.nan, 0.0]), np.ones(3))
    >>> tally.counts.tolist(), tally.changed
    ([2.0, 3.0], 3.0)
    """

    def __init__(self, delay: int = 0) -> None:
        self.counts: Any = np.zeros(1)
        self.changed, self.last = (
            0.0,
            np.full(delay + 1, NONE),
        )  # the first round counts as a change

    def add(self, y: Any, h: Any) -> None:
        known = np.isfinite(y) & (h > 0.0)
        y, h = y[known], h[known]
        if not len(y):
            return
        before, self.last = earlier(y, self.last)
        self.changed += float(h[y != before].sum())
        found: Any = np.bincount(y.astype(int), h, minlength=len(self.counts))
        found[: len(self.counts)] += self.counts
        self.counts = found

    def references(self, names: Sequence[object], counted: bool) -> list[Reference]:
        """The most frequent label, and the label of the round before (which is wrong in the first round)."""
        top = int(np.argmax(self.counts))
        wrong = float(self.counts.sum() - self.counts[top]), self.changed
        again = previous(BEFORE, len(self.last) - 1)
        labels = f"always {names[top] if top < len(names) else top}", again
        kinds = "most_frequent", "previous"
        return [
            Reference(kind, name, total if counted else NONE, total)
            for kind, name, total in zip(kinds, labels, wrong, strict=True)
        ]


class NumberTally:
    """The same for outcomes that are numbers: their mean, what it loses, and what the value before loses.

    >>> tally = NumberTally()
    >>> tally.add(np.array([1.0, 3.0]), np.ones(2))
    >>> tally.add(np.array([np.nan, 5.0]), np.ones(2))
    >>> tally.mean, tally.squares, tally.squared_steps, tally.absolute_steps
    (3.0, 8.0, 9.0, 5.0)
    """

    def __init__(self, delay: int = 0) -> None:
        self.total, self.mean, self.squares = 0.0, 0.0, 0.0  # importance; the sum of (y - mean)^2
        self.last = np.zeros(delay + 1)  # the outcomes that are not known yet; 0 before the first
        self.squared_steps, self.absolute_steps = 0.0, 0.0
        self.lags: Any = (
            None  # what outcomes of earlier rounds lose that are features: squares, sizes of errors
        )

    def add_lags(self, y: Any, h: Any, earlier: Any) -> None:
        """Count what the outcomes of earlier rounds lose, a column for each lag."""
        known = np.isfinite(y) & (h > 0.0)
        errors, h = y[known, None] - earlier[known], h[known]
        lost = np.stack([h @ (errors * errors), h @ np.abs(errors)])
        self.lags = lost if self.lags is None else self.lags + lost

    def add(self, y: Any, h: Any) -> None:
        known = np.isfinite(y)
        y, h = y[known], h[known]
        before, self.last = earlier(y, self.last)
        counted = h > 0.0  # what a row is worth does not change that its outcome is known
        y, h, before = y[counted], h[counted], before[counted]
        if not len(y):
            return
        steps = y - before
        self.squared_steps += float(h @ (steps * steps))
        self.absolute_steps += float(h @ np.abs(steps))
        more, mean = float(h.sum()), float(np.average(y, weights=h))
        total, away = self.total + more, mean - self.mean
        self.squares += float(h @ (y - mean) ** 2) + away * away * self.total * more / total
        self.mean, self.total = self.mean + away * more / total, total

    def references(self, loss: Any, rows: tuple[int, ...] = ()) -> list[Reference]:
        """The mean, where the loss is the square; the value before; and the best of lags of so many rows."""
        again = previous(PREVIOUS, len(self.last) - 1)
        if isinstance(loss, losses.Square):
            return [
                Reference("constant", f"always the mean ({self.mean:.5g})", self.squares),
                Reference("previous", again, self.squared_steps),
                *best_lag(rows, () if self.lags is None else self.lags[0]),
            ]
        if isinstance(loss, losses.Absolute):
            return [
                Reference("previous", again, self.absolute_steps),
                *best_lag(rows, () if self.lags is None else self.lags[1]),
            ]
        return []


def best_lag(rows: tuple[int, ...], lost: Any) -> list[Reference]:
    """The answer that repeats the outcome of a round further back, that of the lag that loses least in hindsight.

    >>> best_lag((1, 2, 12), [3.0, 5.0, 4.0])
    [Reference(kind='lag', name='the best lag (12 rounds before)', loss=4.0, mistakes=nan)]
    """
    further = list(zip(rows, lost, strict=True))[1:] if len(lost) else []
    if not further:
        return []
    back, least = min(further, key=lambda one: one[1])
    return [Reference("lag", f"the best lag ({back} rounds before)", float(least))]


Tally = LabelTally | NumberTally
_tallies: weakref.WeakKeyDictionary[Run, Tally] = weakref.WeakKeyDictionary()


def keep_tally(run: Run, tally: Tally) -> None:
    """Keep what was counted while a run was played."""
    _tallies[run] = tally


def simple_answers(run: Run, y: Any, h: Any) -> list[tuple[str, Any]]:
    """Two answers that look at no feature, each with its mistakes round by round, times importance."""
    totals = np.bincount(y.astype(int), h, minlength=1)
    top, names = int(np.argmax(totals)), run.stream.labels or ()
    delay = run.transcript.delay
    before, _ = earlier(y, np.full(delay + 1, NONE))
    return [
        (f"always {names[top] if top < len(names) else top}", h * (y != top)),
        (previous(BEFORE, delay), h * (y != before)),
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


def look_at_nothing(run: Run) -> list[Reference]:
    """Answers that look at no feature and no expert; none where neither the rounds nor a tally of them was kept.

    Nor are there any where experts forecast an outcome that never changes, as in simulations: there only how far off
    each expert is matters, and that a constant is right says nothing.
    """
    rounds, tally = kept_rounds(run), _tallies.get(run)
    examples = run.traits.kind.has_examples
    names, labels = run.stream.labels or (), bool(run.traits.classes)
    if labels and isinstance(tally, LabelTally):
        return tally.references(names, run.traits.counts_mistakes)
    if rounds is None or rounds.y.ndim != 1:  # not kept, or losses of each expert
        if isinstance(tally, NumberTally) and (examples or tally.squares > 0.0):
            lags = run.stream.lags
            return tally.references(run.traits.loss, () if lags is None else lags.rows)
        return []
    times = run.rounds / len(rounds.y)
    if labels:
        counted = LabelTally(run.transcript.delay)
        counted.add(rounds.y, rounds.h * times)
        return counted.references(names, run.traits.counts_mistakes)
    assert run.transcript.data is not None  # as its rounds were kept
    y, known = run.transcript.data.y, rounds.known
    if not known.any() or (not examples and np.ptp(y[known]) == 0.0):
        return []
    return of_numbers(run, y, rounds.h * times, known)


def of_numbers(run: Run, y: Any, h: Any, known: Any) -> list[Reference]:
    """The best constant, and the outcome of the round before, or the last one known (0 before the first).

    `known`: the rounds that count. What a round is worth does not change that its outcome is known in the next one.
    """
    loss, delay = run.traits.loss, run.transcript.delay
    there = np.isfinite(y)
    before = np.zeros(len(y))
    before[there], _ = earlier(y[there], np.zeros(delay + 1))
    y, h, before = y[known], h[known], before[known]
    if isinstance(loss, losses.Square):
        best, what = float(np.average(y, weights=h)), "the mean"
    elif isinstance(loss, losses.Absolute):
        best, what = quantile(y, h, 0.5), "the median"
    elif isinstance(loss, losses.Pinball):
        best, what = quantile(y, h, loss.quantile), "the quantile"
    else:
        return []
    charged = terms(loss, y, h)
    return [
        Reference("constant", f"always {what} ({best:.5g})", charged.value(np.full(len(y), best))),
        Reference("previous", previous(PREVIOUS, delay), charged.value(before)),
        *(lags_of_run(run, charged, known) if run.stream.lags is not None else ()),
    ]


def lags_of_run(run: Run, charged: Any, known: Any) -> list[Reference]:
    """The best lag of a run whose rounds were kept, where it has lags; `known`: the rounds that are charged."""
    lags, data = run.stream.lags, run.transcript.data
    if lags is None or data is None:
        return []
    earlier = lags.outcomes(data.x)[known]
    return best_lag(lags.rows, [charged.value(column) for column in earlier.T])


def summed_up(each: Sequence[list[Reference]]) -> list[Reference]:
    """Of many keys, one sum for each simple answer that all of them have."""
    if len(each) == 1:
        return each[0]
    found = []
    for kind in [r.kind for r in each[0] if all(r.kind in {q.kind for q in more} for more in each)]:
        same = [next(r for r in more if r.kind == kind) for more in each]
        names = {r.name for r in same}
        name = same[0].name if len(names) == 1 else GENERAL.get(kind, same[0].name)
        total, wrong = math.fsum(r.loss for r in same), math.fsum(r.mistakes for r in same)
        found.append(Reference(kind, f"{name}, of each key", total, wrong))
    return found


def quantile(y: Any, h: Any, q: float) -> float:
    """The smallest outcome with the share q of the importance at or below it."""
    order = np.argsort(y)
    share = np.cumsum(h[order])
    return float(y[order][np.searchsorted(share, q * share[-1])])
