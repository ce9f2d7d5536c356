"""Learners that are saved, and copies that never learn."""

from __future__ import annotations

import tempfile
from pathlib import Path

import littlestone as ls

from .compare import equal, leaves, need, same
from .kinds import Examples
from .subject import Subject, not_begun, part


def saved_goes_on(s: Subject, engine: str) -> None:
    """Saved, loaded and let go on: as if it had never been saved."""
    x, y = s.rounds(40)
    known = s.known(y)
    run = s.play(part(x, slice(20)), y[:20], horizon=40, **known)
    with tempfile.TemporaryDirectory() as folder:
        path = run.learner.save(Path(folder) / "model.ls")
        loaded, resumed = ls.load(path), ls.load(path)
    learner = run.learner
    need(type(loaded) is type(s.learner), f"a {type(loaded).__name__} came back")
    found, expected = repr(loaded.parameters), repr(learner.parameters)  # an interval may be NaN
    need(found == expected, f"parameters were {expected}, and came back as {found}")
    need(same(loaded.state, learner.state), "the state came back otherwise")
    for t in range(20, 40):
        equal(s.kind.predict(loaded, x, t), s.kind.predict(learner, x, t), f"prediction {t + 1}")
        for one in (loaded, learner):
            s.kind.learn(one, x, y, t)
    need(same(loaded.state, learner.state), "loaded, it learns something else")
    rest = s.play(part(x, slice(20, None)), y[20:], learner=resumed, resume=True, **known)
    need(rest.facts["engine"] == engine, f"loaded, it is {rest.facts['engine']}, not {engine}")
    whole = s.play(x, y, horizon=40)
    need(
        same(rest.learner.state, whole.learner.state),
        "loaded and played on, it learns something else",
    )
    need(
        same(loaded.state, whole.learner.state),
        "in two halves it learns something else than in one",
    )
    decisions = [s.kind.ask(one, x, 0).decision for one in (loaded, learner)]
    equal(decisions[0], decisions[1], "the decision after all rounds")


def saved_before_it_begins(s: Subject, engine: str) -> None:
    """A learner that has not begun is saved too."""
    with tempfile.TemporaryDirectory() as folder:
        loaded = ls.load(s.made().save(Path(folder) / "model.ls"))
    need(repr(loaded.parameters) == repr(s.learner.parameters), "parameters came back otherwise")
    need(not_begun(loaded), "it came back begun")


def frozen_never_learns(s: Subject, engine: str) -> None:
    """`frozen` predicts with what was learned so far, whatever is learned later."""
    x, y = s.rounds(20)
    learner = s.begun(x, y, 20)
    for t in range(10):
        s.kind.learn(learner, x, y, t)
    still = learner.frozen()
    given = [()] * 3 if x is None else [(row,) for row in x]
    expected = [learner.predict(*one) for one in given]
    before = leaves(learner.state)  # now, as a state may keep what its last decision was made of
    equal([still(*one) for one in given], expected, "what the frozen copy predicts")
    if isinstance(s.kind, Examples) and not s.kind.traits.draws:
        equal(still(x), expected, "what the frozen copy predicts for all examples at once")
    need(same(tuple(before), learner.state), "predictions of the frozen copy changed the state")
    for t in range(10, 20):
        s.kind.learn(learner, x, y, t)
    equal([still(*one) for one in given], expected, "what the frozen copy predicts later")
