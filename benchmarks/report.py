"""The report of a long run: its size, and the time it takes."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import littlestone as ls

from .figure import Figure

EXPERTS, GROUP, TARGET = 64, 50_000, 400e3
LEARNERS = ("hedge", "tracker")


def measure(quick: bool) -> Iterator[Figure]:
    rounds = 100_000 if quick else 1_000_000
    with tempfile.TemporaryDirectory(prefix="littlestone-bench-") as folder:
        for key in LEARNERS:
            began = time.perf_counter()
            run = ls.play(key, batches(rounds), interval=(0.0, 1.0))
            played = time.perf_counter()
            page = run.report(Path(folder, f"{key}.html"))
            took, size = time.perf_counter() - played, page.stat().st_size
            name = f"{key}, page of {rounds:,} rounds x {EXPERTS}"
            yield Figure(f"{name}: size", size, "B", "as one array", rounds * EXPERTS * 8, TARGET)
            yield Figure(f"{name}: time", took, "s", "playing them", played - began)


def batches(rounds: int) -> Iterator[tuple[Any, Any]]:
    """Experts whose best changes with every batch, so that there are curves to draw."""
    rng = np.random.default_rng(5)
    for first in range(0, rounds, GROUP):
        size = min(GROUP, rounds - first)
        y = rng.random(size)
        noise = rng.uniform(0.1, 0.5, EXPERTS) * rng.standard_normal((size, EXPERTS))
        yield np.clip(y[:, None] + noise, 0.0, 1.0), y
