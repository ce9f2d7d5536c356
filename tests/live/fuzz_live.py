"""A fuzzer of live learners: random calls with good and bad arguments. Only LittlestoneErrors may leave, soon.

python tests/live/fuzz_live.py 1000000        # what `make fuzz` does
"""

import math
import random
import sys
import time

import numpy as np

from littlestone.core.errors import LittlestoneError
from littlestone.core.registry import learners

SLOW = 1.0  # seconds that a call may take (compiling is not counted: the fuzzer runs plain)
BAD = (
    None, 0, -1, 1.5, True, math.nan, math.inf, -math.inf, 1e308, -1e200, 10**400, "", "a", "|f a:1", b"x", (), [], {},
    [[]], [1.0], [1.0, 2.0], ["a", "b"], [None, 1.0], {"a": 1.0}, {"a": None}, {1: "x"}, {"a": [1]}, np.zeros(0),
    np.zeros((2, 2)), np.array(["x"]), np.ones(3), np.array([1.0, math.nan, 2.0]), object(), lambda: 0, set(), 1j,
    range(3), np.float32(1.0), np.int64(2), np.array(1.0), [1e200, 1.0, 1.0], [[1.0, 2.0, 3.0]], "x" * 5000,
)  # fmt: skip
SIZES = (1, 2, 3, 3, 3, 5)
BAD_SIZES = (0, -1, 10**9, 10**12, 1.5, "3", None, math.nan, True, [3])


def example(rng, n):
    """What a round might bring: mostly right, sometimes of another kind."""
    if rng.random() < 0.3:
        return rng.choice(BAD)
    x = [rng.choice((0.0, 1.0, rng.gauss(0, 1), rng.random())) for _ in range(n)]
    if rng.random() < 0.3:
        x = [rng.choice((0.0, 1.0)) for _ in range(n)]
    if rng.random() < 0.1:
        return {f"f{i}": v for i, v in enumerate(x)}
    return np.array(x) if rng.random() < 0.7 else x


def outcome(rng, n):
    if rng.random() < 0.25:
        return rng.choice(BAD)
    kinds = (0, 1, -1, "a", "b", rng.random(), rng.randrange(n), [rng.random() for _ in range(n)])
    return rng.choice(kinds)


def begun(rng, cls):
    """A learner with its defaults, begun or not."""
    learner = cls()
    n = rng.choice(BAD_SIZES) if rng.random() < 0.1 else rng.choice(SIZES)
    options = {}
    if rng.random() < 0.2:
        options["seed"] = rng.choice((0, 1, -1, 2**63, 1.5, "a", None))
    if rng.random() < 0.2:
        options["rounds"] = rng.choice((0, 10, -1, 1.5, "a", None, 10**12, math.nan))
    if rng.random() < 0.2:
        options["interval"] = rng.choice(
            ((0, 1), (1, 0), (0.0, math.inf), 3, "ab", (0,), (math.nan, 1), (-1e308, 1e308))
        )
    if learner.bandit:
        if learner.contexts:
            options["features"] = rng.choice((3, 6, 0, -1, 10**9, "a"))
    elif rng.random() < 0.3:
        options["labels"] = rng.choice(
            ((0, 1), (-1, 1), ("a", "b"), (), 3, "ab", (0, 0), (None, 1), ([1], 2))
        )
    if not learner.bandit and not learner.examples:
        options["allocation"] = rng.random() < 0.5
    if learner.bandit or rng.random() < 0.7:
        learner.start(n, **options)
    return learner


def step(rng, learner, tickets):
    """One call."""
    live = learner.live
    n = live.shape.n if live is not None and 0 < live.shape.n < 100 else 3
    verb = rng.randrange(11)
    x, y = example(rng, n), outcome(rng, n)
    if verb < 3:
        return learner.predict(x) if rng.random() < 0.8 else learner.predict()
    if verb < 6:
        if learner.bandit:
            return learner.update(x if rng.random() < 0.5 else None, rng.choice((0, 1, y)), y)
        if rng.random() < 0.1:
            return learner.update(x, y, rng.choice((0.0, 2.0, 1e12, -1, "a", math.nan, math.inf)))
        return learner.update(x, y) if learner.examples or rng.random() < 0.5 else learner.update(x)
    if verb == 6:
        tickets.append(learner.ask(x) if rng.random() < 0.7 else learner.ask())
        return None
    if verb == 7:
        ticket = rng.choice(tickets) if tickets and rng.random() < 0.9 else y
        return learner.tell(ticket, y)
    if verb == 8:
        return learner.frozen()(x)
    if verb == 9:
        return rng.choice(
            (lambda: learner.digest(), lambda: learner.weights, lambda: learner.tickets)
        )()
    return learner.predict([x, x])


def fuzz(steps, seed=0, keys=None, patience=SLOW):
    """So many calls; returns what went wrong: (key, what was called, the error or the seconds)."""
    with np.errstate(all="ignore"):  # plain Python says where floats overflow
        return calls(steps, random.Random(seed), keys, patience)


def calls(steps, rng, keys, patience):
    wrong, left = [], steps
    names = sorted(
        keys or [k for k, c in learners().items() if c.__module__.startswith("littlestone")]
    )
    while left > 0:
        key = names[(steps - left) // 40 % len(names)]
        learner, tickets, began = None, [], time.perf_counter()
        for i in range(min(40, left)):
            left -= 1
            began = time.perf_counter()
            try:
                if learner is None:
                    learner = begun(rng, learners()[key])
                else:
                    step(rng, learner, tickets)
            except LittlestoneError:
                if learner is None:
                    learner = (
                        learners()[key]().start(
                            3, **({"features": 6} if learners()[key].contexts else {})
                        )
                        if learners()[key].bandit
                        else learners()[key]()
                    )
            except Exception as problem:
                wrong.append((key, i, problem))
                break
            took = time.perf_counter() - began
            if took > patience:
                wrong.append((key, i, took))
                break
    return wrong


def main(steps=1_000_000):
    import collections
    import traceback

    began = time.perf_counter()
    wrong = fuzz(steps)
    print(f"{steps:,} calls in {time.perf_counter() - began:.0f} s, {len(wrong)} went wrong")
    seen = collections.Counter()
    for key, _, what in wrong:
        if isinstance(what, float):
            print(f"{key}: a call took {what:.1f} s")
            continue
        last = traceback.extract_tb(what.__traceback__)[-1]
        where = f"{type(what).__name__} {str(what)[:100]} at {last.filename.split('littlestone/')[-1]}:{last.lineno}"
        seen[where] += 1
        if seen[where] == 1:
            frames = [
                f"{f.filename.split('/')[-1]}:{f.lineno}"
                for f in traceback.extract_tb(what.__traceback__)
            ]
            print(f"{key}: {where}   via {' '.join(frames[-7:])}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000))
