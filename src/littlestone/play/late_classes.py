"""Classes of outcomes that come late: a class exists from when its label arrives, and not from when it occurs.

`SingleCopy` is for a single copy of the learner; `InTurns` for copies that take turns and share the labels that arrive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.game import ONE, PER_CLASS
from ..core.outcome import Outcome
from ..core.rows import part
from ..core.vectors import row
from .copies import learn_arrived
from .delay import NEVER
from .new_classes import Foreseen, NewClasses, coder_of

if TYPE_CHECKING:
    from ..core.game import Shape
    from ..engine.loops import Out
    from ..live.live import Live
    from ..settings import Setting
    from .session import Session


def new_classes(session: Session) -> NewClasses:
    """Choose what decides when the classes of a run come to exist."""
    if not (session.found and session.plan.delay):
        return NewClasses(session)
    return InTurns(session) if session.interleaved else SingleCopy(session)


class SingleCopy(NewClasses):
    """A single copy. Until its label arrives a class has no code: outcomes are places in the stream's labels."""

    arrive_late = True

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        session.setting.late = True
        self.due: dict[
            int, int
        ] = {}  # labels that are waited for: the round after which each arrives first
        self.held = np.empty(0, np.int64)

    def wait(self) -> None:
        past = self.session.past
        places = past.rows[1].y[past.row]
        strange = np.isnan(self.setting.recode_outcomes(places)) & ~np.isnan(places)
        for place, due in zip(places[strange].tolist(), past.due[strange].tolist(), strict=True):
            self.due[int(place)] = min(due, self.due.get(int(place), due))

    def stretches(self, y: Any, T: int) -> list[int]:
        s, past, t = self.setting, self.session.past, self.session.t
        there = np.flatnonzero(~np.isnan(y.y))
        there = there[np.isnan(s.recode_outcomes(y.y[there]))]
        late = np.full(len(there), past.delay)
        if past.each is not None:
            at = there + (t - past.start)
            late = past.each[at[at < len(past.each)]]  # too few are refused where they are needed
            there = there[: len(late)]
        there, late = there[late != NEVER], late[late != NEVER]
        order = np.argsort(there + late, kind="stable")
        places, at = np.unique(y.y[there][order].astype(int), return_index=True)
        for place, due in zip(places.tolist(), (there + late + t)[order][at].tolist(), strict=True):
            self.due[place] = min(due, self.due.get(place, due))
        ends = {due + 1 - t for due in self.due.values() if due < t + T}
        self.due = {place: due for place, due in self.due.items() if due >= t + T}
        return sorted(ends | {T})

    def before(self, x: Any, y: Any, at: int, number: Any) -> Foreseen | None:
        return None

    def after(self) -> None:
        who, self.held = self.held, self.held[:0]
        learn_arrived(self.session, who)

    def read(self, Y: Any) -> Any:
        return Outcome(self.setting.recode_outcomes(Y.y), Y.h)

    def hold(self, Y: Any, first: Any, who: Any) -> Any:
        known = self.known_until(who)
        self.held = who[known:].copy()
        first[-1] = known
        return who[:known]

    def known_until(self, who: Any) -> int:
        y = self.session.past.rows[1].y[who]
        strange = np.isnan(self.setting.recode_outcomes(y)) & ~np.isnan(y)
        return int(np.argmax(strange)) if strange.any() else len(who)

    def welcome(self, row: int) -> None:
        s = self.setting
        earlier, known = self.session.earlier, self.session.stream.labels
        assert known is not None  # they are classes
        labels = [*known[: len(s.recode) - len(earlier)], *earlier]
        label = labels[int(self.session.past.rows[1].y[row])]
        same = [place for place, other in enumerate(labels) if other == label]
        s.recode[same] = coder_of(s).code(label)
        before, wide, acts = s.shape, s.decision_width, s.action_width
        if s.welcome() != before:
            self.session.widen(wide, acts)

    def amend(self, out: Out, y: Any, kept: Any, said: Foreseen | None) -> None:
        if self.setting.traits.width == ONE and self.nameless:
            out.actions[:] = np.nan

    def charge(self, x: Any, y: Any, read: Any, D: Any, out: Out, t: int) -> None:
        """Charge rounds whose class is not known as mistakes, or by the probability kept for such a class."""
        s = self.setting
        game, scores = s.game, s.traits.decision == PER_CLASS
        unknown = np.isnan(read.y) & ~np.isnan(y.y) & (y.h > 0.0)
        for r in np.flatnonzero(unknown).tolist():
            d, a = D[r], out.actions[r]
            if scores:
                d = np.append(d, np.zeros(s.known + 1 - len(d)))
            if s.traits.width == PER_CLASS:
                a = np.append(a, np.zeros(max(0, s.known + 1 - len(a))))
            if s.traits.width == ONE:
                a = float(a[0]) if s.known else -1.0
            outcome = Outcome(float(s.known), float(y.h[r]))
            wrong = game.realised_cost(a, outcome)
            if len(out.realised):
                out.realised[r] = wrong
            right = max(a, 0.0) if s.traits.width == ONE else a  # a place, where costs look one up
            shown = game.feedback(d, right, row(x, r), outcome, self.session.copies[0].live.scratch)
            out.costs[r] = (
                wrong if s.traits.counts_mistakes else game.cost(d, right, outcome, shown)
            )
        self.charge_reserve(out.costs, y.h, t, unknown, self.nameless)

    def final_setting(self, s: Setting) -> Setting:
        """Classes whose label never arrived get the codes after the others; the learner does not know them."""
        self.setting.late = False
        unknown = np.flatnonzero(np.isnan(self.setting.recode))
        if not len(unknown):
            return s
        every = self.setting.copied()
        every.recode = self.setting.recode.copy()
        codes = coder_of(every)
        for place in unknown.tolist():
            every.recode[place] = codes.code(self.session.labels[place])
        every.resize(s.shape._replace(classes=max(1, len(codes))))
        return every


