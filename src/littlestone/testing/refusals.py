"""Bad parameters and bad rounds are refused, by name, row and value, and change nothing."""

from __future__ import annotations

import functools
import math
import re
from typing import Any

import littlestone as ls

from ..core.learner import hints
from ..core.parameters import Choice, Interval, split_hint
from .compare import equal, leaves, need, refused, same
from .subject import Subject, copied, not_begun, part


def beyond(hint: Any) -> list[Any]:
    """Values of a parameter that lie outside its declared range.

    >>> from littlestone.core.parameters import Probability
    >>> beyond(Probability)
    [None, nan, inf, -inf, '0.5', [0.5], -1.0, 2.0]
    """
    kind, declared, optional = split_hint(hint)
    if isinstance(declared, Choice):
        return ["no such word"]
    if kind is bool:
        return ["yes", 2] if optional else ["yes", 2, None]
    if kind not in (float, int):
        return []
    bad: list[Any] = [] if optional else [None]
    bad += [math.nan, math.inf, -math.inf, "0.5", [0.5]]
    if isinstance(declared, Interval):
        low, high, closed = declared.low, declared.high, declared.closed
        bad += [low - 1] + ([low] if closed[0] == "(" else [])
        if math.isfinite(high):
            bad += [high + max(1, abs(high))] + ([high] if closed[1] == ")" else [])
        if declared.whole:
            bad += [low + 0.5]
    return bad


def parameters_have_ranges(s: Subject, engine: str) -> None:
    """A parameter out of its range is refused, by its name and value; 1 and 1.0 are one value."""
    cls: Any = type(s.learner)
    key = s.learner.key
    for name, hint in hints(cls).items():
        for value in ["no-such-loss", 3, None] if name == "loss" else beyond(hint):
            words = rf"(?s)(?=.*{re.escape(key)})(?=.*{name})(?=.*{re.escape(repr(value))})"
            make: Any = functools.partial(cls, **{name: value})
            field = refused(make, words, f"{name}={value!r}").field
            need(field == name, f"{name}={value!r} is refused as BadInput.field = {field!r}")
        kind, declared, _ = split_hint(hint)
        if kind is float and isinstance(declared, Interval) and declared.holds(1):
            need(type(getattr(cls(**{name: 1}), name)) is float, f"{name}=1 is kept as an int")
        if kind is bool:
            need(getattr(cls(**{name: 1}), name) is True, f"{name}=1 is not kept as True")
    words = f"{re.escape(key)} has no parameter 'gain'"
    refused(lambda: ls.learner(key, gain=1.0), words, "the unknown parameter gain=1.0")


def bad_streams_are_refused(s: Subject, engine: str) -> None:
    """Bad rounds are refused by row and column, before anything is learned."""
    x, y = s.rounds(20)
    for at, ((u, v), words) in enumerate(s.kind.bad_streams(x, y)):
        fresh = s.made()
        play = functools.partial(s.play, u, v, learner=fresh)
        refused(play, words, f"bad stream {at + 1} ({words})")
        need(not_begun(fresh), f"bad stream {at + 1} began the learner")


def a_bad_row_later_changes_nothing(s: Subject, engine: str) -> None:
    """A bad row in the second batch: named by its place in the whole, and the learner is as it was."""
    x, y = s.rounds(30)
    known = s.known(y)
    run = s.play(part(x, slice(10)), y[:10], horizon=30, **known)
    before = leaves(run.learner.state)
    ticket = s.kind.ask(copied(run.learner), x, 0)
    u, v = s.kind.bad_later(part(x, slice(10, None)), y[10:])
    more = {"resume": True} | known
    with_bad = functools.partial(s.kind.play_in, (12, 8), run.learner, u, v, **more)
    refused(with_bad, r"row 19\b", "a bad row in the second batch")
    need(same(tuple(before), run.learner.state), "a refused batch changed the state")
    again = s.kind.ask(copied(run.learner), x, 0)
    need(again.round == ticket.round, "a refused batch was counted")
    equal(again.decision, ticket.decision, "the decision after a refused batch")


def bad_rounds_change_nothing(s: Subject, engine: str) -> None:
    """A live learner refuses a bad round, and goes on as if it had not come."""
    x, y = s.rounds(6)
    learner = s.begun(x, y, 6)
    for t in range(4):
        s.kind.learn(learner, x, y, t)
    s.kind.predict(learner, x, 4)  # first, as a state may keep what its last decision was made of
    before = leaves(learner.state)
    ticket = s.kind.ask(copied(learner), x, 4)
    for bad in s.kind.bad_rounds(x, y, 4):
        update = functools.partial(learner.update, *bad)
        field = refused(update, "", f"update{bad!r:.120}").field
        need(field is not None, f"the refused update{bad!r:.120} names no BadInput.field")
        need(
            same(tuple(before), learner.state), f"the refused update{bad!r:.120} changed the state"
        )
    again = s.kind.ask(copied(learner), x, 4)
    need(again.round == ticket.round, "a refused round was counted")
    equal(again.decision, ticket.decision, "the decision after refused rounds")
    for t in (4, 5):
        s.kind.learn(learner, x, y, t)
    need(
        same(learner.state, s.play(x, y).learner.state),
        "after refused rounds it learns something else",
    )
