"""Gradient ascent on the numbers of a run, beginning at the runs that came closest.

Regret is differentiable in the losses wherever the best expert is alone; the slope is taken by differences, one run a
number, all of them in one volley. What the slope says is tried at several step sizes at once.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import numpy as np

from ...core.stream import Array
from ..attack import Case, Volley
from ..change import ends, kind_of
from ..hunt import FEW, Hunt
from ..material import first_volleys

STEPS = np.array([1.0, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4])
NUDGE = 1e-5
NUMBERS = 240  # the slope is taken in so many numbers; in fewer where runs are slow
CLIMBS = 8


def attack(hunt: Hunt) -> Generator[Volley, Array, None]:
    """Climb from a remembered case until no step helps, then from another one."""
    if hunt.target.kinds and hunt.target.kinds[0] in ("labels", "boolean"):
        return
    if hunt.target.places or hunt.target.kinds == ("interval",):  # whole numbers; steps
        return
    flat = 0
    while flat < 200:
        found = [e for e in hunt.elite if e.ratio > 0.0]
        if not found:
            flat += 1
            yield from first_volleys(hunt.target, hunt.seed, hunt.sizes)
            continue
        case = found[int(hunt.rng.integers(len(found)))].case
        kind = kind_of(hunt.target, case)
        quick = hunt.many(case.rounds, case.n, kind, case.setting) > FEW
        name = "y" if case.x is None else "x"
        v = np.asarray(getattr(case, name), float)
        if v.size > (NUMBERS if quick else 24) or kind == "labels":
            flat += 1
            yield from first_volleys(hunt.target, hunt.seed, hunt.sizes)
            continue
        yield from climb(hunt, case, name, kind)


def climb(hunt: Hunt, case: Case, name: str, kind: str) -> Generator[Volley, Array, None]:
    low, high = ends(case, kind)
    width = high - low if np.isfinite(high) else 1.0
    top = -1.0
    for _ in range(CLIMBS):
        v = np.asarray(getattr(case, name), float)
        many = np.repeat(v[None], v.size + 1, axis=0)
        # differences are taken towards the middle, so that no number leaves its interval
        sign = np.where(v + NUDGE * width <= high, 1.0, -1.0).ravel()
        flat = many.reshape(v.size + 1, -1)
        flat[np.arange(v.size) + 1, np.arange(v.size)] += sign * NUDGE * width
        ratios = yield volley(case, name, many)
        here = float(ratios[0])
        slope = ((ratios[1:] - here) * sign).reshape(v.shape)
        size = np.abs(slope).max()
        if not np.isfinite(size) or size == 0.0 or here <= top:
            return
        top = here
        tried = np.clip(v + width * STEPS[:, None, None] * slope / size, low, high)
        ratios = yield volley(case, name, tried)
        b = int(np.argmax(ratios))
        if ratios[b] <= here:
            return
        case = replace(case, **{name: tried[b]})


def volley(case: Case, name: str, many: Array) -> Volley:
    B = len(many)
    if name == "y":
        return Volley(many, **case.setting)
    y = np.repeat(np.asarray(case.y, float)[None], B, axis=0)
    return Volley(y, many, **case.setting)
