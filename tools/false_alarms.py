"""How often a test by betting rings when there is nothing to be found, looked at after every round (T-BETTING).

python -m tools.false_alarms [RUNS [ROUNDS]]
"""

from __future__ import annotations

import math
import sys

import numpy as np

from littlestone.core.e_process import Evidence, bet, found_at
from littlestone.offpolicy.baseline import mixed, probability

# Laws of z, each with mean 0 or less whatever came before, and the reach of each.
LAWS = ("coin", "skewed", "mostly nothing", "follows the past")


def drawn(law: str, r: np.random.Generator, total: float) -> tuple[float, float]:
    """A number z, and its reach."""
    if law == "coin":
        return float(r.choice([-1.0, 1.0])), 1.0
    if law == "skewed":  # 19 with probability 1/20, else -1
        return (19.0 if r.random() < 0.05 else -1.0), 1.0
    if law == "mostly nothing":
        return float(r.choice([-0.05, 0.95], p=[0.95, 0.05])), 0.05
    # bold when the sum is high, careful when it is low: a martingale, but not one of independent steps
    wide = 1.0 if total > 0.0 else 0.1
    return wide * float(r.choice([-1.0, 1.0])), wide


def false_alarms(
    law: str, level: float, rounds: int, runs: int, seed: int, reach: float = 0.0
) -> int:
    """How many of so many runs ring at any time; `reach`: a wrong one below 0 makes the bets unfair, to be seen."""
    r, alarms = np.random.default_rng(seed), 0
    for _ in range(runs):
        e, total = Evidence(), 0.0
        for _ in range(rounds):
            z, known = drawn(law, r, total)
            total += z
            # unfair: what a gambler loses is forgiven
            e = bet(e, max(z, 0.0) if reach < 0.0 else z, known)
            if found_at(e, level):
                alarms += 1
                break
    return alarms


def guard_alarms(share: float, level: float, rounds: int, runs: int, seed: int) -> int:
    """How often a guard returns to a baseline that a learner, which moves with what it sees, is exactly as good as."""
    r, alarms = np.random.default_rng(seed), 0
    for _ in range(runs):
        e, p, centre = Evidence(), np.full(3, 1 / 3), 0.5
        for n in range(1, rounds + 1):
            q = np.array([probability(p[a], a == 0, share) for a in range(3)])
            a = int(r.choice(3, p=q / q.sum()))
            reward = float(r.random() < 0.3)
            one = mixed(reward, a == 0, p[a], p[0], share, centre)
            e = bet(e, -one.high, one.reach_high)
            centre += (reward - centre) / n
            p = 0.9 * p + 0.1 * np.eye(3)[a if reward else int(r.integers(3))]
            if found_at(e, level):
                alarms += 1
                break
    return alarms


def main() -> None:
    runs, rounds = (int(v) for v in [*sys.argv[1:], *("1000", "1000")[len(sys.argv) - 1 :]])
    for level in (0.05, 0.2):
        worst = level + 3.0 * math.sqrt(level * (1.0 - level) / runs)
        rows = [(law, false_alarms(law, level, rounds, runs, 0)) for law in LAWS]
        rows.append(("guard of an equal learner", guard_alarms(0.1, level, rounds, runs, 0)))
        for name, alarms in rows:
            said = "kept" if alarms / runs <= worst else "BROKEN"
            print(f"level {level:<5g} {name:<28} {alarms:>5} of {runs} runs rang: {said}")


if __name__ == "__main__":
    main()
