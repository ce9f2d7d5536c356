"""`run`, `compare` and `report`: play learners over a stream, print a table, write a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..core.errors import BadInput
from . import options
from .options import DATA, EXAMPLES, LEARNER, RESULTS, Command, option

if TYPE_CHECKING:
    from .examine import Tested
    from .play import Played

NOTES = 4  # that are printed


@click.command(
    cls=Command, short_help="Learn from a file: examples with labels, or experts to combine."
)
@click.argument("file", required=False)
@option("-d", "--data", "data", group=DATA, metavar="FILE", help="The same as FILE.")
@options.data
@options.examples
@option(
    "--test",
    "test",
    group=EXAMPLES,
    metavar="FILE",
    help="Predict these examples with what was learned, and say how well. With --load and "
    "without FILE that is all, and -p FILE gets these predictions.",
)
@option(
    "--learner",
    "key",
    group=LEARNER,
    metavar="LEARNER",
    help="Which one: `littlestone list`. NAME:alpha=0.1 sets a parameter.  "
    "[default: tracker for experts, online-linear for labelled examples]",
)
@options.settings
@option(
    "-i",
    "--load",
    "saved",
    group=LEARNER,
    metavar="FILE.ls",
    help="Go on with a learner that was saved.",
)
@options.feedback
@options.bandits
@options.results
@option(
    "--predictions",
    group=RESULTS,
    metavar="FILE",
    help="Write round (the row of FILE, from 1), prediction and loss to .csv or .parquet, each "
    "predicted before it was learned; with --by the key too, with --passes the pass; with "
    "--delay those that were made with late feedback.",
)
@option(
    "-f",
    "--save",
    group=RESULTS,
    metavar="FILE.ls",
    help="Write the trained learner, for --load or littlestone.load.",
)
@click.pass_context
def run(
    ctx: click.Context,
    /,
    key: str | None,
    saved: str | None,
    save: str | None,
    predictions: str | None,
    data: str | None,
    test: str | None,
    **o: Any,
) -> None:
    """Learn from FILE, one row at a time: a table, a page with charts, predictions.

    FILE is CSV, Parquet, JSON lines, ARFF, libsvm or vw text, may be compressed (.gz, .zst), and
    is - for standard input. Without it a built-in stream is played: 800 rounds, 64 experts.

    Where the outcome is a class, or FILE is libsvm or vw, each row is an example: features, and
    what is to be predicted from them. Text is hashed; a missing value is absent.

    \b
    littlestone run train.libsvm --test test.libsvm
    littlestone run customers.csv --outcome churned -p predictions.csv
    littlestone run clicks.vw.gz --learner logistic --interact ab -b 20 -f m.ls
    littlestone run monday.vw -f m.ls
    littlestone run tuesday.vw -i m.ls -f m.ls
    littlestone run -i m.ls --test new.vw -p new.csv
    littlestone run houses.csv --outcome price --numbers

    Otherwise each column is an expert whose forecasts are combined; an empty field is an expert
    that gives no advice in that round.

    \b
    littlestone run prices.csv --outcome "Real price" --experts "DNN ?"
    littlestone run prices.csv --outcome "Real price" --delay 24
    littlestone run losses.parquet --losses --learner hedge
    littlestone run - --outcome y --learner fixed-share -p alpha=0.01 < rounds.csv
    littlestone run may.csv --outcome y --save m.ls --predictions may-out.csv
    littlestone run june.csv --outcome y --load m.ls

    With --game bandit only the loss of the arm that was pulled is seen. With --seeds a theorem
    about an expectation is judged by the mean of many runs.

    \b
    littlestone run --game bandit --arms 0.5,0.4,0.6 --seeds 100
    littlestone run latencies.csv --game bandit --learner exp3-ix
    littlestone compare log.csv --arm item --reward click --propensity p
    """
    from . import bandits, check, examine, play, write
    from . import learner_spec as asked
    from .status import Status

    given = asked.given(ctx)
    o["file"] = asked.one_of(o["file"], data)
    if saved is None and bandits.wanted(o, (key,) if key else ()):
        for name, flag in {"save": "-f", "predictions": "--predictions", "test": "--test"}.items():
            if name in given and (o["seeds"] or 1) > 1:
                raise BadInput(f"{flag}: --seeds makes many runs; leave one of them out")
        pull((key or bandits.ALONE,), o, given, save)
        return
    bandits.refuse(o, given)
    predictions = asked.predictions(predictions, o, given)
    only_test = o["file"] is None and test is not None
    check.check(o, given - {"outcome"} if only_test else given)
    if saved is not None:
        learner = asked.loaded(saved, o, given)
        key = learner.key
    elif only_test:
        raise BadInput("--test needs a learner: FILE to learn from, or --load FILE.ls")
    else:
        key = key or asked.default(o)
        learner = asked.learner(key, o)
    check.check_test(test, learner, o)
    check.check_kind(learner, {**o, "file": test} if only_test else o, given)
    check.check_save(save, learner, o)
    page = None if only_test else write.page_for(o, given)
    write.check_outputs(
        {"FILE": o["file"], "the --test file": test, "--load": saved},
        {"--report": page, "--save": save, "--predictions": predictions},
    )
    examine.look(test)
    tested = None
    with write.Predictions(predictions, o["by"], o["passes"]) as written, Status() as status:
        if only_test:
            check.check_exam(given)
            tested = examine.examine(learner, str(test), o, status, predictions=written)
            status.stop()
            examined(tested, o)
        else:
            played = play.play_all([(key, learner)], o, status, written, resume=saved is not None)
            if save is not None:
                played[-1].run.learner.save(save)
            if test is not None:
                run = played[-1].run
                tested = examine.examine(run.learner, test, o, status, run.stream)
            finish(played, o, page, status, tested)
    for what, path in (("predictions", predictions), ("learner", save)):
        if path is not None:
            click.echo(f"{what}: {path}", err=o["as_json"])


@click.command(cls=Command, short_help="Play several learners over the same rounds.")
@click.argument("file", required=False)
@options.data
@options.examples
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
@options.bandits
@options.results
@click.pass_context
def compare(ctx: click.Context, /, keys: tuple[str, ...], **o: Any) -> None:
    """Play several learners over the same rounds: one row each, the best first.

    FILE is read as `littlestone run` reads it; without FILE the built-in stream is played. Those
    that predict numbers are scored with the same loss (square, unless --loss says otherwise), and
    the smallest comes first; those that tell classes apart by their accuracy.

    \b
    littlestone compare train.libsvm
    littlestone compare customers.csv --outcome churned --learner arow \\
        --learner passive-aggressive --learner online-linear
    littlestone compare prices.csv --outcome "Real price" --delay 24
    littlestone compare losses.csv --losses --learner hedge --learner adahedge
    littlestone compare - --outcome y --learner fixed-share:alpha=0.1 \\
        --learner fixed-share:alpha=0.01 --learner tracker < rounds.csv
    littlestone compare --game bandit --arms 0.5,0.4,0.6 --seeds 200
    """
    from ..report.words import classifies
    from . import bandits, check, play, write
    from . import learner_spec as asked
    from .status import Status

    given = asked.given(ctx)
    if bandits.wanted(o, keys):
        pull(keys or bandits.DEFAULTS, o, given)
        return
    bandits.refuse(o, given)
    check.check(o, given)
    learners = asked.learners(keys, o)
    for _, learner in learners:
        check.check_kind(learner, o, given)
    page = write.page_for(o, given)
    write.check_outputs({"FILE": o["file"]}, {"--report": page})
    with Status() as status:
        played = play.play_all(learners, o, status)
        if all(classifies(p.run) for p in played):
            played.sort(key=lambda p: (p.delay, -p.run.accuracy))  # type: ignore[attr-defined]
        else:
            played.sort(key=lambda p: (p.delay, p.run.mean_loss))
        finish(played, o, page, status)


def pull(
    specs: tuple[str, ...], o: dict[str, Any], given: set[str], save: str | None = None
) -> None:
    """Play bandits: one run each, or many."""
    from . import bandits, write
    from .status import Status

    bandits.check(o, given)
    if o["arm"] is not None:
        with Status() as status:
            bandits.replayed(specs, o, status)
        return
    page = write.page_for(o, given)
    write.check_outputs({"FILE": o["file"]}, {"--report": page, "--save": save})
    with Status() as status:
        played: Any = bandits.play(specs, o, status)
        if (o["seeds"] or 1) > 1:
            played.sort(key=lambda run: run.loss)
            bandits.finish(played, o, page, status)
            return
        played.sort(key=lambda p: p.run.mean_loss)
        if save is not None:
            played[0].run.learner.save(save)
        finish(played, o, page, status)
    if save is not None:
        click.echo(f"learner: {save}", err=o["as_json"])


@click.command(cls=Command, short_help="Write the page of a saved learner that goes on.")
@click.argument("saved", metavar="SAVED")
@click.argument("file", metavar="FILE")
@options.columns
@options.reading
@options.features
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

    SAVED is what `littlestone run --save` or learner.save() wrote. Examples are read as they were
    when it was trained: give the same --interact.

    \b
    littlestone report m.ls june.csv --outcome "Real price" --output june.html
    """
    from ..report.payload import report as draw
    from . import check, play, write
    from . import learner_spec as asked
    from .status import Status

    given = asked.given(ctx)
    o |= asked.NOTHING
    learner = asked.loaded(saved, o, given)
    check.check_kind(learner, o, given)
    write.check_outputs({"FILE": o["file"], "SAVED": saved}, {"--output": o["page"]})
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


def finish(
    played: list[Played],
    o: dict[str, Any],
    page: str | None,
    status: Any,
    tested: Tested | None = None,
) -> None:
    """The page, and then the table or the JSON list."""
    if page is not None:
        from ..report.payload import report as draw

        status.now("writing the report")
        draw([p.run for p in played], page, test=tested)
    status.stop()
    if o["as_json"]:
        from .json_output import rows

        click.echo(rows(played, tested))
        for note in notes(played):
            click.echo(f"note: {note}", err=True)
    else:
        from .table import table

        table(played, o["by"], notes(played), tested)
    if page is not None:
        click.echo(f"report: {page}", err=o["as_json"])


def examined(tested: Tested, o: dict[str, Any]) -> None:
    """What `--test` found, where nothing was learned."""
    if o["as_json"]:
        from .json_output import exam_row

        click.echo(exam_row(tested))
    else:
        click.echo(str(tested))
