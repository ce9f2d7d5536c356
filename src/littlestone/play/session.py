"""A run as it happens: batches of rounds go in, the transcript comes out."""

from __future__ import annotations

import math
import os
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import BadInput
from ..core.game import SEVERAL
from ..core.rows import count, flat, part
from ..core.transcript import Copy
from ..engine import columns
from ..engine.checks import row_name
from ..engine.compile import numba_imports, opaque
from ..engine.compile_clock import SPENT
from ..engine.loops import Out
from ..engine.memory import padded_copy, read_only
from ..live.late_rounds import LateRounds
from .callbacks import Callback, Played, make_callbacks
from .copies import (
    Slice,
    begin_afresh,
    go_on,
    learn_arrived,
    play_at_once,
    play_in_turns,
    play_late,
    refuse_copies,
)  # fmt: skip
from .delay import Outstanding
from .late_classes import new_classes
from .measure import begin_measure
from .new_classes import KnownClasses
from .record import Records, slice_out
from .sizes import Size, refuse_nan

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..core.stream import Batch
    from ..encode.running_means import RunningMeans
    from ..encode.stream import Stream
    from ..hindsight.folds.reliability import Reliability
    from ..live.live import Live
    from ..settings import Setting
    from .plan import Plan

    AnyLearner = Learner[Any, Any, Any, Any]

SECONDS = 0.05  # how long a call of the loop should last, so that progress and Ctrl-C work
LATE = (
    1 << 14
)  # rounds in one call of the loop where outcomes come late, unless more are waited for
BLOCK = 1 << 20  # numbers that a chunk's record of expert losses may hold
EMPTY1, EMPTY2 = np.empty(0), np.empty((0, 0))


def slow_remarks(params: Any) -> list[str]:
    """Why rules run plain, where nobody asked for that."""
    if os.environ.get("LITTLESTONE_ENGINE") == "plain":
        return []
    if opaque(params):
        return ["its loss is a function in Python: rules run plain, about 100 times slower"]
    if not numba_imports():
        return ["Numba cannot be used here: rules run plain, about 100 times slower"]
    return []


