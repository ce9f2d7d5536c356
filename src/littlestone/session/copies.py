"""When outcomes arrive: at once, late to a single copy of the learner, or late to interleaved copies of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.convex_losses import BadLoss
from ..core.errors import BadInput, NotRealizable
from ..core.rows import count, flat, take, with_constant
from ..engine.checks import outside
from ..engine.compile import ready
from ..engine.loops import Out, answered, delayed, rounds
from ..engine.memory import read_only
from ..games import Game, Sleeping

if TYPE_CHECKING:
    from .session import Session


def loops(
    s: Session, game: Game, x: Any, y: Any, out: Out, step: int, kept: Any, marks: Any, check: bool
) -> bool:
    """Run the loop of every copy; False where a block was not as it should be."""
    mark = s.books.trace.step if len(marks) and s.noting else 0
    low, high = s.around if check else (1.0, 0.0)
    if s.delay and not s.interleave:
        if check and outside(y if s.allocation else flat(x), low, high):
            return False
        late(s, game, x, y, out, step, mark)
        return True
    if s.delay:
        return interleaved(s, game, x, y, out, step, kept, low, high)
    live = s.copies[0].live
    loop = ready(rounds, s.params, game, s.which)
    live.room.stop[0] = -1.0
    z = y.reshape(-1) if s.allocation else flat(x)
    try:
        live.state = loop(
            s.params, game, live.state, with_constant(x, live.intercept), y, z, out, live.room, s.seed, s.t, True,
            step, mark, low, high,
        )  # fmt: skip
    except NotRealizable as problem:
        where = f"(in rounds {s.t + 1} to {s.t + len(out.A)})"
        raise NotRealizable(f"{problem} {where}") from None
    except BadLoss as problem:
        raise in_round(s.t + place(problem.x, x), problem) from problem.__cause__
    return bool(live.room.stop[0] < 0)


def place(x: Any, X: Any) -> int:
    """Which row of X the example x is: plain loops hand out views of its rows."""
    return int((x.ctypes.data - X.ctypes.data) // X.strides[0])


def in_round(t: int, problem: BadLoss) -> BadInput:
    """The same, with the number of the round."""
    return BadInput(f"round {t + 1}: {problem}")


def late(s: Session, game: Game, x: Any, y: Any, out: Out, step: int, mark: int) -> None:
    """A single copy, which learns of a round when its outcome arrives."""
    live = s.copies[0].live
    begin = s.past.add(x, y, s.experts and not s.allocation)
    if s.past.drowsy and not isinstance(game, Sleeping):
        game = Sleeping(game)  # a round that is still to be learned from had a sleeper
    first, who = s.past.arrivals(s.t, begin, count(y))
    X, Y, D, A = s.past.rows
    loop = ready(delayed, s.params, game, s.which)
    try:
        live.state = loop(
            s.params, game, live.state, with_constant(read_only(X), live.intercept), read_only(Y), out, live.room,
            s.seed, s.t, begin, D, A, first, who, step, mark,
        )  # fmt: skip
    except BadLoss as problem:
        if (r := place(problem.x, X)) < begin:  # it was asked again, and said something else
            raise
        raise in_round(s.t + r - begin, problem) from problem.__cause__


def interleaved(
    s: Session, game: Game, x: Any, y: Any, out: Out, step: int, kept: Any, low: float, high: float
) -> bool:
    """As many copies as rounds are outstanding, and one: each learns at once of its own rounds."""
    loop = ready(rounds, s.params, game, s.which)
    c = len(s.copies)
    every = np.empty((count(x), out.W.shape[1])) if step else None
    for j, copy_ in enumerate(s.copies):
        first = (j - s.t) % c  # the first row of this chunk that is the copy's own
        rows = slice(first, None, c)
        size = len(range(first, count(x), c))
        own = [np.empty((size if len(v) else 0, *v.shape[1:])) for v in out[:5]]
        mine = Out(*own, np.empty((size if step else 0, out.W.shape[1])), out.M[:0])  # type: ignore[call-arg]
        xs, ys = read_only(take(x, rows)), read_only(take(y, rows))
        zs = ys.reshape(-1) if s.allocation else flat(xs)
        copy_.live.room.stop[0] = -1.0
        try:
            copy_.live.state = loop(
                s.params, game, copy_.live.state, with_constant(xs, copy_.live.intercept), ys, zs, mine,
                copy_.live.room,
                # each copy draws numbers of its own, or copies would draw alike
                s.seed + 0x9E3779B1 * j, (s.t + first) // c, True, 1 if step else 0, 0, low, high,
            )  # fmt: skip
        except BadLoss as problem:
            t = s.t + first + c * place(problem.x, xs)
            raise in_round(t, problem) from problem.__cause__
        if copy_.live.room.stop[0] >= 0:
            return False
        for whole, piece in zip(out[:5], mine[:5], strict=True):
            if len(whole) == count(x):
                whole[rows] = piece
        if every is not None:
            every[rows] = mine.W
    if every is not None:
        out.W[:] = every[kept - s.t]
    return True


def settle(s: Session) -> None:
    """The outcomes still on their way to a single copy arrive after the last round."""
    if not s.delay or s.interleave:
        return
    live, (X, Y, D, A) = s.copies[0].live, s.past.rows
    game: Any = Sleeping(s.game) if s.past.drowsy else s.game
    loop = ready(answered, s.params, game, s.which)
    live.state = loop(
        s.params, game, live.state, with_constant(read_only(X), live.intercept), read_only(Y), D, A, s.past.rest(),
        D[0] if s.vectors else 0.0, live.room,
    )  # fmt: skip
    s.learner_notes(s.copies[0])
    if s.books.trace.t and s.books.trace.t[-1] == s.t and "notes" in s.books.trace.rows[-1]:
        s.books.trace.rows[-1]["notes"] = s.copies[0].notes.copy()  # the chart ends here too
