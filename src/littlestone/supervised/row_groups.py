"""How test rows count: which of them come together, what each weighs, and the parts that get limits of their own."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from .losses_of_rows import column
from .typed_values import grouped, named_column

EACH_GROUP_ONCE = "group"


class RowGroups(NamedTuple):
    """The groups of the rows (numbers from 0, in order of appearance), their weights, and the parts of the table."""

    group: Any = None  # None where rows are independent
    weights: Any = None  # None where all rows count alike
    each_group_once: bool = False
    part: Any = None
    parts: tuple[Any, ...] = ()

    @property
    def plain(self) -> bool:
        """Are rows independent, and all alike?"""
        return self.group is None and self.weights is None

    @property
    def groups(self) -> int:
        """How many groups there are; 0 where rows are independent."""
        return 0 if self.group is None else int(self.group.max()) + 1

    def at(self, mask: Any) -> RowGroups:
        """A part of the rows; groups that have none in it are left out."""
        group = None if self.group is None else np.unique(self.group[mask], return_inverse=True)[1]
        weights = None if self.weights is None else self.weights[mask]
        return RowGroups(group, weights, self.each_group_once)


def row_groups(rows: int, X: Any, groups: Any, weights: Any, by: Any = None) -> RowGroups:
    """Check groups, weights and parts: one value a row, or the name of a column of X.

    >>> row_groups(3, None, ["a", "a", "b"], "group").weights.tolist()
    [0.5, 0.5, 1.0]
    """
    group: Any = None if groups is None else grouped(groups, rows, "groups", X)[0]
    once = isinstance(weights, str) and weights == EACH_GROUP_ONCE
    if once and group is None:
        raise BadInput(
            "weights='group' lets every group count once: say which rows come together, with groups="
        )
    w: Any = None
    if once:
        w = 1.0 / np.bincount(group)[group]
    elif weights is not None:
        w = checked_weights(weights, rows, X)
    if w is not None and group is None and (w == w[0]).all():
        w = None
    part, names = (None, []) if by is None else grouped(by, rows, "by", X)
    return RowGroups(group, w, once, part, tuple(names))


def checked_weights(weights: Any, rows: int, X: Any) -> Any:
    """A weight a row: finite, 0 or more, not all 0."""
    if isinstance(weights, str):
        weights = named_column(weights, X, "weights")
    try:
        w = column(weights, "the weights").astype(np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"weights must be numbers, one a row, not {weights!r:.60}") from None
    if len(w) != rows:
        raise BadInput(f"weights: there are {len(w):,} of them and {rows:,} test rows")
    bad = ~(np.isfinite(w) & (w >= 0.0))
    if bad.any():
        r = int(np.argmax(bad))
        raise BadInput(f"weights: that of row {r + 1} is {w[r]:g}; a weight is 0 or more")
    if not w.any():
        raise BadInput("weights: all are 0; at least one row must count")
    return w
