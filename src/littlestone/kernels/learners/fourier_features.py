"""Random Fourier features: sines and cosines whose inner product is nearly the Gaussian kernel."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from ...core.errors import BadInput
from ...core.learner import Learner
from ...core.outcome import Outcome
from ...core.parameters import Rate, Size
from ...core.random_features import TURN, normal, sine
from ...core.scratch import Scratch
from ...core.stream import Array
from ...core.vectors import dot, index, size, value
from ...games import Shape
from .expansion import LIMIT, Seed
from .scales import FAR, SCALE, SEEN, columns, rescale, watch


class State(NamedTuple):
    # of each cosine, then of each sine: its weight, and its value for an example
    B: Annotated[Array, Scratch(VALUE)]
    W: Array  # d x F: the frequencies, in turns
    F: Annotated[Array, Scratch(SEEN)]  # of each feature of the data: what scales.py knows of it
    N: Array  # numbers, in the order below


WEIGHT, VALUE = 0, 1  # rows of B
ROUNDS = 0
UPDATES = 1  # rounds that it learned from, each with its importance
HEAVIEST = 2  # the largest importance of one
EARLY = 3  # updates (or expected mistakes) before the scales last changed
W2 = 4  # |w|^2 just after that
LOST = 5  # the expected mistakes so far, each with its importance
SQUARES = 6  # the squares of the importance of the updates, added up
V = 7  # the sum of eta_t |gradient|^2 since the scales last changed
PACE = 8  # the rate of the last update
SWIFT = 9  # the rate of the first one since the scales last changed


class Fourier(Learner[State, Any, float, Outcome], abstract=True):
    """The features of an example, and what their learners share."""

    beta: Rate = None
    frequencies: Size = 256
    scale: bool | None = None  # None: where beta was left open; it is 1 then
    seed: Seed = 0
    examples = True
    labels = True
    smallest = 1e-250  # quotients of smaller numbers leave the range of floats

    def __post_init__(self) -> None:
        if self.scale is None:
            object.__setattr__(self, "scale", self.beta is None)
        if self.beta is None:
            object.__setattr__(self, "beta", 1.0)
        super().__post_init__()

    def begin(self, shape: Shape) -> State:
        d, F = shape.n, self.frequencies
        if d * F > LIMIT:
            raise BadInput(
                f"{self.key} keeps {F:,} frequencies a feature: {d:,} features are too many (at most {LIMIT // F:,}); "
                "hash them to fewer, or take a linear learner"
            )
        W = math.sqrt(2.0 * (self.beta or 1.0)) / TURN * normal(self.seed, d, F)
        return State(np.zeros((2, 2 * F)), W, columns(d, bool(self.scale)), np.zeros(10))

    def grow(self, old: State, new: State, shape: Shape) -> State:
        """Frequencies of new features are drawn, what is known of the others stays."""
        new.F[:, : old.F.shape[1]] = old.F
        return new._replace(B=old.B, N=old.N)

    def symbols(self) -> dict[str, Any]:
        return {"bounded": False, "K": 1.0}

    def gram(self, state: State, X: Any) -> Array:
        """The inner products of the features of examples, the rows of a dense matrix."""
        angle = TURN * (np.clip(X * state.F[SCALE], -FAR, FAR) @ state.W)
        K: Array = (
            np.cos(angle) @ np.cos(angle).T + np.sin(angle) @ np.sin(angle).T
        ) / self.frequencies
        return K

    def norm2_at_last_scaling(self, state: State) -> float:
        """|w|^2 when the scales last changed."""
        return float(state.N[W2])


def features(state: State, x: Any) -> Any:
    """(cos 2 pi w_k x, sin 2 pi w_k x) / sqrt(F), over the frequencies w_k."""
    u, F = state.B[VALUE], state.W.shape[1]
    for k in range(F):
        u[k] = 0.0
    for j in range(size(x)):
        i = index(x, j)
        v, w = min(max(state.F[SCALE, i] * value(x, j), -FAR), FAR), state.W[i]
        for k in range(F):
            u[k] += v * w[k]
    c = 1.0 / math.sqrt(float(F))
    for k in range(F):
        u[F + k] = c * sine(u[k])
        u[k] = c * sine(u[k] + 0.25)
    return u


def rescaled(state: State, x: Any, early: float) -> None:
    """Watch the features of the data; when it is time, bring them to their new scales."""
    N, w, t = state.N, state.B[WEIGHT], int(state.N[ROUNDS])
    watch(x, t, state.F)
    if t > 1 and t & (t - 1) == 0 and rescale(t, state.F, state.W, 0):
        N[EARLY], N[W2], N[V], N[SWIFT] = early, dot(w, w), 0.0, N[PACE]
