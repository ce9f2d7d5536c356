"""What an attacker proposes, and what it is sent back: rounds for many runs, and the ratio of each run.

An attacker is a generator. It yields a Volley, many runs of one size and one set of parameters, and is sent the ratio
measured / bound of each; above 1 the theorem would be broken:

    def attack(hunt):
        while True:
            ratios = yield Volley(y=losses)          # B x T x n

`hunt` (hunt.py) is the search under way: the target, a generator of random numbers, the best cases so far.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

SETTING = ("parameters", "interval", "horizon_known", "k", "passes", "delay")


@dataclass(frozen=True)
class Case:
    """One run: rounds, and how the learner is set up for them."""

    y: Any  # T outcomes, or T x n losses where there is no x
    x: Any = None  # T x n advice, or T x d examples
    parameters: dict[str, Any] = field(default_factory=dict)  # besides those that the user set
    interval: tuple[float, float] | None = None  # losses, or advice and outcomes, lie in it
    horizon_known: bool = True  # does the learner know how many rounds there will be?
    # the labels are the disjunction of the first k features, where the theorem needs one
    k: int = 0
    passes: int = 1  # how often the same examples are played
    delay: int = 0  # an outcome comes so many rounds late, to one copy of the learner

    @property
    def rounds(self) -> int:
        return len(self.y)

    @property
    def n(self) -> int:
        """The number of experts, or of features."""
        return int(np.shape(self.y if self.x is None else self.x)[1])

    @property
    def setting(self) -> dict[str, Any]:
        """All fields but the rounds: parameters, interval and the like."""
        return {name: getattr(self, name) for name in SETTING}


@dataclass(frozen=True)
class Volley:
    """Many cases that differ in their rounds only."""

    y: Any  # B x T, or B x T x n where there is no x
    x: Any = None  # B x T x n
    parameters: dict[str, Any] = field(default_factory=dict)
    interval: tuple[float, float] | None = None
    horizon_known: bool = True
    k: int = 0
    passes: int = 1
    delay: int = 0

    @property
    def setting(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in SETTING}

    def __len__(self) -> int:
        return len(self.y)

    def case(self, b: int) -> Case:
        x = None if self.x is None else np.array(self.x[b])
        y = np.array(self.y[b])
        return Case(y, x, **self.setting)


def one(case: Case) -> Volley:
    """A volley of a single case."""
    x = None if case.x is None else np.asarray(case.x, float)[None]
    return Volley(np.asarray(case.y, float)[None], x, **case.setting)


@dataclass
class Trial:
    """What one run says of the theorem."""

    ratio: float  # measured / bound, for the comparator for which it is largest
    measured: float = math.nan
    bound: float = math.nan
    comparator: str = ""
    exceeds: bool = False  # is measured above bound by more than floating point may have added?
    why: str = ""  # why the run says nothing: an assumption fails, or the case cannot be played

    @property
    def counts(self) -> bool:
        """Did the theorem apply at all?"""
        return not self.why


def ratio(measured: Any, bound: Any, slack: Any) -> Any:
    """measured / bound; infinite where a bound of 0 or less is exceeded, 0 where it is not.

    A bound of 0 that is met says nothing of how sharp a theorem is: 0 / 0 counts as 0.

    >>> ratio(np.array([3.0, 0.0, 1.0]), np.array([4.0, 0.0, 0.0]), 1e-9).tolist()
    [0.75, 0.0, inf]
    """
    measured, bound = np.asarray(measured, float), np.asarray(bound, float)
    unsure = np.isnan(measured) | np.isnan(bound)
    exceeds = measured - bound > slack
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.where(np.isinf(bound), 0.0, measured / np.where(bound > 0.0, bound, 1.0))
    part = np.where(exceeds, part, np.minimum(part, 1.0))  # it was above 1 by its last bits only
    found = np.where(bound > slack, part, np.where(exceeds, np.inf, 0.0))
    return np.where(unsure, 0.0, found)
