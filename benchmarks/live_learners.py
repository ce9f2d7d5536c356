"""Many live learners in one process: what each takes to begin, to keep, and to play one round.

They share their machine code, so one of 100,000 costs its state. The peer is one object of River's
logistic regression, with the same examples as dicts, which is how River wants them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np

import littlestone as ls

from .clock import child, race
from .figure import Figure

KEY, D, ROUNDS = "online-linear", 100, 200
TIME, MEMORY = 1e-3, 50e3  # of one learner

# Both are measured in a process of their own: memory that something else gave back would be used again, and not seen.
BEGIN = """
import json, sys, time
import numpy as np

who, key, d, n = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = np.random.default_rng(7)
X = rng.normal(size=(100, d))
if who == "River":
    from river.linear_model import LogisticRegression
    rows = [dict(enumerate(x)) for x in X.tolist()]
    def begun(i):
        learner = LogisticRegression()
        learner.learn_one(rows[i % 100], i % 2)
        learner.predict_one(rows[i % 100])
        return learner
else:
    import littlestone as ls
    def begun(i):
        learner = ls.learner(key).update(X[i % 100], i % 2)
        learner.predict(X[i % 100])
        return learner

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

kept = [begun(i) for i in range(200)]  # compiles, and fills what memory the process has at hand
before, began = resident(), time.process_time()
kept += [begun(i) for i in range(n)]
print(json.dumps({"seconds": (time.process_time() - began) / n, "bytes": (resident() - before) / n}))
"""


def measure(quick: bool) -> Iterator[Figure]:
    many, seconds = (2000, 1.0) if quick else (20_000, 4.0)
    has_river = river_model() is not None
    ours = json.loads(child(BEGIN, "ours", KEY, D, many))
    nothing = {"seconds": math.nan, "bytes": math.nan}
    theirs = json.loads(child(BEGIN, "River", KEY, D, many)) if has_river else nothing
    what, peer = f"{KEY}, d = {D}, {many:,} live", "River LR" if has_river else "no peer"
    yield Figure(f"{what}: one begins", ours["seconds"], "s", peer, theirs["seconds"], TIME)
    yield Figure(f"{what}: memory of one", ours["bytes"], "B", peer, theirs["bytes"], MEMORY)

    rng = np.random.default_rng(7)
    X = rng.normal(size=(ROUNDS, D))
    y = (X @ rng.normal(size=D) > 0).astype(int).tolist()
    best = race({**rounds_of_ours(X, y), **rounds_of_river(X, y)}, seconds)
    for name in ("predict", "update", "ask + tell", "ask + tell + predict"):
        beside = best.get(f"River {name}", math.nan) / ROUNDS
        who = "no peer" if math.isnan(beside) else peer
        yield Figure(f"{KEY}, d = {D}: {name}", best[name] / ROUNDS, "s", who, beside)


def rounds_of_ours(X: Any, y: list[int]) -> dict[str, Callable[[], None]]:
    learner = ls.learner(KEY)
    for x, label in zip(X, y, strict=True):
        learner.update(x, label)

    def predict() -> None:
        for x in X:
            learner.predict(x)

    def update() -> None:
        for x, label in zip(X, y, strict=True):
            learner.update(x, label)

    def later() -> None:
        for x, label in zip(X, y, strict=True):
            learner.tell(learner.ask(x), label)

    def in_turn() -> None:
        for x, label in zip(X, y, strict=True):
            learner.tell(learner.ask(x), label)
            learner.predict(x)

    later()  # compiles
    return {
        "predict": predict,
        "update": update,
        "ask + tell": later,
        "ask + tell + predict": in_turn,
    }


def river_model() -> Any:
    """River's logistic regression; None where River is not installed."""
    try:
        return import_module("river.linear_model").LogisticRegression
    except ImportError:
        return None


def rounds_of_river(X: Any, y: list[int]) -> dict[str, Callable[[], None]]:
    make = river_model()
    if make is None:
        return {}
    model, rows = make(), [dict(enumerate(x)) for x in X.tolist()]

    def predict() -> None:
        for x in rows:
            model.predict_one(x)

    def update() -> None:
        for x, label in zip(rows, y, strict=True):
            model.learn_one(x, label)

    update()
    return {"River predict": predict, "River update": update}
