"""`run`, `compare` and `report`: play learners over a stream, print a table, write a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from . import options
from .options import LEARNER, RESULTS, Command, option

if TYPE_CHECKING:
    from .play import Played

NOTES = 4  # that are printed


@click.command(cls=Command, short_help="Combine the experts of a file with one learner.")
@click.argument("file", required=False)
@options.data
@option(
    "--learner",
    "key",
    group=LEARNER,
    metavar="LEARNER",
    default="tracker",
    show_default=True,
    help="Which one: `littlestone list`. NAME:alpha=0.1 sets a parameter.",
)
@options.settings
@option(
    "--load", "saved", group=LEARNER, metavar="FILE.ls", help="Go on with a learner that was saved."
)
@options.feedback
@options.results
@option(
    "--predictions",
    group=RESULTS,
    metavar="FILE",
    help="Write round (the row of FILE, from 1), prediction and loss to .csv or .parquet; with "
    "--by the key too; with --delay those that were made with late feedback.",
)
@option(
    "--save",
    group=RESULTS,
    metavar="FILE.ls",
    help="Write the trained learner, for --load or littlestone.load.",
)
@click.pass_context
def run(
    ctx: click.Context,
    /,
    key: str,
    saved: str | None,
    save: str | None,
    predictions: str | None,
    **o: Any,
) -> None:
    """Combine the experts of FILE with one learner: a table, a page with charts, a forecast.

    FILE is CSV or Parquet, may be gzipped, and is - for standard input. One row a round, one
    column an expert; an empty field is an expert that gives no advice in that round. Without FILE
    a built-in stream is played: 800 rounds, 64 experts, and the best one changes three times.

    \b
    littlestone run prices.csv --outcome "Real price" --experts "DNN ?"
    littlestone run prices.csv --outcome "Real price" --delay 24
    littlestone run losses.parquet --losses --learner hedge
    littlestone run - --outcome y --learner fixed-share -p alpha=0.01 < rounds.csv
    littlestone run may.csv --outcome y --save m.ls --predictions may-out.csv
    littlestone run june.csv --outcome y --load m.ls
    """
    from . import asked, play, write
    from .status import Status

    given = asked.given(ctx)
    asked.check(o, given)
    if saved is not None:
        learner = asked.loaded(saved, o, given)
        key = learner.key
    else:
        learner = asked.learner(key, o)
    asked.check_save(save, learner, o)
    page = write.page_for(o, given)
    write.check_outputs(o["file"], {"--report": page, "--save": save, "--predictions": predictions})
    with write.Predictions(predictions, o["by"]) as written, Status() as status:
        played = play.play_all([(key, learner)], o, status, written, resume=saved is not None)
        if save is not None:
            played[-1].run.learner.save(save)
        finish(played, o, page, status)
    for what, path in (("predictions", predictions), ("learner", save)):
        if path is not None:
            click.echo(f"{what}: {path}", err=o["as_json"])


@click.command(cls=Command, short_help="Play several learners over the same rounds.")
@click.argument("file", required=False)
@options.data
@option(
    "--learner",
    "keys",
    group=LEARNER,
    multiple=True,
    metavar="LEARNER",
    help="May be given several times: NAME, or NAME:alpha=0.1 to set a parameter.  "
    "[default: five good ones]",
)
@options.settings
@options.feedback
@options.results
@click.pass_context
def compare(ctx: click.Context, /, keys: tuple[str, ...], **o: Any) -> None:
    """Play several learners over the same rounds: one row each, the smallest loss first.

    All are scored with the same loss (square, unless --loss says otherwise). FILE is read as
    `littlestone run` reads it; without FILE the built-in stream is played.

    \b
    littlestone compare prices.csv --outcome "Real price" --delay 24
    littlestone compare losses.csv --losses --learner hedge --learner adahedge
    littlestone compare - --outcome y --learner fixed-share:alpha=0.1 \\
        --learner fixed-share:alpha=0.01 --learner tracker < rounds.csv
    """
    from . import asked, play, write
    from .status import Status

    given = asked.given(ctx)
    asked.check(o, given)
    learners = asked.learners(keys, o)
    page = write.page_for(o, given)
    write.check_outputs(o["file"], {"--report": page})
    with Status() as status:
        played = play.play_all(learners, o, status)
        played.sort(key=lambda p: (p.delay, p.run.mean_loss))
        finish(played, o, page, status)


@click.command(cls=Command, short_help="Write the page of a saved learner that goes on.")
@click.argument("saved", metavar="SAVED")
@click.argument("file", metavar="FILE")
@options.columns
@option(
    "--output",
    "page",
    group=RESULTS,
    metavar="FILE.html",
    default="littlestone-report.html",
    show_default=True,
    help="Where to write the page.",
)
@click.pass_context
def report(ctx: click.Context, /, saved: str, **o: Any) -> None:
    """Write the page of a saved learner that goes on over FILE; SAVED stays as it is.

    SAVED is what `littlestone run --save` or learner.save() wrote.

    \b
    littlestone report m.ls june.csv --outcome "Real price" --output june.html
    """
    from ..report.payload import report as draw
    from . import asked, play, write
    from .status import Status

    o |= {"losses": False, "by": None, "interval": None, "loss": None, "settings": (), "seed": 0}
    o |= {"delay": 0, "one_copy": None, "asleep": "error", "as_json": False}
    learner = asked.loaded(saved, o, asked.given(ctx))
    write.check_outputs(o["file"], {"--output": o["page"]})
    with Status() as status:
        played = play.play_all([(learner.key, learner)], o, status, resume=True)
        status.now("writing the report")
        page = draw([p.run for p in played], o["page"])
    click.echo(f"report: {page}")


def notes(played: list[Played]) -> list[str]:
    """What was left out or assumed, each once; of many keys, the first few."""
    from .console import in_options

    every = [
        (f"{p.key}: " if p.key is not None and note not in p.run.stream.notes else "") + note
        for p in played
        for note in p.run.notes
    ]
    found = [in_options(note) for note in dict.fromkeys(every)]
    more = len(found) - NOTES
    return found if more <= 1 else [*found[:NOTES], f"and {more} notes more"]


def finish(played: list[Played], o: dict[str, Any], page: str | None, status: Any) -> None:
    """The page, and then the table or the JSON list."""
    if page is not None:
        from ..report.payload import report as draw

        status.now("writing the report")
        draw([p.run for p in played], page)
    status.stop()
    if o["as_json"]:
        from .machine import rows

        click.echo(rows(played))
        for note in notes(played):
            click.echo(f"note: {note}", err=True)
    else:
        from .table import table

        table(played, o["by"], notes(played))
    if page is not None:
        click.echo(f"report: {page}", err=o["as_json"])
