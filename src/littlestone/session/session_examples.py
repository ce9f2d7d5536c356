"""A run over examples as it happens: the loop and the records are those of any run, the books are simpler."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.outcome import Outcome
from ..core.rows import BIG, capacity, count, flat, part, width_of
from ..core.stream import Batch
from ..core.vectors import Rows
from ..engine.checks import outside, refuse, refuse_indices
from ..engine.compile import opaque
from ..engine.loops import Out
from ..engine.memory import read_only
from ..games import DRAWN, Classes, Margin
from ..hindsight.folds.totals import Trace
from ..live.live_examples import (
    TWO,
    LiveExamples,
    decides_vectors,
    fit_examples,
    grey,
    width_of_decision,
)
from ..settings.growth import grown
from .copies import loops
from .delay import Outstanding
from .record import Record
from .session import BLOCK, EMPTY1, SECONDS, Session

NONE2 = np.empty((0, 0))
ONES = np.empty(0)
NOTED = 1024  # coordinates of a state up to which notes are taken along the way


class ExampleBooks:
    """What happened: answered rounds, their importance, losses and mistakes, and a thinned trace of them."""

    def __init__(self, rounds: int) -> None:
        self.trace = Trace(expected=rounds)
        self.T, self.loss, self.mistakes, self.importance, self.even = 0, 0.0, 0.0, 0.0, True

    def fold(self, t: int, out: Out, y: Outcome, M: Any, marks: Any) -> None:
        """A chunk that starts after t rounds; costs are NaN where there was no answer."""
        cost = float(out.C.sum())
        whole = not math.isnan(cost)
        wrong = out.P if len(out.P) else out.C
        if whole:
            C, W, h = out.C, wrong, y.h
        else:
            known = ~np.isnan(out.C)
            C, W = np.where(known, out.C, 0.0), np.where(known, wrong, 0.0)
            h = np.where(known, y.h, 0.0)
        if len(marks):
            for j, (loss, mistakes) in enumerate(
                zip(np.cumsum(C)[marks], np.cumsum(W)[marks], strict=True)
            ):
                row = {"loss": self.loss + loss, "mistakes": self.mistakes + mistakes}
                if len(M):
                    row["notes"] = M[j]
                self.trace.add(t + int(marks[j]) + 1, **row)
        self.T += len(C) - (0 if whole else int(np.isnan(out.C).sum()))
        self.loss += cost if whole else float(C.sum())
        self.mistakes += cost if W is C else float(W.sum())
        if whole and ones(h):
            self.importance += len(h)
            return
        total = float(h.sum())
        self.even = self.even and bool(total == len(h) or not whole) and not outside(y.h, 1.0, 1.0)
        self.importance += total


class ExampleCopy:
    """One copy of the learner, with its books."""

    def __init__(self, live: LiveExamples, notes: int, rounds: int) -> None:
        self.live, self.notes, self.totals = live, np.zeros(notes), ExampleBooks(rounds)


class ExampleSession(Session):
    """Plays a learner over examples chunk by chunk."""

    copies: list[ExampleCopy]  # type: ignore[assignment]

    def begin(self, batch: Batch) -> None:
        live, width = self.resumed, batch.width or width_of(batch.x)
        self.sparse = isinstance(batch.x, Rows)
        if live is not None:
            assert isinstance(live, LiveExamples)
            if live.sparse != self.sparse or not (live.sparse or live.width == width):
                raise BadInput(
                    f"{self.asked.key} was trained on {kind(live.sparse)} examples of {live.width} features; "
                    f"these are {kind(self.sparse)}, of {width}"
                )
            self.learner, self.game, self.shape = live.learner, live.game, live.shape
            lives = [live]
            self.t = self.started = live.t
        else:
            copies = self.delay + 1 if self.interleave else 1
            horizon = -(-self.expected // copies) if self.expected else 0
            self.learner, self.game, self.shape = fit_examples(
                self.asked, width, self.lengthened(horizon), self.labels, self.sparse
            )
            self.shape = self.shape._replace(T=horizon)
            self.refuse_labels()
            # one label alone: 1 is the second class all the same
            known = self.labels if self.labels is None or len(self.labels) > 1 else None

            def alive() -> LiveExamples:
                return LiveExamples(
                    self.learner, self.game, self.shape, seed=self.seed, labels=known,
                    width=-1 if self.sparse else width, which=self.which,
                )  # fmt: skip

            lives = [alive()]
            self.refuse_copies(lives[0], copies)  # before they are made
            lives += [alive() for _ in range(copies - 1)]
        self.recode: Any = None
        if lives[0].which != self.which and opaque(self.learner.params):
            self.remarks.append(
                "its loss is a function in Python: rules run plain, about 100 times slower"
            )
        self.which = lives[0].which
        for one in lives:
            one.names = None if self.sparse else self.names
        self.intercept = lives[0].intercept
        noted = len(self.learner.noted)
        self.copies = [ExampleCopy(live, noted, self.expected or 0) for live in lives]
        self.params = self.learner.params
        self.two = lives[0].coder is not None
        # beside the cost there are mistakes, or what was drawn
        self.drawn = isinstance(self.game, (*DRAWN, Margin)) or bool(
            getattr(self.game, "probabilities", False) or getattr(self.game, "signed", False)
        )
        self.experts = False
        self.around = (-BIG, BIG)
        self.books = ExampleBooks(self.expected or 0)  # type: ignore[assignment]
        self.vectors = decides_vectors(self.game)
        self.weights = Record(self.wide, self.mode, self.expected)
        self.lines = [Record(1, self.mode, self.expected) for _ in range(3 if self.drawn else 2)]
        self.chunk = 2048
        if self.delay and not self.interleave:
            self.past = Outstanding(self.delay, self.delays, self.wide)

    @property
    def wide(self) -> int:
        return width_of_decision(self.game, self.shape)

    def refuse_labels(self) -> None:
        if isinstance(self.game, TWO) and self.labels is not None and len(self.labels) > 2:
            some = ", ".join(repr(y) for y in self.labels[:5])
            raise BadInput(
                f"{self.asked.key} tells two classes apart; here are {len(self.labels)}: {some}"
                f"{', …' if len(self.labels) > 5 else ''}; "
                "for several classes: multiclass-perceptron, multiclass-passive-aggressive, softmax"
            )

    def learn_labels(self) -> None:
        """Codes of this stream -> codes that the learner knows; None where they are the same."""
        if self.labels is None:
            return
        codes: list[float] = []
        for c in self.copies:
            if c.live.coder is not None:
                codes = [c.live.coder.code(y) for y in self.labels]
        same = codes == list(range(len(codes)))
        self.recode = None if same else np.array(codes)

    def fit_in(self, batch: Batch) -> None:
        """Let the states grow to the features and classes of a batch."""
        width = batch.width or width_of(batch.x)
        if isinstance(batch.x, Rows) != self.sparse:
            raise BadInput("examples must be all dense or all sparse")
        if not self.sparse and width + int(self.intercept) != self.shape.n:
            raise BadInput(
                f"row {batch.first + 1}: an example must have {self.shape.n - int(self.intercept)} features, "
                f"as the first one, not {width}"
            )
        self.refuse_labels()
        n = capacity(width, self.intercept, True) if self.sparse else self.shape.n
        classes = self.shape.classes
        if isinstance(self.game, Classes) and self.labels is not None:
            classes = len(self.copies[0].live.coder or ())
        shape = self.shape._replace(
            n=max(n, self.shape.n), classes=max(classes, self.shape.classes)
        )
        if shape == self.shape:
            return
        wider = width_of_decision(self.game, shape) != self.wide
        self.shape = shape
        for c in self.copies:
            c.live.shape = shape
            c.live.state = grown(self.learner, c.live.state, shape)
            c.live.wide()
            self.refuse_copies(c.live, len(self.copies))  # before the others grow
        if wider:
            self.weights = widened(self.weights, self.wide)
            if self.delay and not self.interleave:
                self.past.widen(self.wide)

    def feed(self, batch: Batch, numbers: Any = None) -> None:
        if not self.copies:
            self.begin(batch)
        self.learn_labels()
        self.fit_in(batch)
        y = batch.y
        if self.recode is not None:
            known = ~np.isnan(y)
            y = np.where(known, self.recode[np.where(known, y, 0.0).astype(int)], np.nan)
        Y = Outcome(y, alike(len(y)) if batch.h is None else batch.h)
        at = 0
        while at < len(y):
            width = max(8, self.wide if self.delay else 0)  # late, every decision is kept
            rows = max(1, min(self.chunk, max(64, BLOCK // width), len(y) - at))
            began = time.perf_counter()
            self.play(
                read_only(part(batch.x, at, at + rows)),
                read_only(part(Y, at, at + rows)),
                batch.first + at if numbers is None else numbers[at : at + rows],
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

    @property
    def loss(self) -> float:
        return self.books.loss  # type: ignore[attr-defined,no-any-return]

    def play(self, x: Any, y: Any, first: Any, check: bool = True) -> None:
        """One chunk, checked block by block as it is played."""
        rows = count(x)
        step, kept = self.weights.plan(self.t, rows)
        marks = self.books.trace.marks(self.t, rows) if self.certify else np.empty(0, np.int64)
        out = Out(
            np.empty(rows), np.empty(rows), np.empty(rows) if self.drawn else EMPTY1, NONE2, NONE2,
            np.empty((len(kept), self.wide)), np.empty((len(marks) if self.noting else 0, len(self.learner.noted))),
        )  # fmt: skip
        if not ones(y.h) and outside(y.h, 0.0, BIG):
            refuse(y.h, 0.0, BIG, first, (), "importance", False)
        if not self.two and outside(y.y, -BIG, BIG):
            refuse(y.y, -BIG, BIG, first, (), self.outcome, True)
        # A refusal ends the run, and nobody else sees its states: `play` gave it a learner of its own.
        if self.learner.boolean:
            self.refuse_grey(x, first)
        if (limits := getattr(self.learner, "limits", None)) is not None:
            refuse_indices(x, limits, first, self.names)
        if not loops(self, self.game, x, y, out, step, kept, marks, check):
            refuse_features(x, first, self.names)
        if not math.isfinite(out.C.sum()) and np.isinf(out.C).any():
            r = int(np.argmax(np.isinf(out.C)))
            raise BadInput(f"row {first + r + 1}: the loss is infinite")
        self.write(x, y, out, kept, marks)

    def refuse_grey(self, x: Any, first: Any) -> None:
        v = flat(x)
        if outside(v, 0.0, 1.0) or ((v != 0.0) & (v != 1.0)).any():
            for r in range(count(x)):
                one = flat(part(x, r, r + 1))
                try:
                    grey(one, self.learner.key)
                except BadInput as problem:
                    number = int(first[r]) if isinstance(first, np.ndarray) else first + r
                    raise BadInput(f"row {number + 1}: {problem}") from None

    def write(self, x: Any, y: Any, out: Out, kept: Any, marks: Any) -> None:
        rows, c = count(x), len(self.copies)
        if math.isnan(out.C.sum()):
            self.facts["rounds without an answer"] += int(np.isnan(out.C).sum())
        self.books.fold(self.t, out, y, out.M, marks)  # type: ignore[call-arg,arg-type]
        if c > 1:
            for j, one in enumerate(self.copies):
                own = slice((j - self.t) % c, None, c)
                mine = out._replace(C=out.C[own], P=out.P[own])
                one.totals.fold(
                    0, mine, Outcome(y.y[own], y.h[own]), out.M[:0], np.empty(0, np.int64)
                )
        else:
            self.copies[0].totals = self.books  # type: ignore[assignment]
        self.weights.add(kept, out.W)
        if self.sink is not None:
            self.sink(self.t, out.A, out.C)
        for record, column in zip(self.lines, (out.A, out.C, out.P), strict=False):
            _, t = record.plan(self.t, rows)
            record.add(t, column if len(t) == rows else column[t - self.t])
        self.t += rows
        per = -(-self.t // c)
        for j, one in enumerate(self.copies):
            one.live.t = self.t if c == 1 else per - (1 if j >= self.t % c and self.t % c else 0)

    def take_notes(self) -> None:
        """What the bounds need of the last states; once, as it may take as long as the state is large."""
        for one in self.copies:
            self.learner_notes(one)  # type: ignore[arg-type]

    @property
    def noting(self) -> bool:
        """Notes along the way are for charts; those of a large state would take longer than the rounds."""
        return bool(self.learner.noted) and self.shape.n <= NOTED

    @property
    def totals(self) -> Any:
        return self.books


def alike(rows: int) -> Any:
    """Rounds that count alike: ones, which all runs share."""
    global ONES
    if len(ONES) < rows:
        ONES = np.ones(rows)
        ONES.flags.writeable = False
    return ONES[:rows]


def ones(h: Any) -> bool:
    """Are these importances the ones that all runs share?"""
    return h.base is ONES


def kind(sparse: bool) -> str:
    return "sparse" if sparse else "dense"


def refuse_features(x: Any, first: Any, names: tuple[str, ...]) -> None:
    """Name the feature that stopped the loop."""
    if not isinstance(x, Rows):
        refuse(x, -BIG, BIG, first, names, "feature", False)
        return
    bad = ~(np.abs(x.value) <= BIG)
    k = int(np.argmax(bad))
    r = int(np.searchsorted(x.indptr, k, "right")) - 1
    refuse(
        x.value[None, k : k + 1], -BIG, BIG, first + r, (str(int(x.index[k])),), "feature", False
    )


def widened(record: Record, width: int) -> Record:
    """A record with more columns; the rounds before had no such class."""
    made = Record(width, record.mode)
    made.every = record.every
    t, rows = record.gather()
    if len(t):
        rows = rows.reshape(len(t), -1)
        made.add(t, np.pad(rows, ((0, 0), (0, width - rows.shape[1])), constant_values=np.nan))
    return made
