"""A run as it happens: batches of rounds go in, the transcript comes out."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import BadInput
from ..core.game import ONE
from ..core.losses import KINDS, declared
from ..core.rows import count, part, with_constant
from ..core.transcript import Copy, Rounds, Transcript
from ..core.vectors import row
from ..engine.checks import outside, row_name
from ..engine.compile import engine, opaque, ready
from ..engine.loops import Out, rounds
from ..engine.memory import copy, read_only
from ..live.live import Live
from ..settings import Known, Setting, fitted
from .copies import OWN_DRAWS, loops, settle_late
from .delay import Outstanding
from .record import Record
from .sizes import Size, refuse_nan

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..core.stream import Batch, Stream

    AnyLearner = Learner[Any, Any, Any, Any]

SECONDS = 0.05  # how long a call of the loop should last, so that progress and Ctrl-C work
BLOCK = 1 << 20  # numbers that a chunk's record of expert losses may hold
MEMORY = 1 << 30  # bytes that interleaved copies may take
APART = 700  # bytes that an array takes beside what it holds
EMPTY1, EMPTY2 = np.empty(0), np.empty((0, 0))

Progress = Callable[[int, float], None]


@dataclass(frozen=True)
class Plan:
    """How a run is to be played: what a user asked for, checked."""

    losses: bool = False  # do rounds bring losses, and no outcomes?
    expected: int | None = None  # rounds, where that is known
    certify: bool = True
    seed: int = 0
    record: str = "auto"
    delay: int = 0  # the longest
    delays: Any = None  # one for each round, where they differ
    interleave: bool = True
    asleep: str = "error"
    interval: tuple[float, float] | None = None
    shifts: int | None = None
    whole: bool = False  # are all rounds in memory?
    progress: Progress | None = None
    sink: Callable[[int, Any, Any], None] | None = None
    checkpoint: Callable[[Any, Any, int], None] | None = (
        None  # is given learner, live learner, rounds
    )
    engine: str | None = None
    outcome: str = "outcome"  # what is predicted, by its name


class Session:
    """Plays a learner chunk by chunk: `feed` takes batches, `finish` makes the transcript.

    Chunks that are folded into the books have a fixed length; calls of the loop within a chunk last about 50 ms. So
    the numbers of a run do not depend on how fast it was played.
    """

    setting: Setting
    books: Any
    past: Outstanding
    weights: Record
    lines: list[Record]

    def __init__(
        self, learner: AnyLearner, plan: Plan, stream: Stream, live: Live | None = None
    ) -> None:
        self.asked, self.plan, self.stream, self.resumed = learner, plan, stream, live
        self.names, self.labels = stream.names, stream.labels
        # were the labels found in the data, so that a class exists from its first occurrence?
        self.found = stream.found
        self.interleaved = plan.interleave and plan.delay > 0
        self.which, self.seed = plan.engine or engine(), plan.seed
        self.facts: dict[str, Any] = {
            "missing advice": 0,
            "rounds without an answer": 0,
            "rounds all asleep": 0,
            "rounds before": 0,
        }
        self.remarks: list[str] = []
        self.t, self.started, self.seconds = 0, 0, 0.0
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
        self.learner, self.params = s.learner, s.learner.params
        if lives[0].which != self.which and opaque(self.params):
            self.remarks.append(
                "its loss is a function in Python: rules run plain, about 100 times slower"
            )
        self.which = lives[0].which
        self.books = s.books(
            certify=plan.certify, rounds=plan.expected or 0, started=self.t, whole=plan.whole,
            shifts=plan.shifts,
        )  # fmt: skip
        noted = len(self.learner.noted)
        self.copies = [Copy(live, self.books.totals(), np.zeros(noted)) for live in lives]
        # over losses alone a draw is only for the transcript
        idle = s.given == "losses" and plan.record == "none" and plan.sink is None
        self.paid = s.traits.paid and not idle
        self.weights = Record(s.decision_width, plan.record, plan.expected)
        self.lines = [
            Record(width, plan.record, plan.expected)
            for width in (s.action_width, 1, 1)[: 3 if self.paid else 2]
        ]
        if plan.delay and not self.interleaved:
            self.past = Outstanding(plan.delay, plan.delays, s.decision_width, s.action_width)

    def go_on(self, batch: Batch) -> Live:
        """The live learner of an earlier run, where these rounds are of the kind it was trained on."""
        live = self.resumed
        assert live is not None
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
            found=self.found, names=self.names, batch=batch, whole=plan.whole,
        )  # fmt: skip
        s = fitted(self.asked, known, plan.losses)
        s.shape = s.shape._replace(T=horizon)
        self.remarks += known.remarks
        first = Live(s, seed=self.seed, which=self.which)
        self.refuse_copies(first, copies)  # before they are made
        return [
            first,
            *[Live(s, seed=self.seed, which=self.which) for _ in range(copies - 1)],
        ]

    def lengthened(self, horizon: int) -> int:
        """As many rounds as the rate should be for, where a single copy learns late."""
        plan = self.plan
        if not plan.delay or self.interleaved or not horizon:
            return horizon
        waits = horizon * plan.delay
        if plan.delays is not None:
            waits = plan.delays[plan.delays > 0].sum()
        return horizon + int(self.asked.patience * float(waits))

    def refuse_copies(self, live: Live, copies: int) -> None:
        """Refuse copies that would take too much memory together."""
        each = sum(
            v.nbytes + APART for v in arrays((live.state, live.room, live.setting.X, live.W))
        )
        if copies > 1 and each * copies > MEMORY:
            raise BadInput(
                f"delay={self.plan.delay} would keep {copies:,} copies of {self.asked.key}, "
                f"{each * copies / 2**30:.1f} GiB: "
                "play with interleave=False, which keeps one copy (and promises less)"
            )

    def fit_in(self, batch: Batch) -> None:
        """Let states and records grow to the features and classes of a batch."""
        s = self.setting
        before, wide, acts = s.shape, s.decision_width, s.action_width
        if s.fit_in(batch, self.labels, self.found) != before:
            self.widen(wide, acts)

    def welcome(self, x: Any, y: Any, first: Any) -> tuple[Any, Any]:
        """Make room for a class that occurs in the next round, x, for the first time.

        Returns the action and the decision of that round, as they are before anything is known of the class.
        """
        s = self.setting
        s.check(x, y, first, self.plan.outcome)  # compiled code has no bounds checks
        if outside(s.numbers(x, y), *s.around):
            s.instead(x, y, first, self.facts, self.plan.asleep)
        said = self.foreseen(x, y)
        before, wide, acts = s.shape, s.decision_width, s.action_width
        if s.welcome() != before:
            self.widen(wide, acts)
        return said

    def widen(self, wide: int, acts: int) -> None:
        """Let states and records follow the setting, whose decisions and actions had so many numbers."""
        s = self.setting
        for c in self.copies:
            c.live.fit()
            self.refuse_copies(c.live, len(self.copies))  # before the others grow
        if s.action_width != acts:
            self.lines[0] = self.lines[0].widened(s.action_width)
        if s.decision_width != wide:
            self.weights = self.weights.widened(s.decision_width)
            if self.plan.delay and not self.interleaved:
                self.past.widen(s.decision_width, s.action_width)

    # Rounds.

    def feed(self, batch: Batch, numbers: Any = None) -> None:
        """Play the rounds of a batch; `numbers` says which rows of their source they are, if not consecutive ones."""
        if not self.copies:
            self.begin(batch)
        self.fit_in(batch)
        s = self.setting
        x, y = s.rounds(batch)
        if s.given in ("examples", "advice"):
            self.size.see(x)
        elif not self.plan.certify:  # otherwise the books know how large losses are
            self.size.see(y)
        check, new = batch is not s.sane, s.newcomers
        at = 0
        for end in [r for r in new if r > 0] + [count(y)]:  # from one new class to the next
            said = None
            if at in new:
                number = batch.first + at if numbers is None else numbers[at : at + 1]
                said = self.welcome(part(x, at, at + 1), part(y, at, at + 1), number)
            length = self.length()
            while at < end:
                rows = min(length, end - at)
                first = batch.first + at if numbers is None else numbers[at : at + rows]
                self.chunk(part(x, at, at + rows), part(y, at, at + rows), first, check, said)
                at, said = at + rows, None

    def length(self) -> int:
        """Rounds of a chunk: they depend on how wide the records are, and never on time."""
        s, certify = self.setting, self.plan.certify
        width = s.shape.n if certify and s.given != "examples" else 8
        if self.plan.delay:
            width = max(width, s.decision_width)  # late, every decision is kept
        return max(64, BLOCK // max(1, width))

    def foreseen(self, x: Any, y: Any) -> tuple[Any, Any]:
        """The action and the decision that the next round, of one row x, would get; nothing is learned."""
        s, c = self.setting, len(self.copies)
        live, seed, t = self.copies[self.t % c].live, self.seed, self.t
        if c > 1:  # as in `copies.interleaved`
            seed, t = self.seed + OWN_DRAWS * (self.t % c), self.t // c
        out = Out(
            np.empty((1, s.action_width)), np.empty(1), np.empty(1 if self.paid else 0), EMPTY2, EMPTY2,
            np.empty((1, s.decision_width)), EMPTY2,
        )  # fmt: skip
        x, y = read_only(x), read_only(y)
        ready(rounds, self.params, s.game, self.which)(
            self.params, s.game, live.state, with_constant(x, s.intercept), y, s.numbers(x, y), out,
            live.room, seed, t, 0, 1, 0, 1.0, 0.0,
        )  # fmt: skip
        return out.A[0], out.W[0]

    def amend(self, out: Out, y: Any, kept: Any, said: tuple[Any, Any]) -> None:
        """Write down what was done in the first round of a chunk, before its class was known."""
        s, (a, d) = self.setting, said
        if s.traits.width == ONE:
            out.A[0] = a if s.known > 1 else np.nan  # type: ignore[attr-defined]
        else:
            out.A[0] = np.append(a, np.zeros(out.A.shape[1] - len(a)))
        if len(kept) and kept[0] == self.t:
            out.W[0] = np.append(d, np.full(out.W.shape[1] - len(d), np.nan))
        if math.isnan(out.C[0]):
            return
        action = float(out.A[0, 0]) if s.traits.width == ONE else out.A[0]
        wrong = s.game.paid(action, row(y, 0))
        if len(out.P):
            out.P[0] = wrong
        if s.traits.counts_mistakes:
            out.C[0] = wrong

    def chunk(self, x: Any, y: Any, first: Any, check: bool, said: Any = None) -> None:
        """Play a chunk, a slice at a time, and put it into the books and the records.

        `said`: what was done in its first round, where the class of that round was not known before.
        """
        rows = count(y)
        out, kept, step, marks = self.room_for(rows)
        at = 0
        while at < rows:
            n = min(self.slice, rows - at)
            began = time.perf_counter()
            numbers = first + at if not isinstance(first, np.ndarray) else first[at : at + n]
            self.play(
                read_only(part(x, at, at + n)),
                read_only(part(y, at, at + n)),
                numbers,
                sliced(out, at, n, kept - self.t, marks),
                step,
                kept[(kept >= self.t + at) & (kept < self.t + at + n)],
                check,
                self.t + at,
            )
            took = time.perf_counter() - began
            self.seconds += took
            at += n
            if took < SECONDS / 2:
                self.slice *= 2
            elif took > SECONDS * 2 and self.slice > 64:
                self.slice //= 2
            if self.plan.checkpoint is not None and len(self.copies) == 1:
                live = self.copies[0].live
                live.t = self.t + at
                self.plan.checkpoint(self.learner, live, live.t - self.started)
            if self.plan.progress is not None:
                done = self.t + at - self.started
                self.plan.progress(done, self.loss + float(np.nansum(out.C[:at])))
        if said is not None:
            self.amend(out, y, kept, said)
        self.write(x, y, out, kept, marks)

    def room_for(self, rows: int) -> tuple[Out, Any, int, Any]:
        """Where a chunk is written down; the rounds whose decisions are kept, their step, and the rows of the trace."""
        s, certify = self.setting, self.plan.certify
        step, kept = self.weights.plan(self.t, rows)
        marks = self.books.trace.marks(self.t, rows) if certify else np.empty(0, np.int64)
        experts = certify and s.given != "examples"
        shown = experts and s.traits.tangents
        n = s.shape.n if experts else 0
        self.mark = self.books.trace.step if len(marks) and s.notes_along else 0
        out = Out(
            np.empty((rows, s.action_width)),
            np.empty(rows),
            np.empty(rows) if self.paid else EMPTY1,
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
            before = [copy(c.live.state) for c in self.copies]
        if not loops(self, s.game, x, y, out, step, kept, check, t):
            self.facts["rounds before"] = t - self.started + int(self.resumed is not None)
            game = s.instead(x, y, first, self.facts, self.plan.asleep)
            for c, state in zip(self.copies, before or [], strict=True):
                c.live.state = state
            loops(self, game, x, y, out, step, kept, False, t)
        if not math.isfinite(out.C.sum()) and np.isinf(out.C).any():
            raise BadInput(f"{row_name(first, int(np.argmax(np.isinf(out.C))))}: {s.infinite}")
        refuse_nan(s, y, first, out, kept, t)

    def write(self, x: Any, y: Any, out: Out, kept: Any, marks: Any) -> None:
        """Put a chunk into the books and the records."""
        rows, c = len(out.C), len(self.copies)
        if math.isnan(out.C.sum()):
            self.facts["rounds without an answer"] += int(np.isnan(out.C).sum())
        totals = [one.totals for one in self.copies]
        self.setting.fold(self.books, totals, self.t, x, y, out, marks)
        self.weights.add(kept, out.W)
        A = out.A[:, 0] if self.setting.traits.width == ONE else out.A
        if self.plan.sink is not None:
            self.plan.sink(self.t, A, out.C)
        for record, column in zip(self.lines, (A, out.C, out.P), strict=False):
            _, t = record.plan(self.t, rows)
            record.add(t, column if len(t) == rows else column[t - self.t])
        self.t += rows
        per = -(-self.t // c)
        for j, one in enumerate(self.copies):
            one.live.t = self.t if c == 1 else per - (1 if j >= self.t % c and self.t % c else 0)

    @property
    def loss(self) -> float:
        c = self.copies
        return float(self.books.together.loss if len(c) > 1 else c[0].totals.loss)

    @property
    def declared(self) -> bool:
        """Did the user say in which interval losses, or advice and outcomes, lie?"""
        loss = self.asked.parameters.get("loss")
        known = not isinstance(loss, KINDS) or declared(loss)
        return self.plan.interval is not None or (known and self.setting.given != "losses")

    # The end.

    def finish(self, data: Rounds | None, passes: int = 1) -> Transcript:
        """Settle what is still on its way, take the learner's notes, and say what happened."""
        plan, s = self.plan, self.setting
        late = plan.delay > 0 and not self.interleaved
        if late:
            settle_late(self)
        for one in self.copies:
            if self.learner.noted:
                self.params.note(one.live.state, one.notes)
        last = self.books.trace
        if late and last.t and last.t[-1] == self.t and "notes" in last.rows[-1]:
            last.rows[-1]["notes"] = self.copies[0].notes.copy()  # the chart ends here too
        self.refuse_small()
        del self.facts["rounds before"]
        found = Transcript(
            self.learner, self.asked, s, self.names, self.copies, self.books, self.lines[0], self.lines[1],
            self.lines[2] if self.paid else None, self.weights, self.facts, self.remarks, self.t, self.started,
            self.resumed is not None, self.seconds, plan.delay, plan.delays, self.interleaved,
            self.past.symbols() if late else {}, plan.certify, self.seed, self.which,
            data, passes, self.size.small, self.declared, s.slept,
        )  # fmt: skip
        found.last_weights = [] if data is None else last_weights(found)
        return found

    def refuse_small(self) -> None:
        """Refuse a run in which nothing was learned, as all numbers were so small that their products vanish."""
        least = self.learner.smallest
        if self.setting.given == "examples":
            top, what = self.size.small, "no feature is above"
        elif not self.plan.certify:
            top, what = self.size.small, f"no number of the {self.setting.given} is above"
        else:
            totals = self.books.together if len(self.copies) > 1 else self.copies[0].totals
            top, what = float(totals.r), "no regret of a round is above"
            if top == 0.0 and self.size.small:  # the losses themselves vanished
                top, what = self.size.small, "no advice is above"
        if 0.0 < top < least:
            raise BadInput(
                f"{what} {top:.3g} in the whole run: squares of such numbers vanish in floating point, and "
                f"{self.learner.key} learned nothing; multiply all of them by a constant"
            )


