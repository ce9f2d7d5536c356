"""The table of `--no-certify`: losses, without comparators or bounds."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..report import reliability
from ..report.comparison_table import Played
from ..report.number_format import format_column
from ..report.words import loss_name
from .console import console
from .json_output import clean, costs
from .legend import probability_lines
from .table import ROWS, ladder, print_wrapped, sentences, show_head


def rows(played: list[Played], tested: Any = None) -> str:
    every = [row(p) for p in played]
    if tested is not None:
        every[-1]["test"] = tested.row()
    return json.dumps([clean(one) for one in every], allow_nan=False, default=str)


def row(p: Played) -> dict[str, Any]:
    run = p.run
    return {
        "learner": run.key,
        "label": run.label,
        **({} if p.key is None else {"key": p.key}),
        "delay": run.transcript.delay,
        "rounds": run.rounds,
        "loss": run.loss,
        "mean_loss": run.mean_loss,
        "loss_name": loss_name(run),
        **({"accuracy": run.accuracy, **reliability.numbers(run)} if run.classifies else {}),
        **costs(p),
        "seconds": run.seconds,
        "certificate": "not asked for",
        "regret": None,
        "bound": None,
        "task": p.task,
        "sentence": run.sentence if p.key is None else "",
        "source": run.stream.source,
        "notes": run.notes,
    }


def table(
    played: list[Played],
    by: str | None,
    notes: list[str],
    tested: Any = None,
    aside: bool = False,
) -> None:
    """Learner, loss and accuracy."""
    out = console(stderr=aside)
    show_head(out, played)
    # of many keys that were played together nothing is counted beside their totals
    for line in [] if by else sentences(played):
        print_wrapped(out, line, out.width, "bold")
    out.print()
    grid(out, played, by)
    out.print()
    if reliability.decided([p.run for p in played]):
        ladder(out, played)
        out.print()
    if tested is not None:
        out.print(f"[bold]{escape(str(tested))}[/bold]")
    for line in probability_lines(played):
        print_wrapped(out, line)
    for line in ("nothing was compared in hindsight: --no-certify", *(f"note: {n}" for n in notes)):
        print_wrapped(out, line)


def grid(out: Console, played: list[Played], by: str | None) -> None:
    """Print a row for each run: learner, loss, accuracy, and what decisions cost."""
    shown = played[:ROWS]
    columns = {
        "loss": [p.run.loss for p in shown],
        "a round": [p.run.mean_loss for p in shown],
    }
    if all(p.run.classifies for p in played):
        columns["accuracy"] = [p.run.accuracy for p in shown]
    if reliability.decided([p.run for p in played]):
        columns["cost"] = [p.run.cost for p in shown]
    made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in (*([by] if by else []), "learner"):
        made.add_column(escape(name), overflow="fold")
    for name in columns:
        made.add_column(name, justify="right", no_wrap=True)
    for p, *numbers in zip(shown, *map(format_column, columns.values()), strict=True):
        made.add_row(*([escape(str(p.key))] if by else []), escape(p.name), *numbers)
    out.print(made)
    if len(played) > ROWS:
        out.print(f"and {len(played) - ROWS:,} rows more: --json has them all", style="dim")
