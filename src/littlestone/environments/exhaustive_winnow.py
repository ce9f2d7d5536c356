"""The whole game tree of Winnow: how many mistakes an adversary can force, exactly. Ledger: ADV-EXH."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from ..core.stream import Array

Weights = tuple[float, ...]
On = tuple[int, ...]  # which of the sorted weights are on
Move = tuple[On, On, int, tuple[Weights, Weights]]


class Worst(NamedTuple):
    """The most mistakes that any sequence can force, and one that does."""

    mistakes: int
    X: Array
    y: Array


def worst_winnow(n: int, k: int, halve: bool = True, strict: bool = False) -> Worst:
    """The exact worst case of Winnow over n features whose target is the disjunction of the first k. Ledger: ADV-EXH.

        value(w) = max over the examples x that err of  1 + value(w after x)

    `halve`: Winnow2; else Winnow1. Only how many features of each weight are on matters, among the relevant ones and
    among the others; positions are remembered by sorted weights. n <= 8 is quick.

    >>> worst_winnow(4, 1).mistakes, worst_winnow(4, 1, halve=False).mistakes  # X-WINNOW-TABLES
    (4, 3)
    """
    below: Callable[[float], bool] = (lambda s: s <= n) if strict else (lambda s: s < n)

    @cache
    def choices(w: Weights) -> tuple[On, ...]:
        """Which of the sorted weights are on: the first few of each value."""
        groups = {v: [i for i, u in enumerate(w) if u == v] for v in w}
        some = product(*[range(len(g) + 1) for g in groups.values()])
        return tuple(
            tuple(i for g, c in zip(groups.values(), counts, strict=True) for i in g[:c])
            for counts in some
        )

    @cache
    def moves(a: Weights, b: Weights) -> tuple[Move, ...]:
        """What may be on among relevant (a) and other (b) weights, the label, and the weights after the mistake."""
        found: list[Move] = []
        for on in choices(b):
            total = sum(b[i] for i in on)
            if on and not below(total):
                less = tuple((v / 2 if halve else 0.0) if i in on else v for i, v in enumerate(b))
                found.append(((), on, -1, (a, tuple(sorted(less)))))
            for mine in choices(a):
                if mine and below(total + sum(a[i] for i in mine)):
                    found.append((mine, on, 1, (doubled(a, mine), doubled(b, on))))
        return tuple(found)

    def doubled(w: Weights, on: On) -> Weights:
        return tuple(sorted(2 * v if i in on else v for i, v in enumerate(w)))

    @cache
    def value(a: Weights, b: Weights) -> int:
        return max((1 + value(*to) for *_, to in moves(a, b)), default=0)

    X: list[Array] = []
    labels: list[float] = []
    w = np.ones(n)
    a, b = (1.0,) * k, (1.0,) * (n - k)
    most = value(a, b)
    for _ in range(most):
        mine, on, y, to = max(moves(a, b), key=lambda move: value(*move[-1]))
        order = np.argsort(w[:k], kind="stable"), k + np.argsort(w[k:], kind="stable")
        x = np.zeros(n)
        x[order[0][list(mine)]] = 1.0
        x[order[1][list(on)]] = 1.0
        w = np.where(x > 0, w * (2.0 if y > 0 else 0.5 if halve else 0.0), w)
        X.append(x)
        labels.append(float(y))
        a, b = to
    return Worst(most, np.array(X).reshape(-1, n), np.array(labels))
