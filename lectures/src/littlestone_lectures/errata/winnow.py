"""Errata about Winnow: which norm of v the margin is over, which sign v may have, which logarithm is meant."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np

from littlestone.environments.linear_adversaries import fill_round
from littlestone.falsify.erratum import Erratum

from .drawing import chart

# Winnow with exponentiated gradients, against a pool of examples: always one that it gets wrong.


@cache
def cube(N: int) -> Any:
    return np.array(list(product((1.0, -1.0), repeat=N)))


def pools(N: int) -> Iterator[tuple[tuple[int, ...], str]]:
    """v in {0, ..., 3}^N, in falling order, not 0; and which of the misclassified examples comes next."""
    for v in combinations_with_replacement((3, 2, 1, 0), N):
        if any(v):
            for how in ("most", "least"):
                yield v, how


def pooled(i: tuple[tuple[int, ...], str], norm: int) -> tuple[float, float]:
    """Updates of Winnow at eta = rho, the margin in this norm of v, and the bound 2 ln(N) / rho^2."""
    v, how = np.array(i[0], float), i[1]
    N = len(v)
    X = cube(N)
    X = X[np.abs(X @ v) > 0]
    y = np.sign(X @ v)
    rho = float(np.abs(X @ v).min() / np.linalg.norm(v, norm))
    bound = 2 * math.log(N) / rho**2
    q, updates = np.zeros(N), 0
    while updates <= bound + 1:
        w = np.exp(rho * (q - q.max()))
        margins = y * (X @ (w / w.sum()))
        # strictly below 0, so that no tie counts as an error
        wrong = np.flatnonzero(margins < -1e-9)
        if not len(wrong):
            break
        at = wrong[(np.argmin if how == "most" else np.argmax)(margins[wrong])]
        q += y[at] * X[at]
        updates += 1
    return updates, bound


WEG = Erratum(
    "E-WEG",
    "Winnow errs at most 2 (r / rho)^2 ln N times, rho the margin of v >= 0 over |v|_2, at eta = rho / r^2",
    lambda i: pooled(i, 2),
    "rho the margin over |v|_1",
    lambda i: pooled(i, 1),
    "v in {0, 1, 2, 3}^N, all examples in {-1, 1}^N with <v, x> != 0; again and again the example that is most, "
    "or least, on the wrong side; N = 2 to 8",
    pools,
    (2, 3, 4, 5, 6, 7, 8),
    show=lambda i: f"N = {len(i[0])}, v = {i[0]}, the {i[1]} violated example each time",
    short=5,
)


def signed(N: int) -> Iterator[tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]]:
    """v in {-1, 0, 1}^N, not 0, and two examples in {-1, 1}^N with <v, x> != 0."""
    for v in product((1, 0, -1), repeat=N):
        for xs in product(product((1, -1), repeat=N), repeat=2):
            if all(sum(a * b for a, b in zip(v, x, strict=True)) for x in xs):
                yield v, xs


def played(i: Any) -> tuple[float, float]:
    v, xs = np.array(i[0], float), np.array(i[1], float)
    scores = xs @ v
    rho = float(np.abs(scores).min() / np.abs(v).sum())
    q, updates = np.zeros(len(v)), 0
    for _ in range(20):
        for x, s in zip(xs, scores, strict=True):
            y = math.copysign(1.0, s)
            if y * float(np.exp(rho * q) @ x) < -1e-9:
                q, updates = q + y * x, updates + 1
    return updates, 2 * math.log(len(v)) / rho**2


WEG_SIGN = Erratum(
    "E-WEG",
    "Winnow errs at most 2 (r / rho)^2 ln N times for every v, of either sign",
    played,
    "for every v >= 0",
    lambda i: played(i) if min(i[0]) >= 0 else (0.0, math.inf),
    "v in {-1, 0, 1}^N, two examples in {-1, 1}^N in turns, twenty times",
    signed,
    (1, 2, 3),
    show=lambda i: f"v = {i[0]}, examples {i[1]}",
    short=2,
)


def first_coordinate(N: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Up to three examples in {-1, 1}^N, each misclassified when it comes; the label is the first coordinate."""
    for T in (1, 2, 3):
        yield from product(product((1, -1), repeat=N), repeat=T)


def errors(xs: Any) -> int:
    """Updates of Winnow at eta = 1 over the examples, a tie being an error, until a pass has none."""
    N = len(xs[0])
    q, updates = np.zeros(N), 0
    X = np.array(xs, float)
    for _ in range(40):
        before = updates
        for x in X:
            if x[0] * float(np.exp(q - q.max()) @ x) <= 1e-12:
                q, updates = q + x[0] * x, updates + 1
        if updates == before:
            break
    return updates


WEG_2 = Erratum(
    "E-WEG-2",
    "for v = e_1 and examples in {-1, 1}^N Winnow errs at most ln N times",
    lambda xs: (errors(xs), math.log(len(xs[0]))),
    "at most 2 ln N times",
    lambda xs: (errors(xs), 2 * math.log(len(xs[0]))),
    "up to three examples in {-1, 1}^N, over and over; ties are errors",
    first_coordinate,
    (2, 3, 4),
    show=lambda xs: f"examples {xs}",
    short=2,
)


@cache
def filled(n: int, k: int) -> int:
    """Mistakes that ADV-FILL forces upon Winnow2."""
    w, mistakes = np.ones(n), 0
    while True:
        found = fill_round(w, float(n), k)
        if found is None:
            return mistakes
        on, y = found
        w[on] *= 2.0 if y > 0 else 0.5
        mistakes += 1


def powers(e: int) -> Iterator[tuple[int, int]]:
    for k in (1, 2):
        yield 2**e, k


def draw_mistakes() -> str:
    e = list(range(1, 15))
    return chart(
        "Mistakes that are forced upon Winnow2, k = 1",
        "lg n",
        [
            ("forced", e, [filled(2**j, 1) for j in e]),
            ("3 (ln n + 1) + 2", e, [3 * (j * math.log(2) + 1) + 2 for j in e]),
            ("3 (lg n + 1) + 2", e, [3 * (j + 1) + 2 for j in e]),
        ],
    )


W2_LOG = Erratum(
    "E-W2-LOG",
    "Winnow2 errs at most 3 k (log n + 1) + 2 times, the logarithm natural",
    lambda i: (filled(*i), 3 * i[1] * (math.log(i[0]) + 1) + 2),
    "the logarithm to base 2",
    lambda i: (filled(*i), 3 * i[1] * (math.log2(i[0]) + 1) + 2),
    "n a power of 2, k = 1, 2: the adversary that fills sums to just below the threshold (ADV-FILL)",
    powers,
    tuple(range(1, 15)),
    show=lambda i: f"n = {i[0]}, k = {i[1]}: {filled(*i)} mistakes are forced",
    short=10,
    picture=draw_mistakes,
)

ERRATA = (WEG, WEG_SIGN, WEG_2, W2_LOG)
