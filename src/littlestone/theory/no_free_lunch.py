"""Distributions on which every learner fails: all labelings of 2m points, and the one of the lower bound, exactly."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput

MOST = 200_000  # at most so many answers are asked for: m = 6 has 94,313


class NoFreeLunch(NamedTuple):
    """The error of a learner on 2m points, averaged over all labelings and samples, and the labelling that is worst."""

    average: Any
    worst: Any
    labels: tuple[int, ...]


def no_free_lunch(m: int, learner: Callable[[dict[int, int]], Sequence[int]]) -> NoFreeLunch:
    """Every learner errs on average `(1 - 1/2m)^m / 2` at least, over the labelings of 2m points (T-NFL): exactly.

    A learner sees which points were drawn, with their labels, and not how often: it is asked once for each set of at
    most m points and each labelling of that set, and a set counts for the samples that have it.

    learner  a function of {point: label} of the m draws; it returns a label, 0 or 1, for each of the 2m points

    >>> def remember(seen):
    ...     return [seen.get(i, 0) for i in range(4)]
    >>> found = no_free_lunch(2, remember)
    >>> found.average, found.worst
    (Fraction(9, 32), Fraction(9, 16))

    Ledger: A-NFL; A1.16, A7.12, T1.8.
    """
    if isinstance(m, bool) or not isinstance(m, (int, np.integer)) or m < 1:
        raise BadInput(f"no_free_lunch: m must be a whole number, 1 or more, not {m!r}")
    m = int(m)
    n = 2 * m
    asked = sum(math.comb(n, k) * 2**k for k in range(1, m + 1))
    if asked > MOST:
        raise BadInput(
            f"no_free_lunch: m = {m} has {asked:,} sets with labels, too many to go through: take 6 or less"
        )
    labelings = np.array(list(itertools.product((0, 1), repeat=n)), np.int8)
    wrong = np.zeros(len(labelings), object)
    for points, samples in drawn_sets(n, m):
        code = labelings[:, points] @ (1 << np.arange(len(points)))
        for number, labels in enumerate(itertools.product((0, 1), repeat=len(points))):
            said = learner(dict(zip(points, labels[::-1], strict=True)))
            if len(said) != n:
                raise BadInput(
                    f"no_free_lunch: the learner must label all {n} points, not {len(said)}"
                )
            these = np.flatnonzero(code == number)
            wrong[these] += samples * (labelings[these] != np.asarray(said)).sum(axis=1)
    errors = [Fraction(int(w), n * n**m) for w in wrong]
    at = max(range(len(errors)), key=lambda i: (errors[i], tuple(labelings[i])))
    return NoFreeLunch(
        sum(errors, Fraction(0)) / len(errors), errors[at], tuple(labelings[at].tolist())
    )


def drawn_sets(n: int, m: int) -> Iterator[tuple[list[int], int]]:
    """Each set of points that m draws from n may have, and in how many of the n^m samples it is the set.

    >>> list(drawn_sets(2, 2))
    [([0], 1), ([1], 1), ([0, 1], 2)]
    """
    for k in range(1, min(n, m) + 1):
        samples = sum((-1) ** j * math.comb(k, j) * (k - j) ** m for j in range(k + 1))
        for points in itertools.combinations(range(n), k):
            yield list(points), samples


class LowerBoundDistribution(NamedTuple):
    """The chances of d shattered points: 1 - 4 eps of the first, and 4 eps for all others together."""

    chances: tuple[Any, ...]
    eps: Any

    def error(self, m: int) -> Any:
        """The expected error after m draws, averaged over all labelings of the points: no learner has less.

        A point that was not drawn may have either label, whatever the learner says of it.
        """
        whole_number("m", m, 0)
        return sum(p * (1 - p) ** m for p in self.chances) / 2

    @property
    def rows(self) -> int:
        """The least number of rows of which T-VC-LOWER says nothing: with fewer the expected error is eps or more."""
        least: int = math.ceil((len(self.chances) - 1) / (8 * self.eps))
        return least

    def draw(self, m: int, seed: int = 0) -> tuple[Any, Any, Any]:
        """A labelling of the points (0 and 1), m points that are drawn, and their labels."""
        rng = np.random.default_rng(seed)
        d = len(self.chances)
        labels = rng.integers(0, 2, d)
        points = rng.choice(d, whole_number("m", m, 0), p=np.array(self.chances, float))
        return labels, points, labels[points]


def lower_bound_distribution(d: int, eps: Any) -> LowerBoundDistribution:
    """The distribution of the lower bound: on d shattered points, rows of which there are too few say nothing.

    d    the size of the shattered set, 2 or more: `len(theory.vc_dimension(H).points)`
    eps  the error, above 0 and at most 1/4; a fraction gives exact answers

    >>> hard = lower_bound_distribution(9, Fraction(1, 10))
    >>> hard.chances[:2], hard.rows
    ((Fraction(3, 5), Fraction(1, 20)), 10)
    >>> [round(float(hard.error(m)), 4) for m in (0, 9, 40)]  # 9 < 8 / (8 eps)
    [0.5, 0.1261, 0.0257]

    Ledger: A-HARD-DISTRIBUTION; A7.12, T-VC-LOWER.
    """
    whole_number("d", d, 2)
    if not 0 < eps <= Fraction(1, 4):
        raise BadInput(
            f"lower_bound_distribution: eps must be above 0 and at most 1/4, not {eps!r}"
        )
    return LowerBoundDistribution((1 - 4 * eps, *(4 * eps / (d - 1),) * (d - 1)), eps)


def whole_number(name: str, v: Any, least: int) -> int:
    if isinstance(v, bool) or not isinstance(v, (int, np.integer)) or v < least:
        raise BadInput(f"{name} must be a whole number, {least} or more, not {v!r}")
    return int(v)
