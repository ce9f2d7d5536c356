"""`intervals`: intervals around the forecasts of a file, batch by batch."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import Any

from ..conformal.sets.chain import LONG, SHORT, Chain
from ..conformal.sets.choose_learners import follows_centres, makes_sets, mixer, no_sets
from ..conformal.sets.seasons import COUNTED, of_times, parse_seasons
from ..conformal.sets.stage import takes_turns
from ..core.errors import BadInput
from ..core.registry import learner as by_key
from ..core.stream import Batch
from ..encode.stream import Stream
from ..play.rounds import open_rounds
from ..play.written_learner import split_settings
from ..streams.files import OpenFile
from ..streams.tables.batches import without_first
from . import check, play, write
from .checkpoint import Checkpoints
from .command_options import CommandOptions
from .console import say_where
from .interval_columns import columns
from .interval_player import Player
from .interval_table import show
from .learner_spec import make, split_spec
from .status import Status

LEVEL = 0.9
ALONE = ("cover",)
SEVERAL = ("cover", "aci", "quantile-tracker", "decaying-tracker", "kt-betting")
BROUGHT = {
    "learners": "--learner",
    "settings": "-p",
    "season": "--season",
    "experts": "--experts",
}


def play_intervals(options: CommandOptions) -> None:
    """Play every learner at every level, with late outcomes and with prompt ones."""
    from .interval_files import load_chains

    chains = load_chains(options)
    levels = levels_of(options, chains)
    default = SEVERAL if options.compare else ALONE
    learners = [learner_of(spec, options) for spec in options.learners or default]
    check.check(options)
    page = write.page_for(options)
    write.check_outputs(
        {"FILE": options.file, "--load": options.load},
        {"--report": page, "--save": options.save, "--predictions": options.predictions},
    )
    if options.save is not None and options.rounds_late:
        refuse_turns(options, learners)
    with contextlib.ExitStack() as opened:
        file = opened.enter_context(play.parse_once(options.file, options))
        assert file is not None
        predictions = checkpoints = None
        if options.predictions is not None:
            table = write.Predictions(options.predictions, options.by_column)
            predictions = opened.enter_context(table)
        if options.save is not None:
            checkpoints = opened.enter_context(Checkpoints(replace(options, delay=0)))
        status = opened.enter_context(Status())
        opened.enter_context(play.errors_name(file, options.name))
        status.now(f"reading {options.name}")
        stream = opened_stream(options, file, chains)
        players = players_for(options, stream, levels, learners, chains)
        alone = predictions if len(learners) == 1 else None
        feed_players(players, stream, options, status, alone, checkpoints)
        made = [one for p in players for one in p.runs(str(options.name))]
        made.sort(key=lambda one: ("late" not in one.name and bool(options.rounds_late), one.run.name, one.run.level,
                                   one.run.winkler))  # fmt: skip
        if page is not None:
            from ..report.interval_page import report_intervals

            status.now("writing the report")
            report_intervals([one.run for one in made], page)
    show(made, options, stream)
    written = {"report": page, "predictions": options.predictions, "intervals": options.save}
    say_where(written, options.as_json)


def refuse_turns(options: CommandOptions, learners: list[tuple[str, Any]]) -> None:
    """Refuse to save learners that take turns where outcomes are late: the file has room for one."""
    if any(takes_turns(one) for _, one in learners):
        raise BadInput(
            f"--save keeps one learner, and --delay {options.rounds_late} makes {options.rounds_late + 1} of them take "
            "turns: leave --save out, or take another learner"
        )


def feed_players(
    players: list[Player],
    stream: Stream,
    options: CommandOptions,
    status: Status,
    predictions: write.Predictions | None,
    checkpoints: Checkpoints | None,
) -> None:
    """Play all rounds, batch by batch; write what the first player says, and save it."""
    main, rounds = players[0], count_rounds(stream)
    names, seen = ", ".join(p.spec for p in players), 0
    with batches_of(stream) as batches:
        for batch in batches:
            times = stream.times[-len(batch.y) :] if stream.times is not None else None
            status.now(f"{names}, {seen:,} rounds")
            for player in players:
                said = player.feed(batch, times, rounds)
                if predictions is not None and player is main:
                    predictions.put(columns(said, batch, options))
            seen += len(batch.y)
            if checkpoints is not None:
                checkpoints.stream = stream
                checkpoints.between(
                    lambda: main.save(str(options.save)), batch.first + len(batch.y)
                )
    if not seen:
        raise BadInput("there are no rows")
    if checkpoints is not None:
        checkpoints.playing = False
        main.save(str(options.save))


@contextlib.contextmanager
def batches_of(stream: Stream) -> Iterator[Iterator[Batch]]:
    """Give the batches of a stream, and close the file behind them, also where a run is stopped on the way."""
    batches = iter(stream.batches)
    try:
        yield batches
    finally:
        if isinstance(batches, Generator):
            batches.close()


def levels_of(options: CommandOptions, chains: Any) -> list[float]:
    """The levels that were asked for, or those that --load brings; what does not go with them is refused."""
    if options.file is None:
        raise BadInput("intervals need a FILE with forecasts and an --outcome")
    if options.outcome is None:
        raise BadInput("intervals need --outcome, the column of the truth")
    levels = sorted(set(read_levels(options)))
    if chains is None:
        return levels or [LEVEL]
    first = next(iter(chains.values()))
    refuse_brought(options, levels, first)
    return list(first.stages)


def read_levels(options: CommandOptions) -> list[float]:
    """The numbers of --level."""
    try:
        found = [float(part) for text in options.levels for part in text.split(",") if part.strip()]
    except ValueError:
        found = []
    if options.levels and not (found and all(0.0 < level < 1.0 for level in found)):
        words = " ".join(options.levels)
        raise BadInput(f"--level {words}: write levels between 0 and 1, as in --level 0.5,0.9")
    return found


def refuse_brought(options: CommandOptions, levels: list[float], chain: Chain) -> None:
    """Refuse options that say otherwise than the intervals of --load."""
    for name, flag in BROUGHT.items():
        if name in options.written:
            raise BadInput(f"--load and {flag}: {options.load} brings what it began with")
    if levels and levels != list(chain.stages):
        brought = ",".join(f"{q:g}" for q in chain.stages)
        words = " ".join(options.levels)
        raise BadInput(f"--load and --level {words}: {options.load} has intervals at {brought}")
    if "delay" in options.written and options.rounds_late != chain.delay:
        raise BadInput(
            f"--load and --delay {options.rounds_late}: {options.load} was made with outcomes {chain.delay} rounds late"
        )


def learner_of(spec: str, options: CommandOptions) -> tuple[str, Any]:
    key, own = split_spec(spec)
    made = make(key, [*options.settings, *split_settings(own)], None)
    if not makes_sets(made):
        raise no_sets(key)
    return spec, made


def opened_stream(options: CommandOptions, file: OpenFile, chains: Any) -> Stream:
    """The rounds of FILE, without those of --skip; a long file is read batch by batch."""
    file.dates = not options.season and chains is None  # of a long file: those of the first rows
    request = play.request_for(by_key("tracker"), replace(options, task="forecasting"), file)
    if chains is not None:
        request = request.read_with(experts=list(next(iter(chains.values())).names))
    stream = open_rounds(request)[1]
    if stream.times is not None and stream.rounds is not None:
        stream.times = stream.times[options.skip :] if len(stream.times) == stream.rounds else None
    return without_first(stream, options.skip)


def count_rounds(stream: Stream) -> dict[Any, int]:
    """How many rounds each key has, where all are in memory."""
    if not stream.whole:
        return {}
    (batch,) = stream.batches
    if batch.key is None:
        return {None: len(batch.y)}
    found: dict[Any, int] = {}
    for key in batch.key.tolist():
        found[key] = found.get(key, 0) + 1
    return found


def players_for(
    options: CommandOptions, stream: Stream, levels: list[float], learners: list[Any], chains: Any
) -> list[Player]:
    """Each learner, with late outcomes and with prompt ones; or what --load brings, as it was."""
    times = stream.times if stream.times is not None else stream.first_times
    found, clock = ((), COUNTED) if times is None else of_times(times)
    clock = clock if stream.times is not None else COUNTED
    if options.season:
        found, found_in_times = parse_seasons(list(options.season)), found
        clock = clock if found and found == found_in_times else COUNTED
    names, many = tuple(stream.names), len(stream.names)
    mixing = mixer("tracker") if many > 1 else None

    def player(spec: str, learner: Any, delay: int, chains: Any = None) -> Player:
        own = fit_to_rounds(learner, options, spec, delay, found, many)
        each = [own.replace(level=q) for q in levels]

        def make_chain(rounds: int | None, of_key: bool) -> Chain:
            past = SHORT if of_key else LONG
            centres = mixing is not None and follows_centres(each[0], delay)
            return Chain(
                each, names, delay, mixing, clock=clock, rounds=rounds, past=past, centres=centres
            )

        return Player(spec, delay, make_chain, chains)

    if chains is not None:
        first = next(iter(chains.values()))
        learner = next(iter(first.stages.values())).learner
        return [player(learner.key, learner, first.delay, chains)]
    delays = [options.rounds_late, 0] if options.rounds_late else [0]
    return [player(spec, learner, delay) for delay in delays for spec, learner in learners]


def fit_to_rounds(
    learner: Any, options: CommandOptions, spec: str, delay: int, season: Any, forecasters: int
) -> Any:
    """The learner with what is known of the rounds, unless the user set it."""
    if learner.live is not None:
        return learner.replace()
    written = " ".join([*options.settings, *split_settings(split_spec(spec)[1])])
    known = {"late": delay, "season": season, "spread": int(forecasters > 1)}
    more = {k: v for k, v in known.items() if k in learner.parameters and f"{k}=" not in written}
    if options.season and season and "season" not in learner.parameters:
        raise BadInput(f"--season: {spec} knows nothing of seasons; cover does")
    return learner.replace(**more) if more else learner
