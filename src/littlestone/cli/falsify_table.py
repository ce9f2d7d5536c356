"""What a search for counterexamples found: the table at the command line, or its JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console

    from ..falsify.finding import Finding

STYLED = {
    "broken": "[bold red]broken[/]",
    "failed": "[bold red]failed[/]",
    "untested": "[yellow]untested[/]",
    "survived": "[green]survived[/]",
}
WIDE = 16  # at most so many numbers of a round are printed
SHOWN = 12  # at most so many rounds of a counterexample are printed


def show_json(found: Finding, again: str) -> None:
    """Print the JSON object; `again`: the command that plays what was written."""
    record = found.record() | {"theorems": [f.record() for f in (found, *found.others)]}
    if again:
        record["replay"] = again
    click.echo(json.dumps(record, allow_nan=False))


def show(found: Finding, written: str) -> None:
    """Print what was found; `written`: where, and how to play it again."""
    from rich.markup import escape

    from .console import console

    to = console()
    show_grid(found, to)
    of = "" if found.target.conjecture is None else f" in place of {found.target.theorem.statement}"
    to.print(escape(f"{found.theorem}: {found.formula}{of}"), soft_wrap=True, style="dim")
    if found.broken and found.check is not None:
        check = found.check
        to.print(
            f"checked in {check.arithmetic}: {check.measured:.12g} > {check.bound:.12g}",
            soft_wrap=True,
        )
        rows(found, to)
    for said in dict.fromkeys(said for f in (found, *found.others) for said, _ in f.failures):
        to.print(f"[bold red]its rules failed on some run[/] ({escape(said)})", soft_wrap=True)
    for f in (found, *found.others):
        if f.rounding:
            what = "run exceeds" if f.rounding == 1 else "runs exceed"
            to.print(
                f"[bold yellow]{f.rounding} {what} {escape(f.name)} by rounding alone[/]: in exact "
                "arithmetic it is kept, and some number loses its digits",
                soft_wrap=True,
            )
    if written:
        to.print(escape(written), soft_wrap=True)


def show_grid(found: Finding, to: Console) -> None:
    """Print a row for each theorem: its verdict, and the run that came closest."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    first = "theorem" if found.target.conjecture is None else "bound of yours"
    for name in (first, "verdict", "ratio", "measured", "bound", "runs", "attacker", "at"):
        words = name in (first, "verdict", "attacker", "at")
        table.add_column(name, justify="left" if words else "right", no_wrap=True)
    for f in (found, *found.others):
        table.add_row(
            escape(f.name),
            STYLED[f.verdict],
            f"{f.ratio:.4f}",
            f"{f.measured:.6g}",
            f"{f.bound:.6g}",
            f"{f.runs:,}",
            f.attacker,
            escape(where(f)),
        )
    to.print(table)


def where(f: Finding) -> str:
    """Sizes and settings of the closest run."""
    sizes = f"T={f.case.rounds}, {'d' if f.target.learner.examples else 'n'}={f.case.n}"
    more = [
        f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in f.case.parameters.items()
    ]
    if f.case.delay:
        more.append(f"delay={f.case.delay}")
    if not f.case.horizon_known:
        more.append("T not known")
    return ", ".join([sizes, *more])


def rows(found: Finding, to: Console) -> None:
    """The rounds of a counterexample, where they are few."""
    from ..falsify.finding import write_number

    what = (
        "losses" if found.x is None else "features" if found.target.learner.examples else "advice"
    )
    for t in range(min(found.case.rounds, SHOWN)):
        row = found.y[t] if found.x is None else found.x[t]
        more = "" if len(row) <= WIDE else f", … {len(row) - WIDE} more"
        line = f"  round {t + 1}: {what} {', '.join(map(write_number, row[:WIDE]))}{more}"
        to.print(line if found.x is None else f"{line}; outcome {write_number(found.y[t])}")
    if found.case.rounds > SHOWN:
        to.print(f"  … {found.case.rounds - SHOWN} rounds more")
