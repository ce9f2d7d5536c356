"""One hand-worked row a learner over examples, and the rounds that the generic suites play."""

from __future__ import annotations

from math import exp, log, tanh
from typing import Any, NamedTuple

import numpy as np

from littlestone.core.numeric import uniform
from littlestone.core.registry import learners
from littlestone.core.vectors import Rows
from littlestone.games import Classes, Coin, Labels, Margin, Regression
from support.rows import ALL

ELSEWHERE = ("littlestone.experts.", "littlestone.bandits.", "littlestone.memory.")  # other games
EXAMPLE_KEYS = [key for key in ALL if not learners()[key].__module__.startswith(ELSEWHERE)]
TWO = (Labels, Margin, Coin)


class ExampleRow(NamedTuple):
    key: str
    parameters: dict[str, Any]
    x: Any  # T x d
    y: Any  # labels as a user writes them, or numbers
    predictions: Any  # None: not worked out
    scores: Any  # the decisions; None: not worked out
    loss: float
    theorem: str | None  # the id of one of its guarantees, …
    bound: float  # … and what it says of this run
    state: dict[str, Any] = {}  # noqa: RUF012  parts of the last state
    options: dict[str, Any] = {}  # noqa: RUF012  more arguments of `play`


def hashed() -> list[float]:
    p, q = 2 * uniform(0, 0, 0) - 1, 2 * uniform(0, 1, 0) - 1
    g = -1 / (1 + exp(-p * q))
    return [p * q, (0.9 * p + g * q) * (0.9 * q + g * p) + 2 * g]


