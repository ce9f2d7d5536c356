"""Make a counterexample small before it is shown: fewer rounds, experts and settings, rounder numbers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from .attack import Case, one
from .change import kind_of, mend_rounds
from .target import Target

TRIALS = 3000  # at most so many smaller cases are tried
SECONDS = 15.0
MANY = 100  # a run of more rounds is long
ENTRIES = 400  # with at most so many numbers, each is made rounder by itself


def shrink(
    target: Target,
    case: Case,
    still: Callable[[Case], bool] | None = None,
    seconds: float = SECONDS,
) -> Case:
    """The smallest case found that is `still` a counterexample (by default: exceeds its bound).

    Each kind of change is tried until none helps, and all kinds again until nothing does (delta debugging: Zeller and
    Hildebrandt 2002).
    """
    # a long run keeps half of its excess: a bound that is clearly exceeded is worth a few rounds more
    least = 1.0
    if case.rounds > MANY and still is None:
        least += 0.5 * max(0.0, min(1.0, float(target.ratios(one(case))[0]) - 1.0))
    # compiled code rules out most cases quickly
    holds = still or (lambda c: target.ratios(one(c))[0] > least and target.trial(c).exceeds)
    end, tried = time.perf_counter() + seconds, 0
    changed = True
    while changed:
        changed = False
        for changes in (fewer_rounds, fewer_columns, simpler, rounder):
            again = True
            while again:
                again = False
                for smaller in changes(target, case):
                    if tried >= TRIALS or time.perf_counter() > end:
                        return case
                    tried += 1
                    if holds(smaller):
                        case, changed, again = smaller, True, True
                        break
    return case


def fewer_rounds(target: Target, case: Case) -> Iterator[Case]:
    """Cases without half of the rounds, without a quarter of them, …, without one of them."""
    T = case.rounds
    size = T // 2
    while size >= 1:
        for a in range(0, T, size):
            keep = np.r_[0:a, min(a + size, T) : T]
            if len(keep):
                x = None if case.x is None else case.x[keep]
                yield replace(case, y=case.y[keep], x=x)
        size //= 2


def fewer_columns(target: Target, case: Case) -> Iterator[Case]:
    """Cases without one of the experts, or of the features."""
    if case.n == 1 or "prior" in case.parameters:
        return
    for i in reversed(range(case.k, case.n)):
        if case.x is None:
            yield replace(case, y=np.delete(case.y, i, axis=1))
        elif not (target.needs_truth and i == case.n - 1):
            # the last expert is the one that is right
            yield replace(case, x=np.delete(case.x, i, axis=1))


def simpler(target: Target, case: Case) -> Iterator[Case]:
    """Cases with parameters left out or rounded, with fewer passes, or with the interval moved to [0, 1]."""
    for name, v in case.parameters.items():
        without = {k: w for k, w in case.parameters.items() if k != name}
        yield replace(case, parameters=without)
        if isinstance(v, float) and v:
            for digits in (1, 2, 3):
                near = float(f"{v:.{digits}g}")
                if len(repr(near)) < len(repr(v)):
                    yield replace(case, parameters={**case.parameters, name: near})
    if case.passes > 1:
        yield replace(case, passes=case.passes - 1)
    if case.interval not in (None, (0.0, 1.0)):
        low, high = case.interval
        unit: dict[str, Any] = {"interval": (0.0, 1.0)}
        if case.x is None:
            yield replace(case, y=case.y / high, **unit)
        else:
            width = high - low
            yield replace(case, x=(case.x - low) / width, y=(case.y - low) / width, **unit)


def rounder(target: Target, case: Case) -> Iterator[Case]:
    """Cases with fewer digits in all numbers; then with one number replaced by 0, 1, one half, or fewer digits."""
    fields = [name for name in ("x", "y") if getattr(case, name) is not None]
    kind = kind_of(target, case)
    if case.x is not None and kind in ("two", "labels", "classes", "boolean"):
        fields = ["x"]  # outcomes are names of classes
    for digits in (0, 1, 2, 4):
        made = {name: np.round(getattr(case, name), digits) + 0.0 for name in fields}
        if any((made[name] != getattr(case, name)).any() for name in fields):
            yield mend_rounds(target, replace(case, **made), kind)
    for name in fields:
        v = getattr(case, name)
        if v.size > ENTRIES:
            continue
        for at in np.ndindex(v.shape):
            now = float(v[at])
            for simple in (0.0, 1.0, 0.5, round(now, 1), round(now, 2)):
                if cost(simple) < cost(now):
                    w = v.copy()
                    w[at] = simple
                    yield mend_rounds(target, replace(case, **{name: w}), kind)


def cost(v: float) -> int:
    """How many characters a number takes; 0 and 1 count as the shortest."""
    return 0 if v == 0.0 else 1 if v == 1.0 else len(f"{v!r}")
