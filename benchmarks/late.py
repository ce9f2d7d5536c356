"""Late outcomes, one copy: a round costs the same however late they are, and memory is what is outstanding."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

import littlestone as ls

from .clock import PEAK, child, race
from .figure import Figure

N, DELAY = 8, 1000
FLAT = 1.3  # times a round of the same kind that waits less, or of a shorter run
ROOM = 4.0  # times what must be known of a round: advice, outcome, decision, action, where it is and when it is due
MORE = 8e6  # bytes that ten times as many rounds may add
QUIET: dict[str, Any] = {"certify": False, "record": "none", "interleave": False}
BATCH = 16_384

PLAY = f"""{PEAK}
import json, sys
import numpy as np
import littlestone as ls

rounds, delay = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(0)


def batches():
    for first in range(0, rounds, {BATCH}):
        size = min({BATCH}, rounds - first)
        yield rng.random((size, {N})), rng.random(size)


hedge = ls.learner("hedge", loss="square", eta=0.1)
run = ls.play(hedge, batches(), interval=(0.0, 1.0), delay=delay, interleave=False, certify=False, record="none")
print(json.dumps({{"peak": peak(), "rounds": run.rounds}}))
"""


def measure(quick: bool) -> Iterator[Figure]:
    T, seconds = (200_000, 2.0) if quick else (1_000_000, 12.0)
    yield from time(T, seconds)
    yield from memory(T)


def time(T: int, seconds: float) -> Iterator[Figure]:
    rng = np.random.default_rng(5)
    X, y = rng.random((T, N)), rng.random(T)
    labels = np.where(X @ np.arange(N) > 3.5 * N / 2, 1, -1)
    odd = rng.integers(0, 2 * DELAY, T).astype(float)  # in no order, and one in ten never
    odd[rng.random(T) < 0.1] = np.inf
    few = slice(0, T // 10)
    for key, given, outcomes in (
        ("hedge", {"loss": "square", "eta": 0.1}, y),
        ("ogd", {"loss": "hinge", "eta": 0.1}, labels),
    ):
        learner = ls.learner(key, **given)
        for delay in (1, odd[few]):  # compiles
            ls.play(learner, X[few], outcomes[few], delay=delay, **QUIET)
        entries = {
            "prompt": lambda learner=learner, z=outcomes: ls.play(learner, X, z, **QUIET),
            "one": lambda learner=learner, z=outcomes: ls.play(learner, X, z, delay=1, **QUIET),
            "late": lambda learner=learner, z=outcomes: ls.play(
                learner, X, z, delay=DELAY, **QUIET
            ),
            "short": lambda learner=learner, z=outcomes: ls.play(
                learner, X[few], z[few], delay=DELAY, **QUIET
            ),
            "odd": lambda learner=learner, z=outcomes: ls.play(learner, X, z, delay=odd, **QUIET),
        }
        best = race(entries, seconds / 2)
        each = {name: t / (T // 10 if name == "short" else T) for name, t in best.items()}
        name = f"{key}, {T:,} rounds, {DELAY:,} late: a round"
        yield Figure(name, each["late"], "s", "1 round late", each["one"], FLAT, "ratio")
        yield Figure(name, each["late"], "s", f"{T // 10:,} rounds", each["short"], FLAT, "ratio")
        yield Figure(name, each["late"], "s", "feedback at once", each["prompt"])
        name = f"{key}, {T:,} rounds, out of order up to {2 * DELAY:,} late, a tenth never: a round"
        yield Figure(name, each["odd"], "s", "1 round late", each["one"])


def memory(T: int) -> Iterator[Figure]:
    child(PLAY, T // 100, DELAY)  # compiles, so that no compiler's memory is counted
    far = T // 5
    peak = {
        (rounds, delay): json.loads(child(PLAY, rounds, delay))["peak"]
        for rounds, delay in ((T // 10, DELAY), (T, DELAY), (T, far))
    }
    more = max(0.0, peak[T, DELAY] - peak[T // 10, DELAY])
    name = f"{T:,} rounds, {DELAY:,} late: more memory than {T // 10:,}"
    yield Figure(name, more, "B", "all rounds", T * (N + 1) * 8, MORE)
    each = max(0.0, peak[T, far] - peak[T, DELAY]) / (far - DELAY)
    held = (2 * N + 5) * 8
    name = f"{T:,} rounds, {far:,} late: memory for each that is waited for"
    yield Figure(name, each, "B", "what it holds", held, ROOM, "ratio")
