"""Errata about experts: rates, votes, version spaces."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import combinations, product

from littlestone.environments.exhaustive import worst_hedge
from littlestone.falsify.erratum import Erratum

from .drawing import chart

# Exponential weights: the exact worst case over all 0/1 losses.


@cache
def worst(T: int, n: int, eta: float) -> float:
    return worst_hedge(T, n, eta)[0] if n > 1 else 0.0


def games(T: int) -> Iterator[tuple[int, int]]:
    """(T, n): all losses in {0, 1} of T rounds and n experts, by the exact game tree."""
    for n in (2, 3) if T <= 8 else (2,):
        yield T, n


def printed_rate(i: tuple[int, int]) -> tuple[float, float]:
    T, n = i
    return worst(T, n, 8 * math.log(n) / T), math.sqrt(T * math.log(n))


def right_rate(i: tuple[int, int]) -> tuple[float, float]:
    T, n = i
    return worst(T, n, math.sqrt(8 * math.log(n) / T)), math.sqrt(T * math.log(n) / 2)


def draw_rates() -> str:
    T = list(range(1, 101))
    return chart(
        "Worst regret of exponential weights, two experts, exactly",
        "T",
        [
            ("at the printed rate", T, [worst(t, 2, 8 * math.log(2) / t) for t in T]),
            ("the printed bound", T, [math.sqrt(t * math.log(2)) for t in T]),
            ("at the right rate", T, [worst(t, 2, math.sqrt(8 * math.log(2) / t)) for t in T]),
        ],
    )


EWA_ETA = Erratum(
    "E-EWA-ETA",
    "exponential weights at eta = 8 ln n / T: regret <= sqrt(T ln n)",
    printed_rate,
    "at eta = sqrt(8 ln n / T): regret <= sqrt(T ln n / 2)",
    right_rate,
    "T rounds, n experts: every sequence of losses in {0, 1}, by the exact game tree",
    games,
    tuple(range(1, 61)),
    show=lambda i: f"T = {i[0]}, n = {i[1]}",
    short=40,
    picture=draw_rates,
)

# Version spaces. An instance is a table of advice and the outcomes; one expert is right in every round.

Table = tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]


def tables(cells: int) -> Iterator[Table]:
    """n experts x T rounds of bits with n T = cells, the last expert always right."""
    for n in range(1, cells + 1):
        if cells % n == 0:
            for bits in product((0, 1), repeat=cells):
                x = tuple(tuple(bits[t * n : (t + 1) * n]) for t in range(cells // n))
                yield x, tuple(row[-1] for row in x)


def halving(table: Table, every: bool, vote_over_all: bool = False) -> tuple[int, set[int]]:
    """Mistakes and survivors, ties to 1."""
    x, y = table
    alive, mistakes = set(range(len(x[0]))), 0
    for row, label in zip(x, y, strict=True):
        voters = range(len(row)) if vote_over_all else alive
        ones = sum(row[i] for i in voters)
        guess = int(2 * ones >= len(list(voters)))
        mistakes += guess != label
        if every or guess != label:
            alive = {i for i in alive if row[i] == label}
    return mistakes, alive


def always_right(table: Table) -> set[int]:
    x, y = table
    return {i for i in range(len(x[0])) if all(r[i] == v for r, v in zip(x, y, strict=True))}


def tabled(table: Table) -> str:
    x, y = table
    return "; ".join(f"advice {r}, outcome {v}" for r, v in zip(x, y, strict=True))


HALV_CORRECT = Erratum(
    "E-HALV-CORRECT",
    "halving that updates on mistakes keeps just the experts that were always right",
    lambda i: (float(len(halving(i, False)[1] - always_right(i))), 0.0),
    "it keeps all of those, perhaps more, and still errs at most lg n times",
    lambda i: (
        halving(i, False)[0] + len(always_right(i) - halving(i, False)[1]),
        math.log2(len(i[0][0])),
    ),
    "tables of bits, a row a round, a column an expert, the last expert always right; ties to 1",
    tables,
    tuple(range(1, 13)),
    show=tabled,
    short=10,
)
HALV_VOTE = Erratum(
    "E-HALV-VOTE",
    "halving with the vote over all of H errs at most lg |H| times",
    lambda i: (halving(i, True, True)[0], math.log2(len(i[0][0]))),
    "with the vote over those not ruled out",
    lambda i: (halving(i, True)[0], math.log2(len(i[0][0]))),
    "tables of bits, a row a round, a column an expert, the last expert always right; ties to 1",
    tables,
    tuple(range(1, 13)),
    show=tabled,
    short=10,
)

# Halving over disjunctions, exactly: a version space is a set of disjunctions, and the adversary splits it.


@cache
def worst_halving(V: frozenset[tuple[int, ...]], d: int) -> int:
    most = 0
    for x in product((0, 1), repeat=d):
        yes = frozenset(h for h in V if any(x[i] for i in h))
        no = V - yes
        small, large = sorted((yes, no), key=len)
        if small:
            most = max(most, 1 + worst_halving(small, d))
            most = max(most, 1 + worst_halving(large, d)) if len(small) == len(large) else most
    return most


def disjunctions(d: int) -> Iterator[tuple[int, int]]:
    for k in range(1, d + 1):
        if math.comb(d, k) <= 10:
            yield d, k


def forced(i: tuple[int, int]) -> float:
    d, k = i
    return float(worst_halving(frozenset(combinations(range(d), k)), d))


KLND = Erratum(
    "E-KLND",
    "halving over the disjunctions of k of d features errs at most k ln d times",
    lambda i: (forced(i), i[1] * math.log(i[0])),
    "at most lg C(d, k) <= k lg d times",
    lambda i: (forced(i), min(i[1] * math.log2(i[0]), math.log2(math.comb(*i)))),
    "(d, k): the whole game tree over inputs in {0, 1}^d",
    disjunctions,
    tuple(range(1, 8)),
    show=lambda i: f"d = {i[0]}, k = {i[1]}: {forced(i):g} mistakes can be forced",
    short=6,
)

# Weighted majority.


def majority(bits: int) -> Iterator[tuple[tuple[int, ...], float]]:
    """Which experts err in a round in which the majority does, from equal weights, and beta."""
    for beta in (0.5, 0.25):
        for errs in product((0, 1), repeat=bits):
            if 2 * sum(errs) >= bits:
                yield errs, beta


def shrink(i: tuple[tuple[int, ...], float]) -> tuple[float, float]:
    errs, beta = i
    n = len(errs)
    return sum(beta if e else 1.0 for e in errs), (1 + beta) / 2 * n


WM_EQ = Erratum(
    "E-WM-EQ",
    "on a mistake of weighted majority the total weight becomes (1 + beta)/2 of what it was",
    shrink,
    "it becomes at most that",
    shrink,
    "which of n experts err in a round in which half of the weight errs; weights 1, beta 1/2 or 1/4",
    majority,
    tuple(range(1, 13)),
    equal=True,
    right_equal=False,
    show=lambda i: f"errors {i[0]}, beta = {i[1]}",
)
WM_263 = Erratum(
    "E-WM-263",
    "1 / ln(2 / (1 + beta)) at beta = 1/e is at most 2.63",
    lambda beta: (1 / math.log(2 / (1 + beta)), 2.63),
    "it is 2.632372, rounded up 2.633",
    lambda beta: (1 / math.log(2 / (1 + beta)), 2.633),
    "beta = 1/e",
    lambda size: iter((math.exp(-1),)),
    (1,),
    show=lambda beta: f"beta = {beta:.6f}: {1 / math.log(2 / (1 + beta)):.6f}",
)


def flipped(T: int, n: int) -> float:
    """Mistakes of weighted majority (beta 1/2) less c = 1 times the best, n experts that disagree, labels flipped."""
    errors, mistakes = [0] * n, 0
    for _ in range(T):
        up = sum(0.5 ** errors[i] for i in range(n) if i % 2)
        label = 0 if up >= sum(0.5 ** errors[i] for i in range(n) if not i % 2) else 1
        mistakes += 1
        errors = [e + (i % 2 != label) for i, e in enumerate(errors)]
    return mistakes - min(errors)


def learners(T: int) -> Iterator[tuple[int, int]]:
    for n in (1, 2, 4):
        yield T, n


def lower_printed(i: tuple[int, int]) -> tuple[float, float]:
    """T/2, and the largest regret that 0/1 losses can force upon Hedge."""
    T, n = i
    return T / 2, worst(T, n, math.sqrt(8 * math.log(max(2, n)) / T))


CREGRET = Erratum(
    "E-CREGRET",
    "every learner can be forced to a regret of T/2",
    lower_printed,
    "every deterministic one can, where two experts always disagree",
    lambda i: (i[0] / 2, flipped(*i) if i[1] > 1 else math.inf),
    "(T, n): Hedge, exact game tree, for the printed claim; weighted majority against flipped labels for the other",
    learners,
    (1, 2, 3, 4, 6, 8, 10),
    show=lambda i: f"T = {i[0]}, n = {i[1]}",
)

ERRATA = (EWA_ETA, HALV_CORRECT, HALV_VOTE, KLND, WM_EQ, WM_263, CREGRET)
