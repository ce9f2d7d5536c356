"""The table at the end of a run, and the list of simple answers under it."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..report.payload import summary
from ..report.references import references
from ..report.words import MISTAKES, classifies, entrants, features, importance, loss_name
from ..run.run import Run
from .console import console, count
from .legend import groups, legend, over_examples
from .number_format import format_column, whole
from .play import Played

STYLES = {"kept": "green", "broken": "bold red", "none": "dim"}
ROWS = 60  # the table shows at most so many rows; a stream with more keys shows these and the sum
SETTLED = ("kept", "broken")
NARROW = 110  # on fewer columns the table leaves out what the list under it repeats
WIDTH = 100  # text is wrapped at so many columns


def table(
    played: list[Played],
    by: str | None,
    notes: list[str],
    tested: Any = None,
    aside: bool = False,
) -> None:
    """Print learner, loss, best comparator, regret, bound and certificate; then simple answers, and the legend."""
    out = console(stderr=aside)
    if played[0].task:
        wrapped(out, first_line(played[0].task), out.width)
    if played[0].chosen:
        wrapped(out, played[0].chosen, out.width)
    out.print(title(played))
    out.print()
    lines = grid(out, played, by)
    out.print()
    ladder(out, played)
    out.print()
    if tested is not None:
        out.print(f"[bold]{escape(str(tested))}[/bold]")
        out.print()
    compared = any(not math.isnan(line.comparator_loss) for line in lines)
    for line in [*legend(played, compared), *(f"note: {note}" for note in notes)]:
        wrapped(out, line)


def first_line(task: str) -> str:
    """The line that says which task was understood, and why."""
    from .console import in_options

    decided = any(word in task for word in (" says", " tells classes", " predicts as"))
    return f"task: {in_options(task)}{'' if decided else ' (--task decides otherwise)'}"


def title(played: list[Played]) -> str:
    run = played[0].run
    source = run.stream.source
    name = source if source.startswith("built-in") else Path(source).name
    rounds = sum(p.run.rounds for p in groups(played)[0])
    what = features(run) if over_examples(run) else count(len(run.names), entrants(run))
    charged = list(dict.fromkeys(loss_name(p.run) for p in played))
    size = f"{count(rounds, 'rounds')}, {what}"
    return f"[bold]{escape(name)}[/bold]: {size}, {charged[0] if len(charged) == 1 else 'several losses'}"


# The table.


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


def line_of(p: Played) -> Line:
    run, numbers = p.run, summary(p.run)
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
    )


def sum_of(runs: list[Played]) -> Line:
    """The sum of the runs of a learner over all keys."""
    each = [summary(p.run) for p in runs]

    def total(name: str) -> float:
        return math.fsum(row[name] for row in each)

    found = {p.run.certificate.verdict for p in runs}
    worst = next(v for v in ("broken", "none", "vacuous", "unknown", "kept") if v in found)
    sums = total("comparator_loss"), total("regret"), total("bound")
    line = Line("all", runs[0].name, total("loss"), mean(runs), "of each key", *sums, worst)
    if all("mistakes" in row for row in each):
        line.accuracy = 1.0 - ratio(total("mistakes"), total("importance"))
    line.charged = loss_name(runs[0].run)
    return line


def ratio(total: float, of: float) -> float:
    return total / of if of else math.nan


def mean(runs: list[Played]) -> float:
    return ratio(math.fsum(p.run.loss for p in runs), math.fsum(importance(p.run) for p in runs))


def theorem(run: Run) -> str:
    """The theorem of the bound, or the first that was kept, and how many more were kept."""
    kept = list(dict.fromkeys(v.guarantee.id for v in run.certificate if v.verdict == "kept"))
    first = kept[0] if kept else ""
    if run.headline is not None and (run.headline.verdict in SETTLED or not kept):
        first = run.headline.guarantee.id
    more = len(set(kept) - {first})
    return first + (f", {more} more" if more else "")


def grid(out: Console, played: list[Played], by: str | None) -> list[Line]:
    rows = side_by_side(played) if by else played
    lines = [line_of(p) for p in rows[:ROWS]] + [sum_of(g) for g in groups(played) if by]
    wide = out.width >= NARROW
    made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    columns: list[list[str]] = []

    def words(title: str, texts: list[str]) -> None:
        made.add_column(escape(title), overflow="fold")
        columns.append([escape(text) for text in texts])

    def numbers(title: str, values: list[float], write: Any = format_column) -> None:
        made.add_column(title, justify="right", no_wrap=True)
        columns.append(write(values))

    # over examples mistakes are called so
    counted = over_examples(rows[0].run) and {line.charged for line in lines} == {MISTAKES}
    total = whole if counted else format_column
    if by:
        words(by, [line.key for line in lines])
    words("learner", [line.learner for line in lines])
    if len({line.charged for line in lines}) > 1:
        words("charged", [line.charged for line in lines])
    numbers("mistakes" if counted else "loss", [line.loss for line in lines], total)
    if wide and not counted:
        numbers("a round", [line.mean for line in lines])
    if not all(math.isnan(line.accuracy) for line in lines):
        numbers("accuracy", [line.accuracy for line in lines])
    if not all(math.isnan(line.comparator_loss) for line in lines):
        words("best comparator", [line.comparator for line in lines])
        if wide:
            its = "its mistakes" if counted else "its loss"
            numbers(its, [line.comparator_loss for line in lines], total)
        numbers("regret", [line.regret for line in lines], total)
    if not (all(math.isnan(line.bound) for line in lines) and over_examples(rows[0].run)):
        numbers("bound", [line.bound for line in lines])
    made.add_column("certificate", no_wrap=True)
    columns.append([certificate(line, wide) for line in lines])
    for row in zip(*columns, strict=True):
        made.add_row(*row)
    out.print(made)
    if len(rows) > ROWS:
        out.print(f"and {len(rows) - ROWS:,} rows more: --json has them all", style="dim")
    return lines


def side_by_side(played: list[Played]) -> list[Played]:
    """With keys: the learners under each key, keys in the order of the stream."""
    found: dict[Any, list[Played]] = {}
    for p in played:
        found.setdefault(p.key, []).append(p)
    return [p for members in found.values() for p in members]


def certificate(line: Line, wide: bool) -> str:
    text = f"[{STYLES.get(line.verdict, 'yellow')}]{line.verdict}[/]"
    return f"{text} ({escape(line.theorem)})" if line.theorem and wide else text


# The list under it.


def ladder(out: Console, played: list[Played]) -> None:
    """The loss a round of every learner and of the simple answers, the smallest first; of labels, the mistakes."""
    every = groups(played)
    labels = all(classifies(p.run) for p in played)
    total = math.fsum(importance(p.run) for p in every[0])
    measure = wrong if labels else mean
    rungs = [(measure(g), g[0].name, True) for g in every]
    if total and (labels or len({loss_name(p.run) for p in played}) == 1):
        for r in references([p.run for p in every[0]]):
            value = r.mistakes if labels else r.loss
            if not math.isnan(value):
                rungs.append((value / total, r.name, False))
    rungs.sort(key=lambda rung: (math.isnan(rung[0]), rung[0]))
    made = Table.grid(padding=(0, 2, 0, 0))
    made.add_column(justify="right", no_wrap=True)
    texts = format_column([loss for loss, _, _ in rungs], apart=True)
    for text, (_, name, own) in zip(texts, rungs, strict=True):
        style = "bold" if own else "dim"
        made.add_row(f"  {text}", f"[{style}]{escape(name)}[/]")
    what = "mistakes" if labels or loss_name(played[0].run) == MISTAKES else "loss"
    out.print(f"{what} a round, beside simple answers (best …: chosen in hindsight)")
    out.print(made)


def wrong(runs: list[Played]) -> float:
    """Mistakes a round."""
    each = [summary(p.run) for p in runs]
    return ratio(math.fsum(r["mistakes"] for r in each), math.fsum(r["importance"] for r in each))


def wrapped(out: Console, line: str, width: int = WIDTH) -> None:
    for i, part in enumerate(textwrap.wrap(line, min(out.width, width) - 2)):
        out.print(("  " if i else "") + escape(part), style="dim")
