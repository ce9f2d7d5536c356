"""What a user wrote at the command line, as one typed, immutable object: the options of `ls.play`, and those that only
the command line has."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import click

from ..core.errors import BadInput
from ..core.options import (
    BANDITS,
    DATA,
    DECISIONS,
    EXAMPLES,
    FEEDBACK,
    PROGRAMS,
    RESULTS,
    Flag,
    declarations,
    declare,
)
from ..play.options import PlayOptions
from ..streams.options import ReadOptions

LEARNER, INTERVALS, LOG = "Learner", "Intervals", "A log of decisions"
OUTPUT, SCALE = "Files that are written", "Many files, many processes"


@dataclass(frozen=True, kw_only=True, eq=False)
class CommandOptions(ReadOptions, PlayOptions):
    """The options of a command; one that was left out has its default."""

    written: frozenset[str] = declare(
        frozenset(), "the names of the options that the user wrote", PROGRAMS, public=False
    )
    file: str | None = declare(None, "what is read", PROGRAMS, public=False)
    data: str | None = declare(
        None, "the same as FILE", DATA, public=False, flag=Flag(("-d", "--data"), "FILE")
    )
    skip: int = declare(
        0, "leave out the first ROWS rows of FILE: they were learned before the run was stopped", DATA, "whole",
        least=0, public=False, flag=Flag(metavar="ROWS"),
    )  # fmt: skip

    # examples
    ignore: tuple[str, ...] = declare(
        (), "a column that is no feature, or a pattern; of vw text, the first letter of namespaces", EXAMPLES,
        public=False, flag=Flag(metavar="COLUMN", several=True),
    )  # fmt: skip
    keep: tuple[str, ...] = declare(
        (), "a column that is a feature, or a pattern: no others are; of vw text as for --ignore", EXAMPLES,
        public=False, flag=Flag(metavar="COLUMN", several=True),
    )  # fmt: skip
    classes: bool | None = declare(
        None, "the outcome is a class, or a number", EXAMPLES, "flag", kinds=("examples",), public=False,
        otherwise="what it looks like", flag=Flag(("--classes/--numbers",)),
    )  # fmt: skip
    test: str | None = declare(
        None, "predict these examples with what was learned, and say how well. With --load and without FILE that is "
        "all, and --predictions gets these predictions", EXAMPLES, public=False, flag=Flag(metavar="FILE"),
    )  # fmt: skip
    cost: tuple[str, ...] = declare(
        (), "what it costs to decide for one class where another is true, as no,yes=5. Other mistakes cost 1. "
        "Decisions are those of least expected cost", DECISIONS, kinds=("examples",), public=False,
        flag=Flag(metavar="DECIDED,TRUE=5", several=True),
    )  # fmt: skip

    # learners
    learners: tuple[str, ...] = declare(
        (), "which learner: NAME, or NAME:alpha=0.1 to set a parameter; `littlestone list` has all", LEARNER,
        public=False, flag=Flag(("--learner",), "LEARNER", several=True),
    )  # fmt: skip
    compare: bool = declare(
        False, "play several good learners, one row each, the best first", LEARNER, "flag", public=False, flag=Flag()
    )  # fmt: skip
    loss: str | None = declare(
        None, "the loss: square, absolute, pinball:0.9 (the 90% quantile), entropic (probabilities), zero-one; over "
        "examples also hinge, logistic, squared-hinge", LEARNER, public=False, otherwise="the learner's own",
        flag=Flag(metavar="LOSS"),
    )  # fmt: skip
    settings: tuple[str, ...] = declare(
        (), "a parameter of the learner; `littlestone show LEARNER` lists them", LEARNER, public=False,
        otherwise="as its theorem says", flag=Flag(("-p", "--set"), "NAME=VALUE", several=True),
    )  # fmt: skip
    graph: str | None = declare(
        None, "FILE's rows are vertices of this network: a list of edges (id_1,id_2[,weight]), .mtx, .npz, .graphml "
        "or .gml. Ids are names of any kind. The learner is spanning-trees unless another is named", LEARNER,
        public=False, flag=Flag(metavar="FILE"),
    )  # fmt: skip
    loops: str = declare(
        "refuse", "edges of --graph from a vertex to itself: refuse them, or leave them out", LEARNER, "choice",
        choices=("refuse", "drop"), public=False, flag=Flag(),
    )  # fmt: skip
    l1: float | None = declare(
        None, "a penalty on the sizes of weights, which makes most of them 0. The learner is ftrl-proximal", LEARNER,
        public=False, flag=Flag(metavar="NUMBER", number="real"),
    )  # fmt: skip
    l2: float | None = declare(
        None, "a penalty on the squares of weights. The learner is ftrl-proximal", LEARNER, public=False,
        flag=Flag(metavar="NUMBER", number="real"),
    )  # fmt: skip
    load: str | None = declare(
        None, "go on with what was saved", LEARNER, public=False, flag=Flag(("-i", "--load"), "FILE.ls")
    )  # fmt: skip

    # feedback
    horizons: str | None = declare(
        None, "a column of horizons, 1, 2, 3 …: a learner, a row and a certificate for each. The outcome of a row with "
        "3 arrives after 3 more rows of that horizon. Where a row has forecasts of several horizons, their columns: "
        "'*_h{}' is gfs_h1, gfs_h2, …, which gfs says of the outcomes 1 and 2 rows later", FEEDBACK, public=False,
        flag=Flag(("--horizon",), "COLUMN"),
    )  # fmt: skip

    # intervals
    levels: tuple[str, ...] = declare(
        (), "how often an interval is to hold the outcome: 0.9, or several, 0.5,0.9", INTERVALS, public=False,
        otherwise="0.9", flag=Flag(("--level",), "0.9", several=True),
    )  # fmt: skip
    season: tuple[int, ...] = declare(
        (), "errors repeat after so many rows (24 and 168 for hours); 0 for none", INTERVALS, public=False,
        otherwise="from the column of times", flag=Flag(metavar="ROUNDS", several=True, number="whole"),
    )  # fmt: skip

    # bandits
    arms: str | None = declare(
        None, "instead of FILE: arms whose losses are 1 with these probabilities, else 0", BANDITS, public=False,
        otherwise="ten arms, of which one is better", flag=Flag(metavar="0.5,0.4"),
    )  # fmt: skip
    arm: str | None = declare(
        None,
        "the column of the arm that was pulled",
        LOG,
        public=False,
        flag=Flag(metavar="COLUMN"),
    )
    reward: str | None = declare(
        None, "the column of what the arm brought", LOG, public=False, flag=Flag(metavar="COLUMN")
    )
    propensity: str | None = declare(
        None, "how probable the arm was, a column or a number", LOG, public=False, flag=Flag(metavar="COLUMN")
    )  # fmt: skip
    policy: str | None = declare(
        None, "estimate what this arm would bring, always pulled; or a mix, red=0.5,green=0.5", LOG, public=False,
        flag=Flag(metavar="ARM"),
    )  # fmt: skip
    method: str = declare(
        "reject", "which rows count for a learner", LOG, "choice", choices=("match", "reject", "weighted"),
        public=False, flag=Flag(),
    )  # fmt: skip

    # results
    page: str = declare(
        "littlestone-report.html", "where to write the page with the charts; '' for none", RESULTS, public=False,
        flag=Flag(("--report",), "FILE.html"),
    )  # fmt: skip
    as_json: bool = declare(
        False, "print a JSON list instead of the table; a page only if --report is given", RESULTS, "flag",
        public=False, flag=Flag(("--json",)),
    )  # fmt: skip
    predictions: str | None = declare(
        None, "write round (the row of FILE, from 1), prediction and loss to .csv or .parquet, or to - for standard "
        "output (and the table to standard error); each predicted before it was learned; with --by the key too, with "
        "--passes the pass; with --delay those that were made with late feedback", OUTPUT, public=False,
        flag=Flag(metavar="FILE"),
    )  # fmt: skip
    probabilities: bool = declare(
        False, "in the predictions, the probability of each class too, for learners that have probabilities", OUTPUT,
        "flag", public=False, flag=Flag(),
    )  # fmt: skip
    id: str | None = declare(
        None, "in the predictions, this column beside each of them. It is no feature", OUTPUT, public=False,
        flag=Flag(metavar="COLUMN"),
    )  # fmt: skip
    readable: str | None = declare(
        None, "write the weight of each feature, or expert, by its name, the largest first", OUTPUT, public=False,
        flag=Flag(("--readable-model",), "OUT.csv"),
    )  # fmt: skip
    save: str | None = declare(
        None, "write the trained learner, for --load or littlestone.load. A run that is stopped (Ctrl-C, SIGTERM) "
        "saves what it has learned", OUTPUT, public=False, flag=Flag(("-f", "--save"), "FILE.ls"),
    )  # fmt: skip
    save_every: str | None = declare(
        None, "save while it learns: every 60 seconds (5m, 1h), or every so many rounds", OUTPUT, public=False,
        flag=Flag(metavar="60s|100000"),
    )  # fmt: skip

    # many files, many processes
    processes: int | None = declare(
        None, "play the keys of --by in so many processes of this machine. FILE may be a pattern in quotes, "
        "'data/*.parquet'. Predictions and --save are folders then, with a file for each part of the keys, and there "
        "are no certificates. 1, 2 or 100 processes give the same bits. Needs littlestone[scale]", SCALE,
        public=False, flag=Flag(("--workers",), "NUMBER", number="whole"),
    )  # fmt: skip
    scheduler: str | None = declare(
        None, "the same on a dask cluster: tcp://host:8786. Its workers read FILE and write to the folders by the same "
        "names as this machine does", SCALE, public=False, flag=Flag(metavar="ADDRESS"),
    )  # fmt: skip

    def learners_without(self, played: Container[Any]) -> dict[Any, Any]:
        """The learners of --load whose keys were not played: a file that is saved keeps them."""
        return {key: one for key, one in (self.by_key or {}).items() if key not in played}

    @property
    def name(self) -> str | None:
        """FILE as messages call it."""
        return "standard input" if self.file == "-" else self.file

    @property
    def aside(self) -> bool:
        """Whether standard output is for predictions or weights, and everything else goes to standard error."""
        return "-" in (self.predictions, self.readable)

    @property
    def rounds_late(self) -> int:
        """The delay of --delay, one for all rounds."""
        return self.delay if isinstance(self.delay, int) else 0

    @property
    def reading(self) -> ReadOptions:
        """Those of them that say how data are read."""
        return ReadOptions(
            **{name: self.__dict__[name] for name, _, _ in declarations(ReadOptions)}
        )

    @property
    def playing(self) -> PlayOptions:
        """Those of them that say how a learner is played."""
        return PlayOptions(
            **{name: self.__dict__[name] for name, _, _ in declarations(PlayOptions)}
        )


NAMES = {field.name for field in fields(CommandOptions)}


def parse(ctx: click.Context) -> CommandOptions:
    """The options of a command, as click has read them."""
    default = click.core.ParameterSource.DEFAULT
    written = {name for name in ctx.params if ctx.get_parameter_source(name) is not default}
    words: dict[str, Any] = {name: v for name, v in ctx.params.items() if name in NAMES}
    options = CommandOptions(written=frozenset(written), **in_python(words))
    if options.data is not None:
        if options.file is not None:
            raise BadInput(f"FILE {options.file} and -d {options.data}: name the file once")
        options = replace(options, file=options.data)
    if options.horizons is not None:
        options = with_horizon(options)
    if options.task is not None:
        options = with_task(options)
    if options.l1 is not None or options.l2 is not None:
        options = with_penalties(options)
    if options.ignore or options.keep:
        options = with_columns(options, "features" if "features" in ctx.params else "experts")
    return options


def in_python(words: Mapping[str, Any]) -> dict[str, Any]:
    """The words of a command line as the values that `ls.play` takes."""
    found = dict(words)
    for name in ("experts", "features", "text", "interval"):
        found[name] = found.get(name) or None
    if found["text"] is not None:
        found["text"] = tuple(column for column in found["text"] if column)
    if isinstance(found.get("learners"), str):
        found["learners"] = (found["learners"],)
    found["learners"] = found.get("learners") or ()
    found["losses"] = found.get("losses") or None
    if found.get("labels") is not None:
        found["labels"] = [label_of(word) for word in found["labels"].split(",")]
    threshold, cost = found.pop("threshold", None), found.get("cost", ())
    if threshold is not None or cost:
        from .decision_costs import costs_in_words  # which needs NumPy, and `--help` does not

        found["costs"] = costs_in_words(threshold, cost)
    return found


def label_of(word: str) -> object:
    """A class as a file would have it: a number where it is written like one.

    >>> label_of("left"), label_of(" 7 "), label_of("0.5")
    ('left', 7, 0.5)
    """
    word = word.strip()
    try:
        number = float(word)
    except ValueError:
        return word
    return int(number) if number.is_integer() else number


def with_horizon(options: CommandOptions) -> CommandOptions:
    """The options, with the column of --horizon as that of the keys; or with the columns of forecasts that it names."""
    for name, flag in (("by", "--by"), ("delay", "--delay")):
        if name in options.written:
            more = "a horizon is its own key" if name == "by" else "a horizon is its own delay"
            raise BadInput(f"--horizon and {flag}: {more}; leave one of them out")
    from ..streams.tables.wide_horizons import KEY, columns_to_read, is_template

    if not is_template(options.horizons):
        return replace(options, by=options.horizons)
    experts = options.experts or (columns_to_read(options.horizons),)
    return replace(options, by=KEY, experts=experts, written=options.written | {"experts"})


def with_task(options: CommandOptions) -> CommandOptions:
    """The options, with --task replaced by the flag that it stands for: --classes, --numbers or --losses."""
    for name, flag in (("classes", "--classes and --numbers"), ("losses", "--losses")):
        if name in options.written:
            raise BadInput(f"--task {options.task} and {flag}: say it once")
    classes = {"classification": True, "regression": False}.get(str(options.task))
    return replace(options, classes=classes, losses=options.task == "losses")


def with_columns(options: CommandOptions, role: str) -> CommandOptions:
    """The options, with --keep and --ignore written as --features; where a command has none, as --experts."""
    for name, flag in (("features", "--features"), ("experts", "--experts")):
        if name in options.written:
            raise BadInput(f"{flag} and --keep or --ignore: say it once")
    chosen = (*options.keep, *(f"!{name}" for name in options.ignore))
    written = options.written | {role}
    if role == "experts":
        return replace(options, experts=chosen, written=written)
    return replace(options, features=chosen, written=written)


def with_penalties(options: CommandOptions) -> CommandOptions:
    """The options, with --l1 and --l2 as parameters of ftrl-proximal, which is played unless one is named."""
    penalties = {"l1": options.l1, "l2": options.l2}
    said = {name: v for name, v in penalties.items() if v is not None}
    settings = (*options.settings, *(f"{name}={v!r}" for name, v in said.items()))
    learners = options.learners or ("ftrl-proximal",)
    written = options.written | {"settings"}
    return replace(options, settings=settings, learners=learners, written=written)
