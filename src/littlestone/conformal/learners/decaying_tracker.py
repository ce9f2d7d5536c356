"""Quantile tracking with steps that change from round to round."""

from __future__ import annotations

from typing import Any

from ...core.guarantee import Guarantee
from ...core.learner import Learner
from ...core.parameters import Discount, Magnitude
from ...core.stream import Array
from ...games import Game, Missed, PredictionInterval, Shape
from .misses import Level, both
from .variable_steps import STEPS_NOTED, State, bound, first, noted_steps, stepped

T_DECAYING_TRACKER = Guarantee(
    "T-DECAYING-TRACKER",
    "quantile tracking with arbitrary steps",
    "|misses - alpha T| <= (B + (1 + d) max eta_t) sum_t |1/eta_t - 1/eta_(t-1)| after every round, 1/eta_0 = 0, for "
    "scores in an interval of length B that holds 0 and feedback that is d rounds late",
    "Angelopoulos, Barber & Bates 2024, Theorem 2",
    bound,
    against="none",
    measures="over|under",
    uses=("highest", "lowest", "stride", "turns", "crowd"),
    late=True,
)


class DecayingTracker(Learner[State, Any, Array, Missed]):
    """Track a quantile with steps that get smaller.

        q = 0
        each round:  the interval is forecast -+ q;  q += eta t^-power (miss - alpha)

    alpha is 1 - level. Where scores are alike q settles down at their quantile; where they change it follows, more
    and more slowly. O(1) a round.

    >>> learner = DecayingTracker(level=0.75, eta=4.0, power=0.5)
    >>> learner.update([10.0], 12.0).predict([10.0]).tolist()  # a miss: q = 0 + 4 (1 - 1/4)
    [7.0, 13.0]

    Angelopoulos, Barber & Bates (2024).
    """

    level: Level = 0.9
    eta: Magnitude = 1.0
    power: Discount = 0.6
    examples = True
    sparse = False
    guarantees = (T_DECAYING_TRACKER,)
    diagnostics = STEPS_NOTED

    def game(self, allocation: bool) -> Game:
        return PredictionInterval(self.level)

    def begin(self, shape: Shape) -> State:
        return first()

    def decide(self, state: State, x: Any) -> Array:
        return both(state.d, state.q)  # type: ignore[no-any-return]

    def learn(self, state: State, x: Any, d: Array, f: Missed) -> State:
        step = self.eta * (state.record.rounds + 1.0) ** -self.power
        return stepped(state, 1.0 - self.level, step, f)

    def write_diagnostics(self, state: State, M: Array) -> None:
        noted_steps(state, M)
