"""How a learner begins: with what is known before the first round, or with its first round."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.csr import is_sparse
from ..core.errors import BadInput
from ..core.vectors import Sparse
from ..encode.named_rows import named_row
from ..encode.nested_fields import flatten_record
from ..encode.stream import Stream
from ..encode.strings import one_string
from ..encode.vocabulary import one_number
from ..engine.checks import array
from ..settings import InitialInfo, fit_setting
from ..settings.sizes import refuse_many
from .live import Live
from .start_options import checked_interval, checked_labels, checked_seed, whole

if TYPE_CHECKING:
    from ..core.learner import Learner

    AnyLearner = Learner[Any, Any, Any, Any]


def begin(
    learner: AnyLearner,
    n: Any,
    *,
    allocation: bool = False,
    rounds: int = 0,
    interval: tuple[float, float] | None = None,
    labels: Any = None,
    seed: int = 0,
    sparse: bool = False,
    contexts: Any = 0,
    columns: tuple[str, ...] | None = None,
    names: Sequence[str] | None = None,
    first: int = 0,
    mark: int = 0,
) -> Live:
    """A live learner for n experts, arms or features (sparse examples may bring more later), or for those of `names`.

    `first`: the features of the first example, with which a learner begins that looks for curves.
    """
    n, names = count_and_names(learner, n, names, sparse)
    mark = whole(mark, "mark", 0)
    n = whole(n, f"n, the number of {column_word(learner)},", 0 if sparse else 1)
    rounds = whole(0 if rounds is None else rounds, "rounds", 0)
    contexts = whole(contexts, "features", 0)
    refuse_many(learner, n, contexts)
    interval, labels, seed = checked_interval(interval), checked_labels(labels), checked_seed(seed)
    known = InitialInfo(
        n=n, rounds=rounds, interval=interval, labels=labels, sparse=sparse, contexts=contexts,
        columns=columns, names=names, table=first,
    )  # fmt: skip
    losses = allocation and not learner.examples
    setting = fit_setting(learner, known, losses)
    if names and learner.examples and learner.has_quantities:  # as of a table with these columns
        setting.named_as(Stream((), names, missing="mean"))
    live = Live(setting, seed=seed)
    live.tickets.mark = mark
    return live


def count_and_names(
    learner: AnyLearner, n: Any, names: Sequence[str] | None, sparse: bool
) -> tuple[Any, tuple[str, ...] | None]:
    """How many there are and what they are called, as a user says it: n, the list of names, or both."""
    word = column_word(learner)
    if sparse and (names is not None or not learner.examples or not learner.sparse):
        why = "brings its names" if names is not None else f"is no round of {learner.key}"
        raise BadInput(f"sparse=True: a sparse example {why}", field="sparse", value=True)
    if isinstance(n, (list, tuple)) and names is None:
        n, names = None, n
    if names is None:
        return (0 if n is None and sparse else n), None
    named = distinct_names(names, word[:-1])
    if n is not None and n != len(named):
        raise BadInput(f"n={n!r:.20}: there are {len(named)} names", field="n", value=n)
    return len(named), named


def distinct_names(names: Any, what: str) -> tuple[str, ...]:
    """Names of experts, arms or features, each a different text."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise BadInput(
            f"names must be a list of names, not {names!r:.80}", field="names", value=names
        )
    each = tuple(names)
    article = "an" if what[0] in "aeiou" else "a"
    for name in each:
        if not isinstance(name, str):
            raise BadInput(
                f"the name of {article} {what} must be text, not {name!r:.60}",
                field="names",
                value=name,
            )
    if len(set(each)) < len(each):
        raise BadInput(
            f"{article} {what} occurs twice in {list(each)!r:.80}", field="names", value=list(each)
        )
    return each


def column_word(learner: AnyLearner) -> str:
    return "features" if learner.examples else "arms" if learner.bandit else "experts"


def begin_with(learner: AnyLearner, x: Any, losses: bool) -> Live:
    """A live learner whose first round is x; `losses`: x holds losses, not advice."""
    if learner.examples:
        if x is None:
            raise BadInput(f"{learner.key} learns from examples: predict(x), update(x, y)")
        x = one_number(learner.vocabulary, one_string(learner, x))
        table = learner.vocabulary is not None  # then a dict is a row of a table
        if isinstance(x, Sparse) or is_sparse(x) or (isinstance(x, Mapping) and not table):
            return begin(learner, 0, sparse=True, first=entries_of(x) if learner.categories else 0)
        row = named_row(x)
        if row is not None:  # a row of a frame
            return begin(learner, len(row), names=tuple(map(str, row)))
        return begin(learner, len(array(x, "an example", 1)))
    if x is None:
        raise BadInput(
            f"{learner.key} does not know yet how many experts there are: call start(n=…) first"
        )
    row = named_row(x)
    if row is not None:
        x = list(row.values())
    names = None if row is None else tuple(map(str, row))
    labels = guessed_labels(learner, x)
    return begin(learner, size(x), allocation=losses, labels=labels, names=names)


def entries_of(x: Any) -> int:
    """How many features the first example has by name; text is two, a code and a value."""
    row = flatten_record(x) if isinstance(x, Mapping) else {}
    return sum(1 + isinstance(v, str) for v in row.values() if v is not None)


def size(x: Any) -> int:
    """How many entries the first round has."""
    try:
        return len(x)
    except TypeError:
        raise BadInput(
            f"a round must be a list, one entry for each expert, not {x!r:.80}"
        ) from None


def guessed_labels(learner: AnyLearner, x: Any) -> tuple[Any, ...] | None:
    """Guess the labels from the advice of the first round: 0 and 1, or -1 and 1; raise where it holds others."""
    if not learner.labels:
        return None
    try:
        seen = {v for v in array(x, "advice", 1).tolist() if v == v}
    except BadInput:
        seen = {math.inf}  # advice in words
    if seen <= {0, 1}:
        return (0, 1)
    if seen <= {-1, 1}:
        return (-1, 1)
    raise BadInput(f"{learner.key}: say what the labels are: start(n, labels=(…))")
