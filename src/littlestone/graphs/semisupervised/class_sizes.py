"""Choose labels so that each class gets as many vertices as it should: the label decision under given class sizes.

    labels = argmax over c of S_ic + v_c, with one number v_c a class, found so that class c gets sizes[c] vertices

Among all labellings with these sizes it has the largest sum of scores S (the v are the dual variables of that
assignment). For scores that are logarithms the v are multipliers. Jacobs, Merkurjev & Esedoglu (2018); Calder, Cook,
Thorpe & Slepčev (2020).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...core.errors import BadInput
from ...core.stream import Array

# after so many steps of the v, the few vertices that are still wrong are moved one by one
STEPS = 300
CLOSE = 5000  # the same where all sizes are off by fewer than n / CLOSE


def checked_priors(priors: Any, classes: Any) -> Array:
    """The share of each class, in the order of `classes`: from a list of numbers in that order, or {class: number}."""
    names = np.asarray(classes).tolist()
    if isinstance(priors, Mapping):
        unlike = [c for c in [*names, *priors] if c not in priors or c not in names]
        if unlike:
            raise BadInput(
                f"priors must name the classes {names}, and no others: {unlike[0]!r} is in one and not in the other"
            )
        priors = [priors[c] for c in names]
    try:
        p = np.asarray(priors, np.float64)
    except (TypeError, ValueError):
        p = np.empty(0)
    if p.shape != (len(names),):
        raise BadInput(f"priors must be one number a class, for {names}, not {priors!r:.80}")
    bad = ~(np.isfinite(p) & (p > 0.0))
    if bad.any():
        c = int(np.argmax(bad))
        raise BadInput(f"priors: the share of class {names[c]!r} must be above 0, not {p[c]:g}")
    made: Array = p / p.sum()
    return made


def sizes_of(priors: Array, n: int) -> Any:
    """Whole numbers that sum to n, in proportion to the priors: rounded down, the largest remainders rounded up."""
    exact = priors * n
    sizes = np.floor(exact).astype(np.int64)
    up = np.argsort(sizes - exact, kind="stable")[: n - int(sizes.sum())]
    sizes[up] += 1
    return sizes


def sizes_left(priors: Array, n: int, code: Any) -> Any:
    """How many of n vertices without a label each class gets, where vertices with the labels `code` have theirs."""
    has = np.bincount(code, minlength=len(priors))
    target = np.maximum(priors * (n + len(code)) - has, 0.0)
    return sizes_of(target / target.sum() if target.sum() > 0.0 else priors, n)


def sized(S: Array, sizes: Any, start: Array | None = None) -> tuple[Any, Array]:
    """A label for each row of S such that label c is given sizes[c] times, and the numbers v.

    Each v_c moves up while its class is too small and down while it is too large, by steps that grow while they go one
    way and are halved where they turn.

    >>> labels, _ = sized(np.array([[0.9, 0.1], [0.8, 0.2], [0.6, 0.4]]), [1, 2])
    >>> labels.tolist()
    [0, 1, 1]
    """
    columns, wanted, n = np.ascontiguousarray(S.T), np.asarray(sizes, np.int64), len(S)
    v = np.zeros(len(columns)) if start is None else start.copy()
    step = np.full(len(v), typical(S) * (0.2 if start is None else 0.04))
    last, best, labels, kept = np.zeros(len(v)), n + 1, np.zeros(n, np.int64), v
    for _ in range(STEPS):
        found = largest(columns, v)
        few = wanted - np.bincount(found, minlength=len(v))
        off = int(np.abs(few).max())
        if off < best:
            best, labels, kept = off, found, v.copy()
        if off <= n // CLOSE:
            break
        way = np.sign(few)
        step *= np.where(way * last < 0, 0.5, np.where(way * last > 0, 1.2, 1.0))
        v += way * step
        last = way
    moved(columns, kept, wanted, labels)
    return labels, kept


def typical(S: Array) -> float:
    """How far the two largest scores of a row are apart, typically."""
    if S.shape[1] < 2 or not len(S):
        return 1.0
    top = np.partition(S, -2, axis=1)[:, -2:]
    return float(np.median(top[:, 1] - top[:, 0])) or 1.0


def largest(S: Array, v: Array) -> Any:
    """argmax over c of S[c, i] + v[c]; of equal ones the first."""
    top, labels = S[0] + v[0], np.zeros(S.shape[1], np.int64)
    for c in range(1, len(S)):
        here = S[c] + v[c]
        more = here > top
        labels[more] = c
        np.maximum(top, here, out=top)
    return labels


def moved(S: Array, v: Array, wanted: Any, labels: Any) -> None:
    """Move vertices from classes with too many to classes with too few, those first that lose least by it."""
    while True:
        over = np.bincount(labels, minlength=len(S)) - wanted
        if not over.any():
            return
        few, many = np.flatnonzero(over < 0), np.flatnonzero(over[labels] > 0)
        gain = S[few][:, many] + v[few][:, None]
        to, own = np.argmax(gain, axis=0), labels[many]
        loss = S[own, many] + v[own] - gain[to, np.arange(len(many))]
        for i in np.argsort(loss, kind="stable").tolist():
            one, other = int(own[i]), int(few[to[i]])
            if over[one] > 0 and over[other] < 0:
                labels[many[i]] = other
                over[one] -= 1
                over[other] += 1
