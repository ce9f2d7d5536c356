"""The table of intervals at the command line, or its JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..conformal.sets.interval_run import IntervalRun, renamed
from ..conformal.sets.measures import table
from ..encode.stream import Stream
from .command_options import CommandOptions
from .json_output import dumped

ROWS = 60  # the table shows at most so many runs


def show(made: list[tuple[str, IntervalRun]], options: CommandOptions, stream: Stream) -> None:
    """The table, or the JSON list."""
    if options.as_json:
        click.echo(dumped([as_json(name, run) for name, run in made]))
        return
    first = made[0][1]
    many = len(stream.names)
    around = stream.names[0] if many == 1 else f"the mixture of {many} forecasts"
    name = Path(str(options.name)).name
    click.echo(
        f"{name}: {first.before.rounds + len(first.outcomes):,} rounds, intervals around {around}\n"
    )
    lines = table([renamed(run.measures, name) for name, run in made[:ROWS]]).splitlines()
    words = ["certificate", *(verdict(run) for _, run in made[:ROWS])]
    for line, word in zip(lines, words, strict=True):
        click.echo(f"{line}  {word}".rstrip())
    if len(made) > ROWS:
        click.echo(f"and {len(made) - ROWS:,} runs more: --json has all of them")
    click.echo("\nbeside, simple answers:")
    beside = [
        renamed(m, f"{m.name}, at {run.level:g}{late(run)}")
        for run in shown_once(made)
        for m in run.simple
    ]
    click.echo("\n".join(table(beside[:ROWS]).splitlines()[1:]))
    click.echo(LEGEND)
    season = first.run.parameters.get("season")
    if season:
        given = options.season or options.load
        where = "" if given else ", from the column of times (--season 0: none)"
        click.echo(f"seasons: {', '.join(f'{s:g}' for s in season)} rounds{where}")
    if options.load is not None:
        click.echo(
            "note: the certificate counts from the first round of all; the simple answers begin with this file"
        )
    for note in dict.fromkeys(n for _, run in made for n in (*run.notes, *stream.notes)):
        click.echo(f"note: {note}")


LEGEND = """
worst 500: the least coverage of 500 rounds in a row; infinite: rounds whose interval had no end
Winkler: the mean of width + 2/(1 - level) times the distance of a truth that was missed (less is better)
below, above: truths that lay under, over the interval
kept: after every round the misses of each tail were within the bound of the theorem"""


def late(run: IntervalRun) -> str:
    return f", {run.run.transcript.delay} rounds late" if run.run.transcript.delay else ""


def shown_once(made: list[tuple[str, IntervalRun]]) -> list[IntervalRun]:
    """One run for each level, delay and key."""
    found = {(run.level, run.run.transcript.delay, run.name): run for _, run in reversed(made)}
    return list(reversed(found.values()))


def verdict(run: IntervalRun) -> str:
    words = dict.fromkeys(f"{v.guarantee.id} {v.verdict}" for v in run.certificate)
    return ", ".join(words)


def as_json(name: str, run: IntervalRun) -> dict[str, Any]:
    return {
        "label": name, "learner": run.run.key, "level": run.level, "delay": run.run.transcript.delay, "data": run.name,
        **{k: v for k, v in vars(run.measures).items() if k != "name"}, "verdict": run.certificate.verdict,
        "certificate": str(run.certificate), "simple": [vars(m) for m in run.simple],
        "parameters": {k: list(v) if isinstance(v, tuple) else v for k, v in run.run.parameters.items()},
        "notes": list(run.notes),
    }  # fmt: skip
