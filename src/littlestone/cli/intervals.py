"""`run` and `compare` with --intervals: intervals around the forecasts of a file, a table, a page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..core.errors import BadInput
from ..core.registry import learner as by_key
from ..core.stream import Stream
from ..door.play import open_rounds
from ..sets.interval_run import IntervalRun, IntervalRuns, renamed
from ..sets.intervals import intervals, makes_sets, no_sets
from ..sets.measures import table
from ..sets.seasons import given, of_times
from . import check, play, write
from .json_output import dumped
from .learner_spec import make, split_settings
from .parsed_options import Options
from .status import Status

ALONE = ("cover",)
SEVERAL = ("cover", "aci", "quantile-tracker", "decaying-tracker", "kt-betting")
ROWS = 60  # runs that the table shows
# Options that say something else than forecasts, or that a run of intervals does not have.
ELSE = {"losses": "--losses", "features": "--features", "weights": "--weights", "bits": "-b", "interact": "--interact",
        "text": "--text", "passes": "--passes", "test": "--test", "load": "--load", "loss": "--loss", "save": "--save",
        "save_every": "--save-every", "one_copy": "--one-copy and --interleave", "interval": "--interval",
        "asleep": "--asleep", "seed": "--seed"}  # fmt: skip


def play_intervals(options: Options, default: tuple[str, ...]) -> None:
    """Play every learner at every level, with late outcomes and with prompt ones."""
    levels = levels_of(options)
    learners = [learner_of(spec, options) for spec in options.learners or default]
    check.check(replace(options, season=(), intervals=()))
    page = write.page_for(options)
    outputs = {"--report": page, "--predictions": options.predictions}
    write.check_outputs({"FILE": options.file}, outputs)
    with (
        play.opened(options.file, options) as file,
        write.Predictions(options.predictions, options.by) as predictions,
        Status() as status,
    ):
        assert file is not None
        with play.errors_name(file, options.name):
            status.now(f"reading {options.name}")
            request = play.request_for(
                by_key("tracker"), replace(options, task="forecasting"), file
            )
            request, stream = open_rounds(request)
            rounds = read(stream, options)
            season = given(list(options.season)) if options.season else rounds["found"]
            made: list[tuple[str, IntervalRun]] = []
            for delay in [options.delay, 0] if options.delay else [0]:
                for spec, learner in learners:
                    status.now(f"{spec}, {f'{delay} rounds late' if delay else 'prompt'}")
                    own = fitted(learner, options, spec, delay, season, rounds["x"].shape[1])
                    found = intervals(
                        rounds["x"], rounds["y"], levels, own, delay, by=rounds["key"], times=rounds["times"],
                        season=list(season) or 0, name=str(options.name),
                    )  # fmt: skip
                    made += named(found, spec, delay)
                    if predictions is not None and delay == options.delay and len(learners) == 1:
                        predictions.put(columns(found, rounds, options))
        made.sort(key=lambda pair: ("late" not in pair[0] and bool(options.delay), pair[1].name, pair[1].level,
                                    pair[1].winkler))  # fmt: skip
        if page is not None:
            from ..report.interval_page import report_intervals

            status.now("writing the report")
            report_intervals([run for _, run in made], page)
    show(made, options, stream)
    for what, path in (("report", page), ("predictions", options.predictions)):
        if path not in (None, "-"):
            click.echo(f"{what}: {path}", err=options.as_json)


def levels_of(options: Options) -> list[float]:
    """The levels that were asked for; everything that does not go with them is refused."""
    if not options.intervals:
        raise BadInput("--season is about intervals: add --intervals 0.9")
    if options.file is None:
        raise BadInput("--intervals needs a FILE with forecasts and an --outcome")
    if options.outcome is None:
        raise BadInput("--intervals needs --outcome, the column of the truth")
    for name, flag in ELSE.items():
        if name in options.written:
            raise BadInput(f"--intervals and {flag}: leave one of them out")
    try:
        found = [
            float(part) for text in options.intervals for part in text.split(",") if part.strip()
        ]
    except ValueError:
        found = []
    if not found or not all(0.0 < level < 1.0 for level in found):
        words = " ".join(options.intervals)
        raise BadInput(
            f"--intervals {words}: write levels between 0 and 1, as in --intervals 0.5,0.9"
        )
    return sorted(set(found))


def learner_of(spec: str, options: Options) -> tuple[str, Any]:
    key, _, own = spec.partition(":")
    made = make(key, [*options.settings, *split_settings(own)], None)
    if not makes_sets(made):
        raise no_sets(key)
    return spec, made


def fitted(
    learner: Any, options: Options, spec: str, delay: int, season: Any, forecasters: int
) -> Any:
    """The learner with what is known of the rounds, unless the user set it."""
    written = " ".join([*options.settings, *split_settings(spec.partition(":")[2])])
    known = {"late": delay, "season": season, "spread": int(forecasters > 1)}
    more = {k: v for k, v in known.items() if k in learner.parameters and f"{k}=" not in written}
    if options.season and season and "season" not in learner.parameters:
        raise BadInput(f"--season: {spec} knows nothing of seasons; cover does")
    return learner.but(**more) if more else learner


def read(stream: Stream, options: Options) -> dict[str, Any]:
    """All rounds of a file, in memory."""
    batches = list(stream.batches)
    if not batches:
        raise BadInput("there are no rows")
    x = np.ascontiguousarray(np.concatenate([b.x for b in batches]))
    y = np.concatenate([b.y for b in batches])
    key = None if batches[0].key is None else np.concatenate([b.key for b in batches])
    first, skip = batches[0].first, options.skip
    times = stream.times if stream.times is not None and len(stream.times) == len(y) else None
    x, y = x[skip:], y[skip:]
    key, times = (None if v is None else v[skip:] for v in (key, times))
    if not len(y):
        raise BadInput(f"--skip {skip}: there are no more rows")
    found = () if times is None else of_times(times)[0]
    return {"x": x, "y": y, "key": key, "times": times, "first": first + skip, "found": found}


def named(found: Any, spec: str, delay: int) -> list[tuple[str, IntervalRun]]:
    """Each run with the name of its row."""
    late = f", {delay} rounds late" if delay else ""
    each = found.each() if isinstance(found, IntervalRuns) else [found]
    if isinstance(found, IntervalRuns) and found.kind == "key":
        return [(f"{run.name}: {spec} at {run.level:g}{late}", run) for run in each]
    return [(f"{spec} at {run.level:g}{late}", run) for run in each]


def columns(found: Any, rounds: dict[str, Any], options: Options) -> dict[str, Any]:
    """The columns of --predictions."""
    y = rounds["y"]
    made: dict[str, Any] = {"round": np.arange(len(y)) + rounds["first"] + 1}
    if rounds["key"] is not None:
        made["key" if options.by in (None, *write.OWN) else str(options.by)] = list(rounds["key"])
    parts = (
        found.items()
        if isinstance(found, IntervalRuns) and found.kind == "key"
        else [(None, found)]
    )
    for key, part in parts:
        own = slice(None) if key is None else rounds["key"] == key
        runs = part.each() if isinstance(part, IntervalRuns) else [part]
        put(made, "forecast", own, runs[0].forecast, len(y))
        for run in runs:
            tail = "" if len(runs) == 1 else f" {run.level:g}"
            put(made, f"lower{tail}", own, run.lower, len(y))
            put(made, f"upper{tail}", own, run.upper, len(y))
    return {**made, "outcome": y}


def put(made: dict[str, Any], name: str, own: Any, values: Any, rounds: int) -> None:
    made.setdefault(name, np.full(rounds, np.nan))[own] = values


def show(made: list[tuple[str, IntervalRun]], options: Options, stream: Stream) -> None:
    """The table, or the JSON list."""
    if options.as_json:
        click.echo(dumped([as_json(name, run) for name, run in made]))
        return
    first = made[0][1]
    many = len(stream.names)
    around = stream.names[0] if many == 1 else f"the mixture of {many} forecasts"
    name = Path(str(options.name)).name
    click.echo(f"{name}: {len(first.outcomes):,} rounds, intervals around {around}\n")
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
        click.echo(f"seasons: {', '.join(f'{s:g}' for s in season)} rounds"
                   f"{'' if options.season else ', from the column of times (--season 0: none)'}")  # fmt: skip
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
