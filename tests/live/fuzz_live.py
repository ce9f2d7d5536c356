"""A fuzzer of live learners: random calls with good and bad arguments. Only LittlestoneErrors may leave, soon.

python tests/live/fuzz_live.py 1000000        # what `make fuzz` does
"""

import contextlib
import random
import signal
import sys
import time
import traceback
from collections import Counter

import numpy as np
from fuzz_arguments import IMPORTANCES, example, options, outcome, parameters, size

from littlestone.core.errors import LittlestoneError
from littlestone.core.registry import learners
from littlestone.live.store import from_bytes, to_bytes

SLOW = 1.0  # seconds of CPU that a call may take (compiling is not counted: the fuzzer runs plain)
CALLS = 40  # to one learner


class TooSlow(Exception):
    """A call took more seconds of CPU than it may."""


def begun(rng, cls, own=0.33):
    """A learner, begun or not; every third has parameters of its own."""
    learner = cls(**parameters(rng, cls)) if rng.random() < own else cls(**small(cls))
    if learner.bandit or rng.random() < 0.7:
        learner.start(size(rng), **options(rng, learner))
    return learner


def small(cls):
    """Few random features, where there are any: hundreds of them take long in plain Python."""
    return {"frequencies": 3} if hasattr(cls, "frequencies") else {}


def usual(cls):
    """The same learner, begun as it should be."""
    learner = cls(**small(cls))
    if learner.bandit:
        learner.start(3, **({"features": 6} if learner.contexts else {}))
    return learner


def step(rng, learner, tickets):
    """One call."""
    live = learner.live
    n = live.shape.n if live is not None and 0 < live.shape.n < 100 else 3
    verb = rng.randrange(13)
    x, y = example(rng, n), outcome(rng, n)
    if verb < 3:
        return learner.predict(x) if rng.random() < 0.8 else learner.predict()
    if verb < 6:
        if learner.bandit:
            more = {"propensity": rng.choice((0.5, 1.0, 0, y))} if rng.random() < 0.2 else {}
            return learner.update(
                x if rng.random() < 0.5 else None, rng.choice((0, 1, "a", y)), y, **more
            )
        if rng.random() < 0.1:
            return learner.update(x, y, rng.choice(IMPORTANCES))
        return learner.update(x, y) if learner.examples or rng.random() < 0.5 else learner.update(x)
    if verb == 6:
        tickets.append(learner.ask(x) if rng.random() < 0.7 else learner.ask())
        return None
    if verb == 7:
        ticket = rng.choice(tickets) if tickets and rng.random() < 0.9 else y
        return learner.tell(
            ticket.id if hasattr(ticket, "id") and rng.random() < 0.3 else ticket, y
        )
    if verb == 8:
        return learner.frozen()(x)
    if verb == 9:
        return rng.choice((learner.digest, lambda: learner.weights, lambda: learner.tickets))()
    if verb == 10:
        return rng.choice((learner.predict_proba, learner.explain))(x)
    if verb == 11:
        return rng.choice(
            (learner.named_weights, lambda: learner.classes, lambda: saved(learner))
        )()
    return learner.predict([x, x])


def saved(learner):
    """Write a learner down, and read it again: it is the same."""
    again = from_bytes(to_bytes(learner))
    assert learner.live is None or again.digest() == learner.digest(), "another learner was read"


def fuzz(steps, seed=0, keys=None, patience=SLOW, own=0.33):
    """So many calls; returns what went wrong: (key, which call, the error or the seconds)."""
    with np.errstate(all="ignore"), alarmed():  # plain Python says where floats overflow
        return calls(steps, random.Random(seed), keys, patience, own)


@contextlib.contextmanager
def alarmed():
    """Let the alarm clock of this process raise TooSlow."""

    def late(*_):
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, late)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


def calls(steps, rng, keys, patience, own):
    ours = {k: c for k, c in learners().items() if c.__module__.startswith("littlestone")}
    wrong, left, names = [], steps, sorted(keys or ours)
    while left > 0:
        key = names[(steps - left) // CALLS % len(names)]
        learner, tickets = None, []
        for i in range(min(CALLS, left)):
            left -= 1
            signal.setitimer(signal.ITIMER_VIRTUAL, patience)
            try:
                if learner is None:
                    learner = begun(rng, ours[key], own)
                else:
                    step(rng, learner, tickets)
            except LittlestoneError:
                if learner is None:
                    learner = usual(ours[key])
            except Exception as problem:
                wrong.append((key, i, problem))
                break
    return wrong


def main(steps=1_000_000, seed=0, piece=50_000):
    """Fuzz piece by piece, and print what went wrong: each problem once."""
    began, done, wrong, seen = time.perf_counter(), 0, 0, Counter()
    while done < steps:
        found = fuzz(min(piece, steps - done), seed + done // piece)
        done, wrong = min(done + piece, steps), wrong + len(found)
        for key, _, what in found:
            said = described(key, what)
            seen[said.partition("   via")[0]] += 1
            if seen[said.partition("   via")[0]] == 1:
                print(said, flush=True)
        print(
            f"{done:,} calls in {time.perf_counter() - began:.0f} s, {wrong} went wrong", flush=True
        )
    return int(bool(wrong))


def described(key, what):
    """A problem and where it comes from, in one line."""
    stack = traceback.extract_tb(what.__traceback__)
    last = stack[-1]
    file = last.filename.split("littlestone/")[-1]
    where = f"{type(what).__name__} {str(what)[:100]} at {file}:{last.lineno}"
    if isinstance(what, TooSlow):
        where = f"more than {SLOW} s"
    frames = [f"{f.filename.split('/')[-1]}:{f.lineno}" for f in stack]
    return f"{key}: {where}   via {' '.join(frames[-9:])}"


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
