"""The time of a round of learners that remember: against Hedge over as many experts, in the same run."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import littlestone as ls

from .clock import race
from .figure import Figure

TARGETS: dict[int, float | None] = {8: None, 64: None, 1000: 3.0}  # times Hedge
TASKS = 20
QUIET: dict[str, Any] = {"certify": False, "record": "none"}


def measure(quick: bool) -> Iterator[Figure]:
    numbers, seconds = (1 << 21, 0.6) if quick else (1 << 22, 4.0)
    for n, target in TARGETS.items():
        rng = np.random.default_rng(5)
        T = numbers // n
        losses, tasks = rng.random((T, n)), rng.integers(0, TASKS, T)
        made = {
            "hedge": (ls.Hedge(), {}),
            "multitask, 1 task": (ls.Multitask(modes=4, switches=50), {}),
            f"multitask, {TASKS} tasks": (
                ls.Multitask(modes=4, switches=50, tasks=TASKS),
                {"tasks": tasks},
            ),
            "mixing-past-posteriors": (ls.MixingPastPosteriors(), {}),
        }
        for learner, more in made.values():  # compiles
            ls.play(learner, losses[:200], **QUIET, **{k: v[:200] for k, v in more.items()})
        entries = {name: partial(ls.play, v, losses, **QUIET, **o) for name, (v, o) in made.items()}
        best = race(entries, seconds)
        for name in list(made)[1:]:
            asked = target if name.startswith("multitask") else None
            figure = f"{name}, n = {n}"
            yield Figure(figure, best[name] / T, "s", "hedge", best["hedge"] / T, asked, "ratio")
