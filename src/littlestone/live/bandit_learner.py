"""What every bandit is made of: rules as any learner has, and rounds of which one loss is seen."""

from __future__ import annotations

from typing import Any, Self, TypeVar, overload

from ..core.errors import BadInput
from ..core.game import Game
from ..core.learner import Learner
from ..core.stream import Array
from ..games import Bandit, Offer, Pulled
from ..settings import Round
from ..settings.named_rows import holds_rows
from .begin import begin
from .start_options import whole
from .tickets import Ticket

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
        n: Any,
        *,
        rounds: int = 0,
        interval: tuple[float, float] | None = None,
        features: Any = 0,
        seed: int = 0,
    ) -> Self:
        """Begin: n arms, or the list of their names, which `predict` then returns and `update` takes.

        `features` is the length of the context, of all arms together where each has its own; or the list of the
        names of the features. Without that list the first context with names (a dict, a row of a frame) gives them.

        >>> import littlestone as ls
        >>> learner = ls.EXP3().start(["red", "green"], rounds=100)
        >>> learner.update(arm="red", propensity=0.5, loss=1.0).predict() in ("red", "green")
        True
        """
        names = None
        if isinstance(n, (list, tuple)):
            names, n = different(n, "an arm"), len(n)
        columns = None
        if isinstance(features, (list, tuple)):
            columns = different(features, "a feature")
            each = self.parameters.get("model") == "shared"  # every arm has features of its own
            features = len(columns) * (whole(n, "n, the number of arms,", 1) if each else 1)
        return self.attach(
            begin(
                self,
                n,
                names=names,
                allocation=True,
                rounds=rounds,
                interval=interval,
                seed=seed,
                contexts=features,
                columns=columns,
            )
        )

    def begun(self) -> Any:
        if self.live is None:
            raise BadInput(
                f"{self.key} does not know yet how many arms there are: call start(n) first"
            )
        return self.live

    @overload
    def predict(self, x: None = None, available: Any = None) -> int: ...

    @overload
    def predict(self, x: Any, available: Any = None) -> Any: ...

    def predict(self, x: Any = None, available: Any = None) -> Any:
        """The arm to pull: the same until the round is over; `available` says which arms are there.

        For many contexts (a frame, a list of dicts, a matrix) the arm for each, as if each were the next round.
        """
        live = self._live or self.begun()
        if x is None and available is None:
            return live.predict_next()
        if available is None and holds_rows(x) and not live.one_context(x):
            return live.predict_rows(x)
        return live.predict(Round(x, available))

    def propensities(self, x: Any = None, available: Any = None) -> Array:
        """The probability with which `predict` draws each arm."""
        return self.begun().decide(Round(x, available))  # type: ignore[no-any-return]

    def update(
        self,
        x: Any = None,
        arm: Any = None,
        loss: Any = None,
        *,
        reward: Any = None,
        available: Any = None,
        propensity: Any = None,
    ) -> Self:
        """Learn what an arm cost, or brought: `update(x, arm, loss)`, x = None where there are no features.

        Where something else chose the arm, `propensity` is the probability with which it did:
        `update(arm="red", propensity=0.2, loss=1.0)`.
        """
        live = self._live or self.begun()
        cost = loss if reward is None and loss is not None else self.as_loss(loss, reward)
        round_ = x if available is None else Round(x, available)
        live.update_action(round_, live.setting.arm(arm), cost, propensity)
        return self

    def ask(self, x: Any = None, available: Any = None) -> Ticket:
        """Draw an arm now and learn later: `ticket.prediction` is the arm, `ticket.decision` the propensities."""
        round_ = x if available is None else Round(x, available)
        return (self._live or self.begun()).ask(round_)  # type: ignore[no-any-return]

    def tell(self, ticket: Ticket, y: Any = None, *, reward: Any = None) -> Self:
        """What the arm of an earlier round cost, or brought, in any order; neither where it will never be known."""
        return super().tell(ticket, y if reward is None else self.as_loss(y, reward))

    def as_loss(self, loss: Any, reward: Any) -> Any:
        if (loss is None) == (reward is None):
            raise BadInput("say what the arm cost: loss=…, or reward=…")
        if loss is not None:
            return loss
        live = self.begun()
        try:
            return live.setting.low + live.setting.high - float(reward)
        except (TypeError, ValueError):
            raise BadInput(f"the reward must be a number, not {reward!r:.80}") from None


def different(names: Any, what: str) -> tuple[str, ...]:
    """Names of arms or features, each a different text."""
    for name in names:
        if not isinstance(name, str):
            raise BadInput(f"the name of {what} must be text, not {name!r:.60}")
    if len(set(names)) < len(names):
        raise BadInput(f"{what} occurs twice in {list(names)!r:.80}")
    return tuple(names)
