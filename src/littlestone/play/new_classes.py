"""Classes that occur for the first time while a run is played: what is done in that round, and what is written down."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.game import ONE
from ..core.rows import part, with_constant
from ..core.vectors import row
from ..encode.labels import reserved
from ..engine.checks import outside
from ..engine.compile import ready
from ..engine.loops import Out, play_rounds
from ..engine.memory import read_only
from ..settings.examples import Examples
from .copies import OWN_DRAWS

if TYPE_CHECKING:
    from ..core.game import Shape
    from ..encode.labels import LabelEncoder
    from ..live.live import Live
    from ..settings import Setting
    from .session import Session

EMPTY2 = np.empty((0, 0))


class Foreseen(NamedTuple):
    """What was done in a round while some class that has occurred was not known."""

    action: Any
    decision: Any
    classes: int  # how many classes were known


class KnownClasses:
    """There are no classes, or all are known before the first round: nothing is to be done about new ones."""

    coming = False  # may classes come while rounds are played?
    arrive_late = False  # are outcomes places in the stream's labels until they arrive?
    held: Any = ()  # rows to learn from next, the first of a new class

    def stretches(self, y: Any, T: int) -> list[int]:
        """The rows of a batch of T at which a stretch of rounds ends, so that room can be made for a class."""
        return [T]

    def before(self, x: Any, y: Any, at: int, number: Any) -> Foreseen | None:
        """Before the stretch that begins at row `at`: make room for a new class; return what was done before."""
        return None

    def after(self) -> None:
        """Called after a stretch was played."""

    def amend(self, out: Out, y: Any, kept: Any, said: Foreseen | None) -> None:
        """Write down what was done before a class was known: `said` in the first round of a chunk, or no class."""

    def shape_of(self, s: Setting, live: Live) -> Shape:
        """The shape that the state of a copy should have."""
        return s.shape

    def final_setting(self, s: Setting) -> Setting:
        """After the last round: the setting that knows every class that occurred."""
        return s

    # Outcomes that come late to a single copy.

    def wait(self) -> None:
        """Note when the classes of rounds of an earlier run come to exist."""

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

    def charge(self, x: Any, y: Any, read: Any, D: Any, out: Out, t: int) -> None:
        """Charge rounds, from round t on, whose class is not known when they are played."""


class NewClasses(KnownClasses):
    """Outcomes come at once: a class exists from the round after the one in which it occurs first.

    `late_classes` has what differs where outcomes come late.
    """

    coming = True

    def __init__(self, session: Session) -> None:
        assert isinstance(session.setting, Examples)  # which alone have classes that come
        self.session, self.setting = session, session.setting

    def stretches(self, y: Any, T: int) -> list[int]:
        return [r for r in self.setting.newcomers if r > 0] + [T]

    def before(self, x: Any, y: Any, at: int, number: Any) -> Foreseen | None:
        if at not in self.setting.newcomers:
            return None
        return self.foreseen(part(x, at, at + 1), part(y, at, at + 1), number)

    def foreseen(self, x: Any, y: Any, number: Any) -> Foreseen:
        """Make room for a class that occurs in the next round, x, for the first time.

        Returns what is done in that round, before anything is known of the class.
        """
        session, s = self.session, self.setting
        s.check(x, y, number, session.plan.outcome)  # compiled code has no bounds checks
        if outside(s.numbers(x, y), s.low, s.high):
            s.fallback_game(x, y, number, session.facts, session.how.asleep)
        said = foresee_round(session, x, y)
        if s.traits.width == ONE and self.nameless:
            said.action[:] = np.nan
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
        s = self.setting
        return not s.known

    def amend(self, out: Out, y: Any, kept: Any, said: Foreseen | None) -> None:
        s, t = self.setting, self.session.t
        if s.traits.width == ONE and self.nameless:
            out.actions[:] = np.nan
        unknown = np.zeros(len(out.costs), bool)
        if said is not None:
            unknown[0] = self.amend_first(out, y, kept, said)
        self.charge_reserve(
            out.costs, y.h, t, unknown, self.nameless if said is None else not said.classes
        )

    def amend_first(self, out: Out, y: Any, kept: Any, said: Foreseen) -> bool:
        """Write down what was done in the first round of a chunk; was its class unknown?"""
        s, (a, d, classes) = self.setting, said
        out.actions[0] = np.append(a, np.zeros(out.actions.shape[1] - len(a)))
        if len(kept) and kept[0] == self.session.t:
            out.decisions[0] = np.append(d, np.full(out.decisions.shape[1] - len(d), np.nan))
        if math.isnan(out.costs[0]):
            return False
        unknown = bool(y.y[0] >= min(classes, len(d)))
        action = float(out.actions[0, 0]) if s.traits.width == ONE else out.actions[0]
        wrong = s.game.realised_cost(action, row(y, 0))
        if len(out.realised):
            out.realised[0] = wrong
        if s.traits.counts_mistakes:
            out.costs[0] = wrong
        elif (
            s.traits.scores and not unknown
        ):  # room was made for other classes before it was charged
            out.costs[0] = s.game.cost(d, a[0], row(y, 0), None)
        return unknown

    def charge_reserve(self, C: Any, h: Any, t: int, unknown: Any, nameless: bool) -> None:
        """Charge the probabilities that were published: `reserved` for an unknown class, the rest for the others.

        C: the costs of the rounds from t on, had the known classes shared all. `nameless`: none was known.
        """
        s = self.setting
        if not s.traits.scores or coder_of(s).declared:
            return
        q = reserved(t + np.arange(len(C)))
        with np.errstate(divide="ignore", invalid="ignore"):
            price = h * np.where(unknown, 0.0 if nameless else -np.log(q), -np.log1p(-q))
        price[np.isnan(C)] = 0.0
        C[unknown] = 0.0
        C += price
        copies = self.session.copies
        for j, copy in enumerate(copies):
            copy.totals.reserve += float(price[(j - t) % len(copies) :: len(copies)].sum())


def coder_of(s: Examples) -> LabelEncoder:
    """The codes of classes; there are some, as outcomes are classes."""
    assert s.coder is not None
    return s.coder


def foresee_round(session: Session, x: Any, y: Any) -> Foreseen:
    """What would be done in the next round, of one row x; nothing is learned."""
    s: Any = session.setting
    c = len(session.copies)
    live, seed, t = session.copies[session.t % c].live, session.seed, session.t
    if c > 1:  # as in `copies.play_in_turns`
        seed, t = session.seed + OWN_DRAWS * (session.t % c), session.t // c
    out = Out(
        np.empty((1, live.out.actions.shape[1])), np.empty(1), np.empty(1 if session.keeps_draws else 0), EMPTY2,
        EMPTY2, np.empty((1, live.decisions.shape[1])), EMPTY2,
    )  # fmt: skip
    x, y = read_only(x), read_only(y)
    ready(play_rounds, session.params, s.game, session.engine)(
        session.params, s.game, live.state, with_constant(x, s.intercept), y, s.numbers(x, y), out,
        live.scratch, seed, t, 0, 1, 0, 1.0, 0.0,
    )  # fmt: skip
    return Foreseen(out.actions[0], out.decisions[0], s.known)
