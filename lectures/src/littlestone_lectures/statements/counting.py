"""Counting: Boolean functions, sequences of experts, modes; and the reduction from satisfiability."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise, product
from typing import Any

import numpy as np

from littlestone.falsify.statement import Statement
from littlestone.theory.set_cover import cover_of_formula, satisfied, smallest_cover


def one(size: int) -> Iterator[int]:
    yield size


@cache
def terms(n: int, conjunctive: bool = True, monotone: bool = False) -> int:
    """How many different functions are conjunctions (disjunctions) of literals over n variables."""
    points = list(product((0, 1), repeat=n))
    found = set()
    for signs in product((0, 1), repeat=n if monotone else 2 * n):
        literals = [(j // 2, j % 2) if not monotone else (j, 0) for j, on in enumerate(signs) if on]
        joined_by = all if conjunctive else any
        found.add(tuple(joined_by((x[j] == 1) != bool(neg) for j, neg in literals) for x in points))
    return len(found)


COUNT_TERMS = Statement(
    "T-COUNT-BOOL",
    "3^n + 1 different terms, as many clauses, and 2^n monotone terms over n variables",
    lambda n: (
        terms(n) + 1000 * terms(n, False) + 10**6 * terms(n, monotone=True),
        (3**n + 1) * 1001 + 10**6 * 2**n,
    ),
    one,
    (1, 2, 3, 4),
    equal=True,
    how="all of them listed",
)


@cache
def by_shifts(n: int, T: int) -> Counter[int]:
    return Counter(sum(a != b for a, b in pairwise(s)) for s in product(range(n), repeat=T))


def shifting(size: int) -> Iterator[tuple[int, int, int]]:
    for n in range(1, size):
        if n ** (size - n) <= 30_000:
            for k in range(size - n):
                yield n, size - n, k


SEQ_COUNT = Statement(
    "T-SEQ-COUNT",
    "n (n-1)^k C(T-1, k) sequences of T experts with k shifts",
    lambda i: (by_shifts(i[0], i[1])[i[2]], i[0] * (i[0] - 1) ** i[2] * math.comb(i[1] - 1, i[2])),
    shifting,
    tuple(range(2, 13)),
    equal=True,
    how="all sequences listed",
    short=7,
)
SEQ_BOUND = Statement(
    "T-SEQ-COUNT",
    "n (n-1)^k C(T-1, k) <= n^(k+1) (e (T-1)/k)^k",
    lambda i: (
        i[0] * (i[0] - 1) ** i[2] * math.comb(i[1] - 1, i[2]),
        i[0] ** (i[2] + 1) * ((math.e * (i[1] - 1) / i[2]) ** i[2] if i[2] else 1.0),
    ),
    shifting,
    tuple(range(2, 13)),
    attained=True,
    how="all n + T <= 12",
)


def priors(size: int) -> Iterator[tuple[int, int, float]]:
    for n in range(2, size):
        if n ** (size - n) <= 10_000:
            for alpha in (0.01, 0.3, 0.9):
                yield n, size - n, alpha


def total(i: Any) -> tuple[float, float]:
    n, T, alpha = i
    return sum(
        many / n * (1 - alpha) ** (T - 1 - k) * (alpha / (n - 1)) ** k
        for k, many in by_shifts(n, T).items()
    ), 1.0


META_PRIOR = Statement(
    "T-META-PRIOR",
    "the prior (1/n) (1-alpha)^(T-1-k) (alpha/(n-1))^k over all n^T sequences sums to 1",
    total,
    priors,
    tuple(range(3, 12)),
    equal=True,
    how="all sequences listed",
    short=6,
)


@cache
def by_modes(n: int, T: int) -> Counter[tuple[int, int]]:
    return Counter(
        (sum(a != b for a, b in pairwise(s)), len(set(s))) for s in product(range(n), repeat=T)
    )


def modal(size: int) -> Iterator[tuple[int, int, int, int]]:
    for n in range(1, size):
        T = size - n
        if n**T <= 20_000:
            for k in range(T):
                for m in range(1, min(n, k + 1) + 1):
                    yield n, T, k, m


def onto(k: int, m: int) -> int:
    """Sequences of k + 1 of m things, each of them used, no two in a row equal."""
    if k == 0:
        return int(m == 1)
    return sum((-1) ** j * math.comb(m, j) * (m - j) * (m - j - 1) ** k for j in range(m))


MODES_COUNT = Statement(
    "T-MODES-COUNT",
    "C(n, m) C(T-1, k) S(k, m) sequences with k shifts and m modes",
    lambda i: (
        by_modes(i[0], i[1])[i[2], i[3]],
        math.comb(i[0], i[3]) * math.comb(i[1] - 1, i[2]) * onto(i[2], i[3]),
    ),
    modal,
    tuple(range(2, 11)),
    equal=True,
    how="all sequences listed",
    short=6,
)
MODES_BOUND = Statement(
    "T-MODES-COUNT",
    "ln of that count <= m ln(n/m) + k ln((T-1)/k) + (k+1) ln m + k + m",
    lambda i: (
        math.log(max(1, by_modes(i[0], i[1])[i[2], i[3]])),
        i[3] * math.log(i[0] / i[3])
        + (i[2] * math.log((i[1] - 1) / i[2]) if i[2] else 0.0)
        + (i[2] + 1) * math.log(i[3])
        + i[2]
        + i[3],
    ),
    modal,
    tuple(range(2, 11)),
    how="all n + T <= 10",
    short=6,
)


def formulas(m: int) -> Iterator[tuple[int, tuple[tuple[int, ...], ...]]]:
    """Random formulas over m variables."""
    rng = np.random.default_rng(m)
    for _ in range(60):
        clauses = []
        for _ in range(int(rng.integers(1, 3 * m + 1))):
            size = int(rng.integers(1, min(3, m) + 1))
            chosen = rng.choice(m, size, replace=False) + 1
            clauses.append(tuple(int(v) for v in chosen * rng.choice((-1, 1), size)))
        yield m, tuple(clauses)


def reduced(i: Any) -> tuple[float, float]:
    """Satisfiable just if the smallest cover has m sets, and never one of fewer: as one number."""
    A, m = cover_of_formula(i[1])
    small = smallest_cover(A)
    size = math.inf if small is None else len(small)
    return float(size == m) + 2.0 * (size < m), float(satisfied(i[1]) is not None)


NP = Statement(
    "T-NP",
    "a formula over m variables is satisfiable just if its cover instance has a cover of m sets, and none has fewer",
    reduced,
    formulas,
    (1, 2, 3, 4, 5),
    equal=True,
    how="random formulas, brute force",
    short=3,
)


def subsets(n: int) -> Iterator[tuple[int, int]]:
    for k in range(1, n + 1):
        yield n, k


WM_DISJ = Statement(
    "T-WM-DISJ",
    "C(n, k) <= (n e/k)^k",
    lambda i: (math.log(math.comb(*i)), i[1] * math.log(i[0] * math.e / i[1])),
    subsets,
    tuple(range(1, 101)),
    how="all k <= n <= 100",
)

STATEMENTS = (WM_DISJ, COUNT_TERMS, SEQ_COUNT, SEQ_BOUND, META_PRIOR, MODES_COUNT, MODES_BOUND, NP)
