"""What every bandit is made of: rules as any learner has, and rounds of which one loss is seen."""

from __future__ import annotations

from typing import Any, Self, TypeVar

from ..core.errors import BadInput
from ..core.learner import Learner
from ..core.stream import Array
from ..games import Bandit, Game, Offer, Pulled, Shape
from .live import Ticket, fit, told
from .live_bandit import LiveBandit

S = TypeVar("S")


class BanditLearner(Learner[S, Offer, Array, Pulled], abstract=True):
    """Decides a probability for each arm; the game draws one, and shows its loss on [0, 1].

    Losses may lie in any declared interval; the game scales them. Rewards are accepted at the edge, as the losses
    low + high - reward.
    """

    bounded = True
    bandit = True

    def game(self, allocation: bool) -> Game:
        if not allocation:
            raise BadInput(
                f"{self.key} is a bandit: it needs losses (or rewards), one for each arm"
            )
        return Bandit()

    def examine(self, X: Array, n: int, first: int) -> None:
        """Refuse features (rows of rounds, from number `first` on; -1: of one round) that it cannot use."""

    # One round at a time.

    def start(  # type: ignore[override]
        self,
        n: int,
        *,
        rounds: int = 0,
        interval: tuple[float, float] | None = None,
        features: int = 0,
        seed: int = 0,
    ) -> Self:
        """Begin: n arms; `features` is the length of the context, of all arms together where each has its own."""
        if not isinstance(n, int) or n < 1:
            raise BadInput(f"n must be a number of arms, 1 or more, not {n!r}")
        learner, game, shape = fit(self, self.game(True), n, rounds, interval, None)
        shape = contextual(learner, shape, features)
        self._live = LiveBandit(learner, game, shape, seed=seed, features=features)
        return self

    def begun(self) -> LiveBandit:
        if self._live is None:
            raise BadInput(
                f"{self.key} does not know yet how many arms there are: call start(n) first"
            )
        return self._live  # type: ignore[return-value]

    def predict(self, x: Any = None, available: Any = None) -> int:
        """The arm to pull; `available` says which are there in this round."""
        return self.begun().predict(x, available)

    def propensities(self, x: Any = None, available: Any = None) -> Array:
        """The probability with which `predict` draws each arm."""
        return self.begun().chances(x, available)  # type: ignore[no-any-return]

    def update(
        self,
        x: Any = None,
        arm: Any = None,
        loss: Any = None,
        *,
        reward: Any = None,
        available: Any = None,
    ) -> Self:
        """Learn what an arm cost, or brought: `update(x, arm, loss)`, x = None where there are no features."""
        self.begun().update(x, arm, self.as_loss(loss, reward), available)
        return self

    def ask(self, x: Any = None, available: Any = None) -> Ticket:
        """Draw an arm now and learn later: `ticket.prediction` is the arm, `ticket.decision` the propensities."""
        found = self.begun()
        return found.issue(found.ask(x, available))

    def tell(self, ticket: Ticket, y: Any = None, *, reward: Any = None) -> Self:
        """What the arm of an earlier round cost, or brought, in any order; neither where it will never be known."""
        never = y is None and reward is None
        told(self, ticket, None if never else self.as_loss(y, reward))
        return self

    def as_loss(self, loss: Any, reward: Any) -> Any:
        if (loss is None) == (reward is None):
            raise BadInput("say what the arm cost: loss=…, or reward=…")
        if loss is not None:
            return loss
        live = self.begun()
        try:
            return live.low + live.high - float(reward)
        except (TypeError, ValueError):
            raise BadInput(f"the reward must be a number, not {reward!r:.80}") from None


def contextual(learner: Any, shape: Shape, features: int) -> Shape:
    """The shape with the length of the context, which a learner without contexts refuses."""
    if features and not learner.contexts:
        raise BadInput(f"{learner.key} looks at no features; linucb and linear-thompson do")
    if learner.contexts and not features:
        raise BadInput(
            f"{learner.key} needs features: play(…, features=…), or start(n, features=d)"
        )
    return shape._replace(features=features)
