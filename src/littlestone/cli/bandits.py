"""`bandit` and `replay`: environments, losses of all arms in a file, one run or many seeds; logs of decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from ..core.errors import BadInput
from ..core.registry import of_key
from ..core.stream import Batch
from ..encode.stream import Stream
from ..environments.arms import Arms
from ..play.request import Request
from ..play.rounds import open_rounds, play_rounds
from ..report.comparison_table import Played
from ..run.run import Runs
from ..run.seeds import SeedRuns
from ..streams.files import OpenFile
from ..streams.open import open_stream
from ..streams.options import ReadOptions
from .command_options import CommandOptions
from .console import count
from .learner_spec import learner_of, split_spec
from .status import Status

if TYPE_CHECKING:
    from ..offpolicy.logged import LoggedDecisions

DEFAULTS = ("tsallis-inf", "exp3", "exp3-ix", "ucb1", "kl-ucb", "thompson")
ALONE = "tsallis-inf"
ROUNDS = 10_000


def refuse_others(options: CommandOptions) -> None:
    """Refuse learners that are no bandits."""
    keys = {split_spec(spec)[0] for spec in options.learners}
    others = sorted(k for k in keys if (cls := of_key(k)) is not None and not cls.bandit)
    if others:
        raise BadInput(
            f"--learner: {', '.join(others)} sees every loss, and is no bandit; bandits: {', '.join(DEFAULTS)}"
        )


def refuse_bandits(options: CommandOptions) -> None:
    """Refuse bandits where every loss is seen."""
    keys = {split_spec(spec)[0] for spec in options.learners}
    bandits = sorted(k for k in keys if (cls := of_key(k)) is not None and cls.bandit)
    if bandits:
        raise BadInput(
            f"--learner: {bandits[0]} is a bandit, which sees the loss of its arm alone: littlestone bandit FILE "
            f"--learner {bandits[0]}"
        )


def check(options: CommandOptions) -> None:
    """Refuse options that do not go with each other."""
    refuse_others(options)
    if options.arms is not None and options.file is not None:
        raise BadInput("--arms and FILE: losses are drawn, or read; choose one")
    if options.rounds is not None and options.file is not None:
        raise BadInput("--rounds is for drawn losses; FILE has as many rounds as it has rows")
    if options.seeds > 1 and options.save is not None:
        raise BadInput("-f: --seeds makes many runs; leave one of them out")


def check_log(options: CommandOptions) -> None:
    """Refuse a log of which too little is said, and what is either replayed or estimated."""
    refuse_others(options)
    named = {"arm": options.arm, "reward": options.reward, "propensity": options.propensity}
    for name, column in named.items():
        if column is None:
            raise BadInput(f"a log has arms, rewards and propensities; add --{name} COLUMN")
    if options.policy is not None:
        for name in ("method", "learners"):
            if name in options.written:
                flag = "--learner" if name == "learners" else f"--{name}"
                raise BadInput(f"{flag} does not go with --policy: one is replayed, one estimated")


def read_log(options: CommandOptions, status: Status) -> LoggedDecisions:
    """The log of decisions in FILE."""
    from ..offpolicy.logged import LoggedDecisions

    status.now(f"reading {options.file}")
    return LoggedDecisions.read(
        options.file, arm=str(options.arm), reward=options.reward, propensity=number(str(options.propensity)),
        context=list(options.features or ()),
    )  # fmt: skip


def estimate_policy(options: CommandOptions, status: Status) -> None:
    """Print estimates of what the policy of --policy would have brought."""
    from ..offpolicy.off_policy import off_policy_value
    from .json_output import dump_json

    log = read_log(options, status)
    try:
        found = off_policy_value(log, parse_policy(str(options.policy), log.names))
    except BadInput as problem:
        raise BadInput(str(problem).replace("target", "--policy", 1)) from None
    status.stop()
    if not options.as_json:
        click.echo(str(found))
        return
    rows = [
        {
            "method": r.method,
            "value": r.value,
            "normal": [r.normal.low, r.normal.high],
            "bernstein": [r.bernstein.low, r.bernstein.high],
            "ledger": r.id,
        }
        for r in found.rows
    ]
    click.echo(dump_json(rows))


def parse_policy(text: str, names: Sequence[Any]) -> Any:
    """A policy as it is written: an arm by its name or number, or several with their probabilities."""
    if text in names:
        return text
    if "=" not in text:
        return int(text) if text.isdecimal() and str not in map(type, names) else text
    mix: dict[Any, float] = {}
    for part in text.split(","):
        arm, _, p = part.rpartition("=")
        try:
            mix[arm] = float(p)
        except ValueError:
            raise BadInput(
                f"--policy {text}: write arms with probabilities, as in a=0.5,b=0.5"
            ) from None
    if str in map(type, names):
        return mix
    places = [mix.pop(str(name), 0.0) for name in names]
    if mix:
        raise BadInput(
            f"--policy: {next(iter(mix))!r} is none of the arms 0, ..., {len(names) - 1}"
        )
    return places


def replay_log(options: CommandOptions, status: Status) -> None:
    """Print a table of learners on a log: the estimated reward of each, had it chosen the arms."""
    from ..offpolicy.replay import replay
    from .json_output import dump_json

    log = read_log(options, status)
    status.now(f"replaying {count(len(log), 'rows')}")
    policies = {spec: learner_of(spec, options) for spec in options.learners}
    for spec, learner in policies.items():
        if learner.contexts and log.contexts is None:
            raise BadInput(f"{spec} looks at features: name their columns with --features")
    found = replay(log, policies, method=options.method, seed=options.seed)
    status.stop()
    if not options.as_json:
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
    click.echo(dump_json(rows))


def number(text: str) -> Any:
    """A column, or one number for all rows."""
    try:
        return float(text)
    except ValueError:
        return text


def environment(options: CommandOptions) -> Arms:
    """The arms of --arms; by default ten, of which one is better."""
    if options.arms is None:
        return Arms([0.4] + [0.5] * 9)
    try:
        means = [float(part) for part in options.arms.split(",")]
    except ValueError:
        means = []
    if not means or not all(0.0 <= m <= 1.0 for m in means):
        raise BadInput(f"--arms {options.arms}: write the mean loss of each arm, as in 0.5,0.4,0.6")
    return Arms(means)


def play_bandits(options: CommandOptions, file: OpenFile | None, status: Status) -> list[Played]:
    """Every learner once, in the same environment or over the same losses."""
    found = []
    for spec in options.learners:
        request = request_for(spec, options, environment(options) if file is None else file, status)
        status.play(spec, request.play.rounds, options.file)
        result = play_rounds(*open_rounds(request))
        runs: Mapping[Any, Any] = result if isinstance(result, Runs) else {None: result}
        for key, run in runs.items():
            run.label = run.label.replace(run.key, spec, 1)
            found.append(Played(run, spec, options.rounds_late, key))
    return found


def play_seeds(options: CommandOptions, file: OpenFile | None, status: Status) -> list[SeedRuns]:
    """Every learner many times, in the same environment or over the same losses."""
    data = environment(options) if file is None else in_memory(options, file)
    found = []
    for spec in options.learners:
        request = request_for(spec, options, data, status).play_with(seeds=options.seeds)
        status.play(
            spec, request.play.rounds and request.play.rounds * request.play.seeds, options.file
        )
        result: Any = play_rounds(*open_rounds(request))
        result.label = spec
        found.append(result)
    return found


def request_for(spec: str, options: CommandOptions, data: Any, status: Status) -> Request:
    """What the options ask of a bandit."""
    play = replace(
        options.playing, rounds=(options.rounds or ROUNDS) if options.file is None else None, seeds=1,
        progress=lambda rounds, loss: status.count_rounds(rounds),
    )  # fmt: skip
    return Request(learner_of(spec, options), data, read=options.reading, play=play)


def in_memory(options: CommandOptions, file: OpenFile) -> Stream:
    """All losses of a file: many runs go over them again and again."""
    stream = open_stream(file, None, ReadOptions(losses=True, experts=options.experts))
    Y = np.concatenate([batch.y for batch in stream.batches])
    return replace(stream, batches=[Batch(None, Y)], rounds=len(Y), whole=True, again=None)
