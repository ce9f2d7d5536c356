"""A run as it happens: chunks go in, the transcript and the books come out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import losses
from ..core.errors import BadInput
from ..core.rows import part
from ..core.stream import Batch
from ..engine.checks import asleep, outside, reach, refuse, row_name
from ..engine.compile import engine
from ..engine.loops import Out
from ..engine.memory import copy, read_only
from ..games import DRAWN, Game, Sleeping, Tangent, Vote, inside
from ..hindsight.folds.books import Books
from ..hindsight.folds.totals import Totals
from ..live.live import Live, fit, watched
from .copies import loops
from .delay import Outstanding
from .record import Record

if TYPE_CHECKING:
    from ..core.learner import Learner

    AnyLearner = Learner[Any, Any, Any, Any]

SECONDS = 0.05  # how long a chunk should last, so that progress and Ctrl-C work
BLOCK = 1 << 20  # numbers that a chunk's record of expert losses may hold
DECLARE = "; declare a wider one with interval=(low, high)"
MEMORY = 1 << 30  # bytes that interleaved copies may take
APART = 700  # bytes that an array takes beside what it holds
EMPTY1 = np.empty(0)

Progress = Callable[[int, float], None]


class Copy:
    """One copy of the learner: all rounds are its own, unless late feedback is met by interleaving several."""

    def __init__(self, learner: AnyLearner, live: Live, n: int) -> None:
        self.live = live
        self.totals = Totals(n)
        self.notes = np.zeros(len(learner.noted))


class Session:
    """Plays a learner chunk by chunk; `feed` takes batches, `run.py` makes the Run of what is left."""

    def __init__(
        self,
        learner: AnyLearner,
        *,
        names: tuple[str, ...],
        allocation: bool,
        expected: int | None = None,
        certify: bool = True,
        seed: int = 0,
        record: str = "auto",
        delay: int = 0,
        delays: Any = None,
        interleave: bool = True,
        asleep: str = "error",
        interval: tuple[float, float] | None = None,
        labels: tuple[Any, ...] | None = None,
        shifts: int | None = None,
        whole: bool = False,
        progress: Progress | None = None,
        sink: Callable[[int, Any, Any], None] | None = None,
        live: Live | None = None,
        engine_: str | None = None,
        outcome: str = "outcome",
    ) -> None:
        self.asked, self.names, self.n, self.allocation = learner, names, len(names), allocation
        self.expected, self.certify, self.seed, self.mode = expected, certify, seed, record
        self.delay, self.interleave, self.asleep = delay, interleave and delay > 0, asleep
        self.delays = delays  # one for each round, where they differ; `delay` is the longest
        self.declared, self.labels, self.whole = interval, labels, whole
        self.progress, self.sink, self.which = progress, sink, engine_ or engine()
        self.shifts, self.outcome = shifts, outcome
        self.facts: dict[str, Any] = {
            "missing advice": 0,
            "rounds without an answer": 0,
            "rounds all asleep": 0,
        }
        self.remarks: list[str] = []
        self.t, self.started, self.seconds = 0, 0, 0.0
        self.copies: list[Copy] = []
        self.resumed = live
        if (
            self.which == "plain"
            and engine_ is None
            and os.environ.get("LITTLESTONE_ENGINE") != "plain"
        ):
            self.remarks.append(
                "Numba is not to be had here: rules run plain, about 100 times slower"
            )
        self.sane: Batch | None = None  # a batch whose entries were all found to be in the interval

    # Beginning.

    def begin(self, batch: Batch) -> None:
        learner = self.asked
        if self.resumed is not None:
            live = self.resumed
            if live.shape.n != self.n:
                raise BadInput(
                    f"{learner.key} was trained on {live.shape.n} experts; these are {self.n}"
                )
            if named(live.names) and named(self.names) and live.names != self.names:
                raise BadInput(
                    f"{learner.key} was trained on the experts {', '.join(live.names or ())}; "
                    f"these are {', '.join(self.names)}: choose the same columns, in that order"
                )
            self.learner, self.game, self.shape, self.labels = (
                live.learner,
                live.game,
                live.shape,
                live.labels,
            )
            lives = [live]
            self.t = self.started = live.t  # rounds go on being numbered, and drawn, from there
        else:
            game = learner.game(self.allocation)
            bounds = self.declared or self.learn_interval(learner, game, batch)
            copies = self.delay + 1 if self.interleave else 1
            horizon = -(-self.expected // copies) if self.expected else 0
            self.learner, self.game, self.shape = fit(
                learner, game, self.n, self.lengthened(horizon), bounds, self.labels
            )
            self.shape = self.shape._replace(T=horizon)

            def alive() -> Live:
                return self.alive(
                    self.learner,
                    self.game,
                    self.shape,
                    seed=self.seed,
                    labels=self.labels,
                    which=self.which,
                )

            lives = [alive()]
            self.refuse_copies(lives[0], copies)  # before they are made
            lives += [alive() for _ in range(copies - 1)]
        self.which = lives[0].which
        for one in lives:
            one.names = self.names
        self.copies = [Copy(self.learner, live, self.n) for live in lives]
        self.params = self.learner.params
        inner = inside(self.game)
        self.drawn = isinstance(inner, DRAWN)
        if self.allocation and self.mode == "none" and self.sink is None:
            self.drawn = False  # over losses alone a draw is only for the transcript
        self.experts = self.vectors = True
        self.low, self.high = watched(self.learner, inner)
        if isinstance(inner, Vote):
            self.high = float(self.shape.classes - 1)
        self.around = (self.low, self.high)
        self.books = Books(
            inner if self.certify and self.experts else None,
            self.n,
            rounds=self.expected or 0,
            started=self.t,
            whole=self.whole,
            shifts=self.shifts,
        )
        wide = self.n if self.experts else 1
        self.weights = Record(wide, self.mode if self.experts else "none", self.expected)
        self.lines = [Record(1, self.mode, self.expected) for _ in range(3 if self.drawn else 2)]
        self.chunk = 2048
        if self.delay and not self.interleave:
            self.past = Outstanding(self.delay, self.delays, wide)

    def lengthened(self, horizon: int) -> int:
        """As many rounds as the rate should be for, where a single copy learns late."""
        if not self.delay or self.interleave or not horizon:
            return horizon
        waits = horizon * self.delay if self.delays is None else self.delays[self.delays > 0].sum()
        return horizon + int(self.asked.patience * float(waits))

    def alive(self, *parts: Any, **more: Any) -> Live:
        return Live(*parts, **more)

    def refuse_copies(self, live: Live, copies: int) -> None:
        """Several copies like this one may not take more memory than is good for anybody."""
        each = sum(v.nbytes + APART for v in arrays((live.state, live.room, live.X, live.W)))
        if copies > 1 and each * copies > MEMORY:
            raise BadInput(
                f"delay={self.delay} would keep {copies:,} copies of {self.asked.key}, "
                f"{each * copies / 2**30:.1f} GiB: "
                "play with interleave=False, which keeps one copy (and promises less)"
            )

    def learn_interval(
        self, learner: AnyLearner, game: Game, batch: Batch
    ) -> tuple[float, float] | None:
        """[0, 1], unless the data leave it: then the interval that they span, and a remark."""
        loss = getattr(game, "loss", None)
        if not learner.bounded or (not self.allocation and (loss is None or losses.declared(loss))):
            return None
        shown = batch.y if self.allocation else batch.x
        low, high = reach(shown)
        if np.isfinite(low + high):
            self.sane = batch  # nothing is missing, and nothing will be outside
        else:  # fmin and fmax step over NaN, and say nothing where all is NaN
            low, high = (float(f.reduce(shown, axis=None)) for f in (np.fmin, np.fmax))
        if not self.allocation:
            low = float(np.fmin(low, np.fmin.reduce(batch.y)))
            high = float(np.fmax(high, np.fmax.reduce(batch.y)))
        if (low >= 0.0 and high <= 1.0) or not np.isfinite(low + high):
            return 0.0, 1.0  # what is not finite, the check of the rounds will name
        if self.allocation:
            low = min(low, 0.0)
        if not low < high:
            low, high = low - 0.5, low + 0.5
        where = "all rounds" if self.whole else "the first batch"
        self.remarks.append(
            f"interval [{low:g}, {high:g}] learned from {where}; interval=(low, high) declares it"
        )
        return low, high

    # Rounds.

    def feed(self, batch: Batch, numbers: Any = None) -> None:
        """Play the rounds of a batch; `numbers` says which rows of their source they are, if not consecutive ones."""
        if not self.copies:
            self.begin(batch)
        x = self.nothing(len(batch.y)) if batch.x is None else batch.x
        at = 0
        while at < len(batch.y):
            width = self.n if self.certify and self.experts else 8
            rows = max(1, min(self.chunk, max(64, BLOCK // max(1, width)), len(batch.y) - at))
            began = time.perf_counter()
            self.play(
                read_only(part(x, at, at + rows)),
                read_only(batch.y[at : at + rows]),
                batch.first + at if numbers is None else numbers[at : at + rows],
                batch is not self.sane,
            )
            took = time.perf_counter() - began
            self.seconds += took
            at += rows
            if took < SECONDS / 2:
                self.chunk *= 2
            elif took > SECONDS * 2 and self.chunk > 64:
                self.chunk //= 2
            if self.progress is not None:
                self.progress(self.t - self.started, self.loss)

    def nothing(self, rounds: int) -> Any:
        """What the learner is told before it decides, where nobody tells it anything."""
        return np.empty((rounds, 0))

    @property
    def loss(self) -> float:
        return sum(c.totals.loss for c in self.copies)

    def check(self, x: Any, y: Any, first: Any) -> None:
        """Refuse what cannot be played. The loop has seen that something is not as it should be."""
        if self.allocation:
            refuse(y, self.low, self.high, first, self.names, "loss", False, DECLARE)
            return
        what = "advice" if self.experts else "feature"
        refuse(x, *self.around, first, self.names, what, self.experts, DECLARE)
        nobody = asleep(x)
        if nobody.any():
            r = int(np.argmax(nobody))
            if self.asleep != "last":
                raise BadInput(
                    f"{row_name(first, r)}: every expert is asleep (no advice at all); "
                    'asleep="last" repeats the last prediction'
                )
            if self.t == self.started and nobody[0] and self.resumed is None:
                raise BadInput(
                    f"{row_name(first, 0)}: every expert is asleep, and there is no prediction to repeat"
                )
        self.facts["missing advice"] += int(np.isnan(x).sum())
        self.facts["rounds all asleep"] += int(nobody.sum())

    def play(self, x: Any, y: Any, first: Any, check: bool = True) -> None:
        """One chunk: checked block by block as it is played, from a state that can be put back."""
        rows = len(y)
        step, kept = self.weights.plan(self.t, rows)
        marks = self.books.trace.marks(self.t, rows) if self.certify else np.empty(0, np.int64)
        wide = self.n if self.experts else 1
        keep = self.certify and self.experts
        shown = keep and isinstance(inside(self.game), Tangent)
        out = Out(
            np.empty(rows),
            np.empty(rows),
            np.empty(rows) if self.drawn else EMPTY1,
            np.empty((rows if keep else 0, wide)),
            np.empty((rows if shown else 0, wide)),
            np.empty((len(kept), wide)),
            np.empty((len(marks), len(self.learner.noted))),
        )
        before = [copy(c.live.state) for c in self.copies]
        try:
            if not self.allocation and outside(y, self.low, self.high):
                refuse(y, self.low, self.high, first, (), self.outcome, True, DECLARE)
            if not loops(self, self.game, x, y, out, step, kept, marks, check):
                for c, state in zip(self.copies, before, strict=True):
                    c.live.state = copy(state)
                self.check(x, y, first)  # nothing refused: experts are asleep
                loops(self, Sleeping(self.game), x, y, out, step, kept, marks, False)
            self.sound(out, first)
        except BaseException:
            for c, state in zip(self.copies, before, strict=True):
                c.live.state = state
            raise
        self.write(x, y, out, kept, marks)

    def sound(self, out: Out, first: Any) -> None:
        """No cost may be infinite: then every expert with weight has ruled the outcome out."""
        if not np.isfinite(out.C.sum()) and np.isinf(out.C).any():
            r = int(np.argmax(np.isinf(out.C)))
            raise BadInput(
                f"{row_name(first, r)}: every expert that still has weight has infinite loss"
            )

    def write(self, x: Any, y: Any, out: Out, kept: Any, marks: Any) -> None:
        """Put a chunk into the books and the records."""
        rows, c = len(y), len(self.copies)
        empty = np.isnan(out.C) if np.isnan(out.C.sum()) else None
        if empty is not None:
            self.facts["rounds without an answer"] += int(empty.sum())
        if self.certify:
            self.books.fold([part.totals for part in self.copies], self.t, x, y, out, empty, marks)
        else:
            for j, part in enumerate(self.copies):
                own = slice((j - self.t) % c, None, c)
                part.totals.loss += float(
                    out.C[own].sum() if empty is None else np.nansum(out.C[own])
                )
                part.totals.T += len(out.C[own]) - (0 if empty is None else int(empty[own].sum()))
        for part in self.copies:
            self.learner_notes(part)
        self.weights.add(kept, out.W)
        if self.sink is not None:
            self.sink(self.t, out.A, out.C)
        for record, column in zip(self.lines, (out.A, out.C, out.P), strict=False):
            _, t = record.plan(self.t, rows)
            record.add(t, column if len(t) == rows else column[t - self.t])
        self.t += rows
        per = -(-self.t // c)
        for j, part in enumerate(self.copies):
            part.live.t = self.t if c == 1 else per - (1 if j >= self.t % c and self.t % c else 0)

    # What a transcript says of itself.

    data: Any = (
        None  # the rounds, where they were kept: x, y (and h, importance weights, of examples)
    )
    passes = 1
    intercept = False
    sparse = False
    slept = 0  # rounds in which an arm was not there

    @property
    def traits(self) -> Any:
        return self.game.traits()

    @property
    def engine(self) -> str:
        return self.which

    @property
    def rounds(self) -> int:
        return self.t - self.started

    @property
    def interleaved(self) -> bool:
        return self.delay > 0 and self.interleave

    @property
    def late(self) -> bool:
        """Did a single copy learn late?"""
        return self.delay > 0 and not self.interleave

    @property
    def noting(self) -> bool:
        return bool(self.learner.noted)

    def learner_notes(self, part: Copy) -> None:
        if self.learner.noted:
            self.params.note(part.live.state, part.notes)

    @property
    def totals(self) -> Totals:
        """Of all copies together."""
        return (
            self.books.together if len(self.copies) > 1 and self.certify else self.copies[0].totals
        )


def named(names: tuple[str, ...] | None) -> bool:
    """Did a table name the experts, or were they only counted?"""
    return names is not None and not all(name.startswith("expert ") for name in names)


def arrays(v: Any) -> list[Any]:
    if isinstance(v, np.ndarray):
        return [v]
    return [a for part in v for a in arrays(part)] if isinstance(v, tuple) else []
