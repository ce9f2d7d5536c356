"""Vary the parameters of the runs that came closest over their ranges, one parameter at a time."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from ...core.errors import LittlestoneError
from ...core.parameters import Choice, Interval
from ...core.stream import Array
from ..attack import Case, Volley, one
from ..change import kind_of
from ..hunt import Hunt
from ..material import NUMBERS, first_volleys
from ..target import Target

FACTORS = (0.25, 0.5, 0.8, 0.95, 1.05, 1.25, 2.0, 4.0)


def attack(hunt: Hunt) -> Generator[Volley, Array, None]:
    """For each parameter that may be varied, try round numbers of its range, and multiples of its value."""
    target, rng = hunt.target, hunt.rng
    if not target.free:
        return
    while True:
        if not hunt.elite:
            yield from first_volleys(hunt.target, hunt.seed, hunt.sizes)
            if not hunt.elite:
                return
        case = hunt.elite[int(rng.integers(len(hunt.elite)))].case
        name = str(rng.choice(list(target.free)))
        values = values_to_try(target, case, name)
        tried = 0
        for v in values:
            changed = replace(case, parameters={**case.parameters, name: v})
            kind = kind_of(target, case)
            if target.admits(kind, case.n, case.rounds, changed.setting):
                tried += 1
                yield one(changed)
        if not tried:
            yield one(case)


def values_to_try(target: Target, case: Case, name: str) -> list[object]:
    """Values of a parameter: all words that it may be, or round numbers, and multiples of the one that it has now."""
    type_, declared, _ = target.free[name]
    if type_ is bool:
        return [True, False]
    if isinstance(declared, Choice):
        return list(declared.words)
    if not isinstance(declared, Interval) or declared.whole:
        return []
    try:
        now = target.played(case).parameters.get(name)
    except LittlestoneError:
        now = None
    near = [now * f for f in FACTORS] if isinstance(now, float) and now > 0 else []
    return [float(v) for v in (*near, *NUMBERS) if declared.holds(v)]
