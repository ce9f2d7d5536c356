"""Planted learners of prediction sets, and guards, that fail early and recover: E of each round is fixed beforehand.

A learner misses where a list says so, whatever it is shown. So E after every round, and the bound of every round, are
known without it: the theorem is kept where no round is beyond its own bound. Some runs have no answer at all.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import littlestone as ls
from littlestone.conformal.sets.guard import Guard
from littlestone.core.guarantee import Certificate, Guarantee, Symbols
from littlestone.core.registry import learners

from .checked_verdict import CheckedVerdict, check_verdict

PARAMETERS: dict[str, dict[str, tuple[Any, ...]]] = {
    "cover": {"kappa": (0.3, 1.0), "sharp": (1,)},
    "conformal-pid": {"C": (0.2, 1.0)},
    "quantile-tracker": {"eta": (0.05, 0.5, 5.0)},
    "decaying-tracker": {"eta": (0.05, 0.5, 5.0), "power": (0.1, 0.6)},
    "sf-ogd": {"largest": (0.3, 3.0)},
    "kt-betting": {"wealth": (0.01, 1.0, 50.0)},
    "aci": {"gamma": (0.05, 0.3), "window": (20,)},
    "group-tracker": {"eta": (0.05, 0.5, 5.0)},
    "guard": {},
}
TIE = 1e-6  # closer to its bound than this, rounding may decide
EMPTY = -1e6  # the threshold of a set that is empty, and misses any score below 1e6 on both sides


class Guarded:
    """A guard that was told which rounds were missed, and not obeyed."""

    def __init__(self, level: float, missed: Any) -> None:
        guard = Guard(level)
        for one in missed.tolist():
            guard.learn(False, one)
        self.certificate = Certificate([guard.verdict()])


def attack(rng: np.random.Generator, engine: str) -> CheckedVerdict:
    """One run of a planted learner of sets, plain whatever the engine; or of a guard."""
    key, T = str(rng.choice(list(PARAMETERS))), int(rng.integers(1, 12) ** rng.choice((1, 2, 3)))
    level, silent = float(rng.choice((0.5, 0.75, 0.9))), rng.random() < 0.1
    missed, scores = bits(rng, T), 10.0 ** rng.uniform(-3, 3, T)
    if rng.random() < 0.5:  # small ones first: the bound of the last round is far larger
        scores = np.sort(scores)
    if key == "guard":
        told = missed[:0] if silent else missed
        sound: Any = ls.Cover(level=level)
        worst = 0.0 if silent else excess(sound, sound.guarantees[0], missed, scores)
        runs: Any = lambda: [Guarded(level, told)]  # noqa: E731
    else:
        drawn = {
            name: values[int(rng.integers(len(values)))] for name, values in PARAMETERS[key].items()
        }
        sound = learners()[key](level=level, **drawn)
        x, y = np.zeros((T, 1)), np.full(T, np.nan) if silent else scores
        x = np.c_[x, np.ones(T)] if key == "group-tracker" else x
        worst = max(excess(sound, g, missed, scores) for g in sound.guarantees)
        planted = early(sound, missed)
        runs = lambda: [ls.play(planted, x, y, engine="plain")]  # noqa: E731
    if abs(worst) < TIE and not silent:
        return CheckedVerdict("refused")
    what = f"{key}, T {T}, {sound}, {'silent' if silent else f'excess {worst:.6g}'}"
    return check_verdict(runs, [None if silent else worst <= 0.0], [not silent], what)


def bits(rng: np.random.Generator, T: int) -> Any:
    """Which rounds are missed: all or none of the first ones, then few, some or many."""
    missed = rng.random(T) < rng.choice((0.0, 0.05, 0.1, 0.3, 0.6))
    missed[: int(rng.integers(0, T + 1) * rng.random())] = rng.random() < 0.7
    return missed


def early(sound: Any, missed: Any) -> Any:
    """A learner of that kind whose sets miss where they are to, in empty ones; everything else is its own."""
    cls, made = type(sound), iter(missed.tolist())

    class Early(cls, abstract=True):  # type: ignore[misc, valid-type]
        key = cls.key

        def decide(self, state: Any, x: Any) -> Any:
            d = cls.decide(self, state, x)
            d[0] = d[1] = EMPTY if next(made) else math.inf
            return d

    return Early(**sound.parameters)


def excess(sound: Any, g: Guarantee, missed: Any, scores: Any) -> float:
    """The largest excess over the bound of its own round: E and the symbols of every round, added up here."""
    p, t = sound.parameters, np.arange(1, len(missed) + 1)
    alpha = 1.0 - p["level"]
    E = np.cumsum(missed) - (alpha / 2 if sound.key == "cover" else alpha) * t
    top, steps = np.maximum.accumulate(scores), steps_of(sound, missed, t)
    turns, stride = (
        np.cumsum(np.abs(np.diff(1.0 / steps, prepend=0.0))),
        np.maximum.accumulate(steps),
    )
    worst = -math.inf
    for i in range(len(missed)):
        s = Symbols(
            **p, T=i + 1, highest=top[i], lowest=0.0, turns=turns[i], stride=stride[i], crowd=0, long=2.0
        )  # fmt: skip
        side = {"over": E[i], "under": -E[i]}
        most = max(side[name] for name in g.measures.split("|"))
        worst = max(worst, float(most - g.bound(s)))
    return worst


def steps_of(sound: Any, missed: Any, t: Any) -> Any:
    """The steps of a tracker whose steps change."""
    p = sound.parameters
    if sound.key == "decaying-tracker":
        return p["eta"] * t ** -p["power"]
    if sound.key == "sf-ogd":
        return p["largest"] / np.sqrt(3.0 * np.cumsum((1.0 - p["level"] - missed) ** 2))
    return np.ones(len(missed))
