"""The rules are pure: they see parameters, state and example, and change nothing but the state."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..core.scratch import scratch_arrays
from ..settings.fit import first_state
from .compare import equal, leaves, need, same
from .subject import Subject, copied


@contextlib.contextmanager
def watch_rules(learner: Any, around: Callable[[str, Any, tuple[Any, ...]], Any]) -> Iterator[None]:
    """Call `around(name, rule, arguments)` in place of the rules `decide` and `learn`."""
    P = type(learner.params)
    rules = {name: getattr(P, name) for name in ("decide", "learn")}

    def through(name: str) -> Callable[..., Any]:
        return lambda *arguments: around(name, rules[name], arguments)

    for name in rules:
        setattr(P, name, through(name))
    try:
        yield
    finally:
        for name, rule in rules.items():
            setattr(P, name, rule)


def examples_are_left_alone(s: Subject, engine: str) -> None:
    """No rule writes into its example: it belongs to the caller, and is needed again."""

    def around(name: str, rule: Any, arguments: tuple[Any, ...]) -> Any:
        x = arguments[2]  # after the parameters and the state
        before = leaves(x)
        try:
            found = rule(*arguments)
        except ValueError as problem:
            if "read-only" not in str(problem):
                raise
            raise AssertionError(f"{name} writes into its example, which is not its own") from None
        need(same(tuple(before), tuple(leaves(x))), f"{name} writes into its example")
        return found

    x, y = s.rounds(12)
    with watch_rules(s.learner, around):
        s.play(x, y, certify=False)


def decides_once(s: Subject, engine: str) -> None:
    """`learn` uses the decision that it is given: when the outcome comes, the state may have moved."""
    inside = [False]

    def around(name: str, rule: Any, arguments: tuple[Any, ...]) -> Any:
        need(
            not (inside[0] and name == "decide"),
            "learn computes the decision again; with late outcomes that is another one",
        )
        inside[0] = name == "learn"
        try:
            return rule(*arguments)
        finally:
            inside[0] = False

    x, y = s.rounds(12)
    with watch_rules(s.learner, around):
        s.play(x, y, certify=False)


def all_is_in_the_state(s: Subject, engine: str) -> None:
    """Two copies that are given the same rounds, one after the other, do the same."""
    x, y = s.rounds(20)
    first = s.begun(x, y, 20)
    for t in range(10):
        s.kind.learn(first, x, y, t)
    second = copied(first)
    decided: list[list[Any]] = [[], []]
    for learner, found in ((first, decided[0]), (second, decided[1])):
        for t in range(10, 20):
            found.append(s.kind.ask(copied(learner), x, t).decision)
            s.kind.learn(learner, x, y, t)
    for t, (a, b) in enumerate(zip(*decided, strict=True)):
        equal(
            b, a, f"round {t + 11}: a copy decides otherwise, so not all it knows is in its state"
        )
    need(same(first.state, second.state), "a copy has learned something else from the same rounds")


def scratch_is_not_read(s: Subject, engine: str) -> None:
    """What is declared as scratch is written before it is read: cleared, it changes nothing."""
    x, y = s.kind.late(*s.rounds(20))
    learner, cleared = s.begun(x, y, 20), s.begun(x, y, 20)
    for t in range(20):
        tickets = [s.kind.ask(one, x, t) for one in (learner, cleared)]
        equal(tickets[1].decision, tickets[0].decision, f"decision {t + 1}, with scratch cleared")
        clear_scratch(cleared)
        for one, ticket in zip((learner, cleared), tickets, strict=True):
            s.kind.tell(one, ticket, y, t)
        clear_scratch(cleared)
        need(cleared.digest() == learner.digest(), f"round {t + 1}: `learn` reads scratch")


def clear_scratch(learner: Any) -> None:
    """Put the scratch of a live learner back to what it is before the first round."""
    live = learner.live
    state = live.state
    first = scratch_arrays(first_state(live.learner, live.shape))
    for array, new in zip(scratch_arrays(state), first, strict=True):
        array[...] = new if new.shape == array.shape else 0
    live.state = state  # it is handed over to compiled code again


def predictions_change_no_digest(s: Subject, engine: str) -> None:
    """To predict writes nothing but scratch, and changes nothing of what is learned next."""
    x, y = s.rounds(24)
    learner, other = s.begun(x, y, 24), s.begun(x, y, 24)
    for t in range(24):
        for one in (learner, other):
            s.kind.learn(one, x, y, t)
        before = learner.digest()
        need(
            other.digest() == before, f"round {t + 1}: after a prediction it learns something else"
        )
        s.kind.predict(other, x, (7 * t + 3) % 24)
        need(other.digest() == before, f"round {t + 1}: a prediction changes the digest")


def arrays_stay(s: Subject, engine: str) -> None:
    """A learner that is `fixed` keeps the arrays of its state where they are."""
    x, y = s.rounds(60)
    learner = s.begun(x, y, 60)

    def arrays(v: Any) -> list[Any]:
        if isinstance(v, np.ndarray):
            return [v]
        return [a for each in v for a in arrays(each)] if isinstance(v, tuple) else []

    before = arrays(learner.state)
    for t in range(60):
        s.kind.learn(learner, x, y, t)
    pairs = zip(before, arrays(learner.state), strict=True)
    moved = [i for i, (a, b) in enumerate(pairs) if a.size and not np.shares_memory(a, b)]
    need(not moved, f"it says that it is fixed, and learn returned other arrays ({moved})")
