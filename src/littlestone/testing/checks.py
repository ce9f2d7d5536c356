"""The checks that every learner must pass, whoever wrote it and whatever its game.

Each is a function of a `Subject`: a learner, its worked row and the kind of rounds that it plays. It raises an
AssertionError that says what is wrong. `checks` gives those that apply to a learner, by name.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import littlestone as ls

from ..core.errors import BadInput
from ..core.guarantee import Symbols
from ..core.learner import hints
from ..core.parameters import Choice, Interval, split
from ..core.vectors import Rows
from ..engine.compile import has_numba
from ..live import store
from .kinds import Arms, Examples, Kind, kind_of
from .row import Row

T = 72  # rounds of most checks, ...
SIZES = (1, 7, 64)  # ... and the batches that they are cut into
DIGITS = 2e-6  # how far a number may be from one that was worked out to six decimals


class Subject:
    """A learner, its worked row, and how its rounds are played."""

    def __init__(self, learner: Any, row: Row) -> None:
        if row.key and row.key != learner.key:
            raise AssertionError(f"the row is one of {row.key}, not of {learner.key}")
        self.learner, self.row = learner, row
        self.kind: Kind = kind_of(learner, row.x)

    def made(self) -> Any:
        """The learner, not begun."""
        return self.learner.but()

    def rounds(self, T: int, seed: int = 0) -> tuple[Any, Any]:
        """T rounds that suit the learner."""
        n = self.row.width or self.kind.width
        if self.row.sample is not None:
            return self.row.sample(T, n, seed)
        return self.kind.drawn(np.random.default_rng(seed), T, n)

    def play(self, x: Any, y: Any, learner: Any = None, **options: Any) -> Any:
        return self.kind.play(self.made() if learner is None else learner, x, y, **options)

    def known(self, y: Any) -> dict[str, Any]:
        """What must be said of all rounds where only some of them are played: the classes."""
        found = self.kind.labels(y) if isinstance(self.kind, Examples) else None
        return {} if found is None else {"labels": found}

    def begun(self, x: Any, y: Any, rounds: int) -> Any:
        return self.kind.begun(self.made(), x, y, rounds)

    def decisions(self, run: Any) -> Any:
        return np.asarray(getattr(run, self.kind.decisions))


# Helpers.


@contextlib.contextmanager
def using(engine: str) -> Iterator[None]:
    """Let learners that begin here run plain or compiled."""
    before = os.environ.pop("LITTLESTONE_ENGINE", None)
    if engine == "plain":
        os.environ["LITTLESTONE_ENGINE"] = "plain"
    try:
        yield
    finally:
        os.environ.pop("LITTLESTONE_ENGINE", None)
        if before is not None:
            os.environ["LITTLESTONE_ENGINE"] = before


def part(v: Any, rows: slice) -> Any:
    return None if v is None else v[rows]


def leaves(v: Any) -> list[Any]:
    """The arrays and numbers of a state, copied.

    >>> [leaf.tolist() for leaf in leaves((np.zeros(2), (1.0, 2)))]
    [[0.0, 0.0], 1.0, 2]
    """
    return [leaf for each in v for leaf in leaves(each)] if isinstance(v, tuple) else [np.array(v)]


def same(a: Any, b: Any) -> bool:
    """Are two states equal, bit for bit?

    >>> same((np.zeros(1), 1.0), (np.zeros(1), 1.0)), same((0.0,), (-0.0,))
    (True, False)
    """
    pairs = zip(leaves(a), leaves(b), strict=True)
    return all(p.dtype == q.dtype and p.tobytes() == q.tobytes() for p, q in pairs)


def need(true: Any, what: str) -> None:
    """Raise an AssertionError that says `what`, unless it is true. (`assert` is silent under python -O.)"""
    if not true:
        raise AssertionError(what)


def near(found: Any, expected: Any, what: str, rel: float = 0.0, abs: float = DIGITS) -> None:
    """Raise an AssertionError unless two arrays agree."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    need(found.shape == expected.shape, f"{what}: shape {found.shape}, not {expected.shape}")
    np.testing.assert_allclose(found, expected, rtol=rel, atol=abs, err_msg=what)


