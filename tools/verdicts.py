"""Attack the verdict: hostile runs whose true verdict is known. Counts false ones.

    python tools/verdicts.py [RUNS] [SEED]

A planted learner does what was fixed beforehand, so what it loses is known without rounding (tools/hostile). Its
theorem promises a share of that: 1.01 or 1.0001 times (true), .99 or .9999 times (false). Learners of sets, and guards,
miss where a list says so: many fail early and recover, and each round is compared with its own bound. Several theorems
with known verdicts become one word. Classes that nobody declared occur as rounds go by. A verdict is false where it
says "kept" of a promise that was broken, "broken" of one that was kept, or either where no verdict can be given (a
resumed run, no answer at all); "unknown" needs a reason. Runs over seeds may be wrong with the probability that they
state: there the rate of false verdicts is compared with it. A share of the runs is compiled.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from hostile import arms, claims, classes, every_round, examples, experts, real, several

from littlestone.core.intervals import binomial
from littlestone.run.seeds import LEVEL

ATTACKS = {
    "experts": experts.attack,
    "examples": examples.attack,
    "learners": real.attack,
    "seeds": arms.attack,
    "every round": every_round.attack,
    "several": several.attack,
    "classes": classes.attack,
}
PARTS = {  # of the runs
    "experts": 0.4,
    "examples": 0.2,
    "learners": 0.1,
    "seeds": 0.1,
    "every round": 0.1,
    "several": 0.05,
    "classes": 0.05,
}
COMPILED = {
    "experts": 0.2,
    "examples": 0.2,
    "learners": 1.0,
    "seeds": 1.0,
    "every round": 0.0,
    "several": 0.0,
    "classes": 0.0,
}  # of the runs of each part


@dataclass
class Campaign:
    """What was said of hostile runs."""

    said: Counter[tuple[str, str]] = field(default_factory=Counter)  # part and verdict
    false: list[str] = field(default_factory=list)  # of runs that can be judged surely
    over_seeds: list[str] = field(default_factory=list)  # false verdicts over seeds
    idle: list[str] = field(default_factory=list)  # unknown, where nothing was in the way

    def total(self, verdict: str, part: str = "") -> int:
        return sum(k for (p, v), k in self.said.items() if v == verdict and (not part or p == part))

    @property
    def runs(self) -> int:
        return sum(self.said.values())

    @property
    def rate(self) -> tuple[float, float]:
        """How often a run over seeds says something false, and a lower limit of that at 99 %."""
        N = sum(k for (p, _), k in self.said.items() if p == "seeds")
        part = len(self.over_seeds) / N if N else 0.0
        return part, binomial(part, N, 0.02).low if N else 0.0


def campaign(runs: int, seed: int = 0, compiled: bool = True) -> Campaign:
    """Many hostile runs. Run k is the same whatever came before it."""
    found, names = Campaign(), list(PARTS)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for k in range(runs):
            rng = np.random.default_rng([seed, k])
            part = str(rng.choice(names, p=list(PARTS.values())))
            fast = rng.random() < COMPILED[part] and compiled
            one = ATTACKS[part](rng, "compiled" if fast else "plain")
            found.said[part, one.verdict] += 1
            if one.false:
                (found.over_seeds if part == "seeds" else found.false).append(
                    f"run {k}: {one.false}"
                )
            if one.idle:
                found.idle.append(f"run {k}: {one.idle}")
    return found


def main() -> int:
    asked = [int(v) for v in sys.argv[1:3]]
    runs, seed = asked[0] if asked else 100_000, asked[1] if len(asked) > 1 else 0
    found = campaign(runs, seed)
    for part in PARTS:
        words = [
            f"{v} {found.total(v, part):,}"
            for v in ("kept", "broken", "vacuous", "unknown", "none", "refused")
        ]
        print(f"{part}: {', '.join(words)}")
    for text in [*found.false, *found.over_seeds, *found.idle[:20]]:
        print(text)
    rate, low = found.rate
    print(
        f"over seeds: {len(found.over_seeds)} false, a rate of {rate:.2g} where {LEVEL:g} is stated"
    )
    print(f"unknown where nothing was in the way: {len(found.idle)}")
    print(f"{len(found.false)} false verdicts in {found.runs:,} hostile runs (seed {seed})")
    return 1 if claims.report(max(1, runs // 500), seed) or found.false or low > LEVEL else 0


if __name__ == "__main__":
    sys.exit(main())
