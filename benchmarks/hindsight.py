"""The best sequence of experts in hindsight: the time of its dynamic program."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from littlestone.hindsight.folds.sequences import Sequences

from .clock import race
from .figure import Figure

N, K = 64, 16


def measure(quick: bool) -> Iterator[Figure]:
    T, seconds = (20_000, 1.0) if quick else (100_000, 6.0)
    losses = np.random.default_rng(3).random((T, N))

    def fold(path: bool) -> None:
        Sequences(N, K, keep_path=path).add(losses)

    fold(False)
    fold(True)
    best = race(
        {
            "values": lambda: fold(False),
            "path": lambda: fold(True),
            "pass": lambda: losses.max(),
        },
        seconds,
    )
    steps = T * N * (K + 1)
    where = f"{T:,} rounds, n = {N}, K = {K}"
    for form, words in (("values", ""), ("path", ", with the path")):
        yield Figure(
            f"{where}{words}", best[form], "s", "one pass over the losses", best["pass"],
            note=f"{best[form] / steps * 1e9:.3f} ns a step (round, expert, shifts)",
        )  # fmt: skip
        each = best["pass"] / (T * N)
        yield Figure(f"{where}{words}: a step", best[form] / steps, "s", "reading a number", each)
