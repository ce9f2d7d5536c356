"""Play each key of a table with a learner of its own, in one compiled loop over stacked states.

Keys that are fitted alike (as many rounds, the same interval) are played together. A key with anything unusual
(missing advice, an entry that is refused, a decision that is no number) is played by itself, as every key is where
states cannot be stacked: they grow, rules are functions in Python, examples are sparse, feedback is late.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.errors import LittlestoneError
from ..core.game import ONE
from ..core.rows import with_constant
from ..engine.checks import outside
from ..engine.compile_clock import compile_seconds
from ..engine.keyed import keyed_loop, stack_states, stackable, unstack_state
from ..engine.loops import Out
from ..engine.memory import padded_copy, read_only
from ..live.live import Live
from ..run.keyed import KeyedRuns
from ..settings.experts import learns_interval
from .keys import Keys, take_rows
from .session import Session

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..core.stream import Batch
    from ..encode.running_means import RunningMeans
    from ..encode.stream import Stream
    from ..run.run import Run
    from .plan import Plan

    AnyLearner = Learner[Any, Any, Any, Any]

EMPTY1, EMPTY2 = np.empty(0), np.empty((0, 0))
PIECE = 1 << 20  # rows of one call of the loop
BLOCK = 1 << 14  # numbers that are looked at together


class Group(NamedTuple):
    """Keys that were fitted alike, and their states at the end."""

    setting: Any
    members: np.ndarray  # numbers of the keys
    stack: tuple[Any, ...]
    like: Any  # a state
    remarks: list[str]  # what the user should know of the fit


class Refused(Exception):
    """Something about these rounds is unusual: play the keys one after the other."""


def play_stacked(
    learner: AnyLearner,
    stream: Stream,
    batch: Batch,
    numbers: Any,
    keys: Keys,
    heads: Any,
    plan: Plan,
    alone: Callable[[int], Run],
) -> KeyedRuns | None:
    """The runs of all keys of a table in memory; None where they must be played one after the other.

    `alone` plays one key by itself. `numbers`: what its source calls each row. `heads`: how many rows of each key are
    at hand before its first round: all, where the table was in memory; else those of the first piece of its file.
    """
    how = plan.options
    made: list[Group] = []
    A: Any = None
    C = np.empty(len(batch.y))
    odd: list[int] = []
    done = 0
    began = time.perf_counter() - sum(compile_seconds())
    try:
        for members in fitted_alike(learner, batch, keys, heads, plan):
            k = int(members[0])
            rows_each = int(keys.counts[k]) if plan.whole else None
            session = Session(learner, plan.for_key(keys.names[k], rows_each), stream)
            group = begin_keys(session, take_rows(batch, keys.rows(k)[: heads[k]]), members)
            if A is None:
                A = np.empty((len(batch.y), session.setting.action_width))
                paid = np.empty(len(batch.y)) if session.keeps_draws else EMPTY1
            made.append(group)
            for part in pieces(members, keys):
                rows, first = keys.of(members[part])
                states = tuple(leaf[part] for leaf in group.stack)
                mine = take_rows(batch, rows)
                out, bad = play_keys(session, group.like, states, mine, numbers[rows], first)
                A[rows], C[rows] = out.actions, out.costs
                if len(paid):
                    paid[rows] = out.realised
                odd += members[part][bad].tolist()
                done += len(rows)
                if how.progress is not None:
                    how.progress(done, float(np.nansum(C[rows])))
    except Refused:
        return None
    stacks = Stacks(made, keys, batch, stream, session.seed, session.engine)
    runs = KeyedRuns(keys, A, C, paid, stacks, alone, how.record)
    runs.seconds = time.perf_counter() - sum(compile_seconds()) - began
    for k in sorted(odd):  # in the order of the table, so that the first that is refused is named
        run = runs.by_itself(k)
        if how.record != "none":
            rows = keys.rows(k)
            A[rows] = run.recorded(run.transcript.actions).reshape(len(rows), -1)
            C[rows] = run.losses
            if len(paid):
                paid[rows] = run.realised
        else:
            C[keys.rows(k)] = run.loss / run.rounds  # the sum is what is asked for
    return runs


def fitted_alike(
    learner: AnyLearner, batch: Batch, keys: Keys, heads: Any, plan: Plan
) -> Iterator[np.ndarray]:
    """Numbers of keys whose learners begin alike: they have as many rounds, and lie in the same interval."""
    counts = keys.counts
    own = np.zeros(len(counts), np.int64)  # not 0: a key that is fitted by itself
    if learns_interval(learner, learner.game(plan.losses), plan.options.interval):
        shown = [batch.y] if batch.x is None or learner.bandit else [batch.x, batch.y]
        if any(outside(v, 0.0, 1.0) for v in shown):
            # an interval of its own, or something that is missing: such a key is fitted by itself
            wide = [v.reshape(len(v), -1) for v in shown]
            low = np.minimum.reduce([v.min(axis=1) for v in wide])[keys.order]
            high = np.maximum.reduce([v.max(axis=1) for v in wide])[keys.order]
            later = np.arange(len(low)) >= np.repeat(keys.first[:-1] + heads, counts)
            low[later] = high[later] = 0.5  # not known yet when the learner begins
            usual = np.minimum.reduceat(low, keys.first[:-1]) >= 0.0
            usual &= np.maximum.reduceat(high, keys.first[:-1]) <= 1.0
            own[~usual] = np.flatnonzero(~usual) + 1
    order = np.lexsort((own, counts))
    starts = np.diff(counts[order], prepend=-1) | np.diff(own[order], prepend=-1)
    yield from np.split(order, np.flatnonzero(starts)[1:])


def pieces(members: np.ndarray, keys: Keys) -> Iterator[slice]:
    """Parts of a group that have about as many rows as one call of the loop should have."""
    step = max(1, PIECE // max(1, int(keys.counts[members[0]])))
    for at in range(0, len(members), step):
        yield slice(at, at + step)


def begin_keys(session: Session, batch: Batch, members: np.ndarray) -> Group:
    """The states of some keys before their first round; `batch` holds the rounds of the first of them."""
    try:
        session.begin(batch)
    except LittlestoneError:
        raise Refused from None  # played by itself, the key will say what is wrong
    s, live = session.setting, session.copies[0].live
    before = s.shape
    if s.fit_in(batch, session.labels, session.found) != before or s.newcomers:
        raise Refused
    if s.sparse or live.guarded or not stackable(live.state):
        raise Refused
    return Group(
        s, members, stack_states(live.state, len(members)), live.state, list(session.remarks)
    )


def play_keys(
    session: Session, like: Any, states: tuple[Any, ...], batch: Batch, numbers: Any, first: Any
) -> tuple[Out, Any]:
    """Play the rounds of some keys; what was done, and which keys must be played by themselves."""
    s, live, T = session.setting, session.copies[0].live, len(batch.y)
    if s.means is not None:
        batch = fill_keys(s.means, batch, first)
    x, y = s.loop_inputs(batch)
    out = Out(
        np.empty((T, s.action_width)), np.empty(T), np.empty(T) if session.keeps_draws else EMPTY1,
        EMPTY2, EMPTY2, EMPTY2, EMPTY2,
    )  # fmt: skip
    low, high = s.low, s.high
    stops = np.empty(len(first) - 1)
    x, y = read_only(x), read_only(y)
    X, Z = with_constant(x, s.intercept), s.numbers(x, y)
    scratch = padded_copy(like)
    s.check(x, y, numbers, session.plan.outcome)
    loop = keyed_loop(session.params, s.game, scratch, X, y, out, session.engine)
    try:
        loop(
            session.params,
            s.game,
            scratch,
            states,
            X,
            y,
            Z,
            out,
            padded_copy(live.scratch),
            first,
            stops,
            session.seed,
            float(low),
            float(high),
        )
    except LittlestoneError:
        raise Refused from None
    wrong = ~np.isfinite(out.actions).all(axis=1) | (~np.isfinite(out.costs) & s.have_outcomes(y))
    strange = s.find_undeclared(out.actions)
    if strange is not None:
        wrong |= strange
    bad = stops >= 0.0
    if wrong.any():
        bad |= np.add.reduceat(wrong, first[:-1]) > 0
    if has_tiny(Z, session.learner.smallest):
        top = np.abs(Z).reshape(T, -1).max(axis=1, initial=0.0)
        top = np.maximum.reduceat(top, first[:-1])
        bad |= (top > 0.0) & (top < session.learner.smallest)
    return out, bad


def fill_keys(begin: RunningMeans, batch: Batch, first: Any) -> Batch:
    """The rounds of some keys, filled in by means of their own, which all begin alike."""
    if batch.gaps is None:
        return batch
    x = batch.x.copy()
    gone = np.add.reduceat(batch.gaps.any(axis=1), first[:-1]) > 0
    for k in np.flatnonzero(gone):
        rows = slice(first[k], first[k + 1])
        x[rows] = begin.fill(batch.x[rows], batch.gaps[rows])
    return batch._replace(x=x)


def has_tiny(Z: Any, smallest: float) -> bool:
    """Is a number closer to 0 than `smallest`, and not 0? Looked for in blocks that stay in the cache: 10 ns a row."""
    for at in range(0, len(Z) if smallest else 0, BLOCK):
        z = np.abs(Z[at : at + BLOCK])
        if ((z < smallest) & (z > 0.0)).any():
            return True
    return False


class Stacks:
    """The states of all keys at the end, and the learners that have them."""

    def __init__(
        self, groups: list[Group], keys: Keys, batch: Batch, stream: Stream, seed: int, engine: str
    ) -> None:
        self.groups, self.stream, self.seed, self.engine = groups, stream, seed, engine
        self.keys, self.batch = keys, batch
        count = len(keys.names)
        self.group, self.place = np.empty(count, np.int64), np.empty(count, np.int64)
        for i, g in enumerate(groups):
            self.group[g.members], self.place[g.members] = i, np.arange(len(g.members))

    @property
    def nbytes(self) -> int:
        """The memory of all states."""
        return sum(leaf.nbytes for g in self.groups for leaf in g.stack)

    def learner(self, k: int, rounds: int) -> AnyLearner:
        """The learner of a key, as it was after its last round."""
        g = self.groups[self.group[k]]
        g.setting.named_as(self.stream)
        state = unstack_state(g.stack, int(self.place[k]), g.like)
        setting = g.setting.copied()
        if setting.means is not None:
            mine = take_rows(self.batch, self.keys.rows(k))
            setting.means.read(mine.x, mine.gaps)
        live = Live(setting, seed=self.seed, state=state, t=rounds, engine=self.engine)
        made: AnyLearner = copy.copy(g.setting.learner)
        return made.attach(live)

    def remarks(self, k: int) -> list[str]:
        """What the user should know of how the learner of a key was fitted."""
        group: Group = self.groups[self.group[k]]
        return group.remarks

    def actions(self, A: Any) -> Any:
        """Actions of one number as an array of one dimension."""
        return A[:, 0] if self.groups[0].setting.traits.width == ONE else A

    def decode(self, A: Any) -> Any:
        """Actions as the user sees them."""
        return self.groups[0].setting.decode(self.actions(A))