def equal(found: Any, expected: Any, what: str) -> None:
    """Raise an AssertionError unless two arrays, or labels, are equal; NaN is equal to NaN."""
    found, expected = np.asarray(found), np.asarray(expected)
    numbers = found.dtype.kind == expected.dtype.kind == "f"
    alike = found.shape == expected.shape and np.array_equal(found, expected, equal_nan=numbers)
    need(alike, f"{what}:\n{found}\nis not\n{expected}")


def refused(call: Callable[[], Any], words: str, what: str) -> None:
    """Raise an AssertionError unless the call is refused, in one line that holds the words (a pattern)."""
    try:
        call()
    except BadInput as refusal:
        said = str(refusal)
        need("\n" not in said, f"{what}: the message has more than one line: {said!r}")
        need(re.search(words, said), f"{what}: the message says {said!r}, nothing like {words!r}")
        return
    raise AssertionError(f"{what} was not refused")


def copied(learner: Any) -> Any:
    """The same learner, through the bytes of its file."""
    return store.from_bytes(store.to_bytes(learner))


def not_begun(learner: Any) -> bool:
    try:
        _ = learner.state
    except BadInput:
        return True
    return False


# What was worked out by hand.


def its_row(s: Subject, engine: str) -> None:
    """The row: decisions, predictions, loss, last state, and the value of the bound."""
    row = s.row
    need(row.y is not None, "the row has no rounds")
    run = None
    if row.arms is not None:
        learner = told(s)
    else:
        run = s.play(row.x, row.y, **row.options)
        need(run.facts["engine"] == engine, f"the run was {run.facts['engine']}, not {engine}")
        learner = run.learner
        compare_run(s, run)
    for name, value in row.state.items():
        near(getattr(learner.state, name), value, f"state.{name}")
    if row.theorem is None or row.bound is None:
        return
    if row.symbols is not None:
        guarantee = next(g for g in s.learner.guarantees if g.id == row.theorem)
        near(guarantee.bound(Symbols(**row.symbols)), row.bound, row.theorem, rel=1e-6, abs=0.0)
    elif run is not None:
        verdict = next(v for v in run.certificate if v.guarantee.id == row.theorem)
        need(verdict.verdict == "kept", f"{row.theorem} is {verdict.verdict}: {verdict}")
        near(verdict.bound, row.bound, f"the bound of {row.theorem}", rel=1e-5, abs=1e-5)


def compare_run(s: Subject, run: Any) -> None:
    """A run over the row against what was worked out."""
    row = s.row
    if row.loss is not None:
        near(run.loss, row.loss, "loss")
    if row.predictions is not None:
        if s.kind.traits.action == "label":
            equal(run.predictions, row.predictions, "predictions")
        else:
            near(run.predictions, row.predictions, "predictions")
    if row.decisions is not None:
        worked = np.asarray(row.decisions, float)
        near(s.decisions(run), worked[: row.rounds], "decisions")
        if len(worked) > row.rounds:
            after = s.kind.ask(copied(run.learner), row.x, -1).decision
            near(after, worked[-1], "the decision after the last round")
    broken = [str(v) for v in run.certificate if v.verdict == "broken"]
    need(not broken, f"the run breaks a theorem: {broken}")


def told(s: Subject) -> Any:
    """A bandit, told the arms of the row; its propensities must be those of the row."""
    row, worked = s.row, np.asarray(s.row.decisions, float)
    features = 0 if row.x is None else int(np.size(row.x[0]))
    learner = s.made().start(worked.shape[1], features=features)
    for t, (arm, loss) in enumerate(zip(row.arms, row.y, strict=True)):
        x = None if row.x is None else row.x[t]
        near(learner.propensities(x), worked[t], f"propensities of round {t + 1}")
        learner.update(x, arm, loss)
    near(
        learner.propensities(None if row.x is None else row.x[-1]),
        worked[-1],
        "propensities after the last round",
    )
    return learner


def its_theorem(s: Subject, engine: str) -> None:
    """The row names one of its guarantees, each of which says what it promises, where, and of which source."""
    found = s.learner.guarantees
    ids = [g.id for g in found]
    need(len(set(ids)) == len(ids), f"two guarantees have one id: {ids}")
    if s.row.theorem is None:
        need(not found, f"the row names no theorem, and the learner has {ids}")
    else:
        need(s.row.theorem in ids, f"{s.row.theorem} is not among its guarantees, {ids}")
    for g in found:
        need(g.id and g.name and g.source, f"{g.id}: it needs an id, a name and a source")
        need(
            "<=" in g.statement or "at most" in g.statement, f"{g.id}: the statement bounds nothing"
        )
        modes = ("surely", "in expectation", "with probability 1 - delta")
        need(g.mode in modes, f"{g.id}: its mode is {g.mode!r}, none of {modes}")


