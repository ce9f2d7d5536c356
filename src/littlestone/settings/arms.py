"""Arms: the world has a loss for each, and the learner sees the loss of the one that was pulled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from ..core.errors import BadInput
from ..core.game import ARMS, Game, Shape
from ..engine.checks import array, refuse
from ..engine.memory import read_only
from ..games import Offer, count_absences, offers
from .available import arms_there
from .contexts import by_column
from .experts import Losses
from .setting import DECLARE_ARMS, InitialInfo, entries, named_by_user, one_number
from .sizes import refuse_size

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..core.stream import Batch
    from ..encode.stream import Stream

    AnyLearner = Learner[Any, Any, Any, Any]


class Round(NamedTuple):
    """What is known before an arm is pulled: features, and which arms are there (None: all of them)."""

    features: Any = None
    available: Any = None


NOTHING = np.empty(0), 0  # what a ticket keeps of a round that offers all arms and has no features


class Arms(Losses):
    """A loss for each arm, of which one is seen; features of the round or of each arm, and arms that come and go."""

    kind = ARMS
    field = "features"
    column_word = "arms"

    def __init__(
        self,
        *parts: Any,
        features: int = 0,
        says_names: bool = False,
        columns: Any = (),
        there: Any = None,
        **more: Any,
    ) -> None:
        """`says_names`: arms are called by their names, and not by their numbers.

        `columns`: what the features are called; (): they have no names; None: the first round will say.
        `there`: 1 or 0 for each arm, 0 where it was retired or is not there yet; None: all are there in every round.
        """
        self.there: tuple[int, ...] | None = None if there is None else tuple(there)
        self.changes = 0  # of `there`, since it was begun or loaded
        self.features, self.says_names = features, says_names
        self.columns = None if columns is None else tuple(columns)
        super().__init__(*parts, **more)
        # best sequences take longer to compute than all else: only where a theorem is about them
        if not any(g.against == "sequence" for g in self.learner.guarantees):
            self.shifts = 0

    @classmethod
    def fit(cls, learner: AnyLearner, game: Game, known: InitialInfo) -> Self:
        if known.batch is not None and known.batch.x is not None:
            known.contexts = known.batch.x.x.shape[1]
        made = super().fit(learner, game, known)
        made.features, made.columns = known.contexts, known.columns
        made.says_names = known.batch is None and known.names is not None
        made.shape = contextual(made.learner, made.shape, known.contexts)
        refuse_size(made.learner, made.shape)
        made.buffers()
        return made

    def more(self) -> dict[str, Any]:
        found: dict[str, Any] = {"features": self.features}
        if self.columns != ():
            found["columns"] = None if self.columns is None else list(self.columns)
        if self.there is not None:
            found["there"] = list(self.there)
        return found | ({"says_names": True} if self.says_names else {})

    def buffers(self) -> None:
        n = self.shape.n
        self.X = Offer(np.zeros((1, n)), np.zeros((1, self.features)))
        self.all_there = np.zeros((1, 0))
        self.Y = np.zeros((1, n))
        self.some = read_only(self.X), read_only(self.Y)
        self.whole = Offer(read_only(self.all_there), self.some[0].x), self.some[1]
        self.flat = self.some[1].reshape(-1)
        self.offer(False)

    def offer(self, all_arms: bool) -> None:
        """Show the loop all arms, or those that are marked in the buffers."""
        self.offers_all, self.views = all_arms, self.whole if all_arms else self.some

    # Many rounds.

    def named_as(self, stream: Stream) -> None:
        self.columns = tuple(name for name, _ in stream.columns) or self.columns or ()

    def loop_inputs(self, batch: Batch) -> tuple[Any, Any]:
        offer = offers(len(batch.y)) if batch.x is None else batch.x
        if self.there is not None:
            on = np.tile(np.array(self.there, dtype=np.float64), (len(batch.y), 1))
            on = on * offer.on if offer.on.shape[1] else on
            if not on.any(axis=1).all():
                r = batch.first + int(np.argmin(on.any(axis=1))) + 1
                raise BadInput(f"available: row {r}: every arm that is there was retired")
            offer = offer._replace(on=on)
        self.slept += count_absences(offer.on)
        return offer, batch.y

    # One round.

    def example(self, x: Any) -> None:
        """Put what a round offers into the buffers; refuse it where it is not as the first round was."""
        if (
            x is None and not self.features and self.there is None
        ):  # most bandits have none, and all arms are there
            self.offers_all, self.views = True, self.whole
            return
        n, all_arms = self.shape.n, True
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
            self.X.on[0], all_arms = self.those_there(available), False
        elif self.there is not None:
            self.X.on[0], all_arms = self.there, False
        self.offer(all_arms)
        if columns is not self.columns:
            self.name_columns(columns)

    def those_there(self, available: Any) -> Any:
        """1 or 0 for each arm, as a user says which are there, of those that are not retired."""
        if self.there is None:
            return arms_there(available, self.arm_names, self.shape.n)
        on = np.array(self.there, dtype=np.float64)
        on[on > 0.0] = arms_there(available, self.names_there, sum(self.there))
        return on

    @property
    def names_there(self) -> tuple[str, ...]:
        """The names of the arms that are there, where arms have names."""
        if self.names is None or self.there is None:
            return self.names or ()
        return tuple(name for name, on in zip(self.names, self.there, strict=True) if on)

    def keep_places(self, arms: int) -> None:
        """Only the first arms are there: the other places wait for arms that come later."""
        self.there = tuple(int(i < arms) for i in range(self.shape.n))

    def add_arm(self, name: str) -> None:
        """Put a new arm in the next free place, or bring back one that was retired."""
        if self.names is None:
            raise BadInput(f"arm {name!r:.60}: the arms have no names: start([…]) with their names")
        names, there = list(self.names), list(self.there or (1,) * self.shape.n)
        if name in names:
            if there[names.index(name)]:
                raise BadInput(f"arm {name!r:.60} is there already")
            i = names.index(name)
        else:
            free = [i for i, v in enumerate(names) if v == free_place(i)]
            if not free:
                raise BadInput(
                    f"arm {name!r:.60}: there is no place for another arm; begin with room for more: "
                    f"start([…], most={self.shape.n + 1})"
                )
            i = free[0]
        names[i], there[i] = name, 1
        self.names, self.there, self.changes = tuple(names), tuple(there), self.changes + 1

    def retire_arm(self, name: str) -> None:
        """An arm is not there from now on; its place is kept, as the bound is about it."""
        i = self.arm(name)
        there = [int(on and k != i) for k, on in enumerate(self.there or (1,) * self.shape.n)]
        if not any(there):
            raise BadInput(f"arm {name!r:.60} is the only one that is there: add another arm first")
        self.there, self.changes = tuple(there), self.changes + 1

    def take(self, x: Any, y: Any, importance: float) -> None:
        raise BadInput(f"{self.learner.key} sees one loss: update(x, arm, loss)")

    def put_outcome(self, y: Any, action: Any = None) -> bool:
        """Put the loss of the arm that was pulled into the buffers; the losses of the others are not known."""
        self.Y[0, int(action)] = one_number(y, "the loss", self.low, self.high, False, DECLARE_ARMS)
        if self.columns is None:
            self.name_columns(())  # it learns from features without names
        return True

    def name_columns(self, columns: tuple[str, ...] | None) -> None:
        before = self.columns
        self.undo.append(lambda: setattr(self, "columns", before))
        self.columns = columns

    def arm(self, arm: Any) -> int:
        """The number of an arm, as a user gave it: by its name, or by its number."""
        if isinstance(arm, str):
            names = self.names_there
            if arm not in names:
                there = f": they are {', '.join(names)}" if names else ", and they have no names"
                retired = " (it was retired)" if arm in (self.names or ()) else ""
                raise BadInput(
                    f"arm {arm!r:.60} is none of the arms{retired}{there}", field="arm", value=arm
                )
            return (self.names or ()).index(arm)
        number = isinstance(arm, (int, float, np.number)) and not isinstance(arm, bool)
        i = int(arm) if number and 0 <= arm < self.shape.n else -1
        if i < 0 or i != arm:
            raise BadInput(
                f"arm must be a number from 0 to {self.shape.n - 1}, not {arm!r:.80}",
                field="arm",
                value=arm,
            )
        if self.there is not None and not self.there[i]:
            raise BadInput(
                f"arm {i} is not there: the arms are {', '.join(self.names_there)}",
                field="arm",
                value=i,
            )
        return i

    @property
    def arm_names(self) -> tuple[str, ...] | None:
        """The names of the arms, where a user gave them."""
        return self.names if named_by_user(self.names) else None

    def as_prediction(self, action: Any, decision: Any) -> Any:
        return self.names[int(action)] if self.says_names and self.names else int(action)

    def copy_example(self) -> Any:
        if self.offers_all and not self.features:
            return NOTHING
        on, x = self.views[0]
        return np.concatenate([on[0], x[0]]), on.shape[1]

    @property
    def names_met(self) -> int:
        return len(self.columns or ()) + self.changes

    def names_since(self, first: int) -> dict[str, Any] | None:
        if self.names_met == first:
            return None
        found: dict[str, Any] = {"columns": list(self.columns)} if self.columns else {}
        if self.there is not None:
            found |= {"arms": list(self.names or ()), "there": list(self.there)}
        return found or None

    def reopen(self, x: Any, names: dict[str, Any] | None) -> None:
        if names is not None and "columns" in names:
            self.columns = tuple(names["columns"])
        if names is not None and "arms" in names:
            self.names, self.there = tuple(names["arms"]), tuple(names["there"])

    def restore(self, x: Any) -> None:
        if x is NOTHING:
            self.offers_all, self.views = True, self.whole
            return
        numbers, split = x
        self.X.x[0] = numbers[split:]
        if split:
            self.X.on[0] = numbers[:split]
        self.offer(not split)


def free_place(i: int) -> str:
    """The name of a place in which no arm is yet."""
    return f"free place {i}"


def contextual(learner: Any, shape: Shape, features: int) -> Shape:
    """The shape with the length of the context, which a learner without contexts refuses."""
    if features and not learner.contexts:
        raise BadInput(f"{learner.key} looks at no features; linucb and linear-thompson do")
    if learner.contexts and not features:
        raise BadInput(
            f"{learner.key} needs features: play(…, features=…), or start(n, features=d)"
        )
    return shape._replace(features=features)
