"""One round at a time: the same loop as `play`, called with one row."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import losses
from ..core.errors import BadInput
from ..engine.checks import HUGE, array, refuse
from ..engine.compile import direct, engine, ready
from ..engine.loops import Out, rounds
from ..engine.memory import copy, read_only, spaced
from ..games import ALLOTTED, DRAWN, Allocation, Game, Room, Shape, Sleeping, Vote, inside, room

if TYPE_CHECKING:
    from ..core.learner import Learner

    AnyLearner = Learner[Any, Any, Any, Any]

NONE1, NONE2 = np.empty(0), np.empty((0, 0))


@dataclass(eq=False)
class Ticket:
    """A round that was asked and not yet told: its number, its example and what was decided."""

    round: int
    x: Any
    prediction: Any
    decision: Any
    action: float
    learner: str = ""  # whose it is: the key, ...
    mark: int = 0  # ... and which of that kind

    def save(self, path: str | Path) -> Path:
        """Write it to a file; `littlestone.load` brings it back, in this process or a later one."""
        from . import store

        return store.save_ticket(self, path)


class Live:
    """A learner that has begun: tuned parameters, state, round number."""

    intercept = False
    mark = 0  # who it is, once it has issued a ticket

    def __init__(
        self,
        learner: AnyLearner,
        game: Game,
        shape: Shape,
        *,
        seed: int = 0,
        labels: tuple[Any, ...] | None = None,
        state: Any = None,
        t: int = 0,
        which: str | None = None,
        room_: Room | None = None,
    ) -> None:
        self.learner, self.game, self.shape, self.seed, self.t = learner, game, shape, seed, t
        self.labels = labels
        self.names: tuple[str, ...] | None = None  # of the experts, where a table named them
        self.which = which or engine()
        self.params = learner.params
        self.state = spaced(begin(learner, shape) if state is None else state)
        self.room = spaced(room(shape) if room_ is None else room_)
        self.allocation = isinstance(game, Allocation)
        self.stop = self.room.stop
        self.sleeper = None if self.allocation else Sleeping(game)
        inner = inside(game)
        self.low, self.high = map(float, watched(learner, inner))
        # the loop gets read-only views of these, as it does from `play`: one signature, one compilation
        self.X = np.zeros((1, int(learner.tasked) if self.allocation else shape.n))
        self.Y: Any = np.zeros((1, shape.n)) if self.allocation else np.zeros(1)
        self.views = read_only(self.X), read_only(self.Y)
        self.flat = self.views[1 if self.allocation else 0].reshape(-1)
        self.W = np.zeros((1, shape.n))
        drawn = np.zeros(1) if isinstance(inner, DRAWN) else NONE1
        self.out = Out(np.zeros(1), np.zeros(1), drawn, NONE2, NONE2, NONE2, NONE2)
        self.asking = self.out._replace(W=self.W)
        self._loops: dict[bool, Callable[..., Any]] = {}
        self.tickets: dict[int, Ticket] = {}  # asked and not yet told, by round

    def issue(self, ticket: Ticket) -> Ticket:
        """Remember that it was asked here, and what it held: what its owner does to it is no business of ours."""
        if not self.mark:
            self.mark = 1 + secrets.randbits(62)
        ticket.learner, ticket.mark = self.learner.key, self.mark
        self.tickets[ticket.round] = duplicate(ticket)
        return ticket

    def held(self, ticket: Any) -> Ticket:
        """The ticket as it was issued, or a refusal."""
        if not isinstance(ticket, Ticket) or not isinstance(ticket.round, int):
            raise BadInput(f"tell needs a ticket that ask returned, not {ticket!r:.80}")
        this = f"the ticket of round {ticket.round + 1}"
        if not self.mark or ticket.mark != self.mark:
            raise BadInput(
                f"{this} was issued by another learner ({ticket.learner or 'nobody knows which'}), "
                f"not by this {self.learner.key}"
            )
        found = self.tickets.get(ticket.round)
        if found is None and ticket.round >= self.t:
            raise BadInput(
                f"{this} was asked after this learner was saved: it knows of {self.t} rounds"
            )
        if found is None:
            raise BadInput(f"{this} was told before: each is told once")
        if not all(alike(getattr(found, f.name), getattr(ticket, f.name)) for f in fields(Ticket)):
            raise BadInput(f"{this} is damaged: it does not hold what was asked")
        return found

    def more(self) -> dict[str, Any]:
        """What else a copy of it must be told."""
        return {}

    def once(self, asleep: bool, out: Out, learn: bool, every: int) -> Any:
        """One row through the loop, which checks it unless an expert is known to sleep."""
        game, low, high = self.game, self.low, self.high
        if asleep:
            game, low, high = self.sleeper, 1.0, 0.0  # type: ignore[assignment]
        arguments = (
            self.params, game, self.state, *self.views, self.flat, out, self.room, self.seed, self.t,
            learn, every, 0, low, high,
        )  # fmt: skip
        found = self._loops.get(asleep)
        if found is None:
            loop = ready(rounds, self.params, game, self.which)
            state = loop(*arguments)
            self._loops[asleep] = direct(loop, arguments)
            return state
        return found(*arguments)

    def round(self, out: Out, learn: bool, every: int) -> Any:
        """The row in X (and Y): the next state, or a refusal that names what is wrong with it."""
        state = self.once(False, out, learn, every)
        if self.stop[0] < 0.0:
            return state
        self.stop[0] = -1.0
        self.refuse(self.Y if self.allocation else self.X, "loss" if self.allocation else "advice")
        if np.isnan(self.X).all() and np.isnan(self.room.last[0]):
            raise BadInput(
                "advice: every expert is asleep in the first round, and there is no prediction to repeat"
            )
        return self.once(True, out, learn, every)

    def refuse(self, v: Any, what: str) -> None:
        names, nan = numbered(self.shape.n), self.sleeper is not None
        refuse(v, self.low, self.high, -1, names, what, nan, DECLARE)

    def example(self, x: Any) -> None:
        """Put an example into X."""
        if self.allocation:
            if self.learner.tasked:
                self.X[0, 0] = self.task(x)
            return
        if self.labels is not None:
            x = self.codes(x)
        a = x if isinstance(x, np.ndarray) and x.dtype == np.float64 else array(x, "advice", 1)
        if a.shape != self.flat.shape:
            raise BadInput(
                f"advice must have {self.shape.n} entries, as in the first round, not {entries(a)}"
            )
        self.X[0] = a

    def task(self, i: Any) -> float:
        """Which task a round belongs to; the first where nobody says."""
        most = int(getattr(self.learner, "tasks", 1))
        if i is None:
            return 0.0
        if (
            isinstance(i, bool)
            or not isinstance(i, (int, float, np.number))
            or i not in range(most)
        ):
            raise BadInput(f"task must be a number from 0 to {most - 1}, not {i!r:.80}")
        return float(i)

    def predict(self, x: Any) -> Any:
        self.example(x)
        if self.allocation:
            return self.glimpse() if self.learner.tasked else self.weights()
        last = self.room.last[0]
        self.round(self.out, False, 0)
        self.room.last[0] = last  # only a round that is learned from counts as the last one
        return self.named(self.out.A[0])

    def glimpse(self) -> Any:
        """The decision for the row in X, as the loop makes it; what is in Y does not matter."""
        low, high = self.low, self.high
        self.low, self.high = 1.0, 0.0  # nothing to check
        self.once(False, self.asking, False, 1)
        self.low, self.high = low, high
        return self.W[0].copy()

    def update(self, x: Any, y: Any, importance: float = 1.0) -> None:
        if importance != 1.0:
            raise BadInput(f"importance={importance!r}: learners over experts take none")
        if self.allocation:
            y = self.task(y) if self.learner.tasked else y
            self.Y[0] = self.losses(x)
            self.example(y)
        else:
            self.example(x)
            self.Y[0] = self.outcome(y)
        self.state = self.round(self.out, True, 0)
        self.t += 1

    def ask(self, x: Any) -> Ticket:
        self.example(x)
        if self.allocation:
            decision = self.glimpse()
        else:
            self.round(self.asking, False, 1)
            decision = self.W[0].copy()
        action = float(self.out.A[0])
        ticket = Ticket(
            self.t,
            self.X[0].copy() if self.X.size else None,
            decision if self.allocation else self.named(action),
            decision,
            action,
        )
        self.t += 1
        return ticket

    def tell(self, ticket: Ticket, y: Any) -> None:
        """Learn with the decision that was made then, never with the one that would be made now."""
        if self.allocation:
            x = np.zeros(0) if ticket.x is None else np.asarray(ticket.x)
            Y, asleep = self.losses(y), False
            self.refuse(Y[None, :], "loss")
        else:
            x, Y = np.asarray(ticket.x), self.outcome(y)
            asleep = bool(np.isnan(x).any())
            if Y != Y:
                return
        game: Any = self.sleeper if asleep else self.game
        learn = ready(tell, self.params, game, self.which)
        self.state = learn(
            self.params,
            game,
            self.state,
            read_only(x),
            read_only(Y),
            ticket.decision,
            ticket.action,
            self.room,
        )

    def weights(self) -> Any:
        """The decision for the next round, whatever its example."""
        return np.array(self.params.decide(self.state, self.X[0]), dtype=float)

    def losses(self, y: Any) -> Any:
        a = y if isinstance(y, np.ndarray) and y.dtype == np.float64 else array(y, "losses", 1)
        if a.shape != self.flat.shape:
            raise BadInput(
                f"losses must have {self.shape.n} entries, as in the first round, not {entries(a)}"
            )
        return a

    def outcome(self, y: Any) -> float:
        if self.labels is not None:
            return self.code(y)
        try:
            v = float(y)
        except (TypeError, ValueError):
            raise BadInput(f"the outcome must be a number, not {y!r}") from None
        if not (self.low <= v <= self.high) and v == v:
            refuse(np.full(1, v), self.low, self.high, -1, (), "outcome", True, DECLARE)
        return v

    def code(self, y: Any, where: str = "the outcome") -> float:
        if isinstance(y, np.generic):
            y = y.item()
        if y is None or (isinstance(y, float) and y != y):
            return float("nan")
        assert self.labels is not None
        try:
            return float(self.labels.index(y))
        except ValueError:  # also where y is an array, which equals nothing
            raise BadInput(
                f"{where}: unknown label {y!r:.80}; the labels are {', '.join(map(repr, self.labels))}"
            ) from None

    def codes(self, x: Any) -> Any:
        try:
            each = list(x)
        except TypeError:
            raise BadInput(f"advice must be a list of labels, not {x!r:.80}") from None
        return np.array([self.code(v, f"advice, column '{i + 1}'") for i, v in enumerate(each)])

    def named(self, a: float) -> Any:
        return float(a) if self.labels is None else self.labels[int(a)]


DECLARE = "; declare a wider one: loss=Square(low, high), or start(n, interval=(low, high))"


def tell(self: Any, game: Any, state: Any, x: Any, y: Any, d: Any, a: float, room: Any) -> Any:
    return self.learn(state, x, d, game.show(d, a, x, y, room))


def told(learner: AnyLearner, ticket: Any, y: Any) -> None:
    """Learn what became of a ticket; None: it will never be known."""
    found = learner._live
    if found is None:
        if not isinstance(ticket, Ticket):
            raise BadInput(f"tell needs a ticket that ask returned, not {ticket!r:.80}")
        raise BadInput(
            f"this {learner.key} has not been asked anything yet: the ticket is not its own"
        )
    kept = found.held(ticket)
    if y is None and getattr(found, "blind", False):
        y = 0.0
    if y is not None:
        found.tell(kept, y)
    del found.tickets[ticket.round]


def duplicate(ticket: Ticket) -> Ticket:
    held = own(ticket.x), own(ticket.prediction), own(ticket.decision)
    return Ticket(ticket.round, *held, ticket.action, ticket.learner, ticket.mark)


def own(v: Any) -> Any:
    """The same values, in arrays of their own."""
    if isinstance(v, np.ndarray):
        return v.copy()
    if isinstance(v, tuple):
        parts = map(own, v)
        return type(v)(*parts) if hasattr(v, "_fields") else tuple(parts)
    return v


def alike(a: Any, b: Any) -> bool:
    """Are they the same, bit for bit?"""
    if isinstance(a, np.ndarray):
        same = isinstance(b, np.ndarray) and a.shape == b.shape and a.dtype == b.dtype
        return same and a.tobytes() == b.tobytes()
    if isinstance(a, tuple):
        same = isinstance(b, tuple) and len(a) == len(b)
        return same and all(map(alike, a, b))
    return type(a) is type(b) and bool(a == b or (a != a and b != b))


def watched(learner: AnyLearner, game: Any) -> tuple[float, float]:
    """The interval that entries are refused outside of: where the learner, or the loss itself, needs one."""
    needs = learner.bounded or isinstance(game, Vote)
    if needs or isinstance(getattr(game, "loss", None), losses.Entropic):
        return interval(game)
    return -HUGE, HUGE


def interval(game: Any) -> tuple[float, float]:
    """The interval that predictions and outcomes (or losses) must lie in."""
    if isinstance(game, Vote):
        return 0.0, HUGE
    if isinstance(game, ALLOTTED):
        return game.low, game.high
    loss = getattr(game, "loss", None)
    if isinstance(loss, losses.ZeroOne):
        return -HUGE, HUGE  # labels may be any numbers
    return (loss.low, loss.high) if loss is not None and losses.declared(loss) else (-HUGE, HUGE)


def begin(learner: AnyLearner, shape: Shape) -> Any:
    """The first state, its numbers coerced to the types that the rules return."""
    return settle(learner.begin(shape))


def settle(v: Any) -> Any:
    if hasattr(v, "_fields"):
        kinds = type(v).__annotations__
        return type(v)(
            *[
                float(part) if str(kinds[f]) in ("float", "<class 'float'>") else settle(part)
                for f, part in zip(v._fields, v, strict=True)
            ]
        )
    if isinstance(v, np.ndarray):
        return np.ascontiguousarray(v)
    return int(v) if isinstance(v, (bool, int, np.integer)) else v


def entries(a: Any) -> str:
    return str(len(a)) if a.ndim == 1 else f"shape {a.shape}"


def numbered(n: int) -> tuple[str, ...]:
    return tuple(f"{i + 1}" for i in range(n))


def start(
    learner: AnyLearner,
    n: int,
    *,
    allocation: bool = False,
    rounds: int = 0,
    interval: tuple[float, float] | None = None,
    labels: tuple[Any, ...] | None = None,
    seed: int = 0,
) -> Live:
    """Begin, with what is known: experts (or features), rounds, interval, labels."""
    if learner.examples:
        from .live_examples import start_examples

        return start_examples(learner, n, rounds=rounds, labels=labels, seed=seed)
    game = learner.game(allocation)
    learner, game, shape = fit(learner, game, n, rounds, interval, labels)
    if learner.labels and labels is None:
        labels = (0, 1)
    return Live(learner, game, shape, seed=seed, labels=labels)


def fit(
    learner: AnyLearner,
    game: Game,
    n: int,
    rounds: int,
    interval: tuple[float, float] | None,
    labels: tuple[Any, ...] | None,
) -> tuple[AnyLearner, Game, Shape]:
    """Put the interval into the loss, and the theorem's rates into the learner."""
    loss = getattr(learner, "loss", None)
    if interval is None and learner.bounded and loss is not None and not losses.declared(loss):
        interval = (0.0, 1.0)  # the interval of the theory, until somebody declares another
    if interval is not None:
        low, high = interval
        if not low < high:
            raise BadInput(f"interval must have low < high, not ({low}, {high})")
        if isinstance(game, ALLOTTED):
            game = type(game)(float(low), float(high))
        elif loss is not None:
            learner = learner.but(loss=losses.on(loss, float(low), float(high)))
            game = learner.game(False)
    loss = getattr(game, "loss", None)
    span = 1.0 if loss is None else losses.span(loss)
    if isinstance(game, ALLOTTED):
        span = game.high - game.low
    shape = Shape(n, int(rounds or 0), float(span), len(labels) if labels else 2)
    return learner.tuned(shape, game), game, shape


