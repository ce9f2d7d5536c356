"""Route requests to one of three models, and see only what the chosen one did.

    python examples/route_traffic.py --requests 2000 --late 50

One router works live: it draws a model for each request, and learns of the outcome `--late` requests later. Then
several learners are compared over many seeds of the same world, with the bound of each theorem.
"""

from __future__ import annotations

import argparse
import random
from collections import deque
from collections.abc import Sequence
from typing import Any

import littlestone as ls
from littlestone.environments.arms import Arms

MODELS = {
    "small": 0.25,
    "medium": 0.10,
    "large": 0.40,
}  # how often each fails, which no learner knows
LEARNERS = ("thompson", "kl-ucb", "tsallis-inf", "moss", "ucb1", "exp3", "explore-then-commit")


def live(requests: int, late: int, seed: int) -> dict[str, int]:
    """How many requests went to each model, by a router that hears of outcomes late."""
    world, names = random.Random(seed), list(MODELS)
    router = ls.Thompson().start(len(MODELS), seed=seed)
    waiting: deque[Any] = deque()
    routed = dict.fromkeys(names, 0)
    for _ in range(requests):
        ticket = router.ask()
        name = names[ticket.prediction]
        routed[name] += 1
        waiting.append((ticket, float(world.random() < MODELS[name])))
        if len(waiting) > late:
            router.tell(*waiting.popleft())
    while waiting:
        router.tell(*waiting.popleft())
    return routed


def compare(requests: int, seeds: int) -> list[tuple[str, float, float, float, str]]:
    """Each learner: failures above those of the best model (mean, 95% quantile), its bound, its certificate."""
    world, rows = Arms(list(MODELS.values())), []
    for key in LEARNERS:
        runs: Any = ls.play(key, world, rounds=requests, seeds=seeds)
        high = float(runs.band(pseudo=True)["high"][-1])
        rows.append((key, runs.pseudo_regret, high, runs.bound, runs.certificate.verdict))
    return rows


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--late", type=int, default=50, help="requests until an outcome is known")
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(argv)

    print(f"{asked.requests:,} requests, outcomes {asked.late} requests late, thompson:")
    for name, count in live(asked.requests, asked.late, asked.seed).items():
        print(f"  {name:8} {count:6,}   fails in {MODELS[name]:.0%}")
    print(f"\nfailures too many in {asked.requests:,} requests, {asked.seeds} seeds:")
    print(f"  {'learner':20} {'mean':>7} {'95%':>7} {'bound':>9}  certificate")
    for key, mean, high, bound, verdict in compare(asked.requests, asked.seeds):
        promised = f"{bound:9.1f}" if bound == bound else f"{'-':>9}"
        print(f"  {key:20} {mean:7.1f} {high:7.1f} {promised}  {verdict}")
    split = sum(MODELS.values()) / len(MODELS) - min(MODELS.values())
    print(f"  {'an equal split':20} {asked.requests * split:7.1f}")


if __name__ == "__main__":
    main()
