"""What `ls.intervals` returns: intervals for every round, how good they were, and what the theorem says of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.guarantee import Certificate
from ...core.learner import Learner
from ...core.notebook import InNotebook
from ...core.stream import Array
from .guard import Guard
from .measures import Measures, table
from .resumed_certificate import resumed_certificate

if TYPE_CHECKING:
    from ...run.run import Run
    from .chain import Chain, Piece

    AnyLearner = Learner[Any, Any, Any, Any]


@dataclass(frozen=True)
class Before:
    """What was counted in rounds whose intervals are no longer kept."""

    rounds: int = 0
    known: int = 0
    below: int = 0
    above: int = 0


NOTHING = Before()


@dataclass(frozen=True)
class IntervalRun(InNotebook):
    """Intervals for every round, how good they were, and what the theorem says of them."""

    run: Run  # of the learner that made the intervals
    forecast: Array  # around which they lie: the forecast itself, or the mixture of several
    outcomes: Array
    measures: Measures
    simple: tuple[Measures, ...]  # the same for all the past, and for the last 500 rounds
    after: int  # so many rounds at the beginning are not measured
    lower: Array  # the lower limit of each round; NaN where there was no forecast
    upper: Array  # the upper limit of each round
    level: float
    notes: tuple[str, ...] = ()  # what was left out, and why
    times: Any = None  # when rounds were, where that is known
    name: str = ""  # of the data
    guard: Guard | None = None  # T-COVER around the learner, where that was asked for
    chain: Any = None  # what goes on with more rounds: `chain.feed`, `chain.predict`
    before: Before = NOTHING  # rounds of a long file that are no longer kept

    @property
    def coverage(self) -> float:
        return self.measures.coverage

    @property
    def width(self) -> float:
        return self.measures.width

    @property
    def winkler(self) -> float:
        return self.measures.winkler

    @property
    def misses_below(self) -> int:
        return self.measures.misses_below

    @property
    def misses_above(self) -> int:
        return self.measures.misses_above

    @property
    def certificate(self) -> Certificate:
        """What each theorem of the learner says of the run; and T-COVER, where it was guarded.

        Of a run that went on from a file: of all rounds since the first one.
        """
        resumed = self.run.transcript.started
        own = resumed_certificate(self.run) if resumed else self.run.certificate
        return own if self.guard is None else Certificate([*own, self.guard.verdict()])

    @property
    def learner(self) -> AnyLearner:
        """The learner as it has learned: it goes on with predict, update, ask, tell and save."""
        return self.run.learner

    def summary(self) -> str:
        """The measures beside those of the simple answers, the certificate, and what was left out."""
        lines = [table([self.measures, *self.simple]), str(self.certificate)]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def report(self, path: str | Path = "littlestone-report.html") -> Path:
        """Write a page: intervals, misses inside their corridor, coverage, width, and which scale had the weight."""
        from ...report.interval_page import report_intervals

        return report_intervals([self], path)

    def plot(self) -> Any:
        """The same as a matplotlib figure (`pip install "littlestone[plot]"`)."""
        from ...report.interval_figure import plot_intervals

        return plot_intervals(self)

    def save(self, path: str | Path) -> Path:
        """Write the mixer and the learners of all levels to one file: `ls.load(path)` goes on where they are."""
        made: Path = self.chain.save(path)
        return made

    def __str__(self) -> str:
        return self.summary()


@dataclass(frozen=True)
class IntervalRuns(InNotebook, Mapping[Any, Any]):
    """Several runs of intervals, one a level or one a key: a mapping, in order."""

    runs: dict[Any, Any]
    kind: str  # "level" or the name of the keys
    notes: tuple[str, ...] = field(default=())

    def __getitem__(self, key: Any) -> Any:
        return self.runs[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    def each(self) -> list[IntervalRun]:
        """All runs, in one list."""
        found: list[IntervalRun] = []
        for run in self.runs.values():
            found += run.each() if isinstance(run, IntervalRuns) else [run]
        return found

    def summary(self) -> str:
        """The measures of each, one a line, and the verdict of each."""
        rows = [(f"{self.kind} {key}", run) for key, run in self.runs.items()]
        if any(isinstance(run, IntervalRuns) for _, run in rows):
            return "\n\n".join(f"{name}\n{run.summary()}" for name, run in rows)
        lines = table([renamed(run.measures, name) for name, run in rows]).splitlines()
        verdicts = ["verdict", *(run.certificate.verdict for _, run in rows)]
        return "\n".join(f"{a}  {b}" for a, b in zip(lines, verdicts, strict=True))

    def report(self, path: str | Path = "littlestone-report.html") -> Path:
        """Write one page for all of them."""
        from ...report.interval_page import report_intervals

        return report_intervals(self.each(), path)

    def __str__(self) -> str:
        return self.summary()


def runs_of(
    chain: Chain,
    piece: Piece,
    y: Array,
    times: Any,
    name: str,
    alone: bool = False,
    before: Mapping[float, Before] | None = None,
) -> Any:
    """The run of a chain that has ended, or one for each level; `piece` and `y` are the rounds that were kept."""
    made = {}
    for level, end in chain.finish().items():
        made[level] = IntervalRun(
            end.run, piece.forecast, y, end.measures, end.simple, chain.after, piece.lower[level], piece.upper[level],
            level, chain.notes, times, name, end.guard, chain, NOTHING if before is None else before[level],
        )  # fmt: skip
    return next(iter(made.values())) if alone else IntervalRuns(made, "level")


def renamed(m: Measures, name: str) -> Measures:
    return Measures(**{**vars(m), "name": name})
