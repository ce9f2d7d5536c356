"""The copies of a learner in a session, how they begin and play: one, prompt or late, or several that take turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.convex_losses import BadLoss
from ..core.errors import BadInput, NotRealizable
from ..core.game import ONE, Game
from ..core.rows import count, part, take, with_constant
from ..engine.checks import outside
from ..engine.compile import ready
from ..engine.loops import Out, learn_late_rows, play_delayed, play_rounds
from ..engine.memory import arrays, read_only
from ..live.live import Live
from ..settings import InitialInfo, fit_setting

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..core.stream import Batch
    from .session import Session

    AnyLearner = Learner[Any, Any, Any, Any]


MEMORY = 1 << 30  # bytes that interleaved copies may take
APART = 700  # bytes that an array takes beside what it holds
OWN_DRAWS = 0x9E3779B1  # each interleaved copy draws with a seed that is so much larger


class Slice(NamedTuple):
    """Rounds of one call of the loop."""

    t: int  # the number of the first one
    x: Any
    y: Any
    numbers: Any  # what their source calls them
    out: Out  # where they are written down
    step: int  # every so many decisions are kept; 0: none
    kept: Any  # the rounds whose decisions are kept
    check: bool  # is it looked at whether numbers are in their interval?


# Three ways to play a slice; each returns False where a block was not as it should be.


def play_at_once(s: Session, game: Game, piece: Slice) -> bool:
    """Play rounds whose outcomes arrive at once."""
    t, x, y, _, out, step, _, check = piece
    low, high = (s.setting.low, s.setting.high) if check else (1.0, 0.0)
    row = s.copies[0].live.row
    loop = ready(play_rounds, s.params, game, s.engine)
    row.scratch.stop[0] = -1.0
    try:
        row.state = loop(
            s.params, game, row.state, with_constant(x, s.setting.intercept), y, s.setting.numbers(x, y),
            out, row.scratch, s.seed, t, 1, step, s.mark, low, high,
        )  # fmt: skip
    except NotRealizable as problem:
        where = f"(in rounds {t + 1} to {t + len(out.actions)})"
        raise NotRealizable(f"{problem} {where}") from None
    except BadLoss as problem:
        raise in_round(t + place(problem.x, x), problem) from problem.__cause__
    return bool(row.scratch.stop[0] < 0)


def place(x: Any, X: Any) -> int:
    """Which row of X the example x is: plain loops hand out views of its rows."""
    return int((x.ctypes.data - X.ctypes.data) // X.strides[0])


def in_round(t: int, problem: BadLoss) -> BadInput:
    """Add the number of the round to an error of the user's own loss."""
    return BadInput(f"round {t + 1}: {problem}")


def play_late(s: Session, game: Game, piece: Slice) -> bool:
    """Play rounds with a single copy, which learns from a round when its outcome arrives."""
    t, x, y, _, out, step, _, check = piece
    if check and outside(s.setting.numbers(x, y), s.setting.low, s.setting.high):
        return False
    live, sleeper = s.copies[0].live, s.setting.sleeper
    begin = s.past.add(x, y, sleeper is not None)
    if s.past.drowsy:
        game = sleeper  # a round that is still to be learned from had a sleeper
    first, who = s.past.arrivals(t, begin, count(y))
    X, Y, D, A = s.past.rows
    Y = s.classes.read(Y)
    who = s.classes.hold(Y, first, who)
    loop = ready(play_delayed, s.params, game, s.engine)
    try:
        live.state = loop(
            s.params,
            game,
            live.state,
            with_constant(read_only(X), s.setting.intercept),
            read_only(Y),
            out,
            live.scratch,
            s.seed,
            t,
            begin,
            D,
            A,
            first,
            who,
            step,
            s.mark,
        )
    except BadLoss as problem:
        if (
            r := place(problem.x, X)
        ) < begin:  # an earlier round: the user's loss returned something else now
            raise
        raise in_round(t + r - begin, problem) from problem.__cause__
    s.classes.charge(x, y, part(Y, begin, begin + count(y)), D[begin:], out, t)
    return True


def play_in_turns(s: Session, game: Game, piece: Slice) -> bool:
    """Play rounds with delay + 1 copies that take turns: each learns from its own rounds at once."""
    t, x, y, _, out, step, kept, check = piece
    low, high = (s.setting.low, s.setting.high) if check else (1.0, 0.0)
    loop = ready(play_rounds, s.params, game, s.engine)
    c, total = len(s.copies), count(y)
    every = np.empty((total, out.decisions.shape[1])) if step else None
    for j, copy in enumerate(s.copies):
        first = (j - t) % c  # the first row of this slice that is the copy's own
        rows = slice(first, None, c)
        size = len(range(first, total, c))
        own = [np.empty((size if len(v) else 0, *v.shape[1:])) for v in out[:5]]
        own[0] = np.empty((size, copy.live.out.actions.shape[1]))  # a copy may know fewer classes
        wide = copy.live.decisions.shape[1]
        mine = Out._make([*own, np.empty((size if step else 0, wide)), out.notes[:0]])
        xs, ys = read_only(take(x, rows)), read_only(take(y, rows))
        copy.live.scratch.stop[0] = -1.0
        try:
            copy.live.state = loop(
                s.params, game, copy.live.state, with_constant(xs, s.setting.intercept), ys,
                s.setting.numbers(xs, ys), mine, copy.live.scratch,
                # each copy has a seed of its own: otherwise all copies would draw the same numbers
                s.seed + OWN_DRAWS * j, (t + first) // c, 1, 1 if step else 0, 0, low, high,
            )  # fmt: skip
        except BadLoss as problem:
            raise in_round(t + first + c * place(problem.x, xs), problem) from problem.__cause__
        if copy.live.scratch.stop[0] >= 0:
            return False
        out.actions[rows, own[0].shape[1] :] = 0.0
        out.actions[rows, : own[0].shape[1]] = own[0]
        for whole, own_rows in zip(out[1:5], mine[1:5], strict=True):
            if len(whole) == total:
                whole[rows] = own_rows
        if every is not None:
            every[rows, wide:] = np.nan
            every[rows, :wide] = mine.decisions
    if every is not None:
        out.decisions[:] = every[kept - t]
    return True