# The rules are pure.


@contextlib.contextmanager
def watched(learner: Any, around: Callable[[str, Any, tuple[Any, ...]], Any]) -> Iterator[None]:
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
    with watched(s.learner, around):
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
    with watched(s.learner, around):
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


# One rule, two engines, four ways to play, dense and sparse.


def compiled_is_plain(s: Subject, engine: str) -> None:
    """One step from the same state is the same in both engines, to 1e-12; labels and draws are not compared."""
    x, y = s.rounds(24)
    learner = s.begun(x, y, 24)
    after = 1e-10 if isinstance(s.kind, Examples) else 1e-12
    for t in range(24):
        if t % 3 == 0:
            file = store.to_bytes(learner)
            with using("plain"):
                plain = store.from_bytes(file)
            both = (plain, store.from_bytes(file))
            asked = [s.kind.ask(one, x, t) for one in both]
            near(asked[1].decision, asked[0].decision, f"decision {t + 1}, compiled", 1e-12, 1e-12)
            if s.kind.traits.action == "number" and not s.kind.traits.draws:
                one, other = asked[1].prediction, asked[0].prediction
                near(one, other, f"prediction {t + 1}, compiled", 1e-12, 1e-12)
            arm = asked[0].prediction
            for one in both:
                if isinstance(s.kind, Arms):
                    one.update(s.kind.context(x, t), arm, y[t][arm])
                else:
                    s.kind.learn(one, x, y, t)
            asked = [s.kind.ask(one, x, (t + 1) % 24) for one in both]
            what = f"decision {t + 2}, after a compiled step"
            near(asked[1].decision, asked[0].decision, what, after, 1e-12)
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


# Late outcomes.


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
    need(same(learner.state, run.learner.state), "asked and told, it learns something else")
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


# Files, and copies that never learn.


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
    asked = [s.kind.ask(one, x, 0).decision for one in (loaded, learner)]
    equal(asked[0], asked[1], "the decision after all rounds")


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


# What is refused.


def beyond(hint: Any) -> list[Any]:
    """Values of a parameter that lie outside its declared range.

    >>> from littlestone.core.parameters import Probability
    >>> beyond(Probability)
    [None, nan, inf, -inf, '0.5', [0.5], -1.0, 2.0]
    """
    kind, declared, optional = split(hint)
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
            refused(make, words, f"{name}={value!r}")
        kind, declared, _ = split(hint)
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
    asked = s.kind.ask(copied(run.learner), x, 0)
    u, v = s.kind.bad_later(part(x, slice(10, None)), y[10:])
    more = {"resume": True} | known
    with_bad = functools.partial(s.kind.play_in, (12, 8), run.learner, u, v, **more)
    refused(with_bad, r"row 19\b", "a bad row in the second batch")
    need(same(tuple(before), run.learner.state), "a refused batch changed the state")
    again = s.kind.ask(copied(run.learner), x, 0)
    need(again.round == asked.round, "a refused batch was counted")
    equal(again.decision, asked.decision, "the decision after a refused batch")


def bad_rounds_change_nothing(s: Subject, engine: str) -> None:
    """A live learner refuses a bad round, and goes on as if it had not come."""
    x, y = s.rounds(6)
    learner = s.begun(x, y, 6)
    for t in range(4):
        s.kind.learn(learner, x, y, t)
    s.kind.predict(learner, x, 4)  # first, as a state may keep what its last decision was made of
    before = leaves(learner.state)
    asked = s.kind.ask(copied(learner), x, 4)
    for bad in s.kind.bad_rounds(x, y, 4):
        update = functools.partial(learner.update, *bad)
        refused(update, "", f"update{bad!r:.120}")
        need(
            same(tuple(before), learner.state), f"the refused update{bad!r:.120} changed the state"
        )
    again = s.kind.ask(copied(learner), x, 4)
    need(again.round == asked.round, "a refused round was counted")
    equal(again.decision, asked.decision, "the decision after refused rounds")
    for t in (4, 5):
        s.kind.learn(learner, x, y, t)
    need(
        same(learner.state, s.play(x, y).learner.state),
        "after refused rounds it learns something else",
    )


