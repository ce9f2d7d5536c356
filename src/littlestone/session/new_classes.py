"""Classes that occur for the first time while a run is played: what is done in that round, and what is written down."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.game import ONE
from ..core.rows import with_constant
from ..core.vectors import row
from ..engine.checks import outside
from ..engine.compile import ready
from ..engine.loops import Out, rounds
from ..engine.memory import read_only
from .copies import OWN_DRAWS

if TYPE_CHECKING:
    from .session import Session

EMPTY2 = np.empty((0, 0))


def welcome(session: Session, x: Any, y: Any, first: Any) -> tuple[Any, Any]:
    """Make room for a class that occurs in the next round, x, for the first time.

    Returns the action and the decision of that round, as they are before anything is known of the class.
    """
    s = session.setting
    s.check(x, y, first, session.plan.outcome)  # compiled code has no bounds checks
    if outside(s.numbers(x, y), *s.around):
        s.instead(x, y, first, session.facts, session.plan.asleep)
    said = foreseen(session, x, y)
    before, wide, acts = s.shape, s.decision_width, s.action_width
    if s.welcome() != before:
        session.widen(wide, acts)
    return said


def foreseen(session: Session, x: Any, y: Any) -> tuple[Any, Any]:
    """The action and the decision that the next round, of one row x, would get; nothing is learned."""
    s, c = session.setting, len(session.copies)
    live, seed, t = session.copies[session.t % c].live, session.seed, session.t
    if c > 1:  # as in `copies.interleaved`
        seed, t = session.seed + OWN_DRAWS * (session.t % c), session.t // c
    out = Out(
        np.empty((1, s.action_width)), np.empty(1), np.empty(1 if session.paid else 0), EMPTY2, EMPTY2,
        np.empty((1, s.decision_width)), EMPTY2,
    )  # fmt: skip
    x, y = read_only(x), read_only(y)
    ready(rounds, session.params, s.game, session.which)(
        session.params, s.game, live.state, with_constant(x, s.intercept), y, s.numbers(x, y), out,
        live.room, seed, t, 0, 1, 0, 1.0, 0.0,
    )  # fmt: skip
    return out.A[0], out.W[0]


def amend(session: Session, out: Out, y: Any, kept: Any, said: tuple[Any, Any]) -> None:
    """Write down what was done in the first round of a chunk, before its class was known."""
    s, (a, d) = session.setting, said
    if s.traits.width == ONE:
        out.A[0] = a if s.known > 1 else np.nan  # type: ignore[attr-defined]
    else:
        out.A[0] = np.append(a, np.zeros(out.A.shape[1] - len(a)))
    if len(kept) and kept[0] == session.t:
        out.W[0] = np.append(d, np.full(out.W.shape[1] - len(d), np.nan))
    if math.isnan(out.C[0]):
        return
    action = float(out.A[0, 0]) if s.traits.width == ONE else out.A[0]
    wrong = s.game.paid(action, row(y, 0))
    if len(out.P):
        out.P[0] = wrong
    if s.traits.counts_mistakes:
        out.C[0] = wrong