def of(learner: AnyLearner, allocation: bool, x: Any = None) -> Live:
    found = learner._live
    if learner.examples:
        from .live_examples import of_example

        return of_example(learner, x)
    if found is None:
        n = None if x is None else np.size(x)
        if n is None:
            raise BadInput(
                f"{learner.key} does not know yet how many experts there are: call start(n=…) first"
            )
        found = start(learner, n, allocation=allocation, labels=guess(learner, x))
        object.__setattr__(learner, "_live", found)
    if found.allocation != allocation:
        wanted = (
            "losses alone: update(losses)"
            if found.allocation
            else "advice and an outcome: update(advice, outcome)"
        )
        raise BadInput(f"{learner.key} began with {wanted}")
    return found


def guess(learner: AnyLearner, x: Any) -> tuple[Any, ...] | None:
    if not learner.labels:
        return None
    seen = {v for v in np.asarray(x).tolist() if v == v}
    if seen <= {0, 1}:
        return (0, 1)
    if seen <= {-1, 1}:
        return (-1, 1)
    raise BadInput(f"{learner.key}: say what the labels are: start(n, labels=(…))")


def twin(learner: AnyLearner) -> Live:
    """A live copy that shares nothing with the learner given."""
    if learner._live is None:
        raise BadInput(f"{learner.key} has not learned anything yet")
    return duplicated(learner._live)


def duplicated(found: Live) -> Live:
    """The same, which shares nothing with it."""
    made = type(found)(
        found.learner, found.game, found.shape, seed=found.seed, labels=copied(found.labels),
        state=copy(found.state), t=found.t, which=found.which, room_=copy(found.room), **found.more(),
    )  # fmt: skip
    made.names = found.names
    made.mark = found.mark
    made.tickets = {t: duplicate(ticket) for t, ticket in found.tickets.items()}
    return made


def copied(labels: Any) -> Any:
    return list(labels) if isinstance(labels, list) else labels


def frozen(learner: AnyLearner) -> Callable[..., Any]:
    still = twin(learner)
    return still.predict_any if learner.examples else lambda x=None: still.predict(x)  # type: ignore[attr-defined]
