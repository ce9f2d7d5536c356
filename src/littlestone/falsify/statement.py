"""A claim is a pair of numbers for every instance: it says that the left one is at most (or equals) the right one.

A search goes through instances from the smallest on, and keeps the one at which the left side comes closest to the
right one, or the first at which it exceeds it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

Instance = Any
Sides = Callable[[Instance], tuple[float, float]]
Named = Callable[[Instance], Mapping[str, float]]
ROUNDING = 1e-9  # what floating point may add, relative to the right side and to 1


class Found(NamedTuple):
    """What a search saw."""

    instances: int
    ratio: float  # the largest left / right where the right side is positive; of equations, the largest difference
    at: Instance  # where
    broken: (
        tuple[Instance, float, float] | None
    )  # the first instance at which the claim fails, and its two sides


@dataclass(frozen=True)
class Statement:
    """Something that holds for every instance, by an id of the ledger, and how to attack it."""

    id: str
    text: str
    sides: Sides
    instances: Callable[[int], Iterator[Instance]]  # those of one size
    sizes: tuple[int, ...]
    equal: bool = False  # the two sides are equal; else the left one is at most the right one
    attained: bool = False  # is there an instance at which an inequality is an equation?
    how: str = "every instance of a size"  # where the instances come from
    show: Callable[[Instance], str] = str
    short: int = 0  # how many sizes the short campaign tries; 0: all
    # what a bound of one's own may use of an instance, beside `bound`; the function names every symbol each time
    symbols: Named | None = None


def first_numbers(*names: str) -> Named:
    """Name the first numbers of an instance, which is a tuple or a number.

    >>> first_numbers("m", "delta")((20, 0.05, "a sample"))
    {'m': 20.0, 'delta': 0.05}
    """

    def named(i: Instance) -> Mapping[str, float]:
        values = i if isinstance(i, tuple) else (i,)
        return {name: float(v) for name, v in zip(names, values, strict=False)}

    return named


def fails(left: float, right: float, equal: bool = False) -> bool:
    if math.isnan(left) or math.isnan(right):
        return True
    if math.isinf(right):
        return equal and left != right
    slack = ROUNDING * (1.0 + abs(right))
    return abs(left - right) > slack if equal else left > right + slack


def search(
    sides: Sides,
    instances: Callable[[int], Iterator[Instance]],
    sizes: tuple[int, ...],
    equal: bool = False,
    first: bool = False,
    ends: Callable[[int], bool] = lambda many: False,
) -> Found:
    """Try every instance, the smallest sizes first; with `first`, stop at the first that breaks the claim.

    `ends` is asked before each instance whether the search ends after so many.

    >>> def some(n):
    ...     yield n
    >>> search(lambda n: (n * n, 2 * n), some, (0, 1, 2, 3)).broken
    (3, 9, 6)
    """
    many, worst, at, broken = 0, -math.inf, None, None
    for size in sizes:
        for instance in instances(size):
            if ends(many):
                return Found(many, worst, at, broken)
            many += 1
            left, right = sides(instance)
            if fails(left, right, equal) and broken is None:
                broken = instance, left, right
                if first:
                    return Found(many, left / right if right > 0 else math.inf, instance, broken)
            close = (
                abs(left - right)
                if equal
                else left / right
                if right > ROUNDING
                else float(abs(left - right) <= ROUNDING)  # both are 0, but for rounding
            )
            if close > worst:
                worst, at = close, instance
    return Found(many, worst, at, broken)


def attack_statement(s: Statement, short: bool = False) -> Found:
    sizes = s.sizes[: s.short] if short and s.short else s.sizes
    return search(s.sides, s.instances, sizes, s.equal)
