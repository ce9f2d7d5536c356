"""What the fuzzer gives to live learners: examples, outcomes, sizes and parameters, mostly right, sometimes not."""

import math

import numpy as np
import pandas as pd
import scipy.sparse as sp

from littlestone.core.learner import hints
from littlestone.core.losses import Absolute, Pinball, Square
from littlestone.core.parameters import Choice, split_hint

BAD = (
    None, 0, -1, 1.5, True, math.nan, math.inf, -math.inf, 1e308, -1e200, 10**400, "", "a", "|f a:1", b"x", (), [], {},
    [[]], [1.0], [1.0, 2.0], ["a", "b"], [None, 1.0], {"a": 1.0}, {"a": None}, {1: "x"}, {"a": [1]}, np.zeros(0),
    np.zeros((2, 2)), np.array(["x"]), np.ones(3), np.array([1.0, math.nan, 2.0]), object(), lambda: 0, set(), 1j,
    range(3), np.float32(1.0), np.int64(2), np.array(1.0), [1e200, 1.0, 1.0], [[1.0, 2.0, 3.0]], "x" * 5000,
    {"a": {"b": 1.0}}, {"a": {"b": 1.0}, "c": {"b": 2.0}}, pd.Series({"a": 1.0, "b": 2.0}), pd.Series([1.0, 2.0]),
    pd.DataFrame({"a": [1.0, 2.0], "b": ["x", None]}), pd.DataFrame(), pd.Series({"a": 1.0, 2: 2.0}), [{}, {"a": 1}],
    sp.csr_array([[1.0, 0.0, 2.0]]), sp.csr_array(np.eye(3)), np.array([[1.0], [2.0]]), [[1.0, 2.0], [3.0]],
    np.array([None, 1.0]), np.datetime64("2020-01-01"), float, ["a", 1.0, None], np.zeros((1, 1, 3)), -0.0, 5e-324,
)  # fmt: skip
SIZES = (1, 2, 3, 3, 3, 5)
BAD_SIZES = (0, -1, 10**9, 10**12, 1.5, "3", None, math.nan, True, [3], ["a", "b"], ("a", "a"))
MOST = {
    "frequencies": 200
}  # sines that plain Python computes in a round; copies of 2^17 numbers take their time
IMPORTANCES = (0.0, 2.0, 1e12, 1e-300, 1e300, -1, "a", math.nan, math.inf, None)
LOSSES = (
    "square", "absolute", "pinball:0.9", "log", "hinge", "logistic", "nothing", Square(), Square(0.0, 1.0),
    Square(-1e150, 1e150), Absolute(0, 1e-300), Pinball(0, 1, 1e-9), Square(1, 0), Square("a", None),
)  # fmt: skip


def example(rng, n):
    """What a round might bring: mostly right, sometimes of another kind."""
    if rng.random() < 0.3:
        return rng.choice(BAD)
    x = [rng.choice((0.0, 1.0, rng.gauss(0, 1), rng.random())) for _ in range(n)]
    if rng.random() < 0.3:
        x = [rng.choice((0.0, 1.0)) for _ in range(n)]
    if rng.random() < 0.05:
        x = [v * 10.0 ** rng.randint(-320, 308) for v in x]
    if rng.random() < 0.1:
        return {f"f{i}": v for i, v in enumerate(x)}
    if rng.random() < 0.03:
        return pd.Series({f"f{i}": v for i, v in enumerate(x)})
    return np.array(x) if rng.random() < 0.7 else x


def outcome(rng, n):
    if rng.random() < 0.25:
        return rng.choice(BAD)
    kinds = (0, 1, -1, "a", "b", rng.random(), rng.randrange(n), [rng.random() for _ in range(n)])
    return rng.choice(kinds)


def size(rng):
    return rng.choice(BAD_SIZES) if rng.random() < 0.1 else rng.choice(SIZES)


def parameters(rng, cls):
    """Some parameters of a learner, at the ends of their ranges and beyond."""
    return {
        name: parameter(rng, hint, MOST.get(name, 1 << 17))
        for name, hint in hints(cls).items()
        if rng.random() < 0.3
    }


def parameter(rng, hint, most):
    kind, declared, _ = split_hint(hint)
    if rng.random() < 0.1:
        return rng.choice(BAD)
    if isinstance(declared, Choice):
        return rng.choice(declared.words)
    if declared is not None:
        low, high = declared.low, min(declared.high, 1e308)
        if declared.whole:
            top = min(int(high), most)
            return rng.choice((int(low), int(low) + 1, int(low) + 5, top, 10**9, 10**400, 100))
        near = max(abs(low), 1.0)
        spans = (1e-300, 1e-8, 0.3, 1.0 - 1e-12, 1.0, 10.0, 1e6, 1e100)
        return rng.choice((low, high, *(min(low + near * v, high) for v in spans)))
    if kind is bool:
        return rng.random() < 0.5
    if "losses" in str(kind):
        return rng.choice(LOSSES)
    if "sets" in str(kind):
        return rng.choice(("ball", "box", "simplex", "everywhere", "ball:2"))
    if kind is tuple:
        return rng.choice(((1.0, 2.0, 3.0), (0.2, 0.3, 0.5), (), (math.nan,), (1e308, 1e308, 1.0)))
    return rng.choice(BAD)


def options(rng, learner):
    """What is said when a learner begins."""
    made = {}
    if rng.random() < 0.2:
        made["seed"] = rng.choice((0, 1, -1, 2**63, 1.5, "a", None))
    if rng.random() < 0.2:
        made["rounds"] = rng.choice((0, 10, -1, 1.5, "a", None, 10**12, math.nan))
    if rng.random() < 0.2:
        made["interval"] = rng.choice(
            (
                (0, 1),
                (1, 0),
                (0.0, math.inf),
                3,
                "ab",
                (0,),
                (math.nan, 1),
                (-1e308, 1e308),
                (0, 5e-324),
            )
        )
    if learner.bandit:
        if learner.contexts:
            made["features"] = rng.choice((3, 6, 6, 0, -1, 10**9, "a", ["a", "b"], ["a", "a"]))
    elif rng.random() < 0.3:
        made["labels"] = rng.choice(
            ((0, 1), (-1, 1), ("a", "b"), (), 3, "ab", (0, 0), (None, 1), ([1], 2), range(10))
        )
    if not learner.bandit and not learner.examples:
        made["allocation"] = rng.random() < 0.5
    return made
