"""Vary the parameters of the runs that came closest over their ranges, one parameter at a time."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from ...core.errors import LittlestoneError
from ...core.parameters import Choice, Interval
from ...core.stream import Array
from ..attack import Volley, one
from ..change import kind_of
from ..hunt import Hunt
from ..material import NUMBERS, first_volleys

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
        type_, declared, _ = target.free[name]
        values: list[object] = []
        if type_ is bool:
            values = [True, False]
        elif isinstance(declared, Choice):
            values = list(declared.words)
        elif isinstance(declared, Interval) and not declared.whole:
            try:
                now = target.played(case).parameters.get(name)
            except LittlestoneError:
                now = None
            near = [now * f for f in FACTORS] if isinstance(now, float) and now > 0 else []
            values = [float(v) for v in (*near, *NUMBERS) if declared.holds(v)]
        tried = 0
        for v in values:
            changed = replace(case, parameters={**case.parameters, name: v})
            kind = kind_of(target, case)
            if target.admits(kind, case.n, case.rounds, changed.setting):
                tried += 1
                yield one(changed)
        if not tried:
            yield one(case)
