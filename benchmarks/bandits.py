"""Bandits: one long run against River's policies in the same environment; and many seeds, on one core and on all."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from river import bandit

import littlestone as ls
from littlestone.environments.arms import Arms

from .clock import race
from .figure import Figure

MEANS = [0.5] * 9 + [0.4]
# Tsallis-INF has no peer in River: it is set beside the other policy that draws
PEERS = {"exp3": ("Exp3", {"gamma": 0.1}), "ucb1": ("UCB", {"delta": 1.0})}
PEERS["tsallis-inf"] = PEERS["exp3"]


def measure(quick: bool) -> Iterator[Figure]:
    T, few, seconds = 100_000, *((2_000, 3.0) if quick else (10_000, 10.0))
    arms = Arms(MEANS)
    losses = arms.losses(seed=0, rounds=T)
    quiet: dict[str, Any] = {"certify": False, "record": "none"}
    for key, (name, options) in PEERS.items():
        ls.play(key, losses[:10], **quiet)
        best = race(
            {
                "ours": partial(ls.play, key, losses, **quiet),
                "peer": partial(river_loop, name, options, losses[:few]),
            },
            seconds / 3,
            least=2,
        )
        yield Figure(
            f"{key}, {len(MEANS)} arms, {T:,} rounds, a round", best["ours"] / T, "s",
            f"River {name}, a round of {few:,}", best["peer"] / few, 50.0, "faster",
        )  # fmt: skip
    yield spread("ucb1", arms, quick)
    yield spread("exp3", arms, quick)


def river_loop(name: str, options: dict[str, Any], losses: Any) -> float:
    """River's policy on the same losses, as rewards; Exp3's weights overflow in long runs, so it gets a short one."""
    policy: Any = getattr(bandit, name)(seed=1, **options)
    ids, total = list(range(losses.shape[1])), 0.0
    for row in losses.tolist():
        arm = policy.pull(ids)
        policy.update(arm, 1.0 - row[arm])
        total += row[arm]
    return total


def spread(key: str, arms: Any, quick: bool) -> Figure:
    """The time that passes, not the CPU's: two cores are to halve it. Turn about, so that both meet the same guests."""
    seeds, T = (200, 10_000) if quick else (1_000, 10_000)
    ls.play(key, arms, rounds=10, seeds=2)
    best = {1: np.inf, 0: np.inf}
    for _ in range(3):
        for workers in best:
            began = time.perf_counter()
            ls.play(key, arms, rounds=T, seeds=seeds, workers=workers or None)
            best[workers] = min(best[workers], time.perf_counter() - began)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    return Figure(
        f"{key}, {seeds:,} seeds x {T:,} rounds x {arms.n} arms, {cores} cores", best[0], "s",
        "one core", best[1], 1.7, "faster", note="elapsed time; other work on the machine shows",
    )  # fmt: skip