def begin_afresh(session: Session, batch: Batch) -> list[Live]:
    """As many live learners as there are copies, fitted to the first batch."""
    plan, how, learner = session.plan, session.how, session.requested
    copies = plan.delay + 1 if session.interleaved else 1
    rounds = -(-plan.expected // copies) if plan.expected else 0
    tuned_to = rounds
    if session.late and rounds:  # a single copy learns late: its rates are tuned to more rounds
        waits = rounds * plan.delay
        if plan.delays is not None:
            waits = plan.delays[plan.delays > 0].sum()
        tuned_to += int(learner.delay_factor * float(waits))
    columns, lags = session.stream.categories, session.stream.lags
    table = columns.coded if learner.examples and columns.columns else 0
    if table and lags is not None:  # which stand behind the columns that are one number each
        table += len(lags.rows)
    known = InitialInfo(
        n=len(session.names), rounds=tuned_to, interval=how.interval, labels=session.labels,
        found=session.found, names=session.names, batch=batch, whole=plan.whole,
        hashed=bool(session.stream.bits), table=table, offset=-1 if lags is None else lags.place,
    )  # fmt: skip
    s = fit_setting(learner, known, plan.losses)
    s.shape = s.shape._replace(T=rounds)
    session.remarks += known.remarks
    lives = [Live(s, seed=session.seed, engine=session.how.engine)]
    if copies > 1:
        refuse_copies(learner, lives[0], copies)  # before they are made
        lives += [Live(s, seed=session.seed, engine=session.how.engine) for _ in range(copies - 1)]
    return lives


def go_on(session: Session, batch: Batch) -> Live:
    """The live learner of an earlier run, where these rounds are of the kind it was trained on."""
    live = session.resumed
    assert live is not None
    if session.late and live.late_rounds is not None and live.late_rounds.t == live.t:
        session.waited = live.late_rounds
        live = live if session.waited.live is None else session.waited.live.copied()
    elif live.late_rounds is not None and live.late_rounds.live is None:
        lost = len(live.late_rounds.rounds[-1])
        session.remarks.append(
            f"it was saved before the outcomes of its last {lost:,} rounds had come: only a run with the same "
            "delay learns from them"
        )
    joined = live.joined_by(session.names)
    if joined is not live and session.waited is not None:
        raise BadInput(
            f"{session.names[len(live.names or ())]!r} cannot join {live.learner.key} while the outcomes of "
            f"{len(session.waited.rounds[-1]):,} earlier rounds are waited for: leave it out until they have come"
        )
    joined.setting.matches(batch, session.names)
    session.t = session.started = joined.t  # rounds go on being numbered, and drawn, from there
    session.seed = joined.seed
    return joined


def refuse_copies(learner: AnyLearner, live: Live, copies: int) -> None:
    """Refuse copies that would take too much memory together."""
    if copies == 1:
        return
    each = sum(
        v.nbytes + APART for v in arrays((live.state, live.scratch, live.setting.X, live.decisions))
    )
    if each * copies > MEMORY:
        raise BadInput(
            f"delay={copies - 1} would keep {copies:,} copies of {learner.key}, "
            f"{each * copies / 2**30:.1f} GiB: "
            "play with interleave=False, which keeps one copy (and promises less)"
        )


def settle_late(s: Session) -> None:
    """After the last round, let a single copy learn from the outcomes that are still to come."""
    learn_arrived(s, s.past.rest())


def learn_arrived(s: Session, who: Any) -> None:
    """Learn from the rows `who` in their order, whose outcomes have arrived; some may be of a new class."""
    while True:
        known = s.classes.known_until(who)
        learn_from(s, who[:known])
        if known == len(who):
            return
        who = who[known:]
        s.classes.welcome(who[0])


def learn_from(s: Session, who: Any) -> None:
    """Learn from the rows `who`, whose classes are known."""
    if not len(who):
        return
    live, (X, Y, D, A) = s.copies[0].live, s.past.rows
    game = s.setting.sleeper if s.past.drowsy else s.setting.game
    loop = ready(learn_late_rows, s.params, game, s.engine)
    like = 0.0 if s.setting.traits.decision == ONE else D[0]
    act = 0.0 if s.setting.traits.width == ONE else A[0]
    live.state = loop(
        s.params, game, live.state, with_constant(read_only(X), s.setting.intercept), read_only(s.classes.read(Y)),
        D, A, who, like, act, live.scratch,
    )  # fmt: skip
