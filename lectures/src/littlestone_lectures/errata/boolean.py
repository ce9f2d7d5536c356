"""Errata about Boolean functions: thresholds, ties, signs; and about covers of the sphere."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

from littlestone.falsify.erratum import Erratum

# Winnow1: positive mistakes, when the sum has to exceed d.


def weight(weights: tuple[float, ...], on: tuple[int, ...]) -> float:
    """The sum of the weights that are on."""
    return sum(w for w, o in zip(weights, on, strict=True) if o)


def times(weights: tuple[float, ...], on: tuple[int, ...], by: int) -> tuple[float, ...]:
    """The weights, those that are on multiplied by 0 or 2, in order of size."""
    return tuple(sorted(by * w if o else w for w, o in zip(weights, on, strict=True)))


@cache
def positives(d: int, k: int, strict: bool) -> int:
    """The most missed positives of Winnow1 whose target is the disjunction of k of d features, exactly."""

    def missed(total: float) -> bool:
        return total <= d if strict else total < d

    @cache
    def value(a: tuple[float, ...], b: tuple[float, ...]) -> int:
        most = 0
        for on in product((0, 1), repeat=len(b)):
            rest = weight(b, on)
            after = times(b, on, 0)
            if any(on) and not missed(rest) and after != b:
                most = max(most, value(a, after))
            for mine in product((0, 1), repeat=len(a)):
                if any(mine) and missed(rest + weight(a, mine)):
                    most = max(most, 1 + value(times(a, mine, 2), times(b, on, 2)))
        return most

    return value((1.0,) * k, (1.0,) * (d - k))


def targets(d: int) -> Iterator[tuple[int, int]]:
    for k in range(1, min(d, 3) + 1):
        yield d, k


W1_TIE = Erratum(
    "E-W1-TIE",
    "Winnow1 that predicts + where the sum exceeds d misses at most k ceil(lg d) positives",
    lambda i: (positives(*i, True), i[1] * math.ceil(math.log2(i[0]))),
    "at most k (floor(lg d) + 1); k ceil(lg d) is for the rule that it reaches d",
    lambda i: (
        max(
            positives(*i, True) - i[1] * (math.floor(math.log2(i[0])) + 1),
            positives(*i, False) - i[1] * math.ceil(math.log2(i[0])),
        ),
        0.0,
    ),
    "(d, k): the whole game tree",
    targets,
    (1, 2, 3, 4, 5),
    show=lambda i: f"d = {i[0]}, k = {i[1]}: {positives(*i, True)} missed positives",
    short=4,
)


def monomials(size: int) -> Iterator[tuple[int, tuple[int, ...], int]]:
    """The number n of variables, an example, and how often it comes in a row; the target is x_1."""
    for n in (1, 2, 3):
        for x in product((0, 1), repeat=n):
            yield n, x, size


def multiplied(i: Any, sign: int) -> tuple[float, float]:
    """Mistakes of Winnow over all monomials whose exponents move by `sign` (y - guess)."""
    n, x, times = i
    on = 2 ** sum(x)  # so many monomials are true; they share one weight
    e, mistakes, N = 0, 0, 2**n
    for _ in range(times):
        guess = int(on * 2.0**e >= N)
        mistakes += guess != x[0]
        e += sign * (x[0] - guess)
    return mistakes, 3 * (n + 1) + 2


DNF_SIGN = Erratum(
    "E-DNF-SIGN",
    "Winnow over the 2^n monomials with weights exp(-eta sum_q a_q phi(x_q)), a_q = y_q - prediction, "
    "errs at most 3 k (n + 1) + 2 times",
    lambda i: multiplied(i, -1),
    "with weights exp(+eta sum_q a_q phi(x_q))",
    lambda i: multiplied(i, 1),
    "n = 1, 2, 3 variables, the target x_1, one example again and again",
    monomials,
    tuple(range(1, 31)),
    show=lambda i: f"n = {i[0]}, the example {i[1]} {i[2]} times",
)


def pairs(size: int) -> Iterator[tuple[int, ...]]:
    yield from product((0, 1), repeat=size)


OR = Erratum(
    "E-OR",
    "x_1 or ... or x_n is sign(x_1 + ... + x_n), where sign(0) = 1",
    lambda x: (float(sum(x) >= 0), float(any(x))),
    "it is where the sign of 0 is 0",
    lambda x: (float(sum(x) > 0), float(any(x))),
    "every x in {0, 1}^n",
    pairs,
    tuple(range(1, 11)),
    equal=True,
    show=lambda x: f"x = {x}",
)

# Covers of the circle.


def circles(k: int) -> Iterator[tuple[int, float, float]]:
    """k directions at equal angles, a gamma that they cover at gamma / 2, and the angle of the target."""
    for gamma in (1.0, 0.5, 0.25):
        if 2 * math.sin(math.pi / (2 * k)) <= gamma / 2:
            for turn in range(8):
                yield k, gamma, 2 * math.pi * turn / (8 * k)


def margins(i: Any) -> list[float]:
    """For each w of the cover, the least margin over the examples that the target gets right with margin gamma."""
    k, gamma, angle = i
    tilt = math.acos(gamma)  # the extreme examples are at this angle to the target
    found = []
    for j in range(k):
        away = angle - 2 * math.pi * j / k
        sides = [math.cos(away + s * tilt) for s in (-1, 1)]
        between = [math.cos(away + s * tilt * t / 8) for t in range(9) for s in (-1, 1)]
        found.append(min(sides + between))
    return found


COVER = Erratum(
    "E-COVER",
    "every w of a cover of the sphere at gamma / 2 has a margin of gamma / 2 on what some u separates with gamma",
    lambda i: (i[1] / 2, min(margins(i))),
    "some w of it has: the one next to u",
    lambda i: (i[1] / 2, max(margins(i))),
    "k directions in the plane at equal angles, gamma in {1, 1/2, 1/4}, u at eighths of a gap",
    circles,
    tuple(range(3, 40)),
    show=lambda i: f"{i[0]} directions, gamma = {i[1]}, u at {math.degrees(i[2]):.1f} degrees",
)

ERRATA = (W1_TIE, DNF_SIGN, OR, COVER)
