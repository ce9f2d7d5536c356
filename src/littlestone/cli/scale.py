"""`run … --by COLUMN --workers N` or `--scheduler ADDRESS`: the keys of many files, in parallel, through `ls.scale`."""

from __future__ import annotations

import glob
import json
import time
from pathlib import Path
from typing import Any

import click

from ..core.errors import BadInput
from .cluster import client
from .command_options import CommandOptions
from .options import flags_of

SAMPLE = 50_000  # so many rows are played to estimate how long all will take
ROWS = 20  # at most so many keys are printed
# Options that go with --workers, and are passed on to `ls.scale.play`; all others are refused.
PASSED = {
    *("outcome", "experts", "losses", "task", "interval", "asleep", "seed"),
    *("features", "weights", "bits", "interactions", "text", "ngram", "missing", "labels"),
}
HERE = {
    *(
        "file",
        "data",
        "by",
        "learners",
        "loss",
        "settings",
        "l1",
        "l2",
        "keep",
        "ignore",
        "classes",
    ),
    *("predictions", "save", "as_json", "certify", "page", "processes", "scheduler"),
}


def asks_for_scale(options: CommandOptions) -> bool:
    """Is it --workers or --scheduler, or a pattern of files with --by?"""
    if options.processes is not None or options.scheduler is not None:
        return True
    return options.by_column is not None and is_pattern(options.file)


def is_pattern(file: str | None) -> bool:
    return file is not None and glob.has_magic(file) and not Path(file).exists()


def check(options: CommandOptions) -> None:
    """Refuse options that do not go together."""
    cluster, workers = options.scheduler is not None, options.processes is not None
    option = "--scheduler" if cluster else "--workers" if workers else "a pattern of files"
    if cluster and workers:
        raise BadInput(
            "--workers and --scheduler: a cluster has its own workers; leave one of them out"
        )
    if options.processes is not None and options.processes < 1:
        raise BadInput(f"--workers {options.processes}: there must be at least 1")
    if options.by_column is None:
        raise BadInput(
            f"{option}: keys are what is played in parallel, so name their column with --by; one stream is learned row "
            "after row, in one process"
        )
    if options.file in (None, "-"):
        raise BadInput(
            f"{option} needs a FILE that every process can read, or a pattern such as 'data/*.parquet'"
        )
    for name in sorted(options.written - PASSED - HERE):
        raise BadInput(f"{flags_of([name])[name]} does not go with {option}; leave one of them out")
    refuse_results(options, option)


def refuse_results(options: CommandOptions, option: str) -> None:
    """Refuse results that keys in parallel do not have; `option`: what asks for playing them so."""
    if "certify" in options.written and options.certify:
        raise BadInput(
            f"--certify and {option}: keys in parallel have no certificates; leave one of them out"
        )
    if "page" in options.written and options.page:
        raise BadInput(
            f"--report and {option}: the page is about certificates; leave one of them out"
        )
    for name, folder in (("predictions", options.predictions), ("save", options.save)):
        if folder is not None and (Path(folder).suffix or Path(folder).is_file()):
            raise BadInput(
                f"--{name} {folder}: with {option} it is a folder, with a file for each part of the keys"
            )


def play(options: CommandOptions) -> None:
    """Play the keys of all files, and print what they lost."""
    from .. import scale
    from ..scale.tables import files_of

    check(options)
    files = files_of(options.file)
    spec, learner = learner_of(options, files[0])
    given = arguments(learner, options, files[0])
    began = time.perf_counter()
    with client(options, lambda: seconds_of(learner, files, options, given)) as found:
        try:
            runs = scale.play(
                learner, files, by=str(options.by_column), client=found, out=options.predictions, save=options.save,
                **given,
            )  # fmt: skip
        except Exception as problem:
            if not type(problem).__module__.startswith("distributed"):
                raise
            raise BadInput(
                f"the workers were lost: {problem}"
            ) from None  # most often they were killed for their memory
    show(runs, spec, options, len(files), time.perf_counter() - began, learner.normalise)


