"""However a learner is kept, moved or disturbed between two rounds, what follows is the same, bit for bit."""

from __future__ import annotations

import copy
import math
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import littlestone as ls

from ..core.errors import LittlestoneError
from ..live import store
from .compare import equal, need, same
from .kinds import Arms, Examples, Losses
from .subject import Subject

T, MIDDLE = 7, 3  # rounds, and the one before which something happens to the learner
NEW = "a label that was not there before"
Way = Callable[[Any], Any]  # what happens to it: another learner comes out


class Form(NamedTuple):
    """Rounds of a learner, as a user may write them: dense, sparse, or by name."""

    name: str
    x: Any
    y: Any
    starts: bool  # does it begin with `start`, and not with its first round?
    bad: Callable[[int], Iterator[tuple[Any, ...]]]  # arguments that `update` refuses in a round


def through_bytes(learner: Any) -> Any:
    """Saved and loaded."""
    return store.from_bytes(store.to_bytes(learner))


WAYS: dict[str, Way] = {
    "saved and loaded": through_bytes,
    "copied": copy.copy,
    "copied deeply": copy.deepcopy,
}


def forms(s: Subject) -> Iterator[Form]:
    """The forms that the learner takes; sparse and named rows bring features that were not there before."""
    x, y = s.rounds(T, 2)
    starts = isinstance(s.kind, (Arms, Losses))

    def bad_rounds(t: int) -> Iterator[tuple[Any, ...]]:
        yield from s.kind.bad_rounds(x, y, t)
        if isinstance(s.kind, Examples):
            yield np.full(np.shape(x)[1], math.nan), NEW

    yield Form("rounds", x, y, starts, bad_rounds)
    if not (isinstance(s.kind, Examples) and s.learner.sparse) or s.learner.strings:
        return
    rows = [sparse_row(x[t], t) for t in range(T)]
    named = [named_row(x[t], t) for t in range(T)]

    def bad_sparse(t: int) -> Iterator[tuple[Any, ...]]:
        yield sparse_row(x[t], t + 9, math.nan), NEW
        yield sparse_row(x[t], t + 9, 0.5), y[t]
        yield sparse_row(x[t], t + 9), [1, 2]
        yield sparse_row(x[t], t + 9, 0.5), math.inf

    def bad_named(t: int) -> Iterator[tuple[Any, ...]]:
        yield {**named[t], "another": math.inf}, NEW
        yield {**named[t], "another": 0.5}, y[t]
        yield {**named[t], "another": [1.0, 2.0]}, y[t]
        yield {**named[t], "another": 0.5, "text": "word"}, math.inf
        yield {**named[t], "another": 1.0, "text": "word"}, [1, 2]

    yield Form("sparse rows", rows, y, False, bad_sparse)
    yield Form("rows by name", named, y, False, bad_named)


