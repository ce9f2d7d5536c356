"""Routing without an experiment: what would other policies have earned on a log of the Open Bandit data?

    python examples/replay_obd.py --data ../shared/data/obd_random_all

The log holds 10,000 recommendations of one of 80 fashion items, drawn uniformly, and whether they were clicked: 38
were. It prints the value of fixed policies, estimated by weighting, and of learners, estimated by replay, each with
its limits. With so few clicks most differences are within the noise, and the table shows it. (Ledger: A-IPS, A-SNIPS,
A-DR, A-REPLAY, A-REPLAY-REJECT, A-REPLAY-WEIGHTED.)

Saito, Aihara, Matsutani and Narita (2021): Open Bandit Dataset and Pipeline.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import littlestone as ls
from littlestone.offpolicy.logged import LoggedDecisions
from littlestone.offpolicy.off_policy import off_policy_value
from littlestone.offpolicy.replay import replay

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "obd_random_all"
UNIFORM = "uniform"
LEARNERS = ("epsilon-greedy", "ucb1", "kl-ucb", "exp3", "tsallis-inf", "thompson", "linucb")


def read(folder: Path) -> LoggedDecisions:
    return LoggedDecisions.read(
        folder / "all.csv",
        arm="item_id",
        reward="click",
        propensity="propensity_score",
        position="position",
        context="user_feature_*",
    )


def fixed(log: LoggedDecisions) -> None:
    """The item with the highest rate of clicks in the first half, valued on the second: not on what chose it."""
    T, n = len(log), log.n
    first, second = log.where(np.arange(T) < T // 2), log.where(np.arange(T) >= T // 2)
    clicks = np.bincount(first.arms, first.outcomes, n)
    shown = np.bincount(first.arms, minlength=n)
    best = int(np.argmax(clicks / np.maximum(shown, 1)))
    print(f"\nalways item {best}, {clicks[best]:g} clicks of {shown[best]} in the first half;")
    print("its value from the first half, which chose it, and so flatters it:")
    print(off_policy_value(first, best, methods=["ips"]))
    print("and from the second half:")
    print(off_policy_value(second, best, model="mean"))
    print("\nuniform, from all rows:")
    print(off_policy_value(log, np.full(n, 1.0 / n), model="mean"))


def learners(log: LoggedDecisions, keys: Sequence[str], seed: int) -> None:
    """Each method on each learner."""
    for method in ("match", "reject", "weighted"):
        policies = {UNIFORM: ls.learner("epsilon-greedy", epsilon=1.0), **{k: k for k in keys}}
        print(f"\nreplay, method={method!r}:")
        print(replay(log, policies, method=method, seed=seed))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of all.csv")
    parser.add_argument("--learner", action="append", help="a key; may be repeated")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    if not (asked.data / "all.csv").is_file():
        print(
            f"no data: {asked.data / 'all.csv'} is not there. It is the 'random' log of all campaigns of the small "
            "Open Bandit data; say where it is with --data FOLDER.",
            file=sys.stderr,
        )
        return 2
    log = read(asked.data)
    print(log)
    fixed(log)
    learners(log, asked.learner or LEARNERS, asked.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
