"""`list` and `show`: generated from the registry."""

from __future__ import annotations

import inspect
import json
from typing import Any

import click

from ..core import registry
from ..core.learner import Learner, defaults, hints
from ..core.parameters import split


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list instead of a table.")
def list_(as_json: bool) -> None:
    """Every learner: its purpose, its parameters, its theorems."""
    rows = [
        {
            "learner": key,
            "purpose": purpose(cls),
            "parameters": ", ".join(f"{name}={value(v)}" for name, v in defaults(cls).items())
            or "none",
            "theorems": ", ".join(g.id for g in cls.guarantees),
            "folder": cls.__module__.split(".")[1],
        }
        for key, cls in registry.learners().items()
    ]
    if as_json:
        click.echo(json.dumps(rows))
        return
    from rich.table import Table

    from .console import console

    table = Table(box=None, pad_edge=False, title="learners", title_justify="left")
    for name in ("learner", "purpose", "parameters", "theorems"):
        table.add_column(name, no_wrap=name == "learner")
    for row in rows:
        table.add_row(row["learner"], row["purpose"], row["parameters"], row["theorems"])
    console().print(table)
    console().print("\nlittlestone show LEARNER tells more of each.", style="dim")


@click.command()
@click.argument("key", metavar="LEARNER")
def show(key: str) -> None:
    """One learner: what it does, its parameters and their ranges, its theorems."""
    from rich.markup import escape

    from .console import console

    cls = type(registry.learner(key))
    out = console()
    out.print(f"[bold]{cls.key}[/bold]  (littlestone.{cls.__name__})\n")
    out.print(escape(inspect.cleandoc(cls.__doc__ or "")), highlight=False)
    out.print("\n[bold]parameters[/bold]")
    for name, default in defaults(cls).items():
        _, declared, optional = split(hints(cls)[name])
        text = str(declared) if declared is not None else ""
        text += "; left out: set by the theorem" if optional and text else ""
        out.print(
            f"  {name} = {value(default)}" + (f"   {escape(text)}" if text else ""), highlight=False
        )
    if not defaults(cls):
        out.print("  none")
    out.print("\n[bold]theorems[/bold]")
    for g in cls.guarantees:
        out.print(f"  [bold]{g.id}[/bold] {escape(g.name)}: {escape(g.statement)}", highlight=False)
        needs = f" Needs: {'; '.join(map(str, g.assumptions))}." if g.assumptions else ""
        out.print(f"    {g.mode}; {g.source}.{needs}", style="dim", highlight=False)


def purpose(cls: type[Learner[Any, Any, Any, Any]]) -> str:
    return inspect.cleandoc(cls.__doc__ or "").split("\n")[0]


def value(v: Any) -> str:
    return "unset" if v is None else f"{v:g}" if isinstance(v, float) else str(v)
