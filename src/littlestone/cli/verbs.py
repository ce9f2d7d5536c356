"""The commands that play learners: what each of them takes, and what its `--help` teaches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from ..core.errors import BadInput
from ..core.options import Flag
from .command_options import parse
from .console import say_where
from .options import READING, Command, declared

# A command imports what it needs when it runs: `littlestone list` and `--help` do without NumPy and the readers.
COLUMNS = ("outcome", "experts")
FEATURES = (
    "features", "ignore", "keep", "weights", "bits", "interactions", "text", "ngram", "missing", "lags", "classes",
    "labels",
)  # fmt: skip
DATA = (
    *COLUMNS,
    "task",
    "losses",
    "by",
    "interval",
    *READING,
    *FEATURES,
    "threshold",
    "cost",
    "passes",
)
LEARNERS = ("learners", "settings")
KINDS = ("loss", "graph", "loops", "l1", "l2", "seed")
LATE = ("delay", "interleave")
RESULTS = ("certify", "page", "as_json")
FILES = ("predictions", "save", "save_every", "skip")

ONE = Flag(
    ("--learner",), "LEARNER", "which one: `littlestone list`. NAME:alpha=0.1 sets a parameter",
    "tracker for experts; for examples the mixture (auto) where the table is dense and has at most 128 "
    "features, else online-linear",
)  # fmt: skip


def several(default: str) -> Flag:
    """--learner, where it may be given several times."""
    said = "NAME, or NAME:alpha=0.1 to set a parameter"
    return Flag(("--learner",), "LEARNER", said, default, several=True)


@click.command(
    cls=Command, short_help="Learn from a file: examples with labels, or experts to combine."
)
@click.argument("file", required=False)
@declared(
    "data", *DATA, "test", *LEARNERS, *KINDS, "load", *LATE, "horizons", "asleep", *RESULTS, *FILES, "probabilities",
    "id", "readable", "processes", "scheduler", learners=ONE,
)  # fmt: skip
@click.pass_context
def run(ctx: click.Context, /, **_: Any) -> None:
    """Learn from FILE, one row at a time: a table, a page with charts, predictions.

    FILE is CSV, Parquet, JSON lines, ARFF, libsvm or vw text, may be compressed (.gz, .zst), and
    is - for standard input. Without it a built-in stream is played: 800 rounds, 64 experts.

    Each row is an example: features, and what is to be predicted from them, a class or a number.
    Where more than half of the columns are on the scale of a number, or --experts names them, each
    column is an expert whose forecasts are combined; an empty field gives no advice in a round.
    A table of dates and one number is forecast from its own past, as --lags says. The first line of
    the output says what was decided, and why.

    \b
    littlestone run customers.csv --outcome churned --predictions out.csv
    littlestone run prices.csv --outcome "Real price" --delay 24 --save m.ls

    The last one goes on with `littlestone run june.csv --outcome "Real price" --load m.ls`. With
    --by each key has a learner of its own. Intervals, bandits and logs of decisions have commands of
    their own: `littlestone intervals`, `bandit`, `replay`.
    """
    from . import bandits, check, runs, scale

    options = parse(ctx)
    if options.file is None and not options.test:
        options = runs.take_pipe(options)
    if options.learners:
        bandits.refuse_bandits(options)
    if scale.asks_for_scale(options):
        scale.play(options)
        return
    check.check(options)
    if options.file is None and options.test is not None:
        runs.test_alone(options)
    else:
        runs.learn(options)
    written = {
        "predictions": options.predictions,
        "learner": options.save,
        "weights": options.readable,
    }
    say_where(written, options.as_json or options.aside)


@click.command(cls=Command, short_help="Play several learners over the same rounds.")
@click.argument("file", required=False)
@declared(
    *DATA, *LEARNERS, *KINDS, *LATE, "horizons", "asleep", *RESULTS, learners=several("four or five good ones")
)  # fmt: skip
@click.pass_context
def compare(ctx: click.Context, /, **_: Any) -> None:
    """Play several learners over the same rounds: one row each, the best first.

    FILE is read as `littlestone run` reads it; without FILE the built-in stream is played. Those
    that predict numbers are scored with the same loss (square, unless --loss says otherwise), and
    the smallest comes first; those that tell classes apart by their accuracy.

    \b
    littlestone compare train.libsvm
    littlestone compare prices.csv --outcome "Real price" \\
        --learner fixed-share:alpha=0.1 --learner tracker
    """
    from . import bandits, runs

    options = parse(ctx)
    bandits.refuse_bandits(options)
    runs.compare_learners(options)


@click.command(cls=Command, short_help="Put an interval around forecasts that holds so often.")
@click.argument("file", required=False)
@declared(
    *COLUMNS, "ignore", "keep", "by", *READING, "levels", "season", *LEARNERS, "compare", "load", "delay", "page",
    "as_json", *FILES, learners=several("cover"),
)  # fmt: skip
@click.pass_context
def intervals(ctx: click.Context, /, **_: Any) -> None:
    """Predict an interval around the forecasts of FILE that holds the outcome as often as --level says.

    The columns of FILE are forecasts of the outcome; several of them are combined first. The learner
    is one that makes prediction sets. With --delay late outcomes and prompt ones are shown beside
    each other.

    \b
    littlestone intervals prices.csv --outcome "Real price" --level 0.9 --delay 24
    littlestone intervals may.csv --outcome y --level 0.5,0.9 --save m.ls

    The second one goes on with `littlestone intervals june.csv --outcome y --load m.ls`, and
    `littlestone predict m.ls july.csv` has the intervals of rows to come.
    """
    from . import intervals as playing
    from . import runs

    options = parse(ctx)
    playing.play_intervals(runs.take_pipe(options) if options.file is None else options)


@click.command(
    cls=Command, short_help="Pull arms: only the loss of the arm that was pulled is seen."
)
@click.argument("file", required=False)
@declared(
    "arms", "rounds", "seeds", "rewards", "experts", "by", "interval", *READING, *LEARNERS, "compare", "seed", *LATE,
    *RESULTS, "save", learners=several("tsallis-inf"),
    experts=Flag(metavar="COLUMN", several=True, help="a column of losses, or a pattern ('!day' takes away)"),
    by=Flag(metavar="COLUMN", help="a column of keys: a learner, a row and a certificate for each key"),
)  # fmt: skip
@click.pass_context
def bandit(ctx: click.Context, /, **_: Any) -> None:
    """Pull one arm a round, and see its loss alone.

    The columns of FILE are what each arm costs; without FILE losses are drawn, from --arms. With
    --seeds a theorem about an expectation is judged by the mean of many runs.

    \b
    littlestone bandit --arms 0.5,0.4,0.6 --seeds 100 --compare
    littlestone bandit latencies.csv --learner exp3-ix
    """
    from . import bandits, runs

    options = parse(ctx)
    default = bandits.DEFAULTS if options.compare else (bandits.ALONE,)
    runs.pull(replace(options, learners=options.learners or default))


@click.command(
    cls=Command, short_help="Replay learners on a log of decisions, or judge a policy by it."
)
@click.argument("file", metavar="LOG", required=False)
@declared(
    "arm", "reward", "propensity", "policy", "method", "features", *LEARNERS, "seed", "as_json",
    learners=several("six bandits"),
    features=Flag(metavar="COLUMN", several=True, help="a column that learners look at before they choose, or a "
                  "pattern", otherwise="none"),
)  # fmt: skip
@click.pass_context
def replay(ctx: click.Context, /, **_: Any) -> None:
    """Replay bandits on LOG, a table of decisions that were made: what would each have brought?

    LOG has the arm that was pulled, what it brought, and how probable it was. With --policy nothing
    is replayed: it is estimated what this arm, or this mix of arms, would have brought.

    \b
    littlestone replay log.csv --arm item --reward click --propensity p
    littlestone replay log.csv --arm item --reward click --propensity p \\
        --policy red=0.5,green=0.5
    """
    from . import bandits
    from .status import Status

    options = parse(ctx)
    if options.file is None:
        raise BadInput("which log? Name a LOG, a file with a decision in each row")
    bandits.check_log(options)
    options = replace(options, learners=options.learners or bandits.DEFAULTS)
    with Status() as status:
        if options.policy is None:
            bandits.replay_log(options, status)
        else:
            bandits.estimate_policy(options, status)


@click.command(cls=Command, short_help="Write the page of a saved learner that goes on.")
@click.argument("load", metavar="SAVED")
@click.argument("file", metavar="FILE")
@declared(
    *COLUMNS, *READING, *FEATURES, "page", page=Flag(("--output",), "FILE.html", "where to write the page")
)  # fmt: skip
@click.pass_context
def report(ctx: click.Context, /, **_: Any) -> None:
    """Write the page of a saved learner that goes on over FILE; SAVED stays as it is.

    SAVED is what `littlestone run --save` or learner.save() wrote. Examples are read as they were
    when it was trained: give the same --interact.

    \b
    littlestone report m.ls june.csv --outcome "Real price" --output june.html
    """
    from . import runs

    runs.draw_page(parse(ctx))
