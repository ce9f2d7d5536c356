"""Learn from rounds whose outcome comes later, or whose action something else chose, with the decision made then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.convex_losses import BadLoss
from ..core.errors import BadInput
from ..core.rows import BIG
from ..settings import experts
from .alarm import loss_of
from .books import booked_round, never_told
from .tickets import Ticket, refuse_ticket

if TYPE_CHECKING:
    from .live import Live


def learn_action(live: Live, x: Any, action: Any, y: Any, propensity: Any) -> None:
    """Learn from a round in which `action` was taken; `propensity`: its probability, where something else decided."""
    s, row = live.setting, live.row
    s.example(x)
    row.look(live.t)
    decision = probabilities_with_action(live, row.decision, int(action), propensity)
    s.put_outcome(y, action)
    row.learn_late(decision, float(action))


def probabilities_with_action(live: Live, decision: Any, action: int, propensity: Any) -> Any:
    """The probabilities of a round in which something else took an arm, with this probability; None: with its own."""
    if propensity is not None:
        decision = with_probability(decision, action, propensity)
    if not decision[action] > 0.0:
        said = live.setting.as_prediction(action, decision)
        raise BadInput(
            f"arm {said!r} had probability 0 in this round, so nothing can be "
            "learned from it; tell the arm that predict returned, or, where something else chose the arm, with "
            "which probability: propensity=…",
            field="arm", value=said,
        )  # fmt: skip
    return decision


def ask(live: Live, x: Any, chosen: tuple[int, Any] | None = None) -> Ticket:
    """Decide and act now, learn later; `chosen`: the arm that something else took, and with which probability."""
    tickets = live.tickets
    live.begin_round()
    try:
        ticket = decide_round(live, x, chosen)
        met = live.setting.names_met
        if met != tickets.names_written:
            ticket.names = live.setting.names_since(tickets.names_written)
        if tickets.log is not None:  # before the ticket is handed out
            tickets.log.log_ticket(ticket)
        tickets.names_written = met
    except BaseException as problem:
        live.take_back()
        live.setting.name_field(problem, x)
        raise
    tickets.keep(ticket)
    if live.books is not None:
        live.books.begin_round(live.t)
    live.t += 1
    return ticket


def decide_round(live: Live, x: Any, chosen: tuple[int, Any] | None) -> Ticket:
    """The ticket of the round that comes next."""
    s, row, t = live.setting, live.row, live.t
    if s.lags is not None:
        raise BadInput(
            f"{live.learner.key} learns from outcomes of earlier rounds (lags), one after the other: predict(x), then "
            "update(x, y); outcomes that come later are for play(delay=…)"
        )
    s.example(x)
    if s.revision != live.revision:
        live.follow()
    decision, action = row.decide(t)
    if chosen is not None:
        decision, action = probabilities_with_action(live, decision, *chosen), float(chosen[0])
    prediction, tickets = s.as_prediction(action, row.written[0]), live.tickets
    mark = tickets.mark or tickets.signature()
    return Ticket(t, s.copy_example(), prediction, decision, action, row.key, mark)


def reopen(live: Live, ticket: Ticket) -> bool:
    """Keep again a ticket that was issued after this learner was saved; False where it has its round already."""
    s, tickets = live.setting, live.tickets
    refuse_stranger(live, ticket, "ticket was issued")
    if ticket.round < live.t:
        return False
    s.reopen(ticket.x, ticket.names)
    s.restore(ticket.x)
    live.fit()
    live.t = ticket.round
    live.row.decide(live.t)  # once more: a state may keep what its last decision was made of
    tickets.mark = ticket.mark
    tickets.keep(ticket)
    if s.sleeper is not None:  # what is repeated when all experts sleep
        live.scratch.last[:] = ticket.action
    if live.books is not None:
        live.books.begin_round(live.t)
    live.t += 1
    return True


def refuse_stranger(live: Live, ticket: Ticket, what: str) -> None:
    """Refuse a ticket that is not of this learner; `what`: it was issued, or its log was written, by another one."""
    key = live.learner.key
    if not isinstance(ticket, Ticket):
        raise refuse_ticket(f"reopen needs a ticket that ask returned, not {ticket!r:.80}", ticket)
    if ticket.learner != key or live.tickets.mark not in (0, ticket.mark):
        raise refuse_ticket(
            f"this {what} by another learner ({ticket.learner}), not by this {key}", ticket
        )


def tell(live: Live, ticket: Ticket | str, y: Any, importance: float = 1.0) -> None:
    """Learn the outcome y of the round of a ticket, in any order; y = None: it will never be known."""
    tickets = live.tickets
    known = tickets.checked(ticket, live.learner.key, live.t)
    if type(importance) is not float or importance != 1.0:
        refuse_importance(live, importance)
    if y is None and not live.traits.needs_outcome:
        y = 0.0
    if tickets.log is not None:
        tickets.log.refuse_outcome(y)
    if y is not None:
        live.late_rounds = None  # they were played without it
        live.begin_round()
        try:
            learn_ticket(live, known, y, importance)
        except BaseException as problem:
            live.take_back()
            if isinstance(problem, BadInput):
                problem.about("outcome", y)
            raise
    if live.books is not None:
        made = known.decision, known.action
        if y is None:
            live.books.settle(live, known.round, never_told(live, known.x, *made), False)
        else:
            live.books.settle(live, known.round, booked_round(live, *made))
    loss = None
    if live.alarm is not None and y is not None:
        loss = loss_of(live, known.prediction, known.decision, y)
    tickets.close(known.round)
    if live.alarm is not None:
        live.alarm.settle(live, known.round, loss)
    if tickets.log is not None:
        tickets.log.log_outcome(known, y, importance)


def learn_ticket(live: Live, ticket: Ticket, y: Any, importance: float) -> None:
    """Learn the outcome of a ticket that was checked."""
    s, row = live.setting, live.row
    s.restore(ticket.x)
    if not s.put_outcome(y, ticket.action) or importance == 0.0:
        return
    if importance != 1.0:
        s.Y.h[0] = importance
    if s.revision != live.revision:
        live.follow()
    # classes that came after the decision have no score in it
    decision = widen_row(ticket.decision, len(row.written[0]))
    try:
        row.learn_late(decision, widen_row(ticket.action, s.action_width))
    except BadLoss as problem:
        raise problem.within(f"round {ticket.round + 1}") from problem.__cause__


def refuse_importance(live: Live, h: Any) -> None:
    """Refuse an importance that is no number of at least 0, or that is not 1 where all rounds count the same."""
    if not live.examples:
        experts.refuse_importance(h)
        return
    try:
        if 0.0 <= h <= BIG:
            return
    except (TypeError, ValueError):
        pass
    raise BadInput(
        f"importance must be a number of at least 0, not {h!r:.80}", field="importance", value=h
    )


def widen_row(v: Any, width: int) -> Any:
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
            f"propensity must be a probability, more than 0 and at most 1, not {p!r:.60}",
            field="propensity",
            value=p,
        )
    rest = 1.0 - decision[arm]
    shared = decision * ((1.0 - p) / rest) if rest > 0.0 else np.zeros(len(decision))
    if rest <= 0.0 and len(decision) > 1:
        shared[:] = (1.0 - p) / (len(decision) - 1)
    shared[arm] = p
    return shared
