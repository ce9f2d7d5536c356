"""One row at a time by the loop of `play`: the state, its scratch space, and what a round writes.

Four methods play the row that lies in the buffers of the setting. `packed_row` has faster forms of them.

    act(t)                 the action; nothing is learned
    decide(t)              the decision and the action, for a ticket
    learn(code, h, t)      learn from an example with this outcome and importance
    learn_late(d, a)       learn from a round with the decision and the action of then
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, isnan
from typing import Any

import numpy as np

from ..core.convex_losses import BadLoss
from ..core.errors import BadInput, not_finite, undeclared_action
from ..core.game import ONE, Game
from ..core.stream import Array
from ..engine.compile import direct, opaque, ready
from ..engine.loops import Out, learn_late, play_rounds
from ..engine.memory import copy, layout
from ..games import Room
from ..settings import Setting

NONE1, NONE2 = np.empty(0), np.empty((0, 0))
FEW = 32  # numbers: Python adds up so few faster than NumPy does
MANY = 1024  # actions: beyond them no set of all actions is made
LOOK, LEARN, CHARGE = 0, 1, 2  # what a round is for


class LoopRow:
    """The state of a learner, and the loop that plays one row with it."""

    state: Any
    is_declared: Callable[[float], bool]  # is it an action of the game?
    acts_on_numbers = False  # is its action one number, found without scratch space?
    keeps_decisions = False  # does it write down the decision of a round that it learns from?

    def __init__(self, setting: Setting, state: Any, scratch: Room, seed: int, engine: str) -> None:
        self.setting, self.seed, self.scratch, self.engine = setting, seed, scratch, engine
        self.game, self.traits, self.key = setting.game, setting.traits, setting.learner.key
        self.params = setting.learner.params
        # functions of the user may return anything
        self.guarded = opaque(self.params) or opaque(self.game)
        # where rounds bring losses, nothing is known of a round before it is over
        self.checks_first = self.traits.kind.has_outcomes
        self.state = state
        self.make_buffers(setting.decision_width, setting.action_width)

    def make_buffers(self, wide: int, acts: int) -> None:
        """Make room for what one round writes: its cost, `acts` numbers of its action and `wide` of its decision."""
        drawn = np.zeros(1) if self.traits.draws else NONE1
        self.decisions, A = np.zeros((1, wide)), np.zeros((1, acts))
        self.out = Out(A, np.zeros(1), drawn, NONE2, NONE2, NONE2, NONE2)
        self.asking = self.out._replace(decisions=self.decisions)
        self.written: tuple[Array, Array] = self.decisions[0], A[0]  # the decision and the action
        self.loops: dict[bool, Callable[..., Any]] = {}  # by whether all experts are awake
        # by what the decision and the action look like
        self.late_loops: dict[Any, Callable[..., Any]] = {}
        self.actions = count = self.setting.action_count
        if count is None:
            self.is_declared = isfinite
        elif count <= MANY:  # a set is as quick as isfinite
            self.is_declared = frozenset(range(count)).__contains__
        else:
            self.is_declared = lambda action: 0.0 <= action < count and action == int(action)

    # The loop.

    def play_by(self, game: Game, out: Out, t: int, learn: int, every: int, check: bool) -> Any:
        """Play the row in the buffers by a game; return the next state."""
        s = self.setting
        low, high = (s.low, s.high) if check else (1.0, 0.0)
        x, y = s.views
        arguments = (
            self.params, game, self.state, x, y, s.flat, out, self.scratch, self.seed, t, learn, every, 0, low, high,
        )  # fmt: skip
        own = game is self.game
        found = self.loops.get(own)
        if found is not None:
            return found(*arguments)
        loop = ready(play_rounds, self.params, game, self.engine)
        state = loop(*arguments)
        self.loops[own] = direct(loop, arguments)
        return state

    def play(self, out: Out, t: int, learn: int, every: int, check: bool = True) -> Any:
        """Play the row in the buffers; return the next state, or raise an error that names what is wrong with it."""
        state = self.play_by(self.game, out, t, learn, every, check)
        if self.scratch.stop.item() < 0.0:
            return state
        self.scratch.stop[0] = -1.0
        first = bool(np.isnan(self.scratch.last).all())
        return self.play_by(self.setting.fallback_game_of_row(first), out, t, learn, every, False)

    # One round.

    def look(self, t: int) -> None:
        """Decide and act, into W and out.actions. Nothing is learned."""
        last, one = self.scratch.last, self.setting.action_width == 1
        before = last.item() if one else last.copy()
        self.play(self.asking, t, LOOK, 1, self.checks_first)
        self.refuse_not_finite(t)
        if one:  # put it back: only a round that is learned from counts as the last one
            last[0, 0] = before
        else:
            last[:] = before

    def act(self, t: int) -> Any:
        """The action for the row in the buffers."""
        self.look(t)
        return self.action

    def decide(self, t: int) -> tuple[Any, Any]:
        """The decision and the action for the row in the buffers, which count as the last ones."""
        self.play(self.asking, t, LOOK, 1, self.checks_first)
        self.refuse_not_finite(t)
        return self.decision, self.action

    def learn_round(self, t: int) -> None:
        """Learn from the whole round in the buffers."""
        if self.keeps_decisions:
            self.state = self.play(self.asking, t, LEARN, 1)
        else:
            self.state = self.play(self.out, t, LEARN, 0)

    def learn(self, code: float, importance: float, t: int) -> None:
        """Learn from the example in the buffers, whose outcome is `code`."""
        s: Any = self.setting
        s.Y.y[0], s.Y.h[0] = code, importance
        before = copy(self.state) if self.guarded else None
        self.learn_round(t)
        if before is not None and np.isinf(self.out.costs[0]):  # as `play` refuses it
            self.state = before
            raise BadLoss("the loss is infinite", s.flat)

    def learn_late(self, decision: Any, action: Any) -> None:
        """Learn from the round in the buffers with this decision and action, not those of the state as it is now."""
        s = self.setting
        asleep = s.sleeper is not None and np.isnan(s.X).any()
        game = s.sleeper if asleep else self.game
        arguments = (self.params, game, self.state, *s.views, decision, action, self.scratch)
        kind = asleep, layout((decision, action))
        found = self.late_loops.get(kind)
        if found is None:
            learn = ready(learn_late, self.params, game, self.engine)
            self.state = learn(*arguments)
            self.late_loops[kind] = direct(learn, arguments)
            return
        self.state = found(*arguments)

    # What a round wrote.

    @property
    def action(self) -> Any:
        """The action: a number, or a vector."""
        A = self.written[1]
        return A.item() if self.traits.width == ONE else A.copy()

    @property
    def decision(self) -> Any:
        """The decision: a number, or a vector."""
        W = self.written[0]
        return W.item() if self.traits.decision == ONE else W.copy()

    def refuse_not_finite(self, t: int) -> None:
        """Refuse to hand out a decision, or an action, that is not finite."""
        W, A = self.written
        traits = self.traits
        if traits.averages and not traits.draws and isfinite(A.item()):
            return  # the action is the mean under the decision: finite only where all its numbers are
        if isfinite(total(W) + (A.item() if len(A) == 1 else total(A))):
            if self.actions is not None and not self.is_declared(A.item()):
                raise self.bad_action(A.item(), t)
            return
        if traits.infinite:
            bad = isnan(W.min()) or isnan(A.min())  # the minimum is NaN where one entry is
        else:
            wrong = ~np.isfinite(W)
            # experts that sleep may have no weight
            refused = wrong.any() if traits.kind.has_examples else wrong.all()
            bad = bool(refused or not np.isfinite(A).all())
        if bad:
            shown = [np.nan] if traits.infinite else np.append(W, A)
            raise not_finite(self.key, t, shown)

    def bad_action(self, action: float, t: int) -> BadInput:
        """Make the error that says what is wrong with an action: it is not finite, or was not declared."""
        if self.actions is None or not isfinite(action):
            return not_finite(self.key, t, [action])
        return undeclared_action(self.key, t, action, self.actions)


def total(v: Array) -> float:
    """The sum of a few numbers, or of many: not finite where one of them is not. NumPy takes a microsecond to begin."""
    if len(v) <= FEW:
        return float(sum(v.tolist()))
    with np.errstate(all="ignore"):
        return float(v.sum())
