"""Forecasts to intervals, piece by piece: forecasters are mixed, then a learner of sets follows at each level."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.errors import BadInput
from ...core.stream import Array
from ...live import store
from ..learners.aci import ACI
from .forecasts import (
    both_arrays,
    columns_of,
    full,
    mean_forecast,
    refuse_rounds,
    spread_of_forecasts,
    with_forecast,
)
from .guard import Guard, Guarded
from .measures import STRETCH, IntervalTally, Measures
from .seasons import COUNTED, Clock
from .several_centres import SeveralCentres
from .stage import Stage

if TYPE_CHECKING:
    from ...core.learner import Learner
    from ...run.run import Run

    AnyLearner = Learner[Any, Any, Any, Any]

STILL = (
    1e-140  # a rate with which the level of ACI stays where it is: a plain quantile of past scores
)
MOST = 100_000  # scores that "all the past" keeps
LONG = 20_000  # the same where it is not known how many rounds will come
SHORT = 2_000  # the same where there are many keys


@dataclass(frozen=True)
class Piece:
    """What was said in some rounds: the forecast, and the limits of each level."""

    forecast: Array
    lower: dict[float, Array]
    upper: dict[float, Array]


@dataclass(frozen=True)
class Finished:
    """The run of one level, and its measures."""

    run: Run
    measures: Measures
    simple: tuple[Measures, ...]
    guard: Guard | None


class Chain:
    """Intervals around the forecasts of a table, in memory that does not grow with its length.

    `feed` takes rounds with their truths and says what the intervals were; `predict` takes rounds without; `save`
    writes a file from which `littlestone.load` brings all of it back, and then it goes on as if it had not stopped.
    """

    ended: dict[str, Any] | None = None  # what a file holds, once all truths have come

    def __init__(
        self,
        learners: list[AnyLearner],
        names: tuple[str, ...],
        delay: int = 0,
        mix: AnyLearner | None = None,
        pair: bool = False,
        clock: Clock = COUNTED,
        after: int = 0,
        guarded: bool = False,
        rounds: int | None = None,
        past: int = LONG,
        horizon: int | None = None,
        centres: bool = False,
    ) -> None:
        """`learners`: one a level, from the smallest. `mix`: None, and several forecasters are averaged.

        `centres`: intervals around their mean and around what `mix` makes of them are mixed, and moved by the learner.

        `rounds`: how many there will be; None: that is not known, and the simple answer keeps the last `past` ones.
        `horizon`: the same for a mixer whose rate depends on it.
        """
        self.names, self.delay, self.pair, self.clock, self.after = names, delay, pair, clock, after
        self.mixer = (
            None
            if mix is None or pair or len(names) == 1
            else Stage(mix, names, delay, certify=False, record="none", expected=horizon)
        )
        self.centres: dict[float, SeveralCentres] = {}
        if centres and self.mixer is not None:
            for one in learners:
                level = float(one.parameters["level"])
                self.centres[level] = SeveralCentres(one, self.shown(one), delay)
        self.stages = {
            float(one.parameters["level"]): Stage(one, self.shown(one), delay) for one in learners
        }
        self.guards = {q: Guarded(q, delay) for q in self.stages} if guarded else {}
        self.begin(rounds, past)

    def begin(self, rounds: int | None = None, past: int = LONG) -> None:
        """What is counted from here on: measures, the simple answers, rounds without a forecast."""
        self.rounds, self.gone, self.first_gone = 0, 0, 0
        self.tallies = {
            q: IntervalTally(s.learner.key, q, self.after) for q, s in self.stages.items()
        }
        self.simple = {q: self.simple_answers(q, rounds, past) for q in self.stages}

    def simple_answers(
        self, level: float, rounds: int | None, past: int
    ) -> list[tuple[IntervalTally, Stage]]:
        """The quantile of all past scores, and of the last 500."""
        base = self.names if self.pair else ("forecast",)
        most = past if rounds is None else max(1, min(rounds, MOST))
        name = "all the past" if rounds is not None else f"the last {most:,}"
        return [
            (
                IntervalTally(words, level, self.after),
                Stage(ACI(level=level, gamma=STILL, window=window), base, self.delay, certify=False, record="none"),
            )
            for words, window in ((name, most), (f"the last {STRETCH}", STRETCH))
        ]  # fmt: skip

    def shown(self, learner: AnyLearner) -> tuple[str, ...]:
        """The columns of the examples that a learner of sets is given."""
        return (
            *(self.names if self.pair else ("forecast",)),
            *(("spread",) if learner.parameters.get("spread") else ()),
            *(("clock",) if learner.parameters.get("season") else ()),
        )

    def examples(
        self, learner: AnyLearner, x: Array, ticks: Array, base: Array, wide: Array | None = None
    ) -> Array:
        """What a learner of sets is given; `wide`: how wide an interval seems right, or the spread."""
        columns = [x if self.pair else base]
        if learner.parameters.get("spread"):
            columns.append(spread_of_forecasts(x) if wide is None else wide)
        if learner.parameters.get("season"):
            columns.append(ticks)
        return np.ascontiguousarray(np.column_stack(columns))

    def feed(self, x: Any, y: Any, times: Any = None, first: int = 0) -> Piece:
        """Play some rounds: T x n forecasts and T truths (NaN: not known); `first` is the number of their first row."""
        x, y = both_arrays(x, y)
        self.refuse_width(x)
        refuse_rounds(x, y, self.pair, first)
        ticks = self.clock.read(times, len(y))
        if self.ended is not None:  # it had learned truths that come later
            self.go_on(self.ended)
        there = with_forecast(x, self.pair)
        if not there.all():
            self.first_gone = self.first_gone or first + int(np.argmin(there)) + 1
            self.gone += int(np.count_nonzero(~there))
        self.rounds += len(y)
        self.clock = self.clock.after(ticks)
        x_, y_, ticks = x[there], y[there], ticks[there]
        if not len(y_):
            base_ = np.empty(0)
        elif self.mixer is not None:
            base_ = self.mixer.feed(x_, y_, first)
        else:
            base_ = x_[:, 0] if x.shape[1] == 1 else mean_forecast(x_)
        lower, upper = {}, {}
        for q, stage in self.stages.items():
            said = np.empty((0, 2))
            if len(y_):
                examples = partial(self.examples, stage.learner, x_, ticks)
                z = examples(base_)
                if self.centres:
                    z = examples(*self.centres[q].feed(x_, base_, y_, first, examples))
                said = stage.feed(z, y_, first)
                for tally, other in self.simple[q]:
                    A = other.feed(x_ if self.pair else base_[:, None], y_, first)
                    tally.add(full(A[:, 0], there), full(A[:, 1], there), y)
            lower[q], upper[q] = full(said[:, 0], there), full(said[:, 1], there)
            if self.guards:
                lower[q], upper[q] = self.guards[q].add(lower[q], upper[q], y)
        nest(lower, upper)
        for q, tally in self.tallies.items():
            tally.add(lower[q], upper[q], y)
        return Piece(full(base_, there), lower, upper)

    def refuse_width(self, x: Array) -> None:
        if x.shape[1] != len(self.names):
            raise BadInput(
                f"forecasts must have {len(self.names)} columns ({', '.join(self.names)}), not {x.shape[1]}"
            )

    def predict(self, x: Any, times: Any = None, ahead: int = 0, first: int = 0) -> Piece:
        """The intervals of rounds that come next, after all truths given so far; nothing is learned here.

        `ahead`: so many rounds lie between the last one that was fed and these.
        """
        x = columns_of(x)
        self.refuse_width(x)
        refuse_rounds(x, None, self.pair, first)
        there = with_forecast(x, self.pair)
        clock = self.clock._replace(last=self.clock.last + ahead)
        ticks, x = clock.read(times, len(x))[there], x[there]
        base = x[:, 0] if x.shape[1] == 1 else mean_forecast(x)
        if self.mixer is not None and len(x):
            mixing = self.mixer.caught_up()
            base = np.array([mixing.predict(row) for row in x])
        lower, upper = {}, {}
        for q, stage in self.stages.items():
            said = np.empty((0, 2))
            if len(x):
                examples = partial(self.examples, stage.learner, x, ticks)
                z = examples(base)
                if self.centres:
                    z = examples(*self.centres[q].predict(x, base, examples))
                said = stage.caught_up().begun().many(z)[1]
            if self.guards:
                guard = self.guards[q].caught_up()
                said = np.array([guard.limits(*limits) for limits in said]).reshape(-1, 2)
            lower[q], upper[q] = full(said[:, 0], there), full(said[:, 1], there)
        nest(lower, upper)
        return Piece(full(base, there), lower, upper)

    @property
    def notes(self) -> tuple[str, ...]:
        if not self.gone:
            return ()
        return (
            f"{self.gone:,} of {self.rounds:,} rounds have no forecast, and no interval; the first is row "
            f"{self.first_gone}",
        )

    def finish(self) -> dict[float, Finished]:
        """After the last truth: the run of each level, and how good it was."""
        if self.gone == self.rounds:
            raise BadInput("there is no forecast in any round")
        if not any(len(s.session.copies) > 1 for s in self.all_stages()):
            self.ended = self.body()
        found = {}
        for q, stage in self.stages.items():
            found[q] = Finished(
                stage.finish(),
                self.tallies[q].measures(),
                tuple(tally.measures() for tally, _ in self.simple[q]),
                self.guards[q].finish() if self.guards else None,
            )
        return found

    def __repr__(self) -> str:
        levels = ", ".join(f"{q:g}" for q in self.stages)
        late = f", {self.delay} rounds late" if self.delay else ""
        return f"<Chain: intervals at {levels} around {', '.join(self.names)}{late}>"

    # Files.

    def all_stages(self) -> list[Stage]:
        inner = [stage for centres in self.centres.values() for stage in centres.all_stages()]
        return [*([] if self.mixer is None else [self.mixer]), *inner, *self.stages.values()]

    def body(self) -> dict[str, Any]:
        """What a file holds."""
        if self.ended is not None:
            return self.ended
        return {
            "kind": "interval chain",
            "names": list(self.names),
            "delay": self.delay,
            "pair": self.pair,
            "clock": list(self.clock),
            "mixer": None if self.mixer is None else self.mixer.body(),
            "centres": [centres.body() for centres in self.centres.values()],
            "levels": list(self.stages),
            "stages": [stage.body() for stage in self.stages.values()],
            "guards": [guard.body() for guard in self.guards.values()],
        }

    def save(self, path: str | Path) -> Path:
        """Write everything to one file."""
        return store.write(path, self.body())

    @classmethod
    def revive(cls, body: dict[str, Any]) -> Chain:
        """From what a file holds."""
        made = cls.__new__(cls)
        made.names, made.delay, made.pair = tuple(body["names"]), body["delay"], body["pair"]
        made.clock, made.after = Clock(*body["clock"]), 0
        made.go_on(body)
        made.begin()
        return made

    def go_on(self, body: dict[str, Any]) -> None:
        """Let mixer, learners and guards be as they were when `body` was made."""
        self.mixer = None
        if body["mixer"] is not None:
            self.mixer = Stage.revive(
                body["mixer"], self.names, self.delay, certify=False, record="none"
            )
        self.stages = {}
        for q, one in zip(body["levels"], body["stages"], strict=True):
            stage = Stage.revive(one, (), self.delay)
            self.stages[q] = Stage(
                stage.learner, self.shown(stage.learner), self.delay, stage.waiting
            )
        self.centres = {}
        for q, one in zip(body["levels"], body["centres"], strict=False):
            self.centres[q] = SeveralCentres.revive(one, self.shown, self.delay)
        guards = map(Guarded.revive, body["guards"])
        self.guards = dict(zip(self.stages, guards, strict=False))
        self.ended = None


def nest(lower: dict[float, Array], upper: dict[float, Array]) -> None:
    """Make the limits of each level wide enough to hold those of the smaller ones."""
    for inner, outer in itertools.pairwise(lower):
        lower[outer] = np.fmin(lower[outer], lower[inner])
        upper[outer] = np.fmax(upper[outer], upper[inner])
