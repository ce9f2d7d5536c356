"""A run as it happens: batches of rounds go in, the transcript comes out."""

from __future__ import annotations

import math
import os
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.convex_losses import BadLoss
from ..core.errors import BadInput, NotRealizable
from ..core.game import ONE, SEVERAL, Game
from ..core.losses import KINDS, declared
from ..core.rows import count, flat, part, with_constant
from ..core.transcript import Copy, Rounds, Transcript
from ..encode.labels import look_alikes
from ..engine.checks import row_name
from ..engine.compile import engine, opaque
from ..engine.compile_clock import compiling, preparing
from ..engine.loops import Out, rounds
from ..engine.memory import read_only, spaced
from ..engine.target import engine_id
from ..live.late_rounds import LateRounds
from ..live.live import Live
from ..settings import Known, Setting, fitted
from .copies import in_round, late_loops, place, refuse_copies, settle_late, tell
from .delay import AT_ONCE, Outstanding
from .last_weights import last_weights
from .late_classes import new_classes
from .measure import measure, measured
from .new_classes import KnownClasses
from .plan import Plan
from .record import Record, column, give_back, sliced
from .sizes import Size, refuse_nan, refuse_small

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..core.stream import Batch
    from ..encode.stream import Stream
    from ..hindsight.folds.reliability import Reliability

    AnyLearner = Learner[Any, Any, Any, Any]

SECONDS = 0.05  # how long a call of the loop should last, so that progress and Ctrl-C work
LATE = (
    1 << 14
)  # rounds in one call of the loop where outcomes come late, unless more are waited for
BLOCK = 1 << 20  # numbers that a chunk's record of expert losses may hold
EMPTY1, EMPTY2 = np.empty(0), np.empty((0, 0))


