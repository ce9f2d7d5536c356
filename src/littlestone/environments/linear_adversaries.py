"""Adversaries of learners over examples: they see the state, or the score, then choose the example or the label.

Each one plays the plain rules of a learner and returns what it chose, examples and labels -1 or +1, so that `play`
can play it again for a certificate.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput
from ..core.learner import Learner
from ..core.outcome import Outcome
from ..core.stream import Array
from ..games import Shape

AnyLearner = Learner[Any, Any, Any, Any]
Indices = NDArray[np.intp]


class Play:
    """A learner's plain rules, one example at a time."""

    def __init__(self, learner: AnyLearner, n: int) -> None:
        self.params, self.state = learner.params, learner.begin(Shape(n))
        self.zero = learner.game(False).traits().zero

    def score(self, x: Array) -> float:
        return float(self.params.decide(self.state, x))

    def label(self, score: float) -> float:
        return 1.0 if score > 0.0 or (score == 0.0 and self.zero) else -1.0

    def learn(self, x: Array, score: float, y: float) -> None:
        self.state = self.params.learn(self.state, x, score, Outcome(y, 1.0))


# Examples that are bad for the perceptron.


def orthonormal(d: int) -> tuple[Array, Array]:
    """e_1, …, e_d, all labelled -1: the perceptron errs d times, as Novikoff allows. Ledger: ADV-ORTHO.

    >>> X, y = orthonormal(2)
    >>> X.tolist(), y.tolist()
    ([[1.0, 0.0], [0.0, 1.0]], [-1.0, -1.0])
    """
    return np.eye(d), -np.ones(d)


def hadamard(N: int) -> tuple[Array, Array]:
    """The rows of Sylvester's matrix; the label is the first coordinate, always +1. Ledger: ADV-HADAMARD, X-HADAMARD.

    Where a score of 0 has the label +1, negate both: the counts are the same.

    >>> hadamard(4)[0].astype(int).tolist()
    [[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]
    """
    if N < 1 or N & (N - 1):
        raise BadInput(f"hadamard: the size must be a power of two, not {N}")
    H = np.ones((1, 1))
    while len(H) < N:
        H = np.block([[H, H], [H, -H]])
    return H, H[:, 0].copy()


# Adversaries that look at the learner's answers.


def flip(learner: AnyLearner, X: Array) -> Array:
    """The labels that the learner did not predict: it errs in every round. Ledger: ADV-FLIP."""
    game, y = Play(learner, X.shape[1]), np.empty(len(X))
    for t, x in enumerate(X):
        score = game.score(x)
        y[t] = -game.label(score)
        game.learn(x, score, y[t])
    return y


def mispick(
    learner: AnyLearner,
    X: Array,
    y: Array,
    how: str = "most",
    ties: str = "label",
    most: int = 100_000,
    seed: int = 0,
) -> Indices:
    """Present an example of the pool that is misclassified now, until there is none. Ledger: ADV-MISPICK.

    y holds -1 and +1. `how`: the "most" or the "least" violated one (the first of equals), or a "random" one. A score
    of 0 counts by `ties`: "label", the learner's label for it decides; "wrong"; or "right". Returns the rows
    presented; `most` of them is where it gives up.

    >>> import littlestone as ls
    >>> X, y = orthonormal(3)
    >>> mispick(ls.learner("perceptron"), X, y).tolist()
    [0, 1, 2]
    """
    if how not in ("most", "least", "random"):
        raise BadInput(f'mispick: how must be "most", "least" or "random", not {how!r}')
    if ties not in ("label", "wrong", "right"):
        raise BadInput(f'mispick: ties must be "label", "wrong" or "right", not {ties!r}')
    game, rng = Play(learner, X.shape[1]), np.random.default_rng(seed)
    zero = y != game.label(0.0) if ties == "label" else np.full(len(y), ties == "wrong")
    shown: list[int] = []
    while len(shown) < most:
        scores = np.array([game.score(x) for x in X])
        margins = y * scores
        wrong = np.flatnonzero((margins < 0.0) | ((margins == 0.0) & zero))
        if not len(wrong):
            break
        choose = {"most": np.argmin, "least": np.argmax}.get(how)
        at = int(wrong[choose(margins[wrong])] if choose is not None else rng.choice(wrong))
        game.learn(X[at], float(scores[at]), float(y[at]))
        shown.append(at)
    return np.array(shown, dtype=np.intp)


def filled(w: Array, sum_to: float, exactly: bool) -> Indices | None:
    """Weights (powers of two), the largest first, whose sum is the largest below `sum_to`, or exactly `sum_to`."""
    chosen, left = [], sum_to
    for v in np.unique(w[w > 0.0])[::-1]:
        room = int(left // v) if exactly or left % v else int(left // v) - 1
        some = np.flatnonzero(w == v)[: max(0, room)]
        chosen.append(some)
        left -= v * len(some)
    found = np.concatenate(chosen) if chosen else np.empty(0, np.intp)
    return None if exactly and left > 0.0 else found


def fill_round(w: Array, theta: float, k: int, above: bool = False) -> tuple[Indices, float] | None:
    """The next mistake of Winnow whose first k features are relevant: what is on, and the label. Ledger: ADV-FILL.

        a - while there is one: irrelevant features whose weights add up to theta
        else a +: the lightest relevant feature below theta, and irrelevant ones that leave the sum just below theta

    Largest weights first. `above`: the sum must exceed theta to be a +. None where Winnow can err no more.
    """
    rest = w.copy()
    rest[:k] = 0.0
    alarm = filled(rest, theta, True)
    if alarm is not None and above:
        others = np.flatnonzero(rest)
        spare = others[~np.isin(others, alarm)]
        alarm = np.append(alarm, spare[:1]) if len(spare) else None
    if alarm is not None and len(alarm):
        return alarm, -1.0
    i = int(np.argmin(w[:k]))
    if w[i] > theta or (w[i] == theta and not above):
        return None
    more = filled(rest, theta - w[i], above)
    if more is None:
        more = filled(rest, theta - w[i], False)
    return np.append(np.array([i]), more if more is not None else []).astype(np.intp), 1.0


def fill(learner: AnyLearner, n: int, k: int = 1) -> tuple[Array, Array]:
    """The examples and labels with which `fill_round` makes winnow1 or winnow2 err until it errs no more.

    >>> import littlestone as ls
    >>> X, y = fill(ls.learner("winnow1"), 4)
    >>> len(y), int((y > 0).sum())
    (3, 2)
    """
    game = Play(learner, n)
    X: list[Array] = []
    labels: list[float] = []
    while True:
        chosen = fill_round(game.state.w, game.state.theta, k, not game.zero)
        if chosen is None:
            return np.array(X).reshape(-1, n), np.array(labels)
        x, y = np.zeros(n), chosen[1]
        x[chosen[0]] = 1.0
        score = game.score(x)
        if game.label(score) == y:
            raise BadInput(f"{learner.key} does not err where Winnow would")
        game.learn(x, score, y)
        X.append(x)
        labels.append(y)
