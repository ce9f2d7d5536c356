"""`run` and `compare` for bandits: environments, losses of all arms in a file, one run or many seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from ..core.errors import BadInput
from ..core.registry import of_key
from ..core.stream import Batch
from ..door.play import open_rounds, play_rounds
from ..door.request import Request
from ..encode.stream import Stream
from ..environments.arms import Arms
from ..report.comparison_table import Played
from ..run.run import Runs
from ..run.seeds import SeedRuns
from ..streams.files import OpenFile
from ..streams.open import open_stream
from .console import count
from .learner_spec import learner_of, split_spec
from .parsed_options import Options
from .status import Status

if TYPE_CHECKING:
    from ..offpolicy.logged import LoggedDecisions

DEFAULTS = ("tsallis-inf", "exp3", "exp3-ix", "ucb1", "kl-ucb", "thompson")
ALONE = "tsallis-inf"
ROUNDS = 10_000
FLAGS = {"arms": "--arms", "rounds": "--rounds", "seeds": "--seeds", "rewards": "--rewards"}
LOGGED = {
    name: f"--{name}" for name in ("arm", "reward", "propensity", "policy", "replay")
}  # of a log of decisions


def asks_for_bandits(options: Options) -> bool:
    """Is it a game of bandits: by --game, by --arms, or by the learner?"""
    keys = {split_spec(spec)[0] for spec in options.learners}
    classes = [of_key(k) for k in keys]
    bandit = [cls is not None and cls.bandit for cls in classes]
    if any(bandit) and not all(bandit):
        raise BadInput(
            "--learner: some are bandits and some see every loss; compare learners of one kind"
        )
    if bandit and not any(bandit) and (options.game == "bandit" or options.arms):
        raise BadInput(
            f"--game bandit: {', '.join(sorted(keys))} sees every loss; bandits: {', '.join(DEFAULTS)}"
        )
    words = options.game == "bandit" or options.arms is not None or options.arm is not None
    return words or any(bandit)


def refuse(options: Options) -> None:
    """Refuse options of bandits where no bandit is played."""
    for name, flag in (FLAGS | LOGGED).items():
        if name in options.written:
            raise BadInput(f"{flag} is for bandits: add --game bandit")


def check(options: Options) -> None:
    """Refuse options that do not go with bandits, or with each other."""
    if options.arm is not None:
        check_log(options)
        return
    for name, flag in LOGGED.items():
        if name in options.written:
            raise BadInput(f"{flag} is for a log of decisions: add --arm COLUMN")
    for name in (
        "outcome",
        "features",
        "weights",
        "interact",
        "classes",
        "labels",
        "loss",
        "passes",
        "asleep",
        "threshold",
        "cost",
        "horizon",
    ):
        if name in options.written:
            raise BadInput(
                f"--{name} does not go with --game bandit: columns are the losses of the arms"
            )
    if options.arms is not None and options.file is not None:
        raise BadInput("--arms and FILE: losses are drawn, or read; choose one")
    if options.rounds is not None and options.file is not None:
        raise BadInput("--rounds is for drawn losses; FILE has as many rounds as it has rows")
    if options.rounds is not None and options.rounds < 1:
        raise BadInput(f"--rounds {options.rounds}: play at least 1")
    if options.seeds is not None and options.seeds < 1:
        raise BadInput("--seeds must be at least 1")
    if options.seeds is not None and options.seeds > 1 and options.delay:
        raise BadInput("--seeds and --delay do not go together: play each seed with its delay")


def check_log(options: Options) -> None:
    """Refuse options that do not go with a log of decisions."""
    if options.file is None:
        raise BadInput("--arm needs a FILE: a log of decisions")
    for name, column in (("reward", options.reward), ("propensity", options.propensity)):
        if column is None:
            raise BadInput(f"--arm: a log has outcomes and propensities; add --{name} COLUMN")
    for name, flag in FLAGS.items():
        if name in options.written:
            raise BadInput(f"{flag} does not go with --arm: a log has rows of its own")
    if options.policy is not None:
        for name in ("replay", "learners"):
            if name in options.written:
                flag = "--learner" if name == "learners" else f"--{name}"
                raise BadInput(f"{flag} does not go with --policy: one is replayed, one estimated")


def read_log(options: Options, status: Status) -> LoggedDecisions:
    """The log of decisions in FILE."""
    from ..offpolicy.logged import LoggedDecisions

    status.now(f"reading {options.file}")
    return LoggedDecisions.read(
        options.file, arm=str(options.arm), reward=options.reward, propensity=number(str(options.propensity)),
        context=list(options.features),
    )  # fmt: skip


def estimate_policy(options: Options, status: Status) -> None:
    """Print estimates of what the policy of --policy would have brought."""
    from ..offpolicy.off_policy import off_policy_value
    from .json_output import dumped

    log = read_log(options, status)
    try:
        found = off_policy_value(log, mixed(str(options.policy), log.names))
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
    click.echo(dumped(rows))


def mixed(text: str, names: Sequence[Any]) -> Any:
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


def replay_log(options: Options, status: Status) -> None:
    """Print a table of learners on a log: the estimated reward of each, had it chosen the arms."""
    from ..offpolicy.replay import replay
    from .json_output import dumped

    log = read_log(options, status)
    status.now(f"replaying {count(len(log), 'rows')}")
    policies = {spec: learner_of(spec, options) for spec in options.learners}
    for spec, learner in policies.items():
        if learner.contexts and log.contexts is None:
            raise BadInput(f"{spec} looks at features: name their columns with --features")
    found = replay(log, policies, method=options.replay, seed=options.seed)
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
    click.echo(dumped(rows))


def number(text: str) -> Any:
    """A column, or one number for all rows."""
    try:
        return float(text)
    except ValueError:
        return text


def environment(options: Options) -> Arms:
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


def play_bandits(options: Options, file: OpenFile | None, status: Status) -> list[Played]:
    """Every learner once, in the same environment or over the same losses."""
    found = []
    for spec in options.learners:
        request = request_for(spec, options, environment(options) if file is None else file, status)
        status.play(spec, request.rounds, options.file)
        result = play_rounds(*open_rounds(request))
        runs: Mapping[Any, Any] = result if isinstance(result, Runs) else {None: result}
        for key, run in runs.items():
            run.label = run.label.replace(run.key, spec, 1)
            found.append(Played(run, spec, options.delay, key))
    return found


def play_seeds(options: Options, file: OpenFile | None, status: Status) -> list[SeedRuns]:
    """Every learner many times, in the same environment or over the same losses."""
    data = environment(options) if file is None else in_memory(options, file)
    found = []
    for spec in options.learners:
        request = replace(request_for(spec, options, data, status), seeds=options.seeds or 1)
        status.play(spec, request.rounds and request.rounds * request.seeds, options.file)
        result: Any = play_rounds(*open_rounds(request))
        result.label = spec
        found.append(result)
    return found


def request_for(spec: str, options: Options, data: Any, status: Status) -> Request:
    """What the options ask of a bandit."""
    return Request(
        learner_of(spec, options),
        data,
        rounds=(options.rounds or ROUNDS) if options.file is None else None,
        rewards=options.rewards,
        experts=list(options.experts) or None,
        by=options.by,
        format=options.format,
        encoding=options.encoding,
        decimal=options.decimal,
        on_bad_line=options.on_bad_line,
        seed=options.seed,
        interval=options.interval,
        delay=options.delay,
        interleave=options.interleave,
        progress=lambda rounds, loss: status.count_rounds(rounds),
    )


def in_memory(options: Options, file: OpenFile) -> Stream:
    """All losses of a file: many runs go over them again and again."""
    stream = open_stream(file, losses=True, experts=list(options.experts) or None)
    Y = np.concatenate([batch.y for batch in stream.batches])
    return replace(stream, batches=[Batch(None, Y)], rounds=len(Y), whole=True, again=None)
