"""The table at the end of a run, and the list of simple answers under it."""

from __future__ import annotations

import math
import textwrap
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..play.task import FROM_ITSELF, NOTHING_ELSE
from ..report.comparison_table import (
    Line,
    Played,
    columns,
    groups,
    line_of,
    mean,
    side_by_side,
    size_of,
    sum_of,
    wrong,
)
from ..report.number_format import format_column
from ..report.plain_sentence import plain_sentence
from ..report.references import references
from ..report.reliability import cost_references, decided
from ..report.words import MISTAKES, loss_name
from .console import console, in_options
from .legend import legend

STYLES = {"kept": "green", "broken": "bold red", "none": "dim"}
ROWS = 60  # the table shows at most so many rows; a stream with more keys shows these and the sum
NARROW = 110  # on fewer columns the table leaves out what the list under it repeats
WIDTH = 100  # text is wrapped at so many columns


def table(
    played: list[Played],
    by: str | None,
    notes: list[str],
    tested: Any = None,
    aside: bool = False,
) -> None:
    """Print learner, loss, comparator, regret, bound and certificate; then simple answers, and the legend."""
    out = console(stderr=aside)
    show_head(out, played)
    for line in sentences(played):
        print_wrapped(out, line, out.width, "bold")
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
        print_wrapped(out, line)


def show_head(out: Console, played: list[Played]) -> None:
    """Print what was understood, which learner the table decided for, what was played, and who scales features."""
    name, size = size_of(played)
    scales = scaling([p.learner for p in played if p.scaled])
    for line in filter(None, (first_line(played[0].task), played[0].chosen)):
        print_wrapped(out, line, out.width)
    out.print(f"[bold]{escape(name)}[/bold]: {size}")
    if scales:
        print_wrapped(out, scales, out.width)


def first_line(task: str) -> str:
    """The line that says which task was understood, and why, and how to decide for another one; "" without a FILE."""
    if not task:
        return ""
    if NOTHING_ELSE in task:
        other = " (--lags 1,2 takes other rows)"
    elif task.startswith("regression") and FROM_ITSELF in task:
        other = ""
    elif task.startswith("regression"):
        other = " (--task forecasting takes columns for forecasts, --task classification values for classes)"
    elif task.startswith("forecasting"):
        other = " (--task regression takes columns for features)"
    else:
        other = " (--task regression takes classes for numbers)" if " text" not in task else ""
    decided = any(word in task for word in (" says", " tells classes", " predicts as"))
    return f"task: {in_options(task)}{'' if decided else other}"


def scaling(names: list[str]) -> str:
    """The line that says which learners scale features, and how to let them take these as they are."""
    said = "features are scaled as they come (normalise=true); -p normalise=false takes them as they are"
    return f"{', '.join(dict.fromkeys(names))}: {said}" if names else ""


def sentences(played: list[Played]) -> list[str]:
    """One plain sentence about each learner: whether something simple would have been better."""
    every = groups(played)
    said = [(g[0].name, plain_sentence(*(p.run for p in g))) for g in every]
    return [f"{name}: {text}" for name, text in said if text]


# The table.


def grid(out: Console, played: list[Played], by: str | None) -> list[Line]:
    rows = side_by_side(played) if by else played
    lines = [line_of(p) for p in rows[:ROWS]] + [sum_of(g) for g in groups(played) if by]
    wide = out.width >= NARROW
    made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    shown = columns(lines, by, rows[0].run.traits.kind.has_examples, wide)
    for column in shown[:-1]:
        if column.number:
            made.add_column(column.title, justify="right", no_wrap=True)
        else:
            made.add_column(escape(column.title), overflow="fold")
    made.add_column(shown[-1].title, no_wrap=True)
    texts = [[escape(text) for text in column.texts] for column in shown[:-1]]
    texts.append([style_verdict(*pair) for pair in zip(shown[-1].texts, lines, strict=True)])
    for row in zip(*texts, strict=True):
        made.add_row(*row)
    out.print(made)
    if len(rows) > ROWS:
        out.print(f"and {len(rows) - ROWS:,} rows more: --json has them all", style="dim")
    return lines


def style_verdict(text: str, line: Line) -> str:
    """A verdict in its colour, and its theorem behind it."""
    style = STYLES.get(line.verdict, "yellow")
    return f"[{style}]{line.verdict}[/]{escape(text.removeprefix(line.verdict))}"


# The list under it.


def ladder(out: Console, played: list[Played]) -> None:
    """The loss a round of every learner and of the simple answers, the smallest first; of labels, the mistakes."""
    every = groups(played)
    labels = all(p.run.classifies for p in played)
    total = math.fsum(p.run.importance for p in every[0])
    if total and decided([p.run for p in played]):
        cost_ladder(out, every, total)
        return
    measure = wrong if labels else mean
    rungs = [(measure(g), g[0].name, True) for g in every]
    if total and (labels or len({loss_name(p.run) for p in played}) == 1):
        rungs += [
            (lost / total, r.name, False)
            for r in references([p.run for p in every[0]])
            if not math.isnan(lost := r.mistakes if labels else r.loss)
        ]
    mistakes = labels or loss_name(played[0].run) == MISTAKES
    show_ladder(out, "mistakes" if mistakes else "loss", rungs)


def cost_ladder(out: Console, every: list[list[Played]], total: float) -> None:
    """The cost a round of the decisions of every learner, of its most probable labels, and of constants."""
    rungs, simple = [], {}
    for g in every:
        runs = [p.run for p in g]
        rungs.append((math.fsum(run.cost for run in runs) / total, g[0].name, True))
        for r in cost_references(runs):
            own = f"{r.name} of {g[0].name}" if r.kind == "most_probable" else r.name
            simple[own] = r.loss / total
    show_ladder(out, "cost", rungs + [(cost, name, False) for name, cost in simple.items()])


def show_ladder(out: Console, what: str, rungs: list[tuple[float, str, bool]]) -> None:
    """Print numbers a round with their names, the smallest first."""
    rungs.sort(key=lambda rung: (math.isnan(rung[0]), rung[0]))
    made = Table.grid(padding=(0, 2, 0, 0))
    made.add_column(justify="right", no_wrap=True)
    texts = format_column([loss for loss, _, _ in rungs], apart=True)
    for text, (_, name, own) in zip(texts, rungs, strict=True):
        style = "bold" if own else "dim"
        made.add_row(f"  {text}", f"[{style}]{escape(name)}[/]")
    out.print(f"{what} a round, beside simple answers (best …: chosen in hindsight)")
    out.print(made)


def print_wrapped(out: Console, line: str, width: int = WIDTH, style: str = "dim") -> None:
    for i, part in enumerate(textwrap.wrap(line, min(out.width, width) - 2)):
        out.print(("  " if i else "") + escape(part), style=style)