def sliced(out: Out, at: int, rows: int, kept: Any, marks: Any) -> Out:
    """What a slice writes of a chunk's record; decisions are of the rows `kept`, notes of the rows `marks`."""

    def cut(v: Any) -> Any:
        return v[at : at + rows] if len(v) else v

    w, m = np.searchsorted(kept, (at, at + rows)), np.searchsorted(marks, (at, at + rows))
    M = out.M[m[0] : m[1]] if len(out.M) else out.M
    return Out(*map(cut, out[:5]), out.W[w[0] : w[1]], M)  # type: ignore[call-arg]


def last_weights(found: Transcript) -> list[Any]:
    """Linear predictors that a run came to, where mistakes count: the last weights of each copy, and their average."""
    traits = found.traits
    if (
        not (traits.given == "examples" and traits.classes == 2 and traits.counts_mistakes)
        or traits.draws
    ):
        return []
    known = []
    for c in found.copies:
        state = c.live.state
        combined = found.learner.coefficients(state)
        if combined is None:  # its weights alone are not what it predicts with
            continue
        known += [getattr(state, "w", None), combined]
    shaped = [w for w in known if isinstance(w, np.ndarray) and w.shape == (found.shape.n,)]
    return [w.copy() for w in shaped if np.isfinite(w).all()]


def arrays(v: Any) -> Iterator[Any]:
    """The arrays of a state, or of anything made of tuples and lists."""
    if isinstance(v, np.ndarray):
        yield v
    elif isinstance(v, (tuple, list)):
        for one in v:
            yield from arrays(one)
