"""Matrix completion with names: rows and columns of a table, and kernel functions of what is known about them.

MEG-IMCSI learns from pairs of numbers and takes kernels as matrices. Here rows and columns are what the user calls
them, and a kernel is a function of their features; a row with features that no round has named yet can be asked about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Array, Batch
from ..encode.stream import Stream
from ..kernels.functions.refutation import matrix_of
from ..play.play_stream import play_stream
from .meg_imcsi import MEGIMCSI

Pair = tuple[Any, Any]


class Places(NamedTuple):
    """The names of the rows, or of the columns, in the order of their numbers."""

    what: str
    names: tuple[Any, ...]
    kernel: Any  # a matrix, "path-tree" or None

    def numbers(self, names: Iterable[Any]) -> list[int]:
        """The number of each name; refuse one that was neither in the rounds nor among the features."""
        known = {name: i for i, name in enumerate(self.names)}
        found = []
        for r, name in enumerate(names):
            if name not in known:
                raise BadInput(
                    f"row {r + 1}: there is no {self.what} {name!r}: give its features, or rounds with it"
                )
            found.append(known[name])
        return found


class NamedCompletion:
    """A matrix that was completed, by the names of its rows and columns; `run` is the run, with its certificate."""

    def __init__(self, rows: Places, columns: Places, run: Any) -> None:
        self.rows, self.columns, self.run = rows, columns, run
        self.learner = run.learner

    def pairs(self, pairs: Sequence[Pair]) -> Array:
        """The numbers of pairs of names."""
        if not len(pairs) or any(len(pair) != 2 for pair in pairs):
            raise BadInput("pairs: a list of (row, column), at least one")
        return np.column_stack(
            [self.rows.numbers(p[0] for p in pairs), self.columns.numbers(p[1] for p in pairs)]
        ).astype(np.float64)

    def predict(self, pairs: Sequence[Pair]) -> list[Any]:
        """The likelier label of each pair, a list of (row, column)."""
        return [self.learner.predict(pair) for pair in self.pairs(pairs).tolist()]

    def scores(self, pairs: Sequence[Pair]) -> Array:
        """ybar / margin of each pair: above 0 where the second label is likelier."""
        return np.array([self.learner.ask(pair).decision for pair in self.pairs(pairs).tolist()])

    def update(self, row: Any, column: Any, label: Any) -> NamedCompletion:
        """Learn one more entry."""
        (pair,) = self.pairs([(row, column)]).tolist()
        self.learner = self.learner.update(pair, label)
        return self


def complete_named(
    table: Any,
    row: Any,
    column: Any,
    outcome: Any,
    *,
    row_features: Any = None,
    column_features: Any = None,
    row_kernel: Any = "gaussian",
    column_kernel: Any = "gaussian",
    labels: Sequence[Any] | None = None,
    **given: Any,
) -> NamedCompletion:
    """Play the rounds of a table, in its order, through MEG-IMCSI: a round has the names of a row and of a column.

    table            a frame, or a dictionary of columns; `row`, `column` and `outcome` are names of its columns
    row_features     {name: numbers}, or a frame with the column `row` and numbers in all others; None: nothing known
    row_kernel       a kernel, its name, or a function of two vectors of features; the same for columns
    labels           the two labels, the second of which scores above 0 mean; left out, those of the table in order
    given            parameters of MEGIMCSI: `margin`, `quasi_dimension`, `eta`

    >>> rounds = {"who": ["ann", "bob", "eve"] * 8, "film": ["Alien", "Solaris", "Alien"] * 8}
    >>> rounds["liked"] = ["yes", "no", "yes"] * 8
    >>> known = {
    ...     "ann": [1.0],
    ...     "bob": [0.0],
    ...     "eve": [0.9],
    ...     "zoe": [1.0],
    ... }  # zoe has rated nothing yet
    >>> made = complete_named(
    ...     rounds, "who", "film", "liked", row_features=known, row_kernel="gaussian:9"
    ... )
    >>> made.predict([("zoe", "Alien"), ("bob", "Solaris")])
    ['yes', 'no']
    >>> made.update("zoe", "Solaris", "no").predict([("zoe", "Solaris")])
    ['no']

    Ledger: A-MEG-IMCSI; T-MEG.
    """
    r, c, y = (columns_of(table, name) for name in (row, column, outcome))
    if not len(r) == len(c) == len(y) or not len(r):
        raise BadInput(f"complete_named: {len(r)} rows, {len(c)} columns and {len(y)} outcomes")
    both = sorted(set(y)) if labels is None else list(labels)
    if len(both) != 2 or not set(y) <= set(both):
        raise BadInput(f"complete_named: {outcome!r} must have two labels, not {both!r:.80}")
    rows = placed(row, r, row_features, row_kernel)
    columns = placed(column, c, column_features, column_kernel)
    learner = MEGIMCSI(
        rows=len(rows.names),
        columns=len(columns.names),
        row_kernel=rows.kernel,
        column_kernel=columns.kernel,
        **given,
    )
    pairs = np.column_stack([rows.numbers(r), columns.numbers(c)]).astype(np.float64)
    codes = np.array([both.index(v) for v in y], float)
    stream = Stream(
        [Batch(pairs, codes)],
        (str(row), str(column)),
        rounds=len(y),
        whole=True,
        labels=tuple(both),
        features=True,
    )
    return NamedCompletion(rows, columns, play_stream(learner, stream, allocation=False))


def columns_of(table: Any, name: Any) -> list[Any]:
    """A column as a list; frames of pandas, polars and pyarrow, and dictionaries, have them by name."""
    try:
        found = table[name]
    except (KeyError, TypeError, IndexError, ValueError) as problem:
        raise BadInput(f"the table has no column {name!r} ({type(problem).__name__})") from None
    return list(np.asarray(found).tolist())


def placed(what: Any, met: list[Any], features: Any, kernel: Any) -> Places:
    """The names of the rounds and of the features, and the kernel's matrix over them."""
    for r, name in enumerate(met):
        if name is None or name != name:
            raise BadInput(f"row {r + 1}: {what} is missing")
    if features is None:
        return Places(str(what), tuple(dict.fromkeys(met)), None)
    known = features_of(what, features)
    without = [name for name in dict.fromkeys(met) if name not in known]
    if without:
        raise BadInput(f"{what} {without[0]!r} has no features ({len(without)} have none)")
    X = np.array(list(known.values()), np.float64)
    bad = np.flatnonzero(~np.isfinite(X).all(axis=1))
    if len(bad):
        raise BadInput(
            f"features of {what} {list(known)[bad[0]]!r}: {X[bad[0]].tolist()} are not all finite"
        )
    return Places(str(what), tuple(known), matrix_of(kernel, X))


def features_of(what: Any, features: Any) -> dict[Any, list[float]]:
    """{name: numbers}, from that or from a frame with a column of names."""
    if isinstance(features, Mapping):
        known = {name: np.atleast_1d(v).tolist() for name, v in features.items()}
    else:
        names = columns_of(features, what)
        rest = [columns_of(features, c) for c in features.columns if c != what]
        known = dict(zip(names, map(list, zip(*rest, strict=True)), strict=True))
        if len(known) < len(names):
            twice = next(v for v in names if names.count(v) > 1)
            raise BadInput(f"features: {what} {twice!r} is there twice")
    if len({len(v) for v in known.values()}) != 1 or not all(known.values()):
        raise BadInput(f"features of {what}: each name needs equally many numbers, at least one")
    return known
