"""How data are read: every option of a reader, declared once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.errors import BadInput
from ..core.options import BANDITS, DATA, EXAMPLES, PROGRAMS, READING, Flag, Options, declare

if TYPE_CHECKING:
    import numpy as np

    from ..encode.categories import Categories
    from ..encode.labels import LabelEncoder
    from .tables.coding import Coding

    Column = str | Sequence[Any] | np.ndarray  # the name of a column; or its values, one a row

Names = Sequence[str] | str
TASKS = ("classification", "regression", "forecasting", "losses")
MISSING = ("mean", "zero", "refuse")


class Trained(NamedTuple):
    """What was trained on the columns that are named: they are read by these names alone, as they were then."""

    learner: str
    text: tuple[str, ...] = ()  # features that were text; the others were numbers


@dataclass(frozen=True, kw_only=True, eq=False)
class ReadOptions(Options):
    """How to read data; values that no data can be read with are refused when it is made.

    >>> ReadOptions(outcome="price", experts="DNN *").columns
    ('DNN *',)
    >>> ReadOptions(ngram=9)
    Traceback (most recent call last):
        ...
    littlestone.core.errors.BadInput: ngram must be a whole number from 1 to 5, not 9: leave it out for 1
    """

    outcome: str | None = declare(
        None, "of a frame or file, the column that is predicted", DATA,
        flag=Flag(metavar="COLUMN", help="the column that is predicted"),
    )  # fmt: skip
    experts: Names | None = declare(
        None, "of a frame or file, the columns of the experts: names or patterns; '!*Ensemble' takes away", DATA,
        kinds=("experts", "arms"), otherwise="every other column of numbers",
        flag=Flag(metavar="COLUMN", several=True, help="a column of advice, or a pattern ('DNN*'; '!*Ensemble' takes "
                  "away)"),
    )  # fmt: skip
    by: Column | None = declare(
        None, "of a frame or file, a column of keys: a learner, a run and a certificate for each key", DATA,
        otherwise="one run",
        flag=Flag(metavar="COLUMN", help="a column of keys: a learner, a row and a certificate for each key"),
    )  # fmt: skip
    task: str | None = declare(
        None, '"classification" or "regression" of examples, "forecasting" with experts, or "losses", where data could '
        "be read in two ways", DATA, "choice", choices=TASKS, otherwise="what learner and data look like",
        flag=Flag(help="what is to be done: predict a class or a number from features, combine forecasts of experts, "
                  "or follow losses",
                  otherwise="what FILE looks like; the first line of the output says what, and why"),
    )  # fmt: skip
    losses: bool | None = declare(
        None, "are the columns losses of the experts, not their advice? A frame or a file must say so", DATA, "flag",
        kinds=("experts", "arms"),
        flag=Flag(help="the columns are what each expert loses; there is no outcome to predict"),
    )  # fmt: skip
    labels: bool | str | Sequence[Any] | None = declare(
        None, "the classes, where more are possible than the data have", EXAMPLES, otherwise="as they come",
        flag=Flag(metavar="A,B,…", help="the classes, where a theorem must know them before the first round"),
    )  # fmt: skip
    features: Any = declare(
        None, "of a frame or file, the columns of the features; of a bandit, an array of what each round offers",
        EXAMPLES, kinds=("examples", "arms"), otherwise="every other column of numbers or text",
        flag=Flag(metavar="COLUMN", several=True, help="a column of features, or a pattern ('!id' takes away)"),
    )  # fmt: skip
    weights: Column | None = declare(
        None, "importance weights of examples, an array or the name of a column", EXAMPLES, kinds=("examples",),
        flag=Flag(metavar="COLUMN", help="a column of importance weights"),
    )  # fmt: skip
    bits: int | None = declare(
        None, "names and text are hashed to 2^bits features, and so are indices of libsvm that are larger", EXAMPLES,
        "whole", kinds=("examples",), least=1, most=31, otherwise="18; indices of libsvm as they are",
        flag=Flag(("-b", "--bits"), "NUMBER"),
    )  # fmt: skip
    interactions: Names = declare(
        (), 'products that are features as well: "colour:size" by name, "cs" by first letters (of namespaces, in vw '
        "text)", EXAMPLES, kinds=("examples",), flag=Flag(("-q", "--interact"), "AB", several=True),
    )  # fmt: skip
    text: Names | None = declare(
        None, "columns of text that are read as words, each a feature", EXAMPLES, kinds=("examples",),
        otherwise="columns of sentences",
        flag=Flag(metavar="COLUMN", several=True, help="a column of text that is read as words, each a feature; "
                  "'' for none: each text is a category"),
    )  # fmt: skip
    lags: Any = declare(
        None, "outcomes of earlier rows as features, where they are numbers: [1, 2, 12] are those 1, 2 and 12 rows "
        "before (of its key, with `by`). Predictions start from the nearest, and the change from it is learned; the "
        "first row has no weight. With a delay lags are larger than it", EXAMPLES,
        kinds=("examples",), otherwise="none; where a table has nothing else to learn from but dates, 1, 2, 3, a "
        "season (which the dates tell) and one row more",
        flag=Flag(metavar="1,2,12", help="outcomes of earlier rows as features: those 1, 2 and 12 rows before (of its "
                  "key, with --by), where the outcome is a number. Predictions start from the nearest one"),
    )  # fmt: skip
    ngram: int = declare(
        1, "with 2, pairs of neighbouring words are features too, and so on", EXAMPLES, "whole", kinds=("examples",),
        least=1, most=5, flag=Flag(metavar="NUMBER"),
    )  # fmt: skip
    missing: str | None = declare(
        None, 'numbers that are missing in a table: "mean" fills in the mean of the earlier values of the column, '
        '"zero" reads 0, "refuse" stops', EXAMPLES, "choice", kinds=("examples",), choices=MISSING,
        otherwise="mean, or as in training",
        flag=Flag(help="what stands for a number that is missing: the mean of the column's earlier values, or 0; or "
                  "stop there"),
    )  # fmt: skip
    tasks: Sequence[int] | np.ndarray | None = declare(
        None, "of learners over several tasks, the number of each round's task, from 0", EXAMPLES
    )  # fmt: skip
    format: str | None = declare(
        None, 'the format: "csv", "parquet", "jsonl", "arff", "libsvm" or "vw"', READING,
        otherwise="seen from the file",
        flag=Flag(metavar="FORMAT", help="the format: csv, parquet, jsonl, arff, libsvm or vw",
                  otherwise="by its name, or its first lines"),
    )  # fmt: skip
    encoding: str | None = declare(
        None, "the encoding of a text file that is not UTF-8: latin-1, cp1252 (Windows), utf-16-le and others", READING,
        flag=Flag(metavar="NAME"),
    )  # fmt: skip
    decimal: str | None = declare(
        None, "the mark before the fraction, . or a comma, where numbers such as 1,250 could be read in two ways",
        READING, "choice", choices=(".", ","), otherwise="what the numbers look like", flag=Flag(metavar="MARK"),
    )  # fmt: skip
    on_bad_line: str = declare(
        "error", "a line that cannot be read: stop and show it, or leave it out and count it", READING, "choice",
        choices=("error", "skip"), flag=Flag(),
    )  # fmt: skip
    rewards: bool = declare(
        False, "data are rewards, not losses", BANDITS, "flag", kinds=("arms",),
        flag=Flag(help="the columns are what arms bring, not what they cost"),
    )  # fmt: skip
    available: Any = declare(
        None, "which arms can be pulled, rounds x arms of True and False", BANDITS, kinds=("arms",),
        otherwise="all of them",
    )  # fmt: skip

    examples: bool | None = declare(
        False,
        "are the columns features, not experts? None: it depends on the format of a file",
        PROGRAMS,
        public=False,
    )
    optional: bool = declare(
        False,
        "where there is no outcome, none is known: rows that are to be predicted",
        PROGRAMS,
        public=False,
    )
    checked: bool = declare(
        True,
        "False: numbers in arrays are not checked here, as the session checks them",
        PROGRAMS,
        public=False,
    )
    batch_rows: int | None = declare(
        None, "rows a batch", PROGRAMS, "whole", least=1, public=False,
        otherwise="all in one where data are in memory or fit there",
    )  # fmt: skip
    trained: Trained | None = declare(
        None, "what was trained on the columns that are named: a feature that is missing, or holds no numbers any "
        "more, is refused, and an expert that is missing is passed over", PROGRAMS, public=False,
    )  # fmt: skip
    vocabulary: Any = declare(
        None, "what knows the numbers of places that the only feature names: the vertices of a graph. In tables every "
        "entry is a name, in arrays text is", PROGRAMS, public=False,
    )  # fmt: skip
    categories: Categories | None = declare(
        None, "text of few values is read as numbers, as it was in training, or where these have no columns as the "
        "first rows have it; None: all text is hashed", PROGRAMS, public=False,
    )  # fmt: skip
    declared: LabelEncoder | None = declare(
        None, "the classes of the outcome, where the file declares them", PROGRAMS, public=False
    )
    bare: bool = declare(
        False, "may a table be read that has numbers as outcomes and nothing else but dates? Outcomes of earlier rows "
        "will be its features", PROGRAMS, public=False,
    )  # fmt: skip
    apart: bool = declare(
        False, "the outcomes do not come from the table", PROGRAMS, public=False
    )  # fmt: skip
    times: bool = declare(
        False, "are dates read that stand beside the numbers?", PROGRAMS, public=False
    )  # fmt: skip

    def refuse_combination(self) -> None:
        if self.losses and self.labels:
            raise BadInput("labels: losses are numbers, not classes; leave labels= out")
        if self.losses and self.examples:
            raise BadInput("losses: examples have outcomes, not losses; leave one of the two out")
        if self.lags is not None:
            self.rows_back  # noqa: B018 - which refuses what is no lag

    @cached_property
    def coding(self) -> Coding | None:
        """What of the data is coded as classes: `labels` says it."""
        labels = self.labels
        if labels is None or labels is False:
            return None
        from ..encode.labels import LabelEncoder
        from .tables.coding import Coding

        if isinstance(labels, str):
            if labels not in ("outcome", "grow", "auto", "classes"):
                raise BadInput(
                    f"labels={labels!r}: True, 'outcome', 'grow', 'classes', 'auto', or the list of labels"
                )
            grow, auto, sure = labels != "outcome", labels == "auto", labels == "classes"
            coding = Coding(advice=False, grow=grow, auto=auto, sure=sure)
        else:  # advice, where the columns are no features, is of the same classes
            named = None if labels is True else LabelEncoder.declare(labels, fixed=True)
            coding = Coding(named, advice=self.examples is False, sure=True)
        return (
            coding if self.declared is None else coding._replace(labels=self.declared, sure=False)
        )

    @cached_property
    def columns(self) -> tuple[str, ...] | None:
        """The columns that are experts or features; None: all the others."""
        if self.experts is not None and self.features is not None:
            raise BadInput("experts= and features=: name the columns once")
        named = self.features if self.experts is None else self.experts
        return None if named is None else names_of(named)

    @cached_property
    def rows_back(self) -> tuple[int, ...] | None:
        """The lags, from the nearest; None: nothing was said."""
        if self.lags is None:
            return None
        from ..encode.lags import checked_lags  # which needs NumPy, and `--help` does not

        return checked_lags(self.lags)

    @cached_property
    def words(self) -> tuple[str, ...] | None:
        """The columns of text that are read as words; None: those that look like it."""
        return None if self.text is None else names_of(self.text)

    @cached_property
    def products(self) -> tuple[str, ...]:
        """The interactions, checked."""
        if not self.interactions:
            return ()
        from ..encode.interactions import checked_interactions

        return checked_interactions(self.interactions)

    @cached_property
    def places(self) -> int:
        """Text is hashed to 2^places features."""
        from ..encode.hashing import PLACES

        return PLACES if self.bits is None else int(self.bits)

    @property
    def fold(self) -> bool:
        """Are indices of libsvm hashed, too?"""
        return self.bits is not None

    @property
    def by_column(self) -> str | None:
        """The column of the keys, where they come from one."""
        return self.by if isinstance(self.by, str) else None

    @property
    def weights_column(self) -> str | None:
        """The column of the importance weights, where they come from one."""
        return self.weights if isinstance(self.weights, str) else None

    @property
    def role(self) -> str:
        """What the columns are."""
        return "features" if self.examples else "experts"

    @property
    def of_rows(self) -> tuple[object, ...]:
        """What decides how rows of a file are parsed: all but how their outcomes are coded."""
        return (
            self.outcome, self.columns, self.by, bool(self.losses), self.apart, self.examples, self.weights,
            self.places, self.fold, self.products, self.on_bad_line, self.format, self.encoding, self.decimal,
            self.optional, self.words, self.ngram, self.vocabulary, self.times, self.categories, self.trained,
            self.lags is None, self.missing == "refuse",
        )  # fmt: skip


def names_of(given: Names | None) -> tuple[str, ...] | None:
    """
    >>> names_of("a"), names_of(["a", "b"]), names_of(None)
    (('a',), ('a', 'b'), None)
    """
    if given is None:
        return None
    return (given,) if isinstance(given, str) else tuple(given)
