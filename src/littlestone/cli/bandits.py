"""`run` and `compare` for bandits: environments, losses of all arms in a file, one run or many seeds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from ..core.errors import BadInput
from ..core.registry import learners
from ..core.stream import Batch
from ..door.play import open_rounds, play_rounds
from ..door.request import Request
from ..natures.arms import Arms
from ..run.run import Runs
from ..run.seeds import SeedRuns
from . import learner_spec as asked
from .console import console, count, in_options
from .number_format import aligned
from .play import Played
from .status import Status
from .table import STYLES, wrapped

DEFAULTS = ("tsallis-inf", "exp3", "exp3-ix", "ucb1", "kl-ucb", "thompson")
ALONE = "tsallis-inf"
ROUNDS = 10_000
FLAGS = {"arms": "--arms", "rounds": "--rounds", "seeds": "--seeds", "rewards": "--rewards"}
LOGGED = {"arm": "--arm", "reward": "--reward", "propensity": "--propensity", "replay": "--replay"}


def wanted(o: dict[str, Any], specs: tuple[str, ...]) -> bool:
    """Is it a game of bandits: by --game, by --arms, or by the learner?"""
    keys = {spec.partition(":")[0] for spec in specs}
    every = learners()
    bandit = [k in every and every[k].bandit for k in keys]
    if any(bandit) and not all(bandit):
        raise BadInput("--learner: some are bandits and some see every loss; compare alike")
    if bandit and not any(bandit) and (o["game"] == "bandit" or o["arms"]):
        raise BadInput(
            f"--game bandit: {', '.join(sorted(keys))} sees every loss; bandits: {', '.join(DEFAULTS)}"
        )
    return o["game"] == "bandit" or any(o[k] is not None for k in ("arms", "arm")) or any(bandit)


def refuse(o: dict[str, Any], said: set[str]) -> None:
    """Options of bandits, where there is none."""
    for name, flag in (FLAGS | LOGGED).items():
        if name in said:
            raise BadInput(f"{flag} is for bandits: add --game bandit")


def check(o: dict[str, Any], said: set[str]) -> None:
    if o["arm"] is not None:
        check_log(o, said)
        return
    for name, flag in LOGGED.items():
        if name in said:
            raise BadInput(f"{flag} is for a log of decisions: add --arm COLUMN")
    for name in (
        "outcome",
        "features",
        "weights",
        "interact",
        "classes",
        "loss",
        "passes",
        "asleep",
    ):
        if name in said:
            raise BadInput(
                f"--{name} does not go with --game bandit: columns are the losses of the arms"
            )
    if o["arms"] is not None and o["file"] is not None:
        raise BadInput("--arms and FILE: losses are drawn, or read; choose one")
    if o["rounds"] is not None and o["file"] is not None:
        raise BadInput("--rounds is for drawn losses; FILE has as many rounds as it has rows")
    if o["seeds"] is not None and o["seeds"] < 1:
        raise BadInput("--seeds must be at least 1")
    if o["seeds"] is not None and o["seeds"] > 1 and o["delay"]:
        raise BadInput("--seeds and --delay do not go together: play each seed with its delay")


def check_log(o: dict[str, Any], said: set[str]) -> None:
    if o["file"] is None:
        raise BadInput("--arm needs a FILE: a log of decisions")
    for name in ("reward", "propensity"):
        if o[name] is None:
            raise BadInput(f"--arm: a log has outcomes and propensities; add --{name} COLUMN")
    for name, flag in FLAGS.items():
        if name in said:
            raise BadInput(f"{flag} does not go with --arm: a log has rows of its own")


def replayed(specs: tuple[str, ...], o: dict[str, Any], status: Status) -> None:
    """A table of learners on a log: what each would have brought, had it been in charge."""
    from ..offpolicy.logged import Log
    from ..offpolicy.replay import replay
    from .json_output import dumped

    status.now(f"reading {o['file']}")
    log = Log.read(
        o["file"], arm=o["arm"], reward=o["reward"], propensity=number(o["propensity"]),
        context=list(o["features"]),
    )  # fmt: skip
    status.now(f"replaying {count(len(log), 'rows')}")
    policies = {spec: asked.learner(spec, o) for spec in specs}
    for spec, learner in policies.items():
        if learner.contexts and log.contexts is None:
            raise BadInput(f"{spec} looks at features: name their columns with --features")
    found = replay(log, policies, method=o["replay"], seed=o["seed"])
    status.stop()
    if not o["as_json"]:
        click.echo(str(found))
        return
    rows = []
    for r in found.rows:
        limits = [r.binomial.low, r.binomial.high], [r.bernstein.low, r.bernstein.high]
        rows.append(
            {
                "learner": r.name,
                "method": r.method,
                "rate": r.rate,
                "earned": r.earned,
                "counted": r.counted,
                "learned": r.learned,
                "binomial": limits[0],
                "bernstein": limits[1],
            }
        )
    click.echo(dumped(rows))


def number(text: str) -> Any:
    """A column, or one number for all rows."""
    try:
        return float(text)
    except ValueError:
        return text


def environment(o: dict[str, Any]) -> Arms:
    """The arms that were asked for; ten of them where nobody said."""
    if o["arms"] is None:
        return Arms([0.4] + [0.5] * 9)
    try:
        means = [float(part) for part in o["arms"].split(",")]
    except ValueError:
        means = []
    if not means or not all(0.0 <= m <= 1.0 for m in means):
        raise BadInput(f"--arms {o['arms']}: write the mean loss of each arm, as in 0.5,0.4,0.6")
    return Arms(means)


def play(
    specs: tuple[str, ...], o: dict[str, Any], status: Status, sink: Any = None
) -> list[Played] | list[SeedRuns]:
    """Every learner in the same environment, or over the same losses."""
    data: Any = environment(o) if o["file"] is None else o["file"]
    rounds = (o["rounds"] or ROUNDS) if o["file"] is None else None
    seeds = o["seeds"] or 1
    if seeds > 1 and o["file"] is not None:
        data = in_memory(o)
    found: list[Any] = []
    for spec in specs:
        learner = asked.learner(spec, o)
        status.play(spec, rounds and rounds * seeds, o["file"])

        def heard(t: int, loss: float, status: Status = status) -> None:
            status.told(t, loss)

        given: dict[str, Any] = {
            "seed": o["seed"],
            "interval": o["interval"] or None,
            "rewards": o["rewards"],
        }
        if seeds > 1:
            request = Request(learner, data, rounds=rounds, seeds=seeds, progress=heard, **given)
            result: Any = play_rounds(*open_rounds(request))
            result.label = spec
            found.append(result)
            continue
        if o["file"] is not None:
            given |= {"experts": list(o["experts"]) or None, "by": o["by"], "format": o["format"]}
        if o["delay"]:
            given |= {
                "delay": o["delay"],
                "interleave": None if o["one_copy"] is None else not o["one_copy"],
            }
        request = Request(learner, data, rounds=rounds, progress=heard, sink=sink, **given)
        result = play_rounds(*open_rounds(request))
        runs = result if isinstance(result, Runs) else {None: result}
        for key, run in runs.items():
            run.label = run.label.replace(run.key, spec, 1)
            found.append(Played(run, spec, o["delay"], key))
    return found


def in_memory(o: dict[str, Any]) -> Any:
    """All losses of a file: many runs go over them again and again."""
    import numpy as np

    from ..streams.open import open_stream

    stream = open_stream(
        o["file"], losses=True, experts=list(o["experts"]) or None, format=o["format"]
    )
    Y = np.concatenate([batch.y for batch in stream.batches])
    return replace(stream, batches=[Batch(None, Y)], rounds=len(Y), whole=True, again=None)


def show(runs: list[SeedRuns]) -> None:
    """One row a learner: mean regret, where most runs lie, what was promised."""
    from ..report.bands import summary

    out = console()
    first = runs[0]
    name = first.source if first.source.startswith("built-in") else Path(first.source).name
    size = f"{count(first.seeds, 'runs')} of {count(first.rounds, 'rounds')}, {count(len(first.names), 'arms')}"
    out.print(f"[bold]{escape(name)}[/bold]: {size}")
    out.print()
    rows = [summary(run) for run in runs]
    made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    made.add_column("learner")
    for title in ("loss a round", "regret", "5% of runs", "95% of runs", "bound"):
        made.add_column(title, justify="right", no_wrap=True)
    made.add_column("certificate", no_wrap=True)
    columns = [
        aligned([row["mean_loss"] for row in rows], apart=True),
        aligned([row["regret"] for row in rows]),
        aligned([row["regret_quantiles"][0] for row in rows]),
        aligned([row["regret_quantiles"][1] for row in rows]),
        aligned([row["bound"] for row in rows]),
    ]
    for k, (run, row) in enumerate(zip(runs, rows, strict=True)):
        style = STYLES.get(row["verdict"], "yellow")
        by = f" ({row['theorem']})" if row["theorem"] else ""
        made.add_row(
            escape(run.label), *[c[k] for c in columns], f"[{style}]{row['verdict']}[/]{escape(by)}"
        )
    out.print(made)
    out.print()
    if runs[0].world is not None and rows[0]["lower_bound"] == rows[0]["lower_bound"]:
        out.print(
            f"Lai and Robbins: in the long run no learner that adapts pays less than {rows[0]['lower_bound']:.4g}",
            style="dim",
        )
    lines = [
        "regret: the mean over the runs of what the learner lost beyond the best arm: the best in hindsight or, "
        "where the theorem is about means, the best in means",
        "kept: even the upper 99.9% limit of the mean is within the bound; of theorems that hold with probability "
        "1 - delta: no more runs exceed it than chance allows",
    ]
    lines += list(
        dict.fromkeys(
            in_options(f"{run.label}: {v}")
            for run in runs
            for v in run.certificate
            if v.verdict in ("broken", "unknown", "vacuous")
        )
    )
    for line in lines:
        wrapped(out, line)


def machine(runs: list[SeedRuns]) -> str:
    """One object a learner."""
    from ..report.bands import summary
    from ..report.payload import line
    from .json_output import dumped

    return dumped(
        [
            {
                "learner": run.key,
                "label": run.label,
                **summary(run),
                "certificate": str(run.certificate),
                "theorems": [line(run, v) for v in run.certificate],
                "source": run.source,
            }
            for run in runs
        ]
    )


def finish(runs: list[SeedRuns], o: dict[str, Any], page: str | None, status: Status) -> None:
    """The page, and then the table or the JSON list."""
    if page is not None:
        from ..report.bands import report

        status.now("writing the report")
        report(runs, page)
    status.stop()
    if o["as_json"]:
        click.echo(machine(runs))
    else:
        show(runs)
    if page is not None:
        click.echo(f"report: {page}", err=o["as_json"])
