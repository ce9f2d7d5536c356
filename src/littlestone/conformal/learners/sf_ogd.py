"""Scale-free gradient descent on the pinball loss of the threshold."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ...core.guarantee import Guarantee
from ...core.learner import Learner
from ...core.parameters import Magnitude
from ...core.stream import Array
from ...games import Game, Missed, PredictionInterval, Shape
from .misses import Level, both
from .variable_steps import STEPS_NOTED, State, bound, first, noted_steps, stepped


class Scaled(NamedTuple):
    steps: State
    squares: float  # the sum of the squares of the gradients


T_SF_OGD = Guarantee(
    "T-SF-OGD",
    "scale-free gradient descent",
    "|misses - alpha T| <= (B + (1 + d) max eta_t) sum_t |1/eta_t - 1/eta_(t-1)| after every round, 1/eta_0 = 0, for "
    "scores in an interval of length B that holds 0 and feedback that is d rounds late",
    "Angelopoulos, Barber & Bates 2024, Theorem 2, with the steps of Bhatnagar et al. 2023",
    bound,
    against="none",
    measures="over|under",
    uses=("highest", "lowest", "stride", "turns", "crowd"),
    late=True,
)


class SFOGD(Learner[Scaled, Any, Array, Missed]):
    """Track a quantile with steps that follow from the gradients so far.

        q = 0
        each round:  the interval is forecast -+ q;  g = alpha - miss;  S += g^2;  q -= (D / sqrt 3) / sqrt(S) g

    alpha is 1 - level, and D (`largest`) is what scores are at most, as far as that is known. The threshold q is never
    clipped at 0: clipped, it covers too often, without a bound. O(1) a round.

    >>> learner = SFOGD(level=0.75, largest=3**0.5)
    >>> learner.update([10.0], 12.0).predict(
    ...     [10.0]
    ... ).tolist()  # a miss: g = -3/4, and the step is 1 / (3/4)
    [9.0, 11.0]

    Orabona & Pal (2018); Bhatnagar, Wang, Xiong & Bai (2023).
    """

    level: Level = 0.9
    largest: Magnitude = 1.0
    examples = True
    sparse = False
    guarantees = (T_SF_OGD,)
    diagnostics = STEPS_NOTED
    key = "sf-ogd"

    def game(self, allocation: bool) -> Game:
        return PredictionInterval(self.level)

    def begin(self, shape: Shape) -> Scaled:
        return Scaled(first(), 0.0)

    def decide(self, state: Scaled, x: Any) -> Array:
        return both(state.steps.d, state.steps.q)  # type: ignore[no-any-return]

    def learn(self, state: Scaled, x: Any, d: Array, f: Missed) -> Scaled:
        alpha = 1.0 - self.level
        g = alpha - max(f.below, f.above)
        squares = state.squares + g * g
        step = self.largest / math.sqrt(3.0 * squares) if squares > 0.0 else self.largest
        return Scaled(stepped(state.steps, alpha, step, f), squares)

    def write_diagnostics(self, state: Scaled, M: Array) -> None:
        noted_steps(state.steps, M)
