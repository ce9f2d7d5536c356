"""What every bandit is made of: rules as any learner has, and rounds of which one loss is seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, TypeVar, overload

from ..core.errors import BadInput
from ..core.game import Game
from ..core.guarantee import AWAKE
from ..core.learner import Learner
from ..core.live_learner import OpenTicket
from ..core.stream import Array
from ..encode.named_rows import holds_rows
from ..games import Bandit, Offer, Pulled
from ..settings import Round
from ..settings.arms import free_place
from ..settings.setting import DECLARE_ARMS, one_number
from .begin import begin, count_and_names, distinct_names
from .start_options import whole
from .tickets import Ticket

S = TypeVar("S")

SCALE = ": divide by the largest, so that the round that counts most has importance 1"


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
        n: int | Sequence[str] | None = None,
        *,
        rounds: int = 0,
        interval: tuple[float, float] | None = None,
        features: int | Sequence[str] = 0,
        seed: int = 0,
        most: int | None = None,
        names: Sequence[str] | None = None,
        mark: int = 0,
    ) -> Self:
        """Begin: n arms, or the list of their names (n or `names`), which `predict` then returns and `update` takes.

        `most`: there will be at most so many arms, of which those named are there from the first round on, and others
        come with `add_arm`; the bound counts them all.

        `features` is the length of the context, of all arms together where each has its own; or the list of the
        names of the features. Without that list the first context with names (a dict, a row of a frame) gives them.

        >>> import littlestone as ls
        >>> learner = ls.EXP3().start(["red", "green"], rounds=100)
        >>> learner.update(arm="red", propensity=0.5, loss=1.0).predict() in ("red", "green")
        True
        """
        n, arms = count_and_names(self, n, names, False)
        here = n
        if most is not None:
            arms, n = with_places(self, arms, most)
        columns, contexts = None, features
        if isinstance(features, (list, tuple)):
            columns = distinct_names(features, "feature")
            each = self.parameters.get("model") == "shared"  # every arm has features of its own
            contexts = len(columns) * (whole(n, "n, the number of arms,", 1) if each else 1)
        live = begin(
            self,
            n,
            names=arms,
            mark=mark,
            allocation=True,
            rounds=rounds,
            interval=interval,
            seed=seed,
            contexts=contexts,
            columns=columns,
        )
        if most is not None:
            setting: Any = live.setting
            setting.keep_places(here)
        return self.attach(live)

    def begun(self) -> Any:
        if self.live is None:
            raise BadInput(
                f"{self.key} does not know yet how many arms there are: call start(n) first"
            )
        return self.live

    @overload  # type: ignore[override]
    def predict(self, x: None = None, available: Any = None) -> int: ...

    @overload
    def predict(self, x: Any, available: Any = None) -> int | str | Array: ...

    def predict(self, x: Any = None, available: Any = None) -> Any:
        """The arm to pull: the same until the round is over; `available` says which arms are there.

        For many contexts (a frame, a list of dicts, a matrix) the arm for each, as if each were the next round.
        """
        live = self.live or self.begun()
        if x is None and available is None:
            return live.predict_next()
        if available is None and holds_rows(x) and not live.one_context(x):
            return live.predict_rows(x)
        return live.predict(Round(x, available))

    def propensities(self, x: Any = None, available: Any = None) -> Array:
        """The probability with which `predict` draws each arm."""
        found: Array = self.begun().decide(Round(x, available))
        return found

    def update(  # type: ignore[override]
        self,
        x: Any = None,
        arm: Any = None,
        loss: Any = None,
        *,
        reward: Any = None,
        available: Any = None,
        propensity: Any = None,
        importance: Any = None,
    ) -> Self:
        """Learn what an arm cost, or brought: `update(x, arm, loss)`, x = None where there are no features.

        Where something else chose the arm, `propensity` is the probability with which it did:
        `update(arm="red", propensity=0.2, loss=1.0)`. `importance`, from 0 to 1: see `tell`.
        """
        live = self.live or self.begun()
        cost = loss
        if loss is None or reward is not None or importance is not None:
            cost = self.as_loss(loss, reward, importance)
        round_ = x if available is None else Round(x, available)
        live.update_action(round_, live.setting.arm(arm), cost, propensity)
        return self

    def ask(
        self, x: Any = None, available: Any = None, *, arm: Any = None, propensity: Any = None
    ) -> Ticket:
        """Draw an arm now and learn later: `ticket.prediction` is the arm, `ticket.decision` the propensities.

        Where something else chose the arm, say which one and with which probability: the learner then learns beside
        that policy, without acting, and its estimates hold.

        >>> import littlestone as ls
        >>> learner = ls.EXP3().start(["red", "green"])
        >>> ticket = learner.ask(arm="red", propensity=0.8)
        >>> ticket.prediction, ticket.decision.round(3).tolist()
        ('red', [0.8, 0.2])
        """
        live = self.live or self.begun()
        round_ = x if available is None else Round(x, available)
        ticket: Ticket
        if arm is None and propensity is None:
            ticket = live.ask(round_)
            return ticket
        if arm is None:
            raise BadInput(
                "ask(propensity=…): say which arm was chosen: arm=…", field="arm", value=arm
            )
        ticket = live.ask(round_, (live.setting.arm(arm), propensity))
        return ticket

    def tell(
        self,
        ticket: OpenTicket | str,
        y: Any = None,
        importance: Any = None,
        *,
        loss: Any = None,
        reward: Any = None,
    ) -> Self:
        """What the arm of an earlier round cost (y, or loss=), or brought (reward=), in any order.

        None of them where it will never be known. `importance`, from 0 to 1, is how much the round counts, whichever
        arm was pulled: the theorems of learners that assume nothing about losses are then about the losses times the
        importance of their rounds.
        """
        if loss is not None:
            if y is not None:
                raise BadInput(
                    "tell(ticket, y, loss=…): y is the loss; give one of the two",
                    field="loss",
                    value=loss,
                )
            y = loss
        if reward is not None or importance is not None:
            y = self.as_loss(y, reward, importance)
        return super().tell(ticket, y)

    # Arms that come and go.

    @property
    def arms(self) -> tuple[Any, ...]:
        """The arms that are there: their names, or their numbers where they have none."""
        setting = self.begun().setting
        return setting.names_there if setting.says_names else tuple(range(setting.shape.n))

    def add_arm(self, name: str) -> Self:
        """Let an arm be pulled from now on: a new one, in a place that `start(…, most=…)` kept, or one retired before.

        Until now it slept. Where a theorem covers sleeping arms (T-EXP3), its bound holds for every arm over the rounds
        in which it was there, with n the number of places; other learners refuse.

        >>> import littlestone as ls
        >>> learner = ls.EXP3().start(["red", "green"], most=4)
        >>> learner.add_arm("blue").retire_arm("red").arms
        ('green', 'blue')
        """
        distinct_names([name], "arm")
        refuse_arms_that_sleep(self)
        self.begun().setting.add_arm(name)
        return self

    def retire_arm(self, name: str) -> Self:
        """Let an arm not be pulled any more. Outcomes of its open tickets are learned still; see `add_arm`."""
        refuse_arms_that_sleep(self)
        self.begun().setting.retire_arm(name)
        return self

    def as_loss(self, loss: Any, reward: Any, importance: Any = None) -> Any:
        """The loss that stands for what a user says of an arm, who is answered in the words and sign used."""
        if (loss is None) == (reward is None):
            raise BadInput("say what the arm cost: loss=…, or reward=…", field="loss", value=loss)
        setting = self.begun().setting
        low, high = setting.low, setting.high
        if loss is None:
            value = low + high - one_number(reward, "the reward", low, high, False, DECLARE_ARMS)
        elif importance is None:
            return loss
        else:
            value = one_number(loss, "the loss", low, high, False, DECLARE_ARMS)
        return value if importance is None else low + counted(self, importance) * (value - low)


def counted(learner: BanditLearner[Any], importance: Any) -> float:
    """The importance of a round, in [0, 1]; refused where all theorems are about losses that are drawn alike."""
    c = one_number(importance, "the importance", 0.0, 1.0, False, SCALE)
    if c != 1.0 and not any(set(g.assumptions) <= {AWAKE} for g in learner.guarantees):
        raise BadInput(
            f"importance: no theorem of {learner.key} covers rounds that count differently: its losses must be drawn "
            "alike in every round; take exp3, exp3-ix or tsallis-inf, or leave it out"
        )
    return c


def with_places(
    learner: BanditLearner[Any], names: tuple[str, ...] | None, most: int
) -> tuple[tuple[str, ...], int]:
    """Names of arms, and of the places that wait for more of them, `most` in all."""
    refuse_arms_that_sleep(learner)
    if names is None:
        raise BadInput("most: arms that come later are called by name: start([…], most=…)")
    if learner.contexts:
        raise BadInput(
            f"most: what {learner.key} is shown has a column for each arm, so that all must be named at the start; "
            "name them all, and say with available= which are there"
        )
    n = whole(most, "most, the number of arms there will be,", len(names))
    return names + tuple(free_place(i) for i in range(len(names), n)), n


def refuse_arms_that_sleep(learner: BanditLearner[Any]) -> None:
    """Refuse arms that come or go where every theorem needs all arms in all rounds."""
    if not any(
        g.mode == "in expectation" and AWAKE not in g.assumptions for g in learner.guarantees
    ):
        raise BadInput(
            f"no theorem of {learner.key} covers arms that come or go: take exp3, whose T-EXP3 does; or say with "
            "available= which arms are there, for which there is then no bound"
        )
