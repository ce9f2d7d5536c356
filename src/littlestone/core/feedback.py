"""When outcomes arrive: at once, late to a single copy of the learner, or late to interleaved copies of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .checks import outside
from .engine import Out, delayed, read_only, ready, rounds
from .errors import NotRealizable
from .games import Game, Sleeping
from .live import tell

if TYPE_CHECKING:
    from .session import Session


def loops(
    s: Session, game: Game, x: Any, y: Any, out: Out, step: int, kept: Any, marks: Any, check: bool
) -> bool:
    """Run the loop of every copy; False where a block was not as it should be."""
    mark = s.books.trace.step if len(marks) and s.learner.noted else 0
    low, high = s.around if check else (1.0, 0.0)
    if s.delay and not s.interleave:
        if check and outside(x if not s.allocation else y, low, high):
            return False
        late(s, game, x, y, out, step, mark)
        return True
    if s.delay:
        return interleaved(s, game, x, y, out, step, kept, low, high)
    live = s.copies[0].live
    loop = ready(rounds, s.params, game, s.which)
    live.room.stop[0] = -1.0
    z = (y if s.allocation else x).reshape(-1)
    try:
        live.state = loop(
            s.params, game, live.state, x, y, z, out, live.room, s.seed, s.t, True,
            step, mark, low, high,
        )  # fmt: skip
    except NotRealizable as problem:
        where = f"(in rounds {s.t + 1} to {s.t + len(y)})"
        raise NotRealizable(f"{problem} {where}") from None
    return bool(live.room.stop[0] < 0)


def late(s: Session, game: Game, x: Any, y: Any, out: Out, step: int, mark: int) -> None:
    """A single copy, which learns of a round when its outcome arrives."""
    live, X, Y = s.copies[0].live, x, y
    if s.past[0] is not None:
        if not isinstance(game, Sleeping) and np.isnan(s.past[0]).any():
            game = Sleeping(game)  # a round that is still to be learned from had a sleeper
        X, Y = np.concatenate([s.past[0], x]), np.concatenate([s.past[1], y])
    start = len(Y) - len(y)
    loop = ready(delayed, s.params, game, s.which)
    live.state = loop(
        s.params, game, live.state, read_only(X), read_only(Y), out, live.room, s.seed,
        s.t, start, s.delay, *s.ring, step, mark,
    )  # fmt: skip
    s.past = X[-s.delay :], Y[-s.delay :]


def interleaved(
    s: Session, game: Game, x: Any, y: Any, out: Out, step: int, kept: Any, low: float, high: float
) -> bool:
    """As many copies as rounds are outstanding, and one: each learns at once of its own rounds."""
    loop = ready(rounds, s.params, game, s.which)
    c = len(s.copies)
    every = np.empty((len(y), out.W.shape[1])) if step else None
    for j, part in enumerate(s.copies):
        first = (j - s.t) % c  # the first row of this chunk that is the copy's own
        rows = slice(first, None, c)
        size = len(y[rows])
        own = [np.empty((size if len(v) else 0, *v.shape[1:])) for v in out[:5]]
        mine = Out(*own, np.empty((size if step else 0, out.W.shape[1])), out.M[:0])  # type: ignore[call-arg]
        xs = read_only(np.ascontiguousarray(x[rows]))
        ys = read_only(np.ascontiguousarray(y[rows]))
        zs = (ys if s.allocation else xs).reshape(-1)
        part.live.room.stop[0] = -1.0
        part.live.state = loop(
            s.params, game, part.live.state, xs, ys, zs, mine,
            part.live.room,
            # each copy draws numbers of its own, or copies would draw alike
            s.seed + 0x9E3779B1 * j, (s.t + first) // c, True, 1 if step else 0, 0, low, high,
        )  # fmt: skip
        if part.live.room.stop[0] >= 0:
            return False
        for whole, piece in zip(out[:5], mine[:5], strict=True):
            if len(whole) == len(y):
                whole[rows] = piece
        if every is not None:
            every[rows] = mine.W
    if every is not None:
        out.W[:] = every[kept - s.t]
    return True


def settle(s: Session) -> None:
    """The outcomes still on their way to a single copy arrive after the last round."""
    if not s.delay or s.interleave or s.past[1] is None:
        return
    live, (X, Y) = s.copies[0].live, s.past
    D, A = s.ring
    for r in range(len(Y)):
        slot = (s.t - len(Y) + r) % (s.delay + 1)
        if Y[r].ndim == 0 and np.isnan(Y[r]):
            continue
        game = Sleeping(s.game) if np.isnan(X[r]).any() else s.game
        learn = ready(tell, s.params, game, s.which)
        live.state = learn(
            s.params,
            game,
            live.state,
            read_only(X[r]),
            read_only(Y[r]),
            D[slot].copy() if s.experts else float(D[slot, 0]),
            A[slot],
            live.room,
        )
    s.learner_notes(s.copies[0])
    if s.books.trace.t and s.books.trace.t[-1] == s.t and "notes" in s.books.trace.rows[-1]:
        s.books.trace.rows[-1]["notes"] = s.copies[0].notes.copy()  # the chart ends here too
