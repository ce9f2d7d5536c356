"""The results of many runs of each bandit: the table, the JSON list, the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..report.bands import report, summary
from ..report.number_format import format_column
from ..report.sections import certificate_line
from ..run.seeds import SeedRuns
from .command_options import CommandOptions
from .console import console, count, in_options
from .json_output import dump_json
from .status import Status
from .table import STYLES, print_wrapped


def show(runs: list[SeedRuns]) -> None:
    """Print one row for each learner: mean regret, where most runs lie, the bound."""
    out = console()
    first = runs[0]
    name = first.source if first.source.startswith("built-in") else Path(first.source).name
    size = f"{count(first.seeds, 'runs')} of {count(first.rounds, 'rounds')}, {count(len(first.names), 'arms')}"
    out.print(f"[bold]{escape(name)}[/bold]: {size}")
    out.print()
    rows = [summary(run) for run in runs]
    show_grid(out, runs, rows)
    out.print()
    if runs[0].world is not None and rows[0]["lower_bound"] == rows[0]["lower_bound"]:
        out.print(
            f"Lai and Robbins: in the long run no learner that adapts pays less than {rows[0]['lower_bound']:.4g}",
            style="dim",
        )
    odd = dict.fromkeys(
        in_options(f"{run.label}: {v}")
        for run in runs
        for v in run.certificate
        if v.verdict in ("broken", "unknown", "vacuous")
    )
    for text in (*LEGEND, *odd):
        print_wrapped(out, text)


LEGEND = (
    "regret: the mean over the runs of what the learner lost beyond the best arm: the best in hindsight or, "
    "where the theorem is about means, the best in means",
    "kept: even the upper 99.9% limit of the mean is within the bound; of theorems that hold with probability "
    "1 - delta: no more runs exceed it than chance allows",
)


def show_grid(out: Console, runs: list[SeedRuns], rows: list[dict[str, Any]]) -> None:
    """Print a row for each learner."""
    made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    made.add_column("learner")
    for title in ("loss a round", "regret", "5% of runs", "95% of runs", "bound"):
        made.add_column(title, justify="right", no_wrap=True)
    made.add_column("certificate", no_wrap=True)
    columns = [
        format_column([row["mean_loss"] for row in rows], apart=True),
        format_column([row["regret"] for row in rows]),
        format_column([row["regret_quantiles"][0] for row in rows]),
        format_column([row["regret_quantiles"][1] for row in rows]),
        format_column([row["bound"] for row in rows]),
    ]
    for run, row, *numbers in zip(runs, rows, *columns, strict=True):
        style = STYLES.get(row["verdict"], "yellow")
        by = f" ({row['theorem']})" if row["theorem"] else ""
        made.add_row(escape(run.label), *numbers, f"[{style}]{row['verdict']}[/]{escape(by)}")
    out.print(made)


def as_json(runs: list[SeedRuns]) -> str:
    """One object for each learner."""
    return dump_json(
        [
            {
                "learner": run.key,
                "label": run.label,
                **summary(run),
                "certificate": str(run.certificate),
                "theorems": [certificate_line(v) for v in run.certificate],
                "source": run.source,
            }
            for run in runs
        ]
    )


def finish(runs: list[SeedRuns], options: CommandOptions, page: str | None, status: Status) -> None:
    """The page, and then the table or the JSON list."""
    if page is not None:
        status.now("writing the report")
        report(runs, page)
    status.stop()
    if options.as_json:
        click.echo(as_json(runs))
    else:
        show(runs)
    if page is not None:
        click.echo(f"report: {page}", err=options.as_json)
