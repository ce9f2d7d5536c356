"""Outcomes that come late."""

from __future__ import annotations

from typing import Any

import numpy as np

from .compare import equal, near, need, same
from .kinds import Arms
from .subject import Subject, copied, part


def late_is_ask_and_tell(s: Subject, engine: str) -> None:
    """`play` with a delay is `ask` now and `tell` later; in batches too."""
    x, y = s.kind.late(*s.rounds(30, 1))
    run = s.play(x, y, delay=3, interleave=False)
    learner, tickets = s.begun(x, y, 30), []
    for t in range(30):
        tickets.append(s.kind.ask(learner, x, t))
        if t >= 3:
            s.kind.tell(learner, tickets[t - 3], y, t - 3)
    for t in (27, 28, 29):
        s.kind.tell(learner, tickets[t], y, t)
    equal([ticket.decision for ticket in tickets], s.decisions(run), "decisions of tickets")
    if s.kind.recorded[0] == "arms" or not s.kind.traits.draws:
        found = [ticket.prediction for ticket in tickets]
        equal(found, getattr(run, s.kind.recorded[0]), "predictions of tickets")
    need(same(learner.state, run.learner.state), "with ask and tell it learns something else")
    batches = s.kind.play_in((2, 20, 8), s.made(), x, y, horizon=30, delay=3, interleave=False)
    equal(s.decisions(batches), s.decisions(run), "decisions, late and in batches")
    need(
        same(batches.learner.state, run.learner.state),
        "late and in batches: it learns something else",
    )
    prompt = s.decisions(s.play(x, y))
    need(
        len(np.unique(prompt, axis=0)) <= 2 or not np.array_equal(prompt, s.decisions(run)),
        "a delay of three rounds changes nothing",
    )


def late_goes_on(s: Subject, engine: str) -> None:
    """A late run that is saved and goes on waits for the outcomes that had not come."""
    x, y = s.kind.late(*s.rounds(16, 1))
    given = {"delay": 3, "interleave": False} | s.known(y)
    whole = s.play(x, y, horizon=16, **given)
    run = s.play(part(x, slice(8)), y[:8], horizon=16, **given)
    prompt = s.play(part(x, slice(8, None)), y[8:], learner=run.learner, resume=True, **s.known(y))
    need(prompt.rounds == 8, "it does not go on without a delay")
    rest = (part(x, slice(8, None)), y[8:])
    more = s.play(*rest, learner=copied(run.learner), resume=True, **given)
    equal(s.decisions(more), s.decisions(whole)[8:], "decisions of a late run that went on")
    need(same(more.learner.state, whole.learner.state), "late, it goes on with something else")


def replayed_is_straight(s: Subject, engine: str) -> None:
    """A learner that is given the tickets and outcomes of another one is that learner, with the same open tickets."""
    x, y = s.kind.late(*s.rounds(20, 1))
    straight = s.begun(x, y, 20)
    replayed, tickets = copied(straight), []
    for t in range(20):
        ticket = s.kind.ask(straight, x, t)
        tickets.append(ticket)
        replayed.live.reopen(ticket)
        if t >= 3:
            for one in (straight, replayed):
                s.kind.tell(one, ticket_of(one, tickets[t - 3]), y, t - 3)
        need(
            replayed.digest() == straight.digest(),
            f"round {t + 1}: replayed, it is another learner",
        )
        for one in (replayed, copied(straight)):
            alike = one.digest(tickets=True) == straight.digest(tickets=True)
            need(alike, f"round {t + 1}: other open tickets, or another learner")
    s.kind.tell(straight, tickets[-1], y, 19)
    need(
        replayed.digest(tickets=True) != straight.digest(tickets=True),
        "a digest with tickets does not tell that one was closed",
    )
    s.kind.tell(replayed, ticket_of(replayed, tickets[-1]), y, 19)
    found, expected = (s.kind.ask(one, x, 0).decision for one in (replayed, straight))
    equal(found, expected, "the decision after all rounds")


def ticket_of(learner: Any, ticket: Any) -> Any:
    """The ticket of the same round, as this learner keeps it."""
    return next(k for k in learner.tickets if k.round == ticket.round)


def interleaved_copies_are_learners(s: Subject, engine: str) -> None:
    """Outcomes that are three rounds late: four copies take turns, each a stream of its own."""
    x, y = s.rounds(44)
    run = s.play(x, y, seed=6, delay=3, interleave=True)
    known = s.known(y)
    for j in range(4):
        own = slice(j, None, 4)
        seed = s.kind.seed_of_copy(6, j)
        alone = s.play(part(x, own), y[own], horizon=11, seed=seed, **known)
        equal(run.losses[own], alone.losses, f"losses of copy {j + 1}")
        equal(s.decisions(run)[own], s.decisions(alone), f"decisions of copy {j + 1}")
        if isinstance(s.kind, Arms) or not s.kind.traits.draws:
            name = s.kind.recorded[0]
            equal(getattr(run, name)[own], getattr(alone, name), f"{name} of copy {j + 1}")
    near(run.loss, np.sum(run.losses), "the loss of all copies", 1e-9, 1e-9)
    broken = [str(v) for v in run.certificate if v.verdict == "broken"]
    need(not broken, f"interleaved, it breaks a theorem: {broken}")
