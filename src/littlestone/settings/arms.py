"""Arms: the world has a loss for each, and the learner sees the loss of the one that was pulled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from ..core.errors import BadInput
from ..core.game import Game, Shape
from ..engine.checks import array, refuse
from ..engine.memory import read_only
from ..games import Offer, absent, offers
from .contexts import by_column
from .experts import Losses
from .setting import Known, entries, named_by_user, one_number
from .sizes import refuse_size

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..core.stream import Batch, Stream

    AnyLearner = Learner[Any, Any, Any, Any]


class Round(NamedTuple):
    """What is known before an arm is pulled: features, and which arms are there (None: all of them)."""

    features: Any = None
    available: Any = None


NOTHING = np.empty(0), 0  # what a ticket keeps of a round that offers all arms and has no features


class Arms(Losses):
    """A loss for each arm, of which one is seen; features of the round or of each arm, and arms that come and go."""

    given = "arms"
    entrants = "arms"

    def __init__(
        self,
        *parts: Any,
        features: int = 0,
        says_names: bool = False,
        columns: Any = (),
        **more: Any,
    ) -> None:
        """`says_names`: arms are called by their names, and not by their numbers.

        `columns`: what the features are called; (): they have no names; None: the first round will say.
        """
        self.features, self.says_names = features, says_names
        self.columns = None if columns is None else tuple(columns)
        super().__init__(*parts, **more)

    @classmethod
    def fitted(cls, learner: AnyLearner, game: Game, known: Known) -> Self:
        if known.batch is not None and known.batch.x is not None:
            known.contexts = known.batch.x.x.shape[1]
        made = super().fitted(learner, game, known)
        made.features, made.columns = known.contexts, known.columns
        made.says_names = known.batch is None and known.names is not None
        made.shape = contextual(made.learner, made.shape, known.contexts)
        refuse_size(made.learner, made.shape)
        made.buffers()
        return made

    def more(self) -> dict[str, Any]:
        found: dict[str, Any] = {"features": self.features}
        if self.columns:
            found["columns"] = list(self.columns)
        return found | ({"says_names": True} if self.says_names else {})

    def buffers(self) -> None:
        n = self.shape.n
        self.X = Offer(np.zeros((1, n)), np.zeros((1, self.features)))
        self.all_there = np.zeros((1, 0))
        self.Y = np.zeros((1, n))
        self.views = read_only(self.X), read_only(self.Y)
        # live learners recognise new buffers by identity, so the offers of all arms and of some arms are made once
        x = self.views[0].x
        self.some = self.views
        self.whole = Offer(read_only(self.all_there), x), self.views[1]
        self.flat = self.views[1].reshape(-1)

    # Many rounds.

    def named_as(self, stream: Stream) -> None:
        self.columns = tuple(name for name, _ in stream.columns) or self.columns or ()

    def rounds(self, batch: Batch) -> tuple[Any, Any]:
        return (offers(len(batch.y)) if batch.x is None else batch.x), batch.y

    def shifts(self, requested: int | None) -> int | None:
        # best sequences take longer to compute than all else: only where a theorem is about them
        if requested is None and not any(g.against == "sequence" for g in self.learner.guarantees):
            return 0
        return requested

    def see(self, x: Any) -> None:
        self.slept += absent(x.on)

    # One round.

    def example(self, x: Any) -> None:
        """Put what a round offers into the buffers; refuse it where it is not as the first round was."""
        if x is None and not self.features:  # most bandits have none, and all arms are there
            self.views = self.whole
            return
        n, on = self.shape.n, self.all_there
        x, available = x if isinstance(x, Round) else (x, None)
        if x is None and self.features:
            raise BadInput(
                f"{self.learner.key} was given {self.features} features in its first round, and none now"
            )
        columns = self.columns
        if x is not None:
            x, columns = by_column(x, columns, self.arm_names, self.learner.key)
            a = array(x, "features", None).reshape(-1)
            if len(a) != self.features:
                raise BadInput(
                    f"features must have {self.features} entries, as in the first round, not {entries(a)}"
                )
            if not (np.abs(a) <= 1e150).all():
                refuse(a, -1e150, 1e150, -1, (), "features", False)
            self.learner.examine(a[None, :], n, -1)  # type: ignore[attr-defined]
            self.X.x[0] = a
        if available is not None:
            given = array(available, "available", 1)
            if len(given) != n or not np.isin(given, (0.0, 1.0)).all():
                raise BadInput(
                    f"available must be {n} times True or False, one for each arm, not {available!r:.80}"
                )
            if not given.any():
                raise BadInput("available: no arm is there to be pulled")
            self.X.on[0] = given
            on = self.X.on
        self.views = self.whole if on is self.all_there else self.some
        self.columns = columns

    def take(self, x: Any, y: Any, importance: float) -> None:
        raise BadInput(f"{self.learner.key} sees one loss: update(x, arm, loss)")

    def answer(self, y: Any, action: Any = None) -> bool:
        """Put the loss of the arm that was pulled into the buffers; the losses of the others are not known."""
        self.Y[0, int(action)] = one_number(y, "the loss", self.low, self.high, missing=False)
        if self.columns is None:
            self.columns = ()  # it learns from features without names
        return True

    def arm(self, arm: Any) -> int:
        """The number of an arm, as a user gave it: by its name, or by its number."""
        if isinstance(arm, str):
            if self.names is None or arm not in self.names:
                there = (
                    f": they are {', '.join(self.names)}"
                    if self.names
                    else ", and they have no names"
                )
                raise BadInput(f"arm {arm!r:.60} is none of the arms{there}")
            return self.names.index(arm)
        number = isinstance(arm, (int, float, np.number)) and not isinstance(arm, bool)
        i = int(arm) if number and 0 <= arm < self.shape.n else -1
        if i < 0 or i != arm:
            raise BadInput(f"arm must be a number from 0 to {self.shape.n - 1}, not {arm!r:.80}")
        return i

    @property
    def arm_names(self) -> tuple[str, ...] | None:
        """The names of the arms, where a user gave them."""
        return self.names if named_by_user(self.names) else None

    def said(self, action: Any, decision: Any) -> Any:
        return self.names[int(action)] if self.says_names and self.names else int(action)

    def kept(self) -> Any:
        if self.views is self.whole and not self.features:
            return NOTHING
        on, x = self.views[0]
        return np.concatenate([on[0], x[0]]), on.shape[1]

    def restore(self, x: Any) -> None:
        if x is NOTHING:
            self.views = self.whole
            return
        numbers, split = x
        self.X.x[0] = numbers[split:]
        if split:
            self.X.on[0] = numbers[:split]
        self.views = self.some if split else self.whole


def contextual(learner: Any, shape: Shape, features: int) -> Shape:
    """The shape with the length of the context, which a learner without contexts refuses."""
    if features and not learner.contexts:
        raise BadInput(f"{learner.key} looks at no features; linucb and linear-thompson do")
    if learner.contexts and not features:
        raise BadInput(
            f"{learner.key} needs features: play(…, features=…), or start(n, features=d)"
        )
    return shape._replace(features=features)
