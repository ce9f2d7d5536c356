"""What `show` and `falsify` print of an id of the ledger; `lecture`: the pages of littlestone_lectures."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from ..core.errors import BadInput
from .options import Command, option

if TYPE_CHECKING:
    from ..falsify.claims import ClaimFinding
    from ..falsify.lookup import Entry

STYLED = {
    "broken": "[bold red]broken[/]",
    "untested": "[yellow]untested[/]",
    "survived": "[green]survived[/]",
}


def show_entry(entry: Entry) -> None:
    """Print what an id stands for."""
    from rich.markup import escape

    from .console import console

    out = console()
    out.print(f"[bold]{entry.id}[/bold]  ({entry.kind})")
    for line in entry.says:
        out.print(f"  {escape(line)}", soft_wrap=True)
    for name, lines in entry.parts():
        out.print(f"\n[bold]{name}[/bold]")
        for line in lines:
            out.print(f"  {escape(line)}", soft_wrap=True)


def falsify_by_id(
    key: str,
    bound: str | None,
    where: str | None,
    seconds: float | None,
    runs: int | None,
    others: dict[str, object],
    as_json: bool,
) -> int:
    """Attack the statements, or the erratum, of an id; the exit code says whether one is broken."""
    from ..falsify.claims import ClaimFinding, falsify_claim

    unused = [name for name, value in others.items() if value]
    if unused:
        raise BadInput(f"{unused[0]}: {key} is attacked instance by instance, without a learner")
    found = falsify_claim(key, bound=bound, where=where, seconds=seconds, runs=runs)
    assert isinstance(found, ClaimFinding)
    every = (found, *found.others)
    if as_json:
        click.echo(json.dumps(found.record() | {"theorems": [f.record() for f in every]}))
    else:
        for f in every:
            show_claim(f)
    if found.verdict == "untested":
        raise BadInput(f"{found.theorem}: no instance was tried")
    return int(any(f.broken for f in every))


def show_claim(found: ClaimFinding) -> None:
    from rich.markup import escape

    from .console import console

    out = console()
    first, *lines = str(found).splitlines()[: len(str(found).splitlines()) - rest(found)]
    head = escape(first).replace(found.verdict, STYLED[found.verdict], 1)
    out.print(head, soft_wrap=True)
    for line in lines:
        out.print(escape(line), soft_wrap=True)


def rest(found: ClaimFinding) -> int:
    """The lines of a finding that are about the others."""
    return sum(len(str(f).splitlines()) for f in found.others)


@click.command(cls=Command, short_help="The pages of the lectures.")
@click.argument("name", required=False)
@option("--plain", group="Results", is_flag=True, help="The page as it is written, in Markdown.")
@option("--json", "as_json", group="Results", is_flag=True, help="A JSON list of the pages.")
def lecture(name: str | None, plain: bool, as_json: bool) -> None:
    """List the lectures, or print one: what a slide says, what to type, the number that comes out.

    \b
    littlestone lecture
    littlestone lecture ucl-6
    littlestone lecture ucl-6 --plain | less
    """
    from ..core.extras import import_extra

    pages = import_extra("a lecture", "littlestone_lectures.pages")
    if name is not None:
        text = pages.page(name)
        if plain:
            click.echo(text, nl=False)
        else:
            show_page(text)
        return
    if as_json:
        click.echo(json.dumps(pages.contents()))
        return
    for row in pages.contents():
        click.echo(f"{row['lecture']:12}{row['title']}")
    click.echo("littlestone lecture NAME prints one")


def show_page(text: str) -> None:
    from rich.markdown import Markdown

    from .console import console

    out = console()
    out.width = min(out.width, 110)
    out.print(Markdown(text))