LAST = [(-2, -2), (1, 0), (0, 1)], [-1, -1, 1]  # X-PERC-LAST, and a third example
EXAMPLE_ROWS = [
    # X-PERC-LAST: w = (0, 0), (2, 2), (1, 2), and the last weights err on the second example.
    ExampleRow(
        "perceptron",
        {"normalise": False},
        *(part[:2] for part in LAST),
        None,
        [0, 2],
        2,
        "T-PERC",
        None,
        {"w": [1, 2], "updates": 2},
    ),
    # The same weights; their means are (0, 0), (1, 1), (1, 4/3).
    ExampleRow(
        "averaged-perceptron",
        {"normalise": False},
        *LAST,
        [1, 1, 1],
        [0, 1, 4 / 3],
        2,
        "T-PERC",
        None,
        {"w": [1, 2], "late": [0, 2], "updates": 2},
    ),
    # The same weights; (2, 2) votes once, then (1, 2) too.
    ExampleRow(
        "voted-perceptron",
        {"normalise": False},
        *LAST,
        [1, 1, 1],
        [0, 1, 2],
        2,
        "T-PERC",
        None,
        {"rows": 3},
    ),
    # theta = (1, 0.5), so w = (1, 0.125): a score of -0.875, an error.
    ExampleRow(
        "p-norm-perceptron",
        {"p": 4, "normalise": False},
        [(1, 0.5), (-1, 1)],
        [1, 1],
        None,
        [0, -0.875],
        1,
        "T-PERC-PNORM",
        None,
        {"theta": [0, 1.5], "updates": 2},
    ),
    # K = diag(1/5, 1), v = (2, 0); then z = (0.2, 1), x'z = 1.2, v = (1, -1).
    ExampleRow(
        "second-order-perceptron",
        {"a": 1.0},
        [(2, 0), (1, 1)],
        [1, -1],
        [1, 1],
        [0, 0.4],
        1,
        "T-PERC-SECOND",
        None,
        {"w": [0.2 + 0.16 / 2.2, -1 + 0.8 / 2.2], "logdet": np.log(5 * 2.2), "updates": 2},
    ),
    # X-PGD: from 1 down the slope, against the best point -1: the bound is attained.
    ExampleRow(
        "projected-gradient",
        {"set": "box", "first": [1.0], "eta": 0.5},
        [[1]] * 4,
        [0] * 4,
        None,
        [[1], [0.5], [0], [-0.5]],
        1,
        "T-PGD",
        5,
    ),
    # theta = -eta (sum of slopes), cut to [-1, 1]; the last slope moves the sum, not the point.
    ExampleRow(
        "lazy-ftrl",
        {"set": "box", "eta": 0.5},
        [[1], [1], [1], [-1]],
        [0] * 4,
        None,
        [[0], [-0.5], [-1], [-1]],
        -0.5,
        "T-FTRL-LAZY",
        2,
    ),
    # eta = ln 2: every unit of slope halves a weight.
    ExampleRow(
        "mirror-descent",
        {"eta": np.log(2)},
        [(0, 1), (1, 0), (0, 1)],
        [0] * 3,
        None,
        [(1 / 2, 1 / 2), (2 / 3, 1 / 3), (1 / 2, 1 / 2)],
        5 / 3,
        "T-MD-ENTROPY",
        1 + 3 * np.log(2) / 8,
    ),
    # X-FTL: the leader is at the wrong end in every round but the first.
    ExampleRow(
        "follow-the-leader",
        {"set": "box"},
        [[0.5], [-1], [1], [-1]],
        [0] * 4,
        None,
        [[0], [-1], [1], [-1]],
        3,
        "T-FTL-BTL",
        6.5,
    ),
    # The worst case of d = 4, k = 1 (X-WINNOW-TABLES): 3 < 4; 2 + 2 >= 4 is a false alarm; 2 + 1 < 4; then 4 is right.
    ExampleRow(
        "winnow1",
        {},
        [(1, 1, 1, 0), (0, 1, 1, 0), (1, 0, 0, 1), (1, 0, 0, 0)],
        [1, -1, 1, 1],
        [-1, 1, -1, 1],
        [-1, 0, -1, 0],
        3,
        "T-WINNOW1-SHARP",
        3,
        {"w": [4, 0, 0, 2], "updates": 3},
    ),
    # The worst case of n = 4, k = 1 (X-WINNOW-TABLES): weights (2, 2, 2, 1), (2, 1, 1, 1), (4, 2, 1, 1),
    # (4, 1, 1/2, 1/2).
    ExampleRow(
        "winnow2",
        {},
        [(1, 1, 1, 0), (0, 1, 1, 0), (1, 1, 0, 0), (0, 1, 1, 1), (1, 0, 0, 0)],
        [1, -1, 1, -1, 1],
        [-1, 1, -1, 1, 1],
        [-1, 0, -1, 0, 0],
        4,
        "T-WINNOW2",
        11,
        {"e": [2, 0, -1, -1], "updates": 4},
    ),
    # X-HADAMARD, N = 4: two ties, lg 4, that count as mistakes; then q = (2, 0, 0, -2), and the score is tanh(1)^2.
    ExampleRow(
        "winnow-eg",
        {"eta": 1.0, "zero": 0},
        [(1, 1, 1, 1), (1, -1, 1, -1), (1, 1, -1, -1), (1, -1, -1, 1), (-1, 1, 1, -1)],
        [1, 1, 1, 1, -1],
        [1, -1, -1, 1, -1],
        [1, 0, 0, tanh(1) ** 2, -(tanh(1) ** 2)],
        2,
        "T-WINNOW-EG",
        2 * log(4),
        {"q": [2, 0, 0, -2], "updates": 2, "seen": 4},
    ),
    # p = 0, 0, (e^.5 - e^-.5) / (e^.5 + e^-.5 + 2); slopes 2 (p - y); eta/2 G^2 is the square loss here, as eta = 1/2.
    ExampleRow(
        "eg-plus-minus",
        {"eta": 0.5, "U": 1.0},
        [(1, 0), (0, 1), (1, 0)],
        [0.5, 0.0, 0.5],
        [0, 0, 0.244919],
        [0, 0, 0.244919],
        0.315066,
        "T-EG-PM",
        2 * log(4) + 0.315066,
        {"q": [1.510162, 0], "seen": 2},
    ),
    # X-ELIM with d = 4.
    ExampleRow(
        "elimination",
        {},
        [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)],
        [-1, -1, -1, 1],
        [1, 1, 1, 1],
        [0.5, 0.5, 0.5, 0.5],
        3,
        "T-ELIM",
        3,
        {"c": [0, 0, 0, 1], "updates": 3},
    ),
    # x_1 and x_3: of six literals not x_1, not x_3 and x_2 fail at once, not x_2 in round 2: n - k + 1 = 2 mistakes.
    ExampleRow(
        "elimination-conjunction",
        {},
        [(1, 0, 1), (1, 1, 1), (0, 1, 1), (1, 0, 1)],
        [1, 1, -1, 1],
        [-1, -1, -1, 1],
        [-2.5, -0.5, -0.5, 0.5],
        2,
        "T-CONJ",
        2,
        {"a": [1, 0, 1], "b": [0, 0, 0], "updates": 2},
    ),
    # The monomials 1, x_1, x_2, x_1 x_2, and theta = 4: 2 < 4, so 1 and x_1 are doubled, and all is right.
    ExampleRow(
        "dnf-winnow",
        {},
        [(1, 0), (0, 1), (1, 0), (0, 0), (1, 1)],
        [1, -1, 1, -1, 1],
        [-1, -1, 1, -1, 1],
        [-2, -1, 0, -2, 2],
        1,
        "T-DNF-WINNOW",
        11,
        {"e": [1, 1, 0, 0], "updates": 1},
    ),
    # (w, b) = (1, 0, 1), then (1, -1, 0), right once, then a tie: (2, 0, 1). R^2 = 2 + 1, |u|^2 = 4 + 1.
    ExampleRow(
        "perceptron-disjunction",
        {},
        [(1, 0), (0, 1), (1, 0), (1, 1)],
        [1, -1, 1, 1],
        [1, 1, 1, 1],
        [0, 1, 1, 0],
        1,
        "T-PERC-DISJ",
        15,
        {"w": [2, 0], "b": 1, "updates": 3},
    ),
    # w = (1, 0); then p = 3, a hinge loss of 4, G = (1 + 9, 16): w = (1 - 3/sqrt(10), -4/4).
    ExampleRow(
        "adagrad",
        {"loss": "hinge", "eta": 1.0},
        [(1, 0), (3, 4)],
        [1, -1],
        [1, 1],
        [0, 3],
        5,
        "T-ADAGRAD",
        None,
        {"w": [1 - 3 / np.sqrt(10), -1]},
    ),
    # K = diag(1, 1): w = K x / (x'Kx + r) = (1/2, 0), K = diag(1/2, 1); then p = 1/2, a hinge loss of 3/2,
    # x'Kx + r = 5/2: w = (1/2, 0) - (3/2)(2/5)(1/2, 1) = (1/5, -3/5).
    ExampleRow(
        "arow",
        {"r": 1.0},
        [(1, 0), (1, 1)],
        [1, -1],
        [1, 1],
        [0, 0.5],
        2.5,
        "T-AROW-DIAGONAL",
        None,
        {"w": [0.2, -0.6]},
    ),
    # A bet of 1/2 (theta = 1, one coin) times the wealth 1, on the feature 4 in its unit: w = 1/8, so p = 1/2.
    ExampleRow(
        "coin-betting",
        {"loss": "hinge", "wealth": 1.0},
        [(4,), (4,)],
        [1, 1],
        [1, 1],
        [0, 0.5],
        1.5,
        "T-COIN",
        None,
    ),
    # w = z / (beta + sqrt(G)): (1/2, 0); then z = (sqrt(2)/2 - 1/2, -1) with the proximal terms, over 1 + sqrt(2), 2.
    ExampleRow(
        "ftrl-proximal",
        {"loss": "hinge", "alpha": 1.0, "l1": 0.0},
        [(1, 0), (1, 1)],
        [1, -1],
        [1, 1],
        [0, 0.5],
        2.5,
        "T-FTRL-PROX",
        None,
        {"w": [(np.sqrt(2) / 2 - 0.5) / (1 + np.sqrt(2)), -0.5]},
    ),
    # The slope at 0 is -1/2: w = (1, 0); then p = 1 on the wrong side.
    ExampleRow(
        "logistic",
        {"eta": 1.0},
        [(2, 0), (1, 0)],
        [1, -1],
        [1, 1],
        [0, 1],
        log(2) + log(1 + np.e),
        "T-OGD",
        None,
    ),
    # tau = 1/2 for each: class 0 gains x/2 from class 1, class 1 from 0, then class 2 (a loss of 1, |x|^2 = 2) from 0.
    ExampleRow(
        "multiclass-passive-aggressive",
        {"variant": "0", "normalise": False},
        [(1, 0), (0, 1), (1, 1)],
        [0, 1, 2],
        [0, 0, 0],
        [(0, 0, 0)] * 3,
        2,
        "T-MULTI-PA",
        None,
        {"W": [(0.25, -0.5, 0.25), (-0.75, 0.5, 0.25)]},
    ),
    # Of equal scores the first wins, and an equal one is learned from: +x to the right class, -x to the rival.
    ExampleRow(
        "multiclass-perceptron",
        {"normalise": False},
        [(1, 0), (0, 1), (1, 1)],
        [0, 1, 2],
        [0, 0, 0],
        [(0, 0, 0)] * 3,
        2,
        "T-MULTI-PERC",
        3,
        {"W": [(0, -1, 1), (-2, 1, 1)]},
    ),
    # The first rounds only say how large things are; then both features have the same weight.
    ExampleRow(
        "normalized-adaptive",
        {"loss": "square"},
        [(1, 0), (1, 1), (1, 1)],
        [1.0, 3.0, 2.0],
        None,
        [0, 0, 1.353565],
        1 + 9 + (2 - 1.353565092) ** 2,
        "T-NAG",
        None,
    ),
    # w = (1/2, 0); then p = 1/2 on the wrong side: w = (1/2, 0) - (1/2, 1/2).
    ExampleRow(
        "ogd",
        {"eta": 0.5},
        [(1, 0), (1, 1)],
        [1, -1],
        [1, 1],
        [0, 0.5],
        2.5,
        "T-OGD",
        None,
        {"w": [0, -0.5]},
    ),
    # The first round is a coin: ln 2. The decisions are logarithms of probabilities.
    ExampleRow(
        "online-linear",
        {},
        [(1, 0)],
        [1],
        [1],
        None,
        0,
        "T-ONLINE-LINEAR",
        None,
    ),
    # Before the first outcome 0, and then the only outcome there was.
    ExampleRow(
        "online-linear-regression",
        {},
        [(1, 0), (0, 1)],
        [1.0, -1.0],
        [0, 1],
        [0, 1],
        5,
        "T-ONLINE-LINEAR-REGRESSION",
        None,
    ),
    # The first round sets the units; then (2 + 2) w = 2 * 4, then (2 + 2 + 2) w = 2 * 8.
    ExampleRow(
        "online-newton",
        {"loss": "square", "a": 2.0},
        [(1,), (1,), (1,)],
        [4.0, 4.0, 4.0],
        [0, 0, 2],
        [0, 0, 2],
        36,
        "T-ONS",
        None,
        {"w": [8 / 3]},
    ),
    # tau = 1/25: w = (0.12, 0.16); then p = 0.8, a loss of 1.8, tau = 1.8/25.
    ExampleRow(
        "passive-aggressive",
        {"variant": "0", "normalise": False},
        [(3, 4), (0, 5)],
        [1, -1],
        [1, 1],
        [0, 0.8],
        2.8,
        "T-PA",
        None,
        {"w": [0.12, -0.2]},
    ),
    # theta = 1, S = 2: half of 1/sqrt(2), over sqrt(2) and 4, is 1/16; so p = 1/4.
    ExampleRow(
        "scale-free",
        {"loss": "hinge", "wealth": 1.0},
        [(4,), (4,)],
        [1, 1],
        [1, 1],
        [0, 0.25],
        1.75,
        "T-SCALE-FREE",
        None,
    ),
    # Half for each class in both rounds; W has a column a class.
    ExampleRow(
        "softmax",
        {"eta": 1.0},
        [(1, 0), (0, 2)],
        [0, 1],
        [0, 0],
        [(0, 0), (0, 0)],
        2 * log(2),
        "T-SOFTMAX",
        None,
        {"W": [(0.5, -0.5), (-1, 1)]},
    ),
    # K(x, x) = 9, and x_1 x_2 has squared norm 1/2; rounds 1 and 3 score 0, which is learned from though
    # the label is right.
    ExampleRow(
        "kernel-perceptron",
        {"kernel": "polynomial:2"},
        [(1, 1), (1, -1), (-1, -1), (-1, 1)],
        [1, 0, 1, 0],
        [1, 1, 1, 1],
        None,
        2,
        "T-PERC-KERNEL",
        4.5,
    ),
    # X-KOGD-ID with four examples: |h| = 2, eta = 1, every score is 0.
    ExampleRow(
        "kernel-ogd",
        {"kernel": "delta", "U": 2.0},
        [(0,), (1,), (2,), (3,)],
        [1, 0, 1, 1],
        None,
        [0, 0, 0, 0],
        2.0,
        "T-KOGD",
        2.0,
    ),
    # One example with two labels: scores 0, 1, 0; h = 0 has three squared hinge losses of 1.
    ExampleRow(
        "fourier-perceptron",
        {"beta": 1.0},
        [(0,), (0,), (0,)],
        [1, 0, 1],
        [1, 1, 1],
        [0, 1, 0],
        1,
        "T-PERC-KERNEL-INSEP",
        3.0,
    ),
    # Scores 0, .4, .8; h = 1 interpolates: (1/.8 + 3 * .4/2) / 2.
    ExampleRow(
        "fourier-ogd",
        {"beta": 1.0, "eta": 0.4},
        [(0,), (0,), (0,)],
        [1, 1, 1],
        None,
        [0, 0.4, 0.8],
        0.9,
        "T-KOGD",
        0.925,
    ),
    # X-MEG-TRACE: eta = sqrt(4 ln 4 / 8), bound sqrt(2 * 4 ln 4 * 4).
    ExampleRow(
        "meg-imcsi",
        {"rows": 2, "columns": 2, "margin": 1.0},
        [(0, 0), (0, 1), (1, 0), (1, 1)],
        [1, -1, -1, 1],
        None,
        [0, 0.324796, 0.317110, -0.262393],
        2.452149,
        "T-MEG",
        6.660437,
    ),
    # Row 0: nothing known, then +1, then undecided, where all rows together (+1 of 3) decide.
    ExampleRow(
        "row-majority",
        {"rows": 3, "columns": 3},
        [(0, 0), (0, 1), (1, 0), (0, 2)],
        [1, -1, 1, -1],
        [1, 1, 1, 1],
        [0, 1, 0, 1e-9 / 3],
        2,
        None,
        0,
        {"sums": [-1, 1, 0], "votes": [3, 1, 0]},
    ),
    # p = 2u(0, 0, 0) - 1 and q = 2u(0, 1, 0) - 1 are the hashes of their places; one step for y = -1, with
    # g = -1 / (1 + exp(-pq)): p' = .9p + g q, q' = .9q + g p, biases g each; then the score is p' q' + 2 g.
    ExampleRow(
        "matrix-factorisation",
        {"rows": 3, "columns": 3, "rank": 1, "eta": 1.0, "penalty": 0.1},
        [(0, 0), (0, 0)],
        [-1, 1],
        None,
        hashed(),
        1 + (hashed()[0] > 0),
        None,
        0,
    ),
]


