"""Plays learners over long streams that never change: losses stay finite and do not rise.

    python -m tools.long_streams [--rounds N] [KEY ...]

Short tests cannot see what breaks after 25,000 rounds: weights that leave the range of numbers, matrices that lose
their digits, arrays that grow. Each learner (all of them, or those named) plays rounds drawn from one law: forecasts,
losses, labels, classes, numbers or arms, whichever it takes. One that would take longer than five minutes plays fewer.
Wrong: a loss that is not finite, or a mean loss over the last fifth of the rounds of more than 1.1 times that over the
second fifth. A state that grows by half from half time on is named: some keep support vectors, as their theory says.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import littlestone as ls
from littlestone.core import registry
from littlestone.play.warm import make_learner

ROUNDS, TRIAL, SECONDS = 100_000, 1_000, 300.0
RISE, GROWTH = 1.1, 1.5
Rounds = tuple[str, Any, Any, dict[str, Any]]


def draw_rounds(learner: Any, T: int) -> Iterator[Rounds]:
    """Rounds of each kind that the learner may take: their name, the data, the outcomes, and options of `play`."""
    r = np.random.default_rng(3)
    X = r.normal(size=(T, 5))
    score = X @ np.array([1.0, -0.5, 0.3, 0.0, 0.0])
    noise = r.normal(size=T)
    if learner.bandit:
        context = {"features": X[:, :3]} if learner.contexts else {}
        arms = np.clip(0.5 + 0.2 * r.normal(size=(T, 4)) + np.array([0.0, 0.1, 0.1, 0.2]), 0.0, 1.0)
        yield "arms", arms, None, {"interval": (0.0, 1.0), **context}
    elif learner.examples:
        yield "labels", X, np.where(score + 0.5 * noise > 0.0, 1, -1), {}
        yield "classes", X, np.digitize(score, [-0.7, 0.7]), {}
        yield "numbers", X, score + 0.3 * noise, {}
        yield "switches", (X > 0.0).astype(float), np.where(X[:, 0] > 0.0, 1, -1), {}
    else:
        # what is wrong with all of them no mean mends: the first is best
        advice = (score + 0.3 * noise)[:, None] + 0.2 * np.arange(6)
        yield "forecasts", advice, score, {}
        yield "votes", (advice > 0.0).astype(float), (score > 0.0).astype(float), {}
        yield "losses", np.clip(np.abs(advice - score[:, None]) / 6.0, 0.0, 1.0), None, {}


def bytes_of(state: Any) -> int:
    if isinstance(state, tuple):
        return sum(map(bytes_of, state))
    return int(np.asarray(state).nbytes)


def play(learner: Any, data: Any, outcomes: Any, options: dict[str, Any]) -> Any:
    return ls.play(learner, data, outcomes, certify=False, record="all", **options)


def cut(rounds: Rounds, T: int) -> Rounds:
    name, data, outcomes, options = rounds
    shorter = {k: v[:T] if isinstance(v, np.ndarray) else v for k, v in options.items()}
    return name, data[:T], None if outcomes is None else outcomes[:T], shorter


def find_fault(learner: Any, rounds: Rounds) -> tuple[str, str]:
    """What is wrong, "" where nothing is, and what was played."""
    T = len(rounds[1])
    play(learner, *cut(rounds, TRIAL)[1:])  # compiles
    begin = time.perf_counter()
    play(learner, *cut(rounds, TRIAL)[1:])
    for more in (2, 4):  # the cost of a round may rise
        if (time.perf_counter() - begin) * T / TRIAL > SECONDS / more:
            T = max(2 * TRIAL, T // 10)
    half = play(learner, *cut(rounds, T // 2)[1:])
    run = play(learner, *cut(rounds, T)[1:])
    losses = np.asarray(run.losses, float)
    early, late = (bytes_of(one.learner.state) for one in (half, run))
    played = f"{T:,} {rounds[0]}" + (
        f" (state {early:,} to {late:,} bytes)" if late > GROWTH * early else ""
    )
    if not np.isfinite(losses).all():
        first = int((~np.isfinite(losses)).argmax())
        return f"loss {losses[first]} in round {first + 1:,}", played
    second, last = losses[T // 5 : 2 * T // 5].mean(), losses[-(T // 5) :].mean()
    spread = 4.0 * losses.std() / np.sqrt(T // 5)
    if last > max(RISE * second, second + spread):
        return f"mean loss {second:.4g} early, {last:.4g} late", played
    return "", played


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.long_streams")
    parser.add_argument("keys", nargs="*", metavar="KEY")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    faults = 0
    for key in options.keys or sorted(registry.learners()):
        learner, played = make_learner(key), []
        for rounds in draw_rounds(learner, options.rounds):
            try:
                fault, what = find_fault(learner, rounds)
            except ls.errors.LittlestoneError as refusal:  # it takes no such rounds
                played.append(f"{rounds[0]} refused ({str(refusal)[:60]})")
                continue
            faults += fault != ""
            played.append(f"{what}: {fault or 'right'}")
        print(f"{key}: {'; '.join(played)}", flush=True)
    print(f"{faults} faults")
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
