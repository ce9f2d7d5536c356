"""Lower bounds: what nature can force upon any learner of a kind. The learners are those of the library.

The left side is the promise, the right side what was forced: the claim is that nature gets as much as it is promised.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from littlestone.core.registry import learner, learners
from littlestone.environments.linear_adversaries import Play, hadamard
from littlestone.falsify.statement import Statement
from littlestone.kernels.learners.expansion import UPDATES
from littlestone.play.play import play

DETERMINISTIC = (
    "weighted-majority", "perceptron", "averaged-perceptron", "voted-perceptron", "second-order-perceptron",
    "p-norm-perceptron", "ogd", "logistic", "passive-aggressive", "arow", "adagrad", "ftrl-proximal", "coin-betting",
    "winnow-eg", "kernel-perceptron", "online-newton",
)  # fmt: skip
EXPERTS = ("halving", "weighted-majority", "randomized-weighted-majority", "hedge")


def flips(T: int) -> Iterator[tuple[str, int]]:
    for key in DETERMINISTIC:
        yield key, T


def flipped(key: str, T: int) -> tuple[int, int]:
    """Mistakes, and those of the better of the two constant predictors, when every label is not what was predicted."""
    if key == "weighted-majority":
        live = learner(key, beta=0.5).start(2, rounds=T, labels=(0, 1), allocation=False)
        ones = 0
        for _ in range(T):
            label = 1 - int(live.predict([0, 1]))
            live = live.update([0, 1], label)
            ones += label
        return T, min(ones, T - ones)
    # examples are a constant: a feature that is always 1
    player, ones = Play(learner(key), 1), 0
    x = np.ones(1)
    for _ in range(T):
        score = player.score(x)
        y = -player.label(score)
        player.learn(x, score, y)
        ones += y > 0
    return T, min(ones, T - ones)


def least_regret(i: tuple[str, int]) -> tuple[float, float]:
    mistakes, best = flipped(*i)
    return math.ceil(i[1] / 2), mistakes - best


DET_LB = Statement(
    "T-DET-LB",
    "every deterministic learner has a regret of at least ceil(T/2) mistakes to one of two constants",
    least_regret,
    flips,
    (1, 2, 3, 7, 20, 51),
    attained=True,
    how=f"{len(DETERMINISTIC)} learners against flipped labels (ADV-FLIP)",
    show=lambda i: f"{i[0]}, T = {i[1]}",
    short=4,
)


def ratios(T: int) -> Iterator[tuple[str, int, float]]:
    for key in DETERMINISTIC:
        for c in (0.0, 0.5, 1.0, 1.5, 1.99):
            yield key, T, c


def c_regret(i: tuple[str, int, float]) -> tuple[float, float]:
    key, T, c = i
    mistakes, best = flipped(key, T)
    return T * (1 - c / 2), mistakes - c * best


CREGRET_LB = Statement(
    "T-CREGRET-LB",
    "every deterministic learner has M - c min_i M_i >= T (1 - c/2) for two experts that disagree, c < 2",
    c_regret,
    ratios,
    (1, 2, 7, 20),
    attained=True,
    how=f"{len(DETERMINISTIC)} learners against flipped labels, five values of c",
    show=lambda i: f"{i[0]}, T = {i[1]}, c = {i[2]}",
    short=3,
)


def crowds(lg: int) -> Iterator[tuple[str, int, int]]:
    for key in EXPERTS:
        for n in {2**lg, 2**lg + 1, 2 ** (lg + 1) - 1}:
            yield key, n, lg + 1


def halved(i: tuple[str, int, int]) -> tuple[float, float]:
    """Split the experts that are left in two halves each round; the label is what costs the learner more."""
    key, n, T = i
    drawn = not learners()[key].labels or key.startswith("randomized")
    options: dict[str, Any] = {} if key == "hedge" else {"labels": (0, 1)}
    live = learner(key, **({"loss": "zero-one"} if key == "hedge" else {}))
    live = live.start(n, rounds=T, allocation=False, **options)
    alive, lost = list(range(n)), 0.0
    while len(alive) > 1:
        x = np.zeros(n)
        x[alive[: len(alive) // 2]] = 1.0
        if drawn:
            up = float(np.asarray(live.weights) @ x)
            label = 0 if up >= 0.5 else 1
            lost += max(up, 1 - up)
        else:
            label = 1 - int(live.predict(x))
            lost += 1.0
        live = live.update(x, label)
        alive = [j for j in alive if x[j] == label]
    return (0.5 if drawn else 1.0) * math.floor(math.log2(n)), lost


PERFECT_LB = Statement(
    "T-PERFECT-LB",
    "with a perfect expert among n, floor(lg n) mistakes can be forced upon a deterministic learner, half as many "
    "expected ones upon any",
    halved,
    crowds,
    (1, 2, 3, 4, 5),
    attained=True,
    how=f"{', '.join(EXPERTS)} against halves",
    show=lambda i: f"{i[0]}, n = {i[1]}",
    short=3,
)


def squares(lg: int) -> Iterator[tuple[str, int]]:
    for key in ("perceptron", "averaged-perceptron", "kernel-perceptron"):
        yield key, 2**lg


def rotated(i: tuple[str, int]) -> tuple[float, float]:
    """Updates on Sylvester's rows, whose labels one feature knows: rotation invariant learners need N of them."""
    key, N = i
    X, y = hadamard(N)
    player = Play(learner(key, **({"kernel": "linear"} if key.startswith("kernel") else {})), N)
    for x, label in zip(X, y, strict=True):
        player.learn(x, player.score(x), label)
    state: Any = player.state
    return N, float(state.N[UPDATES]) if key.startswith("kernel") else float(state.updates)


ROT_LB = Statement(
    "T-ROT-LB",
    "rotation invariant learners need N updates on N rows of Sylvester's matrix, whose label is one coordinate",
    rotated,
    squares,
    (1, 2, 3, 4, 5),
    attained=True,
    how="perceptrons, plain and dual (ADV-HADAMARD)",
    show=lambda i: f"{i[0]}, N = {i[1]}",
    short=3,
)


def leaders(T: int) -> Iterator[int]:
    yield T


def jumping(T: int) -> tuple[float, float]:
    """Follow the leader on [-1, 1], slopes 1/2, -1, +1, -1, ...: the regret, by the library's learner."""
    slopes = [[0.5]] + [[-1.0 if t % 2 else 1.0] for t in range(1, T)]
    run = play("follow-the-leader", np.array(slopes), np.zeros(T), certify=False, engine="plain")
    best = -abs(float(np.sum(slopes)))
    return T - 0.5, float(run.loss) - best


FTL_BAD = Statement(
    "T-FTL-BAD",
    "the regret of follow the leader can be T - 1/2 on slopes of at most 1 over [-1, 1]",
    jumping,
    leaders,
    (2, 3, 4, 10, 33),
    equal=True,
    how="the slopes 1/2, -1, +1, ... (X-FTL)",
    show=lambda T: f"T = {T}",
)

STATEMENTS = (DET_LB, CREGRET_LB, PERFECT_LB, ROT_LB, FTL_BAD)
