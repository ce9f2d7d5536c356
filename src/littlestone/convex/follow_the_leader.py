"""Follow the leader: play what would have been best so far, and learn why one should not."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.convex_losses import Distance, Linear
from ..core.convex_sets.shapes import Halfspace, Intersection, Set, Shifted, length, room
from ..core.errors import BadInput
from ..core.guarantee import Guarantee
from ..core.stream import Array
from ..core.vectors import dot
from ..games import Gradient, Shape
from .point import Point, origin


class State(NamedTuple):
    theta: Array  # the leader
    G: Array  # linear losses: the sum of the slopes; squared distances: the mean of the points
    spare: Array  # room for the next leader
    Y: Array  # scratch space of the set
    squares: int  # are losses squared distances?
    weight: float  # the sum of the importances
    moves: float  # sum_t f_t(theta_t) - f_t(theta_t+1)
    curved: float  # sum_t |g_t|^2 / (4 H_t), H_t the sum of the importances


T_BTL = Guarantee(
    "T-FTL-BTL",
    "be the leader",
    "loss - sum_t f_t(theta) <= sum_t (f_t(theta_t) - f_t(theta_t+1)) for every theta of the set: the regret is at "
    "most what knowing the next leader a round earlier would have saved",
    "Kalai and Vempala 2005; Shalev-Shwartz 2011, lemma 2.1",
    lambda s: s.moves,
    against="convex",
    uses=("moves",),
)
T_STRONG = Guarantee(
    "T-FTL-STRONG",
    "follow the leader on squared distances",
    "loss - sum_t |theta - x_t|^2 <= sum_t |g_t|^2 / (4 t) <= L^2 (1 + ln T) / 4 for every theta of the set, where L "
    "is the longest gradient g_t = 2 (theta_t - x_t)",
    "Shalev-Shwartz 2011, section 2.2; Hazan, Agarwal and Kale 2007",
    lambda s: s.curved,
    against="convex",
    when=lambda s: bool(s.squares),
    uses=("curved",),
)


class FollowTheLeader(Point[State]):
    """Play the point of the set that would have lost least so far.

        theta = first
        each round:  play theta, see the loss f;  F += f
                     theta = a minimiser of F over the set

    Exact for two families: linear losses, where the leader is a corner of the set (the old one is kept while it is as
    good as any), and squared distances, where it is the projection of the mean. For others see lazy-ftrl. O(n) a
    round. On squared distances its regret grows like ln T; on linear losses it can be as large as losses allow,
    because the leader jumps (T-FTL-BAD):

    >>> learner = FollowTheLeader(set="box").start(1)
    >>> points = []
    >>> for slope in (0.5, -1.0, 1.0, -1.0):
    ...     learner = learner.update([slope], 0)
    ...     points.append(learner.state.theta[0].item())
    >>> points
    [-1.0, 1.0, -1.0, 1.0]

    Hannan (1957). Ledger: A-FTL; T-FTL-BTL, T-FTL-STRONG, T-FTL-BAD; X-FTL, E-FTL-COMP.
    """

    diagnostics = ("moves", "curved", "squares")
    guarantees = (T_BTL, T_STRONG)

    def __post_init__(self) -> None:
        super().__post_init__()
        squares = isinstance(self.family, Distance) and self.family.power == 2
        if not squares and not isinstance(self.family, Linear):
            raise BadInput(
                f"{self.key} knows the leader of linear losses and of squared distances, not of {self.family!r:.80}; "
                "projected-gradient and lazy-ftrl take any convex loss"
            )
        if isinstance(self.family, Linear) and not cornered(self.set):  # type: ignore[arg-type]
            raise BadInput(
                f"{self.key}: linear losses have no leader on {self.set!r:.80}, which must be bounded and not an "
                "intersection; lazy-ftrl takes any set"
            )

    def begin(self, shape: Shape) -> State:
        theta, n = origin(self, shape.n), shape.n
        return State(
            theta, np.zeros(n), np.zeros(n), room(self.set, n),
            int(isinstance(self.family, Distance)), 0.0, 0.0, 0.0,
        )  # fmt: skip

    def learn(self, state: State, x: Array, theta: Array, f: Gradient) -> State:
        n, new, weight = state.G.shape[0], state.spare, state.weight + f.h
        before = state.moves + f.own
        if state.squares == 1:
            for i in range(n):
                state.G[i] += (f.h / weight) * (x[i] - state.G[i])
                new[i] = state.G[i]
            self.set.project(new, state.Y)  # type: ignore[union-attr]
        else:
            for i in range(n):
                state.G[i] += f.ell[i]
                new[i] = state.theta[i]
            least = self.set.lowest(state.G, new)  # type: ignore[union-attr]
            now = dot(state.G, state.theta)
            if now <= least + 1e-12 * abs(least):  # as good as any: stay
                for i in range(n):
                    new[i] = state.theta[i]
        for i in range(n):
            state.theta[i] = new[i]
        far = length(f.ell)
        return State(
            state.theta, state.G, new, state.Y, state.squares, weight,
            before - f.h * self.family.at(state.theta, x, 0.0),  # type: ignore[union-attr]
            state.curved + 0.25 * far * (far / weight),
        )  # fmt: skip

    def write_diagnostics(self, state: State, M: Array) -> None:
        M[0] = state.moves
        M[1] = state.curved
        M[2] = state.squares


def cornered(B: Set) -> bool:
    """Has every linear function a minimum on the set that is known in closed form?"""
    body = B.body if isinstance(B, Shifted) else B
    return not isinstance(body, (Intersection, Halfspace)) and body.diameter(1) < float("inf")
