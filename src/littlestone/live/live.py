"""A learner that has begun, one round at a time: the same loop as `play`, called with one row.

One thread at a time may use a live learner. For readers in other threads: `frozen`, a copy that never learns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.convex_losses import BadLoss
from ..core.errors import BadInput, not_finite
from ..core.game import ONE, PER_COORDINATE, Game, Shape, Traits
from ..core.outcome import Outcome
from ..core.rows import BIG, count, flat, width_of, with_constant
from ..core.vectors import Rows, row
from ..engine.checks import array
from ..engine.compile import direct, engine, opaque, ready
from ..engine.loops import Out, answer, glance, rounds, step
from ..engine.memory import copy, read_only, rebuilt, spaced
from ..engine.packed import Packed, clean, numbers
from ..games import Room, room
from ..settings.examples import matrix, within
from ..settings.fit import first_state, grown
from ..settings.named_rows import columns_of, each_row, holds_rows, in_order
from ..settings.setting import named_by_user
from ..settings.vocabulary import every_number
from .probabilities import probabilities
from .tickets import Ticket, Tickets, duplicate

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..settings import Setting

    AnyLearner = Learner[Any, Any, Any, Any]

NONE1, NONE2 = np.empty(0), np.empty((0, 0))
LOOK, LEARN, CHARGE = 0, 1, 2  # what a round is for


class Live:
    """A learner that has begun: its setting, state, scratch space, seed and round number."""

    _state: Any
    _moved = False  # has compiled code changed numbers of the state that were not read back yet?

    def __init__(
        self,
        setting: Setting,
        *,
        seed: int = 0,
        state: Any = None,
        t: int = 0,
        which: str | None = None,
        room_: Room | None = None,
    ) -> None:
        self.setting, self.seed, self.t = setting, seed, t
        self.learner: AnyLearner = setting.learner
        self.game: Game = setting.game
        self.params = self.learner.params
        self._packed: Packed | None = None
        functions = opaque(self.params) or opaque(
            self.game
        )  # of the user, which may return anything
        self.which = "plain" if functions else which or engine()
        self.shape: Shape = setting.shape
        self.state = spaced(first_state(self.learner, self.shape) if state is None else state)
        self._next = rebuilt(self._state)
        if room_ is None:
            room_ = room(self.shape._replace(n=setting.scratch), setting.action_width)
        self.room = spaced(room_)
        self.guarded = functions
        self.tickets = Tickets()
        self.log: Any = None  # where tickets are written down as they are issued and told
        traits = setting.traits
        # One example in compiled form needs no scratch space, and arrays of the state that stay where they are.
        self.packs = (
            traits.given == "examples"
            and self.learner.fixed
            and not traits.scratch
            and traits.width == ONE
        )
        # Where rounds bring losses, nothing is known of a round before it is over.
        self.checks_first = traits.given in ("advice", "examples")
        self.buffers()

    def buffers(self) -> None:
        """What one round writes: its action, cost and decision."""
        s = self.setting
        drawn = np.zeros(1) if s.traits.draws else NONE1
        self.W = np.zeros((1, s.decision_width))
        A = np.zeros((1, s.action_width))
        self.out = Out(A, np.zeros(1), drawn, NONE2, NONE2, NONE2, NONE2)
        self.asking = self.out._replace(W=self.W)
        self._loops: dict[bool, Callable[..., Any]] = {}
        self._seen = s.views

    # What it is made of.

    @property
    def state(self) -> Any:
        """What it has learned; read back where rounds were played in compiled form."""
        if self._moved and self._packed is not None:
            self._state, self._moved = self._next(self._state, self._packed.numbers()), False
        return self._state

    @state.setter
    def state(self, new: Any) -> None:
        self._state, self._moved, self._packed = new, False, None

    @property
    def packed(self) -> Packed:
        if self._packed is None:
            values = (self.params, self.game, self.setting.row, self.seed, BIG)  # type: ignore[attr-defined]
            self._packed = Packed(values, self._state)
        return self._packed

    @property
    def traits(self) -> Traits:
        return self.setting.traits

    @property
    def labels(self) -> Any:
        return self.setting.labels

    @property
    def names(self) -> tuple[str, ...] | None:
        return self.setting.names

    @property
    def intercept(self) -> bool:
        return self.setting.intercept

    @property
    def sparse(self) -> bool:
        return self.setting.sparse

    @property
    def bits(self) -> int | None:
        return self.setting.bits

    @property
    def coder(self) -> Any:
        """Codes of labels, of learners over examples."""
        return self.setting.coder  # type: ignore[attr-defined]

    @property
    def width(self) -> int:
        """Features of a dense example; -1 where examples are sparse."""
        return self.setting.width  # type: ignore[attr-defined,no-any-return]

    def copied(self) -> Live:
        """The same, which shares nothing with it."""
        made = Live(
            self.setting.copied(), seed=self.seed, state=copy(self.state), t=self.t, which=self.which,
            room_=copy(self.room),
        )  # fmt: skip
        made.tickets = self.tickets.copied()
        return made

    def fit(self) -> None:
        """Let the state grow to the shape of the setting."""
        shape = self.setting.shape
        if shape is self.shape:
            if self.setting.views is not self._seen:  # there are new buffers for one round
                self.state = self.state  # what is packed knows the old ones
                self.buffers()
            return
        self.state = grown(self.learner, self.state, shape)
        self.shape = shape
        if self.room.last.shape[1] != self.setting.action_width:
            wide = room(shape._replace(n=self.setting.scratch), self.setting.action_width)
            k = self.room.last.shape[1]
            wide.last[:, :k] = self.room.last
            self.room = spaced(wide)
        self.buffers()

    # The loop, with one row.

    def once(self, game: Game, out: Out, learn: int, every: int, check: bool) -> Any:
        """The row in the buffers through the loop; the next state."""
        s = self.setting
        low, high = (s.low, s.high) if check else (1.0, 0.0)
        arguments = (
            self.params, game, self.state, *s.views, s.flat, out, self.room, self.seed, self.t, learn, every, 0,
            float(low), float(high),
        )  # fmt: skip
        wrapped = game is not self.game
        found = self._loops.get(wrapped)
        if found is None:
            loop = ready(rounds, self.params, game, self.which)
            state = loop(*arguments)
            self._loops[wrapped] = direct(loop, arguments)
            return state
        return found(*arguments)

    def round(self, out: Out, learn: int, every: int, check: bool = True) -> Any:
        """The row in the buffers: the next state, or a refusal that names what is wrong with it."""
        state = self.once(self.game, out, learn, every, check)
        if self.room.stop[0] < 0.0:
            return state
        self.room.stop[0] = -1.0
        first = bool(np.isnan(self.room.last).all())
        return self.once(self.setting.instead_of_one(first), out, learn, every, False)

    def look(self) -> None:
        """Decide and act on the row in the buffers: into W and out.A. Nothing is learned."""
        last = self.room.last.copy()
        self.round(self.asking, LOOK, 1, self.checks_first)
        self.refuse_not_finite()
        self.room.last[:] = last  # only a round that is learned from counts as the last one

    def refuse_not_finite(self) -> None:
        """Refuse to hand out a decision, or an action, that is not finite."""
        if self.traits.infinite:
            if any(v != v for v in (*self.W[0].tolist(), *self.out.A[0].tolist())):
                raise not_finite(self.learner.key, self.t, [np.nan])
            return
        total = self.W[0].sum() + self.out.A[0].sum()
        if not isfinite(total):
            A, bad = self.out.A[0], ~np.isfinite(self.W[0])
            # experts that sleep may have no weight
            spoiled = bad.any() if self.traits.given == "examples" else bad.all()
            if spoiled or not np.isfinite(A).all():
                raise not_finite(self.learner.key, self.t, np.append(self.W[0], A))

    @property
    def action(self) -> Any:
        """The action of the last look: a number, or a vector."""
        A = self.out.A
        return float(A[0, 0]) if self.traits.width == ONE else A[0].copy()

    @property
    def decision(self) -> Any:
        """The decision of the last look: a number, or a vector."""
        one = self.setting.traits.decision == ONE
        return float(self.W[0, 0]) if one else self.W[0].copy()

    @property
    def decides_alone(self) -> bool:
        """Is there a decision before anything is known of a round: weights of experts, a point of a set?"""
        if self.traits.given == "losses":
            return not self.learner.tasked
        return self.traits.given == "examples" and self.traits.decision == PER_COORDINATE

    def one_context(self, x: Any) -> bool:
        """Is a matrix what is known of one round of a bandit: a row for each arm, or for each adviser?"""
        s: Any = self.setting
        return self.traits.given == "arms" and np.asarray(x, dtype=object).size == s.features

    # What a learner does.

    def predict(self, x: Any = None) -> Any:
        """The action for a round, as the user sees it; an array of them for many rows."""
        if (type(x) is not np.ndarray or x.ndim != 1) and holds_rows(x) and not self.one_context(x):
            return self.predict_rows(x)
        if self.packs:
            return self.predict_example(x)
        if x is None and self.decides_alone:
            return self.weights()
        s: Any = self.setting
        if self.traits.given == "examples":
            s.example(x, False)  # a feature that was never learned from gets no place
        else:
            s.example(x)
        self.fit()
        self.look()
        return self.setting.said(self.action, self.W[0].copy())

    def predict_example(self, x: Any) -> Any:
        """The same for one example, without scratch space: in compiled form, or in plain Python."""
        s: Any = self.setting
        if s.sparse and self.learner.innate and not s.knows(x):
            # features that were never there weigh something already: a copy meets them
            other = self.copied()
            other.setting.example(x)
            other.fit()
            return other.predict_example(x)
        s.example(x, False)
        if s.views is not self._seen:
            self.fit()
        if self.learner.boolean:
            s.refuse_fraction()
        if self.which == "plain":
            a = glance(self.params, self.game, self.state, self.checked_row(), self.seed, self.t)
        else:
            a = self.packed.predict(self.t)
        if not isfinite(a):
            s.refuse(False)
            raise not_finite(self.learner.key, self.t, [a])
        return float(a) if s.coder is None else s.coder.label(a)

    def checked_row(self) -> Any:
        """The example in the buffers, for one row in plain Python."""
        s: Any = self.setting
        x = row(s.row, 0) if s.sparse else s.row
        if not clean(numbers(x), BIG):
            s.refuse()
        return x

    def update(self, x: Any, y: Any = None, importance: float = 1.0) -> None:
        """Learn from a round."""
        if self.traits.given == "examples":
            self.update_example(x, y, importance)
        else:
            self.setting.take(x, y, importance)
            self.state = self.round(self.out, LEARN, 0)
        self.t += 1

    def update_example(self, x: Any, y: Any, importance: float) -> None:
        s: Any = self.setting
        if y is None and not s.needs_outcome:
            y = 0.0
        if y is None:
            raise BadInput(
                f"{self.learner.key} needs examples and outcomes: update(x, y); "
                "a round without an answer has the outcome nan"
            )
        if not is_importance(importance):
            raise BadInput(f"importance must be a number of at least 0, not {importance!r:.80}")
        known = len(s.coder.codes) if s.coder is not None else 0
        code = s.outcome(y)  # before the example: a label that is refused leaves all as it was
        try:
            self.learn_example(x, code, importance)
        except BadInput as problem:
            if s.coder is not None and len(s.coder.codes) > known:
                s.coder.forget(y)
            if isinstance(problem, BadLoss):
                raise BadInput(f"round {self.t + 1}: {problem}") from problem.__cause__
            raise

    def learn_example(self, x: Any, code: float, importance: float) -> None:
        """One round, or a refusal."""
        s: Any = self.setting
        s.example(x)
        if code >= self.shape.classes and s.coder is not None:
            self.checked_row()  # an example that is refused makes no room for its class
            s.grow(classes=len(s.coder))
        if s.shape is not self.shape or s.views is not self._seen:
            self.fit()
        if self.learner.boolean:
            s.refuse_fraction()
        if not self.packs:
            s.Y.y[0], s.Y.h[0] = code, importance
            before = copy(self.state) if self.guarded else None
            self.state = self.round(self.out, LEARN, 0)
            if before is not None and np.isinf(self.out.C[0]):  # as `play` refuses it
                self.state = before
                raise BadLoss("the loss is infinite", s.flat)
        elif self.which == "plain":
            self.state = step(
                self.params, self.game, self.state, self.checked_row(), code, float(importance), self.seed, self.t
            )  # fmt: skip
        elif self.packed.update(code, float(importance), self.t):
            self._moved = True
        else:
            s.refuse()

    def update_action(self, x: Any, action: Any, y: Any, propensity: Any = None) -> None:
        """Learn from a round in which `action` was taken, whatever this learner would have done.

        `propensity`: the probability with which it was taken, where something else decided.
        """
        self.setting.example(x)
        self.look()
        decision = self.decision
        if propensity is not None:
            decision = with_probability(decision, int(action), propensity)
        if not decision[int(action)] > 0.0:
            raise BadInput(
                f"arm {int(action)} had probability 0 in this round, so nothing can be learned from it; "
                "tell the arm that predict returned"
            )
        self.setting.answer(y, action)
        self.teach(decision, float(action))
        self.t += 1

    def teach(self, decision: Any, action: Any) -> None:
        """Learn from the round in the buffers with a decision and an action of then, never with those of now."""
        s, game = self.setting, self.game
        if s.sleeper is not None and np.isnan(s.X).any():
            game = s.sleeper
        learn = ready(answer, self.params, game, self.which)
        self.state = learn(
            self.params, game, self.state, *s.views, decision, action, self.room
        )  # fmt: skip

    def ask(self, x: Any = None) -> Ticket:
        """Decide and act now, learn later."""
        self.setting.example(x)
        self.fit()
        self.round(self.asking, LOOK, 1, self.checks_first)
        self.refuse_not_finite()
        decision, action = self.decision, self.action
        said = self.setting.said(action, self.W[0].copy())
        ticket = Ticket(self.t, self.setting.kept(), said, decision, action)
        issued = self.tickets.issue(ticket, self.learner.key)
        if self.log is not None:  # before the ticket is handed out
            self.log.asked(issued)
        self.t += 1
        return issued

    def reopen(self, ticket: Ticket) -> bool:
        """Take back a ticket that was issued after this learner was saved; False where it knows of its round."""
        if ticket.learner != self.learner.key or self.tickets.mark not in (0, ticket.mark):
            raise BadInput(
                f"this log was written by another learner ({ticket.learner}), not by this {self.learner.key}"
            )
        if ticket.round < self.t:
            return False
        self.tickets.mark = ticket.mark
        self.tickets.keep(ticket)
        self.t = ticket.round + 1
        return True

    def tell(self, ticket: Any, y: Any) -> None:
        """Learn what became of a ticket, in any order; None: it will never be known."""
        known = self.tickets.checked(ticket, self.learner.key, self.t)
        if y is None and not self.traits.needs_outcome:
            y = 0.0
        if y is not None:
            self.learn_ticket(known, y)
        self.tickets.close(known.round)
        if self.log is not None:
            self.log.told(known, y)

    def learn_ticket(self, ticket: Ticket, y: Any) -> None:
        s: Any = self.setting
        s.restore(ticket.x)
        if not s.answer(y, ticket.action):
            return
        self.fit()
        decision = ticket.decision
        wide = self.W.shape[1]
        if isinstance(decision, np.ndarray) and len(decision) < wide:
            decision = np.append(
                decision, np.zeros(wide - len(decision))
            )  # later classes had no score
        try:
            action = ticket.action
            if isinstance(action, np.ndarray) and len(action) < s.action_width:
                action = np.append(action, np.zeros(s.action_width - len(action)))
            self.teach(decision, action)
        except BadLoss as problem:
            raise BadInput(f"round {ticket.round + 1}: {problem}") from problem.__cause__

    def open_tickets(self) -> list[Ticket]:
        """Copies of the tickets that are kept here and not yet told, in the order of their rounds."""
        return [duplicate(self.tickets.kept[t]) for t in sorted(self.tickets.kept)]

    # Decisions.

    def weights(self) -> Any:
        """The decision for the next round, whatever its example."""
        if self.traits.given == "arms":
            s: Any = self.setting
            return self.decide(np.zeros(s.features) if s.features else None)
        if self.traits.given == "examples" and not self.decides_alone:
            if not hasattr(self.state, "w"):
                raise BadInput(
                    f"{self.learner.key} decides by example: see learner.state, or predict(x)"
                )
            return self.state.w.copy()
        return np.array(self.params.decide(self.state, row(self.setting.views[0], 0)), dtype=float)

    def decide(self, x: Any) -> Any:
        """The decision for a round: weights, propensities, a score, or a score for each class."""
        s: Any = self.setting
        if self.traits.given == "examples":
            if s.sparse and self.learner.innate and not s.knows(x):
                other = self.copied()
                other.setting.example(x)
                other.fit()
                return other.decide(x)
            s.example(x, False)
            if self.learner.boolean:
                s.refuse_fraction()
        else:
            s.example(x)
        self.fit()
        self.look()
        return self.decision

    def ask_score(self, x: Any) -> Any:
        """The score of an example, or a list with one for each class; nothing is learned."""
        found = self.decide(x)
        return found.tolist() if isinstance(found, np.ndarray) else found

    # Many examples.

    def predict_any(self, x: Any = None) -> Any:
        """One row, or many; a sparse matrix of one row holds many."""
        rows = (hasattr(x, "tocsr") and x.ndim == 2) or isinstance(x, Rows)
        return self.predict_rows(x) if rows else self.predict(x)

    def predict_rows(self, x: Any) -> Any:
        """The predictions for many rows: a matrix, CSR, a frame, a list of rows or of dicts. Nothing is learned."""
        x = self.matched(x)
        if self.traits.given == "examples" and not isinstance(x, list):
            return self.setting.decode(self.many(x)[1])
        said = []
        for t, row_ in enumerate(x):
            try:
                said.append(self.predict(row_))
            except BadInput as problem:
                raise BadInput(f"row {t + 1}: {problem}") from None
        return np.array(said)

    def matched(self, x: Any) -> Any:
        """Many rows, those of a frame by the names that the learner was trained on: a matrix, or a list of rows."""
        names, s = columns_of(x), self.setting
        examples = self.traits.given == "examples"
        if names is None:
            if not examples or (isinstance(x, list) and isinstance(x[0], Mapping)):
                return list(x)
            return matrix(every_number(self.learner.vocabulary, x))
        known: Any = [name for name, _ in s.columns] if s.sparse else s.names  # type: ignore[attr-defined]
        if not s.sparse and not named_by_user(s.names):
            raise BadInput(
                f"this frame has names, and {self.learner.key} was trained on rows without: pass its numbers alone"
            )
        rows = each_row(x)
        if known:  # columns that it was not trained on are passed over
            chosen = [in_order(row_, known, "column", True) for row_ in rows]
            rows = [dict(zip(known, v, strict=True)) for v in chosen] if s.sparse else chosen
        rows = every_number(self.learner.vocabulary, rows, True)
        return array(rows, "examples", 2) if examples and not s.sparse else rows

    def predict_proba(self, x: Any) -> Any:
        """The probability of each class by its label; for many rows a matrix, a column for each of `labels`."""
        if not holds_rows(x):
            return probabilities(self, x)
        rows = self.matched(x)
        if isinstance(rows, Rows):
            rows = [row(rows, t) for t in range(count(rows))]
        found = [probabilities(self, one) for one in rows]
        return np.array([[p.get(y, 0.0) for y in self.labels] for p in found])

    def many(self, x: Any) -> tuple[Any, Any]:
        """Decisions and actions for many examples, learning from none."""
        return self.charged(x)[:2]

    def charged(self, x: Any, outcomes: Outcome | None = None) -> tuple[Any, Any, Any]:
        """The same, and what each action costs where outcomes (coded) are given; NaN elsewhere."""
        s: Any = self.setting
        X = matrix(x)
        if isinstance(X, Rows) != s.sparse:
            raise BadInput(
                f"{self.learner.key} began with {'sparse' if s.sparse else 'dense'} examples; these are not"
            )
        T = count(X)
        if s.sparse:
            place = self.shape.n - int(s.intercept)
            if width_of(X) > place and self.learner.innate:
                other = self.copied()
                other.setting.grow(width=width_of(X))  # type: ignore[attr-defined]
                other.fit()
                return other.charged(X, outcomes)
            if width_of(X) > place:  # features it has never seen weigh nothing
                X = within(X, place)
        elif X.shape[1] != s.width:
            raise BadInput(
                f"an example must have {s.width} features, as the first one, not {X.shape[1]}"
            )
        s.check(X, Outcome(np.zeros(T), np.ones(T)), 0, "outcome")
        charge = outcomes is not None
        Y = read_only(outcomes if charge else Outcome(np.zeros(T), np.ones(T)))
        out = Out(
            np.empty((T, s.action_width)), np.full(T, np.nan), np.empty(T if s.traits.draws else 0), NONE2, NONE2,
            np.empty((T, self.W.shape[1])), NONE2,
        )  # fmt: skip
        loop, X = ready(rounds, self.params, self.game, self.which), read_only(X)
        last = self.room.last.copy()
        self.room.stop[0] = -1.0
        loop(
            self.params, self.game, self.state, with_constant(X, s.intercept), Y, flat(X), out, self.room,
            self.seed, self.t, CHARGE if charge else LOOK, 1, 0, -BIG, BIG,
        )  # fmt: skip
        self.room.last[:] = last
        if self.room.stop[0] >= 0.0:
            self.room.stop[0] = -1.0
            s.instead(X, Y, 0, {}, "")
        A = out.A[:, 0] if s.traits.width == ONE else out.A
        return (out.W[:, 0] if s.traits.decision == ONE else out.W), A, out.C

    def frozen(self) -> Callable[..., Any]:
        """A function that predicts with a copy of what has been learned, and never learns; one row, or many."""
        return self.copied().predict_any


def with_probability(decision: Any, arm: int, p: Any) -> Any:
    """A decision in which an arm has the probability p, and the others share the rest as before."""
    try:
        p = float(p)
    except (TypeError, ValueError, OverflowError):
        p = np.nan
    if not 0.0 < p <= 1.0:
        raise BadInput(
            f"propensity must be a probability, more than 0 and at most 1, not {p!r:.60}"
        )
    rest = 1.0 - decision[arm]
    shared = decision * ((1.0 - p) / rest) if rest > 0.0 else np.zeros(len(decision))
    if rest <= 0.0 and len(decision) > 1:
        shared[:] = (1.0 - p) / (len(decision) - 1)
    shared[arm] = p
    return shared


def is_importance(h: Any) -> bool:
    """Is it one number, 0 or more?"""
    try:
        return bool(0.0 <= h <= BIG)
    except (TypeError, ValueError):
        return False
