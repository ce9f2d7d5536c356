"""The time of a round, everything included: against `np.exp` on as many numbers, and a NumPy loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import littlestone as ls

from . import numpy_loops
from .clock import race
from .figure import Figure

# what is played, whether over losses alone, and the same thing in NumPy
LEARNERS = (
    ("hedge", True, numpy_loops.hedge_losses),
    ("hedge", False, numpy_loops.hedge),
    ("fixed-share", False, numpy_loops.fixed_share),
    ("ml-poly", False, numpy_loops.ml_poly),
)
TARGETS = {8: 15.0, 64: 4.0, 1000: 4.0}  # times np.exp
RECORDED = {64: 6.0, 1000: 6.0}  # the same with every round's weights recorded
FASTER = 30.0  # than the NumPy loop, n <= 64
QUIET: dict[str, Any] = {"certify": False, "record": "none"}


def measure(quick: bool) -> Iterator[Figure]:
    numbers, seconds = (1 << 21, 0.6) if quick else (1 << 22, 4.0)
    for n in TARGETS:
        values = np.random.default_rng(4)
        T = numbers // n
        advice, outcomes = values.random((T, n)), values.random(T)
        for key, losses, loop in LEARNERS:
            name = f"{key}{' (losses)' if losses else ''}, n = {n}"
            yield from learner(name, key, advice, None if losses else outcomes, loop, seconds)


def learner(
    name: str, key: str, advice: Any, outcomes: Any, loop: Any, seconds: float
) -> Iterator[Figure]:
    (T, n), some = advice.shape, slice(0, 2000)
    few, y = advice[some], None if outcomes is None else outcomes[some]
    made = ls.learner(key, loss="square")
    run = agree(name, made, few, y, loop)  # compiles, too
    out = np.empty_like(advice)
    entries = {
        "exp": lambda: np.exp(advice, out=out),
        "none": lambda: ls.play(made, advice, outcomes, **QUIET),
        "all": lambda: ls.play(made, advice, outcomes, certify=False, record="all"),
        "NumPy": lambda: loop(few, y, run.parameters),
    }
    best = race(entries, seconds)
    exp, none, every = best["exp"] / T, best["none"] / T, best["all"] / T
    peer = f"np.exp of {n}"
    yield Figure(name, none, "s", peer, exp, TARGETS[n], "ratio")
    yield Figure(f"{name}, weights recorded", every, "s", peer, exp, RECORDED.get(n), "ratio")
    if n <= 64:
        loop_ = best["NumPy"] / len(few)
        yield Figure(f"{name}, vs NumPy", none, "s", "NumPy loop", loop_, FASTER, "faster")
    if n == 64:  # for comparison only: the certificate folds in the best sequences of experts
        rounds = min(T, 1 << 15)
        some = slice(0, rounds)
        answers = None if outcomes is None else outcomes[some]
        certified = race(
            {"c": lambda: ls.play(made, advice[some], answers, record="none")}, seconds / 4
        )
        yield Figure(f"{name}, certified", certified["c"] / rounds, "s", peer, exp)


def agree(name: str, made: Any, advice: Any, outcomes: Any, loop: Any) -> Any:
    """The run, once the peer was found to lose what it lost: one that computes something else is no peer."""
    run = ls.play(made, advice, outcomes, **QUIET)
    theirs = loop(advice, outcomes, run.parameters)
    if abs(run.loss - theirs) > 1e-9 * abs(theirs):
        raise AssertionError(f"{name} loses {run.loss!r}, the NumPy loop {theirs!r}")
    return run