def learner_of(options: CommandOptions, first: str) -> tuple[str, Any]:
    """The learner that was named, or the default for what the first file holds."""
    from . import data_kind, learner_spec
    from .play import parse_once

    with parse_once(first, options, 1) as file:
        examples = not options.learners and data_kind.learns_from_examples(options, file)
    spec = options.learners[0] if options.learners else "online-linear" if examples else "tracker"
    return spec, learner_spec.learner_of(spec, options)


def arguments(learner: Any, options: CommandOptions, first: str) -> dict[str, Any]:
    """The options as arguments of `ls.play`."""
    from dataclasses import replace

    from . import check as refuse
    from .play import parse_once, request_for

    refuse.check_kind(learner, options)
    with parse_once(first, options, 1) as file:
        request = request_for(learner, replace(options, by=None), file)
    names = {"classes": "labels"}
    arguments = {
        names.get(name, name) for name in options.written & (PASSED | {"classes", "keep", "ignore"})
    }
    arguments |= {"features"} if arguments & {"keep", "ignore"} else set()
    return {name: value_of(request, name) for name in sorted(arguments - {"keep", "ignore"})}


def value_of(request: Any, name: str) -> Any:
    """An option of a request, by its name."""
    given = vars(request.read) if name in vars(request.read) else vars(request.play)
    return given[name]


def seconds_of(
    learner: Any, files: list[str], options: CommandOptions, given: dict[str, Any]
) -> float:
    """How long one process would take, about: some rows are played, and all are counted."""
    from ..engine.compile_clock import compile_seconds
    from ..play.play import play as play_here
    from ..scale.tables import read_table

    table = read_table(files[0])
    began, before = time.perf_counter(), compile_seconds()[0]
    some = table.slice(0, SAMPLE)
    if not some.num_rows:
        return 0.0
    play_here(learner, some, by=str(options.by_column), certify=False, record="none", **given)
    took = time.perf_counter() - began - (compile_seconds()[0] - before)
    size = sum(Path(path).stat().st_size for path in files)
    rows = table.num_rows * size / Path(files[0]).stat().st_size
    return float(took * rows / some.num_rows)


def show(
    runs: Any, spec: str, options: CommandOptions, files: int, seconds: float, scaled: bool
) -> None:
    """The loss of each key, and of all."""
    losses, rounds = runs.loss_by_key, runs.rounds_by_key
    if options.as_json:
        rows = [
            {"learner": spec, "key": key, "rounds": rounds[key], "loss": loss, "mean_loss": loss / rounds[key]}
            for key, loss in losses.items()
        ]  # fmt: skip
        click.echo(json.dumps(rows, default=str))
    else:
        from rich.markup import escape
        from rich.table import Table

        from ..report.number_format import format_column
        from .console import console, count
        from .table import print_wrapped, scaling

        out = console()
        if scaled:
            print_wrapped(out, scaling([spec]), out.width)
        what = (
            f"{count(files, 'files')}, {count(len(runs), 'keys')}, {count(runs.rounds, 'rounds')}"
        )
        out.print(
            f"[bold]{escape(str(options.file))}[/bold]: {what}, {escape(spec)}, {seconds:.1f} s\n"
        )
        shown = [*list(losses.items())[:ROWS], ("all", runs.loss)]
        each = [
            v / (runs.rounds if i == len(shown) - 1 else rounds[k])
            for i, (k, v) in enumerate(shown)
        ]
        made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
        made.add_column(escape(str(options.by_column)), overflow="fold")
        for name in ("loss", "a round"):
            made.add_column(name, justify="right", no_wrap=True)
        columns = format_column([v for _, v in shown]), format_column(each)
        for (key, _), *numbers in zip(shown, *columns, strict=True):
            made.add_row(escape(str(key)), *numbers)
        out.print(made)
        if len(losses) > ROWS:
            out.print(f"and {len(losses) - ROWS:,} keys more: --json has them all", style="dim")
        out.print(
            "\nnothing was compared in hindsight: without --workers each key has a certificate",
            style="dim",
        )
    for what, folder in (("predictions", options.predictions), ("learners", options.save)):
        if folder is not None:
            click.echo(f"{what}: {folder}", err=options.as_json)
