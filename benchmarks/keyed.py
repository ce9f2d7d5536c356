"""Many keys: a learner for each of 100,000 products, played together, beside each product played alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

import littlestone as ls

from .clock import race
from .figure import Figure

EXPERTS, ROWS = 8, 20  # experts, and rows of a key
ALONE = 200  # keys that are played alone, to be measured
LEARNERS = ("weighted-average", "tracker")  # the second is dozens of learners in one
REACH = 1e-6  # seconds a row


def measure(quick: bool) -> Iterator[Figure]:
    keys, seconds = (10_000, 1.0) if quick else (100_000, 10.0)
    frame = table(keys)
    names = [f"model {i}" for i in range(EXPERTS)]
    given: dict[str, Any] = {"outcome": "sold", "experts": names}
    some = [
        part.reset_index(drop=True)
        for _, part in frame[frame["product"] < ALONE].groupby("product")
    ]
    for key in LEARNERS:
        runs = ls.play(key, frame, by="product", **given)
        one = race(
            {
                "together": lambda key=key: ls.play(key, frame, by="product", **given),  # type: ignore[misc]
            },
            seconds,
        )
        alone = race(
            {"alone": lambda key=key: [ls.play(key, part, **given) for part in some]},  # type: ignore[misc]
            seconds / 4,
        )
        yield Figure(
            f"{key}, {keys:,} keys of {ROWS} rows, {EXPERTS} experts: a row",
            one["together"] / len(frame),
            "s",
            "each key played alone",
            alone["alone"] / (ALONE * ROWS),
            REACH,
            note="ls.play(…, by=) on a frame, interleaved rows; certificates are made when asked for",
        )
        yield Figure(
            f"{key}: the state of a key",
            runs.state_bytes / keys,  # type: ignore[attr-defined]
            "B",
            "",
            float("nan"),
        )


def table(keys: int, each: int = ROWS, seed: int = 7) -> Any:
    """So many rows of each product in a random order: forecasts of some models, and what was sold."""
    rng = np.random.default_rng(seed)
    rows = keys * each
    frame = pd.DataFrame(
        rng.random((rows, EXPERTS)), columns=[f"model {i}" for i in range(EXPERTS)]
    )
    return frame.assign(
        sold=rng.random(rows), product=rng.permutation(np.repeat(np.arange(keys), each))
    )
