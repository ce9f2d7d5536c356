"""Adversaries of prediction sets: they see the interval, then choose the truth. The forecast is always 0.

A theorem about coverage says that misses are neither many more nor many fewer than they ought to be. "Misses when
possible" and "records" drive them up, "covers when possible" drives them down, "just misses, then zero" does both;
"brink" goes as near to a corridor H(t) = kappa sqrt(t + 1) + d as it can, and misses in the last rounds, in which the
learner does not know yet. Where a theorem holds for late feedback, feedback comes late.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator
from typing import Any

import numpy as np

from ...core.errors import LittlestoneError
from ...core.stream import Array
from ..attack import Case, Volley, one
from ..hunt import Hunt
from ..material import setting
from ..opponent import Opponent

Nature = Callable[[float, float, int], float]  # lower limit, upper limit, round -> the truth
ROUNDS = (30, 1007, 7, 101, 300)  # after 1007 rounds whole numbers of misses come close to H
LATE = (0, 1, 3, 24)
LARGEST = 1e150  # a score that may be squared


def misses(top: float = 1.0) -> Nature:
    """Scores on [0, top]: the largest one where the interval does not hold it, else 0."""
    return lambda low, high, t: top if high < top else 0.0


def covers() -> Nature:
    """The truth is the forecast; only an empty set misses it."""
    return lambda low, high, t: 0.0


def just_misses() -> Nature:
    """A truth just above the interval, then the forecast itself, in turn."""
    return lambda low, high, t: min(high + 1e-6, 1.0) if t % 2 == 0 and math.isfinite(high) else 0.0


def records() -> Nature:
    """Every truth lies above the upper limit, as long as that limit can be squared: scores grow."""
    return lambda low, high, t: (
        max(high, 0.0) + abs(high) * 1e-6 + 1.0 if high < LARGEST / 2 else 0.0
    )


def brink(T: int, late: int, kappa: float, tail: float) -> Nature:
    """Bring the misses of the upper tail as close to H as they can be, and then miss in the last late + 1 rounds."""
    early, always, missed = misses(), records(), [0]

    def nature(low: float, high: float, t: int) -> float:
        H = kappa * math.sqrt(max(t - late, 0) + 1.0) + late
        if t < T - late - 1 and missed[0] + 1 - tail * (t + 1) >= H:
            y = 0.0
        else:
            y = early(low, high, t) if t < T - 3 * late - 30 else always(low, high, t)
        missed[0] += y > high
        return y

    return nature


def attack(hunt: Hunt) -> Generator[Volley, Array, None]:
    """Play every nature at every size and delay, with the learner's defaults; then with other parameters."""
    target = hunt.target
    if target.kinds != ("interval",):
        return
    g, first, refused = target.guarantee, True, 0
    while refused < 50:
        for T in [hunt.sizes[0]] if hunt.sizes else ROUNDS:
            for late in LATE if g.late else LATE[:1]:
                given = draw_setting(hunt, T, late, first)
                refused += 1  # unless some nature can play it
                if given is None:
                    continue
                learner = target.learner.replace(**given["parameters"])
                x = examples(hunt.rng, T, int(learner.parameters.get("groups", 0)))
                for y in truths(learner, x, late):
                    refused = 0
                    yield one(Case(y, x, **given))
        first = False


def draw_setting(hunt: Hunt, T: int, late: int, first: bool) -> dict[str, Any] | None:
    """Parameters of the learner, its own (`first`) or drawn ones, and the delay where it takes one.

    None where the theorem is not about them.
    """
    target = hunt.target
    given = setting(target, hunt.rng, "interval", 1, T)
    if given is None:
        return None
    found = {} if first else dict(given["parameters"])
    if target.guarantee.when is not None and "sharp" in target.free:
        found["sharp"] = 1
    if "late" in target.free:
        found["late"] = late
    given = given | {"parameters": found, "delay": late}
    return given if target.admits("interval", 1, T, given) else None


def examples(rng: np.random.Generator, T: int, groups: int) -> Array:
    """Forecasts of 0 and, where the learner asks for them, groups that each round is in or not."""
    x = np.zeros((T, 1 + groups))
    x[:, 1:] = rng.integers(0, 2, (T, groups))
    return x


def truths(learner: Any, x: Array, late: int) -> Iterator[Array]:
    """What each nature answers to this learner, round by round."""
    p, T = learner.parameters, len(x)
    tail = 0.5 * (1.0 - p.get("level", 1.0))
    # a score of 1 is large for a tracker whose steps are small, and small for one whose steps are large
    natures = [misses(), covers(), just_misses(), records(), misses(30.0)]
    if "kappa" in p:
        natures.append(brink(T, late, p["kappa"], tail))
    for nature in natures:
        try:
            game, y = Opponent(learner, n=x.shape[1], late=late), np.zeros(T)
            for t in range(T):
                a = game.answer(x[t])
                y[t] = nature(float(a[0]), float(a[1]), t)
                game.learn(x[t], y[t])
        except LittlestoneError:
            continue
        yield y