# All of them.

BOTH, PLAIN, COMPILED = ("plain", "compiled"), ("plain",), ("compiled",)


class Check(NamedTuple):
    """One check: its name, what is done, with which engines, and for which learners."""

    name: str
    run: Callable[[Subject, str], None]
    engines: tuple[str, ...]
    applies: Callable[[Subject], bool] = lambda s: True


def over_examples(s: Subject) -> bool:
    return isinstance(s.kind, Examples)


CHECKS = (
    Check("its row", its_row, BOTH),
    Check("its theorem", its_theorem, PLAIN),
    Check("examples are left alone", examples_are_left_alone, PLAIN),
    Check("decides once", decides_once, PLAIN),
    Check("all is in the state", all_is_in_the_state, PLAIN),
    Check("compiled is plain", compiled_is_plain, COMPILED),
    Check("whole, in batches, one at a time, resumed", four_ways, BOTH),
    Check(
        "sparse is dense",
        sparse_is_dense,
        BOTH,
        lambda s: over_examples(s) and s.learner.sparse,
    ),
    Check("play begins afresh", play_begins_afresh, PLAIN),
    Check("seeds reproduce", seeds_reproduce, PLAIN),
    Check("late is ask and tell", late_is_ask_and_tell, PLAIN),
    Check("interleaved copies are learners", interleaved_copies_are_learners, PLAIN),
    Check("saved, it goes on", saved_goes_on, BOTH),
    Check("saved before it begins", saved_before_it_begins, PLAIN),
    Check("frozen never learns", frozen_never_learns, PLAIN),
    Check(
        "its arrays stay",
        arrays_stay,
        PLAIN,
        lambda s: over_examples(s) and s.learner.fixed,
    ),
    Check("parameters have ranges", parameters_have_ranges, PLAIN),
    Check("bad streams are refused", bad_streams_are_refused, PLAIN),
    Check("a bad row later changes nothing", a_bad_row_later_changes_nothing, BOTH),
    Check("bad rounds change nothing", bad_rounds_change_nothing, BOTH),
)


def checks(learner: Any, row: Row) -> Iterator[tuple[str, Callable[[], None]]]:
    """The checks that apply to a learner: a name and a function that raises where it fails.

    With pytest:

        @pytest.mark.parametrize(("name", "check"), checks(MyLearner(), ROW))
        def test_my_learner(name, check):
            check()

    >>> import littlestone as ls
    >>> names = [name for name, _ in checks(ls.Hedge(), Row(y=[(0, 1)]))]
    >>> names[0], "sparse is dense (plain)" in names
    ('its row (plain)', False)
    """
    subject = Subject(learner, row)
    for check in CHECKS:
        if not check.applies(subject):
            continue
        for engine in check.engines:
            if engine == "compiled" and not has_numba():
                continue
            name = f"{check.name} ({engine})" if len(check.engines) > 1 else check.name
            yield name, functools.partial(run_check, check, subject, engine)


def run_check(check: Check, subject: Subject, engine: str) -> None:
    with using(engine):
        check.run(subject, engine)


def check_learner(learner: Any, row: Row) -> None:
    """Run every check that applies to a learner; raise AssertionError with the name of the first that fails.

    The row is worked by hand (see `Row`): one round of hedge halves the weight of expert 2, which lost 1.

    >>> from math import log
    >>> import littlestone as ls
    >>> row = Row(
    ...     y=[(0, 1), (0, 1)],
    ...     decisions=[(1 / 2, 1 / 2), (2 / 3, 1 / 3), (4 / 5, 1 / 5)],
    ...     loss=1 / 2 + 1 / 3,
    ...     theorem="T-HEDGE",
    ...     bound=log(2) / log(2) + log(2) * 2 / 8,
    ... )
    >>> check_learner(ls.Hedge(eta=log(2)), row)
    """
    for name, check in checks(learner, row):
        try:
            check()
        except Exception as problem:
            raise AssertionError(f"{learner.key}: {name}: {problem}") from problem
