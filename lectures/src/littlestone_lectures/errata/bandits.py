"""Errata about bandits: which minimum regret is measured against, and which mean is unbiased."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from littlestone.falsify.erratum import Erratum

from ..statements.exp3 import expected_loss


def sizes(T: int) -> Iterator[tuple[int, int]]:
    for n in (2, 3, 4):
        yield n, T


def least_excess(n: int) -> float:
    """The expected cost of a round beyond its best arm, for any learner, if a random arm costs 0 and the others 1.

    Every distribution over the arms has the same expected cost: the mean over the n losses.
    """
    losses = [[float(i != best) for i in range(n)] for best in range(n)]
    arms = [sum(ell[i] - min(ell) for ell in losses) / n for i in range(n)]
    return min(arms)


def worst_exp3(i: tuple[int, int]) -> float:
    """The largest expected regret of EXP3 over all 0/1 losses of few rounds, exactly; blocks of them otherwise."""
    n, T = i
    eta = math.sqrt(2 * math.log(n) / (n * T))
    rows = list(product((0.0, 1.0), repeat=n))
    if n * T <= 8:
        runs: Any = product(rows, repeat=T)
    elif T <= 7:
        runs = (
            (rows[a],) * j + (rows[b],) * (T - j)
            for a in range(len(rows))
            for b in (1, 2)
            for j in (0, T // 2)
        )
    else:
        return 0.0
    worst = -math.inf
    for losses in runs:
        best = min(sum(ell[j] for ell in losses) for j in range(n))
        worst = max(worst, expected_loss(losses, eta) - best)
    return worst


BANDIT_MIN = Erratum(
    "E-BANDIT-MIN",
    "some learner with bandit feedback keeps the expectation of sum_t loss_t - sum_t min_i loss_ti "
    "at or below sqrt(2 n T ln n)",
    lambda i: (i[1] * least_excess(i[0]), math.sqrt(2 * i[0] * i[1] * math.log(i[0]))),
    "EXP3 keeps sum_t loss_t - min_i sum_t loss_ti there",
    lambda i: (worst_exp3(i), math.sqrt(2 * i[0] * i[1] * math.log(i[0]))),
    "n arms, T rounds; printed claim: one random arm costs 0, which no learner can tell; corrected claim: all 0/1 "
    "losses for n T <= 8, two blocks for T <= 7, expectations exact",
    sizes,
    tuple(range(1, 31)),
    show=lambda i: f"n = {i[0]}, T = {i[1]}: no learner expects less than {i[1] * least_excess(i[0]):g}",
    short=4,
)  # fmt: skip

# The sample mean of an arm, when how often it is played depends on what it cost.


def rules(most: int) -> Iterator[tuple[Fraction, dict[tuple[int, ...], bool]]]:
    """The mean p of an arm, and a rule that says after which losses it is played again; at most `most` plays."""
    pasts = [past for T in range(1, most) for past in product((0, 1), repeat=T)]
    for p in (Fraction(1, 2), Fraction(1, 4)):
        for again in product((False, True), repeat=len(pasts)):
            yield p, dict(zip(pasts, again, strict=True))


def expected(i: Any, weighted: bool) -> Fraction:
    """The expected sample mean; or that of the mean over all possible plays of (loss - 1/2) [played] + 1/2."""
    p, again = i
    most = 1 + max((len(past) for past in again), default=0)

    def value(past: tuple[int, ...]) -> Fraction:
        if past and not again.get(past, False):
            if weighted:
                # every play is importance weighted by its chance, 1: the first is one, and alone is unbiased
                return Fraction(past[0])
            return Fraction(sum(past), len(past))
        if len(past) == most:
            return Fraction(past[0]) if weighted else Fraction(sum(past), len(past))
        return Fraction(p) * value((*past, 1)) + (1 - Fraction(p)) * value((*past, 0))

    return value(())


def in_words(i: Any) -> str:
    after = ["".join(map(str, past)) for past, again in i[1].items() if again]
    return f"Bernoulli({i[0]}), played again after the losses {', '.join(after) or 'never'}: E = {expected(i, False)}"


def blind(i: Any) -> bool:
    """Does the rule depend on the number of plays only?"""
    return all(
        len({again for past, again in i[1].items() if len(past) == T}) == 1
        for T in {len(past) for past in i[1]}
    )


SAMPLE_MEAN = Erratum(
    "E-SAMPLE-MEAN",
    "the sample mean of an arm's losses is unbiased, however the arm was chosen",
    lambda i: (float(expected(i, False)), float(i[0])),
    "it is where the choice does not look at the arm's own losses (otherwise importance weights are)",
    lambda i: (float(expected(i, not blind(i))), float(i[0])),
    "a Bernoulli arm (1/2 or 1/4) and every rule that says after which losses it is played again, in fractions",
    rules,
    (1, 2, 3, 4),
    equal=True,
    show=in_words,
    short=3,
)

ERRATA = (BANDIT_MIN, SAMPLE_MEAN)
