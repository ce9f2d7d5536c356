"""Rows of a table in which numbers are missing: what stands for them, and what counts in the means of later rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..core.errors import BadInput
from ..encode.running_means import RunningMeans, find_gaps
from ..engine.checks import array
from .setting import Setting

if TYPE_CHECKING:
    from ..core.stream import Batch


class FilledRows(Setting):
    """A setting of dense examples whose columns may have means.

    They have some where columns have names, or came from a table. A row counts when it is learned from, or when its
    ticket is issued; to predict it changes nothing, as with names.
    """

    width: int
    features_of_row: Any  # the row in the buffers
    gaps: list[bool] | None = None  # where the row in the buffers had none of its own numbers

    def fill_by(self, missing: str, columns: int) -> None:
        """Let `missing` stand for what is missing in the first columns; means are kept where there are some."""
        self.missing = missing
        if missing != "mean" or columns == 0:
            self.means = None
        elif self.means is None or self.means.columns != columns:
            self.means = RunningMeans(columns)

    def named_numbers(self, values: Sequence[Any]) -> Any:
        """The numbers of a row by name, those that are missing filled in."""
        found = find_gaps(values)
        if found is None:
            return array(values, "an example", 1)
        return self.fill_gaps(array(found.numbers, "an example", 1), found.gaps)

    def fill_gaps(self, numbers: Any, gaps: list[bool] | None) -> Any:
        """The numbers of one row, filled in where it has gaps; they are 0 there."""
        self.gaps = gaps
        if gaps is not None and self.missing == "refuse":
            coded = [c.name for c in self.categories.columns if c.has_code]
            name = (coded or list(self.names or ()))[gaps.index(True)]
            raise BadInput(
                f"feature {name!r} is missing, and {self.learner.key} was trained with missing='refuse': fill it in",
                field=name,
            )
        if gaps is not None and self.means is not None:
            self.means.fill_row(numbers, gaps)
        return numbers

    def count_row(self, gaps: list[bool] | None, new: bool) -> None:
        """Let the row in the buffers count in the means of later ones, until it is taken back; not to predict it."""
        self.gaps = gaps
        if new and self.means is not None:
            before = self.means.read_row(self.features_of_row, gaps)
            self.undo.append(partial(self.means.take_back, before))

    def fill_in(self, batch: Batch) -> Batch:
        return batch if self.means is None else self.means.fill_from_now(batch)
