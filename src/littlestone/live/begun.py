"""The parts of a live learner (setting, state, buffers), and the loop of `play`, called with one row."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..core.errors import BadInput, not_finite
from ..core.game import ONE, PER_COORDINATE, Game, Shape, Traits
from ..core.rows import BIG
from ..core.views import view
from ..engine.compile import compiled, direct, engine, opaque
from ..engine.loops import Out, rounds
from ..engine.memory import classes_of, copy, in_lines, rebuilt, spaced
from ..engine.packed import Packed
from ..games import Room, room
from ..settings.contexts import is_one
from ..settings.fit import first_state, grown
from .late_rounds import LateRounds
from .tickets import Tickets

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..settings import Setting

    AnyLearner = Learner[Any, Any, Any, Any]

NONE1, NONE2 = np.empty(0), np.empty((0, 0))
FEW = 32  # numbers: Python adds up so few faster than NumPy does
LOOK, LEARN, CHARGE = 0, 1, 2  # what a round is for


class Begun:
    """A learner that has begun: its setting, state, scratch space, seed and round number."""

    _state: Any
    _next: Callable[[Any, Any], Any]  # makes the next state of numbers that compiled code changed
    smaller: tuple[Shape, Any, Room] | None = None  # shape, state and room before this round
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
        self.traits: Traits = setting.traits
        self.params = self.learner.params
        self._packed: Packed | None = None
        functions = opaque(self.params) or opaque(
            self.game
        )  # of the user, which may return anything
        self.which = "plain" if functions else which or engine()
        self.classes = classes_of(self.params, self.game)
        self.shape: Shape = setting.shape
        if state is None:
            state = first_state(self.learner, self.shape)
        # with sparse examples, all numbers of a feature lie side by side in memory: one cache line a feature
        self.state = in_lines(state, self.shape.n) if setting.sparse else spaced(state)
        if room_ is None:
            room_ = room(self.shape._replace(n=setting.scratch), setting.action_width)
        self.room = spaced(room_)
        self.guarded = functions
        self.tickets = Tickets()
        self.log: Any = None  # a TicketLog, where there is one
        self.late_rounds: LateRounds | None = None  # of the run that it comes from
        self.names_written = 0  # names of features that are in a file, or in the log
        traits = setting.traits
        # One example in compiled form needs no scratch space, and arrays of the state that stay where they are.
        self.packs = (
            traits.given == "examples"
            and self.learner.fixed
            and not traits.scratch
            and traits.width == ONE
        )
        # The same for a bandit that is offered all arms.
        self.pulls = (
            traits.given == "arms"
            and self.learner.fixed
            and not traits.scratch
            and self.which != "plain"
        )
        # Does the decision not depend on the example: weights of experts, a point of a set?
        self.decides_alone = (traits.given == "losses" and not self.learner.tasked) or (
            traits.given == "examples" and traits.decision == PER_COORDINATE
        )
        # Where rounds bring losses, nothing is known of a round before it is over.
        self.checks_first = traits.given in ("advice", "examples")
        self.buffers()

    def buffers(self) -> None:
        """What one round writes: its action, cost and decision."""
        s = self.setting
        drawn = np.zeros(1) if s.traits.draws else NONE1
        wide, acts = s.decision_width, s.action_width
        if self.shape is not s.shape:  # a copy that knows fewer classes
            wide, acts = s.widths(self.shape)
        self.W = np.zeros((1, wide))
        A = np.zeros((1, acts))
        self.out = Out(A, np.zeros(1), drawn, NONE2, NONE2, NONE2, NONE2)
        self.asking = self.out._replace(W=self.W)
        self._rows = self.W[0], A[0]
        self._loops: dict[bool, Callable[..., Any]] = {}
        self._answers: dict[
            Any, Callable[..., Any]
        ] = {}  # by what the decision and the action look like
        self._seen = s.flat

    # Its parts.

    @property
    def state(self) -> Any:
        """The state; it is read back first where compiled code has changed it."""
        if self._moved and self._packed is not None:
            self._state, self._moved = self._next(self._state, self._packed.numbers()), False
        return self._state

    @state.setter
    def state(self, new: Any) -> None:
        self._state, self._moved, self._packed = new, False, None

    @property
    def packed(self) -> Packed:
        if self._packed is None:
            s: Any = self.setting
            if self.pulls:
                x, y = s.whole
                self._packed = Packed(
                    (self.params, self.game, x, y, self.W, self.seed), self._state
                )
            else:
                self._packed = Packed((self.params, self.game, s.row, self.seed, BIG), self._state)
            self._next = rebuilt(self._state)
        return self._packed

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

    def copied(self) -> Self:
        """A copy that shares no memory with this one."""
        made = type(self)(
            self.setting.copied(), seed=self.seed, state=copy(self.state), t=self.t, which=self.which,
            room_=copy(self.room),
        )  # fmt: skip
        made.tickets, made.late_rounds = self.tickets.copied(), self.late_rounds
        return made

    def joined_by(self, names: tuple[str, ...]) -> Self:
        """The learner with more experts, those of `names` behind its own: itself where there are none."""
        s, known = self.setting, self.names or ()
        if s.given not in ("advice", "losses") or names[: len(known)] != known or names == known:
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
        state = grown(self.learner, copy(self.state), setting.shape)
        made = type(self)(setting, seed=self.seed, state=state, t=self.t, which=self.which)
        made.room.last[:] = self.room.last
        made.tickets = self.tickets.copied()
        return made

    def __reduce__(self) -> Any:
        """For joblib and whatever else pickles: the bytes of its file. The class of the learner is imported first."""
        return view("live_from_bytes"), (type(self.learner), view("live_to_bytes")(self))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """`copy.deepcopy` of a learner. Array by array, buffers and their views would part: it read old examples."""
        made = memo[id(self)] = self.copied()
        return made

    def fit(self, shape: Shape | None = None) -> None:
        """Let the state grow to the shape of the setting, or to a smaller one."""
        shape = self.setting.shape if shape is None else shape
        if shape is self.shape or shape == self.shape:
            if self.setting.flat is not self._seen:  # there are new buffers for one round
                self.state = self.state  # unpack it: the packed form refers to the old buffers
                self.buffers()
            return
        self.shape, state = shape, grown(self.learner, self.state, shape)
        self.state = in_lines(state, shape.n) if self.setting.sparse else spaced(state)
        acts = self.setting.widths(shape)[1]
        if self.room.last.shape[1] != acts:
            wide = room(shape._replace(n=self.setting.scratch), acts)
            k = self.room.last.shape[1]
            wide.last[:, :k] = self.room.last
            self.room = spaced(wide)
        self.buffers()

    # A round that is refused leaves no trace.

    def begin_round(self) -> None:
        """What the rounds before this one have changed stays."""
        self.smaller = None
        if self.setting.undo:
            self.setting.undo.clear()

    def make_room(self) -> None:
        """Let the state grow to the shape of the setting, until this round is taken back."""
        if self.setting.shape is not self.shape:
            self.smaller = self.shape, self.state, self.room
        self.fit()

    def take_back(self) -> None:
        """After a round was refused: setting and state are as they were before it."""
        self.setting.take_back()
        if self.smaller is not None:
            self.shape, self.state, self.room = self.smaller
            self.smaller = None
            self.buffers()

    # The loop, with many rows or one.

    def loop(self, what: Callable[..., Any], game: Game) -> Callable[..., Any]:
        """A loop of the engine for this learner, as it is or compiled; `game`: its own, or that of sleeping experts."""
        if self.which == "plain":
            return what
        own = game is self.game
        return compiled(what, self.classes if own else classes_of(self.params, game))

    def once(self, game: Game, out: Out, learn: int, every: int, check: bool) -> Any:
        """Play the row in the buffers by the loop; return the next state."""
        s = self.setting
        low, high = (s.low, s.high) if check else (1.0, 0.0)
        x, y = s.views
        arguments = (
            self.params, game, self.state if self._moved else self._state, x, y, s.flat, out, self.room, self.seed,
            self.t, learn, every, 0, low, high,
        )  # fmt: skip
        wrapped = game is not self.game
        found = self._loops.get(wrapped)
        if found is not None:
            return found(*arguments)
        loop = self.loop(rounds, game)
        state = loop(*arguments)
        self._loops[wrapped] = direct(loop, arguments)
        return state

    def round(self, out: Out, learn: int, every: int, check: bool = True) -> Any:
        """Play the row in the buffers; return the next state, or raise an error that names what is wrong with it."""
        state = self.once(self.game, out, learn, every, check)
        if self.room.stop.item() < 0.0:
            return state
        self.room.stop[0] = -1.0
        first = bool(np.isnan(self.room.last).all())
        return self.once(self.setting.instead_of_one(first), out, learn, every, False)

    def look(self) -> None:
        """Decide and act on the row in the buffers: into W and out.A. Nothing is learned."""
        s: Any = self.setting
        if self.pulls and s.views is s.whole:
            a = self.packed.pull(self.t)
            if isfinite(a):
                self.out.A[0, 0] = a
                return
        last, one = self.room.last, s.action_width == 1
        before = last.item() if one else last.copy()
        self.round(self.asking, LOOK, 1, self.checks_first)
        self.refuse_not_finite()
        if one:  # put it back: only a round that is learned from counts as the last one
            last[0, 0] = before
        else:
            last[:] = before

    def refuse_not_finite(self) -> None:
        """Refuse to hand out a decision, or an action, that is not finite."""
        W, A = self._rows
        traits = self.traits
        if traits.averages and not traits.draws and isfinite(A.item()):
            return  # the action is the mean under the decision: finite only where all its numbers are
        if isfinite(total(W) + (A.item() if len(A) == 1 else total(A))):
            return
        if self.traits.infinite:
            bad = isnan(W.min()) or isnan(A.min())  # the minimum is NaN where one entry is
        else:
            wrong = ~np.isfinite(W)
            # experts that sleep may have no weight
            spoiled = wrong.any() if self.traits.given == "examples" else wrong.all()
            bad = spoiled or not np.isfinite(A).all()
        if bad:
            shown = [np.nan] if self.traits.infinite else np.append(W, A)
            raise not_finite(self.learner.key, self.t, shown)

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

    def one_context(self, x: Any) -> bool:
        """Is a matrix what is known of one round of a bandit: a row for each arm, or for each adviser?"""
        s: Any = self.setting
        return self.traits.given == "arms" and is_one(x, s.features)


def total(v: Any) -> float:
    """The sum of a few numbers, or of many: not finite where one of them is not. NumPy takes a microsecond to begin."""
    if len(v) <= FEW:
        return float(sum(v.tolist()))
    with np.errstate(all="ignore"):
        return float(v.sum())
