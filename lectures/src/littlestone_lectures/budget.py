"""How long a theorem is attacked, with which parameters, and the row of the table that comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Budget:
    """How many runs a theorem gets: those of experts are played by the thousand at once, others one by one."""

    experts: int
    examples: int
    seeds: int  # how many seeds of a learner that draws are played on the same rounds …
    rounds: int  # … and how many rounds these are
    using: tuple[str, ...] | None  # attackers; None: all
    bites: bool = True  # are bandits also played where their bounds are near: many arms, long runs (horizons.py)?


LONG = Budget(25_000, 600, 400, 60, None)
SHORT = Budget(250, 48, 12, 15, ("scatter", "literature", "blocks", "extremes", "local"), False)


@dataclass(frozen=True)
class Line:
    """A row of the table."""

    theorem: str
    who: str  # the learner, or "statement"
    mode: str
    attackers: str
    runs: int
    ratio: float
    at: str
    broken: str = ""  # the run that breaks it
    why: str = ""  # why it was not attacked
    alarms: int = 0  # runs that exceeded the bound in floating point only

    @property
    def sound(self) -> bool:
        return not self.broken


# Parameters that a theorem needs in order to apply.
SETTINGS: dict[str, dict[str, Any]] = {
    "T-RBP": {"budget": 4, "forget": "random", "kernel": "linear"},
    "T-KOGD-RANDOM": {"budget": 4, "forget": "random", "kernel": "linear", "eta": 0.2},
    "T-FORGETRON": {"budget": 200, "forget": "oldest", "kernel": "linear"},
    "T-KOGD-OLDEST": {"budget": 4, "forget": "oldest", "kernel": "linear"},
    "T-FTL-STRONG": {"family": "distance", "set": "box"},
    "T-EPSILON-GREEDY": {"gap": 0.1},
    "T-OFUL": {"model": "shared"},
    "T-MT-MODES": {"modes": None},
}

# Learners whose rounds take long in plain Python get so many times fewer runs, but at least LEAST.
HEAVY = {"online-kernel": 20, "mixture": 40, "mixture-regression": 20}
LEAST = 8

# A cover of the sphere grows so fast with the dimension that a short campaign has time for few attackers.
SPARED = {"halving-cover": ("scatter", "local")}
