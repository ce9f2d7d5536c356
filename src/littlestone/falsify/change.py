"""Small changes of a case, many at once: other entries, rows moved, copied, dropped, or spliced from another case."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ..core.stream import Array
from .attack import Case, Volley
from .material import Generator, truth
from .target import Target

Rounds = TypeVar("Rounds", Case, Volley)


def kind_of(target: Target, case: Case) -> str:
    """What the rounds of a case hold: losses, advice, labels, …"""
    if case.x is None:
        return "losses"
    return next(k for k in target.kinds if k != "losses")


def ends(case: Case, kind: str) -> tuple[float, float]:
    """The two numbers between which entries lie."""
    if kind in ("losses", "advice"):
        return case.interval or (0.0, 1.0)
    return (0.0, 1.0) if kind in ("labels", "boolean") else (-np.inf, np.inf)


def neighbours(target: Target, rng: Generator, case: Case, B: int, other: Case | None) -> Volley:
    """B cases of the same size, each a little changed; the first is the case itself."""
    kind = kind_of(target, case)
    y = np.repeat(np.asarray(case.y, float)[None], B, axis=0)
    x = None if case.x is None else np.repeat(np.asarray(case.x, float)[None], B, axis=0)
    change_rows(rng, case, x, y, other)
    fields = [v for v in (x, y) if v is not None]
    for v in fields:
        if kind in ("two", "labels", "boolean", "classes") and v is y and x is not None:
            values = np.unique(y[0])
            changed = rng.random(v.shape) < rng.choice([0.0, 0.5, 2.0]) / case.rounds
        else:
            values = palette(v, *ends(case, kind), kind)
            changed = rng.random(v.shape) < rng.choice([0.5, 1.0, 3.0]) / v[0].size
        changed[0] = False
        fresh = rng.choice(values, v.shape)
        if target.places and v is x:  # places are whole numbers from 0 on
            fresh = np.maximum(fresh, 0.0)
        elif (kind not in ("labels", "boolean") and v is not y) or kind in (
            "losses",
            "numbers",
            "interval",
        ):
            low, high = ends(case, kind)
            width = 1.0 if np.isinf(high) else high - low
            near = v + width * rng.choice([0.3, 0.03, 0.003]) * rng.normal(size=v.shape)
            fresh = np.where(rng.random(v.shape) < 0.3, np.clip(near, low, high), fresh)
        v[changed] = fresh[changed]
    made = Volley(y, x, **case.setting)
    return mend_rounds(target, made, kind)


def change_rows(rng: Generator, case: Case, x: Any, y: Any, other: Case | None) -> None:
    """Move whole rows of all copies but the first, or take the first rows from another case."""
    for b in range(1, len(y)):
        how = int(rng.integers(6))
        if how < 2:
            at = move_times(rng, case.rounds)
            y[b] = y[b][at]
            if x is not None:
                x[b] = x[b][at]
        elif how == 2 and other is not None and same_size(other, case):
            c = int(rng.integers(1, case.rounds + 1))
            y[b, :c] = other.y[:c]
            if x is not None and other.x is not None:
                x[b, :c] = other.x[:c]


def same_size(a: Case, b: Case) -> bool:
    return (a.x is None, a.rounds, a.n) == (b.x is None, b.rounds, b.n)


def mend_rounds(target: Target, v: Rounds, kind: str) -> Rounds:
    """A case, or a volley, whose labels are those of a perfect expert or disjunction again, where there must be one."""
    if v.x is not None and v.k:
        return replace(v, y=truth(target, v.x, v.k))
    if v.x is not None and kind == "labels" and target.needs_truth:
        return replace(v, y=v.x[..., -1].copy())
    return v


def palette(v: Array, low: float, high: float, kind: str) -> Array:
    """Numbers that an entry may become: those that occur, and the ends of the interval."""
    seen = np.unique(v[0])
    if len(seen) > 12:
        seen = seen[:: len(seen) // 12]
    more = [low, high] if np.isfinite(high) else [-1.0, 0.0, 1.0]
    return np.unique(np.append(seen, more))


def move_times(rng: Generator, T: int) -> Any:
    """An order of T rows: two swapped, a block moved or reversed, a row in place of others."""
    at = np.arange(T)
    i, j = sorted(int(v) for v in rng.integers(0, T + 1, 2))
    how = int(rng.integers(5))
    if how == 0 and T > 1:
        a, b = rng.integers(0, T, 2)
        at[a], at[b] = at[b], at[a]
    elif how == 1:
        at[i:j] = at[i:j][::-1]
    elif how == 2 and j > i:
        at[i:j] = at[i]
    elif how == 3:
        at = np.roll(at, int(rng.integers(T)))
    elif j > i:
        at[i:j] = np.roll(at[i:j], 1)
    return at


def resize_case(target: Target, rng: Generator, case: Case) -> Case:
    """The case with a round more or less, or with an expert or feature more or less."""
    kind = kind_of(target, case)
    how = int(rng.integers(4))
    T, n = case.rounds, case.n
    if how == 0:
        rows = np.sort(np.append(np.arange(T), rng.integers(0, T, int(rng.integers(1, 4)))))
    elif how == 1 and T > 1:
        rows = np.delete(np.arange(T), int(rng.integers(T)))
    else:
        rows = np.arange(T)
    made = replace(case, y=case.y[rows], x=None if case.x is None else case.x[rows])
    fixed = target.places or kind in ("classes", "interval") or "cover" in target.key
    if "prior" in case.parameters or fixed or how < 2:
        return made
    name = "y" if case.x is None else "x"
    v = getattr(made, name)
    at = int(rng.integers(case.k, n)) if n > case.k else n - 1
    if how == 2:
        columns = np.insert(np.arange(n), at, at)
    else:
        columns = np.delete(np.arange(n), at) if n > max(2, case.k) else np.arange(n)
    return mend_rounds(target, replace(made, **{name: v[:, columns]}), kind)