def sparse_row(row: Any, t: int, value: float = 1.0) -> Any:
    """A row with one more feature, which comes with round t or the one after it."""
    from scipy.sparse import csr_array

    more = np.zeros(len(row) + t // 2 + 1)
    more[: len(row)], more[-1] = row, value
    return csr_array(more[None])


def named_row(row: Any, t: int) -> dict[str, float]:
    return {f"f{i}": float(v) for i, v in enumerate(row)} | {f"new {t // 2}": 1.0}


def begin_learner(s: Subject, form: Form, learner: Any) -> Any:
    return s.kind.begun(learner, form.x, form.y, T) if form.starts else learner


def disturb(learner: Any, form: Form, t: int) -> None:
    """Let the learner refuse what it must: no such call may leave a trace."""
    for bad in form.bad(t):
        for name, given in (("update", bad), ("predict", bad[:1]), ("ask", bad[:1])):
            try:
                getattr(copy.copy(learner), name)(*given)
            except LittlestoneError:
                began = learner.live is not None
                try:
                    getattr(learner, name)(*given)
                except LittlestoneError:
                    need((learner.live is not None) == began, f"a refused {name} began the learner")
                    continue
                raise AssertionError(f"{name}{given!r:.100} was refused by a copy alone") from None


def play_form(s: Subject, form: Form, first: Way, later: Way, bad: bool = False) -> tuple[Any, Any]:
    """What was predicted, and the learner after all rounds; `first` and `later`: what happens to it on the way."""
    learner, said = first(s.made()), []
    if bad and not form.starts:
        disturb(learner, form, 0)
    learner = begin_learner(s, form, learner)
    for t in range(T):
        if t == MIDDLE:
            before, learner = learner, later(learner)
            if before is not learner:
                s.kind.learn(before, form.x, form.y, 0)  # they have nothing in common
        if bad and t in (1, MIDDLE):
            disturb(learner, form, t)
        if t or form.starts:
            said.append(s.kind.predict(learner, form.x, t))
        s.kind.learn(learner, form.x, form.y, t)
    return said, learner


def nothing(learner: Any) -> Any:
    return learner


def each_equal(found: list[Any], expected: list[Any], what: str) -> None:
    """Compare round by round: an action may have one number for each class that is known by then."""
    for a, b in zip(found, expected, strict=True):
        equal(a, b, what)


def what_follows_is_the_same(s: Subject, engine: str, ways: dict[str, Way] | None = None) -> None:
    """Saved, copied, asked for what it refuses, before its first round and later: as if nothing had happened."""
    for form in forms(s):
        said, learner = play_form(s, form, nothing, nothing)
        for name, way in (WAYS if ways is None else ways).items():
            found, other = play_form(s, form, way, way)
            each_equal(found, said, f"{form.name}: predictions, {name}")
            need(same(other.state, learner.state), f"{form.name}, {name}: it learns something else")
        found, other = play_form(s, form, nothing, through_bytes, bad=True)
        each_equal(found, said, f"{form.name}: predictions after refused rounds")
        need(
            same(other.state, learner.state), f"{form.name}: a refused round changed what it learns"
        )


def recovered_goes_on(s: Subject, engine: str) -> None:
    """Tickets and outcomes since it was saved come back from their log, and so do the names that came with them."""
    for form in forms(s):
        with tempfile.TemporaryDirectory() as folder:
            learner = by_tickets(s, form, Path(folder), crash=False)
            other = by_tickets(s, form, Path(folder), crash=True)
        need(other.live.t == learner.live.t, f"{form.name}, recovered: it counts other rounds")
        for t in range(MIDDLE):
            found, said = (s.kind.ask(copy.copy(one), form.x, t) for one in (other, learner))
            equal(found.decision, said.decision, f"{form.name}: decision {t + 1}, recovered")
            for one in (other, learner):
                s.kind.learn(one, form.x, form.y, t)
        need(same(other.state, learner.state), f"{form.name}, recovered: it learns something else")


def by_tickets(s: Subject, form: Form, folder: Path, crash: bool) -> Any:
    """The learner after all rounds, asked first and told a round later; after a crash it is loaded and recovered."""
    learner = begin_learner(s, form, s.made())
    s.kind.learn(learner, form.x, form.y, 0)
    path, log = learner.save(folder / f"{crash}.ls"), folder / f"{crash}.log"
    learner.log_tickets(log)
    waiting: list[Any] = []
    for t in range(1, T):
        if t == MIDDLE:
            disturb(learner, form, t)
        waiting.append(s.kind.ask(learner, form.x, t))
        if t > 2:
            s.kind.tell(learner, waiting.pop(0), form.y, t - 2)
        if t == MIDDLE + 1 and crash:
            learner = ls.load(path)
            learner.recover(log)
            learner.log_tickets(log)
    for t, ticket in zip((T - 2, T - 1), waiting, strict=True):
        s.kind.tell(learner, ticket, form.y, t)
    return learner
