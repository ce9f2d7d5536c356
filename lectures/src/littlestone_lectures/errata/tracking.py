"""Errata about sequences of experts: how many there are, what they cost, and how weight is shared."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import pairwise, product
from typing import Any

from littlestone.falsify.erratum import Erratum

from ..statements.markov import complexity, specialists

# Counting sequences.


def shifts(s: tuple[int, ...]) -> int:
    return sum(a != b for a, b in pairwise(s))


@cache
def counted(n: int, T: int, k: int) -> int:
    return sum(shifts(s) == k for s in product(range(n), repeat=T))


def sequences(size: int) -> Iterator[tuple[int, int, int]]:
    """(n, T, k) with n + T = size and n^T small enough to be listed."""
    for n in range(1, size):
        T = size - n
        if n**T <= 20_000:
            for k in range(T):
                yield n, T, k


def in_words(i: Any) -> str:
    return f"n = {i[0]}, T = {i[1]}, k = {i[2]}: {counted(*i)} sequences"


def short_of(a: float, k: int) -> float:
    """(a/k)^k, and 1 at k = 0."""
    return (a / k) ** k if k else 1.0


SEQCOUNT = Erratum(
    "E-SEQCOUNT",
    "there are at most (e n T / k)^k sequences of T experts with k shifts",
    lambda i: (counted(*i), short_of(math.e * i[0] * i[1], i[2])),
    "there are n (n-1)^k C(T-1, k), at most n^(k+1) (e (T-1) / k)^k",
    lambda i: (
        counted(*i),
        min(
            i[0] * (i[0] - 1) ** i[2] * math.comb(i[1] - 1, i[2]),
            i[0] ** (i[2] + 1) * short_of(math.e * (i[1] - 1), i[2]),
        ),
    ),
    "n experts, T rounds, k shifts: all sequences listed, by n + T",
    sequences,
    tuple(range(2, 11)),
    show=in_words,
    short=7,
)


def lengths(size: int) -> Iterator[tuple[int, int]]:
    for n in range(1, size):
        if n ** (size - n) <= 50_000:
            yield n, size - n


@cache
def listed(n: int, T: int) -> int:
    return sum(1 for _ in product(range(n), repeat=T))


NL = Erratum(
    "E-NL",
    "there are T^n sequences of T experts out of n",
    lambda i: (listed(*i), i[1] ** i[0]),
    "there are n^T",
    lambda i: (listed(*i), i[0] ** i[1]),
    "n experts, T rounds: all sequences listed, by n + T",
    lengths,
    tuple(range(2, 11)),
    equal=True,
    show=lambda i: f"n = {i[0]}, T = {i[1]}: {listed(*i)} sequences",
    short=7,
)


def rates(T: int) -> Iterator[tuple[int, int]]:
    for k in range(1, T - 1):
        yield T, k


def nats(i: tuple[int, int]) -> float:
    """What k shifts in T rounds cost at alpha = k / (T - 1)."""
    T, k = i
    a = k / (T - 1)
    return -k * math.log(a) - (T - 1 - k) * math.log(1 - a)


def entropy(p: float, printed: bool) -> float:
    return sum((1 / q if printed else q) * math.log(1 / q) for q in (p, 1 - p))


ENTROPY = Erratum(
    "E-ENTROPY",
    "k ln(1/alpha) + (T-1-k) ln(1/(1-alpha)) at alpha = k/(T-1) is (T-1) H(alpha), "
    "H(p) = (1/p) ln(1/p) + (1/(1-p)) ln(1/(1-p))",
    lambda i: (nats(i), (i[0] - 1) * entropy(i[1] / (i[0] - 1), True)),
    "H(p) = p ln(1/p) + (1-p) ln(1/(1-p))",
    lambda i: (nats(i), (i[0] - 1) * entropy(i[1] / (i[0] - 1), False)),
    "T rounds, k = 1, ..., T-2 shifts",
    rates,
    tuple(range(3, 61)),
    equal=True,
    show=lambda i: f"T = {i[0]}, k = {i[1]}",
)

# Sharing.


def shared(size: int) -> Iterator[tuple[int, tuple[tuple[float, ...], ...], float]]:
    """n experts x T rounds of losses 0, 1/2, 1 with n T = size, and a share rate."""
    for n in range(2, size + 1):
        if size % n == 0:
            for flat in product((0.0, 1.0, 0.5), repeat=size):
                rows = tuple(tuple(flat[t * n : (t + 1) * n]) for t in range(size // n))
                for alpha in (0.5, 0.25):
                    yield n, rows, alpha


def weights(i: Any, stray: bool) -> list[float]:
    """The weights after the last round, up to a factor; eta = 1."""
    n, rows, alpha = i
    w = [1 / n] * n
    for ell in rows:
        m = [a * math.exp(-b) for a, b in zip(w, ell, strict=True)]
        pool = alpha * sum(m)
        w = [
            (1 - alpha) * m[j] + (pool - alpha * m[j]) / (n - 1) * (w[j] if stray else 1.0)
            for j in range(n)
        ]
    return [a / sum(w) for a in w]


def by_sequences(i: Any) -> list[float]:
    """The weights by a prior over all sequences of experts, one longer than there are rounds."""
    n, rows, alpha = i
    w = [0.0] * n
    for s in product(range(n), repeat=len(rows) + 1):
        k = shifts(s)
        prior = (1 - alpha) ** (len(rows) - k) * (alpha / (n - 1)) ** k / n
        w[s[-1]] += prior * math.exp(-sum(ell[j] for ell, j in zip(rows, s, strict=False)))
    return [a / sum(w) for a in w]


def apart(i: Any, stray: bool) -> tuple[float, float]:
    pairs = zip(weights(i, stray), by_sequences(i), strict=True)
    return max(abs(a - b) for a, b in pairs), 0.0


SHARE = Erratum(
    "E-SHARE",
    "fixed share, its second term times the expert's own weight, predicts as the prior over all sequences does",
    lambda i: apart(i, True),
    "without that factor it does: w_i = (1-alpha) m_i + (pool - alpha m_i) / (n-1)",
    lambda i: apart(i, False),
    "n experts x T rounds of losses in {0, 1/2, 1}, by n T; alpha 1/4 or 1/2, eta 1",
    shared,
    (2, 3, 4, 5, 6),
    show=lambda i: f"n = {i[0]}, losses {i[1]}, alpha = {i[2]}",
    short=4,
)

# Several tasks, with a task that never comes.


def alone(T: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """A comparator over two hypotheses that shifts k <= T - 2 times, and the number of tasks that is declared.

    All of them while they are few; then those with at most two rounds without a shift.
    """
    if T <= 9:
        paths: Iterator[tuple[int, ...]] = product((0, 1), repeat=T - 1)
    else:
        stays = [(a, b) for a in range(T - 1) for b in range(a, T - 1)]
        paths = (tuple(int(t not in p) for t in range(T - 1)) for p in stays)
    for moves in paths:
        h = [0]
        for move in moves:
            h.append(h[-1] ^ move)
        if sum(moves) <= T - 2:
            for tasks in (2, 1):
                yield tuple(h), tasks


def regret_to_one(i: Any) -> tuple[float, float]:
    """The regret to a comparator that never errs, while the other hypothesis always does; and sqrt(2 C T)."""
    h, tasks = i
    T, k = len(h), shifts(h)
    C = complexity(2, tasks, 2, k, T)
    costs = [tuple(float(j != at) for j in range(2)) for at in h]
    eta = math.sqrt(2 * C / T)
    losses = specialists([0] * T, costs, 2, tasks, 2, k, eta)
    return sum(losses), math.sqrt(2 * C * T)


MT_TASKS = Erratum(
    "E-MT-TASKS",
    "switching with memory over s tasks: regret <= sqrt(2 C T), however many of the tasks ever come",
    regret_to_one,
    "where each of the s tasks comes at least once",
    lambda i: regret_to_one(i) if i[1] == 1 else (0.0, math.inf),
    "two hypotheses, two modes, only task 1 comes, s = 1 or 2 is declared; all comparators of T <= 9 rounds, then "
    "those with at most two rounds without a shift; it costs 0, the other one 1",
    alone,
    tuple(range(3, 22)),
    show=lambda i: f"T = {len(i[0])}, s = {i[1]}, comparator {''.join(str(j + 1) for j in i[0])}",
    short=12,
)


def modal(T: int) -> Iterator[tuple[tuple[int, ...], int, int]]:
    """A comparator over n = 2 or 3 hypotheses, n, and the number of modes that is declared."""
    for n in (2, 3):
        for rest in product(range(n), repeat=T - 1):
            for modes in range(max(2, len({0, *rest})), 7):
                yield (0, *rest), n, modes


def crowded(i: Any) -> tuple[float, float]:
    """The regret to a comparator that never errs, while all others always do; and sqrt(2 C T)."""
    h, n, modes = i
    T, k = len(h), shifts(h)
    C = max(0.0, complexity(n, 1, modes, k, T))
    costs = [tuple(float(j != at) for j in range(n)) for at in h]
    losses = specialists([0] * T, costs, n, 1, modes, k, math.sqrt(2 * C / T))
    return sum(losses), math.sqrt(2 * C * T)


MT_RATE = Erratum(
    "E-MT-RATE",
    "switching with memory: regret <= sqrt(2 C T) for any number m of modes",
    crowded,
    "for m at most the number n of hypotheses (m ln(n/m) is negative otherwise)",
    lambda i: crowded(i) if i[2] <= i[1] else (0.0, math.inf),
    "two or three hypotheses, one task, every comparator of T rounds, 2 to 6 modes; it costs 0, all others 1",
    modal,
    (2, 3, 4, 5, 6),
    show=lambda i: (
        f"T = {len(i[0])}, n = {i[1]}, m = {i[2]}, comparator {''.join(str(j + 1) for j in i[0])}"
    ),
    short=4,
)

ERRATA = (SEQCOUNT, NL, ENTROPY, SHARE, MT_TASKS, MT_RATE)
