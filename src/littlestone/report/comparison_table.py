"""The table of several learners over the same rounds: what a row says, and the text of its columns.

The command line, `repr` and notebooks print it, each in its own way.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..core.one_word import of_runs
from ..run.run import Run
from .number_format import format_column, whole
from .payload import summary
from .reliability import decided
from .words import MISTAKES, entrants, features, loss_name

UNASKED = "not asked for"  # the verdict of a run with certify=False
SETTLED = ("kept", "broken")


@dataclass
class Played:
    """A run, with its learner, key and delay."""

    run: Run
    learner: str  # as the user wrote it
    delay: int
    key: object = None  # with --by
    task: str = ""  # what was understood, and why
    chosen: str = ""  # why this learner, where the user named none
    scaled: bool = False  # are features scaled as they come?

    @property
    def name(self) -> str:
        return self.learner + (f", {count_of(self.delay, 'round')} late" if self.delay else "")


def count_of(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' * (n != 1)}"


def groups(played: Sequence[Played]) -> list[list[Played]]:
    """The runs of each learner at each delay: one, or one a key."""
    found: dict[str, list[Played]] = {}
    for p in played:
        found.setdefault(p.name, []).append(p)
    return list(found.values())


def best_first(played: list[Played]) -> None:
    """Order by accuracy where all tell classes apart, else by the loss a round; of keys, all of them together."""
    value: dict[tuple[str, int], float] = {}
    labels = all(p.run.classifies for p in played)
    for group in groups(played):
        of = (group[0].learner, group[0].delay)
        value[of] = wrong(group) if labels else mean(group)
    played.sort(key=lambda p: (p.delay, value[p.learner, p.delay]))


def side_by_side(played: Sequence[Played]) -> list[Played]:
    """With keys: the learners under each key, keys in the order of the stream."""
    found: dict[Any, list[Played]] = {}
    for p in played:
        found.setdefault(p.key, []).append(p)
    return [p for members in found.values() for p in members]


def different_losses(runs: Sequence[Run]) -> list[str]:
    """A line where the learners were charged different losses."""
    if len({loss_name(run) for run in runs}) == 1:
        return []
    what = (
        "compare their accuracy" if all(run.classifies for run in runs) else "do not compare them"
    )
    return [f"the learners were charged different losses: {what}"]


def size_of(played: Sequence[Played]) -> tuple[str, str]:
    """What was played: its name, and its rounds, experts or features, and loss."""
    run = played[0].run
    source = run.stream.source
    name = source if source.startswith("built-in") else Path(source).name
    rounds = sum(p.run.rounds for p in groups(played)[0])
    what = entrants(run).removesuffix("s")
    size = features(run) if run.traits.kind.has_examples else count_of(len(run.names), what)
    charged = list(dict.fromkeys(loss_name(p.run) for p in played))
    loss = charged[0] if len(charged) == 1 else "several losses"
    return name, f"{count_of(rounds, 'round')}, {size}, {loss}"


@dataclass
class Line:
    """A row of the table: a run, or with keys the sum of a learner's runs."""

    key: str
    learner: str
    loss: float
    mean: float
    comparator: str
    comparator_loss: float
    regret: float
    bound: float
    verdict: str
    theorem: str = ""
    accuracy: float = math.nan
    charged: str = ""
    cost: float = math.nan  # of decisions, where costs were said


def line_of(p: Played) -> Line:
    run = p.run
    if not run.transcript.certify:
        nothing = "", math.nan, math.nan, math.nan, UNASKED
        right = run.accuracy if run.classifies else math.nan
        return Line(
            str(p.key), p.name, run.loss, run.mean_loss, *nothing, accuracy=right, charged=loss_name(run),
            cost=cost_of([p]),
        )  # fmt: skip
    numbers = summary(run)
    return Line(
        str(p.key),
        p.name,
        run.loss,
        run.mean_loss,
        numbers["comparator"],
        numbers["comparator_loss"],
        numbers["regret"],
        numbers["bound"],
        run.certificate.verdict,
        theorem(run),
        numbers.get("accuracy", math.nan),
        loss_name(run),
        cost_of([p]),
    )


def sum_of(runs: Sequence[Played]) -> Line:
    """The sum of the runs of a learner over all keys."""
    lost, charged = math.fsum(p.run.loss for p in runs), loss_name(runs[0].run)
    nothing = math.nan, math.nan, math.nan, UNASKED
    line = Line("all", runs[0].name, lost, mean(runs), "of each key", *nothing)
    line.charged, line.cost = charged, cost_of(runs)
    if all(p.run.classifies for p in runs):
        line.accuracy = 1.0 - wrong(runs)
    if all(p.run.transcript.certify for p in runs):
        each = [summary(p.run) for p in runs]
        line.comparator_loss, line.regret, line.bound = (
            math.fsum(row[name] for row in each) for name in ("comparator_loss", "regret", "bound")
        )
        line.verdict = of_runs(p.run.certificate.verdict for p in runs)
    return line


