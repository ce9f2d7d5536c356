"""Classes that occur for the first time while a run is played: what is done in that round, and what is written down."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.game import ONE
from ..core.rows import part, with_constant
from ..core.vectors import row
from ..engine.checks import outside
from ..engine.compile import ready
from ..engine.loops import Out, rounds
from ..engine.memory import read_only
from .copies import OWN_DRAWS

if TYPE_CHECKING:
    from ..core.game import Shape
    from ..live.live import Live
    from ..settings import Setting
    from .session import Session

EMPTY2 = np.empty((0, 0))


class KnownClasses:
    """There are no classes, or all are known before the first round: nothing is to be done about new ones."""

    def stretches(self, y: Any, T: int) -> list[int]:
        """The rows of a batch of T at which a stretch of rounds ends, so that room can be made for a class."""
        return [T]

    def before(self, x: Any, y: Any, at: int, number: Any) -> tuple[Any, Any] | None:
        """Before the stretch that begins at row `at`: make room for a new class; return action and decision before."""
        return None

    def after(self) -> None:
        """Called after a stretch was played."""

    def amend(self, out: Out, y: Any, kept: Any, said: tuple[Any, Any] | None) -> None:
        """Write down what was done before a class was known: `said` in the first round of a chunk, or no class."""

    def shape_of(self, s: Setting, live: Live) -> Shape:
        """The shape that the state of a copy should have."""
        return s.shape

    def final_setting(self, s: Setting) -> Setting:
        """After the last round: the setting that knows every class that occurred."""
        return s

    # Outcomes that come late to a single copy.

    def read(self, Y: Any) -> Any:
        """Outcomes that are waited for, as the learner codes them."""
        return Y

    def hold(self, Y: Any, first: Any, who: Any) -> Any:
        """Of the rows `who` whose outcomes arrive in a stretch, those before the first of an unknown class."""
        return who

    def known_until(self, who: Any) -> int:
        """How many of these rows, from the first on, have classes that are known."""
        return len(who)

    def welcome(self, row: int) -> None:
        """Make room for the class of a row on the shelves."""

    def charge(self, x: Any, y: Any, read: Any, D: Any, out: Out) -> None:
        """Charge rounds whose class is not known when they are played."""


class NewClasses(KnownClasses):
    """Outcomes come at once: a class exists from the round after the one in which it occurs first.

    `late_classes` has what differs where outcomes come late.
    """

    def __init__(self, session: Session) -> None:
        self.session, self.setting = session, session.setting

    def stretches(self, y: Any, T: int) -> list[int]:
        return [r for r in self.setting.newcomers if r > 0] + [T]

    def before(self, x: Any, y: Any, at: int, number: Any) -> tuple[Any, Any] | None:
        if at not in self.setting.newcomers:
            return None
        return self.foreseen(part(x, at, at + 1), part(y, at, at + 1), number)

    def foreseen(self, x: Any, y: Any, number: Any) -> tuple[Any, Any]:
        """Make room for a class that occurs in the next round, x, for the first time.

        Returns the action and the decision of that round, as they are before anything is known of the class.
        """
        session, s = self.session, self.setting
        s.check(x, y, number, session.plan.outcome)  # compiled code has no bounds checks
        if outside(s.numbers(x, y), *s.around):
            s.instead(x, y, number, session.facts, session.plan.asleep)
        said = foreseen(session, x, y)
        if s.traits.width == ONE and self.nameless:
            said[0][:] = np.nan
        before, wide, acts = s.shape, s.decision_width, s.action_width
        if self.make_room(y) != before:
            session.widen(wide, acts)
        return said

    def make_room(self, y: Any) -> Shape:
        """The shape that states have from this round on."""
        return self.setting.welcome()

    @property
    def nameless(self) -> bool:
        """Is no class known, so that none can be predicted?"""
        s: Any = self.setting
        return not s.known

    def amend(self, out: Out, y: Any, kept: Any, said: tuple[Any, Any] | None) -> None:
        s, t = self.setting, self.session.t
        if s.traits.width == ONE and self.nameless:
            out.A[:] = np.nan
        if said is None:
            return
        a, d = said
        out.A[0] = np.append(a, np.zeros(out.A.shape[1] - len(a)))
        if len(kept) and kept[0] == t:
            out.W[0] = np.append(d, np.full(out.W.shape[1] - len(d), np.nan))
        if math.isnan(out.C[0]):
            return
        action = float(out.A[0, 0]) if s.traits.width == ONE else out.A[0]
        wrong = s.game.paid(action, row(y, 0))
        if len(out.P):
            out.P[0] = wrong
        if s.traits.counts_mistakes:
            out.C[0] = wrong


def foreseen(session: Session, x: Any, y: Any) -> tuple[Any, Any]:
    """The action and the decision that the next round, of one row x, would get; nothing is learned."""
    s, c = session.setting, len(session.copies)
    live, seed, t = session.copies[session.t % c].live, session.seed, session.t
    if c > 1:  # as in `copies.interleaved`
        seed, t = session.seed + OWN_DRAWS * (session.t % c), session.t // c
    out = Out(
        np.empty((1, live.out.A.shape[1])), np.empty(1), np.empty(1 if session.paid else 0), EMPTY2, EMPTY2,
        np.empty((1, live.W.shape[1])), EMPTY2,
    )  # fmt: skip
    x, y = read_only(x), read_only(y)
    ready(rounds, session.params, s.game, session.which)(
        session.params, s.game, live.state, with_constant(x, s.intercept), y, s.numbers(x, y), out,
        live.room, seed, t, 0, 1, 0, 1.0, 0.0,
    )  # fmt: skip
    return out.A[0], out.W[0]
