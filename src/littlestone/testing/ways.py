"""One rule, two engines, dense and sparse, whole, in batches, one at a time and resumed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.vectors import Rows
from ..live import store
from .compare import equal, leaves, near, need, same
from .kinds import Arms, Examples
from .subject import Subject, not_begun, part, using

T = 72  # rounds, ...
SIZES = (1, 7, 64)  # ... and the batches that they are cut into


def compiled_is_plain(s: Subject, engine: str) -> None:
    """One step from the same state is the same in both engines, to 1e-12; labels and draws are not compared."""
    x, y = s.rounds(24)
    learner = s.begun(x, y, 24)
    after = 1e-10 if isinstance(s.kind, Examples) else 1e-12
    for t in range(24):
        if t % 3 == 0:
            file = store.to_bytes(learner)
            with using("plain"):
                loaded = store.from_bytes(file)
            both = (loaded, store.from_bytes(file))
            tickets = [s.kind.ask(one, x, t) for one in both]
            near(
                tickets[1].decision,
                tickets[0].decision,
                f"decision {t + 1}, compiled",
                1e-12,
                1e-12,
            )
            if s.kind.traits.action == "number" and not s.kind.traits.draws:
                one, other = tickets[1].prediction, tickets[0].prediction
                near(one, other, f"prediction {t + 1}, compiled", 1e-12, 1e-12)
            arm = tickets[0].prediction
            for one in both:
                if isinstance(s.kind, Arms):
                    one.update(s.kind.context(x, t), arm, y[t][arm])
                else:
                    s.kind.learn(one, x, y, t)
            tickets = [s.kind.ask(one, x, (t + 1) % 24) for one in both]
            what = f"decision {t + 2}, after a compiled step"
            near(tickets[1].decision, tickets[0].decision, what, after, 1e-12)
        s.kind.learn(learner, x, y, t)


def four_ways(s: Subject, engine: str) -> None:
    """Whole, in batches, one at a time and resumed: equal bit for bit."""
    x, y = s.rounds(T)
    whole = s.play(x, y, horizon=T)
    need(whole.facts["engine"] == engine, f"the run was {whole.facts['engine']}, not {engine}")
    batches = s.kind.play_in(SIZES, s.made(), x, y, horizon=T)
    for name in s.kind.recorded:
        equal(getattr(batches, name), getattr(whole, name), f"{name}, in batches")
    need(same(batches.learner.state, whole.learner.state), "in batches it learns something else")

    one = s.begun(x, y, T)
    for t in range(T):
        equal(
            s.kind.predict(one, x, t),
            s.kind.predicted(whole, t),
            f"prediction {t + 1}, one at a time",
        )
        s.kind.learn(one, x, y, t)
    need(same(one.state, whole.learner.state), "one at a time it learns something else")
    one = s.begun(x, y, T)
    for t in range(T):
        s.kind.learn(one, x, y, t, whole)
    need(same(one.state, whole.learner.state), "without predictions it learns something else")

    resumed(s, x, y, whole)


def resumed(s: Subject, x: Any, y: Any, whole: Any) -> None:
    """Nine rounds, then the others, twice: the learner that is resumed is left as it was."""
    known = s.known(y)
    half = s.play(part(x, slice(9)), y[:9], horizon=T, **known)
    before = leaves(half.learner.state)
    for _ in range(2):
        rest = s.play(part(x, slice(9, None)), y[9:], learner=half.learner, resume=True, **known)
        need(same(tuple(before), half.learner.state), "play changed the learner that it resumed")
        for name in s.kind.recorded:
            joined = np.concatenate([getattr(half, name), getattr(rest, name)])
            equal(joined, getattr(whole, name), f"{name}, resumed")
        need(same(rest.learner.state, whole.learner.state), "resumed, it learns something else")
        need(rest.rounds == T - 9, f"resumed, the run has {rest.rounds} rounds, not {T - 9}")


def sparse_is_dense(s: Subject, engine: str) -> None:
    """Sparse examples are the same examples, played and one at a time."""
    from scipy.sparse import csr_array

    assert isinstance(s.kind, Examples)
    x, y = s.rounds(60)
    x = x.copy()
    x[np.random.default_rng(1).random(x.shape) < 0.4] = 0.0
    d, known = x.shape[1], s.known(y)
    run = s.play(without_zeros(x), y, width=d)
    if s.row.sparse_is_dense:
        near(
            s.decisions(run), s.decisions(s.play(x, y)), "decisions on sparse examples", 1e-9, 1e-12
        )
    # begun by its first round, as `play` begins it: with the classes, the rounds and the features that there will be
    one = s.play(without_zeros(x[:1]), y[:1], width=d, horizon=60, **known).learner
    rows = csr_array(x)
    for t in range(1, 60):
        row = rows[[t]]
        equal(one.predict(row), run.predictions[t], f"prediction {t + 1} on a sparse example")
        one.update(row, y[t])
    need(
        same(one.state, run.learner.state), "one sparse example at a time it learns something else"
    )


def without_zeros(x: Any) -> Rows:
    """The same examples, as sparse rows."""
    index = [np.flatnonzero(row) for row in x]
    indptr = np.concatenate([[0], np.cumsum([len(i) for i in index])]).astype(np.int64)
    value = np.concatenate([row[i] for row, i in zip(x, index, strict=True)])
    return Rows(indptr, np.concatenate(index).astype(np.int32), value)


def play_begins_afresh(s: Subject, engine: str) -> None:
    """`play` leaves its argument alone, and begins from the beginning."""
    x, y = s.rounds(12)
    learner = s.made()
    first = s.play(x, y, learner=learner)
    need(not_begun(learner), "play began the learner that it was given")
    again = s.play(x, y, learner=first.learner)
    equal(again.losses, first.losses, "losses of the second run")
    need(same(again.learner.state, first.learner.state), "the second run learned something else")


def seeds_reproduce(s: Subject, engine: str) -> None:
    """The same seed gives the same run; another seed other draws, and no other expected losses."""
    x, y = s.rounds(40)
    runs = [s.play(x, y, seed=seed) for seed in (3, 3, 4)]
    name = s.kind.recorded[0]
    equal(getattr(runs[1], name), getattr(runs[0], name), f"{name} of the same seed")
    equal(runs[1].losses, runs[0].losses, "losses of the same seed")
    drawn = s.kind.traits.draws
    if not isinstance(s.kind, Arms):  # the state of a bandit depends on its draws
        equal(runs[2].losses, runs[0].losses, "expected losses of another seed")
    if (
        drawn
        and not isinstance(s.kind, Examples)
        and (s.decisions(runs[0]).max(axis=1) == 1.0).all()
    ):
        drawn = False  # all weight on one: that one is drawn, whatever the seed
    differ = not np.array_equal(getattr(runs[2], name), getattr(runs[0], name))
    need(differ is drawn, f"another seed, {'the same' if drawn else 'other'} {name}")
