"""`run`, `compare` and `report`: play learners over a stream, print a table, write a page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..core.errors import BadFile, BadInput
from . import options as groups
from . import scale
from .options import DATA, EXAMPLES, LEARNER, RESULTS, Command, option
from .parsed_options import Options, parse, with_predictions

# A command imports what it needs when it runs: `littlestone list` and `--help` do without NumPy and the readers.
if TYPE_CHECKING:
    from ..report.comparison_table import Played
    from .examine import Tested
    from .status import Status

NOTES = 4  # at most so many notes are printed
ROLES = {
    *("outcome", "experts", "features", "losses", "by", "horizon", "task")
}  # options that describe a FILE


@click.command(
    cls=Command, short_help="Learn from a file: examples with labels, or experts to combine."
)
@click.argument("file", required=False)
@option("-d", "--data", "data", group=DATA, metavar="FILE", help="The same as FILE.")
@groups.data
@groups.examples
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
    "[default: tracker for experts; for examples online-kernel where the table is dense and has at most 128 "
    "features, else online-linear]",
)
@groups.settings
@option(
    "-i",
    "--load",
    "load",
    group=LEARNER,
    metavar="FILE.ls",
    help="Go on with a learner that was saved.",
)
@groups.feedback
@groups.intervals
@groups.bandits
@groups.results
@option(
    "--predictions",
    group=RESULTS,
    metavar="FILE",
    help="Write round (the row of FILE, from 1), prediction and loss to .csv or .parquet, or to - for "
    "standard output (and the table to standard error); each predicted before it was learned; with "
    "--by the key too, with --passes the pass; with --delay those that were made with late feedback.",
)
@option(
    "--probabilities",
    group=RESULTS,
    is_flag=True,
    help="In --predictions, the probability of each class too, for learners that have probabilities.",
)
@option(
    "--id",
    group=RESULTS,
    metavar="COLUMN",
    help="In --predictions, this column beside each prediction. It is no feature.",
)
@option(
    "--readable-model",
    "readable",
    group=RESULTS,
    metavar="OUT.csv",
    help="Write the weight of each feature, or expert, by its name, the largest first.",
)
@option(
    "-f",
    "--save",
    group=RESULTS,
    metavar="FILE.ls",
    help="Write the trained learner, for --load or littlestone.load. A run that is stopped (Ctrl-C, SIGTERM) "
    "saves what it has learned.",
)
@option(
    "--save-every",
    group=RESULTS,
    metavar="60s|100000",
    help="Save while it learns: every 60 seconds (5m, 1h), or every so many rounds.",
)
@option(
    "--skip",
    group=DATA,
    type=groups.WHOLE,
    default=0,
    metavar="ROWS",
    help="Leave out the first ROWS rows of FILE: they were learned before the run was stopped.",
)
@scale.options
@click.pass_context
def run(ctx: click.Context, /, **_: Any) -> None:
    """Learn from FILE, one row at a time: a table, a page with charts, predictions.

    FILE is CSV, Parquet, JSON lines, ARFF, libsvm or vw text, may be compressed (.gz, .zst), and
    is - for standard input. Without it a built-in stream is played: 800 rounds, 64 experts.

    Each row is an example: features, and what is to be predicted from them, a class or a number.
    Text is hashed; a missing value is absent. The first line says what was decided, and why.

    \b
    littlestone run train.libsvm --test test.libsvm
    littlestone run customers.csv --outcome churned -p predictions.csv
    littlestone run clicks.vw.gz --learner logistic --interact ab -b 20 -f m.ls
    littlestone run monday.vw -f m.ls
    littlestone run tuesday.vw -i m.ls -f m.ls
    littlestone run -i m.ls --test new.vw -p new.csv
    littlestone run houses.csv --outcome price
    littlestone run labels.csv --outcome label --graph edges.csv

    Where more than half of the columns are on the scale of a number, or --experts names them, each column is
    an expert whose forecasts are combined; an empty field is one that gives no advice in a round.

    \b
    littlestone run prices.csv --outcome "Real price" --experts "DNN ?"
    littlestone run prices.csv --outcome "Real price" --delay 24
    littlestone run ahead.csv --outcome demand --horizon days_ahead
    littlestone run wide.csv --outcome demand --horizon '*_h{}'
    littlestone run losses.parquet --losses --learner hedge
    littlestone run - --outcome y --learner fixed-share -p alpha=0.01 < rounds.csv
    littlestone run may.csv --outcome y --save m.ls --predictions may-out.csv
    littlestone run june.csv --outcome y --load m.ls

    With --intervals the answer is an interval around the forecast, which holds the outcome so often.

    \b
    littlestone run prices.csv --outcome "Real price" --intervals 0.9 --delay 24
    littlestone run may.csv --outcome y --intervals 0.9 --save m.ls
    littlestone run june.csv --outcome y --load m.ls --save m.ls

    With --by each key has a learner of its own; many keys of many files go to several processes.

    \b
    littlestone run sales.csv --outcome sold --by product --no-certify
    littlestone run 'sales/*.parquet' --outcome sold --by product \\
        --workers 8 --predictions out/

    With --game bandit only the loss of the arm that was pulled is seen. With --seeds a theorem
    about an expectation is judged by the mean of many runs.

    \b
    littlestone run --game bandit --arms 0.5,0.4,0.6 --seeds 100
    littlestone run latencies.csv --game bandit --learner exp3-ix
    littlestone compare log.csv --arm item --reward click --propensity p
    """
    from . import bandits, check

    options = piped(parse(ctx))
    if options.load is None and bandits.asks_for_bandits(options):
        for name, flag in {"save": "-f", "predictions": "--predictions", "test": "--test"}.items():
            if name in options.written and (options.seeds or 1) > 1:
                raise BadInput(f"{flag}: --seeds makes many runs; leave one of them out")
        pull(replace(options, learners=options.learners or (bandits.ALONE,)))
        return
    bandits.refuse(options)
    options = with_predictions(options)
    if scale.asks_for_scale(options):
        scale.play(options)
        return
    if options.intervals or options.season or brings_intervals(options):
        from . import intervals

        intervals.play_intervals(options, intervals.ALONE)
        return
    check.check(options)
    if options.file is None and options.test is not None:
        test_alone(options)
    else:
        learn(options)
    for what, path in (
        ("predictions", options.predictions),
        ("learner", options.save),
        ("weights", options.readable),
    ):
        if path not in (None, "-"):
            click.echo(f"{what}: {path}", err=options.as_json or options.aside)


def brings_intervals(options: Options) -> bool:
    """Does --load name a file that `run --intervals --save` wrote?"""
    if options.load is None:
        return False
    from ..live.store import holds_intervals

    return holds_intervals(options.load)


def piped(options: Options) -> Options:
    """`cat x.csv | littlestone run` means standard input, though no FILE is named."""
    import os
    import select
    import stat
    import sys

    if options.file is not None or options.game or options.arms or options.test:
        return options
    try:
        number = sys.stdin.fileno()
        kind = os.fstat(number).st_mode
        if stat.S_ISFIFO(kind) and options.written & ROLES:  # wait for the rows of the pipe
            return replace(options, file="-")
        waiting = stat.S_ISREG(kind) or (
            stat.S_ISFIFO(kind) and select.select([number], [], [], 0.5)[0]
        )
        there = bool(waiting and sys.stdin.buffer.peek(1))  # type: ignore[union-attr]
    except (OSError, ValueError, AttributeError):
        return options
    return replace(options, file="-") if there else options


def learn(options: Options) -> None:
    """Play one learner over FILE; save it and test it, where that was asked for."""
    from ..run.run import Runs
    from . import check, checkpoint, data_kind, examine, learner_spec, play, readable_model, write
    from .status import Status

    delays = 2 if options.delay else 1
    with (
        play.opened(options.file, options, delays) as file,
        play.opened(options.test, replace(options, passes=1), 2) as test,
    ):
        if options.load is not None:
            options, learner = learner_spec.load(options)
            key = learner.key
        else:
            on_graph = options.graph is not None
            examples = not (options.learners or on_graph) and data_kind.learns_from_examples(
                options, file
            )
            default = "online-linear" if examples else "tracker"
            default = learner_spec.ON_GRAPHS[0] if on_graph else default
            key = options.learners[0] if options.learners else default
            learner = learner_spec.learner_of(key, options)
        check.check_test(learner, options)
        check.check_formats(file, test)
        check.check_kind(learner, options)
        check.check_save(learner, options)
        page = write.page_for(options)
        check.check_predictions(learner, options)
        write.check_outputs(
            {"FILE": options.file, "the --test file": options.test, "--load": options.load},
            {
                "--report": page,
                "--save": options.save,
                "--predictions": options.predictions,
                "--readable-model": options.readable,
            },
        )
        examine.check_readable(test)
        with (
            write.Predictions(
                options.predictions, options.by, options.passes, options.id
            ) as predictions,
            readable_model.Names(options.readable) as names,
            checkpoint.Checkpoints(options) as checkpoints,
            Status() as status,
        ):
            resume = options.load is not None
            played = play.play_all(
                [(key, learner)], options, file, status, predictions, resume, checkpoints,
                default=not (options.learners or resume),
            )  # fmt: skip
            checkpoints.playing = False
            last, tested = played[-1].run, None
            if options.save is not None and options.by:
                late = [p for p in played if p.delay == options.delay]
                runs = Runs({p.key: p.run for p in late})
                runs.without_rounds = options.learners_without(runs)
                runs.save(options.save)
            elif options.save is not None:
                last.learner.save(options.save)
            names.write(last)
            if test is not None:
                tested = examine.examine(last.learner, test, options, status, last.stream)
            finish(played, options, page, status, tested)


def test_alone(options: Options) -> None:
    """Predict the rows of --test with the learner of --load; nothing is learned."""
    from . import check, examine, learner_spec, play, write
    from .status import Status

    if options.load is None:
        raise BadInput("--test needs a learner: FILE to learn from, or --load FILE.ls")
    options, learner = learner_spec.load(options)
    check.check_test(learner, options)
    check.check_kind(learner, replace(options, file=options.test))
    check.check_save(learner, options)
    write.check_outputs(
        {"the --test file": options.test, "--load": options.load},
        {"--save": options.save, "--predictions": options.predictions},
    )
    with play.opened(options.test, options, 2) as test:
        assert test is not None
        examine.check_readable(test)
        with write.Predictions(options.predictions, options.by) as predictions, Status() as status:
            check.check_test_alone(options)
            tested = examine.examine(learner, test, options, status, predictions=predictions)
    if options.as_json:
        from .json_output import test_row

        click.echo(test_row(tested))
    else:
        click.echo(str(tested))


@click.command(cls=Command, short_help="Play several learners over the same rounds.")
@click.argument("file", required=False)
@groups.data
@groups.examples
@option(
    "--learner",
    "learners",
    group=LEARNER,
    multiple=True,
    metavar="LEARNER",
    help="May be given several times: NAME, or NAME:alpha=0.1 to set a parameter.  "
    "[default: five good ones]",
)
@groups.settings
@groups.feedback
@groups.intervals
@groups.bandits
@groups.results
@click.pass_context
def compare(ctx: click.Context, /, **_: Any) -> None:
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
    from ..report.comparison_table import best_first
    from . import bandits, check, data_kind, learner_spec, play, write
    from .status import Status

    options = parse(ctx)
    if bandits.asks_for_bandits(options):
        pull(replace(options, learners=options.learners or bandits.DEFAULTS))
        return
    bandits.refuse(options)
    if options.intervals or options.season:
        from . import intervals

        intervals.play_intervals(options, intervals.SEVERAL)
        return
    check.check(options)
    several = len(set(options.learners)) or len(learner_spec.DEFAULTS["losses"])
    with play.opened(options.file, options, several * (2 if options.delay else 1)) as file:
        decided = options.learners or options.graph is not None
        kind = None if decided else data_kind.data_kind(options, file)
        learners = learner_spec.learners_of(options, kind)
        for _spec, learner in learners:
            check.check_kind(learner, options)
        page = write.page_for(options)
        write.check_outputs({"FILE": options.file}, {"--report": page})
        with Status() as status:
            played = play.play_all(learners, options, file, status)
            best_first(played)
            finish(played, options, page, status)


def pull(options: Options) -> None:
    """Play bandits: one run each, or many."""
    from ..report.comparison_table import best_first
    from . import bandits, play, seeds_table, write
    from .status import Status

    bandits.check(options)
    if options.arm is not None:
        with Status() as status:
            log = bandits.replay_log if options.policy is None else bandits.estimate_policy
            log(options, status)
        return
    page, save = write.page_for(options), options.save
    write.check_outputs({"FILE": options.file}, {"--report": page, "--save": save})
    many = (options.seeds or 1) > 1
    streams = 1 if many else len(options.learners)
    with play.opened(options.file, options, streams) as file, Status() as status:
        if many:
            runs = bandits.play_seeds(options, file, status)
            runs.sort(key=lambda run: run.loss)
            seeds_table.finish(runs, options, page, status)
            return
        played = bandits.play_bandits(options, file, status)
        best_first(played)
        if save is not None:
            played[0].run.learner.save(save)
        finish(played, options, page, status)
    if save is not None:
        click.echo(f"learner: {save}", err=options.as_json)


@click.command(cls=Command, short_help="Write the page of a saved learner that goes on.")
@click.argument("load", metavar="SAVED")
@click.argument("file", metavar="FILE")
@groups.columns
@groups.reading
@groups.features
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
def report(ctx: click.Context, /, **_: Any) -> None:
    """Write the page of a saved learner that goes on over FILE; SAVED stays as it is.

    SAVED is what `littlestone run --save` or learner.save() wrote. Examples are read as they were
    when it was trained: give the same --interact.

    \b
    littlestone report m.ls june.csv --outcome "Real price" --output june.html
    """
    from ..report.payload import report as draw
    from . import check, learner_spec, play, write
    from .status import Status

    options, learner = learner_spec.load(parse(ctx))
    check.check_kind(learner, options)
    inputs = {"FILE": options.file, "SAVED": options.load}
    write.check_outputs(inputs, {"--output": options.page})
    with play.opened(options.file, options) as file, Status() as status:
        played = play.play_all([(learner.key, learner)], options, file, status, resume=True)
        status.now("writing the report")
        page = draw([p.run for p in played], str(options.page))
    click.echo(f"report: {page}")


def notes(played: list[Played]) -> list[str]:
    """Notes on what was left out or assumed, each once; with many keys, the first few."""
    from .console import in_options

    every = [
        (
            f"{p.key}: "
            if p.key is not None and note not in (*p.run.stream.changes, *p.run.stream.notes)
            else ""
        )
        + note
        for p in played
        for note in p.run.notes
    ]
    found = [in_options(note) for note in dict.fromkeys(every)]
    more = len(found) - NOTES
    return found if more <= 1 else [*found[:NOTES], f"and {more} notes more"]


def finish(
    played: list[Played],
    options: Options,
    page: str | None,
    status: Status,
    tested: Tested | None = None,
) -> None:
    """Write the page, and then print the table or the JSON list.

    A page that cannot be written is said last, with exit code 1: the table is printed, and the learner is saved.
    """
    from .write import Unwritten

    failure = ""
    if options.certify:
        status.now("comparing with the best answers in hindsight")
        for p in played:
            p.run.certificate  # noqa: B018 - which searches for comparators
    if page is not None:
        from ..report.payload import report as draw

        status.now("writing the report")
        try:
            draw([p.run for p in played], page, test=tested)
        except (OSError, BadFile) as problem:
            why = problem.__cause__ or problem
            failure = f"--report {page} cannot be written: {getattr(why, 'strerror', None) or why}"
            page = None
    status.stop()
    show(played, options, tested)
    if page is not None:
        click.echo(f"report: {page}", err=options.as_json or options.aside)
    if failure:
        raise Unwritten(failure)


def show(played: list[Played], options: Options, tested: Tested | None) -> None:
    """Print the table, or the JSON list."""
    if not options.certify:
        from . import uncertified

        if options.as_json:
            click.echo(uncertified.rows(played, tested))
        else:
            uncertified.table(played, options.by, notes(played), tested, options.aside)
        return
    if options.as_json:
        from .json_output import rows
        from .table import first_line, scaling

        if played[0].task:
            click.echo(first_line(played[0].task), err=True)
        if said := scaling(played):
            click.echo(said, err=True)
        click.echo(rows(played, tested))
        for note in notes(played):
            click.echo(f"note: {note}", err=True)
    else:
        from .table import table

        table(played, options.by, notes(played), tested, options.aside)
