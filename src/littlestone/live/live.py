"""A learner that has begun, one round at a time.

Its parts: the setting, which puts a round into buffers; the row, which holds the state and plays what is in the
buffers (`loop_row`, `packed_row`); the open tickets (`tickets`, `late`). Predictions for many rows are in `many`.
One thread at a time may use a live learner. For readers in other threads: `frozen`, a copy that never learns.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..core.convex_losses import BadLoss
from ..core.csr import is_sparse
from ..core.errors import BadInput
from ..core.game import ONE, PER_COORDINATE, Game, Shape, Traits
from ..core.named_tuples import field_or_none
from ..core.outcome import Outcome
from ..core.stream import Array
from ..core.vectors import Rows, row
from ..encode.named_rows import holds_rows
from ..encode.strings import holds_strings
from ..engine.compile import engine as best_engine
from ..engine.compile import opaque
from ..engine.loops import Out
from ..engine.memory import copy, interleave_columns, padded_copy
from ..games import Room, make_scratch
from ..settings.contexts import is_one
from ..settings.fit import first_state, grow_state, grown_in_place
from . import late, many
from .alarm import Alarm, alarm_of, loss_of
from .books import Books, booked_round
from .digest import digest
from .late_rounds import LateRounds
from .packed_row import checked_row, row_of
from .tickets import Ticket, Tickets

if TYPE_CHECKING:
    from pathlib import Path

    from ..core.learner import Learner
    from ..settings import Setting

    AnyLearner = Learner[Any, Any, Any, Any]


class Live:
    """A learner that has begun: it predicts, learns, and says what it would decide."""

    def __init__(
        self,
        setting: Setting,
        *,
        seed: int = 0,
        state: Any = None,
        t: int = 0,
        engine: str | None = None,
        scratch: Room | None = None,
    ) -> None:
        self.setting, self.seed, self.t = setting, seed, t
        self.learner: AnyLearner = setting.learner
        self.game: Game = setting.game
        self.traits: Traits = setting.traits
        self.shape: Shape = setting.shape
        params, kind = self.learner.params, self.traits.kind
        # functions of the user are not compiled
        self.engine = "plain" if opaque(params) or opaque(self.game) else engine or best_engine()
        if state is None:
            state = first_state(self.learner, self.shape)
        if scratch is None:
            scratch = make_scratch(self.shape, setting.action_width, self.traits.scratch)
        self.row = row_of(setting, self.laid_out(state), padded_copy(scratch), seed, self.engine)
        self.revision = setting.revision  # of the setting, when the buffers were made
        self.tickets = Tickets()
        self.late_rounds: LateRounds | None = None  # of the run that it comes from
        self.books: Books | None = None  # regret as it happens, where that is asked for
        self.alarm: Alarm | None = None  # whether its loss goes up, where that is asked for
        self.examples = kind.has_examples
        self.acts_on_numbers = self.row.acts_on_numbers
        # Does the decision not depend on the example: weights of experts, a point of a set?
        self.decides_alone = (kind.losses_alone and not self.learner.tasked) or (
            self.examples and self.traits.decision == PER_COORDINATE
        )

    # Its parts.

    @property
    def state(self) -> Any:
        return self.row.state

    @state.setter
    def state(self, new: Any) -> None:
        self.row.state = new

    def replace_state(self, state: Any) -> None:
        """Go on with another state of the same shape, in memory of its own."""
        self.state = self.laid_out(state)

    @property
    def scratch(self) -> Room:
        """The scratch space of the game."""
        return self.row.scratch

    @property
    def decisions(self) -> Array:
        """The decision of the last round that was looked at."""
        return self.row.decisions

    @property
    def out(self) -> Out:
        """What the loop wrote of that round."""
        return self.row.out

    @property
    def params(self) -> Any:
        return self.row.params

    @property
    def guarded(self) -> bool:
        """Does it call functions of the user, which may return anything?"""
        return self.row.guarded

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
        return self.setting.coder

    @property
    def width(self) -> int:
        """Features of a dense example; -1 where examples are sparse."""
        return self.setting.width

    # Copies and files.

    def copied(self) -> Self:
        """A copy that shares no memory with this one."""
        made = type(self)(
            self.setting.copied(), seed=self.seed, state=copy(self.state), t=self.t, engine=self.engine,
            scratch=copy(self.scratch),
        )  # fmt: skip
        made.tickets, made.late_rounds = self.tickets.copied(), self.late_rounds
        if self.books is not None:
            made.take_books(self.books.copied(made))
        if self.alarm is not None:
            made.alarm = Alarm.revive(self.alarm.body())
        return made

    def set_alarm(self, level: Any, claimed: Any, reference: Any, largest: Any) -> Alarm:
        """Test from now on whether the loss is larger than claimed, or than in a reference period."""
        if self.alarm is not None:
            raise BadInput(f"this {self.learner.key} has an alarm already: alarm() returns it")
        self.alarm = alarm_of(self, level, claimed, reference, largest)
        return self.alarm

    def keep_books(self) -> None:
        """Fold costs and comparators from the first round on."""
        if self.books is None and self.t:
            raise BadInput(
                f"{self.learner.key} has played {self.t:,} rounds: theorems count from the first one, and so do books; "
                "begin anew, with keep_books() before the first round"
            )
        if self.books is None:
            self.take_books(Books(self))

    def current_books(self) -> Books | None:
        """Its books, up to the oldest open round."""
        if self.books is not None:
            self.books.fold(self)
        return self.books

    def take_books(self, books: Books) -> None:
        """Go on with these books."""
        self.books, self.row.keeps_decisions = books, True

    def joined_by(self, names: tuple[str, ...]) -> Self:
        """The learner with more experts, those of `names` behind its own: itself where there are none."""
        s, known = self.setting, self.names or ()
        if not s.traits.kind.has_experts or names[: len(known)] != known or names == known:
            return self
        if not known or not self.learner.newcomers():
            return self
        if len(self.tickets):
            raise BadInput(
                f"{names[len(known)]!r} cannot join {self.learner.key} while {len(self.tickets):,} tickets are open: "
                "tell their outcomes first"
            )
        setting = s.copied()
        setting.names = names
        setting.resize(s.shape._replace(n=len(names)))
        setting.buffers()
        state = grow_state(self.learner, copy(self.state), setting.shape)
        made = type(self)(setting, seed=self.seed, state=state, t=self.t, engine=self.engine)
        made.scratch.last[:] = self.scratch.last
        made.tickets = self.tickets.copied()
        return made

    def frozen(self) -> Callable[..., Any]:
        """A function that predicts with a copy of what has been learned, and never learns; one row, or many."""
        from threading import Lock

        copy_, lock = self.copied(), Lock()

        def predict(x: Any = None) -> Any:
            with lock:  # threads may share this function, and the buffers hold one round
                return copy_.predict_any(x)

        return predict

    def digest(self, tickets: bool = False) -> str:
        """A hash of the bits that decide what it will do; with its open tickets, or without."""
        return digest(self, tickets)

    def to_bytes(self) -> bytes:
        """What its file would hold."""
        from .store import live_to_bytes

        return live_to_bytes(self)

    def __reduce__(self) -> Any:
        """For joblib and whatever else pickles: the bytes of its file. The class of the learner is imported first."""
        from .store import live_from_bytes

        return live_from_bytes, (type(self.learner), self.to_bytes())

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """`copy.deepcopy` of a learner. Array by array, buffers and their views would part: it read old examples."""
        made = memo[id(self)] = self.copied()
        return made

    # Growth, and rounds that are refused: they leave no trace.

    def laid_out(self, state: Any) -> Any:
        """The state in memory: of sparse examples, all numbers of a feature lie side by side, in one cache line.

        Not where rules make arrays anew: of as many rows as there are features, one was taken for numbers of these.
        """
        side_by_side = self.setting.sparse and self.learner.fixed
        return interleave_columns(state, self.shape.n) if side_by_side else padded_copy(state)

    def fit(self, shape: Shape | None = None, in_place: bool = False) -> None:
        """Follow the setting, whose shape or buffers have changed, or take a smaller shape: the one place to grow.

        `in_place`: nothing will be taken back, and more classes may share memory with the state of before.
        """
        s = self.setting
        shape = s.shape if shape is None else shape
        revision = s.revision if shape == s.shape else -1
        if shape == self.shape and revision == self.revision:
            return
        wide, acts = s.widths(shape)
        state = self.state
        if shape != self.shape:
            same = shape.n == self.shape.n
            self.shape = shape
            if in_place and same:
                state = grown_in_place(self.learner, state, shape)
            else:
                state = self.laid_out(grow_state(self.learner, state, shape))
            last = self.scratch.last
            if last.shape[1] != acts:
                self.row.scratch = padded_copy(make_scratch(shape, acts, self.traits.scratch))
                self.scratch.last[:, : last.shape[1]] = last
        self.row.make_buffers(wide, acts)
        self.state = state  # a packed one refers to the buffers of before
        self.revision = revision

    def follow(self) -> None:
        """Follow the setting, until this round is taken back."""
        if self.setting.shape != self.shape:
            undo = partial(self.put_back, self.shape, self.state, self.scratch)
            self.setting.undo.append(undo)
        self.fit()

    def put_back(self, shape: Shape, state: Any, scratch: Room) -> None:
        """Take the shape, state and scratch space of before; the buffers follow with `fit`."""
        self.shape, self.state, self.row.scratch, self.revision = shape, state, scratch, -1

    def begin_round(self) -> None:
        """What the rounds before this one have changed stays."""
        if self.setting.undo:
            self.setting.undo.clear()

    def take_back(self) -> None:
        """After a round was refused: setting and state are as they were before it."""
        s = self.setting
        s.take_back()
        if s.revision != self.revision:
            self.fit()

    # Predictions.

    def predict(self, x: Any = None) -> Any:
        """The action for a round, as the user sees it; an array of them for many rows."""
        if x is None and self.decides_alone and not self.acts_on_numbers:
            return self.weights()
        if (type(x) is not np.ndarray or x.ndim != 1) and holds_rows(x) and not self.one_context(x):
            return many.predict_rows(self, x)
        if self.learner.strings and holds_strings(x):
            return many.predict_rows(self, x)
        if self.acts_on_numbers:
            return self.predict_example(x)
        return self.predict_next(x)

    def predict_next(self, x: Any = None) -> Any:
        """The action for one round."""
        self.look_at(x)
        W, A = self.row.written
        return self.setting.as_prediction(A.item() if self.traits.width == ONE else A.copy(), W)

    def look_at(self, x: Any) -> None:
        """Decide and act on one round, into W and out.actions; a feature that was never learned from gets no place."""
        s: Any = self.setting
        self.begin_round()
        try:
            if self.examples:
                s.example(x, False)
                if self.learner.boolean:
                    s.refuse_fraction()
            else:
                s.example(x)
            if s.revision != self.revision:
                self.fit()
            self.row.look(self.t)
        except BaseException as problem:
            self.take_back()
            s.name_field(problem, x)
            raise

    def predict_example(self, x: Any) -> Any:
        """The action for one example, where it is a number and needs no scratch space."""
        s: Any = self.setting
        learner = self.learner
        try:
            if learner.weighs_unseen and s.sparse and not s.knows(x):
                return self.with_places_for(x).predict_example(x)
            s.example(x, False)
            if s.revision != self.revision:
                self.fit()
            if learner.boolean:
                s.refuse_fraction()
            a = self.row.act(self.t)
        except BadInput as problem:
            s.name_field(problem, x)
            raise
        return float(a) if s.coder is None else s.coder.label(a)

    def with_places_for(self, x: Any) -> Self:
        """A copy with places for the features of x: where features weigh something before they occur."""
        other = self.copied()
        other.setting.example(x)
        other.fit()
        return other

    def one_context(self, x: Any) -> bool:
        """Is a matrix what is known of one round of a bandit: a row for each arm, or for each adviser?"""
        s: Any = self.setting
        return self.traits.kind.has_arms and is_one(x, s.features)

    # Learning.

    def update(self, x: Any, y: Any = None, importance: float = 1.0) -> None:
        """Learn from a round, or raise and leave everything as it was."""
        before = None if self.alarm is None else self.act_before_learning(x)
        self.begin_round()
        try:
            if self.examples:
                self.update_example(x, y, importance)
            else:
                self.setting.take(x, y, importance)
                self.row.learn_round(self.t)
        except BaseException as problem:
            self.take_back()
            self.setting.name_field(problem, x)
            raise
        self.begin_round()  # what would take this one back is not kept until the next one
        if self.books is not None:
            self.books.begin_round(self.t)
            round_ = booked_round(self, self.row.decision, self.row.action)
            self.books.settle(self, self.t, round_)
        if self.alarm is not None:
            told = y if self.traits.kind.has_outcomes else None
            prediction, decision = before or (None, None)
            self.alarm.settle(self, self.t, loss_of(self, prediction, decision, told))
        if self.setting.lags is not None:
            self.setting.remember(np.full(1, np.nan if y is None else y, float))
        self.t += 1

    def act_before_learning(self, x: Any) -> tuple[Any, Any]:
        """The prediction and the decision of the round that comes, for its loss."""
        if self.traits.kind.losses_alone:
            return None, self.weights()
        return self.predict(x), None

    def update_example(self, x: Any, y: Any, importance: float) -> None:
        s: Any = self.setting
        if y is None and not s.needs_outcome:
            y = 0.0
        if y is None:
            raise BadInput(
                f"{self.learner.key} needs examples and outcomes: update(x, y); "
                "a round without an answer has the outcome nan",
                field="outcome",
            )
        if type(importance) is not float or importance != 1.0:
            late.refuse_importance(self, importance)
        try:  # before the example: what is wrong with a label is said first
            code = s.code_outcome(y)
        except BadInput as problem:
            problem.about("outcome", y)
            raise
        try:
            self.learn_example(x, code, importance)
        except BadLoss as problem:
            raise problem.within(f"round {self.t + 1}") from problem.__cause__

    def learn_example(self, x: Any, code: float, importance: float) -> None:
        """Learn from one example with the outcome `code`."""
        s: Any = self.setting
        s.example(x)
        if code >= self.shape.classes and s.coder is not None:
            checked_row(s)  # first: an example that is refused must not make room for its class
            s.grow(classes=len(s.coder))
        if s.revision != self.revision:
            self.follow()
        if self.learner.boolean:
            s.refuse_fraction()
        if s.lags is not None and not s.lags.known:
            importance = 0.0  # no outcome is known that it could start from
        self.row.learn(code, importance, self.t)

    def update_action(self, x: Any, action: Any, y: Any, propensity: Any = None) -> None:
        """Learn from a round in which `action` was taken, whatever this learner would have done.

        `propensity`: the probability with which it was taken, where something else decided.
        """
        self.begin_round()
        try:
            late.learn_action(self, x, action, y, propensity)
        except BaseException as problem:
            self.take_back()
            self.setting.name_field(problem, x)
            raise
        if self.alarm is not None:
            self.alarm.settle(self, self.t, loss_of(self, None, None, y))
        self.t += 1

    # Decisions.

    def weights(self) -> Any:
        """The decision for the next round, whatever its example."""
        s: Any = self.setting
        if self.traits.kind.has_arms:
            return self.decide(np.zeros(s.features) if s.features else None)
        if self.examples and not self.decides_alone:
            w = field_or_none(self.state, "w")
            if w is None:
                raise BadInput(
                    f"{self.learner.key} decides by example: see learner.state, or predict(x)"
                )
            return w.copy()
        return np.array(self.params.decide(self.state, row(s.views[0], 0)), dtype=float)

    def decide(self, x: Any) -> Any:
        """The decision for a round: weights, propensities, a score, or a score for each class."""
        s: Any = self.setting
        if s.sparse and self.learner.weighs_unseen and not s.knows(x):
            return self.with_places_for(x).decide(x)
        self.look_at(x)
        return self.row.decision

    def ask_score(self, x: Any) -> Any:
        """The score of an example, or a list with one for each class; nothing is learned."""
        found = self.decide(x)
        return found.tolist() if isinstance(found, np.ndarray) else found

    # Late feedback.

    def ask(self, x: Any = None, chosen: tuple[int, Any] | None = None) -> Ticket:
        """Decide and act now, learn later; `chosen`: the arm that something else took, and with which probability."""
        return late.ask(self, x, chosen)

    def tell(self, ticket: Ticket | str, y: Any, importance: float = 1.0) -> None:
        """Learn the outcome y of the round of a ticket, in any order; y = None: it will never be known."""
        late.tell(self, ticket, y, importance)

    def reopen(self, ticket: Ticket) -> bool:
        """Keep again a ticket that was issued after this learner was saved; False where it has its round already."""
        return late.reopen(self, ticket)

    def open_tickets(self) -> list[Ticket]:
        """Copies of the open tickets that are kept here, in the order of their rounds."""
        return self.tickets.all_kept()

    def log_tickets(self, path: str | Path | None) -> None:
        """Write tickets and outcomes to the end of a file from now on; None: no more."""
        from .ticket_log import TicketLog

        self.tickets.log = None if path is None else TicketLog(path)

    def shorten_log(self) -> None:
        """Let the log of tickets hold those that are still open, and nothing else."""
        if self.tickets.log is None:
            raise BadInput("no log of tickets is being written: see log_tickets")
        self.tickets.log.shorten(self.open_tickets())

    def recover(self, path: str | Path) -> int:
        """Do again what a log of tickets says happened after this learner was saved; return how many records."""
        from .ticket_log import recover

        return recover(self, path)

    # Many examples.

    def predict_any(self, x: Any = None) -> Any:
        """One row, or many; a sparse matrix of one row holds many."""
        rows = (is_sparse(x) and x.ndim == 2) or isinstance(x, Rows)
        return many.predict_rows(self, x) if rows else self.predict(x)

    def predict_rows(self, x: Any) -> Any:
        """The predictions for many rows: a matrix, CSR, a frame, a list of rows or of dicts. Nothing is learned."""
        return many.predict_rows(self, x)

    def predict_proba(self, x: Any) -> Any:
        """The probability of each class by its label; for many rows a matrix, a column for each of `labels`."""
        return many.predict_proba(self, x)

    def many(self, x: Any) -> tuple[Any, Any]:
        """Decisions and actions for many examples, learning from none."""
        return many.charge_rows(self, x, None)[:2]

    def charge_rows(self, x: Any, outcomes: Outcome | None = None) -> tuple[Any, Any, Any]:
        """Decisions, actions, and what each action costs where outcomes (coded) are given; NaN elsewhere."""
        return many.charge_rows(self, x, outcomes)
