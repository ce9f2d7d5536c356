"""Predictions of learners by key: a key that was never seen gets the first answer of a learner that begins."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..core.errors import BadInput
from .command_options import CommandOptions

if TYPE_CHECKING:
    from ..core.stream import Batch
    from .learner_spec import AnyLearner

ROW = "row"
COLD = "cold_start"  # the column that marks keys of which nothing was learned


class KnownKeys:
    """The learners of the keys that were learned of; any other key gets one that has learned nothing yet."""

    def __init__(self, learners: Mapping[Any, AnyLearner], column: str) -> None:
        self.learners, self.column = learners, column
        self.new: dict[
            Any, int
        ] = {}  # keys of which nothing was learned, and how many rows they have

    @functools.cached_property
    def beginner(self) -> AnyLearner:
        """What `run --by` begins a new key with; it knows the classes of the key that has most of them."""
        from ..live.live import Live

        def shape(learner: AnyLearner) -> tuple[int, int]:
            return learner.begun().shape.classes, learner.begun().shape.n

        one = max(self.learners.values(), key=shape)
        live = one.begun()
        return one.replace().attach(Live(live.setting.copied(), seed=live.seed, engine=live.engine))

    def learner_of(self, key: Any, rows: int) -> AnyLearner:
        """The learner of a key, which has so many rows here."""
        if key in self.learners:
            return self.learners[key]
        self.new[key] = self.new.get(key, 0) + rows
        return self.beginner

    def note(self) -> str:
        """What is said of keys of which nothing was learned."""
        return note_on_new_keys(self.column, self.new, "the first answer of a learner that begins")


def note_on_new_keys(column: str, new: Mapping[Any, int], answer: str) -> str:
    """What is said of keys of which nothing was learned; `new`: how many rows each has.

    >>> note_on_new_keys("shop", {"Z": 1}, "the mean")
    "nothing was learned of shop 'Z': 1 row with cold_start true has the mean"
    """
    some = ", ".join(repr(key) for key in list(new)[:5])
    more = f" and {len(new) - 5:,} more" if len(new) > 5 else ""
    rows = sum(new.values())
    return (
        f"nothing was learned of {column} {some}{more}: {rows:,} row{'s' * (rows != 1)} with {COLD} true "
        f"{'have' if rows != 1 else 'has'} {answer}"
    )


def answers_by_key(
    batch: Batch,
    options: CommandOptions,
    by_key: KnownKeys,
    predict: Callable[[AnyLearner, Batch, CommandOptions], dict[str, Any]],
) -> dict[str, Any]:
    """The columns of the predictions for a batch, each row predicted by the learner of its key.

    `predict`: the columns that one learner says of a batch.
    """
    import numpy as np

    from ..play.keys import keys_of, take_rows

    if options.id is not None:
        raise BadInput("--by writes the key beside each prediction; leave --id out")
    columns: dict[str, list[Any]] = {"prediction": [None] * len(batch.y)}
    if options.costs is not None:
        columns["decision"] = [None] * len(batch.y)
    if options.probabilities:  # a column for each class that some key knows
        columns |= {name: [None] * len(batch.y) for name in classes_of(by_key.learners)}
    cold = np.zeros(len(batch.y), bool)
    keys = keys_of(batch)
    for k, key in enumerate(keys.names):
        rows = keys.rows(k)
        cold[rows] = key not in by_key.learners
        found = predict(by_key.learner_of(key, len(rows)), take_rows(batch, rows), options)
        for name, said in columns.items():
            for r, one in zip(rows.tolist(), list(found.get(name, ())), strict=False):
                said[r] = one
    key_column = "key" if options.by_column in (ROW, "prediction") else str(options.by_column)
    return {
        ROW: np.arange(len(batch.y)) + batch.first + 1,
        key_column: batch.key.tolist(),  # type: ignore[union-attr]
        **columns,
        COLD: cold.tolist(),
    }


def classes_of(learners: Mapping[Any, AnyLearner]) -> list[str]:
    """The columns of probabilities of several learners: the classes of each, in their order."""
    from .probabilities import column, refuse_none

    found: dict[str, None] = {}
    for learner in learners.values():
        refuse_none(learner)
        live = learner.begun()
        found |= dict.fromkeys(column(live.coder.label(c)) for c in range(len(live.coder)))
    return list(found)
