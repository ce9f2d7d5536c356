"""`data`: tables and streams to try things on."""

from __future__ import annotations

import sys

import click

from .options import Command, option


@click.command("data", cls=Command, short_help="Data to try things on.")
@click.argument("name", required=False)
@option("--json", "as_json", group="Results", is_flag=True, help="The list as JSON.")
def data(name: str | None, as_json: bool) -> None:
    """List data, or write those of this NAME to standard output.

    Small tables are inside. Others are fetched once from their public source, compared with a
    checksum and kept in the cache of this user. LITTLESTONE_DATA names a folder that has them.

    \b
    littlestone data                                   what there is
    littlestone data breast-cancer > tumours.csv       a table that is inside
    littlestone data prices > prices.csv               a stream that is fetched
    """
    if name is None:
        show_catalogue(as_json)
    else:
        write_data(name)


def write_data(name: str) -> None:
    """The bytes of one file to standard output."""
    import pyarrow.csv

    from ..datasets.catalogue import INSIDE, about
    from ..datasets.download import fetch
    from ..datasets.inside import table

    out = sys.stdout.buffer
    if about(name) in INSIDE:
        options = pyarrow.csv.WriteOptions(quoting_style="needed")
        pyarrow.csv.write_csv(table(name), out, options)
    else:
        out.write(fetch(name).read_bytes())


def show_catalogue(as_json: bool) -> None:
    """All data, one in a line with its source below."""
    import json

    from ..datasets.catalogue import DATASETS, INSIDE

    if as_json:
        click.echo(json.dumps([d._asdict() for d in DATASETS.values()]))
        return
    for dataset in DATASETS.values():
        where = "inside" if dataset in INSIDE else "fetched"
        outcome = f", --outcome {dataset.outcome!r}" if dataset.outcome else ""
        click.echo(f"{dataset.name}  ({where}, {dataset.rows:,} rows{outcome})")
        click.echo(f"    {dataset.about}")
        click.echo(f"    {dataset.licence}; {dataset.source}")
    click.echo("\nlittlestone data NAME > FILE writes one")
