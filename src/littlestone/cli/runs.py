"""What `run`, `compare`, `bandit` and `report` do: play learners over a stream, print a table, write a page."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from ..core.errors import BadFile, BadInput
from .command_options import CommandOptions

# A command imports what it needs when it runs: `littlestone list` and `--help` do without NumPy and the readers.
if TYPE_CHECKING:
    from ..report.comparison_table import Played
    from ..streams.files import OpenFile
    from .examine import Tested
    from .learner_spec import AnyLearner
    from .status import Status

NOTES = 4  # at most so many notes are printed
ROLES = {
    *("outcome", "experts", "features", "losses", "by", "horizons", "task")
}  # options that describe a FILE


def take_pipe(options: CommandOptions) -> CommandOptions:
    """`cat x.csv | littlestone run` means standard input, though no FILE is named."""
    import os
    import select
    import stat
    import sys

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


def learn(options: CommandOptions) -> None:
    """Play one learner over FILE; save it and test it, where that was asked for."""
    from . import examine, play, readable_model, write
    from .checkpoint import Checkpoints
    from .status import Status

    delays = 2 if options.rounds_late else 1
    with contextlib.ExitStack() as opened:
        file = opened.enter_context(play.parse_once(options.file, options, delays))
        test = None
        if options.test is not None:
            alone = replace(options, passes=1)
            test = opened.enter_context(play.parse_once(options.test, alone, 2))
        options, key, learner = choose_learner(options, file)
        check_before(learner, options, file, test)
        page = write.page_for(options)
        write.check_outputs(
            {"FILE": options.file, "the --test file": options.test, "--load": options.load},
            {
                "--report": page,
                "--save": options.save,
                "--predictions": options.predictions,
                "--readable-model": options.readable,
            },
        )
        if test is not None:
            examine.check_readable(test)
        predictions = names = checkpoints = None
        if options.predictions is not None:
            made = write.Predictions(
                options.predictions, options.by_column, options.passes, options.id
            )
            predictions = opened.enter_context(made)
        if options.readable is not None:
            names = opened.enter_context(readable_model.Names(options.readable))
        if options.save is not None:
            checkpoints = opened.enter_context(Checkpoints(options))
        status = opened.enter_context(Status())
        resume = options.load is not None
        played = play.play_all(
            [(key, learner)], options, file, status, predictions, resume, checkpoints,
            default=not (options.learners or resume),
        )  # fmt: skip
        last, tested = played[-1].run, None
        if checkpoints is not None:
            checkpoints.playing = False
            save_learners(played, options)
        if names is not None:
            names.write(last)
        if test is not None:
            tested = examine.examine(last.learner, test, options, status, last.stream)
        finish(played, options, page, status, tested)
        if options.save is not None and last.learner.keeps_rows:
            click.echo(
                f"note: {options.save} holds rows of the data; learner.forget(rows) removes some",
                err=options.as_json or options.aside,
            )


def choose_learner(
    options: CommandOptions, file: OpenFile | None
) -> tuple[CommandOptions, str, AnyLearner]:
    """The learner that was loaded, or named, or that FILE decides for; its name, and what it brings to the options."""
    from . import data_kind, learner_spec

    if options.load is not None:
        options, learner = learner_spec.load(options)
        return options, learner.key, learner
    if options.learners:
        key = options.learners[0]
    elif options.graph is not None:
        key = learner_spec.ON_GRAPHS[0]
    else:
        examples = data_kind.learns_from_examples(options, file)
        key = "online-linear" if examples else "tracker"
    return options, key, learner_spec.learner_of(key, options)


def check_before(
    learner: AnyLearner, options: CommandOptions, file: OpenFile | None, test: OpenFile | None
) -> None:
    """Refuse what does not go with this learner, before anything long begins."""
    from . import check

    if test is not None:
        check.check_test(learner, options)
        check.check_formats(file, test)
    check.check_kind(learner, options)
    if options.save is not None:
        check.check_save(options)
    check.check_predictions(learner, options)


def save_learners(played: list[Played], options: CommandOptions) -> None:
    """Write what was learned, with late feedback where there was some; the learners of all keys to one file."""
    from ..run.run import Runs

    if not options.by_column:
        played[-1].run.learner.save(str(options.save))
        return
    late = [p for p in played if p.delay == options.rounds_late]
    runs = Runs({p.key: p.run for p in late})
    runs.without_rounds = options.learners_without(runs)
    runs.save(str(options.save))


def test_alone(options: CommandOptions) -> None:
    """Predict the rows of --test with the learner of --load; nothing is learned."""
    from . import check, examine, learner_spec, play, write
    from .status import Status

    if options.load is None:
        raise BadInput("--test needs a learner: FILE to learn from, or --load FILE.ls")
    options, learner = learner_spec.load(options)
    check.check_test(learner, options)
    check.check_kind(learner, replace(options, file=options.test))
    if options.save is not None:
        check.check_save(options)
    write.check_outputs(
        {"the --test file": options.test, "--load": options.load},
        {"--save": options.save, "--predictions": options.predictions},
    )
    with play.parse_once(options.test, options, 2) as test:
        assert test is not None
        examine.check_readable(test)
        with (
            write.Predictions(options.predictions, options.by_column) as predictions,
            Status() as status,
        ):
            check.check_test_alone(options)
            tested = examine.examine(learner, test, options, status, predictions=predictions)
    if options.as_json:
        from .json_output import test_row

        click.echo(test_row(tested))
    else:
        click.echo(str(tested))


def compare_learners(options: CommandOptions) -> None:
    """Play several learners over FILE, the best first."""
    from ..report.comparison_table import best_first
    from . import check, data_kind, learner_spec, play, write
    from .status import Status

    check.check(options)
    several = len(set(options.learners)) or len(learner_spec.DEFAULTS["losses"])
    with play.parse_once(
        options.file, options, several * (2 if options.rounds_late else 1)
    ) as file:
        decided = options.learners or options.graph is not None
        kind = None if decided else data_kind.kind_to_compare(options, file)
        learners = learner_spec.learners_of(options, kind)
        for _spec, learner in learners:
            check.check_kind(learner, options)
        page = write.page_for(options)
        write.check_outputs({"FILE": options.file}, {"--report": page})
        with Status() as status:
            played = play.play_all(learners, options, file, status)
            best_first(played)
            finish(played, options, page, status)


def draw_page(options: CommandOptions) -> None:
    """Write the page of the learner of --load, which goes on over FILE."""
    from ..report.payload import report as draw
    from . import check, learner_spec, play, write
    from .status import Status

    options, learner = learner_spec.load(options)
    check.check_kind(learner, options)
    inputs = {"FILE": options.file, "SAVED": options.load}
    write.check_outputs(inputs, {"--output": options.page})
    with play.parse_once(options.file, options) as file, Status() as status:
        played = play.play_all([(learner.key, learner)], options, file, status, resume=True)
        status.now("writing the report")
        page = draw([p.run for p in played], str(options.page))
    click.echo(f"report: {page}")


def pull(options: CommandOptions) -> None:
    """Play bandits: one run each, or many."""
    from ..report.comparison_table import best_first
    from . import bandits, play, seeds_table, write
    from .status import Status

    bandits.check(options)
    page, save = write.page_for(options), options.save
    write.check_outputs({"FILE": options.file}, {"--report": page, "--save": save})
    many = options.seeds > 1
    streams = 1 if many else len(options.learners)
    with play.parse_once(options.file, options, streams) as file, Status() as status:
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
    options: CommandOptions,
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


def show(played: list[Played], options: CommandOptions, tested: Tested | None) -> None:
    """Print the table, or the JSON list."""
    if not options.certify:
        from . import uncertified

        if options.as_json:
            click.echo(uncertified.rows(played, tested))
        else:
            uncertified.table(played, options.by_column, notes(played), tested, options.aside)
        return
    if options.as_json:
        from .json_output import rows
        from .table import first_line, scaling

        scales = scaling([p.learner for p in played if p.scaled])
        for line in filter(None, (first_line(played[0].task), scales)):
            click.echo(line, err=True)
        click.echo(rows(played, tested))
        for note in notes(played):
            click.echo(f"note: {note}", err=True)
    else:
        from .table import table

        table(played, options.by_column, notes(played), tested, options.aside)
