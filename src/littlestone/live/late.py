"""Learn from rounds whose outcome comes later, or whose action something else chose, with the decision made then."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from ..core.convex_losses import BadLoss
from ..core.errors import BadInput
from ..engine.compile import direct, ready
from ..engine.loops import answer
from ..engine.memory import layout
from .begun import LOOK, Begun
from .tickets import Ticket


class Late(Begun):
    """A live learner that hands out tickets for rounds, and learns their outcomes in any order."""

    def update_action(self, x: Any, action: Any, y: Any, propensity: Any = None) -> None:
        """Learn from a round in which `action` was taken, whatever this learner would have done.

        `propensity`: the probability with which it was taken, where something else decided.
        """
        self.begin_round()
        try:
            self.learn_action(x, action, y, propensity)
        except BaseException:
            self.take_back()
            raise
        self.t += 1

    def learn_action(self, x: Any, action: Any, y: Any, propensity: Any) -> None:
        self.setting.example(x)
        self.look()
        decision = self.decision
        if propensity is not None:
            decision = with_probability(decision, int(action), propensity)
        if not decision[int(action)] > 0.0:
            raise BadInput(
                f"arm {self.setting.said(action, decision)!r} had probability 0 in this round, so nothing can be "
                "learned from it; tell the arm that predict returned, or, where something else chose the arm, with "
                "which probability: propensity=…"
            )
        self.setting.answer(y, action)
        self.teach(decision, float(action))

    def teach(self, decision: Any, action: Any) -> None:
        """Learn from the round in the buffers with this decision and action, not those of the state as it is now."""
        s: Any = self.setting
        game = self.game
        if self.pulls and s.views is s.whole and decision.flags.c_contiguous:
            self.packed.tell(decision, action)
            self._moved = True
            return
        if s.sleeper is not None and np.isnan(s.X).any():
            game = s.sleeper
        arguments = (self.params, game, self.state, *s.views, decision, action, self.room)
        kind = game is self.game, layout((decision, action))
        found = self._answers.get(kind)
        if found is None:
            learn = ready(answer, self.params, game, self.which)
            self.state = learn(*arguments)
            self._answers[kind] = direct(learn, arguments)
            return
        self.state = found(*arguments)

    def ask(self, x: Any = None) -> Ticket:
        """Decide and act now, learn later."""
        self.begin_round()
        try:
            ticket = self.decided(x)
            if self.log is not None:  # before the ticket is handed out
                self.log.log_ticket(ticket, self.setting.names_since(self.names_written))
                self.names_written = self.setting.names_met
        except BaseException:
            self.take_back()
            raise
        self.tickets.keep(ticket)
        self.t += 1
        return ticket

    def decided(self, x: Any) -> Ticket:
        """The ticket of a round that comes next."""
        s: Any = self.setting
        s.example(x)
        if s.shape is not self.shape or s.flat is not self._seen:
            self.make_room()
        if self.pulls and s.views is s.whole and isfinite(a := self.packed.pull(self.t)):
            decision, action = self._rows[0].copy(), a
        else:
            self.round(self.asking, LOOK, 1, self.checks_first)
            self.refuse_not_finite()
            decision, action = self.decision, self.action
        said, tickets = s.said(action, self._rows[0]), self.tickets
        return Ticket(
            self.t,
            s.kept(),
            said,
            decision,
            action,
            self.learner.key,
            tickets.mark or tickets.signature(),
        )

    def reopen(self, ticket: Ticket, names: dict[str, Any] | None = None) -> bool:
        """Keep again a ticket that was issued after this learner was saved; False where it has its round already.

        `names`: those that had come since the ticket before.
        """
        if ticket.learner != self.learner.key or self.tickets.mark not in (0, ticket.mark):
            raise BadInput(
                f"this log was written by another learner ({ticket.learner}), not by this {self.learner.key}"
            )
        if ticket.round < self.t:
            return False
        self.setting.reopen(ticket.x, names)
        self.setting.restore(ticket.x)
        self.fit()
        self.t = ticket.round
        # once more: a state may keep what its last decision was made of
        self.round(self.asking, LOOK, 1, self.checks_first)
        self.tickets.mark = ticket.mark
        self.tickets.keep(ticket)
        if self.setting.sleeper is not None:  # what is repeated when all experts sleep
            self.room.last[:] = ticket.action
        self.t += 1
        return True

    def tell(self, ticket: Any, y: Any) -> None:
        """Learn the outcome y of the round of a ticket, in any order; y = None: it will never be known."""
        known = self.tickets.checked(ticket, self.learner.key, self.t)
        if y is None and not self.traits.needs_outcome:
            y = 0.0
        if self.log is not None:
            self.log.refuse_outcome(y)
        if y is not None:
            self.late_rounds = None  # they were played without it
            self.begin_round()
            try:
                self.learn_ticket(known, y)
            except BaseException:
                self.take_back()
                raise
        self.tickets.close(known.round)
        if self.log is not None:
            self.log.log_outcome(known, y)

    def learn_ticket(self, ticket: Ticket, y: Any) -> None:
        s: Any = self.setting
        s.restore(ticket.x)
        if not s.answer(y, ticket.action):
            return
        if s.shape is not self.shape or s.flat is not self._seen:
            self.make_room()
        # classes that came after the decision have no score in it
        decision = widened(ticket.decision, len(self._rows[0]))
        try:
            self.teach(decision, widened(ticket.action, s.action_width))
        except BadLoss as problem:
            raise BadInput(f"round {ticket.round + 1}: {problem}") from problem.__cause__

    def open_tickets(self) -> list[Ticket]:
        """Copies of the open tickets that are kept here, in the order of their rounds."""
        return self.tickets.all_kept()


def widened(v: Any, width: int) -> Any:
    """A row of numbers with zeros to its right, so that it has this width; a single number as it is."""
    if not isinstance(v, np.ndarray) or len(v) >= width:
        return v
    return np.append(v, np.zeros(width - len(v)))


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