class Session:
    """Plays a learner chunk by chunk: `feed` takes batches, `finish` makes the transcript.

    Chunks that are folded have a fixed length; calls of the loop within a chunk last about 50 ms. So
    the numbers of a run do not depend on how fast it was played.
    """

    setting: Setting
    folds: Any
    past: Outstanding
    waited: LateRounds | None = None  # rounds of an earlier run, until they are waited for
    classes = KnownClasses()  # what is done about classes that come while it is played
    weights: Record
    lines: list[Record]
    reliability: Reliability | None = None  # of probabilities, where the learner has them
    every_decision = False  # is every decision looked at, whether it is kept or not?

    def __init__(
        self, learner: AnyLearner, plan: Plan, stream: Stream, live: Live | None = None
    ) -> None:
        self.requested, self.plan, self.stream, self.resumed = learner, plan, stream, live
        self.names = stream.names
        self.earlier: tuple[Any, ...] = ()  # labels of rounds of an earlier run
        # were the labels found in the data, so that a class exists from its first occurrence?
        self.found = stream.found
        self.interleaved = plan.interleave and plan.delay > 0
        self.which, self.seed = plan.engine or engine(), plan.seed
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
        if (
            self.which == "plain"
            and plan.engine is None
            and os.environ.get("LITTLESTONE_ENGINE") != "plain"
        ):
            self.remarks.append(
                "Numba cannot be used here: rules run plain, about 100 times slower"
            )

    # Beginning.

    def begin(self, batch: Batch) -> None:
        plan = self.plan
        lives = [self.go_on(batch)] if self.resumed is not None else self.afresh(batch)
        self.setting = s = lives[0].setting
        s.named_as(self.stream)  # before the first checkpoint
        if self.stream.places is not None:
            self.remarks.append(
                "indices have large gaps: those that occur have places of their own"
            )
        self.learner, self.params = s.learner, lives[0].params
        if lives[0].which != self.which and opaque(self.params):
            self.remarks.append(
                "its loss is a function in Python: rules run plain, about 100 times slower"
            )
        self.which = lives[0].which
        self.folds = s.folds(
            s.game if plan.certify else None, s.shape.n, rounds=plan.expected or 0, started=self.t,
            whole=plan.whole, shifts=s.shifts(plan.shifts), kept=plan.kept,
        )  # fmt: skip
        notes = np.full(len(self.learner.noted), 0.0 if plan.certify else np.nan)
        self.copies = [Copy(live, self.folds.totals(), notes.copy()) for live in lives]
        # where rounds bring losses, a draw changes nothing but the transcript
        idle = s.given == "losses" and plan.record == "none" and plan.sink is None
        self.paid = s.traits.paid and not idle
        self.weights = Record(s.decision_width, plan.record, plan.expected)
        self.lines = [
            Record(width, plan.record, plan.expected)
            for width in (s.action_width, 1, 1)[: 3 if self.paid else 2]
        ]
        self.reliability = measured(s, plan) if self.labels is not None else None
        self.every_decision = self.reliability is not None or plan.decisions is not None
        if self.late:
            self.past = Outstanding(
                plan.delay, plan.delays, s.decision_width, s.action_width, self.started
            )
        if s.given == "examples" and s.traits.classes == SEVERAL:
            self.classes = new_classes(self)

    @property
    def late(self) -> bool:
        """Does a single copy learn from rounds when their outcomes arrive?"""
        return self.plan.delay > 0 and not self.interleaved

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

    def go_on(self, batch: Batch) -> Live:
        """The live learner of an earlier run, where these rounds are of the kind it was trained on."""
        live = self.resumed
        assert live is not None
        if self.late and live.late_rounds is not None and live.late_rounds.t == live.t:
            self.waited = live.late_rounds
            live = live if self.waited.live is None else self.waited.live.copied()
        elif live.late_rounds is not None and live.late_rounds.live is None:
            lost = len(live.late_rounds.rounds[-1])
            self.remarks.append(
                f"it was saved before the outcomes of its last {lost:,} rounds had come: only a run with the same "
                "delay learns from them"
            )
        joined = live.joined_by(self.names)
        if joined is not live and self.waited is not None:
            raise BadInput(
                f"{self.names[len(live.names or ())]!r} cannot join {live.learner.key} while the outcomes of "
                f"{len(self.waited.rounds[-1]):,} earlier rounds are waited for: leave it out until they have come"
            )
        live = joined
        live.setting.matches(batch, self.names)
        self.t = self.started = live.t  # rounds go on being numbered, and drawn, from there
        self.seed = live.seed
        return live

    def afresh(self, batch: Batch) -> list[Live]:
        """As many live learners as there are copies."""
        plan = self.plan
        copies = plan.delay + 1 if self.interleaved else 1
        horizon = -(-plan.expected // copies) if plan.expected else 0
        known = Known(
            n=len(self.names), rounds=self.lengthened(horizon), interval=plan.interval, labels=self.labels,
            found=self.found, names=self.names, batch=batch, whole=plan.whole, hashed=bool(self.stream.bits),
            table=self.stream.categories.coded,
        )  # fmt: skip
        s = fitted(self.requested, known, plan.losses)
        s.shape = s.shape._replace(T=horizon)
        self.remarks += known.remarks
        first = Live(s, seed=self.seed, which=self.which)
        refuse_copies(self.requested, first, copies)  # before they are made
        return [
            first,
            *[Live(s, seed=self.seed, which=self.which) for _ in range(copies - 1)],
        ]

    def lengthened(self, horizon: int) -> int:
        """The number of rounds that rates are tuned to, where a single copy learns late."""
        plan = self.plan
        if not plan.delay or self.interleaved or not horizon:
            return horizon
        waits = horizon * plan.delay
        if plan.delays is not None:
            waits = plan.delays[plan.delays > 0].sum()
        return horizon + int(self.requested.patience * float(waits))

    def widen(self, wide: int, acts: int) -> None:
        """Let states and records follow the setting, whose decisions and actions had so many numbers."""
        s = self.setting
        for c in self.copies:
            c.live.fit(self.classes.shape_of(s, c.live))
            refuse_copies(self.requested, c.live, len(self.copies))  # before the others grow
        if s.action_width != acts:
            self.lines[0] = self.lines[0].widened(s.action_width)
        if s.decision_width != wide:
            self.weights = self.weights.widened(s.decision_width)
            if self.late:
                self.past.widen(s.decision_width, s.action_width)

    # Rounds.

    def feed(self, batch: Batch, numbers: Any = None) -> None:
        """Play the rounds of a batch; `numbers` says which rows of their source they are, if not consecutive ones."""
        if not self.copies:
            self.begin(batch)
        s = self.setting
        before, wide, acts = s.shape, s.decision_width, s.action_width
        if self.waited is not None:
            self.wait_for(*self.waited.rounds, labels=self.waited.labels)
        if s.fit_in(batch, self.labels, self.found) != before:
            self.widen(wide, acts)
        if self.waited is not None:
            self.waited = None
            tell(self, self.past.come())
            self.classes.wait()
        x, y = s.rounds(batch)
        if s.given in ("examples", "advice"):
            self.size.see(flat(x))
        elif not self.plan.certify:  # otherwise the comparators' totals show how large losses are
            self.size.see(flat(y))
        check, at = batch is not s.sane, 0
        for end in self.classes.stretches(y, count(y)):  # from one new class to the next
            number = batch.first + at if numbers is None else numbers[at : at + 1]
            said = self.classes.before(x, y, at, number)
            length = self.length()
            while at < end:
                rows = min(length, end - at)
                first = batch.first + at if numbers is None else numbers[at : at + rows]
                self.chunk(part(x, at, at + rows), part(y, at, at + rows), first, check, said)
                at, said = at + rows, None
            self.classes.after()

    def length(self) -> int:
        """Rounds of a chunk: they depend on how wide the records are, and never on time."""
        s, certify = self.setting, self.plan.certify
        width = s.shape.n if certify and s.given != "examples" else 8
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
            began, compiled = time.perf_counter() - preparing(), compiling()
            numbers = first + at if not isinstance(first, np.ndarray) else first[at : at + n]
            decisions = slice(*kept.searchsorted((self.t + at, self.t + at + n)).tolist())
            self.play(
                read_only(part(x, at, at + n)),
                read_only(part(y, at, at + n)),
                numbers,
                sliced(out, at, n, decisions, marks),
                step,
                kept[decisions],
                check,
                self.t + at,
            )
            took = time.perf_counter() - preparing() - began
            self.seconds += took
            self.compiling += compiling() - compiled
            at += n
            if took < SECONDS / 2:
                self.slice *= 2
            elif took > SECONDS * 2 and self.slice > 64:
                self.slice //= 2
            if self.plan.checkpoint is not None and len(self.copies) == 1:
                live = self.live_after(self.t + at)
                self.plan.checkpoint(self.learner, live, live.t - self.started)
            if self.plan.progress is not None:
                done = self.t + at - self.started
                self.plan.progress(done, self.loss + float(np.nansum(out.C[:at])))
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
        s, certify = self.setting, self.plan.certify
        step, kept = self.weights.plan(self.t, rows)
        if self.every_decision:
            step, kept = 1, np.arange(self.t, self.t + rows)
        marks = self.folds.trace.marks(self.t, rows) if certify else np.empty(0, np.int64)
        experts = certify and s.given != "examples"
        shown = experts and s.traits.tangents
        n = s.shape.n if experts else 0
        self.mark = self.folds.trace.step if len(marks) and s.notes_along else 0
        new = column if self.leaves_nothing else np.empty
        out = Out(
            new(rows).reshape(rows, 1) if s.action_width == 1 else np.empty((rows, s.action_width)),
            new(rows),
            new(rows) if self.paid else EMPTY1,
            np.empty((rows, n)) if experts else EMPTY2,
            np.empty((rows, n)) if shown else EMPTY2,
            np.empty((len(kept), s.decision_width)),
            np.empty((len(marks) if s.notes_along else 0, len(self.learner.noted))),
        )
        return out, kept, step, marks

    def play(
        self, x: Any, y: Any, first: Any, out: Out, step: int, kept: Any, check: bool, t: int
    ) -> None:
        """One slice, whose first round is number t: checked block by block as it is played."""
        s = self.setting
        s.check(x, y, first, self.plan.outcome)
        before = None
        if s.sleeper is not None:  # it may have to be played again
            before = [spaced(c.live.state) for c in self.copies]
        loop = late_loops if self.plan.delay else loop_at_once
        if not loop(self, s.game, x, y, out, step, kept, check, t):
            self.facts["rounds before"] = t - self.started + int(self.resumed is not None)
            game = s.instead(x, y, first, self.facts, self.plan.asleep)
            for c, state in zip(self.copies, before or [], strict=True):
                c.live.state = state
            loop(self, game, x, y, out, step, kept, False, t)
        fine = math.isfinite(out.C.sum())
        if not fine and np.isinf(out.C).any():
            raise BadInput(f"{row_name(first, int(np.argmax(np.isinf(out.C))))}: {s.infinite}")
        least = min(c.live.W.shape[1] for c in self.copies)  # a copy may know fewer classes
        refuse_nan(s, y, first, out._replace(W=out.W[:, :least]), kept, t, fine)

    def write(self, x: Any, y: Any, out: Out, kept: Any, marks: Any) -> None:
        """Fold a chunk, and keep its records."""
        rows, c = len(out.C), len(self.copies)
        totals = [one.totals for one in self.copies]
        answered = -sum(one.T for one in totals)
        self.folds.fold(totals, self.t, x, y, out, marks)
        answered += sum(one.T for one in totals)
        self.facts["rounds without an answer"] += rows - answered
        self.setting.see(x)
        if self.reliability is not None:
            measure(self, self.reliability, y, out)
        A = out.A[:, 0] if self.setting.traits.width == ONE else out.A
        if self.plan.decisions is not None:
            self.plan.decisions(out.W)
        if self.plan.sink is not None:
            self.plan.sink(self.t, A, out.C)
        plan = self.weights.every if len(kept) else 0, kept
        if self.every_decision:  # and those that the record keeps
            plan = self.weights.plan(self.t, rows)
            out = out._replace(W=out.W if len(plan[1]) == rows else out.W[plan[1] - self.t])
        self.weights.add(plan[1], out.W)
        for record, numbers in zip(self.lines, (A, out.C, out.P), strict=False):
            plan = record.plan(self.t, rows, plan)
            t = plan[1]
            record.add(t, numbers if len(t) == rows else numbers[t - self.t])
        if self.leaves_nothing:
            give_back(out[:3])
        self.t += rows
        per = -(-self.t // c)
        for j, one in enumerate(self.copies):
            one.live.t = self.t if c == 1 else per - (1 if j >= self.t % c and self.t % c else 0)

    @property
    def leaves_nothing(self) -> bool:
        """Is a chunk forgotten once it is folded: no record, certificate, listener or later round holds its columns?"""
        p = self.plan
        return (
            p.record == "none"
            and not p.certify
            and not p.delay
            and p.sink is None
            and p.decisions is None
        )

    @property
    def loss(self) -> float:
        c = self.copies
        return float(self.folds.together.loss if len(c) > 1 else c[0].totals.loss)

    # The end.

    def finish(self, data: Rounds | None, passes: int = 1) -> Transcript:
        """Learn from outcomes that are still to come, take the learner's notes, and make the transcript."""
        plan, s = self.plan, self.setting
        late, live = self.late, self.copies[0].live
        if late:
            later = self.late_rounds(live.copied() if len(self.past) else None)
            settle_late(self)
            live.late_rounds = later
        s = self.classes.final_setting(s)
        self.remarks += look_alikes(self.labels)
        for one in self.copies:
            # Certificates alone are made of notes. To sum up a large state, BLAS wakes threads that go on waiting for
            # 25 ms: a tenth of the time in which 300,000 sparse examples are read and learned.
            if self.learner.noted and plan.certify:
                self.params.note(one.live.state, one.notes)
        last = self.folds.trace.blocks[-1] if late and self.folds.trace.blocks else None
        if last is not None and "notes" in last.columns and len(last.t) and last.t[-1] == self.t:
            last.columns["notes"][-1] = self.copies[0].notes  # the chart ends here too
        refuse_small(self)
        # did the user declare the interval of losses, or of advice and outcomes?
        loss = self.requested.parameters.get("loss")
        known = s.given != "losses" and (not isinstance(loss, KINDS) or declared(loss))
        del self.facts["rounds before"]
        asleep = self.facts.pop("asleep")
        found = Transcript(
            self.learner, self.requested, s, self.names, self.copies, self.folds, self.lines[0], self.lines[1],
            self.lines[2] if self.paid else None, self.weights, self.facts, self.remarks, self.t, self.started,
            self.resumed is not None, self.seconds, plan.delay, plan.delays, self.interleaved,
            self.past.symbols() if late else AT_ONCE, plan.certify, self.seed, self.which,
            data, passes, self.size.small, known or plan.interval is not None, s.slept,
        )  # fmt: skip
        found.compiling, found.engine_id = self.compiling, engine_id(self.which)
        found.asleep = asleep if np.any(asleep) else None
        found.reliability = self.reliability
        if self.reliability is not None:
            found.remarks = [*found.remarks, *self.reliability.strangers()]
        found.last_weights = [] if data is None else last_weights(s, self.copies)
        return found


def loop_at_once(
    s: Session, game: Game, x: Any, y: Any, out: Out, step: int, kept: Any, check: bool, t: int
) -> bool:
    """Play rounds whose outcomes arrive at once, from round t on; False where a block was not as it should be."""
    low, high = s.setting.around if check else (1.0, 0.0)
    live = s.copies[0].live
    live.room.stop[0] = -1.0
    try:
        live.state = live.loop(rounds, game)(
            s.params, game, live.state, with_constant(x, s.setting.intercept), y, s.setting.numbers(x, y), out,
            live.room, s.seed, t, 1, step, s.mark, low, high,
        )  # fmt: skip
    except NotRealizable as problem:
        where = f"(in rounds {t + 1} to {t + len(out.A)})"
        raise NotRealizable(f"{problem} {where}") from None
    except BadLoss as problem:
        raise in_round(t + place(problem.x, x), problem) from problem.__cause__
    return bool(live.room.stop[0] < 0)
