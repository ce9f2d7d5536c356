"""One `predict` and one `update` from Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import littlestone as ls

from . import numpy_loops
from .clock import race
from .figure import Figure

N, TARGET = 8, 8e-6


def measure(quick: bool) -> Iterator[Figure]:
    rounds, seconds = (2000, 1.0) if quick else (5000, 4.0)
    rng = np.random.default_rng(2)
    advice, outcomes = rng.random((rounds, N)), rng.random(rounds)
    given = list(zip(advice, outcomes.tolist(), strict=True))
    over_losses = ls.learner("hedge", eta=0.1)
    with_advice = ls.learner("hedge", eta=0.1, loss=ls.Square(0.0, 1.0))

    def losses() -> None:
        for ell, _ in given:
            over_losses.predict()
            over_losses.update(ell)

    def advised() -> None:
        for x, y in given:
            with_advice.predict(x)
            with_advice.update(x, y)

    parameters: dict[str, Any] = {"eta": 0.1}
    over_losses.start(N, allocation=True)
    with_advice.start(N, allocation=False)
    best = race(
        {
            "losses": losses,
            "advice": advised,
            "NumPy losses": lambda: numpy_loops.hedge_losses(advice, None, parameters),
            "NumPy advice": lambda: numpy_loops.hedge(advice, outcomes, parameters),
        },
        seconds,
    )
    for game in ("losses", "advice"):
        yield Figure(
            f"hedge ({game}), n = {N}: predict + update",
            best[game] / rounds,
            "s",
            "NumPy, unchecked",
            best[f"NumPy {game}"] / rounds,
            TARGET,
        )
