"""The table of intervals at the command line, or its JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..conformal.sets.interval_run import IntervalRun, renamed
from ..conformal.sets.measures import table
from ..encode.stream import Stream
from .command_options import CommandOptions
from .console import count, in_options
from .interval_player import PlayedIntervals
from .json_output import dump_json

ROWS = 60  # the table shows at most so many runs


def show(made: list[PlayedIntervals], options: CommandOptions, stream: Stream) -> None:
    """The table, or the JSON list."""
    if options.as_json:
        click.echo(dump_json([as_json(one) for one in made]))
        return
    first = made[0].run
    many = len(stream.names)
    around = stream.names[0] if many == 1 else f"the mixture of {many} forecasts"
    rounds = count(first.before.rounds + len(first.outcomes), "rounds")
    click.echo(f"{Path(str(options.name)).name}: {rounds}, intervals around {around}")
    for better in filter(None, map(value_before_is_better, made[:ROWS])):
        click.echo(better)
    click.echo()
    show_grid(made)
    click.echo("\nbeside, simple answers:")
    beside = [
        renamed(m, f"{m.name}, at {run.level:g}{late(run)}")
        for run in first_of_each(made)
        for m in run.simple
    ]
    click.echo("\n".join(table(beside[:ROWS]).splitlines()[1:]))
    click.echo(LEGEND)
    show_notes(made, options, stream)


def show_grid(made: list[PlayedIntervals]) -> None:
    """Print a row for each run, with its certificate."""
    lines = table([renamed(one.run.measures, one.name) for one in made[:ROWS]]).splitlines()
    words = ["certificate", *(verdict(one.run) for one in made[:ROWS])]
    for line, word in zip(lines, words, strict=True):
        click.echo(f"{line}  {word}".rstrip())
    if len(made) > ROWS:
        click.echo(f"and {len(made) - ROWS:,} runs more: --json has all of them")


def show_notes(made: list[PlayedIntervals], options: CommandOptions, stream: Stream) -> None:
    """Print where seasons come from, and what was noticed."""
    season = made[0].run.run.parameters.get("season")
    if season:
        given = options.season or options.load
        where = "" if given else ", from the column of times (--season 0: none)"
        click.echo(f"seasons: {', '.join(f'{s:g}' for s in season)} rounds{where}")
    if options.load is not None:
        click.echo(
            "note: the certificate counts from the first round of all; the simple answers begin with this file"
        )
    for note in dict.fromkeys(n for one in made for n in (*one.run.notes, *stream.notes)):
        click.echo(f"note: {in_options(note)}")


def value_before_is_better(one: PlayedIntervals) -> str:
    """A line where intervals around the value before would have been better; "" where not."""
    own, simple = one.run.winkler, one.value_before.winkler
    if not simple < own:
        return ""
    return (
        f"{one.name}: intervals around the value before would have been better (Winkler {simple:.4g} against "
        f"{own:.4g})"
    )


LEGEND = """
worst 500: the least coverage of 500 rounds in a row; infinite: rounds whose interval had no end
Winkler: the mean of width + 2/(1 - level) times the distance of a truth that was missed (less is better)
below, above: truths that lay under, over the interval
kept: after every round the misses of each tail were within the bound of the theorem"""


def late(run: IntervalRun) -> str:
    return f", {run.run.transcript.delay} rounds late" if run.run.transcript.delay else ""


def first_of_each(made: list[PlayedIntervals]) -> list[IntervalRun]:
    """One run for each level, delay and key."""
    found = {(run.level, run.run.transcript.delay, run.name): run for _, run, _ in reversed(made)}
    return list(reversed(found.values()))


def verdict(run: IntervalRun) -> str:
    words = dict.fromkeys(f"{v.guarantee.id} {v.verdict}" for v in run.certificate)
    return ", ".join(words)


def as_json(one: PlayedIntervals) -> dict[str, Any]:
    run = one.run
    return {
        "label": one.name, "learner": run.run.key, "level": run.level, "delay": run.run.transcript.delay,
        "data": run.name,
        **{k: v for k, v in vars(run.measures).items() if k != "name"}, "verdict": run.certificate.verdict,
        "certificate": str(run.certificate), "simple": [vars(m) for m in run.simple],
        "value_before": vars(one.value_before),
        "parameters": {k: list(v) if isinstance(v, tuple) else v for k, v in run.run.parameters.items()},
        "notes": list(run.notes),
    }  # fmt: skip
