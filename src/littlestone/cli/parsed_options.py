"""The options of a command line as one typed, immutable object."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, fields, replace
from typing import Any

import click

from ..core.errors import BadInput
from ..streams.tables.wide_horizons import KEY, columns_to_read, is_template


@dataclass(frozen=True)
class Options:
    """What a user wrote after `run`, `compare` or `report`; an option that was left out has its default."""

    written: frozenset[str] = frozenset()  # the names of the options that the user wrote

    # data
    file: str | None = None
    outcome: str | None = None
    experts: tuple[str, ...] = ()
    task: str | None = None
    losses: bool = False
    by: str | None = None
    interval: tuple[float, float] | None = None
    format: str | None = None
    on_bad_line: str = "error"
    encoding: str | None = None
    decimal: str | None = None

    # examples
    features: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    weights: str | None = None
    bits: int | None = None
    interact: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    ngram: int = 1
    classes: bool | None = None
    labels: str | None = None
    passes: int = 1
    threshold: str | None = None
    cost: tuple[str, ...] = ()  # DECIDED,TRUE=NUMBER
    test: str | None = None

    # learners
    learners: tuple[str, ...] = ()
    loss: str | None = None
    settings: tuple[str, ...] = ()  # NAME=VALUE
    graph: str | None = None
    loops: str = "refuse"  # edges of the graph from a vertex to itself
    l1: float | None = None
    l2: float | None = None
    seed: int = 0
    load: str | None = None
    by_key: Any = None  # the learners of --load, where there is one for each key

    # feedback
    delay: int = 0
    horizon: str | None = (
        None  # a column of keys, each so many rounds late; or columns of forecasts, as in '*_h{}'
    )
    one_copy: bool | None = None
    asleep: str = "error"

    # intervals
    intervals: tuple[str, ...] = ()  # levels
    season: tuple[int, ...] = ()

    # bandits
    game: str | None = None
    arms: str | None = None
    rounds: int | None = None
    seeds: int | None = None
    rewards: bool = False
    arm: str | None = None
    reward: str | None = None
    propensity: str | None = None
    policy: str | None = None
    replay: str = "reject"

    # many files, many processes
    workers: int | None = None
    scheduler: str | None = None

    # results
    page: str | None = None
    as_json: bool = False
    predictions: str | None = None
    save: str | None = None
    save_every: str | None = None
    skip: int = 0
    certify: bool = True
    probabilities: bool = False
    id: str | None = None
    readable: str | None = None

    def learners_without(self, played: Container[Any]) -> dict[Any, Any]:
        """The learners of --load whose keys were not played: a file that is saved keeps them."""
        return {key: one for key, one in (self.by_key or {}).items() if key not in played}

    @property
    def name(self) -> str | None:
        """FILE as messages call it."""
        return "standard input" if self.file == "-" else self.file

    @property
    def aside(self) -> bool:
        """Whether standard output is for predictions, and everything else goes to standard error."""
        return self.predictions == "-"

    @property
    def interleave(self) -> bool | None:
        return None if self.one_copy is None else not self.one_copy


NAMES = {field.name for field in fields(Options)}


def parse(ctx: click.Context) -> Options:
    """The options of a command, as click has read them."""
    default = click.core.ParameterSource.DEFAULT
    written = {name for name in ctx.params if ctx.get_parameter_source(name) is not default}
    words: dict[str, Any] = {name: v for name, v in ctx.params.items() if name in NAMES}
    words["interval"] = words.get("interval") or None
    if ctx.params.get("key") is not None:
        words["learners"] = (ctx.params["key"],)
    options = Options(written=frozenset(written), **words)
    options = with_columns(with_penalties(with_task(with_horizon(options))))
    data = ctx.params.get("data")
    if data is not None:
        if options.file is not None:
            raise BadInput(f"FILE {options.file} and -d {data}: name the file once")
        options = replace(options, file=data)
    return options


def with_horizon(options: Options) -> Options:
    """The options, with the column of --horizon as that of the keys; or with the columns of forecasts that it names."""
    if options.horizon is None:
        return options
    for name, flag in (("by", "--by"), ("delay", "--delay")):
        if name in options.written:
            more = "a horizon is its own key" if name == "by" else "a horizon is its own delay"
            raise BadInput(f"--horizon and {flag}: {more}; leave one of them out")
    if not is_template(options.horizon):
        return replace(options, by=options.horizon)
    experts = options.experts or (columns_to_read(options.horizon),)
    return replace(options, by=KEY, experts=experts, written=options.written | {"experts"})


def with_task(options: Options) -> Options:
    """The options, with --task replaced by the flag that it stands for: --classes, --numbers or --losses."""
    if options.task is None:
        return options
    for name, flag in (("classes", "--classes and --numbers"), ("losses", "--losses")):
        if name in options.written:
            raise BadInput(f"--task {options.task} and {flag}: say it once")
    classes = {"classification": True, "regression": False}.get(options.task)
    return replace(options, classes=classes, losses=options.task == "losses")


def with_columns(options: Options) -> Options:
    """The options, with --keep and --ignore written as --features; with --intervals, as --experts."""
    if not options.ignore and not options.keep:
        return options
    for name, flag in (("features", "--features"), ("experts", "--experts")):
        if name in options.written:
            raise BadInput(f"{flag} and --keep or --ignore: say it once")
    chosen = (*options.keep, *(f"!{name}" for name in options.ignore))
    if options.intervals:
        return replace(options, experts=chosen, written=options.written | {"experts"})
    return replace(options, features=chosen, written=options.written | {"features"})


def with_penalties(options: Options) -> Options:
    """--l1 and --l2 are parameters of ftrl-proximal, which is played unless another learner is named."""
    said = {name: v for name in ("l1", "l2") if (v := getattr(options, name)) is not None}
    if not said:
        return options
    settings = (*options.settings, *(f"{name}={v!r}" for name, v in said.items()))
    learners = options.learners or ("ftrl-proximal",)
    written = options.written | {"settings"}
    return replace(options, settings=settings, learners=learners, written=written)


def with_predictions(options: Options) -> Options:
    """-p FILE is --predictions FILE, as in vw: a word with a dot or a slash that is no NAME=VALUE."""
    files = [
        word
        for word in options.settings
        if word == "-" or ("=" not in word and re.search(r"[./\\]", word))
    ]
    if len(files) + (options.predictions is not None) > 1:
        raise BadInput("-p FILE and --predictions FILE: name one file")
    settings = tuple(word for word in options.settings if word not in files)
    written = options.written if settings else options.written - {"settings"}
    path = files[0] if files else options.predictions
    return replace(options, settings=settings, written=written, predictions=path)
