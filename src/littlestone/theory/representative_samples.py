"""Samples on which every hypothesis errs about as often as it does in truth, and how likely they are, exactly."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..experts.mistake_trees import sign_matrix
from .finite_worlds import true_errors

MOST = 1_000_000  # at most so many samples, up to their order, are gone through


class Representative(NamedTuple):
    """How far the share of errors on a sample is from the true error, for the hypothesis for which it is farthest."""

    holds: bool
    deviation: Any
    row: int
    empirical: Any
    error: Any

    def __str__(self) -> str:
        word = "representative" if self.holds else "not representative"
        return (
            f"{word}: hypothesis {self.row} errs on {float(self.empirical):.4g} of the sample and on "
            f"{float(self.error):.4g} in truth"
        )


def representative(
    H: Any, D: Sequence[Any], labels: Sequence[int], sample: Sequence[int], eps: Any
) -> Representative:
    """Is a sample eps-representative: is max over h of |share of errors on it - true error| at most eps?

    Where it is, a hypothesis of least empirical error is at most 2 eps worse than the best (T-REPRESENTATIVE).

    H       a sign matrix, a hypothesis a row and a point a column
    D       the chances of the points; labels: -1 or 1 for each
    sample  the numbers of the points that were drawn

    >>> from fractions import Fraction
    >>> D = [Fraction(1, 4)] * 4
    >>> print(
    ...     representative(
    ...         [[1, 1, 1, 1], [1, -1, -1, -1]], D, [1, 1, 1, -1], [0, 3], Fraction(1, 4)
    ...     )
    ... )
    not representative: hypothesis 1 errs on 0 of the sample and on 0.5 in truth

    Ledger: A-REPRESENTATIVE; A7.7, T7.19.
    """
    S, true = class_and_errors("representative", H, D, labels, eps)
    if not len(sample) or not all(0 <= i < S.shape[1] for i in sample):
        raise BadInput(
            f"representative: sample must hold numbers of points, 0 to {S.shape[1] - 1}, not {sample!r:.60}"
        )
    wrong = (S[:, list(sample)] != np.asarray(labels)[list(sample)]).sum(axis=1)
    return farthest(wrong.tolist(), len(sample), true, eps)


def farthest(wrong: Sequence[int], m: int, true: Sequence[Any], eps: Any) -> Representative:
    """The hypothesis that deviates most, the first of equal ones."""
    exact = all(not isinstance(v, float) for v in true)
    shares = [as_share(k, m, exact) for k in wrong]
    far = [abs(share - error) for share, error in zip(shares, true, strict=True)]
    row = max(range(len(far)), key=lambda h: far[h])
    return Representative(bool(far[row] <= eps), far[row], row, shares[row], true[row])


def as_share(k: int, m: int, exact: bool) -> Any:
    from fractions import Fraction

    return Fraction(int(k), m) if exact else k / m


def chance_of_representative(
    H: Any, D: Sequence[Any], labels: Sequence[int], m: int, eps: Any
) -> Any:
    """The chance that m draws are eps-representative: by T-UC-FINITE at least 1 - 2 |H| exp(-2 m eps^2).

    >>> from fractions import Fraction
    >>> half = [Fraction(1, 2)] * 2
    >>> chance_of_representative([[1, 1], [-1, 1]], half, [1, -1], 2, Fraction(1, 4))
    Fraction(1, 2)

    Ledger: A-REPRESENTATIVE; A7.7.
    """
    S, true = class_and_errors("chance_of_representative", H, D, labels, eps)
    points = [i for i, p in enumerate(D) if p > 0]
    many = math.comb(len(points) + m - 1, m) if m >= 1 else 0
    if not 1 <= many <= MOST:
        raise BadInput(
            f"chance_of_representative: m = {m} has {many:,} samples; there must be from 1 to {MOST:,}"
        )
    off = (np.asarray(labels) != S).astype(np.int64)
    chance: Any = 0 * D[0]
    for sample in itertools.combinations_with_replacement(points, m):
        if farthest(off[:, sample].sum(axis=1).tolist(), m, true, eps).holds:
            here: Any = math.factorial(m)
            for i, k in Counter(sample).items():
                here = here * D[i] ** k / math.factorial(k)
            chance = chance + here
    return chance


def class_and_errors(
    owner: str, H: Any, D: Sequence[Any], labels: Sequence[int], eps: Any
) -> tuple[Any, list[Any]]:
    """The sign matrix and the true error of each row; refuse what does not fit together."""
    S = np.where(sign_matrix(owner, H), 1, -1)
    if len(D) != S.shape[1] or len(labels) != S.shape[1] or not set(labels) <= {-1, 1}:
        raise BadInput(f"{owner}: D and labels (-1 or 1) must have one entry a point, {S.shape[1]}")
    if abs(sum(D) - 1) > 1e-9 or min(D) < 0:
        raise BadInput(f"{owner}: D must hold chances that add up to 1, not to {sum(D)}")
    if not 0 <= eps <= 1:
        raise BadInput(f"{owner}: eps must be from 0 to 1, not {eps!r}")
    return S, true_errors(S, D, labels)