def cost_of(runs: Sequence[Played]) -> float:
    """What decisions cost; NaN where nothing says what they cost."""
    if not decided([p.run for p in runs]):
        return math.nan
    return math.fsum(p.run.cost for p in runs)


def theorem(run: Run) -> str:
    """The theorem of the bound, or the first that was kept, and how many more were kept."""
    kept = list(dict.fromkeys(v.guarantee.id for v in run.certificate if v.verdict == "kept"))
    first = kept[0] if kept else ""
    if run.headline is not None and (run.headline.verdict in SETTLED or not kept):
        first = run.headline.guarantee.id
    more = len(set(kept) - {first})
    return first + (f", {more} more" if more else "")


def ratio(total: float, of: float) -> float:
    return total / of if of else math.nan


def mean(runs: Sequence[Played]) -> float:
    """The loss a round."""
    return ratio(math.fsum(p.run.loss for p in runs), math.fsum(p.run.importance for p in runs))


def wrong(runs: Sequence[Played]) -> float:
    """Mistakes a round."""
    mistakes = math.fsum(p.run.mistakes for p in runs)
    return ratio(mistakes, math.fsum(p.run.importance for p in runs))


class Column(NamedTuple):
    """A column of the table as text."""

    title: str
    texts: list[str]
    number: bool = False


def columns(
    lines: Sequence[Line], by: str | None, examples: bool, wide: bool = True
) -> list[Column]:
    """The columns that say something, the certificate last; `wide`: there is room for all of them."""
    # over examples mistakes are called so
    mistakes = examples and {line.charged for line in lines} == {MISTAKES}
    found = name_columns(lines, by)
    found += lost_columns(lines, mistakes, wide) + comparator_columns(lines, mistakes, wide)
    judged = {line.verdict for line in lines} != {UNASKED}
    if (judged and not examples) or any_known(line.bound for line in lines):
        found.append(Column("bound", format_column([line.bound for line in lines]), True))
    return [*found, Column("certificate", [name_verdict(line, wide) for line in lines])]


def name_columns(lines: Sequence[Line], by: str | None) -> list[Column]:
    """The key, the learner, and what each is charged where that is not the same."""
    found = [Column(by, [line.key for line in lines])] if by else []
    found.append(Column("learner", [line.learner for line in lines]))
    if len({line.charged for line in lines}) > 1:
        found.append(Column("charged", [line.charged for line in lines]))
    return found


def name_verdict(line: Line, wide: bool) -> str:
    """A verdict, and where there is room the theorem that it is about."""
    return f"{line.verdict} ({line.theorem})" if line.theorem and wide else line.verdict


def lost_columns(lines: Sequence[Line], mistakes: bool, wide: bool) -> list[Column]:
    """What learners lost, how often they were right, and what their decisions cost."""
    write = whole if mistakes else format_column
    found = [Column("mistakes" if mistakes else "loss", write([line.loss for line in lines]), True)]
    if wide and not mistakes:
        found.append(Column("a round", format_column([line.mean for line in lines]), True))
    if any_known(line.accuracy for line in lines):
        found.append(Column("accuracy", format_column([line.accuracy for line in lines]), True))
    if any_known(line.cost for line in lines):
        found.append(Column("cost", format_column([line.cost for line in lines]), True))
    return found


def comparator_columns(lines: Sequence[Line], mistakes: bool, wide: bool) -> list[Column]:
    """With what each learner is compared, what that lost, and the regret; none where nothing was compared."""
    if not any_known(line.comparator_loss for line in lines):
        return []
    write = whole if mistakes else format_column
    found = [Column(f"{best_or_not(lines)}comparator", [line.comparator for line in lines])]
    if wide:
        its = "its mistakes" if mistakes else "its loss"
        found.append(Column(its, write([line.comparator_loss for line in lines]), True))
    return [*found, Column("regret", write([line.regret for line in lines]), True)]


def any_known(values: Iterable[float]) -> bool:
    """Is one of the numbers known?"""
    return not all(map(math.isnan, values))


def best_or_not(lines: Sequence[Line]) -> str:
    """ "best " where every comparator was proved to be the best of its kind, as its name says; else nothing."""
    names = {line.comparator for line in lines} - {"of each key", "none"}
    return "best " if names and all(name.startswith("best ") for name in names) else ""
