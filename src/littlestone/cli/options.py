"""The options of `run`, `compare` and `report`, in groups that `--help` shows as such."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    IntParameter = click.ParamType[int]
else:
    IntParameter = click.ParamType  # before click 8.4 it has no type parameter

F = TypeVar("F", bound=Callable[..., Any])


class Whole(IntParameter):
    """A whole number, 0 or more."""

    name = "number"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        try:
            number = int(value)
        except ValueError:
            number = -1
        if number < 0:
            self.fail(f"{value!r} is not a whole number, 0 or more", param, ctx)
        return number


WHOLE = Whole()


class Option(click.Option):
    """An option that says which group it belongs to."""

    def __init__(self, *names: Any, group: str = "Other", **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.group = group


class Command(click.Command):
    """A command whose `--help` lists options by group."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            line = parameter.get_help_record(ctx)
            if line is not None and isinstance(parameter, click.Option):
                groups.setdefault(getattr(parameter, "group", "Other"), []).append(line)
        groups["Other"] = groups.pop("Other")
        for group, lines in groups.items():
            with formatter.section(group):
                formatter.write_dl(lines)


def option(*names: str, group: str, **settings: Any) -> Callable[[F], F]:
    return click.option(*names, cls=Option, group=group, **settings)


def together(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Several options as one decorator."""

    def decorate(f: F) -> F:
        for one in reversed(options):
            f = one(f)
        return f

    return decorate


DATA, EXAMPLES, LEARNER = "Data", "Examples", "Learner"
BANDITS = "Bandits"
FEEDBACK, RESULTS = "Feedback", "Results"
INTERVALS = "Intervals"

reading = together(
    option(
        "--format",
        group=DATA,
        metavar="FORMAT",
        help="csv, parquet, jsonl, arff, libsvm or vw.  [default: by its name, or its first lines]",
    ),
    option(
        "--encoding",
        group=DATA,
        metavar="NAME",
        help="The encoding, where text is not UTF-8: latin-1, cp1252 (Windows), utf-16-le and others.",
    ),
    option(
        "--decimal",
        group=DATA,
        type=click.Choice([".", ","]),
        metavar="MARK",
        help="The mark before the fraction, . or a comma, where numbers such as 1,250 could be read in two ways.",
    ),
    option(
        "--on-bad-line",
        group=DATA,
        type=click.Choice(["error", "skip"]),
        default="error",
        show_default=True,
        help="A line that cannot be read: stop and show it, or leave it out and count it.",
    ),
)

columns = together(
    option("--outcome", group=DATA, metavar="COLUMN", help="The column that is predicted."),
    option(
        "--experts",
        group=DATA,
        metavar="COLUMN",
        multiple=True,
        help="A column of advice, or a pattern ('DNN*'; '!*Ensemble' takes away); may be given "
        "several times.  [default: every other column of numbers]",
    ),
)

data = together(
    columns,
    option(
        "--task",
        group=DATA,
        type=click.Choice(["classification", "regression", "forecasting", "losses"]),
        help="What is to be done: predict a class or a number from features, combine forecasts of experts, or "
        "follow losses.  [default: what FILE looks like; the first line of the output says what, and why]",
    ),
    option(
        "--losses",
        group=DATA,
        is_flag=True,
        help="The columns are what each expert loses; there is no outcome to predict.",
    ),
    option(
        "--by",
        group=DATA,
        metavar="COLUMN",
        help="A column of keys: a learner, a row and a certificate for each key.",
    ),
    option(
        "--interval",
        group=DATA,
        nargs=2,
        type=float,
        metavar="LOW HIGH",
        help="Where advice and outcomes (with --losses: losses) lie, for learners that must know."
        "  [default: seen from the data]",
    ),
    reading,
)

features = together(
    option(
        "--features",
        group=EXAMPLES,
        metavar="COLUMN",
        multiple=True,
        help="A column of features, or a pattern ('!id' takes away); may be given several times.  "
        "[default: every other column of numbers or text]",
    ),
    option(
        "--ignore",
        group=EXAMPLES,
        metavar="COLUMN",
        multiple=True,
        help="A column that is no feature, or a pattern; of vw text, the first letter of namespaces.",
    ),
    option(
        "--keep",
        group=EXAMPLES,
        metavar="COLUMN",
        multiple=True,
        help="A column that is a feature, or a pattern: no others are; of vw text as for --ignore.",
    ),
    option("--weights", group=EXAMPLES, metavar="COLUMN", help="A column of importance weights."),
    option(
        "-b",
        "--bits",
        group=EXAMPLES,
        type=WHOLE,
        metavar="NUMBER",
        help="Names and text are hashed to 2^NUMBER features, and so are indices of libsvm that are "
        "larger.  [default: 18; indices of libsvm as they are]",
    ),
    option(
        "-q",
        "--interact",
        "interact",
        group=EXAMPLES,
        metavar="AB",
        multiple=True,
        help="Products of features: 'colour:size' by name, or 'cs' by first letters (of "
        "namespaces, in vw text); may be given several times.",
    ),
    option(
        "--text",
        group=EXAMPLES,
        metavar="COLUMN",
        multiple=True,
        help="A column of text that is read as words, each of them a feature; may be given several times. '' for "
        "none: each text is a category.  [default: columns of sentences]",
    ),
    option(
        "--ngram",
        group=EXAMPLES,
        type=WHOLE,
        default=1,
        metavar="NUMBER",
        help="2: pairs of neighbouring words are features too.  [default: 1]",
    ),
    option(
        "--classes/--numbers",
        "classes",
        group=EXAMPLES,
        default=None,
        help="The outcome is a class, or a number.  [default: what it looks like]",
    ),
    option(
        "--labels",
        group=EXAMPLES,
        metavar="A,B,…",
        help="The classes, where a theorem must know them before the first round.  [default: as they come]",
    ),
)

decisions = together(
    option(
        "--threshold",
        group=EXAMPLES,
        metavar="0.2",
        help="Of two classes, decide for the second (1, true, yes) from this probability on; yes=0.2 names the class. "
        "The output says what these decisions cost.",
    ),
    option(
        "--cost",
        group=EXAMPLES,
        multiple=True,
        metavar="DECIDED,TRUE=5",
        help="What it costs to decide for one class where another is true, as no,yes=5; may be given several times. "
        "Other mistakes cost 1. Decisions are those of least expected cost.",
    ),
)

examples = together(
    features,
    decisions,
    option(
        "--passes",
        group=EXAMPLES,
        type=WHOLE,
        default=1,
        show_default=True,
        metavar="NUMBER",
        help="How often to go over the file.",
    ),
)

bandits = together(
    option(
        "--game",
        group=BANDITS,
        type=click.Choice(["bandit"]),
        help="The columns of FILE are what each arm costs, and the learner sees the one that it pulls.",
    ),
    option(
        "--arms",
        group=BANDITS,
        metavar="0.5,0.4",
        help="Instead of FILE: arms whose losses are 1 with these probabilities, else 0.",
    ),
    option(
        "--rounds",
        group=BANDITS,
        type=WHOLE,
        metavar="NUMBER",
        help="How many rounds are drawn.  [default: 10,000]",
    ),
    option(
        "--seeds",
        group=BANDITS,
        type=WHOLE,
        metavar="NUMBER",
        help="So many runs, each with draws of its own: mean regret, and where most runs lie.  "
        "[default: one run, with its transcript]",
    ),
    option("--rewards", group=BANDITS, is_flag=True, help="The columns are what arms bring."),
    option(
        "--arm",
        group=BANDITS,
        metavar="COLUMN",
        help="FILE is a log of decisions: the column of the arm that was pulled. Learners are replayed on it.",
    ),
    option("--reward", group=BANDITS, metavar="COLUMN", help="In a log: what the arm brought."),
    option(
        "--propensity",
        group=BANDITS,
        metavar="COLUMN",
        help="In a log: how probable the arm was, a column or a number.",
    ),
    option(
        "--policy",
        group=BANDITS,
        metavar="ARM",
        help="In a log: estimate what this arm would bring, always pulled; or a mix, red=0.5,green=0.5.",
    ),
    option(
        "--replay",
        group=BANDITS,
        type=click.Choice(["match", "reject", "weighted"]),
        default="reject",
        show_default=True,
        help="In a log: which rows count for a learner.",
    ),
)

intervals = together(
    option(
        "--intervals",
        group=INTERVALS,
        multiple=True,
        metavar="0.9",
        help="Predict an interval that holds the outcome so often: 0.9, or several levels (0.5,0.9). The columns are "
        "forecasts; --learner is one that makes prediction sets.  [default: cover]",
    ),
    option(
        "--season",
        group=INTERVALS,
        type=WHOLE,
        multiple=True,
        metavar="ROUNDS",
        help="Errors repeat after so many rows (24 and 168 for hours); may be given several times; 0 for none.  "
        "[default: from the column of times]",
    ),
)

settings = together(
    option(
        "--graph",
        group=LEARNER,
        metavar="FILE",
        help="FILE's rows are vertices of this network: a list of edges (id_1,id_2[,weight]), .mtx, .npz, .graphml "
        "or .gml. Ids are names of any kind.  [default learner: spanning-trees]",
    ),
    option(
        "--loops",
        group=LEARNER,
        type=click.Choice(["refuse", "drop"]),
        default="refuse",
        show_default=True,
        help="Edges of --graph from a vertex to itself: refuse them, or leave them out.",
    ),
    option(
        "--loss",
        group=LEARNER,
        metavar="LOSS",
        help="square, absolute, pinball:0.9 (the 90% quantile), log (probabilities), "
        "zero-one; over examples also hinge, logistic, squared-hinge.  "
        "[default: the learner's own]",
    ),
    option(
        "-p",
        "--set",
        "settings",
        group=LEARNER,
        multiple=True,
        metavar="NAME=VALUE",
        help="A parameter of the learner; `littlestone show LEARNER` lists them. "
        "(-p FILE, a name with a dot and no =, is --predictions FILE, as in vw.)  "
        "[default: as its theorem says]",
    ),
    option(
        "--l1",
        group=LEARNER,
        type=float,
        metavar="NUMBER",
        help="A penalty on the sizes of weights, which makes most of them 0.  [the learner: ftrl-proximal]",
    ),
    option(
        "--l2",
        group=LEARNER,
        type=float,
        metavar="NUMBER",
        help="A penalty on the squares of weights.  [the learner: ftrl-proximal]",
    ),
    option(
        "--seed",
        group=LEARNER,
        type=WHOLE,
        default=0,
        metavar="NUMBER",
        help="For learners that draw, and for the built-in stream.  [default: 0]",
    ),
)

feedback = together(
    option(
        "--delay",
        group=FEEDBACK,
        type=WHOLE,
        default=0,
        metavar="ROUNDS",
        help="Outcomes arrive so many rounds late. Prompt feedback is played too, and shown beside."
        "  [default: 0]",
    ),
    option(
        "--horizon",
        group=FEEDBACK,
        metavar="COLUMN",
        help="A column of horizons, 1, 2, 3 …: a learner, a row and a certificate for each. The outcome of a row with "
        "3 arrives after 3 more rows of that horizon. Where a row has forecasts of several horizons, their columns: "
        "'*_h{}' is gfs_h1, gfs_h2, …, which gfs says of the outcomes 1 and 2 rows later.",
    ),
    option(
        "--one-copy/--interleave",
        "one_copy",
        group=FEEDBACK,
        default=None,
        help="With --delay N or --horizon: one learner that learns late, or N + 1 learners that take turns.  "
        "[default: one, where a theorem covers it]",
    ),
    option(
        "--asleep",
        group=FEEDBACK,
        type=click.Choice(["error", "last"]),
        default="error",
        show_default=True,
        help="Where no expert gives advice: stop, or repeat the last prediction.",
    ),
)

results = together(
    option(
        "--certify/--no-certify",
        "certify",
        group=RESULTS,
        default=True,
        help="Compare with the best answers in hindsight, and judge the theorems.  [default: certify]",
    ),
    option(
        "--report",
        "page",
        group=RESULTS,
        metavar="FILE.html",
        default="littlestone-report.html",
        show_default=True,
        help="Where to write the page with the charts; '' for none.",
    ),
    option(
        "--json",
        "as_json",
        group=RESULTS,
        is_flag=True,
        help="Print a JSON list instead of the table; a page only if --report is given.",
    ),
)
