"""The error of k nearest neighbours at a point when there are infinitely many rows, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import factorial
from typing import Any

from ..core.errors import BadInput


def neighbour_error(p: Sequence[Any], k: int = 1) -> Any:
    """The error at a point where class c has the chance p[c], when k neighbours at that very point vote.

    With ever more rows the k nearest are ever nearer, and their labels are draws from p. Of classes with equally many
    votes each is as likely to be said. One neighbour errs `sum_c p_c (1 - p_c)`, at most twice the least error:
    `e (2 - C e / (C - 1))` for C classes and `e = 1 - max p` (T-NEIGHBOUR).

    >>> from fractions import Fraction
    >>> p = [Fraction(9, 10), Fraction(1, 10)]
    >>> neighbour_error(p), neighbour_error(p, 3), 1 - max(p)
    (Fraction(9, 50), Fraction(153, 1250), Fraction(1, 10))

    Ledger: A-NEIGHBOURS, T-NEIGHBOUR; T1.10, T1.11, T1.12.
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise BadInput(f"neighbour_error: k must be a whole number, 1 or more, not {k!r}")
    if not len(p) or any(not q >= 0 for q in p) or abs(sum(p) - 1) > 1e-9:
        raise BadInput(f"neighbour_error: p must hold chances that add up to 1, not {p!r:.60}")
    classes = range(len(p))
    right: Any = 0 * p[0]
    for labels in combinations_with_replacement(classes, k):
        votes = [labels.count(c) for c in classes]
        chance: Any = factorial(k) + 0 * p[0]
        for c in classes:
            chance = chance * p[c] ** votes[c] / factorial(votes[c])
        first = [c for c in classes if votes[c] == max(votes)]
        right += chance * sum(p[c] for c in first) / len(first)
    return 1 - right


def neighbour_bound(e: Any, classes: int) -> Any:
    """`e (2 - C e / (C - 1))`: one neighbour errs at most this much where the least error is e."""
    return e * (2 - classes * e / (classes - 1)) if classes > 1 else 0 * e