class InTurns(NewClasses):
    """Copies take turns. A label that has arrived, after the longest delay, is known to all of them.

    The loop of a copy learns from a round at once, since the copy waits for it before its next turn. When the outcome
    of round t arrives, the labels of all rounds up to t have arrived; so the state of the copy gets room for their
    classes in round t, after it has decided. That is one more round of each copy, from the one in which a class
    occurs on.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.first: list[
            tuple[int, int]
        ] = []  # codes whose label has not arrived, and the rounds in which they occurred
        self.known_to_all: int | None = None  # how many classes all copies know

    def stretches(self, y: Any, T: int) -> list[int]:
        s = self.setting
        t, delay = self.session.t, self.session.plan.delay
        self.known_to_all = s.known if self.known_to_all is None else self.known_to_all
        self.first += [(int(y.y[r]), t + r) for r in s.newcomers]
        ends = {T}
        for _, first in self.first:
            ends |= {r for r in range(first - t, first - t + delay + 2) if 0 < r < T}
        return sorted(ends)

    def before(self, x: Any, y: Any, at: int, number: Any) -> Foreseen | None:
        self.tell(self.session.t - self.session.plan.delay)
        if not self.occurred:
            return None
        return self.foreseen(part(x, at, at + 1), part(y, at, at + 1), number)

    def tell(self, end: float) -> None:
        """Let all copies know the classes that occurred before round `end`."""
        s = self.setting
        newly = sum(first < end for _, first in self.first)
        self.first = self.first[newly:]
        self.known_to_all = s.known = (self.known_to_all or 0) + newly

    @property
    def occurred(self) -> int:
        """How many classes occurred up to this round whose label has not arrived."""
        return sum(first <= self.session.t for _, first in self.first)

    def make_room(self, y: Any) -> Shape:
        s = self.setting
        classes = (self.known_to_all or 0) + self.occurred
        s.grow(classes=classes)
        live = self.session.copies[self.session.t % len(self.session.copies)].live
        live.fit(s.shape._replace(classes=max(live.shape.classes, classes)))
        return s.shape

    def shape_of(self, s: Setting, live: Live) -> Shape:
        return s.shape._replace(classes=live.shape.classes)

    def final_setting(self, s: Setting) -> Setting:
        self.tell(np.inf)
        for c in self.session.copies:
            c.live.fit()
        return s