def example_row(key: str) -> ExampleRow:
    found = [r for r in EXAMPLE_ROWS if r.key == key]
    assert found, f"{key} has no row: work one by hand and add it to tests/support/example_rows.py"
    return found[0]


def made(key: str) -> Any:
    """The learner of the row, not begun."""
    rows = {r.key: r.parameters for r in EXAMPLE_ROWS}
    return learners()[key](**rows.get(key, {}))  # one without a row fails a test of its own


def sample(key: str, T: int, seed: int = 0, d: int = 4) -> tuple[Any, Any]:
    """T rounds that suit a learner: dense examples, and labels or numbers."""
    rng, learner = np.random.default_rng(seed), made(key)
    rows = {r.key: r for r in EXAMPLE_ROWS}
    if learner.parameters.get("set") is not None and key in rows:
        d = np.shape(rows[key].x)[1]  # a set has a dimension
    game = learner.game(False)
    if learner.boolean:
        x = rng.integers(0, 2, (T, d)).astype(float)
        return x, np.where(truth(learner, x), 1, -1)
    if (limits := getattr(learner, "limits", None)) is not None:  # places in a table
        x = np.stack([rng.integers(high, size=T) for high in limits], axis=1).astype(float)
        flipped = np.where(rng.random(T) < 0.2, -1, 1)
        return x, np.where((x[:, 0] + x[:, 1]) % 2 == 0, 1, -1) * flipped
    x = rng.normal(size=(T, d))  # not rounded: a score of 0 in one engine is 1e-17 in another
    if isinstance(game, TWO):
        y = np.where(x @ np.arange(1.0, d + 1) + 0.3 * rng.normal(size=T) > 0, 1, -1)
    elif isinstance(game, Classes):
        y = np.argmax(x[:, :3] + 0.3 * rng.normal(size=(T, 3)), axis=1)
    elif isinstance(game, Regression):
        y = x @ np.arange(1.0, d + 1) + 0.3 * rng.normal(size=T)
    else:
        y = rng.normal(size=T)
    return x, y


def truth(learner: Any, x: Any) -> Any:
    """A Boolean function that the learner can represent: a conjunction for those of conjunctions."""
    return (x[:, 0] * x[:, 1] > 0) if "conjunction" in learner.key else (x[:, 0] + x[:, 1] > 0)


def sparse(x: Any) -> Rows:
    """The same examples, without their zeros."""
    index = [np.flatnonzero(row) for row in x]
    indptr = np.concatenate([[0], np.cumsum([len(i) for i in index])]).astype(np.int64)
    return Rows(
        indptr,
        np.concatenate(index).astype(np.int32),
        np.concatenate([row[i] for row, i in zip(x, index, strict=True)]),
    )


def labels_of(key: str, y: Any) -> tuple[Any, ...] | None:
    """The classes in the order that `play` codes them in."""
    return tuple(sorted(set(np.asarray(y).tolist()))) if made(key).labels else None