class Session:
    """Plays a learner chunk by chunk: `feed` takes batches; `make_transcript` says in the end what happened.

    Chunks that are folded have a fixed length; calls of the loop within a chunk last about 50 ms. So
    the numbers of a run do not depend on how fast it was played.
    """

    setting: Setting
    engine: str
    folds: Any
    past: Outstanding
    waited: LateRounds | None = None  # rounds of an earlier run, until they are waited for
    classes = KnownClasses()  # what is done about classes that come while it is played
    records: Records
    after_slice: list[Callback]  # are called after each call of the loop
    after_chunk: list[Callback]
    reliability: Reliability | None = None  # of probabilities, where the learner has them
    notes_along: int  # how many numbers a learner notes of itself while it plays
    means: RunningMeans | None = (
        None  # what fills in the rows of this pass, where numbers may be missing
    )
    before: RunningMeans | None = None  # the means before the first round
    passes = -1  # before that of these means
    batch: Batch  # that is played, as it was filled in
    fed = 0  # rounds before it
    every_decision = False  # is every decision looked at, whether it is kept or not?

    def __init__(self, learner: AnyLearner, plan: Plan, stream: Stream, key: object = None) -> None:
        """`key`: whose rounds these are, where there are keys; with `resume`, its learner goes on, or a new one."""
        self.requested, self.plan, self.stream = learner, plan, stream
        self.how, self.names = plan.options, stream.names
        self.resumed: Live | None = None  # the learner of an earlier run, copied: it stays as it is
        if self.how.resume and (self.how.by_key is None or key in self.how.by_key):
            one = learner if self.how.by_key is None else self.how.by_key[key]
            self.resumed = one.begun().copied()
        self.earlier: tuple[Any, ...] = ()  # labels of rounds of an earlier run
        # were the labels found in the data, so that a class exists from its first occurrence?
        self.found = stream.found
        self.interleaved = plan.interleave and plan.delay > 0
        self.late = plan.delay > 0 and not self.interleaved  # does a single copy learn late?
        self.loop = play_in_turns if self.interleaved else play_late if self.late else play_at_once
        self.seed = int(self.how.seed)
        self.facts: dict[str, Any] = {
            "missing advice": 0,
            "rounds without an answer": 0,
            "rounds all asleep": 0,
            "rounds before": 0,
            "asleep": 0,  # of each expert, rounds with an answer in which it gave no advice
        }
        self.remarks: list[str] = []
        self.t, self.started = 0, 0
        self.seconds, self.compiling = 0.0, 0.0  # of playing, and of compiling once
        self.copies: list[Copy] = []
        self.size = Size()
        self.slice = 2048  # rounds in one call of the loop

    # Beginning.

    def begin(self, batch: Batch) -> None:
        """Begin with the first batch: fit the learner, and make what follows its rounds."""
        plan, how = self.plan, self.how
        lives = [go_on(self, batch)] if self.resumed is not None else begin_afresh(self, batch)
        self.setting = s = lives[0].setting
        s.named_as(self.stream)  # before the first checkpoint
        if self.stream.places is not None:
            self.remarks.append(
                "indices have large gaps: those that occur have places of their own"
            )
        self.learner, self.params = s.learner, lives[0].row.params
        self.engine = lives[0].engine
        if self.engine == "plain" and how.engine != "plain":
            self.remarks += slow_remarks(self.params)
        self.folds = s.folds(
            s.game if how.certify else None, s.shape.n, rounds=plan.expected or 0, started=self.t,
            whole=plan.whole, shifts=s.shifts if how.shifts is None else how.shifts, kept=plan.kept,
        )  # fmt: skip
        self.notes_along = len(self.learner.diagnostics) if self.learner.notes_along else 0
        notes = np.full(len(self.learner.diagnostics), 0.0 if how.certify else np.nan)
        self.copies = [Copy(live, self.folds.totals(), notes.copy()) for live in lives]
        self.listen(s)
        if self.late:
            self.past = Outstanding(
                plan.delay, plan.delays, s.decision_width, s.action_width, self.started
            )
        if s.traits.kind.has_examples and s.traits.classes == SEVERAL:
            self.classes = new_classes(self)

    def listen(self, s: Setting) -> None:
        """Make the records, and whatever else is called with the rounds that are played."""
        plan, how = self.plan, self.how
        if self.labels is not None and s.traits.scores:
            self.reliability = begin_measure(s, plan)
        callbacks = make_callbacks(how, self.reliability)
        self.after_slice = [one for one in callbacks if one.wants.slices]
        self.after_chunk = [one for one in callbacks if not one.wants.slices]
        self.every_decision = any(one.wants.decisions for one in callbacks)
        # where rounds bring losses, a draw changes nothing but the transcript
        idle = s.traits.kind.losses_alone and how.record == "none"
        self.keeps_draws = s.traits.has_realised_cost and (
            not idle or any(one.wants.draws for one in callbacks)
        )
        self.records = Records(
            (s.decision_width, s.action_width), self.keeps_draws, how.record, plan.expected
        )

    @property
    def labels(self) -> Any:
        """The labels of the stream, and behind them those of earlier rounds that are waited for."""
        known = self.stream.labels
        return known if known is None or not self.earlier else [*known, *self.earlier]

    def wait_for(self, *rounds: Any, labels: tuple[Any, ...] | None = None) -> None:
        """Wait for the outcomes of the last rounds of an earlier run; they are places in `labels`, if any."""
        s: Any = self.setting
        X, Y, *rest = rounds
        if self.classes.arrive_late:
            self.earlier = tuple(s.labels if labels is None else labels)
            Y = Y._replace(y=Y.y - len(self.earlier))  # from the end: more labels come before
        elif labels is not None:  # now all classes are known
            codes = [np.nan if np.isnan(at) else s.coder.code(labels[int(at)]) for at in Y.y]
            Y = Y._replace(y=np.array(codes, np.float64))
            s.grow(classes=len(s.coder))
        self.past.go_on(s.sleeper is not None, X, Y, *rest)

    def late_rounds(self, live: Live | None) -> LateRounds | None:
        """What a later run waits for; `live` is the learner now, where it is going to be told the outcomes."""
        rounds = self.past.waiting(self.classes.held)
        if not len(rounds[-1]):
            return None
        known = self.labels
        labels = None if known is None or not self.classes.arrive_late else tuple(known)
        return LateRounds(self.t, live, rounds, labels)

    def widen(self, wide: int, acts: int) -> None:
        """Let states and records follow the setting, whose decisions and actions had so many numbers."""
        s = self.setting
        for c in self.copies:
            c.live.fit(self.classes.shape_of(s, c.live), in_place=True)
            refuse_copies(self.requested, c.live, len(self.copies))  # before the others grow
        if (s.decision_width, s.action_width) != (wide, acts):
            self.records.widen(s.decision_width, s.action_width)
            if self.late:
                self.past.widen(s.decision_width, s.action_width)

    # Rounds.

    def feed(self, batch: Batch, numbers: Any = None, passes: int = 0) -> Batch:
        """Play the rounds of a batch, and return it as it was played: what was missing is filled in.

        `numbers` says which rows of their source they are, if not consecutive ones; `passes`: how often all of them
        were played before.
        """
        if not self.copies:
            self.begin(batch)
        s = self.setting
        if s.means is not None:
            batch = self.fill_in(s.means, batch, passes)
        before, wide, acts = s.shape, s.decision_width, s.action_width
        if self.waited is not None:
            self.wait_for(*self.waited.rounds, labels=self.waited.labels)
        if s.fit_in(batch, self.labels, self.found) != before:
            self.widen(wide, acts)
        if self.waited is not None:
            self.waited = None
            learn_arrived(self, self.past.come())
            self.classes.wait()
        x, y = s.loop_inputs(batch)
        if s.traits.kind.has_outcomes:
            self.size.see(flat(x))
        elif not self.how.certify:  # otherwise the comparators' totals show how large losses are
            self.size.see(flat(y))
        length = self.length()
        at, rows, coming, check = 0, count(y), self.classes.coming, batch is not s.sane
        # from one new class to the next
        for end in self.classes.stretches(y, rows) if coming else (rows,):
            said = None
            if coming:
                number = batch.first + at if numbers is None else numbers[at : at + 1]
                said = self.classes.before(x, y, at, number)
                length = self.length()
            while at < end:
                n = min(length, end - at)
                first = batch.first + at if numbers is None else numbers[at : at + n]
                self.chunk(part(x, at, at + n), part(y, at, at + n), first, check, said)
                at, said = at + n, None
            if coming:
                self.classes.after()
        return batch

    def fill_in(self, means: RunningMeans, batch: Batch, passes: int) -> Batch:
        """The batch without gaps.

        In a later pass each row is filled in as in the first, and counts no more: comparators look at the first.
        """
        if passes != self.passes:
            if self.how.passes > 1 and self.before is None:
                self.before = means.copied()
            self.passes = passes
            self.means = self.before.copied() if passes and self.before is not None else means
        assert self.means is not None
        if batch.gaps is not None:
            batch = batch._replace(x=self.means.fill(batch.x, batch.gaps))
        self.batch, self.fed = batch, self.t
        return batch

    def length(self) -> int:
        """Rounds of a chunk: they depend on how wide the records are, and never on time."""
        s, certify = self.setting, self.how.certify
        width = s.shape.n if certify and not s.traits.kind.has_examples else 8
        if self.plan.delay or self.every_decision:
            width = max(width, s.decision_width)  # late, every decision is kept
        return max(64, BLOCK // max(1, width))

    def chunk(self, x: Any, y: Any, first: Any, check: bool, said: Any = None) -> None:
        """Play a chunk, a slice at a time; fold it, and keep its records.

        `said`: what was done in its first round, where the class of that round was not known before.
        """
        rows = count(y)
        out, kept, step, marks = self.room_for(rows)
        at = 0
        while at < rows:
            n = min(self.slice, rows - at)
            if self.late:  # what is waited for stays in the cache
                n = min(n, max(LATE, len(self.past)))
            began, compiling, loading = time.perf_counter(), SPENT.compiling, SPENT.loading
            numbers = first + at if not isinstance(first, np.ndarray) else first[at : at + n]
            decisions = slice(*kept.searchsorted((self.t + at, self.t + at + n)).tolist())
            own = out if n == rows else slice_out(out, at, n, decisions, marks)
            piece = Slice(
                self.t + at, read_only(part(x, at, at + n)), read_only(part(y, at, at + n)), numbers,
                own, step, kept[decisions], check,
            )  # fmt: skip
            if self.means is not None:  # slice by slice: a checkpoint may come in between
                gaps, a = self.batch.gaps, self.t - self.fed + at
                self.means.read(self.batch.x[a : a + n], None if gaps is None else gaps[a : a + n])
            self.play_slice(piece)
            if self.setting.lags is not None:
                self.setting.remember(piece.y.y)
            compiling = SPENT.compiling - compiling
            took = time.perf_counter() - began - compiling - (SPENT.loading - loading)
            self.seconds += took
            self.compiling += compiling
            at += n
            if took < SECONDS / 2:
                self.slice *= 2
            elif took > SECONDS * 2 and self.slice > 64:
                self.slice //= 2
            for callback in self.after_slice:
                callback.on_rounds(self, Played(self.t, at, y, out, kept))
        if self.classes.coming:
            self.classes.amend(out, y, kept, said)
        self.write(x, y, out, kept, marks)

    def live_after(self, t: int) -> Live:
        """The single copy after round t, with the rounds that it waits for: as a file can keep it."""
        live: Live = self.copies[0].live
        live.t = t
        if self.late:
            found = self.late_rounds(None)
            live.late_rounds = None if found is None else found._replace(t=t)
        return live

    def room_for(self, rows: int) -> tuple[Out, Any, int, Any]:
        """Where a chunk is written down; the rounds whose decisions are kept, their step, and the rows of the trace."""
        s, certify = self.setting, self.how.certify
        step, kept = self.records.decisions.plan(self.t, rows)
        if self.every_decision and step != 1:
            step, kept = 1, np.arange(self.t, self.t + rows)
        marks = self.folds.trace.marks(self.t, rows) if certify else np.empty(0, np.int64)
        experts = certify and not s.traits.kind.has_examples
        shown = experts and s.traits.tangents
        n = s.shape.n if experts else 0
        # the notes of a large state would take longer than the rounds
        noted = self.notes_along if s.shape.n <= s.largest_noted else 0
        self.mark = self.folds.trace.step if len(marks) and noted else 0
        new = np.empty if rows < columns.LEAST else columns.column
        out = Out(
            new(rows * s.action_width).reshape(rows, s.action_width),
            new(rows),
            new(rows) if self.keeps_draws else EMPTY1,
            np.empty((rows, n)) if experts else EMPTY2,
            np.empty((rows, n)) if shown else EMPTY2,
            new(len(kept) * s.decision_width).reshape(len(kept), s.decision_width),
            np.empty((len(marks) if noted else 0, noted)),
        )
        return out, kept, step, marks

    def play_slice(self, piece: Slice) -> None:
        """Play a slice, which is checked block by block; where advice is missing, once more by another game."""
        s, (t, x, y, first, out, _, kept, _) = self.setting, piece
        s.check(x, y, first, self.plan.outcome)
        before = None
        if s.sleeper is not None:  # it may have to be played again
            before = [padded_copy(c.live.row.state) for c in self.copies]
        if not self.loop(self, s.game, piece):
            self.facts["rounds before"] = t - self.started + int(self.resumed is not None)
            game = s.fallback_game(x, y, first, self.facts, self.how.asleep)
            for c, state in zip(self.copies, before or [], strict=True):
                c.live.row.state = state
            self.loop(self, game, piece._replace(check=False))
        fine = math.isfinite(out.costs.sum())
        if not fine and np.isinf(out.costs).any():
            raise BadInput(f"{row_name(first, int(np.argmax(np.isinf(out.costs))))}: {s.infinite}")
        strange = s.find_undeclared(out.actions)
        least = min(
            c.live.row.decisions.shape[1] for c in self.copies
        )  # a copy may know fewer classes
        refuse_nan(
            s, y, first, out._replace(decisions=out.decisions[:, :least]), kept, t, fine, strange
        )

    def write(self, x: Any, y: Any, out: Out, kept: Any, marks: Any) -> None:
        """Fold a chunk, and keep its records."""
        rows, c = len(out.costs), len(self.copies)
        totals = [one.totals for one in self.copies]
        answered = -sum(one.T for one in totals)
        self.folds.fold(totals, self.t, x, y, out, marks)
        answered += sum(one.T for one in totals)
        self.facts["rounds without an answer"] += rows - answered
        played = Played(self.t, rows, y, out, kept)
        for callback in self.after_chunk:
            callback.on_rounds(self, played)
        self.records.on_rounds(self, played)
        self.t += rows
        per = -(-self.t // c)
        for j, one in enumerate(self.copies):
            one.live.t = self.t if c == 1 else per - (1 if j >= self.t % c and self.t % c else 0)

    @property
    def loss(self) -> float:
        c = self.copies
        return float(self.folds.together.loss if len(c) > 1 else c[0].totals.loss)
