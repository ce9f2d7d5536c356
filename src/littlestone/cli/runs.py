"""`run`, `compare` and `report`: play learners over a stream, print a table, write a page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ..core import registry
from ..core.errors import BadInput
from ..core.learner import hints
from ..core.parameters import split
from ..core.run import Run, Runs
from ..core.stream import Stream

F = TypeVar("F", bound=Callable[..., Any])

DATA = [
    click.argument("file", required=False),
    click.option("--outcome", help="The column that is predicted."),
    click.option(
        "--experts",
        multiple=True,
        help="A column of advice, or a glob ('DNN*'); default: all the others.",
    ),
    click.option(
        "--losses", is_flag=True, help="The columns are losses; there is no outcome to predict."
    ),
    click.option("--by", help="A column of keys: one run a key."),
    click.option("--loss", help="square, absolute, entropic, pinball:0.9, zero-one."),
    click.option(
        "--interval", nargs=2, type=float, help="The interval that predictions and outcomes lie in."
    ),
    click.option(
        "-p",
        "--set",
        "settings",
        multiple=True,
        metavar="NAME=VALUE",
        help="A parameter of the learner.",
    ),
    click.option(
        "--delay", type=int, default=0, show_default=True, help="Outcomes come so many rounds late."
    ),
    click.option(
        "--interleave/--one-copy",
        default=None,
        help="With --delay: one copy of the learner a round outstanding, or a single copy; "
        "default: a single copy where a theorem covers it.",
    ),
    click.option(
        "--asleep",
        type=click.Choice(["error", "last"]),
        default="error",
        show_default=True,
        help="When no expert gives advice: refuse, or repeat the last prediction.",
    ),
    click.option(
        "--seed", type=int, default=0, show_default=True, help="For draws and the built-in stream."
    ),
    click.option(
        "--report",
        "page",
        type=click.Path(),
        default="littlestone-report.html",
        show_default=True,
        help="Where to write the page; '' for none.",
    ),
    click.option(
        "--json",
        "as_json",
        is_flag=True,
        help="Print a JSON list, for machines; no page unless asked.",
    ),
]


def data_options(f: F) -> F:
    for option in reversed(DATA):
        f = option(f)
    return f


@click.command()
@data_options
@click.option(
    "--learner", "key", default="tracker", show_default=True, help="See `littlestone list`."
)
@click.option("--save", type=click.Path(), help="Write the learner, trained, to this file.")
@click.option("--load", "saved", type=click.Path(), help="Go on with a learner that was saved.")
@click.option(
    "--predictions",
    type=click.Path(),
    help="Write round, prediction and loss to out.csv or out.parquet.",
)
@click.pass_context
def run(
    ctx: click.Context,
    /,
    key: str,
    save: str | None,
    saved: str | None,
    predictions: str | None,
    **o: Any,
) -> None:
    """Play one learner over FILE (CSV, Parquet, .gz, or - for standard input).

    Without FILE it plays the built-in stream: 64 experts, 800 rounds, the best one changes three times.

    \b
    littlestone run prices.csv --outcome "Real price" --experts "DNN ?" --experts "LEAR [0-9]*"
    littlestone run prices.csv --outcome "Real price" --delay 24        also plays it with prompt feedback
    littlestone run losses.parquet --losses --learner hedge
    littlestone run - --outcome y --learner fixed-share -p alpha=0.01 < rounds.csv
    """
    from .write import sink_for

    if saved is not None:
        from ..core.store import load

        learner = load(saved)
        asked = [learner]
    else:
        asked = [made(key, o)]
    with sink_for(predictions) as sink:
        runs = play_all(asked, o, sink, resume=saved is not None)
    finish(ctx, runs, o)
    if save is not None:
        if len(runs) > 1 and o["by"]:
            raise BadInput(
                "--save keeps one learner, and --by makes one a key: leave one of them out"
            )
        click.echo(f"learner saved to {runs[0].learner.save(save)}", err=True)


@click.command()
@data_options
@click.option(
    "--learner",
    "keys",
    multiple=True,
    help="May be given several times; default: a good selection.",
)
@click.pass_context
def compare(ctx: click.Context, /, keys: tuple[str, ...], **o: Any) -> None:
    """Play several learners over the same rounds, one row each."""
    wanted = keys or (
        ("hedge", "adahedge", "fixed-share", "tracker")
        if o["losses"]
        else ("exponential-weights", "ml-poly", "boa", "fixed-share", "tracker")
    )
    runs = play_all([made(key, o) for key in wanted], o, None)
    finish(ctx, sorted(runs, key=lambda r: r.loss), o)


@click.command()
@click.argument("saved")
@click.argument("file")
@click.option("--outcome")
@click.option("--experts", multiple=True)
@click.option("--output", "page", default="littlestone-report.html", show_default=True)
def report(saved: str, file: str, outcome: str | None, experts: tuple[str, ...], page: str) -> None:
    """Go on with the learner SAVED over FILE, and write the page of those rounds."""
    from ..core.store import load

    o = {
        "file": file,
        "outcome": outcome,
        "experts": experts,
        "losses": False,
        "by": None,
        "interval": None,
        "delay": 0,
        "interleave": None,
        "asleep": "error",
        "seed": 0,
        "as_json": False,
    }
    runs = play_all([load(saved)], o, None, resume=True)
    from ..report.payload import report as write

    click.echo(f"report: {write(runs, page)}")


def made(key: str, o: dict[str, Any]) -> Any:
    """A learner from its key and the settings, read by their declared types."""
    cls = type(registry.learner(key))
    known, given = hints(cls), {}
    if o.get("loss") is not None:
        if "loss" not in known:
            raise BadInput(f"{key} takes no loss")
        given["loss"] = o["loss"]
    for setting in o.get("settings", ()):
        name, eq, text = setting.partition("=")
        if not eq:
            raise BadInput(f"-p {setting}: write NAME=VALUE")
        if name not in known:
            raise BadInput(
                f"{key} has no parameter {name!r}; its parameters: {', '.join(known) or 'none'}"
            )
        given[name] = text if name == "loss" else parsed(key, name, text, known[name])
    return registry.learner(key, **given)


def parsed(key: str, name: str, text: str, hint: Any) -> Any:
    kind, _, _ = split(hint)
    if kind is bool:
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if text.lower() in words:
            return words[text.lower()]
    elif kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    else:
        try:
            return tuple(float(part) for part in text.split(","))
        except ValueError:
            pass
    raise BadInput(f"{key}: {name} cannot be {text!r}")


def open_data(o: dict[str, Any], learner: Any) -> Stream:
    if o["file"] is None:
        from ..natures.shifting import shifting_stream

        return shifting_stream(seed=o["seed"])
    from ..facade import open_for

    return open_for(
        learner,
        o["file"],
        outcome=o["outcome"],
        experts=list(o["experts"]) or None,
        by=o["by"],
        losses=o["losses"],
    )


def play_all(learners: list[Any], o: dict[str, Any], sink: Any, resume: bool = False) -> list[Run]:
    from ..core.play import play
    from .console import progress

    if o["file"] == "-" and len(learners) > 1:
        raise BadInput("standard input can be read once: compare needs a file")
    runs: list[Run] = []
    for learner in learners:
        # late feedback is never shown alone: beside it stands what prompt feedback would have given
        delays = (0, o["delay"]) if o["delay"] and o["file"] != "-" else (o["delay"],)
        for delay in delays:
            stream = open_data(o, learner)
            with progress(learner.key, stream.rounds) as tell:
                result = play(
                    learner,
                    stream,
                    allocation=o["losses"],
                    seed=o["seed"],
                    delay=delay,
                    interleave=o["interleave"],
                    asleep=o["asleep"],
                    interval=o["interval"] or None,
                    resume=resume,
                    progress=tell,
                    sink=sink if delay == o["delay"] else None,
                )
            runs += list(result.values()) if isinstance(result, Runs) else [result]
    return runs


def finish(ctx: click.Context, runs: list[Run], o: dict[str, Any]) -> None:
    from ..report.payload import report as write
    from ..report.payload import summary

    asked = ctx.get_parameter_source("page") is not click.core.ParameterSource.DEFAULT
    page = write(runs, o["page"]) if o["page"] and (asked or not o["as_json"]) else None
    if o["as_json"]:
        rows = [
            {
                "learner": r.key,
                "label": r.label,
                **clean(summary(r)),
                "certificate": str(r.certificate),
            }
            for r in runs
        ]
        click.echo(json.dumps(rows))
        return
    from .table import table

    table(runs)
    if page is not None:
        click.echo(f"report: {Path(page).resolve()}")


def clean(row: dict[str, Any]) -> dict[str, Any]:
    """JSON has no NaN and no infinity."""
    return {
        k: None if isinstance(v, float) and not abs(v) < float("inf") else v for k, v in row.items()
    }
