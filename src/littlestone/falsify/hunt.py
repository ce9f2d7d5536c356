"""A search under way: what attackers see of it, how much of its budget is left, and the cases that came closest."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core.stream import Array
from ..engine.compile import has_numba
from .attack import Case, Volley
from .target import Target

KEPT = 12  # so many cases are remembered, to start again from
CELLS = 400_000  # numbers in a volley for the compiled loop: it takes a twentieth of a second
TURN = 0.1  # seconds that a volley should take
FEW = 8  # runs in a volley where each is played by itself
MOST = 8192  # runs in a volley for the compiled loop
SHARE = 100  # a volley is at most this part of the runs so far: the first ones are small, so that many settings are met
# in searches of at least so many seconds it pays to compile a learner for other losses
PATIENT = 60.0

Attack = Callable[["Hunt"], Generator[Volley, Array, None]]  # see attack.py
Progress = Callable[["Hunt"], None]


@dataclass
class Elite:
    """A case that came close."""

    ratio: float
    case: Case
    attacker: str


@dataclass
class AttackerTally:
    """What one attacker has done."""

    runs: int = 0
    ratio: float = 0.0
    seconds: float = 0.0


@dataclass
class Hunt:
    """A search under way: what attackers see, the budget that is left, the cases that came closest."""

    target: Target
    seed: int = 0
    seconds: float | None = None
    budget: int | None = None  # how many runs may be played
    sizes: tuple[int, int] | None = None  # rounds and experts (or features), where they are fixed
    epoch: int = 0  # how often it was resumed
    runs: int = 0
    elite: list[Elite] = field(default_factory=list)
    tallies: dict[str, AttackerTally] = field(default_factory=dict)
    alarms: list[Case] = field(default_factory=list)  # cases that rounding took beyond the bound
    spent: float = 0.0
    cells: int = CELLS  # numbers in a volley; adapted to the speed of this learner and this machine
    began: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng([self.seed, self.epoch])

    # What attackers ask.

    @property
    def best(self) -> Elite | None:
        return self.elite[0] if self.elite else None

    @property
    def ratio(self) -> float:
        return self.elite[0].ratio if self.elite else 0.0

    @property
    def played_together(self) -> bool:
        """Are runs of one size and setting played together, by a compiled loop where there is one?"""
        return not self.target.learner.examples and not self.target.guarantee.delayed

    @property
    def compiled(self) -> bool:
        """May volleys be played by a compiled loop?"""
        return self.played_together and has_numba()

    @property
    def patient(self) -> bool:
        """Is there time to try other losses, each of which has to be compiled?"""
        return not self.compiled or (self.seconds or 0.0) >= PATIENT

    def size(self, turn: int = 0) -> tuple[int, int]:
        """How many rounds, and experts or features, to try next: small ones first, and more often."""
        if self.sizes is not None:
            return self.sizes
        rng, top = self.rng, min(6 + turn, 60)
        T = int(rng.integers(1, top + 1))
        n = int(rng.choice([2, 2, 3, 3, 4, 5, 6, 8]))
        if self.target.learner.examples:
            n = int(rng.choice([1, 2, 2, 3, 4, 6]))
            if "interval" in self.target.kinds:
                n = 1
            elif self.target.places:
                n = self.target.places
            elif "cover" in self.target.key:
                n = 2
        return T, n

    def many(self, T: int, n: int, kind: str = "", given: dict[str, Any] | None = None) -> int:
        """How many runs of that size and setting make a good volley; where the budget is runs, on every engine."""
        if self.budget is not None:
            quick = self.played_together
        else:
            kind = kind or self.target.kinds[0]
            quick = self.compiled and self.target.compiled.ready(kind, n, T, given or {})
        if not quick:
            return FEW
        return int(np.clip(self.cells // (T * n), FEW, np.clip(self.runs // SHARE, FEW, MOST)))

    @property
    def now(self) -> float:
        """Seconds searched so far, including those before it was resumed."""
        return self.spent + time.perf_counter() - self.began

    @property
    def left(self) -> float:
        """The part of the budget that is not spent: 1 at the start, 0 at the end."""
        parts = [1.0]
        if self.seconds is not None:
            parts.append(1.0 - (time.perf_counter() - self.began) / self.seconds)
        if self.budget is not None:
            parts.append(1.0 - self.runs / self.budget)
        return max(0.0, min(parts))

    # What the search does.

    def adapt(self, took: float) -> None:
        """Choose the size of volleys so that one takes about a tenth of a second: all attackers get their turns."""
        if took > 2 * TURN:
            self.cells = max(self.cells // 2, CELLS // 256)
        elif took < TURN / 4:
            self.cells = min(self.cells * 2, CELLS)

    def note(self, volley: Volley, ratios: Array, attacker: str) -> Elite | None:
        """Count a volley, and return its best case where that came closer than all before; else None."""
        self.runs += len(volley)
        tally = self.tallies[attacker]
        tally.runs += len(volley)
        b = int(np.argmax(ratios))
        top = float(ratios[b])
        tally.ratio = max(tally.ratio, top)
        if len(self.elite) == KEPT and top <= self.elite[-1].ratio:
            return None
        made = Elite(top, volley.case(b), attacker)
        first = not self.elite or top > self.elite[0].ratio
        # only the best case of each size and setting is remembered, so that the remembered ones differ
        like = [e for e in self.elite if alike(e.case, made.case)]
        if like and like[0].ratio >= top:
            return None
        self.elite = [e for e in self.elite if not alike(e.case, made.case)] + [made]
        self.elite = sorted(self.elite, key=lambda e: -e.ratio)[:KEPT]
        return made if first else None

    def forget(self, found: Elite) -> None:
        """Count a case that exceeds the bound by rounding alone as one that attains it."""
        self.alarms.append(found.case)
        found.ratio = 1.0


def alike(a: Case, b: Case) -> bool:
    return (
        np.shape(a.y) == np.shape(b.y) and a.setting == b.setting and (a.x is None) == (b.x is None)
    )
