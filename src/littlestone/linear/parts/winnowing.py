"""What winnow1 and winnow2 share: weights that double on a missed +, and shrink or vanish on a false alarm."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np

from ...core.guarantee import Assumption
from ...core.learner import Learner
from ...core.outcome import Outcome
from ...core.parameters import Interval
from ...core.stream import Array
from ...core.vectors import index, size, value
from ...games import Shape

Threshold = Annotated[int | None, Interval(1, 2**40, "[]", True)]  # None: the number of features
S = TypeVar("S", bound=NamedTuple)  # its last fields are theta, met, mass, updates

ONE_SIZE = Assumption(
    "the threshold is the number of features, known from the start",
    lambda s: None if s.mass == 1.0 else f"features brought {s.mass:g} thresholds of weight",
)


def lg(theta: float) -> int:
    """Doublings that take a weight of 1 to the threshold: lg theta, rounded up."""
    return max(0, math.ceil(math.log2(theta)))


class Winnowing(Learner[S, Any, float, Outcome], abstract=True):
    """Learn a disjunction of a few of many Boolean features; a learner says what an error does to one weight."""

    threshold: Threshold = None
    intercept: bool = False
    examples = True
    weighs_unseen = True
    labels = True
    boolean = True
    diagnostics = ("updates", "theta", "mass")

    def coefficients(self, state: S) -> None:
        """None: the score is the sum of the weights less the threshold."""

    def counts(self, shape: Shape) -> tuple[float, int, float, int]:
        """theta, met, mass and updates before the first round."""
        d = shape.features or shape.n  # the features that there are, not the room for more
        theta = float(self.threshold or d)
        return theta, d, d / theta, 0

    def grow(self, old: Any, new: Any, shape: Shape) -> S:
        """Later features weigh 1, and the threshold follows the room for them."""
        for before, after in zip(old, new, strict=True):
            if isinstance(before, np.ndarray):
                after[: len(before)] = before
        theta = float(self.threshold or shape.n)
        return new._replace(theta=theta, met=old.met, mass=old.mass, updates=old.updates)  # type: ignore[no-any-return]

    def errs(self, score: float, y: float) -> bool:
        """Is the prediction for this score wrong?"""
        raise NotImplementedError

    def rescale(self, state: S, i: int, y: float) -> bool:
        """Change the weight of feature i, which is on, after an error; False where nothing changed."""
        raise NotImplementedError

    def counted(self, state: S, met: int, mass: float, updates: int) -> S:
        """The state with these three counts."""
        raise NotImplementedError

    def learn(self, state: Any, x: Any, score: float, f: Outcome) -> S:
        met, mass, updates = state.met, state.mass, state.updates
        left = f.h
        while left > 0.0 and self.errs(score, f.y):
            moved = 0
            for j in range(size(x)):
                i = index(x, j)
                if value(x, j) != 0.0:
                    if i >= met:  # the feature came after the others were counted
                        mass += (i + 1 - met) / state.theta
                        met = i + 1
                    moved += self.rescale(state, i, f.y)
            updates += 1
            left -= 1.0
            if moved == 0:  # no feature that is on can change: the prediction stays wrong
                updates += max(0, math.ceil(left))
                break
            if left > 0.0:
                score = self.decide(state, x)
        return self.counted(state, met, mass, updates)

    def write_diagnostics(self, state: Any, M: Array) -> None:
        M[0] = state.updates
        M[1] = state.theta
        M[2] = state.mass
